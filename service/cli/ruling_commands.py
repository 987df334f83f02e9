"""Commands for rulings outside the rulebooks: official answers and house rulings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    check_known,
    cli,
    game_option,
    home_option,
    json_option,
    location_options,
    locations_from_options,
    output_option,
    print_json,
    read_rulebooks,
    say,
    settings_from_options,
    text_option,
    workspace_from_options,
)

if TYPE_CHECKING:
    from corpus.rulings import Ruling
    from glossary.check.outdated_rulings import RuleVersions
    from service.ops.settings import Locations

_authority_option = text_option(
    "authority", "A", "only of publisher, designer, head-judge or house"
)


@cli.group()
def rulings() -> None:
    """Rulings outside the rulebooks, official and of the house: add files of them, check, list,
    share.
    """


@rulings.command()
@home_option
@click.argument("source", metavar="FILE|FOLDER", type=click.Path(exists=True, path_type=Path))
@text_option(
    "game", "G", "the game  [default: as the file says, or the folder is called]", default=""
)
def add(source: Path, game: str) -> None:
    """Put the rulings in FILE or FOLDER into the workspace, in the place of what was added under
    the same name before.

    YAML, CSV, and the JSON of LorcanaJSON and of MarvelCDB's FAQ are read; docs/cards.md describes
    them. What does not fit is told in a line each.
    """
    from service.ops.workspace_layers import add_rulings, known_games, named_game, read_source

    _, home = workspace_from_options()
    files = read_source(source)
    games = known_games(home)
    chosen = game.strip() or named_game(source, files, games)
    if not chosen:
        raise click.UsageError(f"name the game with --game; there are: {', '.join(games)}")
    check_known(chosen, games, "game")
    added = add_rulings(home, chosen, source.resolve().name, files)
    for fault in added.faults:
        say(str(fault))
    kinds = (("+", "new", added.new), ("~", "changed", added.changed), ("-", "gone", added.gone))
    counts = ", ".join(f"{len(ids)} {what}" for _, what, ids in kinds if ids)
    faults = f"; {len(added.faults)} faults" if added.faults else ""
    click.echo(f"{added.path}: {counts or 'no ruling changed'}{faults}")
    for sign, _, ids in kinds:
        for id in ids:
            click.echo(f"  {sign} {id}")


@rulings.command()
@location_options
@game_option
def check(game: str | None) -> int:
    """Tell what is wrong in the files of rulings, and which rulings rest on a rule that has changed
    or is gone.

    Rulings on cards that the loaded ones do not have, and on rules that no edition has, are told
    with the nearest name. Exit status 1 where a file has a fault.
    """
    from corpus.cards.read import games_with_cards, read_cards
    from corpus.rulings import load_rulings
    from glossary.check.outdated_rulings import OutdatedRuling, outdated_why
    from service.editions.findings import reason_text
    from service.editions.rulings import UnknownName, unknown_cards, unknown_rules

    here = locations_from_options()
    faults = 0
    for each in _games(game):
        found = load_rulings(each, _home())
        faults += len(found.faults)
        for fault in found.faults:
            click.echo(f"{each}: {fault}")
        rules: list[UnknownName] = []
        outdated: list[OutdatedRuling] = []
        if any(ruling.bases for ruling in found.rulings):
            versions = _versions(here, each)
            rules = list(unknown_rules(found.rulings, versions))
            missing = {(one.ruling.id, one.name) for one in rules}
            outdated = [
                one
                for one in versions.outdated(found.rulings)
                if (one.ruling.id, one.basis.rule) not in missing
            ]
        for one in outdated:
            click.echo(f"{one.ruling.id}: {reason_text(outdated_why(one))}")
        folder = games_with_cards(_home()).get(each)
        cards = read_cards(folder, each).cards if folder else ()
        unknown = [*unknown_cards(found.rulings, cards), *rules]
        for name in unknown:
            click.echo(f"{name.ruling.id}: {name.why}")
        click.echo(
            f"{each}: {len(found.rulings)} rulings, {len(found.faults)} faults, "
            f"{len(outdated)} outdated, {len(unknown)} unknown names"
        )
    return 1 if faults else 0


@rulings.command("list")
@home_option
@game_option
@text_option("card", "C", "only those that name this card")
@_authority_option
@json_option("print one JSON object a line")
def list_rulings(game: str | None, card: str | None, authority: str | None, as_json: bool) -> None:
    """List the rulings, the newest first."""
    from service.browse.entries import loaded_ruling_out
    from service.editions.rulings import RulingFilter, ruling_lines

    wanted = RulingFilter(card=card or "", authority=_authority(authority))
    for ruling in wanted.of(_all(game)):
        if as_json:
            print_json(loaded_ruling_out(ruling).model_dump(mode="json"))
        else:
            click.echo("\n".join(ruling_lines(ruling)))


@rulings.command()
@home_option
@text_option("game", "G", "the game, where there are several")
@_authority_option
@output_option
def export(game: str | None, authority: str | None, output: Path | None) -> None:
    """Write the rulings on a game as one YAML file, which 'regula rulings add' takes in
    elsewhere.
    """
    from corpus.rulings import load_rulings
    from service.editions.rulings import RulingFilter, exported_rulings

    games = _games(game)
    if len(games) != 1:
        raise click.UsageError(f"name the game with --game; there are: {', '.join(games)}")
    wanted = RulingFilter(authority=_authority(authority))
    found = wanted.fitting(load_rulings(games[0], _home()).rulings)
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
    from service.ops.workspace_layers import confirm_ruling

    here = locations_from_options()
    _, home = workspace_from_options()
    status = 0
    for ruling in [_named(id) for id in ids]:
        confirmed = confirm_ruling(home, ruling, _versions(here, ruling.game))
        for rule in confirmed.rules:
            click.echo(f"{ruling.id}: holds with {rule} as it is now")
        for rule in confirmed.missing:
            say(
                f"{ruling.id}: {rule} is not here; say in its file what else it rests on, "
                "or which ruling supersedes it"
            )
            status = 1
        if not ruling.bases:
            say(f"{ruling.id}: rests on no rule; there is nothing to confirm")
    return status


def _versions(here: Locations, game: str) -> RuleVersions:
    """Return the rulebooks of ``game``, to look up rules that rulings rest on."""
    from glossary.check.outdated_rulings import RuleVersions

    books = read_rulebooks(here).rulebooks
    return RuleVersions(book for book in books if book.edition.game == game)


def _home() -> Path | None:
    """Return the workspace that options or settings name; None means the sample's rulings."""
    home = settings_from_options().home
    return home.expanduser() if home else None


