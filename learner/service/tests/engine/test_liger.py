"""Liger's kernels: used for every layer's forward and gradient where they can be had, torch's otherwise, and the service says which."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import liger_stand_in
import numpy as np
import pytest
import torch
from engine_case import batch, distance, gradient
from liger_stand_in import CALLS, LigerRMSNormFunction, LigerRopeFunction, LigerSiLUMulFunction
from tiny_model import make_tiny_model

from umagraph_learner import main
from umagraph_learner.contract import AdamParams, LoraConfig, SampleRequest, SamplingParams
from umagraph_learner.engine import liger
from umagraph_learner.engine.settings import Settings
from umagraph_learner.engine.torch_engine import TorchEngine, open_engine

DATA = batch([12, 30, 7])
LAYERS = 2
#: Micro-batches of one sequence, and every layer computed again for its gradient.
RECOMPUTING = Settings(16, 1 << 20, 0, 8, 1 << 20, 64)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The stand-in, and a CPU that counts as the device."""
    monkeypatch.setattr(liger, "_DEVICE", "cpu")
    made = liger_stand_in.modules()
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    CALLS.clear()
    yield made
    CALLS.clear()


@pytest.fixture
def llama_like(llama_folder: Path) -> Path:
    return llama_folder


def trained(folder: Path, lora: LoraConfig | None, **options: Any) -> TorchEngine:
    engine = open_engine(str(folder), **options)
    CALLS.clear()
    engine.create_model("m", lora)
    return engine


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("family", ["tiny_folder", "llama_like"])
@pytest.mark.parametrize("lora", [None, LoraConfig(8, seed=1)], ids=["full", "lora"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("settings", [None, RECOMPUTING], ids=["keeping", "recomputing"])
def test_gradients_and_scores_are_those_of_the_torch_path(
    request: pytest.FixtureRequest, family: str, lora: LoraConfig | None, dtype: str, settings: Settings | None
) -> None:
    folder = request.getfixturevalue(family)
    fused, plain = (trained(folder, lora, dtype=dtype, settings=settings, liger=on) for on in (True, False))
    assert fused.capabilities()["kernels"]["source"].startswith("liger-kernel")  # type: ignore[index]
    assert plain.capabilities()["kernels"] == {"source": "torch", "reason": "Liger kernels are switched off"}
    tight = dtype == "float32"
    for _ in range(2):
        # twice: the second request must find nothing written over
        scores = [
            np.concatenate(e.forward("m", DATA, "cross_entropy", {}, backward=True).logprobs) for e in (fused, plain)
        ]
        np.testing.assert_allclose(*scores, atol=2e-5 if tight else 0.15)
        assert distance(gradient(fused, "m"), gradient(plain, "m")) < (1e-5 if tight else 0.03)
    for engine in (fused, plain):
        engine.optim_step("m", AdamParams(1e-2))
    assert distance(gradient_of(fused), gradient_of(plain)) < (1e-4 if tight else 0.2)


def gradient_of(engine: TorchEngine) -> dict[str, torch.Tensor]:
    engine.forward("m", DATA, "cross_entropy", {}, backward=True)
    return gradient(engine, "m")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("settings", "batches", "forwards"), [(None, 1, 1), (RECOMPUTING, 3, 2)], ids=["keeping", "recomputing"]
)
def test_every_layer_goes_through_them_forward_and_back(
    tiny_folder: Path, settings: Settings | None, batches: int, forwards: int
) -> None:
    engine = trained(tiny_folder, None, settings=settings)
    engine.forward("m", DATA, "cross_entropy", {}, backward=True)
    layers = LAYERS * batches
    # two norms over the width and two over heads a layer; the one after the layers is never computed again
    assert dict(CALLS) == {
        "rms_norm.forward": 4 * layers * forwards + batches,
        "rms_norm.backward": 4 * layers + batches,
        "silu_mul.forward": layers * forwards,
        "silu_mul.backward": layers,
        "rotate.forward": layers * forwards,
        "rotate.backward": layers,
    }
    CALLS.clear()
    engine.forward("m", DATA, "cross_entropy", {}, backward=False)
    assert CALLS["rotate.forward"] == layers and not any(name.endswith("backward") for name in CALLS)


@pytest.mark.usefixtures("installed")
def test_a_sampler_scores_prompts_with_them_like_without(tiny_folder: Path) -> None:
    request = SampleRequest(np.arange(5, 30, dtype=np.int32), SamplingParams(4, temperature=0.0), prompt_logprobs=True)
    results = []
    for on in (True, False):
        engine = open_engine(str(tiny_folder), liger=on)
        CALLS.clear()
        engine.open_sampler("s", None)
        results += engine.sample("s", [request])
        assert CALLS["rotate.forward"] == (LAYERS if on else 0)
    np.testing.assert_allclose(results[0].prompt_logprobs, results[1].prompt_logprobs, atol=1e-5)
    np.testing.assert_array_equal(results[0].sequences[0].tokens, results[1].sequences[0].tokens)


@pytest.mark.usefixtures("installed")
def test_another_activation_than_silu_stays_with_torch(tmp_path: Path) -> None:
    import json

    folder = make_tiny_model(tmp_path / "gelu")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "hidden_act": "gelu"}))
    fused, plain = (trained(folder, None, liger=on) for on in (True, False))
    for engine in (fused, plain):
        engine.forward("m", DATA, "cross_entropy", {}, backward=True)
    assert CALLS["rms_norm.backward"] > 0 and CALLS["silu_mul.forward"] == 0
    assert distance(gradient(fused, "m"), gradient(plain, "m")) < 1e-5


