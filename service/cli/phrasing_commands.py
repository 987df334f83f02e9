"""Commands that have the owner's model draft phrasings and what players call terms, and check that
each finds its passage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from service.cli.common import (
    check_edition,
    chosen_rulebooks,
    index_manager_from_options,
    location_options,
    say,
)
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
from service.cli.rulebook_commands import phrasings, terms

if TYPE_CHECKING:
    from corpus.model import Rulebook
    from index.library.library import Library
    from index.search import Index
    from service.editions.concept_edits import TermDraft, TermPlan
    from service.editions.phrasing_drafts import DraftOutcome, DraftPlan
    from service.editions.phrasing_edits import NewVariants
    from service.llm.client import ModelClient
    from service.llm.model_request import ModelEndpoint, ModelRequest
    from service.ops.indexes import IndexManager


USUAL_LANGUAGES = "de,it,en"


@phrasings.command("draft")
@location_options
@click.option("--edition", metavar="E", help="only this edition")
@click.option(
    "--languages",
    default=USUAL_LANGUAGES,
    show_default=True,
    metavar="L,L",
    help="in which, beside the rulebook's own, its players ask",
)
@click.option("--yes", is_flag=True, help="ask the model without asking here first")
@click.option("--dry-run", is_flag=True, help="only say what it would take")
@click.option(
    "--no-check", is_flag=True, help="do not check afterwards that each text finds its passage"
)
def draft_phrasings(
    edition: str | None, languages: str, yes: bool, dry_run: bool, no_check: bool
) -> int:
    """Have your language model draft what players type, for every passage that has no phrasings.

    What it drafts is written into the workspace, phrasings/<edition>.yaml, batch by batch, and used
    at the next build. It can be stopped at any time: the same command then asks for the rest. Exit
    status 1 where calls failed.
    """
    from glossary.query_variants import load_with_sister_editions
    from service.editions.phrasing_drafts import plan_drafts
    from service.ops.settings import model_endpoint

    settings, home = workspace_from_options()
    endpoint = model_endpoint(settings) if dry_run else named_model(settings)
    asked = _languages(languages)
    books = chosen_rulebooks(edition)
    plans = [plan_drafts(book, load_with_sister_editions(book.edition), asked) for book in books]
    plans = [plan for plan in plans if plan.batches]
    if not plans:
        click.echo("nothing to draft: every passage has phrasings")
        return 0
    for plan in plans:
        click.echo(
            f"{plan.rulebook.edition.id}: {len(plan.missing)} passages without phrasings, {len(plan.batches)} calls"
        )
    requests = [request for plan in plans for request in plan.requests()]
    client = _agreed_client(endpoint, requests, dry_run, yes)
    if client is None:
        return 0
    failures, interrupted = _draft_all(home, client, plans)
    click.echo(cost_line(client))
    status = ended(client, failures, interrupted)
    if not status and not no_check:
        _check_editions(home, [plan.rulebook.edition.id for plan in plans])
    return status


@phrasings.command("check")
@location_options
@click.option("--edition", metavar="E", help="only this edition")
def check_phrasings(edition: str | None) -> None:
    """Ask every drafted text that nobody has reviewed, and mark for review what does not find its
    passage among the first five.

    Each is asked without itself in what is searched. An index is built first where there is none of
    the rulebooks as they are.
    """
    _, home = workspace_from_options()
    _check_editions(home, [edition] if edition else None)


def _check_editions(home: Path, wanted: list[str] | None) -> None:
    """Check the drafts of the editions ``wanted``, of all where it is None, and write into their
    files what is to be reviewed.
    """
    from corpus.workspace import PHRASINGS
    from glossary.query_variants import load_query_variants
    from service.editions.draft_review import check_drafts, with_marks
    from service.ops.workspace import WorkspaceDataFile

    books = chosen_rulebooks(None)
    there = [book.edition.id for book in books]
    for edition in wanted or ():
        check_edition(edition, there)
    drafted = [
        id
        for id in wanted or there
        if any(each.drafted for each in load_query_variants(id, home / PHRASINGS))
    ]
    if not drafted:
        click.echo("nothing to check: nothing is drafted")
        return
    found = _index_of(
        [book for book in books if book.edition.id in drafted], index_manager_from_options()
    )
    for edition in drafted:
        own = load_query_variants(edition, home / PHRASINGS)
        say(f"checking that what is drafted for {edition} finds its passages")
        checked = check_drafts(found, edition, own, counted_calls("texts"))
        file = WorkspaceDataFile.of_phrasings(home, edition)
        file.change(partial(with_marks, found=checked))
        texts = sum(map(len, checked.values()))
        passages = sum(map(bool, checked.values()))
        click.echo(
            f"{edition}: {texts} texts of {passages} of {len(checked)} passages are marked for review in {file.path}"
        )
        click.echo(
            f"  read them at /review/{edition} of 'regula serve --home {home}', or in any editor; 'regula build' uses what is drafted"
        )


def _index_of(books: list[Rulebook], manager: IndexManager) -> Index:
    """The published index if it has the passages of ``books``, whatever phrasings it knows: those
    are tried without it. Else a new one.
    """
    from index.search import Index
    from service.ops.indexes import NoIndex

    def has(library: Library, book: Rulebook) -> bool:
        here = library.passages_in(book.edition.id) if book.edition.id in library.edition else ()
        return [(passage.id, passage.text) for passage in here] == [
            (passage.id, passage.text) for passage in book.passages
        ]

    try:
        found = manager.load().index
    except NoIndex:
        found = None
    if found is None or not all(has(found.library, book) for book in books):
        found = manager.ready().index
    assert isinstance(found, Index)
    return found


def _agreed_client(
    endpoint: ModelEndpoint | None,
    requests: Sequence[ModelRequest[Any]],
    dry_run: bool,
    yes: bool,
) -> ModelClient | None:
    """Print what the calls would take, and return a client for them once the user agrees; None for
    a dry run.
    """
    from service.editions.phrasing_drafts import estimated_usage
    from service.llm.client import ModelClient

    for line in estimate_lines(endpoint, estimated_usage(requests)):
        click.echo(f"  {line}")
    if dry_run or endpoint is None:
        return None
    client = ModelClient(endpoint)  # before anybody agrees: recorded calls may be unreadable
    confirm(yes)
    return client


def _draft_all(
    home: Path, client: ModelClient, plans: list[DraftPlan]
) -> tuple[Counter[str], bool]:
    """Draft for one edition after the other; why calls failed, and whether somebody ended it."""
    failures: Counter[str] = Counter()
    for plan in plans:
        outcome = _draft_edition(home, client, plan)
        failures += outcome.failures
        if outcome.interrupted:
            return failures, True
    return failures, False


def _draft_edition(home: Path, client: ModelClient, plan: DraftPlan) -> DraftOutcome:
    """Draft for one edition into its file, and say what came of it."""
    from service.editions.phrasing_drafts import draft
    from service.editions.phrasing_edits import with_drafts
    from service.ops.workspace import WorkspaceDataFile

    edition = plan.rulebook.edition.id
    file = WorkspaceDataFile.of_phrasings(home, edition)

    def keep(drafts: list[NewVariants]) -> None:
        file.change(lambda text: with_drafts(text, drafts))

    say(f"drafting for {edition}; Ctrl-C ends it, and what is there stays")
    with file.claimed("drafting"):
        outcome = draft(client, plan, origin(client), keep, counted_calls())
    click.echo(
        f"{edition}: {outcome.drafted} of {len(plan.missing)} passages drafted, in {file.path}"
    )
    if outcome.refused:
        click.echo(f"  texts left out: {', '.join(counted(outcome.refused))}")
    return outcome


def _languages(named: str) -> tuple[str, ...]:
    """Return the languages ``named``, divided by commas. Raises `click.UsageError` for one that
    there is not.
    """
    from corpus.languages import LANGUAGES

    found = tuple(code.strip() for code in named.split(",") if code.strip())
    for code in found:
        if code not in LANGUAGES:
            raise click.UsageError(f"no language {code!r}; there are: {', '.join(LANGUAGES)}")
    return found


@terms.command("draft")
@location_options
@click.option("--edition", metavar="E", help="only the terms of this edition")
@click.option("--yes", is_flag=True, help="ask the model without asking here first")
@click.option("--dry-run", is_flag=True, help="only say what it would take")
def draft_game_terms(edition: str | None, yes: bool, dry_run: bool) -> int:
    """Have your language model propose other names, abbreviations, slang and English names of a
    game's terms.

    They are written into the workspace, concepts/<game>.yaml, and used at the next build. Exit
    status 1 where calls failed.
    """
    from glossary.concepts import load_concepts
    from service.editions.concept_edits import plan_terms
    from service.ops.settings import model_endpoint

    settings, home = workspace_from_options()
    endpoint = model_endpoint(settings) if dry_run else named_model(settings)
    books = chosen_rulebooks(edition)
    plans = []
    for game in dict.fromkeys(book.edition.game for book in books):
        here = [book for book in books if book.edition.game == game]
        plans.append(plan_terms(game, here, load_concepts(game), _drafted(home, game)))
    plans = [plan for plan in plans if plan.batches]
    if not plans:
        click.echo("nothing to draft: the model was asked for every term")
        return 0
    for plan in plans:
        click.echo(f"{plan.game}: {sum(map(len, plan.batches))} terms, {len(plan.batches)} calls")
    requests = [request for plan in plans for request in plan.requests()]
    client = _agreed_client(endpoint, requests, dry_run, yes)
    if client is None:
        return 0
    failures, interrupted = Counter[str](), False
    for plan in plans:
        if not interrupted:
            outcome = _draft_game(home, client, plan)
            failures += outcome.failures
            interrupted = outcome.interrupted
    click.echo(cost_line(client))
    return ended(client, failures, interrupted)


def _draft_game(home: Path, client: ModelClient, plan: TermPlan) -> DraftOutcome:
    """Draft for one game into its file, and say what came of it."""
    from service.editions.concept_edits import draft_terms, with_terms
    from service.ops.workspace import WorkspaceDataFile

    file = WorkspaceDataFile.of_concepts(home, plan.game)

    def keep(drafts: list[TermDraft]) -> None:
        file.change(lambda text: with_terms(text, drafts))

    say(f"drafting terms of {plan.game}; Ctrl-C ends it, and what is there stays")
    with file.claimed("drafting"):
        outcome = draft_terms(client, plan, origin(client), keep, counted_calls())
    click.echo(f"{plan.game}: {outcome.texts} aliases of {outcome.drafted} terms, in {file.path}")
    if outcome.refused:
        click.echo(f"  aliases left out: {', '.join(counted(outcome.refused))}")
    click.echo(
        f"  read them at /review/terms/{plan.game} of 'regula serve --home {home}', or in any editor; 'regula build' uses them"
    )
    return outcome


def _drafted(home: Path, game: str) -> Mapping[str, frozenset[str]]:
    """The languages, by concept, in which nothing is to be drafted: those asked for; all where the
    owner wrote one for the package's.
    """
    from corpus.languages import LANGUAGES
    from glossary.concepts import FOLDER
    from glossary.concepts.loading import read_concepts
    from service.ops.workspace import WorkspaceDataFile

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