def _games(game: str | None) -> Sequence[str]:
    """Return the games with rulings, or the named ``game``. Raises `click.UsageError` for an
    unknown one.
    """
    from corpus.rulings import games_with_rulings

    home = _home()
    games = games_with_rulings(home)
    if home is None:
        say("no workspace is named with --home or REGULA_HOME: these are the rulings of the sample")
    check_known(game, games, "game")
    return games if game is None else (game,)


def _all(game: str | None) -> Iterator[Ruling]:
    from corpus.rulings import load_rulings

    for each in _games(game):
        found = load_rulings(each, _home())
        if found.faults:
            say(f"{each}: {len(found.faults)} faults; 'regula rulings check' tells them")
        yield from found.rulings


def _authority(name: str | None) -> str:
    from corpus.rulings import Authority

    check_known(name, list(Authority), "authority")
    return name or ""


def _named(id: str) -> Ruling:
    """Return the ruling ``id``, with or without its game. Raises `click.UsageError` unless exactly
    one matches.
    """
    found = [ruling for ruling in _all(None) if id in (ruling.id, ruling.id.partition("/")[2])]
    if len(found) != 1:
        what = f"{len(found)} rulings" if found else "no ruling"
        raise click.UsageError(f"{id!r} names {what}; 'regula rulings list' lists those there are")
    return found[0]
