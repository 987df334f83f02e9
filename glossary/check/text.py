"""The running text of a rulebook in the pieces that a proof-reader looks at: paragraphs and items, words, where each stands."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpus.languages import words_of
from corpus.model import Passage, Role, Rulebook

OPENING = words_of("sentences.cannot_end")
_ENDS = words_of("sentences.can_end")
_LEADS = words_of("sentences.clause_openers")
_HOLDS = words_of("sentences.noun_follows")
_ITEM = re.compile(r"[ \t]*(?:[-•➤▶✦»>*][ \t]+|[*_]{0,3}(?:\d{1,2}|[a-h])(?:\.\)|[.)])[*_]{0,3}[ \t])")
_SIGNS = re.compile(r"[*_]+")


@dataclass
class TextUnit:
    """A paragraph or an item of a list: its text in one line, and where in the document its parts stand."""

    passage: Passage
    text: str = ""
    is_item: bool = False
    _starts: list[int] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)

    def add(self, text: str, place: int) -> None:
        """One more line of it, which stands at ``place``."""
        if self.text:
            self.text += " "
        self._starts.append(len(self.text))
        self._places.append(place)
        self.text += text

    def place(self, offset: int) -> int:
        """Where in the document the character at ``offset`` of the text stands."""
        number = max(bisect.bisect_right(self._starts, offset) - 1, 0)
        return self._places[number] + offset - self._starts[number]


def text_units(rulebook: Rulebook, roles: tuple[Role, ...] = (Role.TEXT,)) -> Iterator[TextUnit]:
    """Paragraphs and items of the passages of ``rulebook``; lines of one sentence are put together again."""
    for passage in rulebook.passages:
        if passage.role not in roles:
            continue
        unit: TextUnit | None = None
        for start, end in passage.spans:
            at, fresh = start, False
            for line in rulebook.document.text[start:end].split("\n"):
                text = line.strip()
                item = _ITEM.match(line + " ") is not None
                if not text:
                    fresh = True
                elif unit is None or item or fresh:
                    if unit is not None:
                        yield unit
                    unit, fresh = TextUnit(passage, is_item=item), False
                if text and unit is not None:
                    unit.add(text, at + len(line) - len(line.lstrip()))
                at += len(line) + 1
        if unit is not None:
            yield unit


def may_end(words: Sequence[str]) -> bool:
    """Whether a sentence can end with ``words``: "geht aus" it can, "wenn es" and "zum" it cannot."""
    *before, last = (word.casefold() for word in words)
    if before and ((before[-1] in _LEADS and last in _ENDS) or (before[-1] in _HOLDS and words[-1][0].islower())):
        return False
    return last not in OPENING or last in _ENDS


def without_emphasis(text: str) -> str:
    """``text`` without the signs of bold and italic type."""
    return _SIGNS.sub("", text).strip()
