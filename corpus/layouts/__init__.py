"""The layouts that rulebooks are printed in: one reader each, and how a document's layout is recognised."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from corpus.document import Document
from corpus.draft import DraftRulebook
from corpus.layouts import capitals, dashed, markdown, numbered, single
from corpus.model import Corrections, Edition


class Layout(NamedTuple):
    """``score`` says from 0.0 to 1.0 how much a document looks like this layout; ``read`` reads it."""

    score: Callable[[Document], float]
    read: Callable[[Document, Edition, Corrections], DraftRulebook]


LAYOUTS: dict[str, Layout] = {
    "capitals": Layout(capitals.score, capitals.read),
    "numbered": Layout(numbered.score, numbered.read),
    "markdown": Layout(markdown.score, markdown.read),
    "dashed": Layout(dashed.score, dashed.read),
    "single": Layout(single.score, single.read),
}
LEAST = 0.3


def recognise(document: Document) -> str | None:
    """The name of the layout that ``document`` looks most like, or None where it looks like none of them."""
    scores = {name: layout.score(document) for name, layout in LAYOUTS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= LEAST else None
