"""Commands of an operator: build, publish, pull, serve, settings, keys, backups."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

import service
from corpus.errors import RegulaError
from corpus.workspace import INDEX, VARIABLE
from index import memory
from index.memory import gc_disabled
from index.store.protocol import MilvusAddress
from service.cli.common import (
    cli,
    home_option,
    index_manager,
    index_manager_from_options,
    location_options,
    named_with_command,
    say,
    settings_from_options,
    wait_option,
)
from service.ops.settings import SettingError, Settings, locations, settings_file

if TYPE_CHECKING:
    from service.core.snapshot import Snapshot
    from service.ops.backup.archive import Manifest
    from service.ops.indexes import IndexManager
    from service.ops.keys import KeyRing


_SIGN_OF_LIFE = (
    30.0  # seconds without one after which 'regula mcp --http' says where it is stuck, and ends
)
_NICE = 10  # how much the priority of a build is below that of the service that it is beside


@cli.command()
@location_options
@wait_option
@click.option(
    "--fresh",
    is_flag=True,
    help="extract and encode all texts anew and train the encoder, even where those of the published index would do",
)
@click.option(
    "--if-needed",
    is_flag=True,
    help="build nothing where the published index fits, or is one that was gone back to",
)
def build(wait: float, fresh: bool, if_needed: bool) -> None:
    """Read the rulebooks, build the index, publish it in one step."""
    indexes = index_manager_from_options()
    stays = indexes.id_if_it_stays() if if_needed else None
    click.echo(stays or indexes.build(wait, fresh).id)


@cli.command()
@location_options
@click.option(
    "--verify",
    is_flag=True,
    help="load each and compare every file with its hash; exit status 1 where one is damaged",
)
@click.option("--json", "as_json", is_flag=True, help="print a JSON list")
def indexes(verify: bool, as_json: bool) -> int:
    """List the kept indexes, newest first, and which of them is published."""
    from service.ops.indexes import (
        as_table,
        inventory,
    )

    here = index_manager_from_options()
    found = inventory(here.snapshots, here.open if verify else None)
    click.echo(
        json.dumps([row.model_dump() for row in found], indent=1) if as_json else as_table(found)
    )
    return 1 if any(row.fault for row in found) else 0


@cli.command()
@location_options
@wait_option
@click.argument("id", required=False)
def rollback(wait: float, id: str | None) -> None:
    """Publish the index ID, or the one before the published one, until the next 'regula build'."""
    click.echo(index_manager_from_options().rollback(id, wait))


@cli.command()
@location_options
@click.option("--host", metavar="H", help="address to listen at  [default: 127.0.0.1]")
@click.option(
    "--port", metavar="P", type=click.IntRange(1, 65535), help="port to listen at  [default: 8080]"
)
@click.option(
    "--production",
    is_flag=True,
    help="with several processes, limits and a log for machines; see docs/operating.md",
)
def serve(host: str | None, port: int | None, production: bool) -> None:
    """Serve pages and API; build first where there is no index, and beside the one there is where
    it does not fit the rulebooks.
    """
    from service.ops.feedback.recording import feedback_recorder

    said = {VARIABLE: os.environ.get(VARIABLE)}

    def read() -> Settings:
        with _variables(
            said
        ):  # the workspace in use is noted there, for processes that are started
            return settings_from_options(host=host, port=port)

    settings = read()
    feedback_recorder(settings)  # raises what is wrong before an index is opened, or even built
    memory.tune_allocator()
    if production:
        if settings.store and MilvusAddress.read(settings.store).is_file:
            raise SettingError(
                f"store: one process at a time can open {settings.store}; leave out --production, or see docs/servers.md"
            )
        _serve_in_processes(settings, read)
    else:
        _serve_in_one_process(settings)


@contextmanager
def _variables(said: Mapping[str, str | None]) -> Iterator[None]:
    """Have variables of the environment as ``said`` inside, None for those that are not set."""
    before = {name: os.environ.get(name) for name in said}

    def set_variables(values: Mapping[str, str | None]) -> None:
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    set_variables(said)
    try:
        yield
    finally:
        set_variables(before)


def _serve_in_one_process(settings: Settings) -> None:
    with gc_disabled():
        from service.web.app import create_app
        from service.web.server import http_server
    watch = _watcher(settings, say)
    indexes = _ready_indexes(settings, say)
    watch(settings, indexes, True)
    http_server.serve(create_app(indexes, settings), settings)


def _serve_in_processes(settings: Settings, reread: Callable[[], Settings]) -> None:
    # Matrix products of a question are small; threads of several processes would wait for each
    # other. Read when numpy is imported.
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
    """Return what begins, in threads of a process, to look after the index by the settings that are
    given then.

    Each index that is published is loaded (by this process, if it is to) and prepared, and one is
    built where the present one does not fit, or where rulings change from now on.
    """
    from service.ops.background import ruling_stamp
    from service.ops.preparing import prepare_in_background

    home = settings.home.expanduser() if settings.home is not None else None

    def watch(settings: Settings, indexes: IndexManager, loads: bool) -> None:
        _look_after(settings, indexes, report, loads)
        if settings.prepare:
            prepare_in_background(indexes, stale=not settings.builds)
        if settings.watch and settings.builds and home:
            # Taken here, not before the fork: a process that starts anew after a publication has an
            # index of other rulings.
            known = ruling_stamp(home)
            indexes.watch_rulings(
                home,
                known,
                lambda: _build_in_subprocess(settings, 0.0, report, beside=True),
                settings.watch,
            )

    return watch


def _look_after(
    settings: Settings, indexes: IndexManager, report: Callable[[str], None], loads: bool = True
) -> None:
    """Begin to load each index that is published, where this process ``loads`` it, and to have one
    built where it does not fit.
    """
    if settings.watch:
        indexes.watch(settings.watch, loads)
        if settings.builds:
            indexes.build_beside(lambda: _build_in_subprocess(settings, 0.0, report, beside=True))


def _ready_indexes(settings: Settings, report: Callable[[str], None]) -> IndexManager:
    """Return the indexes with one loaded, and ``report`` line by line what is in it."""
    indexes = index_manager(settings, report)
    loaded = _open_to_serve(settings, indexes, report)
    for edition in loaded.library.editions:
        report(f"  {edition.id}: {len(loaded.library.entries_of(edition.id))} entries")
    report(
        f"Regula serves at http://{settings.host}:{settings.port} (index {loaded.id}); stop with Ctrl-C"
    )
    return indexes


def _open_to_serve(
    settings: Settings, indexes: IndexManager, report: Callable[[str], None]
) -> Snapshot:
    """Load the index that a service begins with: any that can be read. Raises `NoIndex`."""

    def build(wait: float) -> None:
        _build_in_subprocess(settings, wait, report)

    if settings.builds and (
        not settings.watch or (settings.store and MilvusAddress.read(settings.store).is_file)
    ):
        return indexes.ready(
            build
        )  # nobody would look for what is built beside, or one process alone can open the file
    return indexes.ready_to_serve(build if settings.builds else None)


class BuildFailed(RegulaError):
    """A build in another process failed, and has reported why."""


def _build_in_subprocess(
    settings: Settings, wait: float, report: Callable[[str], None], beside: bool = False
) -> None:
    """Build in a process of its own: one that is to serve would keep the 500 MB of libraries that
    only building needs.

    It ends with this one, and where it builds ``beside`` an index that serves, at a low priority.
    ``report`` gets the lines that the build prints. Raises `BuildFailed` where nothing was built.
    """
    here = locations(settings)
    program = f"from corpus.parent_process import end_with; end_with({os.getpid()}); from service.cli import main; main()"
    if beside:
        program = f"import os; os.nice({_NICE}); {program}"
    command = [sys.executable, "-P", "-c", program, "build", f"--wait={wait}"]
    command += ["--rulebooks", str(here.rulebooks), "--index", str(here.index)]
    # -P leaves out the current folder, which may be anybody's; the build has to run this code all
    # the same.
    paths = os.pathsep.join(
        filter(None, [str(Path(service.__file__).parents[1]), os.environ.get("PYTHONPATH")])
    )
    environment = os.environ | {"PYTHONPATH": paths}
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


@cli.command("settings")
@home_option
@click.option("--json", "as_json", is_flag=True, help="print a JSON list")
@click.option(
    "--toml",
    "as_toml",
    is_flag=True,
    help="print a settings file with every setting as it is by default",
)
def list_settings(as_json: bool, as_toml: bool) -> None:
    """List every setting: its value, where it was said, what it means."""
    from service.ops.settings_listing import as_lines, as_list, as_template

    said = named_with_command()
    click.echo(
        as_template()
        if as_toml
        else json.dumps(as_list(said), indent=1)
        if as_json
        else as_lines(said)
    )


@cli.group()
def keys() -> None:
    """API keys: make, list and revoke them; running services notice."""


@keys.command("new")
@home_option
@click.argument("name")
@click.option("--limit", default="", metavar="L", help="its own rate limit, for example 600/minute")
@click.option("--admin", is_flag=True, help="may manage indexes and see metrics")
@click.option(
    "--editor", is_flag=True, help="may review and change what the workspace says, on the pages"
)
def new_key(name: str, limit: str, admin: bool, editor: bool) -> None:
    """Make a key called NAME and print it: the only time it is told. It holds where the exit status
    is 0.
    """
    _key_ring().make(name, limit, admin, editor, _tell)


class NotTold(RegulaError):
    """What is told only once could not be printed."""


def _tell(token: str) -> None:
    """Print a new key. Raises `NotTold` where nobody can read it, so that none is made."""
    try:
        if sys.stdout is None:  # closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        click.echo(token)
        sys.stdout.flush()
    except OSError as fault:
        if sys.stdout is not None:
            with suppress(
                OSError, ValueError
            ):  # else the end of the process would try to print it once more
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise NotTold(f"the key could not be printed ({fault.strerror}); none was made") from fault


@keys.command("list")
@home_option
def list_keys() -> None:
    """List the keys by name; the keys themselves are not known any more."""
    for key in _key_ring().all():
        rights = " ".join(
            right for right, has in (("admin", key.admin), ("editor", key.editor)) if has
        )
        click.echo(f"{key.name:24} made {key.made}  {rights:6} {key.limit}".rstrip())


keys.add_command(new_key, "add")


@keys.command()
@home_option
@click.argument("name")
def revoke(name: str) -> None:
    """Take the key called NAME away."""
    _key_ring().revoke(name)


def _key_ring() -> KeyRing:
    from service.ops.keys import KeyRing

    file = settings_from_options().keys
    if file is None:
        raise SettingError(
            "no file for keys is set; name one with REGULA_KEYS or as 'keys' in the settings file"
        )
    return KeyRing(file)


@cli.command()
@location_options
@click.option(
    "--http", is_flag=True, help="serve streamable HTTP at /mcp instead of standard input"
)
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

    server = create_server(
        BackgroundIndexLoader(indexes, load_index).snapshot, settings.answers_kept, recorder
    )
    if http:
        watch_interpreter(_SIGN_OF_LIFE)
        say(f"Regula serves assistants at http://{host}:{port}/mcp; stop with Ctrl-C")
        # Every call is answered by itself: a restart, or a second process behind the same address,
        # loses nobody's session.
        callers = transport_security(settings, host)
        server.run(
            "streamable-http", host=host, port=port, stateless_http=True, transport_security=callers
        )
    else:
        server.run("stdio")


@cli.group("index")
def index_group() -> None:
    """Take an index that another machine has built."""


@index_group.command("pull")
@location_options
@wait_option
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    help="go on pulling whatever is published there, so often",
)
@click.argument("source", metavar="SOURCE")
def pull_index(wait: float, every: float | None, source: str) -> None:
    """Publish here the index that is published at SOURCE, a folder of indexes or the address of one
    (http:// or https://).

    Only files that are not here yet are taken, all are checked, and what is published here serves
    until then, and for good where anything is wrong. Services that run take it up. A user and a
    password belong into ~/.netrc.
    """
    from index.building.snapshots import Snapshots
    from service.ops.pulling import index_source, pull

    settings = settings_from_options()
    said = [""]

    def report(line: str) -> None:
        if line != said[0]:  # every minute the same line would hide the others
            say(line)
        said[0] = line

    snapshots = Snapshots(_folder(settings), settings.keep, say)
    token = settings.store_token.get_secret_value()
    if every is None:
        pulled = pull(snapshots, index_source(source), token, wait, report)
        click.echo(pulled or snapshots.current())
        return
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(0)
    )  # the first process of a container is not ended by it otherwise
    while True:
        try:
            if pulled := pull(snapshots, index_source(source), token, wait, report):
                click.echo(pulled)
        except (RegulaError, OSError) as fault:
            report(str(fault))
        time.sleep(every)


def _folder(settings: Settings) -> Path:
    return settings.index.expanduser() if settings.index else locations(settings).index


_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_index_option = click.option("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")


@cli.command("backup")
@home_option
@_index_option
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--with-index",
    is_flag=True,
    help="the published index too, so that nothing has to be built after restoring",
)
def back_up_workspace(index: str | None, file: Path, with_index: bool) -> None:
    """Write the workspace, the settings without secrets and the hashes of the keys into FILE, a ZIP
    archive.

    The service may run and people may edit meanwhile. An older FILE is replaced once the new one is
    whole.
    """
    from service.ops.backup.backing_up import BackupContents, back_up
    from service.ops.settings_listing import as_portable_file
    from service.ops.workspace import opened_workspace

    settings = settings_from_options(index=index)
    home = opened_workspace(settings.home)
    said, left_out = as_portable_file()
    keys = settings.keys.expanduser() if settings.keys else None
    contents = BackupContents(
        home,
        _index_folder(settings, home),
        with_index,
        keys,
        said,
        left_out,
        _apart(settings, home),
    )
    manifest = back_up(file, contents, say)
    click.echo(f"{file}: {', '.join(_parts(manifest))}; {file.stat().st_size / 1e6:,.1f} MB")
    if settings.rulebooks is not None and settings.rulebooks.expanduser() != home / "rulebooks":
        say(f"{settings.rulebooks}: rulebooks outside the workspace are not in the backup")
    if left_out:
        say(f"not in it, since they let in somewhere: {', '.join(left_out)}")


@cli.command("restore")
@home_option
@_index_option
@click.argument(
    "file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--replace",
    is_flag=True,
    help="put what the workspace has aside, into a hidden folder in it, until the next time",
)
@click.option(
    "--settings", "settings_target", metavar="PATH", type=_NEW_FILE, help="write the settings there"
)
@click.option("--keys", "keys_target", metavar="PATH", type=_NEW_FILE, help="write the keys there")
@click.option("--yes", is_flag=True, help="restore it without asking")
def restore_backup(
    index: str | None,
    file: Path,
    replace: bool,
    settings_target: Path | None,
    keys_target: Path | None,
    yes: bool,
) -> None:
    """Check the backup FILE, and put what is in it into the workspace, which may be new; a running
    service goes on answering.

    An index in it is published if this version of the program can read it.
    """
    from service.ops.backup.archive import KEYS, SETTINGS, open_backup
    from service.ops.backup.restoring import (
        check_target,
        restore_file,
        restore_index,
        restore_workspace,
    )
    from service.ops.workspace import NoWorkspace

    settings = settings_from_options(index=index)
    if settings.home is None:
        raise NoWorkspace("say where the workspace is to be: --home DIR, which may be new")
    home = settings.home.expanduser()
    with open_backup(file) as backup:
        manifest = backup.manifest
        targets = {
            name: target
            for name, target in ((SETTINGS, settings_target), (KEYS, keys_target))
            if target
        }
        for name, target in targets.items():
            check_target(backup, name, target)
        click.echo(
            f"{file}: made {manifest.made} by version {manifest.program}: {', '.join(_parts(manifest))}"
        )
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError(
                    "nothing was restored: there is no terminal to ask at; say --yes"
                )
            click.confirm(f"Restore it into {home}?", abort=True)
        aside = restore_workspace(backup, home, _apart(settings, home), replace)
        click.echo(
            f"{home}: has what was backed up"
            + (f"; what was there before is in {aside}" if aside else "")
        )
        published = restore_index(backup, _index_folder(settings, home), home, say)
        for name, target in targets.items():
            restore_file(backup, name, target)
            click.echo(f"{target}: has the {name.partition('.')[0]} of the backup")
        if SETTINGS in manifest.files and SETTINGS not in targets:
            say("the backup has settings too; --settings PATH writes them")
        if KEYS in manifest.files and KEYS not in targets:
            say("the backup has the hashes of API keys too; --keys PATH writes them")
        if manifest.left_out and SETTINGS in targets:
            say(f"say anew what lets in somewhere: {', '.join(manifest.left_out)}")
        click.echo(
            f"index {published} answers"
            if published
            else f"'regula build --home {home}' makes the index"
        )


def _index_folder(settings: Settings, home: Path) -> Path:
    return settings.index.expanduser() if settings.index else home / INDEX


def _apart(settings: Settings, home: Path) -> tuple[Path, ...]:
    """What is no part of the workspace ``home``, even where it lies in it: indexes, the settings
    file, the keys.
    """
    found = [settings_file(), _index_folder(settings, home)]
    if settings.keys is not None:
        keys = Path(os.path.realpath(settings.keys.expanduser()))
        found += [keys, keys.with_name(f"{keys.name}.lock")]
    return tuple(path for path in found if path)


def _parts(manifest: Manifest) -> list[str]:
    """What is in a backup, for people."""
    from service.ops.backup.archive import KEYS, SETTINGS, WORKSPACE

    counts: dict[str, int] = {}
    for name in manifest.within(WORKSPACE):
        folder = name.split("/")[1] if name.count("/") > 1 else "other files"
        counts[folder] = counts.get(folder, 0) + 1
    found = [f"{folder} {count}" for folder, count in counts.items()]
    found += [
        what for name, what in ((SETTINGS, "settings"), (KEYS, "keys")) if name in manifest.files
    ]
    return found + ([f"index {manifest.index}"] if manifest.index else [])
