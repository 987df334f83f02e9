"""Drafting: batch after batch is asked for, checked and handed over to be written, so that what was paid for is never lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from corpus.model import Passage, Rulebook
from glossary.phrasings import PassagePhrasings, attach_phrasings, fingerprint
from service.editions.drafting.calls import Progress, ask_all
from service.editions.drafting.checks import DraftChecks
from service.editions.drafting.draft_file import Draft
from service.editions.drafting.prompts import DraftBatch, DraftedPassage, DraftReply, batches
from service.llm.client import ModelClient, Usage

_REPLY_SHARE = 0.5  # of the most that a reply may have, that one has


@dataclass
class DraftPlan:
    """What is to be asked for one rulebook. ``missing`` are the ids of the passages without phrasings, ``known`` the phrasings it has."""

    rulebook: Rulebook
    batches: tuple[DraftBatch, ...]
    missing: frozenset[str]
    known: tuple[PassagePhrasings, ...] = ()

    def estimated(self) -> Usage:
        """About what it takes."""
        requests = [batch.request() for batch in self.batches]
        replies = round(sum(request.most_tokens for request in requests) * _REPLY_SHARE)
        return Usage(len(requests), sum(request.estimated_tokens for request in requests), replies)


@dataclass
class DraftOutcome:
    """What came of a plan: how many passages have a draft now, what was refused by reason, and why batches failed.

    ``interrupted`` where somebody ended it before all was asked for.
    """

    drafted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


def plan_drafts(rulebook: Rulebook, phrasings: Iterable[PassagePhrasings], languages: Sequence[str]) -> DraftPlan:
    """Plan drafts for the passages of ``rulebook`` that ``phrasings`` have nothing for.

    Passages are divided among calls as if nothing was drafted yet, so that a request stays what it was when drafting goes on later.
    """
    known = tuple(phrasings)
    written = _different(attach_phrasings([each for each in known if not each.drafted], rulebook.passages).missing)
    missing = frozenset(passage.id for passage in _different(attach_phrasings(known, rulebook.passages).missing))
    wanted = [batch for batch in batches(rulebook, written, languages) if any(p.id in missing for p in batch.passages)]
    return DraftPlan(rulebook, tuple(wanted), missing, known)


def draft(
    client: ModelClient,
    plan: DraftPlan,
    drafted: str,
    keep: Callable[[list[Draft]], None],
    progress: Progress = lambda *_: None,
) -> DraftOutcome:
    """Ask for all batches of ``plan``, several at once, and hand what comes of each to ``keep`` as soon as it is there.

    ``drafted`` says by whom and when. A batch that fails is left for the next time; see `service.editions.drafting.calls.ask_all`.
    """
    outcome = DraftOutcome()
    checks = _checks(plan)

    def take(number: int, reply: DraftReply) -> None:  # in the order of batches: of duplicates the first is taken
        made = list(_drafts(plan.batches[number], reply, plan.missing, checks, drafted))
        keep(made)
        outcome.drafted += len(made)

    calls = ask_all(client, [batch.request() for batch in plan.batches], take, progress)
    outcome.failures, outcome.interrupted = calls.failures, calls.interrupted
    outcome.refused = checks.refused
    return outcome


def _checks(plan: DraftPlan) -> DraftChecks:
    """What the replies for ``plan`` are checked by: no text that is there already is taken once more."""
    language = plan.rulebook.edition.language
    languages = tuple(dict.fromkeys((language, "en", *(code for batch in plan.batches[:1] for code in batch.languages))))
    known = (phrasing.text for each in plan.known for phrasing in each.all(language))
    return DraftChecks(plan.rulebook.passages, languages, known)


def _different(passages: Iterable[Passage]) -> list[Passage]:
    """``passages`` with each text once: what is printed twice shares its phrasings."""
    return list({fingerprint(passage.text): passage for passage in reversed(list(passages))}.values())[::-1]


def _drafts(batch: DraftBatch, reply: DraftReply, missing: frozenset[str], checks: DraftChecks, drafted: str) -> Iterator[Draft]:
    """Yield the drafts of ``reply`` for the passages of ``batch`` that it is about and that are ``missing``, the first for each."""
    seen: set[int] = set()
    language = batch.rulebook.edition.language
    for each in reply.passages:
        if not isinstance(each, DraftedPassage) or not 1 <= each.number <= len(batch.passages) or each.number in seen:
            checks.refused["number"] += 1
            continue
        seen.add(each.number)
        if (passage := batch.passages[each.number - 1]).id not in missing:
            continue
        yield Draft(
            passage,
            tuple(checks.taken(each.questions, language)),
            tuple(checks.taken(each.situations, language)),
            next(checks.taken([each.gist], "en"), "") if each.gist.strip() else "",
            {code: tuple(checks.taken(getattr(each, code), code)) for code in batch.languages},
            drafted,
            {},
        )
