"""Commands that draft what players call a game's terms by the owner's model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import chosen_rulebooks, location_options, say
from service.cli.model_use import (
    confirm,
    cost_line,
    counted,
    counted_calls,
    ended,
    estimate_lines,
    named_model,
    origin,
    workspace_from_options,
)
from service.cli.rulebook_commands import terms

if TYPE_CHECKING:
    from service.editions.drafting.term_drafting import TermDraft, TermOutcome, TermPlan
    from service.llm.client import ModelClient


@terms.command("draft")
@location_options
@click.option("--edition", metavar="E", help="only the terms of this edition")
@click.option("--yes", is_flag=True, help="ask the model without asking here first")
@click.option("--dry-run", is_flag=True, help="only say what it would take")
def draft_game_terms(rulebooks: str | None, index: str | None, edition: str | None, yes: bool, dry_run: bool) -> int:
    """Have your language model propose other names, abbreviations, slang and English names of a game's terms.

    They are written into the workspace, concepts/<game>.yaml, and used at the next build. Exit status 1 where calls failed.
    """
    from glossary.concepts import load_concepts
    from service.editions.drafting.term_drafting import plan_terms
    from service.llm.client import ModelClient, Usage
    from service.ops.settings import model_endpoint

    settings, home = workspace_from_options(rulebooks=rulebooks, index=index)
    endpoint = model_endpoint(settings) if dry_run else named_model(settings)
    books = chosen_rulebooks(rulebooks, index, edition)
    plans = []
    for game in dict.fromkeys(book.edition.game for book in books):
        here = [book for book in books if book.edition.game == game]
        plans.append(plan_terms(game, here, load_concepts(game), _drafted(home, game)))
    plans = [plan for plan in plans if plan.batches]
    if not plans:
        click.echo("nothing to draft: the model was asked for every term")
        return 0
    for plan in plans:
        click.echo(f"{plan.game}: {sum(len(batch.terms) for batch in plan.batches)} terms, {len(plan.batches)} calls")
    for line in estimate_lines(endpoint, sum((plan.estimated() for plan in plans), Usage())):
        click.echo(f"  {line}")
    if dry_run or endpoint is None:
        return 0
    client = ModelClient(endpoint)
    confirm(yes)
    failures, interrupted = Counter[str](), False
    for plan in plans:
        if not interrupted:
            outcome = _draft_game(home, client, plan)
            failures += outcome.failures
            interrupted = outcome.interrupted
    click.echo(cost_line(client))
    return ended(client, failures, interrupted)


def _draft_game(home: Path, client: ModelClient, plan: TermPlan) -> TermOutcome:
    """Draft for one game into its file, and say what came of it."""
    from service.editions.drafting.term_drafting import draft_terms, with_terms
    from service.ops.workspace_data import WorkspaceDataFile

    file = WorkspaceDataFile.of_concepts(home, plan.game)

    def keep(drafts: list[TermDraft]) -> None:
        file.change(lambda text: with_terms(text, drafts))

    say(f"drafting terms of {plan.game}; Ctrl-C ends it, and what is there stays")
    with file.claimed("drafting"):
        outcome = draft_terms(client, plan, origin(client), keep, counted_calls())
    click.echo(f"{plan.game}: {outcome.taken} aliases of {outcome.terms} terms, in {file.path}")
    if outcome.refused:
        click.echo(f"  aliases left out: {', '.join(counted(outcome.refused))}")
    click.echo(f"  read them at /review/terms/{plan.game} of 'regula serve --home {home}', or in any editor; 'regula build' uses them")
    return outcome


def _drafted(home: Path, game: str) -> Mapping[str, frozenset[str]]:
    """The languages, by concept, in which nothing is to be drafted: those asked for; all where the owner wrote one for the package's."""
    from corpus.languages import LANGUAGES
    from glossary.concepts import FOLDER
    from glossary.concepts.loading import read_concepts
    from service.ops.workspace_data import WorkspaceDataFile

    path, packaged = WorkspaceDataFile.of_concepts(home, game).path, FOLDER / f"{game}.yaml"
    own = read_concepts(path) if path.exists() else {}
    known = read_concepts(packaged) if packaged.exists() else {}
    found = {}
    for id, fields in own.items():
        if fields.drafted:
            found[id] = frozenset(fields.names)
        elif id in known and not fields.proposed:
            found[id] = frozenset(LANGUAGES)
    return found
