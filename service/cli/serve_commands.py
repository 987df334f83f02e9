"""Commands that build an index and serve it: as pages and API, or as tools for assistants."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

import service
from corpus.errors import RegulaError
from corpus.workspace import VARIABLE
from index import memory
from index.memory import gc_disabled
from index.store.protocol import MilvusAddress
from service.cli.common import (
    cli,
    flag,
    index_manager,
    index_manager_from_options,
    location_options,
    say,
    settings_from_options,
    text_option,
    wait_option,
)
from service.ops.settings import SettingError, Settings, locations

if TYPE_CHECKING:
    from service.core.snapshot import Snapshot
    from service.ops.indexes import IndexManager

_SIGN_OF_LIFE = 30.0  # seconds without a heartbeat until 'regula mcp --http' says why and ends
_NICE = 10  # added niceness of a build beside a service


class BuildFailed(RegulaError):
    """A build in another process failed and has reported the reason."""


@cli.command()
@location_options
@wait_option
@flag(
    "fresh",
    "extract and encode all texts anew and train the encoder, even where those of the published "
    "index would do",
)
@flag(
    "if-needed",
    "build nothing where the published index fits, or is one that was gone back to",
)
@flag(
    "encode-later",
    "end before the general encoder has encoded new passages; a service, or the next build, does",
)
def build(wait: float, fresh: bool, if_needed: bool, encode_later: bool) -> None:
    """Read the rulebooks, build the index, publish it in one step."""
    indexes = index_manager_from_options()
    stays = indexes.id_if_it_stays() if if_needed else None
    if stays and not encode_later:
        stays = indexes.encode_left() or stays
    click.echo(stays or indexes.build(wait, fresh, encode_later).id)


@cli.command()
@location_options
@text_option("host", "H", "address to listen at  [default: 127.0.0.1]")
@text_option("port", "P", "port to listen at  [default: 8080]", type=click.IntRange(1, 65535))
@flag("production", "with several processes, limits and a log for machines; see docs/operating.md")
def serve(host: str | None, port: int | None, production: bool) -> None:
    """Serve pages and API; build first where there is no index, and beside the one there is where
    it does not fit the rulebooks.
    """
    from service.ops.feedback.recording import feedback_recorder

    said = os.environ.get(VARIABLE)

    def read() -> Settings:
        # The workspace is noted in the environment for child processes; settings that are read
        # again must see its first value.
        noted = os.environ.get(VARIABLE)
        try:
            _set_variable(said)
            return settings_from_options(host=host, port=port)
        finally:
            _set_variable(noted)

    settings = read()
    feedback_recorder(settings)  # raises for wrong settings before an index is opened or built
    memory.tune_allocator()
    if not production:
        _serve_in_one_process(settings)
    elif settings.store and MilvusAddress.read(settings.store).is_file:
        raise SettingError(
            f"store: one process at a time can open {settings.store}; leave out --production, "
            "or see docs/servers.md"
        )
    else:
        _serve_in_processes(settings, read)


def _set_variable(home: str | None) -> None:
    if home is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = home


def _serve_in_one_process(settings: Settings) -> None:
    with gc_disabled():
        from service.web.app import create_app
        from service.web.server import http_server
    watch = _watcher(settings, say)
    indexes = _ready_indexes(settings, say)
    watch(settings, indexes, True)
    http_server.serve(create_app(indexes, settings), settings)


def _serve_in_processes(settings: Settings, reread: Callable[[], Settings]) -> None:
    # A question's matrix products are small; threads of several processes would wait for each
    # other. numpy reads these when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with gc_disabled():
        from service.web import logs
        from service.web.app import RegulaApp, create_app
        from service.web.server.production import run
    logs.configure(settings)
    report = logging.getLogger("regula").info
    watch = _watcher(settings, report)
    indexes = _ready_indexes(settings, report)
    looks = indexes.looks(answering=False)

    def application(settings: Settings) -> RegulaApp:
        return create_app(indexes, settings, desk=False)

    run(
        settings,
        lambda settings: watch(settings, indexes, False),
        application,
        reread,
        logs.configure,
        lambda: bool(settings.watch) and looks.look(),
    )


def _watcher(
    settings: Settings, report: Callable[[str], None]
) -> Callable[[Settings, IndexManager, bool], None]:
    """Return a function that starts threads which keep the index up to date.

    They load each published index (if the calling process loads indexes) and prepare its pages.
    They build a new one if the present one does not fit, or when rulings change from now on.
    """
    from service.ops.background import ruling_stamp
    from service.ops.preparing import prepare_in_background

    home = settings.home.expanduser() if settings.home is not None else None

    def watch(settings: Settings, indexes: IndexManager, loads: bool) -> None:
        _look_after(settings, indexes, report, loads)
        if settings.prepare:
            prepare_in_background(indexes, stale=not settings.builds)
        if settings.watch and settings.builds and home:
            # Taken here, not after the fork: a process restarted after a publication has an index
            # of other rulings.
            known = ruling_stamp(home)
            indexes.watch_rulings(
                home,
                known,
                lambda: _build_in_subprocess(settings, 0.0, report, "--encode-later", beside=True),
                settings.watch,
            )

    return watch


def _look_after(
    settings: Settings, indexes: IndexManager, report: Callable[[str], None], loads: bool = True
) -> None:
    """Start threads that load each published index (if this process ``loads`` indexes), rebuild an
    index that does not fit, and encode passages that a build left unencoded.
    """

    def build(option: str) -> None:
        _build_in_subprocess(settings, 0.0, report, option, beside=True)

    if settings.watch:
        indexes.watch(settings.watch, loads)
        if settings.builds:
            indexes.build_beside(lambda: build("--encode-later"))
            indexes.encode_beside(lambda: build("--if-needed"), settings.watch)


def _ready_indexes(settings: Settings, report: Callable[[str], None]) -> IndexManager:
    """Return the manager with one index loaded; ``report`` gets lines on its content."""
    indexes = index_manager(settings, report)
    loaded = _open_to_serve(settings, indexes, report)
    for edition in loaded.library.editions:
        report(f"  {edition.id}: {len(loaded.library.entries_of(edition.id))} entries")
    address = f"http://{settings.host}:{settings.port}"
    report(f"Regula serves at {address} (index {loaded.id}); stop with Ctrl-C")
    return indexes


def _open_to_serve(
    settings: Settings, indexes: IndexManager, report: Callable[[str], None]
) -> Snapshot:
    """Load any readable index to start a service with. Raises `NoIndex`."""

    def build(wait: float, *options: str) -> None:
        _build_in_subprocess(settings, wait, report, *options)

    in_file = bool(settings.store) and MilvusAddress.read(settings.store).is_file
    if settings.builds and (not settings.watch or in_file):
        # A build beside it would go unnoticed, or only one process can open the file.
        return indexes.ready(build)
    return indexes.ready_to_serve(
        (lambda wait: build(wait, "--encode-later")) if settings.builds else None
    )


def _build_in_subprocess(
    settings: Settings,
    wait: float,
    report: Callable[[str], None],
    *options: str,
    beside: bool = False,
) -> None:
    """Build in a subprocess, because a serving process would keep the 500 MB of libraries that only
    building needs.

    The subprocess ends with this one, and has a low priority if it builds ``beside`` a serving
    index. ``options`` are options of 'regula build'. ``report`` gets the lines that the build
    prints. Raises `BuildFailed` if it fails.
    """
    here = locations(settings)
    program = (
        f"from corpus.parent_process import end_with; end_with({os.getpid()}); "
        "from service.cli import main; main()"
    )
    if beside:
        program = f"import os; os.nice({_NICE}); {program}"
    command = [sys.executable, "-P", "-c", program, "build", f"--wait={wait}"]
    command += ["--rulebooks", str(here.rulebooks), "--index", str(here.index), *options]
    # -P leaves out the working directory, which anybody may control; the build must still run this
    # code.
    paths = [str(Path(service.__file__).parents[1]), os.environ.get("PYTHONPATH")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as building:
        try:
            for line in building.stderr or ():
                report(line.rstrip())
        except BaseException:
            building.terminate()
            raise
    if building.returncode:
        raise BuildFailed(f"the build ended with status {building.returncode}")


@cli.command()
@location_options
@flag("http", "serve streamable HTTP at /mcp instead of standard input")
@click.option("--host", default="127.0.0.1", show_default=True, help="with --http")
@click.option(
    "--port", default=8081, show_default=True, type=click.IntRange(1, 65535), help="with --http"
)
def mcp(http: bool, host: str, port: int) -> None:
    """Serve assistants that speak the Model Context Protocol; build an index as 'regula serve'
    does.
    """
    from service.mcp import BackgroundIndexLoader, create_server, transport_security
    from service.ops.feedback.recording import feedback_recorder
    from service.web.server.http_server import watch_interpreter

    settings = settings_from_options()
    recorder = feedback_recorder(settings)
    indexes = index_manager(settings)

    def load_index() -> Snapshot:
        loaded = _open_to_serve(settings, indexes, say)
        _look_after(settings, indexes, say)
        return loaded

    loader = BackgroundIndexLoader(indexes, load_index)
    server = create_server(loader.snapshot, settings.answers_kept, recorder)
    if not http:
        server.run("stdio")
        return
    watch_interpreter(_SIGN_OF_LIFE)
    say(f"Regula serves assistants at http://{host}:{port}/mcp; stop with Ctrl-C")
    # Calls are stateless: a restart, or a second process behind the same address, loses no session.
    server.run(
        "streamable-http",
        host=host,
        port=port,
        stateless_http=True,
        transport_security=transport_security(settings, host),
    )
