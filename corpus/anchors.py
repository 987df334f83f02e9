"""Anchors of corrections: text hashes that find a corrected line again in another version or
another extraction of its document.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from corpus import letter_runs
from corpus.blocks import Span
from corpus.document import Document
from corpus.letter_runs import RUN, letters, runs
from corpus.model import Correction, Fault
from corpus.paragraphs import paragraphs

SKETCH = 4  # hashes of runs of letters in an anchor
APART = 8  # paragraphs between two parts of a line that a column or figure may separate

_PART = r"[0-9a-f]{8}(\+\d+/\d+)?(~([0-9a-f]{6}){1,4})?"
PATTERN = rf"^{_PART}(-{_PART}){{0,2}}$"
_LEAST_RUNS = 2  # hashes of a sketch, and at least half of it, to be found close together
_REACH = 2000  # letters that a line has at most; the longest paragraph seen has 1,600
_AHEAD = 12  # letters that a paragraph may have before its line: a number, a bullet's letter
# Faults of a whole line, and faults of words in it.
_WHOLE = frozenset({Fault.FURNITURE, Fault.HEADING})
_INSIDE = frozenset({Fault.CHARACTER, Fault.LOST, Fault.REFERENCE, Fault.BELONGS})


class LineAnchor(NamedTuple):
    """The anchor of one line: the ``hash`` of its letters, its ``place`` among the ``many`` lines
    with that hash, and the ``sketch`` of its letters (MinHash of its shingles, see
    `corpus.letter_runs`).
    """

    hash: str
    place: int
    many: int
    sketch: tuple[int, ...]


@lru_cache(maxsize=2**15)
def anchor(text: str) -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of the letters and digits of
    ``text``, or of its other characters if it has neither.
    """
    letters = letter_runs.letters(text) or "".join(text.split())
    return hashlib.sha256(letters.encode()).hexdigest()[:8]


def parsed(anchor: str) -> tuple[LineAnchor, ...]:
    """Parse the ``anchor`` field of a correction into one anchor for each line it names."""
    found = []
    for part in anchor.split("-") if anchor else ():
        name, _, sketch = part.partition("~")
        hash, _, number = name.partition("+")
        place, many = map(int, (number or "1/1").split("/"))
        found.append(LineAnchor(hash, place, many, letter_runs.parsed(sketch)))
    return tuple(found)


def continued_line(correction: Correction) -> int | None:
    """Return the last line of the passage that the torn text of ``correction`` continues, or None
    if its fault is another.
    """
    torn = correction.fault is Fault.TORN and isinstance(correction.meant, int)
    return int(correction.meant or 0) if torn else None


def anchors(document: Document, corrections: Sequence[Correction]) -> list[str]:
    """Return the ``anchor`` field for each of ``corrections``: the anchors of its first line, its
    last line if it has several, and the line it continues if it is torn, joined by hyphens.

    "+2/5" after a hash says that the line is the second of five lines with that hash. "~"
    introduces the sketch of a longer line. The field is empty if the correction does not fit the
    document.
    """
    lines = lines_by_anchor(document)
    texts = {paragraph.lines[0].number: paragraph.text for paragraph in paragraphs(document)}
    starts = sorted(texts)

    def fields(correction: Correction) -> Iterator[str]:
        numbers = [correction.line, correction.through, continued_line(correction)]
        if correction.through == correction.line:
            del numbers[1]
        named = [number for number in numbers if number is not None]
        if not correction.fits(document) or not all(0 < n <= len(document.lines) for n in named):
            return
        for number in named:
            first = starts[bisect_right(starts, number) - 1]
            name = anchor(texts[first])
            same = lines[name]
            place = f"+{same.index(first) + 1}/{len(same)}" if len(same) > 1 else ""
            sketch = letter_runs.written(letter_runs.sketch(texts[first], SKETCH))
            yield name + place + (f"~{sketch}" if sketch else "")

    return ["-".join(fields(correction)) for correction in corrections]


