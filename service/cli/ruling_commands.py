"""Commands of rulings outside the rulebooks: official answers and those of the house."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    cli,
    home_option,
    location_options,
    locations_from_options,
    read_rulebooks,
    say,
    settings_from_options,
)

if TYPE_CHECKING:
    from corpus.cards.model import Card
    from corpus.rulings import Ruling
    from glossary.check.outdated_rulings import RuleVersions
    from service.ops.settings import Locations

_game_option = click.option("--game", metavar="G", help="only this game")


@cli.group()
def rulings() -> None:
    """Rulings outside the rulebooks, official and of the house: add files of them, check, list,
    share.
    """


@rulings.command()
@home_option
@click.argument("source", metavar="FILE|FOLDER", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--game",
    default="",
    metavar="G",
    help="the game  [default: as the file says, or the folder is called]",
)
def add(source: Path, game: str) -> None:
    """Put the rulings in FILE or FOLDER into the workspace, in the place of what was added under
    the same name before.

    YAML, CSV, and the JSON of LorcanaJSON and of MarvelCDB's FAQ are read; docs/cards.md describes
    them. What does not fit is told in a line each.
    """
    from service.ops.workspace import opened_workspace
    from service.ops.workspace_layers import (
        add_rulings,
        known_games,
        named_game,
        read_source,
    )

    home = opened_workspace(settings_from_options().home)
    files = read_source(source)
    games = known_games(home)
    chosen = game.strip() or named_game(source, files, games)
    if chosen not in games:
        raise click.UsageError(
            f"name the game with --game; there are: {', '.join(games)}"
            if not chosen
            else _no_game(chosen, games)
        )
    added = add_rulings(home, chosen, source.resolve().name, files)
    for fault in added.faults:
        say(str(fault))
    counts = ", ".join(
        f"{len(ids)} {what}"
        for ids, what in ((added.new, "new"), (added.changed, "changed"), (added.gone, "gone"))
        if ids
    )
    click.echo(
        f"{added.path}: {counts or 'no ruling changed'}{f'; {len(added.faults)} faults' if added.faults else ''}"
    )
    for ids, sign in ((added.new, "+"), (added.changed, "~"), (added.gone, "-")):
        for id in ids:
            click.echo(f"  {sign} {id}")


@rulings.command()
@location_options
@_game_option
def check(game: str | None) -> int:
    """Tell what is wrong in the files of rulings, and which rulings rest on a rule that has changed
    or is gone.

    Rulings on cards that the loaded ones do not have, and on rules that no edition has, are told
    with the nearest name. Exit status 1 where a file has a fault.
    """
    from corpus.rulings import load_rulings
    from glossary.check.outdated_rulings import outdated_why
    from service.editions.findings import reason_text
    from service.editions.rulings import (
        unknown_cards,
        unknown_rules,
    )

    here = locations_from_options()
    faults = 0
    for each in _games(game):
        found = load_rulings(each, _home())
        faults += len(found.faults)
        for fault in found.faults:
            click.echo(f"{each}: {fault}")
        versions = _versions(here, each) if any(ruling.bases for ruling in found.rulings) else None
        rules = list(unknown_rules(found.rulings, versions)) if versions else []
        missing = {(one.ruling.id, one.name) for one in rules}
        outdated = (
            [
                one
                for one in versions.outdated(found.rulings)
                if (one.ruling.id, one.basis.rule) not in missing
            ]
            if versions
            else []
        )
        for one in outdated:
            click.echo(f"{one.ruling.id}: {reason_text(outdated_why(one))}")
        unknown = [*unknown_cards(found.rulings, _cards(each)), *rules]
        for name in unknown:
            click.echo(f"{name.ruling.id}: {name.why}")
        counts = (
            f"{len(found.faults)} faults, {len(outdated)} outdated, {len(unknown)} unknown names"
        )
        click.echo(f"{each}: {len(found.rulings)} rulings, {counts}")
    return 1 if faults else 0


@rulings.command("list")
@home_option
@_game_option
@click.option("--card", metavar="C", help="only those that name this card")
@click.option("--authority", metavar="A", help="only of publisher, designer, head-judge or house")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object a line")
def list_rulings(game: str | None, card: str | None, authority: str | None, as_json: bool) -> None:
    """List the rulings, the newest first."""
    from service.browse.entries import loaded_ruling_out
    from service.editions.rulings import (
        RulingFilter,
        ruling_lines,
    )

    wanted = RulingFilter(card=card or "", authority=_authority(authority))
    for ruling in wanted.of(_all(game)):
        click.echo(
            json.dumps(loaded_ruling_out(ruling).model_dump(mode="json"), ensure_ascii=False)
            if as_json
            else "\n".join(ruling_lines(ruling))
        )


@rulings.command()
@home_option
@click.option("--game", metavar="G", help="the game, where there are several")
@click.option("--authority", metavar="A", help="only of publisher, designer, head-judge or house")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="write to FILE",
)
def export(game: str | None, authority: str | None, output: Path | None) -> None:
    """Write the rulings on a game as one YAML file, which 'regula rulings add' takes in
    elsewhere.
    """
    from corpus.rulings import load_rulings
    from service.editions.rulings import RulingFilter, exported_rulings

    games = _games(game)
    if len(games) != 1:
        raise click.UsageError(f"name the game with --game; there are: {', '.join(games)}")
    found = RulingFilter(authority=_authority(authority)).fitting(
        load_rulings(games[0], _home()).rulings
    )
    written = exported_rulings(games[0], found)
    if output is None:
        click.echo(written, nl=False)
        return
    output.write_text(written, encoding="utf-8")
    say(f"{output}: {len(found)} rulings")


@rulings.command()
@location_options
@click.argument("ids", metavar="ID…", nargs=-1, required=True)
def confirm(ids: tuple[str, ...]) -> int:
    """Say that the rulings ID hold with the rules they rest on as these are now; kept in the
    workspace, rulings/<game>/confirmed.yaml.

    Exit status 1 where a rule is gone: such a ruling needs another rule to rest on, or one that
    supersedes it.
    """
    from service.ops.workspace import opened_workspace
    from service.ops.workspace_layers import confirm_ruling

    here = locations_from_options()
    home = opened_workspace(settings_from_options().home)
    status = 0
    for ruling in [_named(id) for id in ids]:
        confirmed = confirm_ruling(home, ruling, _versions(here, ruling.game))
        for rule in confirmed.rules:
            click.echo(f"{ruling.id}: holds with {rule} as it is now")
        for rule in confirmed.missing:
            say(
                f"{ruling.id}: {rule} is not here; say in its file what else it rests on, or which ruling supersedes it"
            )
            status = 1
        if not ruling.bases:
            say(f"{ruling.id}: rests on no rule; there is nothing to confirm")
    return status


def _cards(game: str) -> Sequence[Card]:
    """The cards of ``game`` that are loaded; none where it has no database."""
    from corpus.cards.read import games_with_cards, read_cards

    folder = games_with_cards(_home()).get(game)
    return read_cards(folder, game).cards if folder else ()


def _versions(here: Locations, game: str) -> RuleVersions:
    """The rules of the rulebooks of ``game``."""
    from glossary.check.outdated_rulings import RuleVersions

    return RuleVersions(
        book for book in read_rulebooks(here).rulebooks if book.edition.game == game
    )


def _home() -> Path | None:
    """The workspace that options or settings name; None for the sample's rulings."""
    from corpus.workspace import use_workspace

    home = settings_from_options().home
    use_workspace(home)
    return home.expanduser() if home else None


