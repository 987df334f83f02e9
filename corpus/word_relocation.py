"""Corrections moved to the places where another extraction of their text has its words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from corpus.document import Document
from corpus.letter_runs import RUN, letters
from corpus.line_anchors import LineAnchor, anchor, continues, parsed
from corpus.model import Correction, Fault
from corpus.spans import Span
from corpus.word_places import Place, WordPlaces

APART = 8  # paragraphs between two parts of one line, which a column or a figure may have parted, at most

_WHOLE = frozenset(
    {Fault.FURNITURE, Fault.HEADING}
)  # what is said of a line and not of a paragraph that it is a part of
_INSIDE = frozenset(
    {Fault.CHARACTER, Fault.LOST, Fault.REFERENCE, Fault.BELONGS}
)  # faults of words, not of a line
_AHEAD = 12  # letters and digits that a paragraph may have before the line that it begins with: a number, a bullet's letter


class WordRelocation:
    """Finds the places of ``corrections``, which were written for another extraction or version, in
    ``document``.
    """

    def __init__(self, document: Document, corrections: Sequence[Correction]):
        self._document = document
        self._fields = {c: parsed(c.anchor) for c in corrections}
        self._words = WordPlaces(
            document,
            {run for fields in self._fields.values() for each in fields for run in each.sketch},
        )
        self._by_anchor: dict[str, list[int]] = {}
        for index, paragraph in enumerate(self._words.paragraphs):
            self._by_anchor.setdefault(anchor(paragraph.text), []).append(index)
        self._known = sorted(
            (c.line, found[0])
            for c, fields in self._fields.items()
            for found in [
                self._by_anchor.get(fields[0].hash, []) if fields and fields[0].many == 1 else []
            ]
            if len(found) == 1
        )

    def relocated(self, correction: Correction) -> Correction:
        """``correction`` with the lines and the spelling that the document has for it; with
        ``placed=False`` where it is not found.
        """
        first, *others = self._fields[correction]
        place, apart = self._first(correction, first)
        if place is None:
            return replace(correction, placed=False)
        printed = self._words.printed(correction.printed, place, apart)
        if self._is_settled(correction, place, printed):
            return self._at(correction, place, settled=True)
        if printed is None:
            return replace(correction, placed=False)
        if continues(correction):
            return self._continued(correction, others, place, printed)
        last: Place | None = place
        if correction.through != correction.line and others:
            last = self._find(others[0], place.last + correction.through - correction.line, True)
        if last is None or last.last < place.first:
            return replace(correction, placed=False)
        return self._placed(correction, place, last, printed)

    def _first(self, correction: Correction, named: LineAnchor) -> tuple[Place | None, int]:
        """Where the first line of ``correction`` stands, and how many paragraphs from there what is
        printed may be.
        """
        expected = self._expected(correction.line)
        place = self._find(named, expected, correction.fault not in _WHOLE)
        if place is None and not named.sketch and correction.fault not in _WHOLE:
            return Place(expected, expected), APART  # a short line that is now part of a longer one
        return place, APART if len(letters(correction.printed)) >= RUN else 1

    def _expected(self, line: int) -> int:
        """The index of the paragraph that the ``line`` stands in if it has moved as far as the
        lines around it.
        """
        at = bisect_left(self._known, (line, 0))
        before, low = self._known[at - 1] if at else (0, 0)
        if at == len(self._known):
            return min(low + line - before, len(self._words.paragraphs) - 1)
        after, high = self._known[at]
        return round(low + (high - low) * (line - before) / max(after - before, 1))

    def _find(self, named: LineAnchor, expected: int, inside: bool) -> Place | None:
        """The paragraph that has just the words of ``named``, the nearest to ``expected``; else
        those that have them ``inside``.
        """
        found = self._by_anchor.get(named.hash, [])
        if len(found) > 1 and len(found) == named.many:
            index = found[named.place - 1]
            return Place(index, index)
        if (
            found and named.many > 1 and not inside
        ):  # a label that is gone must not become another one
            return None
        if found:
            index = min(found, key=lambda i: abs(i - expected))
            return Place(index, index)
        return self._words.find(named.sketch, expected) if inside and named.sketch else None

    def _is_settled(self, correction: Correction, place: Place, printed: Span | None) -> bool:
        """Whether the document has at ``place`` what is meant: a sign or letter that only another
        extraction misread.
        """
        if correction.fault is not Fault.CHARACTER or not isinstance(correction.meant, str):
            return False
        exact = (
            printed is not None
            and " ".join(self._document.text[printed.start : printed.end].split())
            == correction.printed
        )
        if exact:
            return False
        return self._words.printed(correction.meant, place, 0) is not None or not letters(
            correction.printed
        )

    def _continued(
        self, correction: Correction, others: Sequence[LineAnchor], place: Place, printed: Span
    ) -> Correction:
        """``correction`` of a torn passage; settled where the document does not tear it."""
        before = self._find(others[-1], place.first - 1, True) if others else None
        at = self._words.paragraph_of(self._document.line_at(printed.start))
        ahead = self._document.text[self._words.paragraphs[at].span.start : printed.start]
        if before is None:
            return replace(correction, placed=False)
        if len(letters(ahead)) > _AHEAD or before.last == at:
            return self._at(correction, place, settled=True)
        end = self._words.paragraphs[before.last].lines[-1].number
        return replace(self._placed(correction, place, place, printed), meant=end)

    def _placed(
        self, correction: Correction, place: Place, last: Place, printed: Span
    ) -> Correction:
        line, through = (
            self._document.line_at(printed.start),
            self._document.line_at(printed.end - 1),
        )
        if correction.fault not in _INSIDE:
            through = line
            line = self._words.paragraphs[self._words.paragraph_of(line)].lines[0].number
        if correction.through != correction.line or correction.fault is Fault.BELONGS:
            through = max(line, self._words.paragraphs[last.last].lines[-1].number)
        return replace(
            correction,
            line=line,
            through=through,
            printed=self._document.text[printed.start : printed.end],
        )

    def _at(self, correction: Correction, place: Place, settled: bool) -> Correction:
        line = self._words.paragraphs[place.first].lines[0].number
        return replace(correction, line=line, through=line, settled=settled)
