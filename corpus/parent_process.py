"""Makes a process end with the process that started it, however that one ends."""

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
    """Have this process killed as soon as the process with the id ``parent``, which started it, is
    gone. Use it only for processes that may be killed.

    On Linux the kernel does it, whatever this process is doing. The kernel takes the end of the
    thread that started this process for that of the parent, so that thread has to wait for it.
    Elsewhere a thread checks twice a second.
    """
    watched = (
        sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) == 0
    )
    if os.getppid() != parent:  # it was gone before the kernel was told
        os._exit(1)
    if not watched:
        Thread(target=_look, args=(parent,), name="parent", daemon=True).start()


def _look(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