def reason(folder: Path) -> str:
    """Why not; after a request, which must work all the same."""
    engine = open_engine(str(folder))
    engine.create_model("m", None)
    engine.forward("m", DATA, "cross_entropy", {}, backward=True)
    kernels = engine.capabilities()["kernels"]
    assert kernels["source"] == "torch"  # type: ignore[index]
    return kernels["reason"]  # type: ignore[index, no-any-return]


def test_on_the_cpu_they_are_not_even_looked_for(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in liger_stand_in.modules():
        monkeypatch.setitem(sys.modules, name, None)  # type: ignore[arg-type]
    assert reason(tiny_folder) == "Liger kernels need cuda"


def test_where_they_are_not_installed_torch_computes(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liger, "_DEVICE", "cpu")
    monkeypatch.setitem(sys.modules, "liger_kernel", None)  # type: ignore[arg-type]
    assert re.fullmatch(r"Liger kernels need the module liger_kernel\S*, which is not installed", reason(tiny_folder))


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    "error", [RuntimeError("0 active drivers"), ImportError("libcuda.so.1"), OSError("exec format")]
)
def test_a_broken_installation_is_told_and_torch_computes(
    tiny_folder: Path, installed: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Broken(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise error

    monkeypatch.setitem(sys.modules, "liger_kernel.ops.swiglu", Broken("liger_kernel.ops.swiglu"))
    assert reason(tiny_folder) == f"Liger kernels cannot be imported: {type(error).__name__}: {error}"


def test_another_version_without_a_kernel_is_told(tiny_folder: Path, installed: dict[str, ModuleType]) -> None:
    del installed["liger_kernel.ops.rope"].LigerRopeFunction
    assert "cannot be imported: AttributeError" in reason(tiny_folder)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("pass_", ["forward", "backward"])
@pytest.mark.parametrize("function", [LigerRMSNormFunction, LigerSiLUMulFunction, LigerRopeFunction])
def test_kernels_that_do_not_run_here_are_told(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, function: Any, pass_: str
) -> None:
    monkeypatch.setattr(function, pass_, raising(RuntimeError("Failed to find C compiler.\nPlease specify")))
    assert reason(tiny_folder).endswith("does not run: RuntimeError: Failed to find C compiler.")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("pass_", ["forward", "backward"])
@pytest.mark.parametrize(
    ("function", "name"),
    [(LigerRMSNormFunction, "rms_norm"), (LigerSiLUMulFunction, "silu_mul"), (LigerRopeFunction, "rotate")],
)
@pytest.mark.parametrize("factor", [1.1, float("nan")])
def test_kernels_that_compute_something_else_are_not_used(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, function: Any, name: str, pass_: str, factor: float
) -> None:
    right = getattr(function, pass_)

    def wrong(*arguments: Any) -> Any:
        out = right(*arguments)
        if isinstance(out, torch.Tensor):
            return out * factor
        return tuple(o * factor if isinstance(o, torch.Tensor) else o for o in out)

    monkeypatch.setattr(function, pass_, staticmethod(wrong))
    assert reason(tiny_folder).endswith(f"computes {name} otherwise than torch")


@pytest.mark.usefixtures("installed")
def test_the_kernel_for_very_many_rows_is_tried_too(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = LigerRMSNormFunction.forward

    def wrong(ctx: Any, X: torch.Tensor, *more: Any) -> torch.Tensor:
        return right(ctx, X, *more) * (0.0 if X.numel() // X.shape[-1] >= 32768 else 1.0)

    monkeypatch.setattr(LigerRMSNormFunction, "forward", staticmethod(wrong))
    assert reason(tiny_folder).endswith("computes rms_norm otherwise than torch")


def test_the_process_has_a_switch_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        "umagraph_learner.engine.torch_engine.open_engine", lambda *_, **options: asked.append(options["liger"])
    )
    for more in ([], ["--no-liger"]):
        main.load_engine(main.arguments(["--model", "folder", "--device", "cpu", *more]))
    assert asked == [True, False]


@pytest.mark.skipif(importlib.util.find_spec("liger_kernel") is None, reason="liger-kernel is not installed")
def test_the_stand_in_is_called_like_the_real_one() -> None:
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction as Norm
    from liger_kernel.ops.rope import LigerRopeFunction as Rope
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction as Gated

    for real, ours in ((Norm, LigerRMSNormFunction), (Gated, LigerSiLUMulFunction), (Rope, LigerRopeFunction)):
        theirs, own = (list(inspect.signature(f.forward).parameters.values()) for f in (real, ours))
        assert [(p.name, p.default) for p in theirs] == [(p.name, p.default) for p in own]
