"""The golden files of the repository's TypeScript tests, read for Python's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from umagraph_learner.contract import Datum

GOLDEN = Path(__file__).parents[4] / "tests" / "golden"

_CASES: dict[str, Any] = json.loads((GOLDEN / "objective-cases.json").read_text("utf-8"))

#: One token each: ``rho``, ``A``, ``clip``; and ``kind``, ``clamp``, ``delta``, ``rho``; both with ``value`` and ``slope``.
EQ9: Sequence[dict[str, Any]] = _CASES["eq9"]
KL: Sequence[dict[str, Any]] = _CASES["kl"]
#: Whole objectives with their sessions.
CASES: Mapping[str, dict[str, Any]] = {case["name"]: case for case in _CASES["cases"]}
#: What the TypeScript compiler ships for them: ``name``, ``at``, ``mode``, ``passes``.
PASSES: Sequence[dict[str, Any]] = json.loads((GOLDEN / "objective-passes.json").read_text("utf-8"))["cases"]
#: Policy calls of a session, and the sequences that they are merged into.
TRACES: Sequence[dict[str, Any]] = json.loads((GOLDEN / "objective-traces.json").read_text("utf-8"))["cases"]


def pass_name(golden: dict[str, Any]) -> str:
    return f"{golden['name']}, {golden['at']}, {golden['mode']}"


def datum_of(plain: dict[str, Any], moved: Mapping[str, np.ndarray] | None = None) -> Datum:
    """As it comes off the wire. ``moved`` [n] is added to the tensors it names, in float64 before they are narrowed."""
    inputs: dict[str, np.ndarray] = {}
    for name, values in plain["lossFnInputs"].items():
        if name == "target_tokens":
            inputs[name] = np.array(values, dtype=np.int64)
        else:
            shift = (moved or {}).get(name, 0.0)
            inputs[name] = (np.array(values, dtype=np.float64) + shift).astype(np.float32)
    return Datum(np.array(plain["modelInput"], dtype=np.int32), inputs)
