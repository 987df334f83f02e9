"""Run the service in several processes: gunicorn starts, watches and replaces them, uvicorn serves
HTTP in each, and all share the index.
"""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any

from gunicorn import glogging
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from uvicorn_worker import UvicornWorker

from corpus.errors import RegulaError
from service.core import metrics
from service.ops.settings import Settings
from service.ops.settings_listing import settings_change
from service.web.server.http_server import LoopWatch, connection_pool, options, sharing_listener
from service.web.server.wsgi_bridge import (
    RequestTable,
    RoutedApplication,
    WsgiBridge,
    log_with_stack,
)

# By default the garbage collector runs many times per answer and finds next to nothing.
_COLLECTED = (20_000, 20, 100)
_TURN = 0.03  # seconds that a thread keeps the interpreter: enough to finish most answers
_SIGN_OF_LIFE = 15  # seconds without a heartbeat after which a process is replaced
_ORPHANED = 3  # seconds after that when it ends by itself, if no parent is left to replace it
_MERCY = 2.0  # seconds after which an orphaned process kills siblings that have not ended
_ENDING = 16  # extra processes that may still be shutting down
_LONGEST_STACK = 64 * 1024  # bytes
_LOG = logging.getLogger(__name__)


class GunicornLogger(glogging.Logger):  # type: ignore[misc]
    """Sends gunicorn's messages to the log of the service, in the same format."""

    def setup(self, cfg: Any) -> None:
        """Pass messages on instead of writing them."""
        super().setup(cfg)
        for handler in list(self.error_log.handlers):
            self.error_log.removeHandler(handler)
        self.error_log.propagate = True


class Worker(UvicornWorker):  # type: ignore[misc]
    """A process that answers requests.

    It ends when its event loop is blocked, and soon after its parent process ends.
    """

    watch: LoopWatch
    siblings: Thread | None = None  # the thread that ends stuck siblings once the parent is gone

    def init_signals(self) -> None:
        """Have signals end this process; uvicorn handles them while it serves, and raises them
        again afterwards.
        """
        super().init_signals()
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(each, self.end)

    def end(self, signum: int, _: object) -> None:
        """End at once, whatever threads do: all requests that could be answered have been."""
        metrics.leave()
        if self.siblings:
            self.siblings.join()
        signal.signal(signum, signal.SIG_DFL)
        signal.raise_signal(signum)

    async def callback_notify(self) -> None:
        """Start the heartbeat. uvicorn calls this by the wall clock, which may be set back."""
        await self.watch.start()

    def give_sign(self) -> None:
        """Send a heartbeat; shut down if the parent is gone."""
        self.notify()
        if os.getppid() != self.ppid and self.siblings is None:
            _LOG.error("the process that started this one is gone; this one ends")
            metrics.leave()
            self.siblings = Thread(target=_end_stuck_siblings, name="siblings", daemon=True)
            self.siblings.start()
            os.kill(os.getpid(), signal.SIGTERM)


def _end_for_timeout() -> None:
    """Shut this process down because one of its threads is stuck; another process takes its
    place.
    """
    metrics.count("regula_worker_restarts", "request timeout")
    os.kill(os.getpid(), signal.SIGTERM)


def _end_stuck_siblings() -> None:
    """Kill siblings that have not noticed that their parent is gone, because they hold the port."""
    time.sleep(_MERCY)
    for slot, pid in metrics.processes().items():
        with suppress(OSError):
            if slot and os.getpgid(pid) == os.getpgid(0):
                os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class _Slot:
    """A process's slot in shared memory, and the file for its stacks if it fails."""

    number: int
    stack: int


class _Slots:
    """The slots of all processes, managed by the parent."""

    def __init__(self, number: int):
        self._free = list(range(number, 0, -1))
        self._taken: dict[int, _Slot] = {}  # by the age of a worker, which is unique

    def take(self, age: int) -> None:
        if hasattr(os, "memfd_create"):  # an unnamed file in memory: needs no room on a disk
            stack = os.memfd_create("regula")
        else:
            with tempfile.TemporaryFile() as file:
                stack = os.dup(file.fileno())
        self._taken[age] = _Slot(self._free.pop() if self._free else 0, stack)

    def of(self, age: int) -> _Slot:
        return self._taken[age]

    def free(self, slot: _Slot, age: int) -> None:
        os.close(slot.stack)
        del self._taken[age]
        if slot.number:
            metrics.keep_counts(slot.number)
            self._free.append(slot.number)


class _Master(Arbiter):  # type: ignore[misc]
    """gunicorn's parent process. It loads each published index and starts new workers that share
    its memory. If workers loaded it, each would hold its own copy.
    """

    def reload(self) -> None:
        # Read the settings again, and replace the workers if any has changed.
        if self.app.reread():
            super().reload()

    def murder_workers(self) -> None:
        # Called about once a second; gunicorn ends stuck workers here.
        super().murder_workers()
        if self.app.renew():
            for _ in range(self.num_workers):
                self.spawn_worker()  # gunicorn's next step shuts the older ones down


