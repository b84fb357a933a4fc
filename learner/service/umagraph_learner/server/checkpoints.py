"""Saved weights on disk: ``tinker://<run>/<kind>/<name>`` is ``<root>/<run>/<kind>/<name>/``.

``<kind>`` is ``weights`` (with optimiser state) or ``sampler_weights``. Run and name are checked letter by letter
before they touch a path, so nothing outside the root can be named. A checkpoint exists when its folder does: the
engine makes the folder whole and only then gives it its name. What is told about it (time, expiry, model) lies beside
it in ``<name>.json`` and may be missing after a crash.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from umagraph_learner.contract import UserError
from umagraph_learner.server.folder_lock import FolderLock

log = logging.getLogger("umagraph_learner")

KINDS = {"weights": "training", "sampler_weights": "sampler"}
#: Unnamed publishes; never listed.
UNNAMED = "unnamed"
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class Absent(UserError):
    """A well-formed path to nothing."""


@dataclass(frozen=True)
class CheckpointPath:
    run: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"tinker://{self.run}/{self.kind}/{self.name}"


def parse_path(path: object) -> CheckpointPath:
    """Raises ``UserError`` for whatever is not ``tinker://<run>/weights|sampler_weights/<name>``."""
    expected = "expected tinker://<run>/weights/<name> or tinker://<run>/sampler_weights/<name>"
    if not isinstance(path, str) or not path.startswith("tinker://"):
        raise UserError(f"{path!r:.200} is no checkpoint path: {expected}")
    parts = path.removeprefix("tinker://").split("/")
    if len(parts) != 3 or parts[1] not in KINDS:
        raise UserError(f"{path!r:.200} is no checkpoint path: {expected}")
    return CheckpointPath(checked_run(parts[0]), parts[1], checked_name(parts[2]))


def checked_run(run: str) -> str:
    if not _RUN.fullmatch(run) or ".." in run:
        raise UserError(f"{run!r:.200} is no training run id: letters, digits, '.', '_', ':' and '-' only")
    return run


