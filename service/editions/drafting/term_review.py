"""What is to be reviewed of a game's terms: aliases that a model drafted, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.languages import LANGUAGES
from corpus.model import Entry, Passage
from glossary.concepts.loading import ConceptFields
from index.library.library import Library
from service.core.i18n import N_
from service.editions.drafting.file_blocks import FileBlock, TextSlot, replaced, text_slots, with_fields
from service.editions.drafting.review import LONGEST, ReviewText, is_reviewed, unchanged

NAMES, SLANG, ABBREVIATIONS = "names", "slang", "abbreviations"
TERM_KINDS = {NAMES: N_("Names"), SLANG: N_("Slang"), ABBREVIATIONS: N_("Abbreviations")}
_FIELDS = (*LANGUAGES, SLANG, ABBREVIATIONS)


@dataclass(frozen=True)
class ReviewTerm:
    """The concept ``id`` as its file has it; ``entry`` has its text, with the first ``passage``, None where the index ties none."""

    id: str
    fields: ConceptFields
    entry: Entry | None
    passage: Passage | None


def review_terms(library: Library, game: str, own: Mapping[str, ConceptFields]) -> list[ReviewTerm]:
    """The concepts of ``own``, those of ``game`` in its file, that can be reviewed: first what has reasons, last what is reviewed."""
    entries: dict[str, str] = {}
    for tied, concept in library.concepts.items():
        entries.setdefault(concept, tied)
    found = []
    for id, fields in own.items():
        if fields.drafted or fields.review:
            entry = library.entry.get(entries.get(f"{game}/{id}", ""))
            passage = next(iter(library.passages_of.get(entry.id, ())), None) if entry else None
            found.append(ReviewTerm(id, fields, entry, passage))
    return sorted(found, key=lambda term: (is_reviewed(term.fields), -len(term.fields.review), term.id))


def term_texts(block: FileBlock, languages: Sequence[str]) -> list[ReviewText]:
    """The aliases of ``block``; not the names that rulebooks in ``languages`` print, which nobody drafted."""
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    found = []
    for slot in _slots(block, languages):
        kind = str(slot.path[0]) if slot.path[0] in TERM_KINDS else NAMES
        language = str(slot.path[0]) if kind == NAMES else str(slot.path[1])
        found.append(ReviewText(slot.name, slot.text, kind, language, reasons.get(slot.text, "")))
    return found


def _slots(block: FileBlock, languages: Sequence[str]) -> Iterator[TextSlot]:
    printed = {f"{language}.0" for language in languages}
    yield from (slot for slot in text_slots(block.fields, _FIELDS) if slot.name not in printed)


def confirmed_term(text: str, id: str, version: str, texts: Mapping[str, str] | None, languages: Sequence[str]) -> str:
    """``text``, the content of the file, with the concept ``id`` confirmed: with ``texts`` by their slots, the empty ones gone.

    None drops all of them. Raises `service.editions.drafting.review.Outdated` where it is not the ``version`` that was shown, and
    `service.editions.drafting.yaml_edits.CannotEdit`.
    """
    block = unchanged(text, id, version)
    slots = [slot.name for slot in _slots(block, languages)]
    kept = {name: " ".join((texts or {}).get(name, "").split())[:LONGEST] for name in slots if texts is None or name in texts}
    return with_fields(text, block, {**replaced(block.fields, _FIELDS, kept), "review": {}, "reviewed": True})
