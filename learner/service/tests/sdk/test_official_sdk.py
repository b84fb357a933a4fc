"""The official SDK drives the real service, unchanged, in three versions: the conformance plan of the protocol.

Points 7 and 8 run when ``UMAGRAPH_SDK_FULL`` is set. ``UMAGRAPH_RECORD_SDK`` writes the golden conversations anew.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from sdk_venvs import REPOSITORY, VERSIONS, Unavailable, python_of
from service_process import environment, started

HERE = Path(__file__).parent
GOLDEN = REPOSITORY / "tests" / "golden" / "learner"
BASE = "tiny/qwen3"
FULL = bool(os.environ.get("UMAGRAPH_SDK_FULL"))
needs_full = pytest.mark.skipif(not FULL, reason="points 7 and 8 run with UMAGRAPH_SDK_FULL=1")
versions = pytest.mark.parametrize("version", VERSIONS)

Report = dict[str, Any]


@dataclass
class Servers:
    usual: str
    variants: dict[str, str]


@pytest.fixture(scope="module")
def servers(tiny_folder: Path) -> Iterator[Servers]:
    with (
        started(tiny_folder) as usual,
        started(tiny_folder, script=(str(HERE / "variants.py"),)) as variants,
    ):
        yield Servers(usual.url, variants.urls)


@pytest.fixture(scope="module")
def run(servers: Servers) -> Callable[[str], Report]:
    """The report of one version, by part; all parts in one process of that version."""

    @cache
    def report(version: str) -> Report:
        parts = {part: servers.usual for part in ("1", "2", "4", "5", "6", "memorise")}
        plan = [(part, part, url) for part, url in parts.items()]
        plan += [(f"3 {name}", "3", servers.variants[name]) for name in ("chunked", "compressed", "one_by_one")]
        plan.append(("3 whole", "3", servers.usual))
        if FULL:
            plan += [("7", "7", servers.variants["faulty"]), ("7 without faults", "7", servers.usual)]
            if version == "0.38.0":
                plan.append(("8", "8", servers.usual))
        answers = drive(version, [f"{part}@{url}" for _, part, url in plan])
        return {name: answers[f"{part}@{url}"] for name, part, url in plan}

    return report


def drive(version: str, parts: list[str]) -> Report:
    try:
        python = python_of(version)
    except Unavailable as error:
        pytest.skip(f"no environment with the official SDK {version}: {error}")
    surroundings = {key: value for key, value in environment().items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), str(HERE / "drive.py"), BASE, *parts],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("REPORT ")]
    assert lines, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    answers = json.loads(lines[-1].removeprefix("REPORT "))
    assert answers["version"] == version
    return answers


@versions
def test_1_a_lora_client_is_made_and_described(run: Callable[[str], Report], version: str) -> None:
    one = run(version)["1"]
    assert one["supported"] == [BASE]
    assert (one["model_name"], one["is_lora"], one["rank"]) == (BASE, True, 8)
    assert ":train:" in one["model_id"]


@versions
def test_2_losses_are_sums_and_scores_move_with_the_step_and_not_before(
    run: Callable[[str], Report], version: str
) -> None:
    two = run(version)["2"]
    assert [len(row) for row in two["before"]] == [11, 4]
    weights = [np.ones(11), np.array([0.0, 0.5, 2.0, -1.0])]
    loss = -sum(float(w @ np.array(row)) for w, row in zip(weights, two["before"], strict=True))
    assert two["loss"] == pytest.approx(loss, rel=1e-5)
    # A ratio of e^0.1 is within the thresholds: the loss is minus the sum of ratios.
    assert two["ppo_loss"] == pytest.approx(-11 * np.exp(0.1), rel=1e-4)
    assert np.allclose(two["trained"][0], two["before"][0], atol=1e-6)
    assert two["still"] == two["before"]
    assert np.abs(np.array(two["after"][0]) - np.array(two["before"][0])).max() > 0.1
    assert two["step_metrics"]["grad_norm"] > 0


@versions
@pytest.mark.parametrize("variant", ["chunked", "compressed", "one_by_one"])
def test_3_datums_in_chunks_equal_datums_at_once(run: Callable[[str], Report], version: str, variant: str) -> None:
    whole, split = run(version)["3 whole"], run(version)[f"3 {variant}"]
    assert [len(row) for row in split["scores"]] == [5, 7, 9]
    assert split["loss"] == pytest.approx(whole["loss"], rel=1e-5)
    assert split["grad_norm"] == pytest.approx(whole["grad_norm"], rel=1e-4)
    for ours, theirs in zip(split["after"], whole["after"], strict=True):
        assert np.allclose(ours, theirs, atol=1e-4)


@versions
def test_4_published_weights_are_sampled_and_scored_like_the_learner_scores(
    run: Callable[[str], Report], version: str
) -> None:
    four = run(version)["4"]
    assert len(four["tokens"]) == 2
    assert four["tokens"][0] != four["tokens"][1]
    assert four["again"] == four["tokens"]
    assert four["many"] == [four["tokens"][0]] * 12
    assert [len(row) for row in four["logprobs"]] == [len(row) for row in four["tokens"]]
    assert set(four["stop_reasons"]) <= {"stop", "length"}
    assert four["computed"][0] is None
    assert np.allclose(four["computed"][1:], four["forward"], atol=1e-4)
    if version == "0.38.0":
        assert len(set(four["sequence_ids"])) == 2


@versions
def test_5_states_and_sampler_weights_come_back_with_and_without_the_optimiser(
    run: Callable[[str], Report], version: str
) -> None:
    five = run(version)["5"]
    for loaded in five["loaded"]:
        assert np.allclose(loaded, five["saved"], atol=1e-6)
    original, with_optimizer, without = (np.array(row) for row in five["stepped"])
    assert np.allclose(with_optimizer, original, atol=1e-5)
    assert np.abs(without - original).max() > 1e-3
    assert np.allclose(five["sampled"][1:], five["saved"], atol=1e-4)
    assert np.abs(np.array(five["of_base"][1:]) - np.array(five["saved"])).max() > 0.1
    assert set(five["listed"]) == {five["state"], five["named"]}
    assert five["information"] == {"base_model": BASE, "lora_rank": 8}
    assert five["state"].split("/")[2] in five["runs"]


@versions
def test_6_user_errors_surface_and_the_next_request_runs_at_once(run: Callable[[str], Report], version: str) -> None:
    six = run(version)["6"]
    for what, words in (("shape", "shape [11]"), ("unknown", "no_such_loss"), ("wrong_token", "10000")):
        assert six[what]["type"] == "RequestFailedError", six[what]
        assert "user" in six[what]["category"].lower()
        assert words in six[what]["text"]
    assert six["losses"][0] == pytest.approx(six["losses"][2], rel=1e-6)
    assert six["seconds"] < 60


@versions
def test_loss_falls_on_a_memorisation_task(run: Callable[[str], Report], version: str) -> None:
    losses = run(version)["memorise"]["losses"]
    assert losses[-1] < 0.05 * losses[0]


@needs_full
@versions
def test_7_lost_answers_and_refused_submits_change_nothing(run: Callable[[str], Report], version: str) -> None:
    faulty, right = run(version)["7"], run(version)["7 without faults"]
    assert faulty["losses"] == pytest.approx(right["losses"], rel=1e-5)
    assert np.allclose(faulty["after"], right["after"], atol=1e-5)
    assert np.allclose(faulty["sampled"][1:], right["after"], atol=1e-4)


@needs_full
def test_8_what_only_the_newest_version_asks_for_is_served_or_refused_clearly(run: Callable[[str], Report]) -> None:
    eight = run("0.38.0")["8"]
    assert "prompt_alt_tokens_k" in eight["alt_tokens"]["text"]
    assert [x is None for x in eight["last_n"]] == [True] * 9 + [False] * 3
    assert eight["close"]["type"] == ""
    if eight["custom"] is not None:
        assert "mine" in " ".join(eight["custom"])


@pytest.mark.skipif(not os.environ.get("UMAGRAPH_RECORD_SDK"), reason="writes golden files, with UMAGRAPH_RECORD_SDK=1")
@versions
def test_a_conversation_is_recorded(servers: Servers, version: str) -> None:
    url = servers.variants["recorded"]
    drive(version, [f"converse@{url}"])
    GOLDEN.mkdir(parents=True, exist_ok=True)
    to = GOLDEN / f"sdk-conversation-{version}.jsonl.gz"
    assert httpx.post(f"{url}/record", params={"to": str(to), "sdk": version}).status_code == 204
    assert to.stat().st_size < 50_000
