"""The registry of layouts, and how the layout of a document is recognised."""

from __future__ import annotations

from corpus.document import Document
from corpus.layouts import capitals, dashed, markdown, numbered, single
from corpus.layouts.layout import Layout, ReferenceStyle

LAYOUTS: dict[str, Layout] = {
    layout.name: layout for layout in (capitals.LAYOUT, numbered.LAYOUT, markdown.LAYOUT, dashed.LAYOUT, single.LAYOUT)
}
"""Every layout by its name. The first one wins where two have the same score."""

MIN_SCORE = 0.3  # the least score with which a document is read in a layout

__all__ = ["LAYOUTS", "MIN_SCORE", "Layout", "ReferenceStyle", "recognise"]


def recognise(document: Document) -> Layout | None:
    """The layout with the highest score for ``document``; None if no score is at least `MIN_SCORE`."""
    scores = {name: layout.score(document.body) for name, layout in LAYOUTS.items()}
    best = max(scores, key=lambda name: scores[name])
    return LAYOUTS[best] if scores[best] >= MIN_SCORE else None
