"""One service per checkpoint folder: each start clears what earlier services left there, a running one's work too.

The kernel holds the lock for the process and lets go when the process ends, however it ends. The file stays: removing
it would let two services lock two files of one name.
"""

from __future__ import annotations

import errno
import logging
import os
import platform
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("umagraph_learner")

LOCK = ".lock"
_POLL_S = 0.1
#: What file systems answer that know no such locks.
_UNKNOWN = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}


class FolderInUse(Exception):
    """Says by which process."""


class FolderLock:
    """Held from the start until ``release`` or the end of the process, not until garbage collection: worker threads
    may still write when nothing else knows of the folder any more.
    """

    def __init__(self, root: Path, wait_s: float) -> None:
        """Waits up to ``wait_s`` seconds for another holder, which may be ending. Raises ``FolderInUse``, ``OSError``."""
        self._handle: int | None = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if self._acquire(root, self._handle, wait_s):
                os.ftruncate(self._handle, 0)
                os.pwrite(self._handle, f"{os.getpid()} {platform.node()}\n".encode(), 0)
        except BaseException:
            self.release()
            raise

    def _acquire(self, root: Path, handle: int, wait_s: float) -> bool:
        """False: there are no locks here."""
        end = time.monotonic() + wait_s
        told = False
        while True:
            try:
                if fcntl is None:
                    raise OSError(errno.ENOSYS, "this system has no flock")
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                pass
            except OSError as error:
                if error.errno not in _UNKNOWN:
                    raise
                log.warning(
                    "%s cannot be locked (%s): make sure that no other service uses it", root, error.strerror or error
                )
                return False
            if time.monotonic() >= end:
                raise FolderInUse(
                    f"the checkpoint folder {root} is used by {_holder(handle)}; "
                    "choose another folder with --checkpoints"
                )
            if not told:
                told = True
                log.info("%s is used by %s: waiting up to %g s for its end", root, _holder(handle), wait_s)
            time.sleep(_POLL_S)

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _holder(handle: int) -> str:
    pid, _, host = os.pread(handle, 300, 0).decode("utf-8", "replace").strip().partition(" ")
    if not pid.isdigit():
        return "another process"
    return f"process {pid}" if host in ("", platform.node()) else f"process {pid} on {host}"
