"""What is to be reviewed of an edition: drafts and texts with a reason to look at them, the worst first, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Passage
from glossary.concepts.loading import ConceptFields
from glossary.phrasings import PassagePhrasings, attach_phrasings
from index.library.library import Library
from service.core.i18n import N_
from service.editions.drafting.file_blocks import FileBlock, find_block, replaced, text_slots, with_fields
from service.editions.drafting.round_trip import NOT_FOUND, OTHER

LONGEST = 600  # characters of a text
KINDS = {
    "players": N_("Questions"),
    "situations": N_("Situations"),
    "gist": N_("What it settles"),
    "situations_en": N_("Situations"),
    "others": N_("In other languages"),
}
REASONS = {NOT_FOUND: N_("does not find its passage"), OTHER: N_("could be answered by %(entry)s")}


@dataclass(frozen=True)
class ReviewText:
    """A text in the slot ``name`` of its block; ``reason`` says why somebody should look at it, ``other`` names an entry in it."""

    name: str
    text: str
    kind: str
    language: str
    reason: str = ""
    other: str = ""


@dataclass(frozen=True)
class PassageReview:
    """A ``passage`` with the texts of its block; ``others`` is how many further passages have them too."""

    phrasings: PassagePhrasings
    passage: Passage
    entry: Entry
    others: int

    @property
    def fingerprint(self) -> str:
        """What it stands under in the file."""
        return self.phrasings.fingerprint


class Outdated(Exception):
    """A block was changed since it was shown; ``block`` is what it is now, None where it is gone."""

    def __init__(self, block: FileBlock | None):
        super().__init__("changed since it was shown")
        self.block = block


def review_items(library: Library, edition: str, own: Sequence[PassagePhrasings]) -> list[PassageReview]:
    """What of ``own``, the phrasings of ``edition`` in its file, can be reviewed.

    First is what has reasons, then what has few texts, last what has none.
    """
    homes: dict[str, list[Passage]] = defaultdict(list)
    by_id = {passage.id: passage for passage in library.passages_in(edition)}
    listed = [each for each in own if each.drafted or each.review]
    for id, phrasings in attach_phrasings(listed, by_id.values()).by_passage.items():
        homes[phrasings.fingerprint].append(by_id[id])
    items = [
        PassageReview(each, homes[each.fingerprint][0], library.entry[homes[each.fingerprint][0].entry], len(homes[each.fingerprint]) - 1)
        for each in listed
        if each.fingerprint in homes
    ]
    language = library.edition[edition].language
    return sorted(items, key=lambda item: _order(item.phrasings, language))


def is_reviewed(each: PassagePhrasings | ConceptFields) -> bool:
    """Whether somebody has confirmed a block, and nothing has come since that should be looked at."""
    return each.reviewed and not each.review


def _order(each: PassagePhrasings, language: str) -> tuple[bool, int, bool, int]:
    texts = sum(1 for _ in each.all(language))
    return is_reviewed(each), -len(each.review), not texts, texts  # without any text, the model found nothing in it to ask


def review_texts(block: FileBlock, language: str) -> list[ReviewText]:
    """The texts of ``block``, those of the rulebook's ``language`` first."""
    return list(_texts(block, language))


def _texts(block: FileBlock, language: str) -> Iterator[ReviewText]:
    reasons: Mapping[str, str] = block.fields.get("review") or {}
    for slot in text_slots(block.fields, KINDS):
        kind = str(slot.path[0])
        its = str(slot.path[1]) if kind == "others" else "en" if kind in ("gist", "situations_en") else language
        reason = reasons.get(slot.text, "")
        other = reason.removeprefix(OTHER) if reason.startswith(OTHER) else ""
        yield ReviewText(slot.name, slot.text, kind, its, OTHER if other else reason, other)


def unchanged(text: str, name: str, version: str) -> FileBlock:
    """The block called ``name`` in ``text``. Raises `Outdated` where it is not the ``version`` that was shown."""
    block = find_block(text, name)
    if block is None or block.version != version:
        raise Outdated(block)
    return block


def confirmed(text: str, fingerprint: str, version: str, texts: Mapping[str, str]) -> str:
    """``text``, the content of the file, with the block of ``fingerprint`` confirmed: with ``texts`` by their slots, the empty ones gone.

    Nothing in it is to be looked at any more. Raises `Outdated` where it is not the ``version`` that was shown, and `CannotEdit`.
    """
    block = unchanged(text, fingerprint, version)
    lines = {name: " ".join(each.split()) for name, each in texts.items()}
    fitting = {name: line[:LONGEST] if len(line) > 1 else "" for name, line in lines.items()}
    return with_fields(text, block, {**replaced(block.fields, KINDS, fitting), "review": {}, "reviewed": True})


def dropped(text: str, fingerprint: str, version: str) -> str:
    """As `confirmed`, with no text left: nobody drafts for the passage again."""
    block = unchanged(text, fingerprint, version)
    return with_fields(text, block, {**dict.fromkeys(KINDS), "review": {}, "reviewed": True})
