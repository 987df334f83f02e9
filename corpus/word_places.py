"""Lines of a text found again by their words in another extraction of it, whose lines and
paragraphs are other ones.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from corpus.document import Document
from corpus.letter_runs import letters, runs
from corpus.line_paragraphs import paragraphs
from corpus.spans import Span

LEAST_RUNS = 2  # of a sketch, and at least half of it, that have to stand together in a document
REACH = 2000  # letters that a line has at most; the longest paragraph seen has 1,600
_DIVIDED = "-\u00ad"


class Place(NamedTuple):
    """A piece of text by the indexes of its first and last paragraph."""

    first: int
    last: int


class WordPlaces:
    """Finds pieces of text in ``document`` by sketches of their letters; only hashes that are
    ``wanted`` can be looked for.
    """

    def __init__(self, document: Document, wanted: Collection[int]):
        self._document = document
        self._wanted = frozenset(wanted)
        self.paragraphs = paragraphs(document)
        self._firsts = [paragraph.lines[0].number for paragraph in self.paragraphs]

    @cached_property
    def _letters(self) -> list[str]:
        return [letters(paragraph.text) for paragraph in self.paragraphs]

    @cached_property
    def _starts(self) -> list[int]:
        """The place of each paragraph among all letters of the document."""
        starts, at = [], 0
        for each in self._letters:
            starts.append(at)
            at += len(each)
        return starts

    @cached_property
    def _places(self) -> dict[int, list[int]]:
        """Where each wanted hash stands among all letters of the document."""
        found: dict[int, list[int]] = defaultdict(list)
        for at, run in enumerate(runs("".join(self._letters))):
            if run in self._wanted:
                found[run].append(at)
        return found

    def paragraph_of(self, line: int) -> int:
        """The index of the paragraph that has the ``line``."""
        return max(bisect_right(self._firsts, line) - 1, 0)

    def letters_of(self, place: Place) -> str:
        """The letters and digits at ``place``."""
        return "".join(self._letters[place.first : place.last + 1])

    def find(self, sketch: Sequence[int], near: int) -> Place | None:
        """Where most of ``sketch`` stands together, as near to the paragraph ``near`` as it can be;
        None where that is less than half.
        """
        hits = sorted((at, run) for run in set(sketch) for at in self._places.get(run, ()))
        best: tuple[int, int, int, int] | None = None
        for index, (start, _) in enumerate(hits):
            within = hits[index : bisect_left(hits, (start + REACH, 0))]
            closest: dict[int, int] = {}
            for at, run in within:
                closest.setdefault(run, at)
            end = max(closest.values())
            far = abs(self._at(start) - near)
            rank = (len(closest), -(far // 20), -(end - start), -start)
            if best is None or rank > best:
                best = rank
        if best is None or best[0] < max(LEAST_RUNS, len(sketch) / 2):
            return None
        start = -best[3]
        return Place(self._at(start), self._at(start - best[2]))

    def _at(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def printed(self, printed: str, place: Place, apart: int) -> Span | None:
        """Where what is ``printed`` stands at ``place``, however it is broken into lines, else in
        the nearest paragraph around it.

        It may be so many paragraphs ``apart``; if that is more than one, also anywhere else where
        it stands only once. Letters alone decide where the signs of what is printed stand nowhere.
        """
        around = (
            index for by in range(1, apart + 1) for index in (place.first - by, place.last + by)
        )
        order = [
            *range(place.first, place.last + 1),
            *(index for index in around if 0 <= index < len(self.paragraphs)),
        ]
        for patterns in (_patterns(printed)[:2], _patterns(printed)[2:]):
            for index in order:
                for pattern in patterns:
                    span = self.paragraphs[index].span
                    if match := pattern.search(self._document.text, span.start, span.end):
                        return Span(match.start(), match.end())
        return self._only(_patterns(printed)[1]) if apart > 1 else None

    def _only(self, pattern: re.Pattern[str]) -> Span | None:
        """The only place in the document that fits ``pattern``; None if there is none or
        several.
        """
        found = [
            Span(match.start(), match.end()) for match in pattern.finditer(self._document.body.text)
        ]
        return found[0] if len(found) == 1 else None


def _patterns(printed: str) -> list[re.Pattern[str]]:
    """Patterns for what is ``printed``: as it stands, with other blanks and hyphens at line ends,
    and by its letters alone.
    """
    broken = rf"(?:[{_DIVIDED}]?\s+)?"
    signs = [re.escape(sign) for sign in printed if not sign.isspace()]
    words = [re.escape(sign) for sign in unicodedata.normalize("NFKC", printed) if sign.isalnum()]
    patterns = [re.escape(printed), broken.join(signs)]
    if words:
        patterns.append(r"[\W_]{0,8}?".join(words))
    return [re.compile(pattern) for pattern in patterns]
