"""Drafting: batch after batch is asked for, checked and handed over to be written, so that what was paid for is never lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from corpus.model import Passage, Rulebook
from glossary.phrasings import PassagePhrasings, attach_phrasings
from service.editions.drafting.checks import DraftChecks
from service.editions.drafting.draft_file import Draft
from service.editions.drafting.prompts import DraftBatch, DraftedPassage, DraftReply, batches
from service.llm.client import ModelClient, Usage
from service.llm.errors import ModelError

_REPLY_SHARE = 0.5  # of the most that a reply may have, that one has


@dataclass
class DraftPlan:
    """What is to be asked for one rulebook."""

    rulebook: Rulebook
    batches: tuple[DraftBatch, ...]
    passages: int

    def estimated(self) -> Usage:
        """About what it takes."""
        requests = [batch.request() for batch in self.batches]
        replies = round(sum(request.most_tokens for request in requests) * _REPLY_SHARE)
        return Usage(len(requests), sum(request.estimated_tokens for request in requests), replies)


@dataclass
class DraftOutcome:
    """What came of a plan: how many passages have a draft now, what was refused by reason, and why batches failed."""

    drafted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)


def plan_drafts(rulebook: Rulebook, phrasings: Iterable[PassagePhrasings], languages: Sequence[str]) -> DraftPlan:
    """Plan drafts for the passages of ``rulebook`` that ``phrasings`` have nothing for.

    Passages are divided among calls as if nothing was drafted yet, so that a request stays what it was when drafting goes on later.
    """
    known = tuple(phrasings)
    written = attach_phrasings([each for each in known if not each.drafted], rulebook.passages).missing
    missing = {passage.id for passage in attach_phrasings(known, rulebook.passages).missing}
    wanted = [batch for batch in batches(rulebook, written, languages) if any(p.id in missing for p in batch.passages)]
    return DraftPlan(rulebook, tuple(wanted), len(missing))


def draft(
    client: ModelClient,
    plan: DraftPlan,
    drafted: str,
    keep: Callable[[list[Draft]], None],
    progress: Callable[[int, int], None] = lambda *_: None,
) -> DraftOutcome:
    """Ask for all batches of ``plan``, several at once, and hand what comes of each to ``keep`` as soon as it is there.

    ``drafted`` says by whom and when. ``progress`` gets how many batches are done, and how many there are. A batch that fails is left
    for the next time; where the budget is spent, no more is asked.
    """
    edition = plan.rulebook.edition
    languages = tuple(dict.fromkeys((edition.language, "en", *(code for batch in plan.batches[:1] for code in batch.languages))))
    checks = DraftChecks(plan.rulebook.passages, languages)
    outcome = DraftOutcome()
    with ThreadPoolExecutor(client.endpoint.parallel) as pool:
        calls = [pool.submit(client.ask, batch.request()) for batch in plan.batches]
        try:
            for number, (batch, call) in enumerate(zip(plan.batches, calls, strict=True), 1):  # in order: of duplicates the first is taken
                try:
                    made = list(_drafts(batch, call.result(), checks, drafted))
                    keep(made)
                    outcome.drafted += len(made)
                except ModelError as fault:
                    outcome.failures[str(fault)] += 1
                progress(number, len(calls))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    outcome.refused = checks.refused
    return outcome


def _drafts(batch: DraftBatch, reply: DraftReply, checks: DraftChecks, drafted: str) -> Iterator[Draft]:
    """Yield the drafts of ``reply`` for the passages of ``batch`` that it is about, the first for each."""
    seen: set[int] = set()
    language = batch.rulebook.edition.language
    for each in reply.passages:
        if not isinstance(each, DraftedPassage) or not 1 <= each.number <= len(batch.passages) or each.number in seen:
            checks.refused["number"] += 1
            continue
        seen.add(each.number)
        yield Draft(
            _passage(batch, each),
            tuple(checks.taken(each.questions, language)),
            tuple(checks.taken(each.situations, language)),
            next(checks.taken([each.gist], "en"), "") if each.gist.strip() else "",
            {code: tuple(checks.taken(getattr(each, code), code)) for code in batch.languages},
            drafted,
            {},
        )


def _passage(batch: DraftBatch, each: DraftedPassage) -> Passage:
    return batch.passages[each.number - 1]
