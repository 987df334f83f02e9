"""Helpers shared by all finders for resolved references: spans in the document, corrections, and
the `Reference` itself.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence

from corpus.model import Correction, Fault, Passage, Rulebook, Span
from glossary.model import Reference, ReferenceKind, ReferenceProblem


class DocumentOffsets:
    """Converts offsets into the text of a passage to spans of its document."""

    def __init__(self, passage: Passage):
        self._starts, self._spans = [], passage.spans
        at = 0
        for start, end in passage.spans:
            self._starts.append(at)
            at += end - start + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from ``start`` to ``end`` of the passage."""
        return Span(self._offset(start), self._offset(end - 1) + 1)

    def _offset(self, offset: int) -> int:
        number = bisect.bisect_right(self._starts, offset) - 1
        return self._spans[number].start + offset - self._starts[number]


def corrections_by_line(rulebook: Rulebook) -> Mapping[int, Sequence[Correction]]:
    """Group the corrections of references by the lines to which they apply."""
    found: dict[int, list[Correction]] = defaultdict(list)
    for correction in rulebook.edition.corrections:
        if correction.fault is Fault.REFERENCE and correction.fits(rulebook.document):
            for line in range(correction.line, correction.through + 1):
                found[line].append(correction)
    return dict(found)


def make_reference(
    rulebook: Rulebook,
    entry: str,
    span: Span,
    raw: str,
    kind: ReferenceKind,
    target: str | None,
    problem: ReferenceProblem | None = None,
) -> Reference:
    """Make the reference printed at ``span`` in ``entry``.

    If it has a problem, ``target`` is also the meant entry, unless it is in another document.
    """
    meant = target if problem not in (None, ReferenceProblem.OUTSIDE) else None
    line = rulebook.document.line_at(span.start)
    return Reference(entry, line, raw, span, kind, target, problem, meant)
