"""What all commands have in common: options, where rulebooks and indexes are, progress, and one
line for what goes wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from corpus.workspace import use_workspace
from service.ops.settings import USUAL, Locations, Settings, load
from service.ops.settings import locations as find_places

if TYPE_CHECKING:
    from corpus import RulebookFolder
    from corpus.cards.model import Card
    from corpus.model import Rulebook
    from index.library.library import Library
    from service.ops.indexes import IndexManager


Function = TypeVar("Function", bound=Callable[..., Any])

_SAID = "regula.said."  # where the context of a command keeps its --home, --rulebooks and --index


def say(line: str) -> None:
    """Print one line of progress or warning on standard error."""
    click.echo(line, err=True)


def _folder_option(name: str, help: str) -> Callable[[Function], Function]:
    """Return the decorator of an option that names a folder; `settings_from_options` has its
    value.
    """

    def keep(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        context.meta[_SAID + name] = value or context.meta.get(
            _SAID + name
        )  # before the command or after it

    return click.option(f"--{name}", metavar="DIR", expose_value=False, callback=keep, help=help)


home_option = _folder_option("home", "the workspace (REGULA_HOME); see 'regula init'")


def location_options(function: Function) -> Function:
    """Add the options that every command has: where rulebooks, index and workspace are."""
    function = _folder_option("index", "folder of the index (REGULA_INDEX)")(home_option(function))
    return _folder_option("rulebooks", "folder of the rulebooks (REGULA_RULEBOOKS)")(function)


def settings_from_options(**given: object) -> Settings:
    """Return the settings in force for a command with the options ``given`` and the folders that it
    names.

    The workspace is used from now on.
    """
    settings = load(named_with_command(**given))
    use_workspace(settings.home)
    return settings


def named_with_command(**given: object) -> dict[str, object]:
    """Return the settings that are said on the command line: the options ``given``, and the
    folders.
    """
    said = click.get_current_context().meta
    return {**{name: said.get(_SAID + name) for name in ("home", "rulebooks", "index")}, **given}


def source_options(function: Function) -> Function:
    """Add the options of what translators export: the edition that others were translated from, and
    regions of languages.
    """
    function = click.option(
        "--regions", metavar="R", help="tags with a region in tmx and tbx: de=de-DE,it=it-IT"
    )(function)
    text = "the edition that the others were translated from, or none; the only English one of the game where not given"
    return click.option("--source", metavar="EDITION", help=text)(function)


def locations_from_options() -> Locations:
    """Return where rulebooks and index are, by options or settings."""
    return locations_from_settings(settings_from_options())


def locations_from_settings(settings: Settings, report: Callable[[str], None] = say) -> Locations:
    """Return where rulebooks and index are; ``report`` gets a line where the sample is used, or
    where there are no rulebooks.
    """
    from index.building.snapshots import Snapshots

    found = find_places(settings)
    pointer = Snapshots(found.index).pointer() if found.is_sample else None
    if found.serves_only or (pointer is not None and pointer.pulled):
        report(
            f"no rulebooks are here: what is published in {found.index} answers, which was built elsewhere"
        )
    elif found.is_sample:
        own = USUAL.own_rulebooks
        report(
            f"no rulebooks found: using the sample rulebooks; put your own into {own} or name their folder with --rulebooks"
        )
    return found


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="regula")
@home_option
def cli() -> None:
    """Find the ruling in rulebooks of any game, in any of their languages: every answer is a
    quotation.

    Your own rulebooks: 'regula init DIR' makes a workspace, 'regula add FILE --home DIR' takes a
    rulebook in, 'regula ask "…" --home DIR' answers from it, 'regula serve --home DIR' does so in
    the browser. REGULA_HOME=DIR may stand for --home DIR.
    """


def wait_option(function: Function) -> Function:
    """Add the option of commands that only one process at a time may carry out."""
    wait = click.FloatRange(min=0)
    return click.option(
        "--wait",
        metavar="[SECONDS]",
        type=wait,
        is_flag=False,
        flag_value=math.inf,
        default=0.0,
        help="wait for a build that is under way",
    )(function)


def chosen_rulebooks(edition: str | None) -> list[Rulebook]:
    """Return all rulebooks, or the one of ``edition``. Raises `click.UsageError` where it is not
    there.
    """
    read = rulebook_folder()
    check_edition(edition, [r.edition.id for r in read.rulebooks])
    return [r for r in read.rulebooks if edition in (None, r.edition.id)]


def check_edition(edition: str | None, known: list[str]) -> None:
    """Raise `click.UsageError` for an ``edition`` that is none of those ``known``."""
    if edition is not None and edition not in known:
        raise click.UsageError(f"no edition {edition!r} here; there are: {', '.join(known)}")


def rulebook_folder() -> RulebookFolder:
    """Read the rulebooks that options or settings name; a line says what was left out."""
    return read_rulebooks(locations_from_options())


def read_rulebooks(here: Locations) -> RulebookFolder:
    """Read the rulebooks of a folder; a line says what was left out. Texts that the published index
    has are not extracted again.
    """
    from corpus import read_folder
    from index.building.reuse import KeptTexts
    from index.building.snapshots import Snapshots

    folder = read_folder(here.rulebooks, kept=KeptTexts(Snapshots(here.index)).get)
    for line in (*folder.left_out, *folder.notes):
        say(line)
    return folder


def check_output(output: Path | None, binary: bool) -> None:
    """Raise `click.UsageError` where ``binary`` would go to a terminal."""
    if binary and output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show this format; name a file with --output FILE")


def write_output(written: bytes, output: Path | None) -> None:
    """Write to the file ``output``, else to standard output."""
    if output is None:
        click.echo(written, nl=False)
        return
    output.write_bytes(written)
    say(f"{output}: {len(written):,} bytes")


def cards_of_game(game: str) -> Sequence[Card]:
    """Return the cards of ``game`` in the workspace. Raises `click.UsageError` where there are
    none.
    """
    from corpus.cards.read import games_with_cards, read_cards
    from corpus.workspace import workspace

    folders = games_with_cards(workspace())
    if game not in folders:
        raise click.UsageError(
            f"no cards of {game!r} here; there are those of: {', '.join(folders) or 'no game'}"
        )
    return read_cards(folders[game], game).cards


def library(*editions: str) -> Library:
    """Return the library of the rulebooks; where ``editions`` of one game are named, of those of
    that game, which takes less time.
    """
    from index.library.library import assemble_library

    read = rulebook_folder().rulebooks
    games = {r.edition.id: r.edition.game for r in read}
    for edition in editions:
        check_edition(edition, list(games))
    wanted = {games[edition] for edition in editions}
    return assemble_library([r for r in read if len(wanted) != 1 or r.edition.game in wanted])


def index_manager(settings: Settings, report: Callable[[str], None] = say) -> IndexManager:
    """Return the manager of the indexes that ``settings`` name; ``report`` gets a line for whatever
    an operator should know.
    """
    from service.ops.indexes import IndexManager

    return IndexManager(
        locations_from_settings(settings, report), report, settings.keep, settings.private_copies
    )


def index_manager_from_options() -> IndexManager:
    """Return the manager of the indexes that options or settings name."""
    return index_manager(settings_from_options())


@contextmanager
def counted_seconds(line: str) -> Iterator[None]:
    """Print ``line`` on standard error and, where that is a terminal, behind it the seconds that
    pass until the block is done.
    """
    if not sys.stderr.isatty():
        click.echo(line, err=True)
        yield
        return
    done, started = Event(), monotonic()

    def count() -> None:
        while not done.wait(1.0):
            click.echo(f"\r{line}: {monotonic() - started:.0f} s", nl=False, err=True)

    click.echo(line, nl=False, err=True)
    counting = Thread(target=count, daemon=True)
    counting.start()
    try:
        yield
    finally:
        done.set()
        counting.join()
        click.echo("", err=True)
