"""J of the paper's equations 7 to 9 and its relatives in float64, written for autograd and for nothing else.

Apart from the engine and from the TypeScript compiler: no slopes, no weights, no passes. Where a gradient is stopped (CISPO's
ratio) it is detached; everything else is the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

JsonDict = dict[str, Any]


@dataclass
class Part:
    """One sequence of a session: all tensors [n] float64 per target, ``mask`` [n] bool. ``now`` may carry a graph."""

    session: JsonDict
    mask: Tensor
    sampler: Tensor
    old: Tensor
    ref: Tensor
    now: Tensor


def surrogate(rho: Tensor, advantage: Tensor, clip: JsonDict) -> Tensor:
    """Equation 9's first term; with ``dual`` also bounded where the advantage is negative."""
    inner = torch.minimum(rho * advantage, rho.clamp(1 - clip["low"], 1 + clip["high"]) * advantage)
    if clip.get("dual") is None:
        return inner
    return torch.where(advantage < 0, torch.maximum(inner, clip["dual"] * advantage), inner)


def divergence(kind: str, clamp: bool, delta: Tensor, rho: Tensor) -> Tensor:
    """Per-token estimate of KL(π ‖ reference) from Δ = log π − log π_ref."""
    if clamp:
        delta = delta.clamp(-20, 20)
    if kind == "k1":
        return delta
    if kind == "k2":
        return delta**2 / 2
    k3 = torch.expm1(-delta) + delta
    if clamp:
        k3 = k3.clamp(max=10)
    return rho * k3 if kind == "rho-k3" else k3


def parts_of(case: JsonDict) -> list[Part]:
    """Parts of the sessions that count, in order, at the case's own log-probabilities; ``now`` are leaves."""
    supervised = case["objective"]["loss"] in ("sft", "dpo")
    counted = [s for s in case["sessions"] if supervised or s["advantage"] is not None]
    rows = iter(case["current"])
    made = []
    for session in counted:
        for part in session["parts"]:
            sampler = _targets(part["sampler"])
            made.append(
                Part(
                    session,
                    torch.tensor(part["mask"][1:], dtype=torch.bool),
                    sampler,
                    _targets(part["old"]) if "old" in part else sampler,
                    _targets(part["ref"]),
                    torch.tensor(next(rows), dtype=torch.float64, requires_grad=True),
                )
            )
    return made


def _targets(aligned: list[float]) -> Tensor:
    return torch.tensor(aligned[1:], dtype=torch.float64)


def objective(spec: JsonDict, parts: list[Part]) -> Tensor:
    """J, a scalar. ``parts`` are all parts of all sessions that count, a session's one after another."""
    sessions: dict[str, list[Part]] = {}
    for part in parts:
        sessions.setdefault(part.session["id"], []).append(part)
    trained = {name: sum(int(part.mask.sum()) for part in of) for name, of in sessions.items()}
    if spec["loss"] == "dpo":
        return _preferences(spec["beta"], list(sessions.values()))
    total = torch.zeros((), dtype=torch.float64)
    for name, of in sessions.items():
        scale = _scale(spec["aggregation"], trained[name], trained)
        mask = torch.cat([part.mask for part in of])
        now, old, ref, sampler = (
            torch.cat([getattr(part, field) for part in of])[mask] for field in ("now", "old", "ref", "sampler")
        )
        total = total + scale * _session(spec, of[0].session["advantage"], now, old, ref, sampler)
    return total


def _scale(aggregation: Any, trained: int, every: dict[str, int]) -> float:
    """Equations 7 and 8: what one token of a session weighs."""
    if aggregation == "session-mean":
        return 1 / (len(every) * trained)
    if aggregation == "token-mean":
        return 1 / sum(every.values())
    return 1 / (len(every) * aggregation["constant"])


def _session(spec: JsonDict, given: float | None, now: Tensor, old: Tensor, ref: Tensor, sampler: Tensor) -> Tensor:
    """Sum over a session's trained tokens."""
    if spec["loss"] == "sft":
        return now.sum()
    assert given is not None
    advantage = torch.full_like(now, given)
    if spec["tis"] is not None:
        advantage = advantage * (old - sampler).exp().clamp(max=spec["tis"]["cap"]).detach()
    rho = (now - old).exp()
    if spec["loss"] == "clipped":
        value = surrogate(rho, advantage, spec["clip"])
    elif spec["loss"] == "gspo":
        value = surrogate((now - old).mean().exp().expand_as(now), advantage, spec["clip"])
    elif spec["loss"] == "cispo":
        value = rho.clamp(1 - spec["clip"]["low"], 1 + spec["clip"]["high"]).detach() * now * advantage
    elif spec["loss"] == "reinforce":
        value = now * advantage
    else:
        raise AssertionError(spec["loss"])
    if spec["kl"] is not None:
        kl = spec["kl"]
        value = value - kl["beta"] * divergence(kl["kind"], kl["clamp"], now - ref, rho)
    return value.sum()


def _preferences(beta: float, sessions: list[list[Part]]) -> Tensor:
    margins: dict[str, Tensor] = {}
    for of in sessions:
        pair = of[0].session["pair"]
        gain = torch.stack([((part.now - part.ref) * part.mask).sum() for part in of]).sum()
        signed = beta * gain if pair["side"] == "chosen" else -beta * gain
        margins[pair["id"]] = margins.get(pair["id"], torch.zeros((), dtype=torch.float64)) + signed
    return F.logsigmoid(torch.stack(list(margins.values()))).mean()
