"""The registry of layouts, and how the layout of a document is recognised."""

from __future__ import annotations

from typing import NamedTuple

from corpus.document import Document
from corpus.layouts import capitals, dashed, markdown, numbered, outline, single
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.outline import measure
from corpus.model import Corrections, Edition

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
"""Every layout by its name. The first one wins where two have the same score."""

MIN_SCORE = (
    0.3  # the least score with which a document is read in a layout that was made for its kind
)
_NO_EDITION = Edition("", "", "", "", "", "")
EVERYTHING = 0.99  # share of what there is to explain that counts as all of it
SPECIFIC = (
    0.06  # what a layout that was made for a kind of document may explain less than the outline
)

__all__ = [
    "LAYOUTS",
    "MIN_SCORE",
    "Layout",
    "Recognition",
    "ReferenceStyle",
    "recognise",
    "recognition",
]


class Recognition(NamedTuple):
    """The layout of a document, and how sure its reading is, from 0.0 to 1.0."""

    layout: Layout
    score: float


def recognise(document: Document) -> Layout:
    """The layout that ``document`` is read in."""
    return recognition(document).layout


def recognition(document: Document) -> Recognition:
    """The layout that explains most of what ``document`` has of headings, numbers and contents
    (`outline.measure`), and how sure it is.

    A layout that looks like the document, with a score of at least `MIN_SCORE`, wins over the
    outline, which reads anything, if it explains nearly as much. Where there is nothing to explain,
    the one that looks most like the document is taken. These layouts were made for text without
    marks of its own: what is no text file, or marks its headings so that the outline explains
    everything, is read in one of them only if it explains more.
    """
    body = document.body
    scores = {
        name: score
        for name, layout in LAYOUTS.items()
        if (score := layout.score(body)) >= MIN_SCORE
    }
    evidence = outline.gather(body)
    drafts = {
        name: LAYOUTS[name].read(body, _NO_EDITION, Corrections(body, ()))
        for name in (*scores, outline.LAYOUT.name)
    }
    shares = {name: measure.explained(evidence, draft) for name, draft in drafts.items()}
    marked = measure.marks_headings(evidence) and shares[outline.LAYOUT.name] >= EVERYTHING
    specific = scores.keys() if document.extracted is None and not marked else set()
    if len(measure.wanted_units(evidence)) < measure.FEWEST and specific:
        best = max(specific, key=lambda name: scores[name])
    else:
        best = max(
            shares,
            key=lambda name: (
                shares[name] + (SPECIFIC if name in specific else 0.0),
                name not in scores or name in specific,
            ),
        )
    sure = min(1.0, scores[best]) if best in scores else measure.certainty(evidence, shares[best])
    return Recognition(LAYOUTS[best], sure)