def lines_by_anchor(document: Document) -> dict[str, list[int]]:
    """Return the line numbers in ``document`` by anchor; a paragraph of several lines counts as its
    first line.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    for paragraph in paragraphs(document):
        lines[anchor(paragraph.text)].append(paragraph.lines[0].number)
    return lines


def relocate(document: Document, corrections: Sequence[Correction]) -> tuple[Correction, ...]:
    """Return ``corrections`` in the same order, each moved to the lines of ``document`` with the
    text that it was written for.

    - A paragraph with exactly the words of the anchor wins. Of several, the one with the recorded
      position among equally many wins, otherwise the nearest to the expected place, which is
      shifted like the neighbouring corrections.
    - Otherwise the place with most of the anchor's letter shingles wins.
    - Otherwise, in a text file, the expected line or its neighbour wins if it has ``printed``.

    A correction that is not found gets ``placed=False``. Corrections without an anchor are not
    moved.
    """
    if not any(each.anchor for each in corrections):
        return tuple(corrections)
    if not document.extracted and _is_same_text(document, corrections):
        return tuple(corrections)
    words = _WordRelocation(document, corrections)
    return tuple(words.relocated(each) if each.anchor else each for each in corrections)


def _is_same_text(document: Document, corrections: Sequence[Correction]) -> bool:
    lines = lines_by_anchor(document)
    return all(
        correction.fits(document) and correction.line in lines.get(first.hash, ())
        for correction in corrections
        for first in parsed(correction.anchor)[:1]
    )


class _Place(NamedTuple):
    """A piece of text, as the indices of its first and last paragraph."""

    first: int
    last: int


class _Words:
    """Finds pieces of text in ``document`` by sketches of their letters; only the hashes ``wanted``
    are indexed.
    """

    def __init__(self, document: Document, wanted: Collection[int]):
        self._document = document
        self._wanted = frozenset(wanted)
        self.paragraphs = paragraphs(document)
        self.first_lines = [paragraph.lines[0].number for paragraph in self.paragraphs]

    @cached_property
    def _letters(self) -> list[str]:
        return [letters(paragraph.text) for paragraph in self.paragraphs]

    @cached_property
    def _starts(self) -> list[int]:
        # The offset of each paragraph in the letters of the document.
        starts, at = [], 0
        for each in self._letters:
            starts.append(at)
            at += len(each)
        return starts

    @cached_property
    def _places(self) -> dict[int, list[int]]:
        # The offsets of each wanted hash in the letters of the document.
        found: dict[int, list[int]] = defaultdict(list)
        for at, run in enumerate(runs("".join(self._letters))):
            if run in self._wanted:
                found[run].append(at)
        return found

    def _at(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def paragraph_of(self, line: int) -> int:
        """Return the index of the paragraph that contains ``line``."""
        return max(bisect_right(self.first_lines, line) - 1, 0)

    def find(self, sketch: Sequence[int], near: int) -> _Place | None:
        """Return the place that contains most hashes of ``sketch``, the nearest to the paragraph
        ``near`` if several do, or None if no place has half of them.
        """
        hits = sorted((at, run) for run in set(sketch) for at in self._places.get(run, ()))
        ranks = []
        for index, (start, _) in enumerate(hits):
            closest: dict[int, int] = {}
            for at, run in hits[index : bisect_left(hits, (start + _REACH, 0))]:
                closest.setdefault(run, at)
            end = max(closest.values())
            far = abs(self._at(start) - near)
            ranks.append((len(closest), -(far // 20), start - end, -start))
        best, _, length, start = max(ranks, default=(0, 0, 0, 0))
        if best < max(_LEAST_RUNS, len(sketch) / 2):
            return None
        return _Place(self._at(-start), self._at(-start - length))

    def printed(self, printed: str, place: _Place, apart: int) -> Span | None:
        """Return the span of ``printed`` at ``place``, or in the nearest paragraph around it; line
        breaks are ignored.

        Up to ``apart`` paragraphs before and after ``place`` are searched. If ``apart`` is more
        than 1, the whole document is searched last, where the text must occur only once. If the
        exact text is not found, only letters and digits are compared.
        """
        order = list(range(place.first, place.last + 1))
        for by in range(1, apart + 1):
            around = (place.first - by, place.last + by)
            order += [index for index in around if 0 <= index < len(self.paragraphs)]
        exact, broken, *by_letters = _patterns(printed)
        for patterns in ([exact, broken], by_letters):
            for index in order:
                for pattern in patterns:
                    span = self.paragraphs[index].span
                    if match := pattern.search(self._document.text, *span):
                        return Span(*match.span())
        found = list(broken.finditer(self._document.body.text)) if apart > 1 else []
        return Span(*found[0].span()) if len(found) == 1 else None


def _patterns(printed: str) -> list[re.Pattern[str]]:
    # Patterns for the exact text, for other line breaks and hyphens, and for its letters alone.
    signs = [re.escape(sign) for sign in printed if not sign.isspace()]
    words = [re.escape(sign) for sign in unicodedata.normalize("NFKC", printed) if sign.isalnum()]
    patterns = [re.escape(printed), "(?:[-\u00ad]?\\s+)?".join(signs)]
    if words:
        patterns.append(r"[\W_]{0,8}?".join(words))
    return [re.compile(pattern) for pattern in patterns]


class _WordRelocation:
    """Moves ``corrections`` made for another version or extraction to their places in
    ``document``.
    """

    def __init__(self, document: Document, corrections: Sequence[Correction]):
        self._document = document
        self._fields = {c: parsed(c.anchor) for c in corrections}
        named = [each for fields in self._fields.values() for each in fields]
        self._words = _Words(document, {run for each in named for run in each.sketch})
        self._by_anchor: dict[str, list[int]] = defaultdict(list)
        for index, paragraph in enumerate(self._words.paragraphs):
            self._by_anchor[anchor(paragraph.text)].append(index)
        self._known = sorted(
            (correction.line, found[0])
            for correction, fields in self._fields.items()
            if fields and fields[0].many == 1
            if len(found := self._by_anchor.get(fields[0].hash, [])) == 1
        )

    def relocated(self, correction: Correction) -> Correction:
        """Return ``correction`` with its lines and spelling in the document, or with
        ``placed=False`` if its text is not found.
        """
        words = self._words
        missing = replace(correction, placed=False)
        first, *others = self._fields[correction]
        expected = self._expected(correction.line)
        inside = correction.fault not in _WHOLE
        place = self._find(first, expected, inside)
        apart = APART if len(letters(correction.printed)) >= RUN else 1
        if place is None and inside and not first.sketch:
            # A short line that is now part of a longer one.
            place, apart = _Place(expected, expected), APART
        reworded = place is None and not self._document.extracted
        if reworded:
            place, apart = _Place(expected, expected), 1
        if place is None:
            return missing
        printed = words.printed(correction.printed, place, apart)
        text = self._document.text[slice(*printed)] if printed else ""
        if reworded and text != correction.printed:
            return missing
        line = words.first_lines[place.first]
        settled = replace(correction, line=line, through=line, settled=True)
        if self._is_settled(correction, place, printed):
            return settled
        if printed is None:
            return missing
        last = place
        if (torn := continued_line(correction)) is not None:
            before = self._find(others[-1], place.first - 1, True) if others else None
            at = words.paragraph_of(self._document.line_at(printed.start))
            ahead = self._document.text[words.paragraphs[at].span.start : printed.start]
            if before is None:
                return missing
            if len(letters(ahead)) > _AHEAD or before.last == at:
                return settled  # the document does not tear it
            torn = words.paragraphs[before.last].lines[-1].number
        elif correction.through != correction.line and others:
            below = place.last + correction.through - correction.line
            found = self._find(others[0], below, True)
            if found is None or found.last < place.first:
                return missing
            last = found
        placed = self._placed(correction, last, printed)
        return placed if torn is None else replace(placed, meant=torn)

    def _expected(self, line: int) -> int:
        # The paragraph of the line if it has moved as far as the known lines around it.
        at = bisect_left(self._known, (line, 0))
        before, low = self._known[at - 1] if at else (0, 0)
        if at == len(self._known):
            return min(low + line - before, len(self._words.paragraphs) - 1)
        after, high = self._known[at]
        return round(low + (high - low) * (line - before) / max(after - before, 1))

    def _find(self, named: LineAnchor, expected: int, inside: bool) -> _Place | None:
        # The paragraph nearest to ``expected`` with exactly the words of ``named``; otherwise,
        # if ``inside``, the place that contains most of them.
        found = self._by_anchor.get(named.hash, [])
        if not found:
            return self._words.find(named.sketch, expected) if inside and named.sketch else None
        index = min(found, key=lambda i: abs(i - expected))
        if len(found) > 1 and len(found) == named.many:
            index = found[named.place - 1]
        elif named.many > 1 and not inside and index != expected:
            return None  # a label that is gone must not become another one
        return _Place(index, index)

    def _is_settled(self, correction: Correction, place: _Place, printed: Span | None) -> bool:
        # Whether ``place`` already has the corrected text because only the other extraction
        # misread it.
        if correction.fault is not Fault.CHARACTER or not isinstance(correction.meant, str):
            return False
        text = self._document.text[slice(*printed)] if printed else ""
        if printed and " ".join(text.split()) == correction.printed:
            return False
        meant = self._words.printed(correction.meant, place, 0)
        return meant is not None or not letters(correction.printed)

    def _placed(self, correction: Correction, last: _Place, printed: Span) -> Correction:
        words, text = self._words, self._document.text[slice(*printed)]
        line, through = map(self._document.line_at, (printed.start, printed.end - 1))
        if correction.fault not in _INSIDE:
            through = line
            line = words.first_lines[words.paragraph_of(line)]
        if correction.through != correction.line or correction.fault is Fault.BELONGS:
            through = max(line, words.paragraphs[last.last].lines[-1].number)
        return replace(correction, line=line, through=through, printed=text)