def _games(game: str | None) -> tuple[str, ...]:
    """The games that there are rulings of, or the ``game`` named. Raises `click.UsageError` for
    another.
    """
    from corpus.rulings import games_with_rulings

    home = _home()
    games = games_with_rulings(home)
    if home is None:
        say("no workspace is named with --home or REGULA_HOME: these are the rulings of the sample")
    if game is not None and game not in games:
        raise click.UsageError(_no_game(game, games))
    return games if game is None else (game,)


def _no_game(game: str, games: Sequence[str]) -> str:
    return f"no game {game!r} here; there are: {', '.join(games) or 'none'}"


def _all(game: str | None) -> Iterator[Ruling]:
    from corpus.rulings import load_rulings

    for each in _games(game):
        found = load_rulings(each, _home())
        if found.faults:
            say(f"{each}: {len(found.faults)} faults; 'regula rulings check' tells them")
        yield from found.rulings


def _authority(name: str | None) -> str:
    from corpus.rulings import Authority

    if name is not None and name not in list(Authority):
        raise click.UsageError(f"no authority {name!r}; there are: {', '.join(Authority)}")
    return name or ""


def _named(id: str) -> Ruling:
    """The ruling called ``id``, with or without its game. Raises `click.UsageError` where none or
    several are called so.
    """
    found = [ruling for ruling in _all(None) if id in (ruling.id, ruling.id.partition("/")[2])]
    if len(found) != 1:
        what = "no ruling" if not found else f"{len(found)} rulings"
        raise click.UsageError(f"{id!r} names {what}; 'regula rulings list' lists those there are")
    return found[0]
