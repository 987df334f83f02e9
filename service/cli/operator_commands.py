"""Commands of an operator: kept indexes, pulling, settings, keys, backups."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus.errors import RegulaError
from corpus.workspace import INDEX
from service.cli.common import (
    cli,
    confirm,
    flag,
    home_option,
    index_manager_from_options,
    json_option,
    location_options,
    named_with_command,
    say,
    settings_from_options,
    text_option,
    wait_option,
)
from service.ops.settings import SettingError, Settings, locations, settings_file

if TYPE_CHECKING:
    from service.ops.backup.archive import Manifest
    from service.ops.keys import KeyRing


@cli.command()
@location_options
@flag(
    "verify", "load each and compare every file with its hash; exit status 1 where one is damaged"
)
@json_option("print a JSON list")
def indexes(verify: bool, as_json: bool) -> int:
    """List the kept indexes, newest first, and which of them is published."""
    from service.ops.indexes import as_table, inventory

    here = index_manager_from_options()
    found = inventory(here.snapshots, here.open if verify else None)
    if as_json:
        click.echo(json.dumps([row.model_dump() for row in found], indent=1))
    else:
        click.echo(as_table(found))
    return 1 if any(row.fault for row in found) else 0


@cli.command()
@location_options
@wait_option
@click.argument("id", required=False)
def rollback(wait: float, id: str | None) -> None:
    """Publish the index ID, or the one before the published one, until the next 'regula build'."""
    click.echo(index_manager_from_options().rollback(id, wait))


@cli.group("index")
def index_group() -> None:
    """Take an index that another machine has built."""


@index_group.command("pull")
@location_options
@wait_option
@text_option(
    "every",
    "SECONDS",
    "go on pulling whatever is published there, so often",
    type=click.FloatRange(min=1),
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
        if line != said[0]:  # the same line every minute would hide the others
            say(line)
        said[0] = line

    folder = settings.index.expanduser() if settings.index else locations(settings).index
    snapshots = Snapshots(folder, settings.keep, say)
    token = settings.store_token.get_secret_value()
    if every is None:
        pulled = pull(snapshots, index_source(source), token, wait, report)
        click.echo(pulled or snapshots.current())
        return
    # Without a handler this signal does not end the first process of a container.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        try:
            if pulled := pull(snapshots, index_source(source), token, wait, report):
                click.echo(pulled)
        except (RegulaError, OSError) as fault:
            report(str(fault))
        time.sleep(every)


@cli.command("settings")
@home_option
@json_option("print a JSON list")
@flag("toml", "print a settings file with every setting as it is by default", "as_toml")
def list_settings(as_json: bool, as_toml: bool) -> None:
    """List every setting: its value, where it was said, what it means."""
    from service.ops.settings_listing import as_lines, as_list, as_template

    said = named_with_command()
    if as_toml:
        click.echo(as_template())
    elif as_json:
        click.echo(json.dumps(as_list(said), indent=1))
    else:
        click.echo(as_lines(said))


@cli.group()
def keys() -> None:
    """Make, list and revoke API keys; running services notice."""


@keys.command("new")
@home_option
@click.argument("name")
@text_option("limit", "L", "its own rate limit, for example 600/minute", default="")
@flag("admin", "may manage indexes and see metrics")
@flag("editor", "may review and change what the workspace says, on the pages")
def new_key(name: str, limit: str, admin: bool, editor: bool) -> None:
    """Make a key called NAME and print it: the only time it is told. It holds where the exit status
    is 0.
    """
    _key_ring().make(name, limit, admin, editor, _tell)


class NotTold(RegulaError):
    """A new key, which is shown only once, could not be printed."""


def _tell(token: str) -> None:
    """Print a new key. Raises `NotTold` if that fails, so that no key is made."""
    try:
        if sys.stdout is None:  # closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        click.echo(token)
        sys.stdout.flush()
    except OSError as fault:
        if sys.stdout is not None:
            # Otherwise Python would try to print it again when the process ends.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise NotTold(f"the key could not be printed ({fault.strerror}); none was made") from fault


@keys.command("list")
@home_option
def list_keys() -> None:
    """List the keys by name; the keys themselves are not known any more."""
    for key in _key_ring().all():
        rights = " ".join(["admin"] * key.admin + ["editor"] * key.editor)
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


_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_index_option = text_option("index", "DIR", "folder of the index (REGULA_INDEX)")


@cli.command("backup")
@home_option
@_index_option
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@flag("with-index", "the published index too, so that nothing has to be built after restoring")
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
    contents = BackupContents(
        home,
        _index_folder(settings, home),
        with_index,
        settings.keys.expanduser() if settings.keys else None,
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
@flag(
    "replace", "put what the workspace has aside, into a hidden folder in it, until the next time"
)
@click.option(
    "--settings", "settings_target", metavar="PATH", type=_NEW_FILE, help="write the settings there"
)
@click.option("--keys", "keys_target", metavar="PATH", type=_NEW_FILE, help="write the keys there")
@flag("yes", "restore it without asking")
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
        named = {SETTINGS: settings_target, KEYS: keys_target}
        targets = {name: target for name, target in named.items() if target}
        for name, target in targets.items():
            check_target(backup, name, target)
        parts = ", ".join(_parts(manifest))
        click.echo(f"{file}: made {manifest.made} by version {manifest.program}: {parts}")
        undone = "nothing was restored: there is no terminal to ask at"
        confirm(yes, f"Restore it into {home}?", undone)
        aside = restore_workspace(backup, home, _apart(settings, home), replace)
        before = f"; what was there before is in {aside}" if aside else ""
        click.echo(f"{home}: has what was backed up{before}")
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
        if published:
            click.echo(f"index {published} answers")
        else:
            click.echo(f"'regula build --home {home}' makes the index")


def _index_folder(settings: Settings, home: Path) -> Path:
    return settings.index.expanduser() if settings.index else home / INDEX


def _apart(settings: Settings, home: Path) -> tuple[Path, ...]:
    """Return paths that are not part of the workspace ``home``, even if inside it: indexes, the
    settings file, the keys.
    """
    found = [settings_file(), _index_folder(settings, home)]
    if settings.keys is not None:
        keys = Path(os.path.realpath(settings.keys.expanduser()))
        found += [keys, keys.with_name(f"{keys.name}.lock")]
    return tuple(path for path in found if path)


def _parts(manifest: Manifest) -> list[str]:
    """Return the contents of a backup for readers: "rulebooks 3", "settings", …"""
    from service.ops.backup.archive import KEYS, SETTINGS, WORKSPACE

    counts = Counter(
        name.split("/")[1] if name.count("/") > 1 else "other files"
        for name in manifest.within(WORKSPACE)
    )
    found = [f"{folder} {count}" for folder, count in counts.items()]
    found += ["settings"] * (SETTINGS in manifest.files) + ["keys"] * (KEYS in manifest.files)
    return found + ([f"index {manifest.index}"] if manifest.index else [])
