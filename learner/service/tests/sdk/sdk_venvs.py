"""One small virtual environment per version of the official SDK, made on first use and kept.

Where: ``UMAGRAPH_SDK_VENVS``, else ``.umagraph/sdk-venvs`` at the root of the repository. The SDK and what it needs come
from the package index that pip is set up for; ``transformers``, which it imports only to make tokenizers, is left out.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = ("0.24.1", "0.25.0", "0.38.0")
REPOSITORY = Path(__file__).parents[4]

_NEEDS = """
import importlib.metadata, re
for line in importlib.metadata.requires("tinker") or []:
    if "extra ==" not in line and not re.match(r"transformers\\b", line):
        print(line)
"""


class Unavailable(Exception):
    """The environment could not be made; says why."""


def python_of(version: str) -> Path:
    """The interpreter of the environment with this SDK. Raises ``Unavailable``, such as without a network."""
    folder = Path(os.environ.get("UMAGRAPH_SDK_VENVS") or REPOSITORY / ".umagraph" / "sdk-venvs")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"tinker-{version}"
    python, complete = place / "bin" / "python", place / "complete"
    with (folder / f"{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(place, ignore_errors=True)
            _run([sys.executable, "-m", "venv", str(place)])
            pip = [
                str(python),
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                "--timeout",
                "20",
                "--retries",
                "1",
            ]
            _run([*pip, "--no-deps", f"tinker=={version}"])
            needed = _run([str(python), "-c", _NEEDS]).split("\n")
            _run([*pip, *(line for line in needed if line)])
            complete.touch()
    return python


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{command[1:4]} took longer than 300 s") from None
    if done.returncode:
        raise Unavailable(f"{' '.join(command[1:6])}: {done.stderr.strip()[-300:]}")
    return done.stdout
