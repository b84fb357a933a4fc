"""JSON dialect: request bodies in, results out. Lists of numbers are checked to be numbers before they become arrays."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from umagraph_learner.contract import Datum, ForwardResult, SampleRequest, SampleResult, SamplingParams, UserError
from umagraph_learner.wire.forward_call import ForwardCall, ForwardContent, MalformedRequest, checked_seq_id

CONTENT_TYPE = "application/json"
OUTPUT_TYPE = "ArrayRecord"


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object. Raises ``MalformedRequest`` with the place where reading stopped."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedRequest(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MalformedRequest(f"the body must be a JSON object, not {_kind(value)}")
    return value


def read_forward(obj: Mapping[str, Any], input_key: str, *, forward_only: bool, body: bytes) -> ForwardCall:
    """``input_key`` is ``forward_input`` or ``forward_backward_input``. Raises ``MalformedRequest``."""
    model_id = obj.get("model_id")
    if not isinstance(model_id, str) or not model_id:
        raise MalformedRequest(f"model_id must be text, not {_kind(model_id)}")
    try:
        seq_id = checked_seq_id(obj.get("seq_id"))
    except MalformedRequest as error:
        raise MalformedRequest(error.detail, model_id) from None
    content = obj.get(input_key)
    if not isinstance(content, dict):
        raise MalformedRequest(f"{input_key} must be an object, not {_kind(content)}", model_id, seq_id)
    return ForwardCall(
        model_id=model_id,
        seq_id=seq_id,
        forward_only=forward_only,
        content=lambda: _content(content),
        body_digest=lambda: hashlib.blake2b(body, digest_size=20).digest(),
    )


def _content(value: Mapping[str, Any]) -> ForwardContent:
    loss_fn = value.get("loss_fn")
    if not isinstance(loss_fn, str):
        raise UserError(f"loss_fn must be text, not {_kind(loss_fn)}")
    config = value.get("loss_fn_config")
    if config is None:
        config = {}
    if not isinstance(config, dict):
        raise UserError(f"loss_fn_config must be an object of numbers, not {_kind(config)}")
    for key, number in config.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise UserError(f"loss_fn_config[{key!r}] must be a number, not {_kind(number)}")
    data = value.get("data")
    if not isinstance(data, list):
        raise UserError(f"data must be a list of datums, not {_kind(data)}")
    return ForwardContent(
        loss_fn=loss_fn,
        config={key: _float(number, f"loss_fn_config[{key!r}]") for key, number in config.items()},
        data=[_datum(datum, f"datum {index}") for index, datum in enumerate(data)],
    )


def _float(number: float, where: str) -> float:
    try:
        return float(number)
    except OverflowError:
        raise UserError(f"{where} is too large for a number") from None


def _datum(value: object, where: str) -> Datum:
    if not isinstance(value, dict):
        raise UserError(f"{where} must be an object, not {_kind(value)}")
    inputs = value.get("loss_fn_inputs")
    if not isinstance(inputs, dict):
        raise UserError(f"{where}: loss_fn_inputs must be an object of tensors, not {_kind(inputs)}")
    return Datum(
        tokens=read_tokens(value.get("model_input"), f"{where}: model_input"),
        inputs={name: _tensor(tensor, f"{where}: {name}") for name, tensor in inputs.items()},
    )


def read_tokens(value: object, where: str) -> np.ndarray:
    """``{chunks: [{type: "encoded_text", tokens: [...]}]}`` to int32 [n]. Raises ``UserError``."""
    chunks = value.get("chunks") if isinstance(value, dict) else None
    if not isinstance(chunks, list):
        raise UserError(f"{where} must be an object with a list of chunks, not {_kind(value)}")
    pieces = [np.zeros(0, np.int32)]
    for chunk in chunks:
        kind = chunk.get("type", "encoded_text") if isinstance(chunk, dict) else None
        if kind != "encoded_text":
            raise UserError(f"{where} may only hold encoded_text chunks, got {kind or _kind(chunk)!s}")
        ids = _numbers(chunk.get("tokens"), np.int64, f"{where}: tokens")
        if ids.size and (ids.min() < 0 or ids.max() >= 2**31):
            raise UserError(f"{where}: token ids must be from 0 to 2147483647")
        pieces.append(ids.astype(np.int32))
    return np.concatenate(pieces)


def _tensor(value: object, where: str) -> np.ndarray:
    if not isinstance(value, dict):
        raise UserError(f"{where} must be a tensor object {{data, dtype, shape}}, not {_kind(value)}")
    if value.get("sparse_crow_indices") is not None or value.get("sparse_col_indices") is not None:
        raise UserError(f"{where}: sparse tensors are not served: send it dense with shape [n]")
    dtypes = {"float32": np.float32, "int64": np.int64}
    dtype = value.get("dtype")
    if not isinstance(dtype, str) or dtype not in dtypes:
        raise UserError(f'{where}: dtype must be "float32" or "int64", not {dtype!r}')
    array = _numbers(value.get("data"), dtypes[dtype], where)
    shape = value.get("shape")
    if shape is not None and shape != [array.size]:
        raise UserError(f"{where}: shape must be [n] with one value per token, got {shape!r} for {array.size} values")
    return array


def _numbers(value: object, dtype: type, where: str) -> np.ndarray:
    if not isinstance(value, list):
        raise UserError(f"{where}: data must be a flat list of numbers, not {_kind(value)}")
    try:
        raw = np.array(value) if value else np.zeros(0, dtype)
    except (ValueError, OverflowError):
        raise UserError(f"{where}: data must be a flat list of numbers") from None
    wanted = "iu" if dtype is np.int64 else "iuf"
    if raw.ndim != 1 or raw.dtype.kind not in wanted or (raw.dtype == np.uint64 and raw.max() >= 2**63):
        needed = "whole numbers of 64 bits" if dtype is np.int64 else "numbers"
        raise UserError(f"{where}: data must be a flat list of {needed}")
    # numpy reads True beside numbers as 1.
    if any(isinstance(item, bool) for item in value):
        raise UserError(f"{where}: data must be numbers, got true or false")
    with np.errstate(over="ignore"):
        return raw.astype(dtype)


def read_sample(obj: Mapping[str, Any]) -> SampleRequest:
    """The sampling half of an asample body. Raises ``UserError``, also for what is asked for and not served."""
    for key in ("topk_prompt_logprobs", "topk_sample_logprobs", "prompt_alt_tokens_k"):
        if obj.get(key):
            raise UserError(f"{key} is not served here: leave it out or send 0")
    for key in ("target_prompt_logprobs", "record_stability_info"):
        if obj.get(key):
            raise UserError(f"{key} is not served here: leave it out")
    params = obj.get("sampling_params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise UserError(f"sampling_params must be an object, not {_kind(params)}")
    unknown = set(params) - {"max_tokens", "seed", "stop", "temperature", "top_k", "top_p"}
    if unknown:
        raise UserError(f"sampling_params has unknown keys: {', '.join(sorted(unknown))}")
    num_samples = _whole(obj, "num_samples", 1, least=1)
    assert num_samples is not None
    return SampleRequest(
        prompt=read_tokens(obj.get("prompt"), "prompt"),
        params=SamplingParams(
            max_tokens=_whole(params, "max_tokens", None, least=1),
            seed=_whole(params, "seed", None, least=-(2**63)),
            stop=_stop(params.get("stop")),
            temperature=_number(params, "temperature", 1.0),
            top_k=_top_k(params),
            top_p=_number(params, "top_p", 1.0),
        ),
        num_samples=num_samples,
        prompt_logprobs=bool(obj.get("prompt_logprobs")),
        prompt_logprobs_last_n=_whole(obj, "prompt_logprobs_last_n", None, least=1),
    )


def _top_k(params: Mapping[str, Any]) -> int:
    value = _whole(params, "top_k", -1, least=-1)
    return -1 if value is None or value == 0 else value


def _whole(obj: Mapping[str, Any], key: str, default: int | None, *, least: int) -> int | None:
    value = obj.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**64:
        raise UserError(f"{key} must be a whole number of at least {least}, not {value!r:.80}")
    return value


def _number(obj: Mapping[str, Any], key: str, default: float) -> float:
    value = obj.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(_float(value, key)):
        raise UserError(f"{key} must be a finite number, not {value!r:.80}")
    return float(value)


def _stop(value: object) -> list[int] | list[str] | None:
    """Absent means the model's own end; an empty list never stops."""
    if value is None:
        return None
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return list(value)
        if all(isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 2**31 for item in value):
            return list(value)
    raise UserError("stop must be text, a list of texts, or a list of token ids")


def forward_result(result: ForwardResult) -> dict[str, Any]:
    return {
        "loss_fn_output_type": OUTPUT_TYPE,
        "loss_fn_outputs": [
            {"logprobs": {"data": np.asarray(row).tolist(), "dtype": "float32", "shape": [len(row)]}}
            for row in result.logprobs
        ],
        "metrics": {name: float(value) for name, value in result.metrics.items()},
    }


def sample_result(result: SampleResult) -> dict[str, Any]:
    prompt = result.prompt_logprobs
    return {
        "type": "sample",
        "sequences": [
            {
                "stop_reason": sequence.stop_reason,
                "tokens": np.asarray(sequence.tokens).tolist(),
                "logprobs": np.asarray(sequence.logprobs).tolist(),
            }
            for sequence in result.sequences
        ],
        "prompt_logprobs": None
        if prompt is None
        else [None if math.isnan(value) else value for value in np.asarray(prompt).tolist()],
    }


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return {dict: "an object", list: "a list", str: "text", bool: "a truth value"}.get(type(value), f"{value!r:.40}")
