"""How much of the evidence in a document a reading of it explains."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from corpus.draft import DraftEntry, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.outline.tree import OutlineEvidence
from corpus.model import Kind

FEWEST = 3  # headings and numbers from which there is something to explain
DENSE = 1500  # characters of text for each heading or number in a document that is surely read
UNSURE = 0.3  # how sure the reading of a text without headings and numbers is
_NESTED_WRONG = (
    0.5  # what an entry counts that is found, but stands in another than the evidence says
)

_QUESTION = re.compile(rf"\W*{any_of('labels.question')}\s*:", re.IGNORECASE)
_COLLECTIONS = any_of(
    "sections.glossary", "sections.questions", "sections.errata", "sections.corrections"
)
_COLLECTION = re.compile(rf"\b{_COLLECTIONS}\b", re.IGNORECASE)


def explained(evidence: OutlineEvidence, draft: DraftRulebook) -> float:
    """The share of headings, numbers and questions in ``evidence`` that are entries of ``draft`` in
    the right place, from 0.0 to 1.0.

    Headings of the format, bookmarks, titles that the contents name and numbers of sequences count.
    What the draft calls furniture may be a title page. Entries that are lines of the contents, or
    sentences that no evidence calls a heading, are taken off.
    """
    wanted = wanted_units(evidence)
    if not wanted:
        return 0.0
    starts = [unit.span.start for unit in evidence.units]

    def unit_at(offset: int) -> int:
        return max(bisect.bisect_right(starts, offset) - 1, 0)

    places: dict[int, int | None] = {}
    against = total = 0
    for entry, parent in _entries(draft.entries):
        if (start := _start(entry)) is None:
            continue
        total += 1
        at = unit_at(start)
        above = _start(parent) if parent else None
        places.setdefault(at, unit_at(above) if above is not None else None)
        if entry.kind is Kind.RULING:  # it may begin with the name of its card, before the question
            places.update(
                (unit_at(span.start), None) for passage in entry.passages for span in passage.spans
            )
        against += (
            at not in wanted and bool(entry.heading_spans) and _contradicted(evidence, at, entry)
        )
    furniture = {unit_at(each.span.start) for each in draft.furniture}
    hits = sum(
        (1.0 if _nested(evidence, at, places[at]) else _NESTED_WRONG)
        if at in places
        else at in furniture and at in evidence.headings
        for at in wanted
    )
    return max(0.0, hits / len(wanted) - against / max(total, 1))


def marks_headings(evidence: OutlineEvidence) -> bool:
    """Whether the format marks several headings with their levels."""
    return sum(heading.given for heading in evidence.headings.values()) >= FEWEST


def certainty(evidence: OutlineEvidence, share: float) -> float:
    """How sure an outline that explains ``share`` of the evidence is, from `UNSURE` to 1.0: the
    more evidence for its text the surer.
    """
    characters = sum(unit.span.end - unit.span.start for unit in evidence.units)
    wanted = len(wanted_units(evidence))
    density = min(1.0, wanted * DENSE / max(characters, 1), wanted / FEWEST)
    return UNSURE + (1.0 - UNSURE) * share * density


def wanted_units(evidence: OutlineEvidence) -> set[int]:
    """The units that should be entries: headings of which there is more to say than that they stand
    alone, numbers, and questions.
    """
    named = evidence.contents.levels.keys()
    headings = {
        at
        for at, heading in evidence.headings.items()
        if heading.sure or evidence.units[at].in_heading_style or (heading.level and named)
    }
    questions = {at for at, unit in enumerate(evidence.units) if _QUESTION.match(unit.text)}
    return headings | questions | {at for at, number in evidence.numbering.items() if number.system}


def _entries(
    drafts: list[DraftEntry], parent: DraftEntry | None = None
) -> Iterator[tuple[DraftEntry, DraftEntry | None]]:
    for entry in drafts:
        yield entry, parent
        yield from _entries(entry.children, entry)


def _start(entry: DraftEntry) -> int | None:
    """Where ``entry`` itself begins: at its heading, or a numbered rule at its first passage; None
    if it has neither.
    """
    spans = [
        *entry.heading_spans,
        *(span for passage in entry.passages[:1] for span in passage.spans[:1]),
    ]
    return min((span.start for span in spans), default=None)


def _contradicted(evidence: OutlineEvidence, at: int, entry: DraftEntry) -> bool:
    if at in evidence.contents.listed:
        return True
    unit = evidence.units[at]
    return entry.kind in (Kind.SECTION, Kind.TERM) and (
        unit.ends_sentence or not (unit.first or unit.bullet)
    )


def _nested(evidence: OutlineEvidence, at: int, above: int | None) -> bool:
    """Whether unit ``at`` may stand in the entry that begins at unit ``above``, by its number or
    its level.

    What stands in a glossary, or among questions or errata, often has headings of the same level as
    these.
    """
    numbered = evidence.numbering.get(at)
    if (
        numbered
        and numbered.system
        and numbered.parent is not None
        and evidence.numbering[numbered.parent].system
    ):
        return above == numbered.parent
    heading, outer = (
        evidence.headings.get(at),
        evidence.headings.get(above) if above is not None else None,
    )
    if above is None and heading and heading.given and heading.level > 1:
        return not any(
            each.given and each.at < at and each.level < heading.level
            for each in evidence.headings.values()
        )
    if not heading or not outer or not heading.level or not outer.level or above is None:
        return True
    return outer.level < heading.level or (
        outer.level == heading.level and bool(_COLLECTION.search(evidence.units[above].text))
    )
