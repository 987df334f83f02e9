"""Commands that ask the owner's model: draft query variants and players' names of terms, check that
each text finds its passage, explain doubtful concepts.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus.errors import WrongUse
from service.cli.common import (
    check_known,
    chosen_rulebooks,
    confirm,
    dry_run_option,
    edition_option,
    flag,
    game_option,
    index_manager_from_options,
    location_options,
    say,
    text_option,
    workspace_from_options,
    yes_option,
)
from service.cli.rulebook_commands import phrasings, terms
from service.cli.workspace_commands import concepts
from service.ops.settings import Settings, model_endpoint

if TYPE_CHECKING:
    from corpus.model import Passage, Rulebook
    from index.search import Index
    from service.editions.concept_edits import TermPlan
    from service.editions.phrasing_drafts import DraftOutcome, DraftPlan
    from service.llm.client import ModelClient, Usage
    from service.llm.model_request import ModelEndpoint, ModelRequest

USUAL_LANGUAGES = "de,it,en"
_SPEED = 50  # tokens a second in one reply, as written by a hosted model of middle size
_STEPS = 10  # progress lines without a terminal
_SHOWN = 5  # reasons of failures that are listed
INTERRUPTED = 130  # exit status of shells for Ctrl-C


class NoModel(WrongUse):
    """No language model is set."""


def _named_model(settings: Settings) -> ModelEndpoint:
    """Return the model that ``settings`` name. Raises `NoModel`."""
    endpoint = model_endpoint(settings)
    if endpoint is None:
        raise NoModel(
            "no language model is set: say where one is with REGULA_MODEL_URL and "
            "REGULA_MODEL_NAME, such as http://localhost:11434/v1"
        )
    return endpoint


def _origin(client: ModelClient) -> str:
    """Return the origin recorded in drafts: the model and the day."""
    from corpus.dates import today

    return f"{client.name}, {today()}"


def _estimate_lines(endpoint: ModelEndpoint | None, estimated: Usage) -> list[str]:
    """Return lines that estimate the calls: tokens, cost if prices are set, time, and whether a
    budget will end them early.
    """
    tokens = (
        f"about {estimated.request_tokens:,} tokens of requests "
        f"and {estimated.reply_tokens:,} of replies"
    )
    if endpoint is None:
        return [f"{estimated.calls} calls, {tokens}; no model is set"]
    lines = [f"{estimated.calls} calls of {endpoint.name or 'the recorded model'}, {tokens}"]
    cost = endpoint.prices.cost(estimated.request_tokens, estimated.reply_tokens)
    if cost:
        lines.append(f"about {cost:.2f} in the currency of the prices")
    if endpoint.replay:
        return [*lines, f"nothing is asked of a model: {endpoint.replay} answers"]
    minutes = max(1, round(estimated.reply_tokens / _SPEED / endpoint.parallel / 60))
    lines.append(
        f"about {minutes} minutes where the model writes {_SPEED} tokens a second, "
        f"{endpoint.parallel} calls at once"
    )
    end = "will end it before; the next run goes on"
    if endpoint.most_tokens and estimated.tokens > endpoint.most_tokens:
        lines.append(f"the budget of {endpoint.most_tokens:,} tokens (model_tokens) {end}")
    if endpoint.most_money and cost > endpoint.most_money:
        lines.append(f"the budget of {endpoint.most_money:g} (model_money) {end}")
    return lines


def _agreed_client(
    endpoint: ModelEndpoint | None,
    requests: Sequence[ModelRequest[Any]],
    dry_run: bool,
    yes: bool,
) -> ModelClient | None:
    """Print the estimate of the calls, and return a client once the user agrees; None for a dry
    run.
    """
    from service.editions.phrasing_drafts import estimated_usage
    from service.llm.client import ModelClient

    for line in _estimate_lines(endpoint, estimated_usage(requests)):
        click.echo(f"  {line}")
    if dry_run or endpoint is None:
        return None
    client = ModelClient(endpoint)  # before the user agrees: recorded calls may be unreadable
    _confirm(yes)
    return client


def _confirm(yes: bool) -> None:
    confirm(yes, "Ask the model?", "nothing was asked: there is no terminal to agree at")


def _counted_calls(things: str = "calls") -> Callable[[int, int], None]:
    """Return a function that shows how many ``things`` are done: in one line that is updated on a
    terminal, else in a line from time to time.
    """
    terminal = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if terminal:
            click.echo(f"\r{done} of {total} {things}", nl=done == total, err=True)
        elif done == total or done * _STEPS // total > (done - 1) * _STEPS // total:
            say(f"{done} of {total} {things}")

    return tell


def _cost_line(client: ModelClient) -> str:
    """Return a line with the usage of all calls of ``client``."""
    used = client.used
    cost = f", {client.cost:.2f} in the currency of the prices" if client.cost else ""
    tokens = f"{used.request_tokens:,} tokens of requests, {used.reply_tokens:,} of replies"
    return f"used: {used.calls} calls, {tokens}{cost}"


def _counted(counts: Counter[str]) -> list[str]:
    """Return the most frequent of ``counts`` as texts: "3 × length"."""
    return [f"{number} × {what}" for what, number in counts.most_common(_SHOWN)]


def _ended(client: ModelClient, outcomes: Sequence[DraftOutcome]) -> int:
    """Report failed and missing calls, and return the exit status: 0 if there are none."""
    failures = sum((outcome.failures for outcome in outcomes), Counter[str]())
    replay = client.endpoint.replay
    if client.lacked:
        say(f"{client.lacked} calls are not in {replay}: they were appended to {replay}.missing")
    elif failures:
        for line in _counted(failures):
            say(f"  {line}")
        say("the same command asks for what is missing")
    if any(outcome.interrupted for outcome in outcomes):
        return INTERRUPTED
    return 1 if failures or client.lacked else 0


@phrasings.command("draft")
@location_options
@edition_option("only this edition")
@text_option(
    "languages",
    "L,L",
    "in which, beside the rulebook's own, its players ask",
    default=USUAL_LANGUAGES,
    show_default=True,
)
@yes_option
@dry_run_option
@flag("no-check", "do not check afterwards that each text finds its passage")
def draft_query_variants(
    edition: str | None, languages: str, yes: bool, dry_run: bool, no_check: bool
) -> int:
    """Have your language model draft what players type, for every passage that has no query
    variants.

    What it drafts is written into the workspace, phrasings/<edition>.yaml, batch by batch, and used
    at the next build. It can be stopped at any time: the same command then asks for the rest. Exit
    status 1 where calls failed.
    """
    from corpus.languages import LANGUAGES
    from glossary.query_variants import load_with_sister_editions
    from service.editions.phrasing_drafts import plan_drafts

    settings, home = workspace_from_options()
    endpoint = model_endpoint(settings) if dry_run else _named_model(settings)
    asked = tuple(code.strip() for code in languages.split(",") if code.strip())
    for code in asked:
        check_known(code, LANGUAGES, "language")
    plans = [
        plan_drafts(book, load_with_sister_editions(book.edition), asked)
        for book in chosen_rulebooks(edition)
    ]
    plans = [plan for plan in plans if plan.batches]
    if not plans:
        click.echo("nothing to draft: every passage has query variants")
        return 0
    for plan in plans:
        click.echo(
            f"{plan.rulebook.edition.id}: {len(plan.missing)} passages without query variants, "
            f"{len(plan.batches)} calls"
        )
    requests = [request for plan in plans for request in plan.requests()]
    client = _agreed_client(endpoint, requests, dry_run, yes)
    if client is None:
        return 0
    outcomes: list[DraftOutcome] = []
    for plan in plans:
        if not (outcomes and outcomes[-1].interrupted):
            outcomes.append(_draft_edition(home, client, plan))
    click.echo(_cost_line(client))
    status = _ended(client, outcomes)
    if not status and not no_check:
        _check_editions(home, [plan.rulebook.edition.id for plan in plans])
    return status


def _draft_edition(home: Path, client: ModelClient, plan: DraftPlan) -> DraftOutcome:
    """Draft query variants for one edition into its file, and report the outcome."""
    from service.editions.phrasing_drafts import draft
    from service.editions.phrasing_edits import NewVariants, with_drafts
    from service.ops.workspace import WorkspaceDataFile

    edition = plan.rulebook.edition.id
    file = WorkspaceDataFile.of_phrasings(home, edition)

    def keep(drafts: list[NewVariants]) -> None:
        file.change(lambda text: with_drafts(text, drafts))

    say(f"drafting for {edition}; Ctrl-C ends it, and what is there stays")
    with file.claimed("drafting"):
        outcome = draft(client, plan, _origin(client), keep, _counted_calls())
    passages = f"{outcome.drafted} of {len(plan.missing)} passages"
    click.echo(f"{edition}: {passages} drafted, in {file.path}")
    if outcome.refused:
        click.echo(f"  texts left out: {', '.join(_counted(outcome.refused))}")
    return outcome


@phrasings.command("check")
@location_options
@edition_option("only this edition")
def check_query_variants(edition: str | None) -> None:
    """Ask every drafted text that nobody has reviewed, and mark for review what does not find its
    passage among the first five.

    Each is asked without itself in what is searched. An index is built first where there is none of
    the rulebooks as they are.
    """
    _, home = workspace_from_options()
    _check_editions(home, [edition] if edition else None)


def _check_editions(home: Path, wanted: list[str] | None) -> None:
    """Check the drafts of the editions ``wanted`` (None for all), and mark in their files
    those that need a review.
    """
    from corpus.workspace import PHRASINGS
    from glossary.query_variants import load_query_variants
    from service.editions.draft_review import check_drafts, with_marks
    from service.ops.workspace import WorkspaceDataFile

    books = chosen_rulebooks(None)
    there = [book.edition.id for book in books]
    for edition in wanted or ():
        check_known(edition, there, "edition")
    known = {id: load_query_variants(id, home / PHRASINGS) for id in wanted or there}
    drafted = {id: own for id, own in known.items() if any(each.drafted for each in own)}
    if not drafted:
        click.echo("nothing to check: nothing is drafted")
        return
    index = _index_of([book for book in books if book.edition.id in drafted])
    for edition, own in drafted.items():
        say(f"checking that what is drafted for {edition} finds its passages")
        checked = check_drafts(index, edition, own, _counted_calls("texts"))
        file = WorkspaceDataFile.of_phrasings(home, edition)
        file.change(partial(with_marks, found=checked))
        texts = sum(map(len, checked.values()))
        passages = f"{sum(map(bool, checked.values()))} of {len(checked)} passages"
        click.echo(
            f"{edition}: {texts} texts of {passages} are marked for review in {file.path}\n"
            f"  read them at /review/{edition} of 'regula serve --home {home}', "
            "or in any editor; 'regula build' uses what is drafted"
        )


def _index_of(books: list[Rulebook]) -> Index:
    """Return the published index if it has the passages of ``books``, else a new one. Its query
    variants may be outdated: the checks leave them out.
    """
    from index.search import Index
    from service.ops.indexes import NoIndex

    manager = index_manager_from_options()

    def texts(passages: Sequence[Passage]) -> list[tuple[str, str]]:
        return [(passage.id, passage.text) for passage in passages]

    try:
        found = manager.load().index
        library = found.library
        for book in books:
            id = book.edition.id
            if id not in library.edition or texts(library.passages_in(id)) != texts(book.passages):
                found = manager.ready().index
                break
    except NoIndex:
        found = manager.ready().index
    assert isinstance(found, Index)
    return found


@terms.command("draft")
@location_options
@edition_option("only the terms of this edition")
@yes_option
@dry_run_option
def draft_game_terms(edition: str | None, yes: bool, dry_run: bool) -> int:
    """Have your language model propose other names, abbreviations, slang and English names of a
    game's terms.

    They are written into the workspace, concepts/<game>.yaml, and used at the next build. Exit
    status 1 where calls failed.
    """
    from glossary.concepts import load_concepts
    from service.editions.concept_edits import plan_terms

    settings, home = workspace_from_options()
    endpoint = model_endpoint(settings) if dry_run else _named_model(settings)
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
    outcomes: list[DraftOutcome] = []
    for plan in plans:
        if not (outcomes and outcomes[-1].interrupted):
            outcomes.append(_draft_game(home, client, plan))
    click.echo(_cost_line(client))
    return _ended(client, outcomes)


def _draft_game(home: Path, client: ModelClient, plan: TermPlan) -> DraftOutcome:
    """Draft names of terms for one game into its file, and report the outcome."""
    from service.editions.concept_edits import TermDraft, draft_terms, with_terms
    from service.ops.workspace import WorkspaceDataFile

    file = WorkspaceDataFile.of_concepts(home, plan.game)

    def keep(drafts: list[TermDraft]) -> None:
        file.change(lambda text: with_terms(text, drafts))

    say(f"drafting terms of {plan.game}; Ctrl-C ends it, and what is there stays")
    with file.claimed("drafting"):
        outcome = draft_terms(client, plan, _origin(client), keep, _counted_calls())
    click.echo(f"{plan.game}: {outcome.texts} aliases of {outcome.drafted} terms, in {file.path}")
    if outcome.refused:
        click.echo(f"  aliases left out: {', '.join(_counted(outcome.refused))}")
    click.echo(
        f"  read them at /review/terms/{plan.game} of 'regula serve --home {home}', "
        "or in any editor; 'regula build' uses them"
    )
    return outcome


def _drafted(home: Path, game: str) -> Mapping[str, frozenset[str]]:
    """Return the languages that need no draft, by concept: those drafted before, or all languages
    if the owner replaced a concept of the package.
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


