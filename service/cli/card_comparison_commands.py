"""The command that compares the cards of a game with their translation."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.card_commands import cards
from service.cli.common import cards_of_game, home_option, settings_from_options, write_output


@cards.command("compare")
@home_option
@click.argument("game")
@click.option("--language", required=True, metavar="L", help="the language that is compared with English: de, it")
@click.option("--format", "form", default="table", show_default=True, metavar="F", help="table, json or csv")
@click.option("--output", type=click.Path(dir_okay=False, writable=True, path_type=Path), metavar="FILE", help="write to FILE")
def compare_cards_of_game(game: str, language: str, form: str, output: Path | None) -> None:
    """List what differs between the English texts of the cards of GAME and those in another language.

    Numbers, symbols, terms and conditions that only one side has, and what is not translated.
    """
    from service.editions.card_comparison import FORMATS, card_comparison_table, compare_cards

    if form != "table" and form not in FORMATS:
        raise click.UsageError(f"no format {form!r}; there are: table, {', '.join(FORMATS)}")
    settings_from_options()
    comparison = compare_cards(game, cards_of_game(game), language)
    write_output(f"{card_comparison_table(comparison)}\n".encode() if form == "table" else FORMATS[form].write(comparison), output)
