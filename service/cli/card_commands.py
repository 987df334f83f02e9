"""Commands on card databases: take one in, list what is there, say what is wrong in it, compare it
with its translation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    cards_of_game,
    cli,
    home_option,
    say,
    settings_from_options,
    write_output,
)

if TYPE_CHECKING:
    from corpus.cards.files import CardFault
    from corpus.cards.folder import CardFolder
    from corpus.cards.model import Card
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
@click.option(
    "--game",
    default="",
    metavar="G",
    help="the game, as editions name it  [default: as the form or the folder's name says]",
)
def add_folder(folder: Path, game: str) -> None:
    """Copy the cards in FOLDER into the workspace, in place of those of the game that are there,
    and say what changed.

    FOLDER is a copy of marvelsdb-json-data, has files of LorcanaJSON, or YAML or CSV files as
    docs/cards.md describes them.
    """
    from service.ops.workspace import opened_workspace
    from service.ops.workspace_layers import add_cards

    home = opened_workspace(settings_from_options().home)
    added = add_cards(home, folder, game.strip())
    click.echo("\n".join(_report(added)))
    click.echo(f"'regula build --home {home}' has them found")


@cards.command("list")
@home_option
@click.option("--json", "as_json", is_flag=True, help="print one JSON list")
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
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for game, folder, each in found:
        languages = ", ".join(each.languages)
        click.echo(
            f"{game}: {len(each.cards):,} cards ({languages}), {len(each.faults):,} faults, {each.form}, in {folder}"
        )
    if not found:
        click.echo("no cards yet; add some with: regula cards add FOLDER")


@cards.command("check")
@home_option
@click.option("--game", metavar="G", help="only those of this game")
@click.option("--json", "as_json", is_flag=True, help="print one JSON list")
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
        click.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for each, _, folder in found:
        click.echo(f"{each}: {len(folder.cards):,} cards, {len(folder.faults):,} faults")
        for fault in folder.faults:
            click.echo(f"  {fault}")
    if not found:
        click.echo("nothing to check: no cards yet; add some with: regula cards add FOLDER")


def _read(game: str) -> list[tuple[str, Path, CardFolder]]:
    """The cards of all games, or of ``game``, with the folder of each. Raises `click.UsageError`
    for one that has none.
    """
    from corpus.cards.read import games_with_cards, read_cards
    from service.ops.workspace import opened_workspace

    home = settings_from_options().home
    if home is None:
        say("no workspace is named: these are the cards of the sample game")
    folders = games_with_cards(opened_workspace(home) if home is not None else None)
    if game and game not in folders:
        raise click.UsageError(
            f"no cards of {game!r} here; there are those of: {', '.join(folders) or 'no game'}"
        )
    return [
        (each, folder, read_cards(folder, each))
        for each, folder in folders.items()
        if game in ("", each)
    ]


def _report(added: AddedCards) -> list[str]:
    """What was taken in, what changed by it, and the first faults."""
    found, changes = added.cards, added.changes
    lines = [
        f"{added.game}: {len(found.cards):,} cards in {', '.join(found.languages)} ({found.form}), in {added.folder}"
    ]
    if added.before is not None:
        parts = Counter(part for each in changes.changed for part in each.parts)
        lines += _named("new", changes.new) + _named("gone", changes.gone)
        lines += _named("changed", [each.card for each in changes.changed])
        lines += [f"    {part}: of {count:,}" for part, count in sorted(parts.items())]
        if not any(changes):
            lines.append("  nothing has changed")
        lines.append(f"  what was there is kept in {added.before} until the next time")
    return lines + _fault_lines(found.faults, added.game)


def _named(what: str, those: Sequence[Card]) -> list[str]:
    names = "; ".join(f"{card.name('en')} ({card.id})" for card in those[:_SHOWN])
    return (
        [f"  {what}: {len(those):,}: {names}{' …' if len(those) > _SHOWN else ''}"] if those else []
    )


def _fault_lines(faults: Sequence[CardFault], game: str) -> list[str]:
    lines = [f"  {len(faults):,} faults; the rest was read"] if faults else []
    lines += [f"    {fault}" for fault in faults[:_SHOWN]]
    return lines + (
        [f"    … all of them: regula cards check --game {game}"] if len(faults) > _SHOWN else []
    )


@cards.command("compare")
@home_option
@click.argument("game")
@click.option(
    "--language",
    required=True,
    metavar="L",
    help="the language that is compared with English: de, it",
)
@click.option(
    "--format", "form", default="table", show_default=True, metavar="F", help="table, json or csv"
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="write to FILE",
)
def compare_cards_of_game(game: str, language: str, form: str, output: Path | None) -> None:
    """List what differs between the English texts of the cards of GAME and those in another
    language.

    Numbers, symbols, terms and conditions that only one side has, and what is not translated.
    """
    from service.editions.card_comparison import card_comparison_table, compare_cards
    from service.editions.exported_files import CARD_FORMATS

    if form != "table" and form not in CARD_FORMATS:
        raise click.UsageError(f"no format {form!r}; there are: table, {', '.join(CARD_FORMATS)}")
    settings_from_options()
    comparison = compare_cards(game, cards_of_game(game), language)
    write_output(
        f"{card_comparison_table(comparison)}\n".encode()
        if form == "table"
        else CARD_FORMATS[form].write(comparison),
        output,
    )
