"""Aliases of a game's terms drafted by a model: for which terms, what is taken of them, and how they stand in the file of concepts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from corpus.model import Entry, Kind
from corpus.titles import slug
from glossary import normalization
from glossary.comparison.concept_proposals import is_ordinary
from glossary.concepts import Concept, tie_entries
from glossary.concepts.model import heading_key
from glossary.matching.tie_proposals import plain_title
from glossary.model import RulebookView
from service.editions.concept_file import HEADER
from service.editions.drafting.calls import Progress, ask_all
from service.editions.drafting.file_blocks import find_block, with_fields
from service.editions.drafting.term_prompts import AskedTerm, TermAliases, TermBatch, TermReply, term_batches
from service.llm.client import ModelClient, Usage

ENGLISH = "en"
_SHORTEST, _LONGEST = 2, 40  # characters of an alias
_WORDS = 5  # of an alias, and of a heading that is a term
_TEXT = 200  # characters of what stands under a heading that the model is shown
_REPLY_SHARE = 0.5  # of the most that a reply may have, that one has
_LETTER = re.compile(r"[^\W\d_]")
_ENDLESS = 1_000_000  # characters of a line


@dataclass
class TermPlan:
    """What is to be asked for one ``game``. ``known`` are its concepts."""

    game: str
    batches: tuple[TermBatch, ...]
    known: tuple[Concept, ...]
    entries: Mapping[str, Mapping[str, str]]  # headings by concept and edition, of editions whose concepts a file ties by headings

    def estimated(self) -> Usage:
        """About what it takes."""
        requests = [batch.request() for batch in self.batches]
        replies = round(sum(request.most_tokens for request in requests) * _REPLY_SHARE)
        return Usage(len(requests), sum(request.estimated_tokens for request in requests), replies)


@dataclass
class TermOutcome:
    """What came of a plan: how many terms were asked for, aliases taken, aliases refused by reason, and why calls failed."""

    terms: int = 0
    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


@dataclass(frozen=True)
class TermDraft:
    """What is new of a ``term``: aliases by field of its concept ("de", "slang", "abbreviations"), those in a language by language."""

    term: AskedTerm
    names: tuple[str, ...]
    english: tuple[str, ...]
    slang: tuple[str, ...]
    abbreviations: tuple[str, ...]
    headings: Mapping[str, str]
    ordinary: bool
    drafted: str


def plan_terms(game: str, books: Sequence[RulebookView], concepts: Sequence[Concept], drafted: Mapping[str, Iterable[str]]) -> TermPlan:
    """Plan drafts for the terms of ``game``, whose rulebooks are ``books`` and whose concepts are ``concepts``.

    ``drafted`` are the languages, by concept, for which a model was asked already. A term that no concept has gets one of its own.
    """
    tied = tie_entries(concepts, books).by_entry
    named = {edition for concept in concepts for edition in concept.entries.keys() - concept.proposed.keys()}
    ids: dict[tuple[str, str], str] = {}
    used = {concept.id for concept in concepts}
    terms: dict[tuple[str, str], AskedTerm] = {}
    headings: dict[str, dict[str, str]] = defaultdict(dict)
    for book in books:
        language = book.edition.language
        texts = {passage.entry: passage.display for passage in reversed(book.passages)}
        for entry in _terms_of(book):
            spelling = language, heading_key(entry.title)
            id = tied.get(entry.id) or ids.setdefault(spelling, _free_id(entry, used))
            used.add(id)
            if entry.id not in tied and book.edition.id in named:
                headings[id][book.edition.id] = entry.heading
            terms.setdefault((id, language), AskedTerm(id, plain_title(entry), language, texts.get(entry.id, "")[:_TEXT].strip()))
    batches = term_batches(game, list(terms.values()))  # as if nothing was drafted yet: a request stays what it was
    wanted = [batch for batch in batches if any(term.language not in drafted.get(term.concept, ()) for term in batch.terms)]
    return TermPlan(game, tuple(wanted), tuple(concepts), headings)


def _terms_of(book: RulebookView) -> Iterator[Entry]:
    """The entries of ``book`` whose headings are terms: those of its glossary; of a rulebook without one, its short headings."""
    glossary = [entry for entry in book.entries if entry.kind is Kind.TERM]
    sections = [e for e in book.entries if e.kind in (Kind.SECTION, Kind.SUBSECTION) and len(e.title.split()) <= _WORDS]
    yield from (entry for entry in glossary or sections if slug(entry.title, _LONGEST))


def _free_id(entry: Entry, used: set[str]) -> str:
    stem = slug(plain_title(entry), 60).strip("-") or "concept"
    return next(id for n in range(1, len(used) + 2) if (id := stem if n == 1 else f"{stem}-{n}") not in used)


def draft_terms(
    client: ModelClient, plan: TermPlan, drafted: str, keep: Callable[[list[TermDraft]], None], progress: Progress = lambda *_: None
) -> TermOutcome:
    """Ask for all terms of ``plan`` and hand what comes of each call to ``keep`` as soon as it is there."""
    checks = AliasChecks(plan)
    outcome = TermOutcome(refused=checks.refused)

    def take(number: int, reply: TermReply) -> None:
        made = list(_drafts(plan, plan.batches[number], reply, checks, drafted))
        keep(made)
        outcome.terms += len(made)
        outcome.taken += sum(len((*each.names, *each.english, *each.slang, *each.abbreviations)) for each in made)

    calls = ask_all(client, [batch.request() for batch in plan.batches], take, progress)
    outcome.failures, outcome.interrupted = calls.failures, calls.interrupted
    return outcome


def _drafts(plan: TermPlan, batch: TermBatch, reply: TermReply, checks: AliasChecks, drafted: str) -> Iterator[TermDraft]:
    """Yield what is taken of ``reply``, one for each term of ``batch``, also where nothing is: it is not asked for again."""
    found: dict[int, TermAliases] = {}
    for each in reply.terms:
        if 1 <= each.number <= len(batch.terms) and each.number not in found:
            found[each.number] = each
        else:
            checks.refused["number"] += 1
    for number, each in sorted(found.items()):
        term = batch.terms[number - 1]
        yield TermDraft(
            term,
            tuple(checks.taken(term, each.names, term.language)),
            tuple(checks.taken(term, each.english, ENGLISH)),
            tuple(checks.taken(term, each.slang, term.language)),
            tuple(checks.taken(term, each.abbreviations, term.language)),
            plan.entries.get(term.concept, {}),
            is_ordinary(term.title, term.language),
            drafted,
        )


class AliasChecks:
    """Checks aliases for one game: no alias may mean two terms. What is refused is counted by its reason in ``refused``."""

    def __init__(self, plan: TermPlan):
        self.refused: Counter[str] = Counter()
        self._owners: dict[tuple[str, str], str] = {}
        for concept in plan.known:
            for by_language in (concept.names, concept.slang, concept.abbreviations):
                for language, names in by_language.items():
                    for name in names:
                        self._owners.setdefault((language, _folded(name)), concept.id)
        for batch in plan.batches:
            for term in batch.terms:
                self._owners.setdefault((term.language, _folded(term.title)), term.concept)

    def taken(self, term: AskedTerm, aliases: Iterable[str], language: str) -> Iterator[str]:
        """Yield those of ``aliases`` of ``term`` in ``language`` that can be used, in one line each."""
        for alias in aliases:
            line = " ".join(alias.split())
            if reason := self._fault(term, line, language):
                self.refused[reason] += 1
            else:
                yield line

    def _fault(self, term: AskedTerm, alias: str, language: str) -> str:
        """Why ``alias`` is not taken; "" where it is."""
        words = alias.split()
        if not _SHORTEST <= len(alias) <= _LONGEST or len(words) > _WORDS or not _LETTER.search(alias):
            return "length"
        owner = self._owners.setdefault((language, _folded(alias)), "")
        if owner:
            return "duplicate" if owner == term.concept else "another term"
        if is_ordinary(alias, language):
            return "everyday word"
        self._owners[language, _folded(alias)] = term.concept
        return ""


def _folded(name: str) -> str:
    return " ".join(normalization.fold(token.text) for token in normalization.tokenize(name)) or name


def with_terms(text: str, drafts: Iterable[TermDraft]) -> str:
    """``text``, the content of a file of concepts, with ``drafts``: in the concepts that it has, else in new ones behind what is there."""
    for draft in drafts:
        if block := find_block(text, draft.term.concept):
            text = with_fields(text, block, _joined(block.fields, draft))
        else:
            text = text or HEADER
            fields = {name: value for name, value in _joined({}, draft).items() if value}
            block_text = yaml.dump(
                {draft.term.concept: fields}, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS
            )
            text = (text if text.endswith("\n") else f"{text}\n") + block_text
    return text


def _joined(fields: Mapping[str, Any], draft: TermDraft) -> dict[str, Any]:
    """The values of fields that ``draft`` changes in a concept with ``fields``."""
    language = draft.term.language
    names = _added(fields.get(language) or [draft.term.title], draft.names)
    new: dict[str, Any] = {language: names}
    if language == ENGLISH:
        new[ENGLISH] = _added(names, draft.english)
    elif draft.english:
        new[ENGLISH] = _added(fields.get(ENGLISH, []), draft.english)
    for name, aliases in (("slang", draft.slang), ("abbreviations", draft.abbreviations)):
        if aliases:
            before = fields.get(name, {})
            new[name] = {**before, language: _added(before.get(language, []), aliases)}
    if draft.headings:
        new["entries"] = {**draft.headings, **fields.get("entries", {})}
    if draft.ordinary and not fields:
        new["ordinary"] = True
    return {**new, "drafted": draft.drafted}


def _added(names: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys((*names, *more)))
