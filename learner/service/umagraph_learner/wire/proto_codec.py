"""Protobuf dialect: bodies of forward_backward in, results of forward_backward and sampling out.

Arrays stay arrays: bytes are viewed in place and never pass through lists of numbers.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence

import numpy as np
from google.protobuf.message import DecodeError

from umagraph_learner.contract import Datum, ForwardResult, SampleResult, UserError
from umagraph_learner.wire import tinker_pb2 as pb
from umagraph_learner.wire.forward_call import ForwardCall, ForwardContent, MalformedRequest, checked_seq_id

if sys.byteorder != "little":
    raise ImportError("The wire is little-endian and this machine is not: the learner service does not run here.")

CONTENT_TYPE = "application/x-protobuf"
#: Answers name it as the kind of every record in them.
OUTPUT_TYPE = "ArrayRecord"

_DTYPES = {
    pb.DTYPE_FLOAT32: np.dtype("<f4"),
    pb.DTYPE_INT64: np.dtype("<i8"),
    pb.DTYPE_INT32: np.dtype("<i4"),
    pb.DTYPE_BFLOAT16: np.dtype("<u2"),
}


def read_forward(body: bytes) -> ForwardCall:
    """The envelope of a forward_backward body. Raises ``MalformedRequest``."""
    message = pb.ForwardBackwardRequest()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        model_id, seq_id = peek_envelope(body[:4096])
        raise MalformedRequest("the body is not a protobuf ForwardBackwardRequest", model_id, seq_id) from error
    if not message.model_id:
        raise MalformedRequest("model_id (field 1) is missing")
    if message.seq_id == 0:
        raise MalformedRequest("seq_id (field 2) is missing: numbers start at 1", message.model_id)
    try:
        seq_id = checked_seq_id(message.seq_id)
    except MalformedRequest as error:
        raise MalformedRequest(error.detail, message.model_id) from None
    return ForwardCall(
        model_id=message.model_id,
        seq_id=seq_id,
        forward_only=message.forward_only,
        content=lambda: _content(message),
        body_digest=lambda: hashlib.blake2b(body, digest_size=20).digest(),
    )


def peek_envelope(head: bytes) -> tuple[str | None, int | None]:
    """Model and sequence number from the first bytes of a body that is refused unread; None for what is not there."""
    model_id: str | None = None
    seq_id: int | None = None
    at = 0
    try:
        while at < len(head):
            tag, at = _varint(head, at)
            if tag == 0x0A:
                size, at = _varint(head, at)
                model_id = head[at : at + size].decode()
                at += size
            elif tag == 0x10:
                value, at = _varint(head, at)
                seq_id = value if 0 < value < 2**31 else None
            else:
                break
    except (IndexError, UnicodeDecodeError):
        pass
    return model_id, seq_id


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80 or shift > 63:
            return value, at
        shift += 7


def _content(message: pb.ForwardBackwardRequest) -> ForwardContent:
    config: dict[str, float] = {}
    if message.loss_fn_config_v2:
        for key, value in message.loss_fn_config_v2.items():
            if value.WhichOneof("value") != "number":
                raise UserError(f"loss_fn_config[{key!r}] must be a number: text values are not served here")
            config[key] = value.number
    else:
        config.update(message.loss_fn_config)
    data = [_datum(datum, index) for index, datum in enumerate(message.data)]
    return ForwardContent(loss_fn=message.loss_fn, config=config, data=data)


def _datum(datum: pb.Datum, index: int) -> Datum:
    where = f"datum {index}"
    pieces = []
    for chunk in datum.model_input:
        kind = chunk.WhichOneof("chunk")
        if kind != "encoded_text":
            raise UserError(f"{where}: model_input may only hold encoded_text chunks, got {kind or 'an empty chunk'}")
        pieces.append(_view(chunk.encoded_text.tokens, np.dtype("<i4"), f"{where}: tokens"))
    tokens = pieces[0] if len(pieces) == 1 else np.concatenate([np.zeros(0, np.int32), *pieces]).astype(np.int32)
    inputs = {name: _tensor(tensor, f"{where}: {name}") for name, tensor in datum.loss_fn_inputs.items()}
    return Datum(tokens=tokens, inputs=inputs)


def _tensor(tensor: pb.Tensor, where: str) -> np.ndarray:
    encoding = tensor.WhichOneof("encoding")
    if encoding == "sparse_csr":
        raise UserError(f"{where}: sparse tensors are not served: send it dense with shape [n]")
    dtype = _DTYPES.get(tensor.dtype)
    if dtype is None:
        raise UserError(f"{where}: dtype {tensor.dtype} is unknown: use FLOAT32 (1) or INT64 (2)")
    array = _view(tensor.dense, dtype, where)
    shape = list(tensor.shape)
    if shape and shape != [array.size]:
        raise UserError(f"{where}: shape must be [n] with one value per token, got {shape} for {array.size} values")
    if tensor.dtype == pb.DTYPE_BFLOAT16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    if tensor.dtype == pb.DTYPE_INT32:
        return array.astype(np.int64)
    return array


def _view(data: bytes, dtype: np.dtype, where: str) -> np.ndarray:
    if len(data) % dtype.itemsize:
        raise UserError(f"{where}: {len(data)} bytes are no whole number of {dtype.name} values")
    return np.frombuffer(data, dtype=dtype)


def forward_result_bytes(result: ForwardResult) -> bytes:
    """ForwardBackwardOutput with one record that holds the log-probabilities of all datums."""
    message = pb.ForwardBackwardOutput(loss_fn_output_type=OUTPUT_TYPE)
    message.metrics.update({name: float(value) for name, value in result.metrics.items()})
    if result.logprobs:
        record = message.loss_fn_outputs.add(type_tag=OUTPUT_TYPE, num_datums=len(result.logprobs))
        field = record.fields["logprobs"]
        field.dtype = pb.DTYPE_FLOAT32
        field.data = _joined(result.logprobs)
        sizes = np.array([0, *(len(row) for row in result.logprobs)], dtype="<i8")
        field.offsets = (np.cumsum(sizes) * 4).astype("<i8").tobytes()
    return message.SerializeToString()


def _joined(rows: Sequence[np.ndarray]) -> bytes:
    return np.concatenate([np.asarray(row, dtype="<f4") for row in rows]).tobytes()


def sample_result_bytes(result: SampleResult) -> bytes:
    message = pb.SampleResponse()
    for sequence in result.sequences:
        message.sequences.add(
            stop_reason=pb.STOP_REASON_STOP if sequence.stop_reason == "stop" else pb.STOP_REASON_LENGTH,
            tokens=np.asarray(sequence.tokens, dtype="<i4").tobytes(),
            logprobs=np.asarray(sequence.logprobs, dtype="<f4").tobytes(),
        )
    if result.prompt_logprobs is not None:
        message.prompt_logprobs = np.asarray(result.prompt_logprobs, dtype="<f4").tobytes()
    return message.SerializeToString()