@concepts.command()
@location_options
@game_option
@click.option(
    "--below",
    type=click.FloatRange(0, 1),
    default=0.6,
    show_default=True,
    help="how sure a proposal is that needs no explanation",
)
@yes_option
def explain(game: str | None, below: float, yes: bool) -> int:
    """Have your language model say why doubtful proposals may be right or not, as 'why' in the
    workspace's file; no alignment is changed.
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
    endpoint = _named_model(settings)
    read = chosen_rulebooks(None)
    client = ModelClient(endpoint)
    outcomes: list[DraftOutcome] = []
    for each in sorted({book.edition.game for book in read} if game is None else {game}):
        file = WorkspaceDataFile.of_concepts(home, each)
        own = read_concepts(file.path) if file.path.exists() else {}
        books = [book for book in read if book.edition.game == each]
        doubts = doubtful_proposals(own, books, below)
        if not doubts or (outcomes and outcomes[-1].interrupted):
            continue
        requests = doubt_requests(doubts)
        click.echo(f"{each}: {len(doubts)} doubtful proposals")
        estimated = Usage(
            len(requests),
            sum(request.estimated_tokens for request in requests),
            sum(request.most_tokens for request in requests),
        )
        for line in _estimate_lines(endpoint, estimated):
            click.echo(f"  {line}")
        _confirm(yes)

        def keep(reasons: Mapping[str, str], file: WorkspaceDataFile = file) -> None:
            file.change(lambda text: with_reasons(text, reasons))

        with file.claimed("drafting"):
            outcomes.append(explain_doubts(client, doubts, keep, _counted_calls()))
        click.echo(f"{each}: the reasons are in {file.path}")
    click.echo(_cost_line(client) if client.used.calls or client.lacked else "nothing to explain")
    return _ended(client, outcomes)
