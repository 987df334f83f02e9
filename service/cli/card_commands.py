"""Commands for card databases: add one, list and check them, compare one with its translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    cards_of_game,
    check_game_with_cards,
    check_known,
    cli,
    home_option,
    json_option,
    output_option,
    print_json,
    say,
    settings_from_options,
    text_option,
    workspace_from_options,
    write_output,
)

if TYPE_CHECKING:
    from corpus.cards.folder import CardFolder
    from service.ops.workspace_layers import AddedCards


_SHOWN = 10  # cards or faults of a kind that are named; the others are counted


@cli.group()
@home_option
def cards() -> None:
    """Take card databases into the workspace, list them, check them; 'regula build' uses what is
    there.
    """


@cards.command("add")
@home_option
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@text_option(
    "game",
    "G",
    "the game, as editions name it  [default: as the form or the folder's name says]",
    default="",
)
def add_folder(folder: Path, game: str) -> None:
    """Copy the cards in FOLDER into the workspace, in place of those of the game that are there,
    and say what changed.

    FOLDER is a copy of marvelsdb-json-data, has files of LorcanaJSON, or YAML or CSV files as
    docs/cards.md describes them.
    """
    from service.ops.workspace_layers import add_cards

    _, home = workspace_from_options()
    click.echo("\n".join(_report(add_cards(home, folder, game.strip()))))
    click.echo(f"'regula build --home {home}' has them found")


def _report(added: AddedCards) -> Iterator[str]:
    """Yield lines on the cards added, what changed, and the first faults."""
    found, changes = added.cards, added.changes
    languages = ", ".join(found.languages)
    cards = f"{len(found.cards):,} cards in {languages} ({found.form})"
    yield f"{added.game}: {cards}, in {added.folder}"
    if added.before is not None:
        changed = [each.card for each in changes.changed]
        for what, some in (("new", changes.new), ("gone", changes.gone), ("changed", changed)):
            names = "; ".join(f"{card.name('en')} ({card.id})" for card in some[:_SHOWN])
            if some:
                yield f"  {what}: {len(some):,}: {names}{' …' if len(some) > _SHOWN else ''}"
        parts = Counter(part for each in changes.changed for part in each.parts)
        yield from (f"    {part}: of {count:,}" for part, count in sorted(parts.items()))
        if not any(changes):
            yield "  nothing has changed"
        yield f"  what was there is kept in {added.before} until the next time"
    if found.faults:
        yield f"  {len(found.faults):,} faults; the rest was read"
        yield from (f"    {fault}" for fault in found.faults[:_SHOWN])
    if len(found.faults) > _SHOWN:
        yield f"    … all of them: regula cards check --game {added.game}"


@cards.command("list")
@home_option
@json_option("print one JSON list")
def list_games(as_json: bool) -> None:
    """List the games with cards: how many, in which languages, how many faults, and where they
    are.
    """
    found = _read("")
    if as_json:
        rows = [
            {
                "game": game,
                "cards": len(each.cards),
                "languages": each.languages,
                "faults": len(each.faults),
                "form": each.form,
                "folder": str(folder),
            }
            for game, folder, each in found
        ]
        print_json(rows, 1)
        return
    for game, folder, each in found:
        counts = f"{len(each.cards):,} cards ({', '.join(each.languages)})"
        click.echo(f"{game}: {counts}, {len(each.faults):,} faults, {each.form}, in {folder}")
    if not found:
        click.echo("no cards yet; add some with: regula cards add FOLDER")


@cards.command("check")
@home_option
@text_option("game", "G", "only those of this game")
@json_option("print one JSON list")
def check_cards(game: str | None, as_json: bool) -> None:
    """Report what is wrong in the card databases: a line for each record, file or symbol that
    cannot be read.
    """
    found = _read(game or "")
    if as_json:
        rows = [
            {"game": each, **fault._asdict()}
            for each, _, folder in found
            for fault in folder.faults
        ]
        print_json(rows, 1)
        return
    for each, _, folder in found:
        click.echo(f"{each}: {len(folder.cards):,} cards, {len(folder.faults):,} faults")
        for fault in folder.faults:
            click.echo(f"  {fault}")
    if not found:
        click.echo("nothing to check: no cards yet; add some with: regula cards add FOLDER")


def _read(game: str) -> list[tuple[str, Path, CardFolder]]:
    """Return the cards of all games, or of ``game``, with the folder of each. Raises
    `click.UsageError` for a game without cards.
    """
    from corpus.cards.read import games_with_cards, read_cards
    from service.ops.workspace import opened_workspace

    home = settings_from_options().home
    if home is None:
        say("no workspace is named: these are the cards of the sample game")
    folders = games_with_cards(opened_workspace(home) if home is not None else None)
    if game:
        check_game_with_cards(game, folders)
    return [
        (each, folder, read_cards(folder, each))
        for each, folder in folders.items()
        if game in ("", each)
    ]


@cards.command("compare")
@home_option
@click.argument("game")
@text_option("language", "L", "the language that is compared with English: de, it", required=True)
@click.option(
    "--format", "form", default="table", show_default=True, metavar="F", help="table, json or csv"
)
@output_option
def compare_cards_of_game(game: str, language: str, form: str, output: Path | None) -> None:
    """List what differs between the English texts of the cards of GAME and those in another
    language.

    Numbers, symbols, terms and conditions that only one side has, and what is not translated.
    """
    from service.editions.card_comparison import card_comparison_table, compare_cards
    from service.editions.exported_files import CARD_FORMATS

    check_known(form, ["table", *CARD_FORMATS], "format")
    settings_from_options()
    comparison = compare_cards(game, cards_of_game(game), language)
    if form == "table":
        write_output(f"{card_comparison_table(comparison)}\n".encode(), output)
    else:
        write_output(CARD_FORMATS[form].write(comparison), output)
