"""Commands of concepts: what the editions of a game have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    chosen_rulebooks,
    cli,
    location_options,
    locations_from_options,
    read_rulebooks,
    say,
)
from service.cli.model_use import (
    confirm,
    cost_line,
    counted_calls,
    ended,
    estimate_lines,
    named_model,
    workspace_from_options,
)

if TYPE_CHECKING:
    from corpus.model import Rulebook
    from glossary.comparison.concept_proposals import ConceptProposal


@cli.group()
def concepts() -> None:
    """What editions in several languages call the same thing: by it they are compared, searched and
    exported together.
    """


@concepts.command()
@location_options
@click.option("--game", metavar="G", help="only this game")
@click.option(
    "--write",
    is_flag=True,
    help="write them into the workspace, concepts/<game>.yaml, where they can be corrected",
)
def propose(game: str | None, write: bool) -> None:
    """Find entries of different languages that are the same thing and that no file ties yet, each
    with how sure that is (0 to 1).
    """
    from corpus.workspace import workspace
    from service.editions.concept_edits import game_proposals, proposal_line

    here = locations_from_options()
    home = workspace()
    if write and home is None:
        raise click.UsageError(
            "--write needs a workspace: make one with 'regula init DIR' and name it with --home DIR or REGULA_HOME"
        )
    read = read_rulebooks(here).rulebooks
    games = sorted({book.edition.game for book in read})
    if game is not None and game not in games:
        raise click.UsageError(f"no game {game!r} here; there are: {', '.join(games)}")
    languages = {book.edition.id: book.edition.language for book in read}
    for each in games if game is None else [game]:
        if write and home is not None:
            _write_proposals(home, each, read)
            continue
        found = game_proposals(read, each, say)
        click.echo(f"{each}: {len(found)} concepts proposed")
        for proposal in found:
            click.echo(f"  {proposal_line(proposal, languages)}")


@concepts.command()
@location_options
@click.option("--game", metavar="G", help="only this game")
@click.option(
    "--below",
    type=click.FloatRange(0, 1),
    default=0.6,
    show_default=True,
    help="how sure a proposal is that needs no explanation",
)
@click.option("--yes", is_flag=True, help="ask the model without asking here first")
def explain(game: str | None, below: float, yes: bool) -> int:
    """Have your language model say why doubtful proposals may be right or not, as 'why' in the
    workspace's file; no tie is changed.
    """
    from glossary.concepts.loading import read_concepts
    from service.editions.concept_edits import (
        doubt_requests,
        doubtful_proposals,
        explain_doubts,
        with_reasons,
    )
    from service.llm.client import ModelClient, Usage
    from service.ops.workspace import WorkspaceDataFile

    settings, home = workspace_from_options()
    endpoint = named_model(settings)
    read = chosen_rulebooks(None)
    client = ModelClient(endpoint)
    failures, interrupted = Counter[str](), False
    for each in sorted({book.edition.game for book in read} if game is None else {game}):
        file = WorkspaceDataFile.of_concepts(home, each)
        own = read_concepts(file.path) if file.path.exists() else {}
        doubts = doubtful_proposals(
            own, [book for book in read if book.edition.game == each], below
        )
        if not doubts or interrupted:
            continue
        requests = doubt_requests(doubts)
        click.echo(f"{each}: {len(doubts)} doubtful proposals")
        tokens = (
            sum(request.estimated_tokens for request in requests),
            sum(request.most_tokens for request in requests),
        )
        for line in estimate_lines(endpoint, Usage(len(requests), *tokens)):
            click.echo(f"  {line}")
        confirm(yes)

        def keep(reasons: Mapping[str, str], file: WorkspaceDataFile = file) -> None:
            file.change(lambda text: with_reasons(text, reasons))

        with file.claimed("drafting"):
            outcome = explain_doubts(client, doubts, keep, counted_calls())
        failures, interrupted = failures + outcome.failures, outcome.interrupted
        click.echo(f"{each}: the reasons stand in {file.path}")
    click.echo(cost_line(client) if client.used.calls or client.lacked else "nothing to explain")
    return ended(client, failures, interrupted)


def proposals_line(game: str, proposals: Sequence[ConceptProposal], file: Path) -> str:
    """Return a line that says how many ``proposals`` on ``game`` were written into ``file``."""
    return (
        f"{game}: {len(proposals)} concepts proposed; correct what is wrong in {file}"
        if proposals
        else f"{game}: nothing to propose"
    )


def _write_proposals(home: Path, game: str, rulebooks: Sequence[Rulebook]) -> None:
    """Find what the editions of ``game`` have in common and write it into the workspace ``home``; a
    line says how much there is.
    """
    from service.editions.concept_edits import game_proposals, with_proposals
    from service.ops.workspace import WorkspaceDataFile

    found, file = game_proposals(rulebooks, game, say), WorkspaceDataFile.of_concepts(home, game)
    if found:
        file.change(lambda text: with_proposals(text, found))
    click.echo(proposals_line(game, found, file.path))
