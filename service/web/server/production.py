"""The service in several processes: gunicorn starts, watches and replaces them, uvicorn speaks HTTP in each, the index is shared."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from gunicorn import glogging
from gunicorn.app.base import BaseApplication
from uvicorn_worker import UvicornWorker

from service.core import metrics
from service.ops.settings import Settings
from service.web.server.http_server import connection_pool, options, sharing_listener
from service.web.server.wsgi_bridge import Wsgi, WsgiBridge

_COLLECTED = (20_000, 20, 100)  # by default the collector runs many times for one answer, and finds next to nothing
_TURN = 0.03  # seconds that a thread keeps the interpreter: most answers are done in one turn, instead of all waiting for all
_SIGN_OF_LIFE = 15  # seconds without one after which a process is replaced
_ENDING = 16  # processes beyond those wanted that may still be ending
_LOG = logging.getLogger(__name__)


class GunicornLogger(glogging.Logger):  # type: ignore[misc]
    """gunicorn's own messages among those of the service, in the same form."""

    def setup(self, cfg: Any) -> None:
        """Hand messages on instead of writing them."""
        super().setup(cfg)
        for handler in list(self.error_log.handlers):
            self.error_log.removeHandler(handler)
        self.error_log.propagate = True


class GunicornServer(BaseApplication):  # type: ignore[misc]
    """gunicorn with the configuration of `configuration`."""

    def __init__(self, settings: Settings, watch: Callable[[], None], application: Callable[[], Wsgi]):
        self._settings = settings
        self._watch = watch
        self._application = application
        super().__init__()

    def load_config(self) -> None:
        """Take the settings of the service for gunicorn's."""
        for name, value in configuration(self._settings, self._watch, self.wsgi).items():
            self.cfg.set(name, value)

    def load(self) -> WsgiBridge:
        """Make the application, before workers are forked so that they share its memory."""
        return WsgiBridge(self._application(), self._settings, _end)


def _end() -> None:
    """End this process in order: it answers what it can, and another one takes its place."""
    os.kill(os.getpid(), signal.SIGTERM)


class _WorkerSlots:
    """Which processes count where; for the parent."""

    def __init__(self, number: int):
        self._free = list(range(number, 0, -1))
        self._taken: dict[int, int] = {}  # by the age of a worker, which no other one has

    def take(self, age: int) -> None:
        if self._free:
            self._taken[age] = self._free.pop()

    def of(self, age: int) -> int | None:
        return self._taken.get(age)

    def free(self, age: int) -> None:
        slot = self._taken.pop(age, None)
        if slot is not None:
            metrics.keep_counts(slot)
            self._free.append(slot)


def configuration(settings: Settings, watch: Callable[[], None], bridge: Callable[[], WsgiBridge]) -> dict[str, Any]:
    """Return the configuration of gunicorn; ``bridge`` gives the application once it is loaded, ``watch`` is called in each worker."""
    processes = settings.workers + _ENDING
    metrics.share_counters(processes)
    slots = _WorkerSlots(processes)

    def before_fork(server: Any, worker: Any) -> None:
        slots.take(worker.age)

    def after_fork(server: Any, worker: Any) -> None:
        metrics.count_as(slots.of(worker.age))
        connections = connection_pool(settings)
        for name, value in options(bridge(), settings, connections).items():
            setattr(worker.config, name, value)
        worker.sockets = [sharing_listener(listener.sock, connections) for listener in worker.sockets]
        logging.getLogger("uvicorn.error").propagate = True  # uvicorn-worker turns it off
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # what strangers send is not worth a line each

    def begun(worker: Any) -> None:
        sys.setswitchinterval(_TURN)
        gc.freeze()  # what was made before the fork stays, and shared as long as the collector does not touch it
        gc.set_threshold(*_COLLECTED)
        watch()  # threads do not live on in forked processes: each worker has its own

    def ended(server: Any, worker: Any) -> None:
        slots.free(worker.age)

    return {
        "bind": f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}",
        "worker_class": UvicornWorker,
        "workers": settings.workers,
        "preload_app": True,  # the index is read once; workers share its memory until they write to it
        "timeout": _SIGN_OF_LIFE,
        "graceful_timeout": settings.graceful_timeout,
        "keepalive": settings.keepalive,
        "worker_tmp_dir": "/dev/shm" if os.path.isdir("/dev/shm") else None,  # signs of life must not wait for a disk
        "proc_name": "regula",
        "accesslog": None,
        "loglevel": settings.log_level,
        "logger_class": "service.web.server.production.GunicornLogger",
        "control_socket_disable": True,
        "pre_fork": before_fork,
        "post_fork": after_fork,
        "post_worker_init": begun,
        "child_exit": ended,
    }


def run(settings: Settings, watch: Callable[[], None], application: Callable[[], Wsgi]) -> None:
    """Serve what ``application`` makes until told to stop; an index has to be loaded. ``watch`` is called in each worker."""
    GunicornServer(settings, watch, application).run()
