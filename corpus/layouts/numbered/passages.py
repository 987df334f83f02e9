"""Makes passages of paragraphs and bullets: joins interrupted paragraphs, and bullets with their
sub-bullets.
"""

from __future__ import annotations

import re

from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.numbered.lines import NumberedLine, continues_sentence
from corpus.model import Furniture, Role, Span

_SEE = re.compile(
    rf"[*_\s(]*{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?\b", re.IGNORECASE
)


class NumberedPassageBuilder:
    """Adds lines to the passages of ``entry``, in document order. Bullets outside lists become
    furniture of ``rulebook``.
    """

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._rulebook = rulebook
        self._last: NumberedLine | None = None
        self._indent = 0

    @property
    def empty(self) -> bool:
        """Whether no line has been added yet."""
        return self._last is None

    def continues(self, line: NumberedLine) -> bool:
        """Whether ``line`` continues the sentence of the line before."""
        return self._last is not None and continues_sentence(self._last.text, line)

    def add(self, line: NumberedLine) -> None:
        """Add ``line`` to the last passage, or to a new one."""
        passages = self._entry.passages
        if self._last is None or not passages:
            self._open(line)
        elif self.continues(line):
            discard_bullet(self._rulebook, line)
            extend_passage(passages[-1], line.span, self._text, separate=line.after_blank)
        elif line.has_bullet and self._indented(line):
            extend_passage(passages[-1], Span(line.bullet_start, line.end), self._text)
            passages[-1].split_points.append(line.bullet_start)
        elif (
            not line.after_blank
            and not line.has_bullet
            and not line.is_example
            and passages[-1].role is Role.TEXT
            and not line.is_see_list
        ):
            extend_passage(passages[-1], line.span, self._text)  # the next line of a paragraph
        else:
            self._open(line)
        self._last = line

    def _indented(self, line: NumberedLine) -> bool:
        return (
            self._last is not None
            and self._entry.passages[-1].depth == 1
            and line.indent > self._indent
        )

    def _open(self, line: NumberedLine) -> None:
        role = Role.SEE if line.is_see_list else Role.TEXT
        passage = DraftPassage(
            [Span(line.bullet_start, line.end)], role, depth=1 if line.has_bullet else 0
        )
        self._entry.passages.append(passage)
        if line.has_bullet:
            self._indent = line.indent


def is_redirect(entry: DraftEntry, text: str) -> bool:
    """Whether the only text of ``entry`` is a reference to another entry."""
    if len(entry.passages) != 1 or entry.passages[0].depth:
        return False
    start, end = entry.passages[0].spans[0].start, entry.passages[0].spans[-1].end
    return (
        end - start < 150
        and _SEE.match(text, start, end) is not None
        and "." not in text[start:end].strip(" .*_\n")
    )


def discard_bullet(rulebook: DraftRulebook, line: NumberedLine) -> None:
    """Make the bullet of ``line`` furniture, for lines that are not list items: numbered rules, and
    rests of interrupted sentences.
    """
    if line.has_bullet:
        rulebook.furniture.append(
            Furniture(Span(line.bullet_start, line.start), "bullet of no list")
        )


def extend_passage(passage: DraftPassage, span: Span, text: str, separate: bool = False) -> None:
    """Add ``span`` to ``passage``: as a new span if ``separate`` or if there is text between, else
    by extending the last span.
    """
    last = passage.spans[-1]
    if not separate and not text[last.end : span.start].strip():
        passage.spans[-1] = Span(last.start, span.end)
    else:
        passage.spans.append(span)
