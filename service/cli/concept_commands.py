"""Commands of concepts: what the editions of a game have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import cli, location_options, locations_from_options, read_rulebooks, say

if TYPE_CHECKING:
    from corpus.model import Rulebook


@cli.group()
def concepts() -> None:
    """What editions in several languages call the same thing: by it they are compared, searched and exported together."""


@concepts.command()
@location_options
@click.option("--game", metavar="G", help="only this game")
@click.option("--write", is_flag=True, help="write them into the workspace, concepts/<game>.yaml, where they can be corrected")
def propose(rulebooks: str | None, index: str | None, game: str | None, write: bool) -> None:
    """Find entries of different languages that are the same thing and that no file ties yet, each with how sure that is (0 to 1)."""
    from corpus.workspace import workspace
    from service.editions.concept_file import game_proposals, proposal_line

    here = locations_from_options(rulebooks, index)
    home = workspace()
    if write and home is None:
        raise click.UsageError("--write needs a workspace: make one with 'regula init DIR' and name it with --home DIR or REGULA_HOME")
    read = read_rulebooks(here).rulebooks
    games = sorted({book.edition.game for book in read})
    if game is not None and game not in games:
        raise click.UsageError(f"no game {game!r} here; there are: {', '.join(games)}")
    languages = {book.edition.id: book.edition.language for book in read}
    for each in games if game is None else [game]:
        if write and home is not None:
            write_proposals(home, each, read)
            continue
        found = game_proposals(read, each, say)
        click.echo(f"{each}: {len(found)} concepts proposed")
        for proposal in found:
            click.echo(f"  {proposal_line(proposal, languages)}")


def write_proposals(home: Path, game: str, rulebooks: Sequence[Rulebook]) -> None:
    """Find what the editions of ``game`` have in common and write it into the workspace ``home``; a line says how much there is."""
    from service.editions.concept_file import game_proposals, with_proposals
    from service.ops.workspace_files import concept_text, keep_concepts

    found = game_proposals(rulebooks, game, say)
    if found:
        path = keep_concepts(home, game, with_proposals(concept_text(home, game), found))
        click.echo(f"{game}: {len(found)} concepts proposed; correct what is wrong in {path}")
    else:
        click.echo(f"{game}: nothing to propose")
