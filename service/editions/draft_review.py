"""Drafts of query variants and terms as the review page shows them, and as it writes what was
decided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.languages import LANGUAGES
from corpus.model import Entry, Passage
from glossary.concepts.loading import ConceptFields
from glossary.query_variants import PassageVariants, attach_query_variants
from index.library.library import Library
from service.core.i18n import N_
from service.editions.draft_check import NOT_FOUND, OTHER
from service.editions.yaml_edits import (
    FileBlock,
    TextSlot,
    find_block,
    replaced,
    text_slots,
    with_fields,
)

LONGEST = 600  # characters of a text
KINDS = {
    "players": N_("Questions"),
    "situations": N_("Situations"),
    "gist": N_("What it settles"),
    "situations_en": N_("Situations"),
    "others": N_("In other languages"),
}
REASONS = {NOT_FOUND: N_("does not find its passage"), OTHER: N_("could be answered by %(entry)s")}
NAMES, SLANG, ABBREVIATIONS = "names", "slang", "abbreviations"
TERM_KINDS = {NAMES: N_("Names"), SLANG: N_("Slang"), ABBREVIATIONS: N_("Abbreviations")}
_TERM_FIELDS = (*LANGUAGES, SLANG, ABBREVIATIONS)


@dataclass(frozen=True)
class ReviewText:
    """A text in the slot ``name`` of its block; ``reason`` says why somebody should look at it,
    ``other`` names an entry in it.
    """

    name: str
    text: str
    kind: str
    language: str
    reason: str = ""
    other: str = ""


@dataclass(frozen=True)
class PassageReview:
    """A ``passage`` with its query variants; ``others`` is how many more passages have them too."""

    phrasings: PassageVariants
    passage: Passage
    entry: Entry
    others: int

    @property
    def fingerprint(self) -> str:
        """What the block has as its name."""
        return self.phrasings.fingerprint


@dataclass(frozen=True)
class ReviewTerm:
    """The concept ``id`` as its file has it, with an ``entry`` and its first ``passage``, where the
    index ties one.
    """

    id: str
    fields: ConceptFields
    entry: Entry | None
    passage: Passage | None


class Outdated(Exception):
    """A block was changed since it was shown; ``block`` is what it is now, None for gone."""

    def __init__(self, block: FileBlock | None):
        super().__init__("changed since it was shown")
        self.block = block


def is_reviewed(each: PassageVariants | ConceptFields) -> bool:
    """Return whether a block is confirmed and nothing has come since that should be looked at."""
    return each.reviewed and not each.review


def review_items(
    library: Library, edition: str, own: Sequence[PassageVariants]
) -> list[PassageReview]:
    """Return what of ``own``, the query variants of ``edition`` in its file, can be reviewed: first
    what has reasons, then what has few texts, last what has none.
    """
    homes: dict[str, list[Passage]] = defaultdict(list)
    by_id = {passage.id: passage for passage in library.passages_in(edition)}
    listed = [each for each in own if each.drafted or each.review]
    for id, phrasings in attach_query_variants(listed, by_id.values()).by_passage.items():
        homes[phrasings.fingerprint].append(by_id[id])
    language = library.edition[edition].language

    def order(item: PassageReview) -> tuple[bool, int, bool, int]:
        each = item.phrasings
        texts = sum(1 for _ in each.all(language))
        return is_reviewed(each), -len(each.review), not texts, texts

    return sorted(
        (
            PassageReview(each, first, library.entry[first.entry], len(others))
            for each in listed
            if each.fingerprint in homes
            for first, *others in [homes[each.fingerprint]]
        ),
        key=order,
    )


def review_texts(block: FileBlock, language: str) -> list[ReviewText]:
    """Return the texts of ``block``; ``language`` is that of the rulebook."""
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    found = []
    for slot in text_slots(block.fields, KINDS):
        kind = str(slot.path[0])
        its = "en" if kind in ("gist", "situations_en") else language
        if kind == "others":
            its = str(slot.path[1])
        reason = reasons.get(slot.text, "")
        other = reason.removeprefix(OTHER) if reason.startswith(OTHER) else ""
        found.append(ReviewText(slot.name, slot.text, kind, its, OTHER if other else reason, other))
    return found


def _shown_block(text: str, name: str, version: str) -> FileBlock:
    block = find_block(text, name)
    if block is None or block.version != version:
        raise Outdated(block)
    return block


def confirmed(text: str, fingerprint: str, version: str, texts: Mapping[str, str] | None) -> str:
    """Return ``text``, the content of the file, with a block confirmed: with ``texts`` by their
    slots, empty ones gone; None drops all, and nobody drafts for the passage again.

    Raises `Outdated` where it is not the ``version`` that was shown, and `CannotEdit`.
    """
    block = _shown_block(text, fingerprint, version)
    new = dict.fromkeys(KINDS)
    if texts is not None:
        lines = {name: " ".join(each.split()) for name, each in texts.items()}
        fitting = {name: line[:LONGEST] if len(line) > 1 else "" for name, line in lines.items()}
        new = replaced(block.fields, KINDS, fitting)
    return with_fields(text, block, {**new, "review": {}, "reviewed": True})


def review_terms(library: Library, game: str, own: Mapping[str, ConceptFields]) -> list[ReviewTerm]:
    """Return the concepts of ``own``, those of ``game`` in its file, that can be reviewed, first
    those with reasons, last those done.
    """
    entries: dict[str, str] = {}
    for tied, concept in library.concepts.items():
        entries.setdefault(concept, tied)
    found = []
    for id, fields in own.items():
        if fields.drafted or fields.review:
            entry = library.entry.get(entries.get(f"{game}/{id}", ""))
            passage = next(iter(library.passages_of.get(entry.id, ())), None) if entry else None
            found.append(ReviewTerm(id, fields, entry, passage))
    return sorted(found, key=lambda t: (is_reviewed(t.fields), -len(t.fields.review), t.id))


def term_texts(block: FileBlock, languages: Sequence[str]) -> list[ReviewText]:
    """Return the aliases of ``block``; not the names that rulebooks in ``languages`` print."""
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    found = []
    for slot in _aliases(block, languages):
        kind = str(slot.path[0]) if slot.path[0] in TERM_KINDS else NAMES
        language = str(slot.path[0 if kind == NAMES else 1])
        found.append(ReviewText(slot.name, slot.text, kind, language, reasons.get(slot.text, "")))
    return found


def _aliases(block: FileBlock, languages: Sequence[str]) -> list[TextSlot]:
    printed = {f"{language}.0" for language in languages}
    return [slot for slot in text_slots(block.fields, _TERM_FIELDS) if slot.name not in printed]


def confirmed_term(
    text: str, id: str, version: str, texts: Mapping[str, str] | None, languages: Sequence[str]
) -> str:
    """Do as `confirmed` with the aliases of the concept ``id``."""
    block = _shown_block(text, id, version)
    kept = {
        slot.name: " ".join((texts or {}).get(slot.name, "").split())[:LONGEST]
        for slot in _aliases(block, languages)
        if texts is None or slot.name in texts
    }
    new = replaced(block.fields, _TERM_FIELDS, kept)
    return with_fields(text, block, {**new, "review": {}, "reviewed": True})
