"""The service as its users run it: a process of its own. Needs nothing but the standard library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVICE = Path(__file__).parents[2]


@dataclass
class ServiceProcess:
    process: subprocess.Popen[bytes]
    url: str
    log: Path
    #: By variant, for the script that starts several servers.
    urls: dict[str, str]

    def memory_bytes(self) -> int:
        """Resident memory, from the kernel."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, sign: int = signal.SIGTERM, seconds: float = 30) -> int:
        self.process.send_signal(sign)
        return self.process.wait(seconds)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SERVICE), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


def command(model: Path, *more: str, script: Sequence[str] = ("-m", "umagraph_learner")) -> list[str]:
    return [sys.executable, *script, "--model", str(model), "--name", "tiny/qwen3", "--device", "cpu", *more]


def run_to_end(model: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """For starts that are meant to fail."""
    return subprocess.run(
        command(model, *more), env=environment(), capture_output=True, text=True, timeout=120, check=False
    )


@contextmanager
def started(
    model: Path, *more: str, script: Sequence[str] = ("-m", "umagraph_learner"), checkpoints: Path | None = None
) -> Iterator[ServiceProcess]:
    with tempfile.TemporaryDirectory() as folder:
        ready, log = Path(folder) / "ready.json", Path(folder) / "log"
        where = [
            "--port",
            "0",
            "--ready-file",
            str(ready),
            "--checkpoints",
            str(checkpoints or Path(folder) / "checkpoints"),
        ]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command(model, *where, *more, script=script), env=environment(), stdout=output, stderr=output
            )
        try:
            end = time.monotonic() + 90
            while not ready.exists():
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the service did not start: {log.read_text()[-2000:]}")
                time.sleep(0.05)
            about = json.loads(ready.read_text())
            assert about["pid"] == process.pid
            yield ServiceProcess(process, about["url"], log, about.get("urls", {}))
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)