def checked_name(name: object) -> str:
    """A checkpoint name as clients choose it. Raises ``UserError``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or ".." in name:
        raise UserError(
            f"{name!r:.200} is no checkpoint name: 1 to 200 letters, digits, '.', '_' and '-', "
            "beginning with a letter or digit, without '..'"
        )
    return name


class Checkpoints:
    """The checkpoint folder, of which no other service may make one meanwhile. Methods may be called from any thread."""

    def __init__(self, root: Path, wait_s: float = 10.0) -> None:
        """Waits up to ``wait_s`` seconds for an ending service to let go. Raises ``FolderInUse``, ``OSError``."""
        root.mkdir(parents=True, exist_ok=True)
        self.root = root.resolve()
        probe = self.root / f".writable-{uuid.uuid4().hex}"
        probe.touch()
        probe.unlink()
        self._lock = FolderLock(self.root, wait_s)
        self._clear_remains()

    def close(self) -> None:
        """Lets another service have the folder. Nothing of this one may still be writing; the end of a process does this."""
        self._lock.release()

    def _clear_remains(self) -> None:
        """Unnamed publishes and half-done replacements of an earlier life of the server."""
        for run in self._run_folders():
            shutil.rmtree(run / UNNAMED, ignore_errors=True)
            for kind in KINDS:
                for old in (run / kind).glob(".*.old"):
                    final = old.with_name(old.name[1:-4])
                    if not final.exists():
                        old.rename(final)
                for left in (run / kind).glob(".*"):
                    if left.is_dir():
                        shutil.rmtree(left, ignore_errors=True)
                    else:
                        left.unlink()

    def _run_folders(self) -> list[Path]:
        return sorted(
            f for f in self.root.iterdir() if f.is_dir() and not f.is_symlink() and not f.name.startswith(".")
        )

    def folder(self, path: CheckpointPath) -> Path:
        """Where it lies, or would lie. Raises ``UserError`` if a link on the way leads elsewhere."""
        # Colons are not allowed in file names everywhere; "~" is in no run id.
        folder = self.root / path.run.replace(":", "~") / path.kind / path.name
        if not folder.resolve().is_relative_to(self.root):
            raise UserError(f"{path} leads out of the checkpoint folder")
        return folder

    def existing(self, path: CheckpointPath) -> Path:
        folder = self.folder(path)
        if not folder.is_dir() or self._is_expired(folder):
            raise Absent(f"{path} does not exist on this server (or its time is up)")
        return folder

    def unnamed_folder(self, run: str) -> Path:
        folder = self.root / run.replace(":", "~") / UNNAMED / uuid.uuid4().hex
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def save(
        self, path: CheckpointPath, write: Callable[[Path], None], about: Mapping[str, Any], *, overwrite: bool
    ) -> Path:
        """``write`` fills a folder beside the final one; a crash at any moment leaves the old one or the new one."""
        folder = self.folder(path)
        if folder.exists() and not self._is_expired(folder) and not overwrite:
            raise UserError(f"{path} exists already: choose another name, or send overwrite: true")
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = folder.with_name(f".{folder.name}.new-{uuid.uuid4().hex[:8]}")
        old = folder.with_name(f".{folder.name}.old")
        try:
            write(fresh)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
        fresh.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
        _sync_folder(folder.parent)
        try:
            _write_json(folder.with_name(f"{folder.name}.json"), {**about, "time": time.time()})
        except OSError as error:
            log.warning("%s is saved, but what is told about it could not be written: %s", path, error)
        return folder

    def about(self, folder: Path) -> dict[str, Any]:
        try:
            value = json.loads(folder.with_name(f"{folder.name}.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def _is_expired(self, folder: Path) -> bool:
        expires = self.about(folder).get("expires")
        return isinstance(expires, int | float) and time.time() >= expires

    def set_expiry(self, path: CheckpointPath, ttl_seconds: float | None) -> None:
        folder = self.existing(path)
        about = self.about(folder)
        about.setdefault("time", folder.stat().st_mtime)
        about["expires"] = None if ttl_seconds is None else time.time() + ttl_seconds
        _write_json(folder.with_name(f"{folder.name}.json"), about)

    def delete(self, path: CheckpointPath) -> None:
        self._remove(self.existing(path))

    def _remove(self, folder: Path) -> None:
        # Renamed first: a folder that is half gone must not look like a checkpoint.
        gone = folder.with_name(f".{folder.name}.new-gone-{uuid.uuid4().hex[:8]}")
        folder.rename(gone)
        folder.with_name(f"{folder.name}.json").unlink(missing_ok=True)
        shutil.rmtree(gone, ignore_errors=True)

    def remove_expired(self) -> None:
        for path in list(self._all()):
            folder = self.folder(path)
            if self._is_expired(folder):
                self._remove(folder)

    def drop_unnamed(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def _all(self) -> Iterator[CheckpointPath]:
        for run in self._run_folders():
            for kind in KINDS:
                if (run / kind).is_dir():
                    for folder in sorted((run / kind).iterdir()):
                        if folder.is_dir() and not folder.is_symlink() and _NAME.fullmatch(folder.name):
                            yield CheckpointPath(run.name.replace("~", ":"), kind, folder.name)

    def listing(self, run: str | None = None) -> list[dict[str, Any]]:
        """One row per checkpoint, newest first, as the management routes answer it."""
        rows = []
        for path in self._all():
            folder = self.folder(path)
            if (run is None or path.run == run) and not self._is_expired(folder):
                rows.append(self._row(path, folder))
        return sorted(rows, key=lambda row: row["time"], reverse=True)

    def _row(self, path: CheckpointPath, folder: Path) -> dict[str, Any]:
        about = self.about(folder)
        saved = about.get("time") if isinstance(about.get("time"), int | float) else folder.stat().st_mtime
        expires = about.get("expires")
        return {
            "checkpoint_id": f"{path.kind}/{path.name}",
            "checkpoint_type": KINDS[path.kind],
            "time": _iso(saved),
            "tinker_path": str(path),
            "size_bytes": sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()),
            "public": False,
            "user_metadata": about.get("user_metadata"),
            "expires_at": _iso(expires) if isinstance(expires, int | float) else None,
        }

    def runs(self) -> list[str]:
        """Training runs that have at least one checkpoint."""
        return sorted({path.run for path in self._all()})


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    fresh = path.with_name(f".{path.name}.tmp")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _sync_folder(folder: Path) -> None:
    """Makes the renames in it survive a power cut, where the system can do that."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
