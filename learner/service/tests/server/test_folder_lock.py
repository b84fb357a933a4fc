"""One checkpoint folder, two processes: the second waits, and then leaves everything as it is."""

from __future__ import annotations

import errno
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from service_process import environment

from umagraph_learner.server import folder_lock
from umagraph_learner.server.checkpoints import Checkpoints
from umagraph_learner.server.folder_lock import FolderInUse

fcntl = pytest.importorskip("fcntl")

#: Holds the folder until its input ends; with an unnamed publish and a save under way.
HOLDER = """
import sys
from pathlib import Path
from umagraph_learner.server.checkpoints import CheckpointPath, Checkpoints

def write(folder):
    folder.mkdir()
    print(folder, flush=True)
    sys.stdin.read()

checkpoints = Checkpoints(Path(sys.argv[1]))
unnamed = checkpoints.unnamed_folder("run")
unnamed.mkdir()
print(unnamed, flush=True)
checkpoints.save(CheckpointPath("run", "weights", "one"), write, {}, overwrite=False)
"""


@contextmanager
def holder(root: Path) -> Iterator[tuple[subprocess.Popen[str], Path, Path]]:
    """The process, its unnamed folder, and that of its save."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            yield process, Path(process.stdout.readline().strip()), Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_a_second_process_is_told_who_uses_the_folder_and_removes_nothing(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, unnamed, saving):
        with pytest.raises(FolderInUse) as told:
            Checkpoints(tmp_path, wait_s=0.3)
        assert str(told.value) == (
            f"the checkpoint folder {tmp_path.resolve()} is used by process {process.pid}; "
            "choose another folder with --checkpoints"
        )
        assert unnamed.is_dir()
        assert saving.is_dir()
        process.communicate()
        assert process.returncode == 0
    assert (tmp_path / "run" / "weights" / "one").is_dir()


def test_a_killed_process_holds_nothing_and_its_remains_are_cleared(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, unnamed, saving):
        process.kill()
        process.wait()
        Checkpoints(tmp_path, wait_s=0).close()
        assert not unnamed.exists()
        assert not saving.exists()


def test_the_work_of_a_process_that_is_ending_is_waited_for(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, unnamed, _):
        assert process.stdin is not None
        ending = threading.Timer(0.4, process.stdin.close)
        ending.start()
        checkpoints = Checkpoints(tmp_path, wait_s=30)
        ending.join()
        assert (tmp_path / "run" / "weights" / "one").is_dir()
        assert not unnamed.exists()
        checkpoints.close()


def test_two_in_one_process_exclude_each_other_too(tmp_path: Path) -> None:
    first = Checkpoints(tmp_path)
    with pytest.raises(FolderInUse):
        Checkpoints(tmp_path, wait_s=0)
    first.close()
    Checkpoints(tmp_path, wait_s=0).close()


def test_a_folder_that_cannot_be_locked_is_used_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder_lock.fcntl, "flock", refuse)
    with caplog.at_level(logging.WARNING, "umagraph_learner"):
        Checkpoints(tmp_path).close()
    assert f"{tmp_path.resolve()} cannot be locked (No locks available)" in caplog.text
    monkeypatch.setattr(folder_lock, "fcntl", None)
    Checkpoints(tmp_path).close()
    assert "no flock" in caplog.text
