"""Checks what a request says before anything is computed, and lays its tensors end to end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..contract import Datum, UserError
from .losses import COMMON, KL_KINDS, LOSSES, LossSpec


@dataclass(frozen=True)
class Request:
    """``tokens`` and ``targets`` [T] int64 and ``tensors`` [T] float64 of all datums end to end, in the order they came."""

    loss_fn: str
    config: Mapping[str, float]
    lengths: Sequence[int]
    tokens: NDArray[np.int64]
    targets: NDArray[np.int64]
    tensors: Mapping[str, NDArray[np.float64]]


def checked(data: Sequence[Datum], loss_fn: str, config: Mapping[str, float], vocabulary: int, context: int) -> Request:
    """Raises ``UserError`` naming the datum, what was expected and what came."""
    spec = LOSSES.get(loss_fn)
    if spec is None:
        raise UserError(f"expected a loss_fn of {', '.join(LOSSES)}; got {loss_fn!r}")
    full = _config(loss_fn, spec, config)
    if len(data) == 0:
        raise UserError("expected at least one datum, got none")
    names = _names(data, loss_fn, spec)
    has_kl = full.get("kl_beta", 0) != 0 and full.get("kl_kind", 0) != 0
    if has_kl and "ref_logprobs" not in names:
        raise UserError("expected the tensor ref_logprobs with kl_beta and kl_kind, got none")
    for index, datum in enumerate(data):
        _check_datum(index, datum, vocabulary, context)
    tensors = {
        name: np.concatenate([np.asarray(datum.inputs[name]) for datum in data]).astype(np.float64) for name in names
    }
    _fill(loss_fn, tensors, sum(len(datum.tokens) for datum in data))
    request = Request(
        loss_fn,
        full,
        [len(datum.tokens) for datum in data],
        np.concatenate([datum.tokens for datum in data]).astype(np.int64),
        np.concatenate([datum.inputs["target_tokens"] for datum in data]).astype(np.int64),
        tensors,
    )
    _check_finite(request, tensors)
    return request


def _config(loss_fn: str, spec: LossSpec, config: Mapping[str, float]) -> dict[str, float]:
    known = {**COMMON, **spec.defaults}
    for key, value in config.items():
        if key not in known:
            raise UserError(f"expected config keys of {loss_fn} among {', '.join(known)}; got {key!r}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UserError(f"expected a finite number for {key}, got {value!r}")
    full = {**known, **{key: float(value) for key, value in config.items()}}
    if not full["temperature"] > 0:
        raise UserError(f"expected a temperature above 0, got {full['temperature']}")
    if full["trained_only"] not in (0.0, 1.0):
        raise UserError(f"expected trained_only 0 or 1, got {full['trained_only']}")
    if "clip_low_threshold" in full and not 0 <= full["clip_low_threshold"] <= full["clip_high_threshold"]:
        raise UserError(
            "expected 0 <= clip_low_threshold <= clip_high_threshold, as ratios such as 0.8 and 1.2 (not as distances from 1); "
            f"got {full['clip_low_threshold']} and {full['clip_high_threshold']}"
        )
    if "kl_kind" in full:
        if full["kl_kind"] not in range(len(KL_KINDS) + 1):
            kinds = ", ".join(f"{number} {name}" for number, name in enumerate(KL_KINDS, start=1))
            raise UserError(f"expected kl_kind 0 (none), {kinds}; got {full['kl_kind']}")
        if full["kl_beta"] < 0 or full["kl_clamp"] < 0:
            raise UserError(
                f"expected kl_beta and kl_clamp of at least 0, got {full['kl_beta']} and {full['kl_clamp']}"
            )
        if full["kl_beta"] > 0 and "kl_kind" not in config:
            raise UserError(
                "expected kl_kind with kl_beta: the estimators descend different divergences, so there is no default"
            )
    if full.get("beta", 0.0) < 0:
        raise UserError(f"expected beta of at least 0, got {full['beta']}")
    return full


def _names(data: Sequence[Datum], loss_fn: str, spec: LossSpec) -> list[str]:
    """Names of the float tensors, the same in every datum."""
    known = ("target_tokens", *spec.required, *spec.optional)
    first = set(data[0].inputs)
    for index, datum in enumerate(data):
        given = set(datum.inputs)
        missing = [name for name in ("target_tokens", *spec.required) if name not in given]
        if missing:
            raise UserError(f"datum {index}: expected the tensor {missing[0]} for {loss_fn}, got {_listed(given)}")
        unknown = sorted(given.difference(known))
        if unknown:
            raise UserError(
                f"datum {index}: expected tensors of {loss_fn} among {', '.join(known)}; got {unknown[0]!r}"
            )
        if given != first:
            raise UserError(
                f"datum {index}: expected the tensors that datum 0 has, {_listed(first)}; got {_listed(given)}"
            )
    if "kl_weights" in first and "ref_logprobs" not in first:
        raise UserError("expected the tensor ref_logprobs with kl_weights, got none")
    return sorted(first - {"target_tokens"})


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _check_datum(index: int, datum: Datum, vocabulary: int, context: int) -> None:
    count = len(datum.tokens)
    if datum.tokens.ndim != 1 or count == 0:
        raise UserError(f"datum {index}: expected tokens of shape [n] with n > 0, got {list(datum.tokens.shape)}")
    if count > context:
        raise UserError(f"datum {index}: expected at most {context} tokens, the model's context, got {count}")
    for name, tensor in (("tokens", datum.tokens), *datum.inputs.items()):
        array = np.asarray(tensor)
        if array.shape != (count,):
            raise UserError(
                f"datum {index}: expected {name} of shape [{count}], one per token, got {list(array.shape)}"
            )
        whole = name in ("tokens", "target_tokens")
        if array.dtype.kind != ("i" if whole else "f"):
            raise UserError(f"datum {index}: expected {name} of {'int64' if whole else 'float32'}, got {array.dtype}")
        if whole and (array.min() < 0 or array.max() >= vocabulary):
            bad = int(array.min()) if array.min() < 0 else int(array.max())
            raise UserError(f"datum {index}: expected {name} from 0 to {vocabulary - 1}, got {bad}")


def _fill(loss_fn: str, tensors: dict[str, NDArray[np.float64]], total: int) -> None:
    """What a left-out tensor means."""
    if loss_fn == "cross_entropy" and "weights" not in tensors:
        tensors["weights"] = np.ones(total)
    if "ref_logprobs" in tensors and "kl_weights" not in tensors:
        # nothing says which tokens are trained, except that their advantage is not 0
        tensors["kl_weights"] = (tensors["advantages"] != 0).astype(np.float64)


def _check_finite(request: Request, tensors: Mapping[str, NDArray[np.float64]]) -> None:
    for name, values in tensors.items():
        wrong = ~np.isfinite(values)
        if name == "ref_logprobs":
            # may hold anything where no penalty is asked for
            wrong &= tensors["kl_weights"] != 0
        if wrong.any():
            at = int(wrong.argmax())
            index, token = _place(request.lengths, at)
            raise UserError(f"datum {index}, token {token}: expected a finite number in {name}, got {values[at]}")
    low, high = tensors.get("clip_low_threshold"), tensors.get("clip_high_threshold")
    if low is not None or high is not None:
        floor = low if low is not None else np.full_like(high, request.config["clip_low_threshold"])  # type: ignore[arg-type]
        ceiling = high if high is not None else np.full_like(floor, request.config["clip_high_threshold"])
        # untrained tokens are filled with 0
        crossed = (floor < 0) | (floor > ceiling)
        if crossed.any():
            at = int(crossed.argmax())
            index, token = _place(request.lengths, at)
            raise UserError(
                f"datum {index}, token {token}: expected 0 <= clip_low_threshold <= clip_high_threshold, got {floor[at]} and {ceiling[at]}"
            )


def _place(lengths: Sequence[int], at: int) -> tuple[int, int]:
    ends = np.cumsum(lengths)
    index = int(np.searchsorted(ends, at, side="right"))
    return index, at - int(ends[index] - lengths[index])
