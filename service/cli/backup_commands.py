"""Commands that back up a workspace into one file, and restore it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus.workspace import INDEX
from service.cli.common import cli, home_option, say, settings_from_options
from service.ops.settings import Settings, settings_file

if TYPE_CHECKING:
    from service.ops.backup.archive import Manifest

_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_index_option = click.option("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")


@cli.command("backup")
@home_option
@_index_option
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--with-index", is_flag=True, help="the published index too, so that nothing has to be built after restoring")
def back_up_workspace(index: str | None, file: Path, with_index: bool) -> None:
    """Write the workspace, the settings without secrets and the hashes of the keys into FILE, a ZIP archive.

    The service may run and people may edit meanwhile. An older FILE is replaced once the new one is whole.
    """
    from service.ops.backup.backing_up import BackupContents, back_up
    from service.ops.settings_listing import as_portable_file
    from service.ops.workspace_files import opened_workspace

    settings = settings_from_options(index=index)
    home = opened_workspace(settings.home)
    said, left_out = as_portable_file()
    keys = settings.keys.expanduser() if settings.keys else None
    contents = BackupContents(home, _index_folder(settings, home), with_index, keys, said, left_out, _apart(settings, home))
    manifest = back_up(file, contents, say)
    click.echo(f"{file}: {', '.join(_parts(manifest))}; {file.stat().st_size / 1e6:,.1f} MB")
    if settings.rulebooks is not None and settings.rulebooks.expanduser() != home / "rulebooks":
        say(f"{settings.rulebooks}: rulebooks outside the workspace are not in the backup")
    if left_out:
        say(f"not in it, since they let in somewhere: {', '.join(left_out)}")


@cli.command("restore")
@home_option
@_index_option
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="put what the workspace has aside, into a hidden folder in it, until the next time")
@click.option("--settings", "settings_target", metavar="PATH", type=_NEW_FILE, help="write the settings there")
@click.option("--keys", "keys_target", metavar="PATH", type=_NEW_FILE, help="write the keys there")
@click.option("--yes", is_flag=True, help="restore it without asking")
def restore_backup(index: str | None, file: Path, replace: bool, settings_target: Path | None, keys_target: Path | None, yes: bool) -> None:
    """Check the backup FILE, and put what is in it into the workspace, which may be new; a running service goes on answering.

    An index in it is published if this version of the program can read it.
    """
    from service.ops.backup.archive import KEYS, SETTINGS, open_backup
    from service.ops.backup.restoring import check_target, restore_file, restore_index, restore_workspace
    from service.ops.workspace_files import NoWorkspace

    settings = settings_from_options(index=index)
    if settings.home is None:
        raise NoWorkspace("say where the workspace is to be: --home DIR, which may be new")
    home = settings.home.expanduser()
    with open_backup(file) as backup:
        manifest = backup.manifest
        targets = {name: target for name, target in ((SETTINGS, settings_target), (KEYS, keys_target)) if target}
        for name, target in targets.items():
            check_target(backup, name, target)
        click.echo(f"{file}: made {manifest.made} by version {manifest.program}: {', '.join(_parts(manifest))}")
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError("nothing was restored: there is no terminal to ask at; say --yes")
            click.confirm(f"Restore it into {home}?", abort=True)
        aside = restore_workspace(backup, home, _apart(settings, home), replace)
        click.echo(f"{home}: has what was backed up" + (f"; what was there before is in {aside}" if aside else ""))
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
        click.echo(f"index {published} answers" if published else f"'regula build --home {home}' makes the index")


def _index_folder(settings: Settings, home: Path) -> Path:
    return settings.index.expanduser() if settings.index else home / INDEX


def _apart(settings: Settings, home: Path) -> tuple[Path, ...]:
    """What is no part of the workspace ``home``, even where it lies in it: indexes, the settings file, the keys."""
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
    found += [what for name, what in ((SETTINGS, "settings"), (KEYS, "keys")) if name in manifest.files]
    return found + ([f"index {manifest.index}"] if manifest.index else [])
