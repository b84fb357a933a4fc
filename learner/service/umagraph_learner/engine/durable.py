"""Folders that appear whole or not at all: written beside their place, flushed, renamed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..contract import ServerError, UserError

MANIFEST = "umagraph.json"


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """Gives an empty folder to write to; on success it takes the place of ``folder``, on failure nothing has happened."""
    beside = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.partial")
    try:
        beside.mkdir(parents=True)
        yield beside
        for path in sorted(beside.rglob("*")):
            _flush(path)
        _flush(beside)
        _take_place(beside, folder)
    except OSError as error:
        raise ServerError(f"could not write {folder.name}: {error}; nothing was saved") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _take_place(beside: Path, folder: Path) -> None:
    old: Path | None = None
    if folder.exists():
        old = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.replaced")
        folder.rename(old)
    beside.rename(folder)
    _flush(folder.parent)
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def _restore(folder: Path) -> None:
    """Puts back what a process that was killed while replacing it had moved aside."""
    if not folder.exists():
        aside = sorted(folder.parent.glob(f".{folder.name}.*.replaced"), key=lambda path: path.stat().st_mtime)
        if aside:
            aside[-1].rename(folder)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_manifest(folder: Path, content: dict[str, object]) -> None:
    """Describes a folder of ours: ``content``, and size and SHA-256 of every file that is there by now."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": _digest(path)}
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
    (folder / MANIFEST).write_text(json.dumps({**content, "files": files}, indent=1))


def read_manifest(folder: Path, kind: str, *, verify: bool = True) -> dict[str, object]:
    """The content; with ``verify`` after every file has been compared with it.

    Raises ``UserError`` for anything missing, cut or changed.
    """
    _restore(folder)
    try:
        content = json.loads((folder / MANIFEST).read_text())
        files = content["files"]
        found = content["kind"]
    except FileNotFoundError as error:
        raise UserError(f"expected a saved {kind} at {folder.name}, found no {MANIFEST}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"the saved {kind} at {folder.name} is damaged: its {MANIFEST} cannot be read ({error})"
        ) from error
    if found != kind:
        raise UserError(f"expected a saved {kind} at {folder.name}, found a {found}")
    for name, facts in files.items() if verify else ():
        path = folder / name
        if not path.is_file():
            raise UserError(f"the saved {kind} at {folder.name} is damaged: {name} is missing")
        if path.stat().st_size != facts["bytes"] or _digest(path) != facts["sha256"]:
            raise UserError(f"the saved {kind} at {folder.name} is damaged: {name} is not what was written")
    return content


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
