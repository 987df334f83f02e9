"""Shared parts of commands: options, locations of rulebooks and indexes, output, progress, and
errors for unknown names.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from corpus.workspace import use_workspace, workspace
from service.ops.settings import USUAL, Locations, Settings, load
from service.ops.settings import locations as find_places

if TYPE_CHECKING:
    from corpus import RulebookFolder
    from corpus.cards.model import Card
    from corpus.model import Rulebook
    from index.library.library import Library
    from service.ops.indexes import IndexManager


Function = TypeVar("Function", bound=Callable[..., Any])

_SAID = "regula.said."  # prefix of --home, --rulebooks and --index in a command's context


def say(line: str) -> None:
    """Print one line of progress or warning on standard error."""
    click.echo(line, err=True)


def print_json(value: object, indent: int | None = None) -> None:
    """Print ``value`` as JSON, in one line unless an ``indent`` is given."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


# Options


def _folder_option(name: str, help: str) -> Callable[[Function], Function]:
    """Return the decorator of a folder option, which may come before or after the command;
    `settings_from_options` gets its value.
    """

    def keep(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        context.meta[_SAID + name] = value or context.meta.get(_SAID + name)

    return click.option(f"--{name}", metavar="DIR", expose_value=False, callback=keep, help=help)


home_option = _folder_option("home", "the workspace (REGULA_HOME); see 'regula init'")


def location_options(function: Function) -> Function:
    """Add the options that every command has: where rulebooks, index and workspace are."""
    function = _folder_option("index", "folder of the index (REGULA_INDEX)")(home_option(function))
    return _folder_option("rulebooks", "folder of the rulebooks (REGULA_RULEBOOKS)")(function)


def text_option(
    name: str, metavar: str, help: str | None = None, **more: Any
) -> Callable[[Function], Function]:
    """Return the decorator of an option with a value."""
    return click.option(f"--{name}", metavar=metavar, help=help, **more)


def flag(name: str, help: str, parameter: str = "") -> Callable[[Function], Function]:
    """Return the decorator of an option without a value."""
    return click.option(f"--{name}", *filter(None, [parameter]), is_flag=True, help=help)


def json_option(help: str) -> Callable[[Function], Function]:
    """Return the decorator of ``--json``, which sets the parameter ``as_json``."""
    return flag("json", help, "as_json")


def edition_option(help: str | None = None) -> Callable[[Function], Function]:
    """Return the decorator of ``--edition``."""
    return text_option("edition", "E", help)


game_option = text_option("game", "G", "only this game")
yes_option = flag("yes", "ask the model without asking here first")
dry_run_option = flag("dry-run", "only say what it would take")
output_option = text_option(
    "output",
    "FILE",
    "write to FILE",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
)
wait_option = text_option(
    "wait",
    "[SECONDS]",
    "wait for a build that is under way",
    type=click.FloatRange(min=0),
    is_flag=False,
    flag_value=math.inf,
    default=0.0,
)


def source_options(function: Function) -> Function:
    """Add the options of exports for translators: the source edition, and regions of languages."""
    regions = "tags with a region in tmx and tbx: de=de-DE,it=it-IT"
    source = (
        "the edition that the others were translated from, or none; "
        "the only English one of the game where not given"
    )
    return text_option("source", "EDITION", source)(text_option("regions", "R", regions)(function))


# Settings and locations


def settings_from_options(**given: object) -> Settings:
    """Return the settings for a command with the options ``given`` and its folder options.

    From then on the process uses the workspace of these settings.
    """
    settings = load(named_with_command(**given))
    use_workspace(settings.home)
    return settings


def named_with_command(**given: object) -> dict[str, object]:
    """Return the options ``given`` and the folder options of the command line, as settings."""
    said = click.get_current_context().meta
    return {**{name: said.get(_SAID + name) for name in ("home", "rulebooks", "index")}, **given}


def workspace_from_options() -> tuple[Settings, Path]:
    """Return the settings and the workspace that options or settings name. Raises
    `service.ops.workspace.NoWorkspace`.
    """
    from service.ops.workspace import opened_workspace

    settings = settings_from_options()
    return settings, opened_workspace(settings.home)


def locations_from_options() -> Locations:
    """Return where rulebooks and index are, by options or settings."""
    return locations_from_settings(settings_from_options())


def locations_from_settings(settings: Settings, report: Callable[[str], None] = say) -> Locations:
    """Return where rulebooks and index are; ``report`` gets a line if the sample is used or the
    index was built elsewhere.
    """
    from index.building.snapshots import Snapshots

    found = find_places(settings)
    pointer = Snapshots(found.index).pointer() if found.is_sample else None
    if found.serves_only or (pointer is not None and pointer.pulled):
        report(
            f"no rulebooks are here: what is published in {found.index} answers, "
            "which was built elsewhere"
        )
    elif found.is_sample:
        report(
            "no rulebooks found: using the sample rulebooks; put your own into "
            f"{USUAL.own_rulebooks} or name their folder with --rulebooks"
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


# Rulebooks, editions and games


def check_known(value: str | None, known: Collection[str], what: str) -> None:
    """Raise `click.UsageError` for a ``value`` that is not ``known``; ``what`` names its kind, such
    as "edition".
    """
    if value is not None and value not in known:
        here = " here" if what in ("edition", "game") else ""
        there = ", ".join(known) or "none"
        raise click.UsageError(f"no {what} {value!r}{here}; there are: {there}")


def rulebook_folder() -> RulebookFolder:
    """Read the rulebooks that options or settings name; a line reports what was left out."""
    return read_rulebooks(locations_from_options())


def read_rulebooks(here: Locations) -> RulebookFolder:
    """Read the rulebooks of a folder; a line reports what was left out. Texts in the published
    index are not extracted again.
    """
    from corpus import read_folder
    from index.building.reuse import KeptTexts
    from index.building.snapshots import Snapshots

    folder = read_folder(here.rulebooks, kept=KeptTexts(Snapshots(here.index)).get)
    for line in (*folder.left_out, *folder.notes):
        say(line)
    return folder


def chosen_rulebooks(edition: str | None) -> list[Rulebook]:
    """Return all rulebooks, or the one of ``edition``. Raises `click.UsageError` if it does not
    exist.
    """
    read = rulebook_folder().rulebooks
    check_known(edition, [r.edition.id for r in read], "edition")
    return [r for r in read if edition in (None, r.edition.id)]


def library(*editions: str) -> Library:
    """Return the library of the rulebooks. If ``editions`` are all of one game, only its rulebooks
    are included, which takes less time.
    """
    from index.library.library import assemble_library

    read = rulebook_folder().rulebooks
    games = {r.edition.id: r.edition.game for r in read}
    for edition in editions:
        check_known(edition, games, "edition")
    wanted = {games[edition] for edition in editions}
    return assemble_library([r for r in read if len(wanted) != 1 or r.edition.game in wanted])


def cards_of_game(game: str) -> Sequence[Card]:
    """Return the cards of ``game`` in the workspace. Raises `click.UsageError` if there are
    none.
    """
    from corpus.cards.read import games_with_cards, read_cards

    folders = games_with_cards(workspace())
    check_game_with_cards(game, folders)
    return read_cards(folders[game], game).cards


def check_game_with_cards(game: str, games: Collection[str]) -> None:
    """Raise `click.UsageError` if ``game`` is not among the ``games`` with cards."""
    if game not in games:
        there = ", ".join(games) or "no game"
        raise click.UsageError(f"no cards of {game!r} here; there are those of: {there}")


def index_manager(settings: Settings, report: Callable[[str], None] = say) -> IndexManager:
    """Return the manager of the indexes that ``settings`` name; ``report`` gets lines for the
    operator.
    """
    from service.ops.indexes import IndexManager

    here = locations_from_settings(settings, report)
    return IndexManager(here, report, settings.keep, settings.private_copies)


def index_manager_from_options() -> IndexManager:
    """Return the manager of the indexes that options or settings name."""
    return index_manager(settings_from_options())


# Output and progress


def check_output(output: Path | None, binary: bool) -> None:
    """Raise `click.UsageError` if ``binary`` output would go to a terminal."""
    if binary and output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show this format; name a file with --output FILE")


def write_output(written: bytes, output: Path | None) -> None:
    """Write to the file ``output``, or to standard output."""
    if output is None:
        click.echo(written, nl=False)
        return
    output.write_bytes(written)
    say(f"{output}: {len(written):,} bytes")


def confirm(yes: bool, question: str, undone: str) -> None:
    """Continue if ``yes`` is set or the user agrees to the ``question``. Raises `click.UsageError`
    without a terminal; its message begins with ``undone``, what was not done.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{undone}; say --yes")
    click.confirm(question, abort=True)


@contextmanager
def counted_seconds(line: str) -> Iterator[None]:
    """Print ``line`` on standard error; on a terminal, append the seconds until the block ends."""
    if not sys.stderr.isatty():
        say(line)
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
        say("")
