"""What all commands have in common: their options, where rulebooks and indexes are, and one line for what goes wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from service.ops.settings import Places, Settings, load
from service.ops.settings import places as find_places

if TYPE_CHECKING:
    from corpus import RulebookFolder
    from corpus.model import Rulebook
    from index.library.library import Library
    from service.ops.indexes import Indexes

Function = TypeVar("Function", bound=Callable[..., Any])


def say(line: str) -> None:
    """One line of progress or warning, on standard error."""
    click.echo(line, err=True)


def places(function: Function) -> Function:
    """The options that every command has: where rulebooks and index are."""
    function = click.option("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")(function)
    return click.option("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")(function)


def told_places(rulebooks: str | None, index: str | None) -> Places:
    """Where rulebooks and index are, said by options or settings."""
    return found_places(load({"rulebooks": rulebooks, "index": index}))


def found_places(settings: Settings) -> Places:
    """Where rulebooks and index are; it is said where the sample is used."""
    found = find_places(settings)
    if found.is_sample:
        say("no rulebooks found: using the sample rulebooks; put your own into corpus/rulebooks or name their folder with --rulebooks")
    return found


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="regula")
def cli() -> None:
    """Find the ruling in German and Italian card game rulebooks: every answer is a quotation."""


def waiting(function: Function) -> Function:
    """The option of commands that only one process at a time may carry out."""
    wait = click.FloatRange(min=0)
    return click.option(
        "--wait", metavar="[SECONDS]", type=wait, is_flag=False, flag_value=math.inf, default=0.0, help="wait for a build that is under way"
    )(function)


def books(rulebooks: str | None, index: str | None, edition: str | None) -> list[Rulebook]:
    """The rulebooks, or the one of ``edition``."""
    read = rulebook_folder(rulebooks, index)
    check_edition(edition, [r.edition.id for r in read.rulebooks])
    return [r for r in read.rulebooks if edition in (None, r.edition.id)]


def check_edition(edition: str | None, known: list[str]) -> None:
    """Raises `click.UsageError` for an ``edition`` that is none of those ``known``."""
    if edition is not None and edition not in known:
        raise click.UsageError(f"no edition {edition!r} here; there are: {', '.join(known)}")


def rulebook_folder(rulebooks: str | None, index: str | None) -> RulebookFolder:
    """The rulebooks as read; what was left out is said."""
    return read_rulebooks(told_places(rulebooks, index))


def read_rulebooks(here: Places) -> RulebookFolder:
    """The rulebooks of a folder as read; what was left out is said."""
    from corpus import read_folder

    folder = read_folder(here.rulebooks)
    for line in (*folder.left_out, *folder.notes):
        say(line)
    return folder


def library(rulebooks: str | None, index: str | None, *editions: str) -> Library:
    """The library of the rulebooks; where ``editions`` of one game are named, of those of that game, which takes less time."""
    from index.library.assembly import tie

    read = rulebook_folder(rulebooks, index).rulebooks
    games = {r.edition.id: r.edition.game for r in read}
    for edition in editions:
        check_edition(edition, list(games))
    wanted = {games[edition] for edition in editions}
    return tie([r for r in read if len(wanted) != 1 or r.edition.game in wanted])


def indexes_of(settings: Settings, told: Callable[[str], None] = say, private: bool = True) -> Indexes:
    """The indexes that ``settings`` speak of; ``told`` is told in one line what an operator should know.

    ``private`` where a process is to answer for long, from a copy that nothing on the disk can alter.
    """
    from service.ops.indexes import Indexes

    return Indexes(found_places(settings), told, settings.keep, private)


def told_indexes(rulebooks: str | None, index: str | None, private: bool = False) -> Indexes:
    """The indexes, said by options or settings; ``private`` as for `indexes_of`."""
    return indexes_of(load({"rulebooks": rulebooks, "index": index}), private=private)
