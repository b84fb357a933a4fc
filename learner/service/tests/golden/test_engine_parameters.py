"""(b) Through the engine: every exact mode gives the parameters of a tiny Qwen3 the gradient of −J, as autograd finds it.

The golden passes were made for given log-probabilities, and a model has its own. Every objective here depends on the policy
through differences from the old and the reference's log-probabilities, so these are moved along: on each trained token
``old``, ``ref`` and ``sampler`` by how far the model's log-probability lies from the golden one. Ratios are then the golden
ones, and advantages and weights are shipped as the TypeScript compiler made them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from engine_case import Reference, distance, gradient
from golden_files import PASSES, datum_of, pass_name
from plain_objective import Part, objective
from test_shipped_passes import EXACT_VALUE, at, places_of

from umagraph_learner.contract import Datum
from umagraph_learner.engine.torch_engine import TorchEngine

TOLERANCE = 1e-5


@pytest.fixture
def model(engine: TorchEngine) -> Iterator[str]:
    engine.create_model("golden", None)
    yield "golden"
    engine.unload_model("golden")


def moved_to(reference: Reference, golden: dict[str, Any], parts: list[Part]) -> list[np.ndarray]:
    """Gives ``parts`` the model's own log-probabilities, with a graph, and the moved ones. Returns by how far, [n] each."""
    tokens = {(plain["session"], plain["part"]): plain for one in golden["passes"] for plain in one["datums"]}
    moves = []
    for place, index in places_of(parts).items():
        part = parts[index]
        session, number = place
        ids = part.session["parts"][number]["ids"]
        plain = tokens.get((session, number))
        assert plain is None or plain["modelInput"] == ids[:-1]
        row = np.array(ids)
        now = reference.logprobs(Datum(row[:-1].astype(np.int32), {"target_tokens": row[1:].astype(np.int64)}))
        move = torch.where(part.mask, now.detach() - part.now.detach(), 0.0)
        part.now, part.old, part.ref, part.sampler = now, part.old + move, part.ref + move, part.sampler + move
        moves.append(move.numpy())
    return moves


@pytest.mark.parametrize("golden", PASSES, ids=pass_name)
def test_gradient_of_the_parameters(
    engine: TorchEngine, reference: Reference, model: str, golden: dict[str, Any]
) -> None:
    spec, parts = at(golden)
    moves = moved_to(reference, golden, parts)
    places = places_of(parts)
    value = objective(spec, parts)
    expected = reference.gradient(-value)

    loss, passes = 0.0, 0
    for one in golden["passes"]:
        data = []
        for plain in one["datums"]:
            move = moves[places[plain["session"], plain["part"]]]
            data.append(datum_of(plain, {"logprobs": move, "ref_logprobs": move}))
        backward = one["op"] == "forward_backward"
        out = engine.forward(model, data, one["lossFn"], one["config"], backward=backward)
        passes += 1
        for plain, scores in zip(one["datums"], out.logprobs, strict=True):
            own = parts[places[plain["session"], plain["part"]]].now.detach().numpy()
            np.testing.assert_allclose(scores, own, rtol=TOLERANCE, atol=TOLERANCE)
        if backward:
            loss += out.metrics["loss:sum"]

    assert passes == (2 if golden["mode"] == "forward-weights" else 1)
    assert distance(gradient(engine, model), expected) < TOLERANCE
    if golden["mode"] in EXACT_VALUE:
        assert loss == pytest.approx(-float(value.detach()), rel=TOLERANCE)
    assert sum(float(tensor.abs().sum()) for tensor in expected.values()) > 1e-2


@pytest.mark.parametrize("mode", ["ppo", "kl-extension"])
def test_a_pass_cut_into_calls_adds_up_to_the_same(engine: TorchEngine, model: str, mode: str) -> None:
    golden = next(made for made in PASSES if made["mode"] == mode)
    (one,) = golden["passes"]
    data = [datum_of(plain) for plain in one["datums"]]
    whole = engine.forward(model, data, one["lossFn"], one["config"], backward=True).metrics["loss:sum"]
    expected = gradient(engine, model)
    engine.create_model("cut", None)
    try:
        calls = [
            engine.forward("cut", [datum], one["lossFn"], one["config"], backward=True) for datum in reversed(data)
        ]
        assert sum(call.metrics["loss:sum"] for call in calls) == pytest.approx(whole, rel=TOLERANCE)
        assert distance(gradient(engine, "cut"), expected) < TOLERANCE
    finally:
        engine.unload_model("cut")
