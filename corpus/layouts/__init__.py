"""The registry of layouts, and how the layout of a document is recognised."""

from __future__ import annotations

from typing import NamedTuple

from corpus.document import Document
from corpus.layouts import capitals, dashed, markdown, numbered, outline, single
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.outline import measure
from corpus.layouts.outline.tree import OutlineEvidence
from corpus.model import Corrections, Edition

LAYOUTS: dict[str, Layout] = {
    layout.name: layout for layout in (capitals.LAYOUT, numbered.LAYOUT, markdown.LAYOUT, dashed.LAYOUT, single.LAYOUT, outline.LAYOUT)
}
"""Every layout by its name. The first one wins where two have the same score."""

MIN_SCORE = 0.3  # the least score with which a document is read in a layout that was made for its kind
SPECIFIC = 0.06  # what a layout that was made for a kind of document may explain less than the outline

__all__ = ["LAYOUTS", "MIN_SCORE", "Layout", "Recognition", "ReferenceStyle", "recognise", "recognition"]


class Recognition(NamedTuple):
    """The layout of a document, and how sure its reading is, from 0.0 to 1.0."""

    layout: Layout
    score: float


def recognise(document: Document) -> Layout:
    """The layout that ``document`` is read in."""
    return recognition(document).layout


def recognition(document: Document) -> Recognition:
    """The layout that explains most of what ``document`` has of headings, numbers and contents (`outline.measure`), and how sure it is.

    A layout that looks like the document, with a score of at least `MIN_SCORE`, wins over the outline, which reads anything, if it
    explains nearly as much. Where there is nothing to explain, the one that looks most like the document is taken.
    """
    body = document.body
    scores = {name: score for name, layout in LAYOUTS.items() if (score := layout.score(body)) >= MIN_SCORE}
    evidence = outline.gather(body)
    shares = {name: _explained(evidence, body, LAYOUTS[name]) for name in (*scores, outline.LAYOUT.name)}
    if len(measure.wanted_units(evidence)) < measure.FEWEST and scores:
        best = max(scores, key=lambda name: scores[name])
    else:
        best = max(shares, key=lambda name: (shares[name] + (SPECIFIC if name in scores else 0.0), scores.get(name, 0.0)))
    sure = min(1.0, scores[best]) if best in scores else measure.certainty(evidence, shares[best])
    return Recognition(LAYOUTS[best], sure)


def _explained(evidence: OutlineEvidence, document: Document, layout: Layout) -> float:
    edition = Edition("", "", "", "", "", layout.name)
    return measure.explained(evidence, layout.read(document, edition, Corrections(document, ())))
