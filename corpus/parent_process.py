"""Makes a process end when the process that started it ends, in whatever way."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from threading import Thread

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LOOK_SECONDS = 0.5


def end_with(parent: int) -> None:
    """Have this process killed when its parent, the process with the id ``parent``, ends.

    On Linux the kernel does it, even if this process is busy; it acts when the parent's *thread*
    that started this process ends, so that thread has to stay alive. On other systems a thread
    checks twice a second. Use it only for processes that may be killed.
    """
    watched = (
        sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) == 0
    )
    if os.getppid() != parent:  # the parent ended before prctl was called
        os._exit(1)
    if not watched:
        Thread(target=_look, args=(parent,), name="parent", daemon=True).start()


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
