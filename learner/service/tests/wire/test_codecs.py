"""Both dialects to the same values, and results back."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from umagraph_learner.contract import ForwardResult, SampledSequence, SampleResult, UserError
from umagraph_learner.wire import json_codec, proto_codec
from umagraph_learner.wire import tinker_pb2 as pb
from umagraph_learner.wire.forward_call import ForwardContent, MalformedRequest, content_digest

TOKENS = [3, 1, 599, 0]
TARGETS = [1, 599, 0, 2]
WEIGHTS = [0.0, -1.5, 1e-6, 3.0]


def in_json(**change: object) -> ForwardContent:
    body = {
        "model_id": "m",
        "seq_id": 7,
        "forward_backward_input": {
            "data": [
                {
                    "model_input": {"chunks": [{"type": "encoded_text", "tokens": TOKENS[:1]}, {"tokens": TOKENS[1:]}]},
                    "loss_fn_inputs": {
                        "target_tokens": {"data": TARGETS, "dtype": "int64", "shape": [4]},
                        "weights": {"data": WEIGHTS, "dtype": "float32"},
                    },
                }
            ],
            "loss_fn": "cross_entropy",
            "loss_fn_config": {"temperature": 1},
            **change,
        },
    }
    text = json.dumps(body).encode()
    call = json_codec.read_forward(
        json_codec.read_object(text), "forward_backward_input", forward_only=False, body=text
    )
    assert (call.model_id, call.seq_id) == ("m", 7)
    return call.content()


def message() -> pb.ForwardBackwardRequest:
    request = pb.ForwardBackwardRequest(model_id="m", seq_id=7, loss_fn="cross_entropy")
    request.loss_fn_config["temperature"] = 1.0
    row = request.data.add()
    row.model_input.add().encoded_text.tokens = np.array(TOKENS, "<i4").tobytes()
    target, weight = row.loss_fn_inputs["target_tokens"], row.loss_fn_inputs["weights"]
    target.dense, target.dtype = np.array(TARGETS, "<i8").tobytes(), pb.DTYPE_INT64
    weight.dense, weight.dtype = np.array(WEIGHTS, "<f4").tobytes(), pb.DTYPE_FLOAT32
    weight.shape.append(4)
    return request


def in_proto(request: pb.ForwardBackwardRequest) -> ForwardContent:
    return proto_codec.read_forward(request.SerializeToString()).content()


def test_both_dialects_read_to_the_same_values_and_the_same_digest() -> None:
    one, two = in_json(), in_proto(message())
    for content in (one, two):
        (datum,) = content.data
        assert datum.tokens.dtype == np.int32
        assert datum.tokens.tolist() == TOKENS
        assert datum.inputs["target_tokens"].dtype == np.int64
        assert np.array_equal(datum.inputs["weights"], np.array(WEIGHTS, np.float32))
    assert content_digest(one, False) == content_digest(two, False)


def test_the_digest_changes_with_every_number_and_name() -> None:
    seen = {content_digest(in_proto(message()), False), content_digest(in_proto(message()), True)}
    for change in range(5):
        request = message()
        row = request.data[0]
        if change == 0:
            row.model_input[0].encoded_text.tokens = np.array([3, 1, 599, 1], "<i4").tobytes()
        elif change == 1:
            row.loss_fn_inputs["weights"].dense = np.array([0.0, -1.5, 1e-6, 3.0000002], "<f4").tobytes()
        elif change == 2:
            request.loss_fn_config["temperature"] = 1.0000001
        elif change == 3:
            request.loss_fn = "ppo"
        else:
            row.loss_fn_inputs["advantages"].CopyFrom(row.loss_fn_inputs["weights"])
        seen.add(content_digest(in_proto(request), False))
    assert len(seen) == 7


def test_int32_and_bfloat16_tensors_are_widened() -> None:
    request = message()
    target, weight = (request.data[0].loss_fn_inputs[name] for name in ("target_tokens", "weights"))
    target.dense, target.dtype = np.array(TARGETS, "<i4").tobytes(), pb.DTYPE_INT32
    halves = (np.array([0.0, -1.5, 2.0, 3.0], "<f4").view("<u4") >> 16).astype("<u2")
    weight.dense, weight.dtype = halves.tobytes(), pb.DTYPE_BFLOAT16
    inputs = in_proto(request).data[0].inputs
    assert inputs["target_tokens"].tolist() == TARGETS
    assert inputs["target_tokens"].dtype == np.int64
    assert inputs["weights"].tolist() == [0.0, -1.5, 2.0, 3.0]


@pytest.mark.parametrize(
    ("data", "dtype", "words"),
    [
        (["1", "2"], "float32", "flat list of numbers"),
        ([1.0, None], "float32", "flat list of numbers"),
        ([[1.0], [2.0]], "float32", "flat list"),
        ([[1.0], [2.0, 3.0]], "float32", "flat list"),
        ([True, 1.0], "float32", "true or false"),
        ([1.5], "int64", "whole numbers"),
        ([2**63], "int64", "whole numbers"),
        ([2**70], "int64", "whole numbers"),
        ({"0": 1}, "float32", "not an object"),
        ([1.0], "float64", "dtype"),
        ([1.0], None, "dtype"),
    ],
)
def test_json_tensors_that_are_no_tensors_are_named(data: object, dtype: object, words: str) -> None:
    row = {
        "model_input": {"chunks": [{"tokens": TOKENS}]},
        "loss_fn_inputs": {"weights": {"data": data, "dtype": dtype}},
    }
    with pytest.raises(UserError, match=words) as raised:
        in_json(data=[row])
    assert "datum 0: weights" in str(raised.value)


def test_numbers_too_large_for_float32_become_infinite_for_the_engine_to_refuse() -> None:
    row = {
        "model_input": {"chunks": [{"tokens": TOKENS}]},
        "loss_fn_inputs": {"weights": {"data": [1e300], "dtype": "float32"}},
    }
    assert math.isinf(in_json(data=[row]).data[0].inputs["weights"][0])


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda t: setattr(t, "dense", b"abc"), "3 bytes"),
        (lambda t: setattr(t, "dtype", 99), "dtype 99"),
        (lambda t: setattr(t, "dtype", 0), "dtype 0"),
        (lambda t: t.shape.extend([2]), "shape"),
        (lambda t: setattr(t.sparse_csr, "values", b""), "sparse"),
    ],
)
def test_proto_tensors_that_are_no_tensors_are_named(break_it: object, words: str) -> None:
    request = message()
    break_it(request.data[0].loss_fn_inputs["weights"])  # type: ignore[operator]
    with pytest.raises(UserError, match=words):
        in_proto(request)


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"\x0a\x01m", b"\x10\x01", b"\x0a\x01m\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"]
)
def test_proto_bodies_without_an_envelope_are_malformed(body: bytes) -> None:
    with pytest.raises(MalformedRequest):
        proto_codec.read_forward(body)


def test_the_envelope_is_read_from_the_first_bytes_of_a_body() -> None:
    assert proto_codec.peek_envelope(message().SerializeToString()[:5]) == ("m", 7)
    assert proto_codec.peek_envelope(b"\x0a\x7fm") == ("m", None)
    assert proto_codec.peek_envelope(b"") == (None, None)


def test_results_survive_the_way_through_proto() -> None:
    rows = [np.array([-1.5, -0.25], np.float32), np.zeros(0, np.float32), np.array([-3.0], np.float32)]
    output = pb.ForwardBackwardOutput.FromString(
        proto_codec.forward_result_bytes(ForwardResult(rows, {"loss:sum": 1.25}))
    )
    field = output.loss_fn_outputs[0].fields["logprobs"]
    offsets = np.frombuffer(field.offsets, "<i8")
    assert offsets.tolist() == [0, 8, 8, 12]
    back = [np.frombuffer(field.data[a:b], "<f4").tolist() for a, b in pairwise(offsets)]
    assert back == [row.tolist() for row in rows]
    assert dict(output.metrics) == {"loss:sum": 1.25}


def test_samples_survive_the_way_through_both_dialects() -> None:
    sequence = SampledSequence(np.array([5, 6], np.int32), np.array([-1.0, -2.0], np.float32), "stop")
    result = SampleResult([sequence], np.array([np.nan, -0.5], np.float32))
    response = pb.SampleResponse.FromString(proto_codec.sample_result_bytes(result))
    assert np.frombuffer(response.sequences[0].tokens, "<i4").tolist() == [5, 6]
    assert response.sequences[0].stop_reason == pb.STOP_REASON_STOP
    assert math.isnan(np.frombuffer(response.prompt_logprobs, "<f4")[0])
    plain = json_codec.sample_result(result)
    assert plain["prompt_logprobs"] == [None, -0.5]
    assert plain["sequences"] == [{"stop_reason": "stop", "tokens": [5, 6], "logprobs": [-1.0, -2.0]}]


@pytest.mark.parametrize(
    ("stop", "read"),
    [("x", ["x"]), (["a", "b"], ["a", "b"]), ([1, 2], [1, 2]), ([], []), (None, None)],
)
def test_stops_are_read_as_the_protocol_means_them(stop: object, read: object) -> None:
    sample = json_codec.read_sample({"prompt": {"chunks": [{"tokens": [1]}]}, "sampling_params": {"stop": stop}})
    assert sample.params.stop == read