class GunicornServer(BaseApplication):  # type: ignore[misc]
    """gunicorn, configured from ``settings``.

    Args:
        watch: called in each process that answers.
        application: makes the application, in the parent.
        reread: reads the settings again, in the parent; raises `RegulaError` if they are
            invalid.
        apply: called in the parent with settings that took effect.
        renew: loads the published index in the parent, and returns whether it changed.
    """

    def __init__(
        self,
        settings: Settings,
        watch: Callable[[Settings], None],
        application: Callable[[Settings], RoutedApplication],
        reread: Callable[[], Settings],
        apply: Callable[[Settings], None],
        renew: Callable[[], bool],
    ):
        self._settings, self._watch, self._application = settings, watch, application
        self._reread, self._apply, self.renew = reread, apply, renew
        self._made: RoutedApplication | None = None
        processes = 2 * settings.workers + _ENDING  # a new index replaces all of them at once
        metrics.share_counters(processes)
        self._requests = RequestTable(1 + processes)
        self._slots = _Slots(processes)
        super().__init__()

    def run(self) -> None:
        """Serve until stopped."""
        _Master(self).run()

    def load(self) -> WsgiBridge:
        """Make the application, before workers are forked so that they share its memory."""
        made = self._made or self._application(self._settings)
        self._made = None
        return WsgiBridge(made, self._settings, _end_for_timeout, made.route_of)

    def reread(self) -> bool:
        """Read the settings again, log the changes, and return whether any takes effect now.

        Invalid settings are logged and ignored.
        """
        try:
            change = settings_change(self._settings, self._reread())
            if change.takes_effect:
                self._made = self._application(change.settings)
        except (RegulaError, OSError) as fault:
            text = "the settings were read again and cannot be used, those before go on holding: %s"
            _LOG.error(text, fault)
            return False
        for line in change.lines or ("nothing that was not so before",):
            _LOG.info("the settings were read again: %s", line)
        if change.takes_effect:
            self._settings, self.callable = change.settings, None
            self._apply(change.settings)
        return change.takes_effect

    def load_config(self) -> None:
        """Set gunicorn's options from the settings of the service."""
        settings = self._settings
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        for name, value in {
            "bind": f"{host}:{settings.port}",
            "worker_class": Worker,
            "workers": settings.workers,
            "preload_app": True,  # the index is read once; workers share its memory
            "timeout": _SIGN_OF_LIFE,
            "graceful_timeout": settings.graceful_timeout,
            "keepalive": settings.keepalive,
            # Heartbeats must not wait for a disk.
            "worker_tmp_dir": "/dev/shm" if os.path.isdir("/dev/shm") else None,
            "proc_name": "regula",
            "accesslog": None,
            "loglevel": settings.log_level,
            "logger_class": "service.web.server.production.GunicornLogger",
            "control_socket_disable": True,
            "pre_fork": lambda server, worker: self._slots.take(worker.age),
            "post_fork": self._after_fork,
            "post_worker_init": self._begun,
            "child_exit": self._ended,
        }.items():
            self.cfg.set(name, value)

    def _after_fork(self, server: Any, worker: Any) -> None:
        slot = self._slots.of(worker.age)
        metrics.count_as(slot.number or None)
        self._requests.use(slot.number or None)
        bridge: WsgiBridge = self.wsgi()
        bridge.requests = self._requests
        connections = connection_pool(self._settings)
        for name, value in options(bridge, self._settings, connections).items():
            setattr(worker.config, name, value)
        worker.sockets = [sharing_listener(each.sock, connections) for each in worker.sockets]
        worker.watch = LoopWatch(_SIGN_OF_LIFE + _ORPHANED, slot.stack, worker.give_sign)
        log = logging.getLogger("uvicorn.error")
        log.propagate = True  # uvicorn-worker turns it off
        log.setLevel(logging.ERROR)  # malformed requests of strangers are not worth a line each

    def _begun(self, worker: Any) -> None:
        # Writes stacks also for SIGABRT, with which gunicorn ends a process without a heartbeat.
        faulthandler.enable(self._slots.of(worker.age).stack)
        sys.setswitchinterval(_TURN)
        gc.freeze()  # keeps the garbage collector from unsharing memory that the parent filled
        gc.set_threshold(*_COLLECTED)
        self._watch(self._settings)  # started here because threads do not survive a fork

    def _ended(self, server: Any, worker: Any) -> None:
        slot = self._slots.of(worker.age)
        try:
            self._report_end(worker, slot)
        except Exception:  # which would end the service
            _LOG.exception("it cannot be said what process %s held", worker.pid)
        self._slots.free(slot, worker.age)

    def _report_end(self, worker: Any, slot: _Slot) -> None:
        """Log the requests that a worker held when it ended, and its stacks, unless it shut down in
        order.
        """
        stack = os.pread(slot.stack, _LONGEST_STACK, 0).decode("utf-8", "replace")
        reason = "no sign of life" if worker.aborted else "crash" if stack else "killed"
        if slot.number and slot.number in metrics.processes():  # otherwise it shut down in order
            metrics.count("regula_worker_restarts", reason)
        for held in self._requests.take_held(slot.number):
            route, seconds = self.wsgi().route_of(held.method, held.path), round(held.seconds, 1)
            state = "was under way" if held.begun else "waited"
            message = (
                f"request {held.id} ({held.method} {route}) {state} for {seconds} s when its "
                f"process {worker.pid} ended ({reason})"
            )
            fields = {
                "request": held.id,
                "method": held.method,
                "route": route,
                "seconds": seconds,
                "worker": worker.pid,
            }
            _LOG.error("%s", message, extra=fields)
        if stack:
            message = f"where the threads of process {worker.pid} were when it ended"
            log_with_stack(_LOG, message, stack, worker=worker.pid)


def run(
    settings: Settings,
    watch: Callable[[Settings], None],
    application: Callable[[Settings], RoutedApplication],
    reread: Callable[[], Settings],
    apply: Callable[[Settings], None],
    renew: Callable[[], bool],
) -> None:
    """Serve until stopped. An index must be loaded. For the arguments see `GunicornServer`."""
    GunicornServer(settings, watch, application, reread, apply, renew).run()
