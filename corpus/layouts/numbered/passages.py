"""Makes passages of paragraphs and bullets; joins torn paragraphs, and sub-bullets to their bullet."""

from __future__ import annotations

import re

from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.numbered.lines import NumberedRow, continues_sentence
from corpus.model import Furniture, Role, Span

_SEE = re.compile(rf"[*_\s(]*{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?\b", re.IGNORECASE)


class ProseReader:
    """Adds rows to the passages of an entry, in order. Bullets without a list become furniture of ``rulebook``."""

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._book = rulebook
        self._last: NumberedRow | None = None
        self._indent = 0

    @property
    def empty(self) -> bool:
        """Whether no row has been added yet."""
        return self._last is None

    def continues(self, row: NumberedRow) -> bool:
        """Whether ``row`` continues the sentence of the row before."""
        return self._last is not None and continues_sentence(self._last.text, row)

    def add(self, row: NumberedRow) -> None:
        """Add ``row`` to the last passage, or to a new one."""
        passages = self._entry.passages
        if self._last is None or not passages:
            self._open(row)
        elif self.continues(row):
            discard_bullet(self._book, row)
            extend(passages[-1], row.span, self._text, apart=row.apart)
        elif row.bullet and self._indented(row):
            extend(passages[-1], Span(row.sign, row.end), self._text)
            passages[-1].split_points.append(row.sign)
        elif not row.apart and not row.bullet and not row.example and passages[-1].role is Role.TEXT and not row.see:
            extend(passages[-1], row.span, self._text)  # the next line of a paragraph set in lines
        else:
            self._open(row)
        self._last = row

    def _indented(self, row: NumberedRow) -> bool:
        return self._last is not None and self._entry.passages[-1].depth == 1 and row.indent > self._indent

    def _open(self, row: NumberedRow) -> None:
        role = Role.SEE if row.see else Role.TEXT
        passage = DraftPassage([Span(row.sign, row.end)], role, depth=1 if row.bullet else 0)
        self._entry.passages.append(passage)
        if row.bullet:
            self._indent = row.indent


def only_points(entry: DraftEntry, text: str) -> bool:
    """Whether ``entry`` has no text but a reference to another entry."""
    if len(entry.passages) != 1 or entry.passages[0].depth:
        return False
    start, end = entry.passages[0].spans[0].start, entry.passages[0].spans[-1].end
    return end - start < 150 and _SEE.match(text, start, end) is not None and "." not in text[start:end].strip(" .*_\n")


def discard_bullet(rulebook: DraftRulebook, row: NumberedRow) -> None:
    """Make furniture of the bullet of a row that is no list item: a numbered rule, or the rest of a torn sentence."""
    if row.bullet:
        rulebook.furniture.append(Furniture(Span(row.sign, row.start), "bullet of no list"))


def extend(passage: DraftPassage, span: Span, text: str, apart: bool = False) -> None:
    """Add ``span`` to ``passage``: to its last span where only white space lies between, as its own where ``apart``."""
    last = passage.spans[-1]
    if not apart and not text[last.end : span.start].strip():
        passage.spans[-1] = Span(last.start, span.end)
    else:
        passage.spans.append(span)
