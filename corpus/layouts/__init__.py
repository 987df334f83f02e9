"""The registry of layouts, and the recognition of a document's layout by the share of its headings,
numbers and contents that each layout explains.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from corpus.document import Document
from corpus.draft import DraftEntry, DraftRulebook, walk
from corpus.languages import any_of
from corpus.layouts import capitals, dashed, markdown, numbered, outline, single
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.outline import OutlineEvidence
from corpus.layouts.outline.printed_numbers import NumberStyle
from corpus.model import Corrections, Edition, Kind

LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        capitals.LAYOUT,
        numbered.LAYOUT,
        markdown.LAYOUT,
        dashed.LAYOUT,
        single.LAYOUT,
        outline.LAYOUT,
    )
}
"""Every layout by its name; if two have the same score, the first wins."""

MIN_SCORE = 0.3  # least score to read a document in another layout than the outline
_EVERYTHING = 0.99  # explained share that counts as everything
_SPECIFIC = 0.06  # share that a specific layout may explain less than the outline
_FEWEST = 3  # headings and numbers; with fewer, there is nothing to explain
_DENSE = 1500  # characters per heading or number, at most, in a reliably read document
_UNSURE = 0.3  # score for a text without headings and numbers
_HALF_RIGHT = 0.5  # the value of an entry inside the wrong one, or without its number

_QUESTION = re.compile(rf"\W*{any_of('labels.question')}\s*:", re.IGNORECASE)
_COLLECTIONS = (
    "sections.glossary",
    "sections.questions",
    "sections.errata",
    "sections.corrections",
)
_COLLECTION = re.compile(rf"\b{any_of(*_COLLECTIONS)}\b", re.IGNORECASE)

__all__ = ["LAYOUTS", "MIN_SCORE", "Layout", "Recognition", "ReferenceStyle", "recognise"]


class Recognition(NamedTuple):
    """The layout of a document, a score from 0.0 to 1.0 for the reliability of its reading, and the
    draft that was read, if known.
    """

    layout: Layout
    score: float
    draft: DraftRulebook | None = None


def recognise(document: Document, edition: Callable[[Layout], Edition]) -> Recognition:
    """Return the layout that explains most of the headings, numbers and contents of ``document``.

    ``edition`` returns the edition of the document in a given layout. The outline layout can read
    any document. Another layout, made for text without markup, is preferred if its score is at
    least `MIN_SCORE` and it explains nearly as much. It has to explain more if the document is not
    a text file, or if the outline explains all marked headings. If there is nothing to explain, the
    layout with the highest score is returned.
    """
    body = document.body
    evidence = outline.gather(body)
    numbers = sum(
        each.system or (each.number.is_first and at - 1 in evidence.headings)
        for at, each in evidence.numbering.items()
    )
    scores = {
        name: score
        for name, layout in LAYOUTS.items()
        if (score := layout.score(body)) >= MIN_SCORE
        and not (layout.excerpt and numbers > 1)  # not a single entry if it has numbered rules
    }
    drafts = {
        name: LAYOUTS[name].read(body, edition(LAYOUTS[name]), Corrections(document, ()))
        for name in scores
    }
    drafts["outline"] = outline.build(evidence, edition(outline.LAYOUT).title)
    wanted = _wanted(evidence)
    shares = {name: _explained(evidence, wanted, draft) for name, draft in drafts.items()}
    marks = sum(heading.given for heading in evidence.headings.values()) >= _FEWEST
    marked = marks and shares["outline"] >= _EVERYTHING
    specific = scores.keys() if document.extracted is None and not marked else set()
    if len(wanted) < _FEWEST and specific:
        best = max(specific, key=scores.__getitem__)
    else:
        best = max(
            shares,
            key=lambda name: (
                shares[name] + (_SPECIFIC if name in specific else 0.0),
                name not in scores or name in specific,
            ),
        )
    if best in scores:
        sure = min(1.0, scores[best])
    else:  # more headings and numbers per character make it more reliable
        characters = sum(unit.span.end - unit.span.start for unit in evidence.units)
        density = min(1.0, len(wanted) * _DENSE / max(characters, 1), len(wanted) / _FEWEST)
        sure = _UNSURE + (1.0 - _UNSURE) * shares[best] * density
    return Recognition(LAYOUTS[best], sure, drafts[best])


def _wanted(evidence: OutlineEvidence) -> set[int]:
    # The units that should be entries: numbers, questions, and headings with other evidence than
    # being on a line of their own.
    headings = {
        at
        for at, heading in evidence.headings.items()
        if heading.given
        or evidence.units[at].in_heading_style
        or (heading.level and evidence.contents.levels)
    }
    questions = {at for at, unit in enumerate(evidence.units) if _QUESTION.match(unit.text)}
    numbers = {at for at, number in evidence.numbering.items() if number.system}
    return headings | questions | numbers


def _explained(evidence: OutlineEvidence, wanted: set[int], draft: DraftRulebook) -> float:
    """Return the share of the ``wanted`` units that are entries of ``draft`` in the right place.

    Wanted headings may also be furniture (a title page). Wrong entries are subtracted: lines of the
    contents, and sentences without evidence of being a heading.
    """
    starts = [unit.span.start for unit in evidence.units]

    def unit_at(offset: int) -> int:
        return max(bisect_right(starts, offset) - 1, 0)

    places: dict[int, int | None] = {}
    numbered = set()
    against = total = 0
    for entry, parent in walk(draft.entries):
        if (start := _start(entry)) is None:
            continue
        total += 1
        at = unit_at(start)
        above = _start(parent) if parent else None
        places.setdefault(at, unit_at(above) if above is not None else None)
        if entry.number:
            numbered.add(at)
        if entry.kind is Kind.RULING:  # may begin with the name of a card, before the question
            spans = [span for passage in entry.passages for span in passage.spans]
            places.update((unit_at(span.start), None) for span in spans)
        if at not in wanted and entry.heading_spans:
            unit = evidence.units[at]
            title = unit.first or unit.bullet
            headed = entry.kind in (Kind.SECTION, Kind.TERM)
            sentence = headed and (unit.ends_sentence or not title)
            against += at in evidence.contents.listed or sentence
    furniture = {unit_at(each.span.start) for each in draft.furniture}
    hits = 0.0
    for at in wanted:
        if at in places:
            right = _is_nested(evidence, at, places) and (
                at in numbered or not _has_label(evidence, at)
            )
            hits += 1.0 if right else _HALF_RIGHT
        else:
            hits += at in furniture and at in evidence.headings
    return max(0.0, hits / max(len(wanted), 1) - against / max(total, 1))


def _has_label(evidence: OutlineEvidence, at: int) -> bool:
    numbered = evidence.numbering.get(at)
    return bool(numbered and numbered.system and numbered.number.style is NumberStyle.LABELLED)


def _start(entry: DraftEntry) -> int | None:
    # The offset of its heading, or of the first passage of a numbered rule.
    spans = [*entry.heading_spans, *(passage.spans[0] for passage in entry.passages[:1])]
    return min((span.start for span in spans), default=None)


def _is_nested(evidence: OutlineEvidence, at: int, places: dict[int, int | None]) -> bool:
    """Return whether the unit ``at`` (a line or block) fits, by its number or level, into the entry
    that contains it according to ``places``. Headings without a number may be between two numbers.

    Headings in a glossary, or among questions or errata, often have the same level as its heading.
    """
    numbered, headings = evidence.numbering.get(at), evidence.headings
    heading, above = headings.get(at), places[at]
    parent = numbered.parent if numbered and numbered.system else None
    by_level = (
        heading and heading.given and not (numbered and parent and numbered.is_inside(parent))
    )
    if parent and parent.system and not by_level:
        while above is not None and above not in evidence.numbering:
            above = places.get(above)
        return above == parent.at
    if above is None:
        return not (heading and heading.given) or not any(
            each.given and other < at and each.level < heading.level
            for other, each in headings.items()
        )
    outer = headings.get(above)
    if not heading or not outer or not heading.level or not outer.level:
        return True
    return outer.level < heading.level or (
        outer.level == heading.level and bool(_COLLECTION.search(evidence.units[above].text))
    )
