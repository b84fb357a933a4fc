"""What the TypeScript compiler ships has, under the protocol's losses, the gradient of −J, and where it should its value."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from golden_files import CASES, PASSES, datum_of, pass_name
from plain_objective import Part, objective, parts_of
from torch import Tensor

#: Modes whose loss is −J itself; with analytic weights or a folded KL term only the gradient is.
EXACT_VALUE = {"ppo", "cispo", "cross-entropy", "kl-extension"}

#: Everything on the wire has 24 bits.
WIRE = 1e-6


def at(golden: dict[str, Any]) -> tuple[dict[str, Any], list[Part]]:
    """The golden's objective and parts, at the log-probabilities it was made for."""
    case = CASES[golden["name"]]
    parts = parts_of(case)
    if golden["at"] == "old":
        for part in parts:
            part.now = torch.where(part.mask, part.old, part.now.detach()).requires_grad_()
    return case["objective"], parts


def protocol_loss(loss_fn: str, config: dict[str, float], now: Tensor, x: dict[str, Tensor]) -> Tensor:
    """The protocol's published formula, summed; the KL term as the extension states it."""
    if loss_fn == "cross_entropy":
        return -(x["weights"] * now).sum()
    low, high = config["clip_low_threshold"], config["clip_high_threshold"]
    rho = (now - x["logprobs"]).exp()
    if loss_fn == "cispo":
        return -(rho.clamp(low, high).detach() * now * x["advantages"]).sum()
    assert loss_fn == "ppo"
    loss = -torch.minimum(rho * x["advantages"], rho.clamp(low, high) * x["advantages"])
    if "kl_kind" in config:
        delta = now - x["ref_logprobs"]
        k3 = torch.expm1(-delta) + delta
        estimate = (delta, delta**2 / 2, k3, rho * k3)[int(config["kl_kind"]) - 1]
        on = x["kl_weights"] != 0
        loss = loss + config["kl_beta"] * torch.where(on, x["kl_weights"] * estimate, 0.0)
    return loss.sum()


@pytest.mark.parametrize("golden", PASSES, ids=pass_name)
def test_gradient_and_value(golden: dict[str, Any]) -> None:
    spec, parts = at(golden)
    value = objective(spec, parts)
    wanted = torch.autograd.grad(-value, [part.now for part in parts])
    places = places_of(parts)
    gradient = [torch.zeros_like(part.now) for part in parts]
    loss = 0.0
    (one,) = [plain for plain in golden["passes"] if plain["op"] == "forward_backward"]
    for plain in one["datums"]:
        part = places[plain["session"], plain["part"]]
        datum = datum_of(plain)
        tensors = {name: torch.from_numpy(x).double() for name, x in datum.inputs.items()}
        now = parts[part].now.detach().requires_grad_()
        term = protocol_loss(one["lossFn"], one["config"], now, tensors)
        (gradient[part],) = torch.autograd.grad(term, now)
        loss += float(term.detach())
    got, expected = torch.cat(gradient), torch.cat(wanted)
    assert float(expected.norm()) > 1e-3
    assert float((got - expected).norm()) <= WIRE * float(expected.norm())
    if golden["mode"] in EXACT_VALUE:
        assert loss == pytest.approx(-float(value.detach()), rel=WIRE)


def places_of(parts: list[Part]) -> dict[tuple[str, int], int]:
    """Where a session's part stands among ``parts``."""
    counts: dict[str, int] = {}
    places = {}
    for index, part in enumerate(parts):
        name = part.session["id"]
        places[name, counts.get(name, 0)] = index
        counts[name] = counts.get(name, 0) + 1
    return places


@pytest.mark.parametrize("golden", PASSES, ids=pass_name)
def test_datums_are_the_sessions_shifted_by_one(golden: dict[str, Any]) -> None:
    case = CASES[golden["name"]]
    ids = {(s["id"], p): part["ids"] for s in case["sessions"] for p, part in enumerate(s["parts"])}
    masks = {(s["id"], p): part["mask"] for s in case["sessions"] for p, part in enumerate(s["parts"])}
    for one in golden["passes"]:
        for plain in one["datums"]:
            where = (plain["session"], plain["part"])
            assert plain["modelInput"] == ids[where][:-1]
            assert plain["lossFnInputs"]["target_tokens"] == ids[where][1:]
            for name in ("weights", "advantages", "kl_weights"):
                for x, on in zip(plain["lossFnInputs"].get(name, []), masks[where][1:], strict=False):
                    assert on or x == 0
