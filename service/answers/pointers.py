"""Find the passages that a passage refers to if it says little by itself: "see 4.5" is shown with
4.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Passage, Role
from corpus.sentences import sentences
from glossary.model import Reference, ReferenceKind
from index.library.library import Library
from service.core.displayed import text_span

# Number of first passages of an answer that are shown with the passages they refer to
MOST_POINTING = 3
MOST_CHARACTERS = 1_200  # most characters of all passages that a passage refers to
_FROM_TARGET = 500  # characters from which no further passage of the same target is taken
_FEW_WORDS = 18  # most words of a passage that says hardly more than where to look
_MOST_REFERENCES = 4
# Most characters of a target: the beginning of a whole chapter would not help the reader
_LONGEST_TARGET = 8_000


@dataclass(frozen=True)
class PointedPassage:
    """A ``passage`` that another passage refers to by ``reference``."""

    reference: Reference
    passage: Passage


def pointed_passages(
    library: Library, passage: Passage, highlights: Sequence[tuple[int, int]]
) -> list[PointedPassage]:
    """Return the passages that ``passage`` refers to, in order: by any reference if it is short,
    otherwise by references in the sentences that ``highlights``, spans of its text, mark.
    """
    found: list[PointedPassage] = []
    shown, size = {passage.id}, 0
    references = library.references_of.get(passage.entry, ())
    for targets, reference in _targets(
        library, passage, _pointing(passage, references, highlights)
    ):
        for pointed in targets:
            if pointed.id not in shown and size + len(pointed.text) <= MOST_CHARACTERS:
                found.append(PointedPassage(reference, pointed))
                shown.add(pointed.id)
                size += len(pointed.text)
    return found


def _pointing(
    passage: Passage, references: Sequence[Reference], highlights: Sequence[tuple[int, int]]
) -> list[Reference]:
    """Return the ``references`` in ``passage`` to follow (see `pointed_passages`)."""
    placed = [
        (span, reference)
        for reference in references
        if reference.target not in (None, passage.entry)
        and (span := text_span(passage, reference.span)) is not None
    ]
    if not placed or len(re.findall(r"\w+", passage.text)) <= _FEW_WORDS:
        return [reference for _, reference in placed][:_MOST_REFERENCES]
    parts = [
        (start, end)
        for start, end in sentences(passage.text)
        if any(a < end and start < b for a, b in highlights)
    ]
    return [
        reference
        for (a, b), reference in placed
        if any(a < end and start < b for start, end in parts)
    ][:_MOST_REFERENCES]


def _targets(
    library: Library, passage: Passage, references: Sequence[Reference]
) -> Iterator[tuple[list[Passage], Reference]]:
    """Yield for each of ``references`` the passages of its target; for a range, "4.1–4.3", the
    passages of all entries from its first to its last target.
    """
    ranged = [reference for reference in references if reference.kind is ReferenceKind.RANGE]
    for reference in references:
        entry = library.entry.get(reference.target or "")
        if entry is None:
            continue
        entries = [entry]
        if reference in ranged[:1] and len(ranged) > 1:
            entries = _between(library, entry, ranged[1].target or "") or entries
        for each in entries:
            yield _beginning(library, each), reference


def _between(library: Library, first: Entry, last: str) -> list[Entry]:
    """Return the entries from ``first`` to ``last`` if both have the same parent, otherwise []."""
    siblings = list(library.children_of.get(first.parent or "", ()))
    places = [place for place, each in enumerate(siblings) if each.id in (first.id, last)]
    return siblings[places[0] : places[-1] + 1] if len(places) > 1 else []


def _beginning(library: Library, entry: Entry) -> list[Passage]:
    """Return the first passages of running text in ``entry``; [] if it is a whole chapter."""
    if sum(end - start for start, end in entry.spans) > _LONGEST_TARGET:
        return []
    found: list[Passage] = []
    for inside in library.with_inside(_followed(library, entry)):
        for passage in library.passages_of.get(inside.id, ()):
            if sum(len(each.text) for each in found) >= _FROM_TARGET:
                return found
            if passage.role is Role.TEXT:
                found.append(passage)
    return found


def _followed(library: Library, entry: Entry) -> Entry:
    """Return ``entry`` or, if it contains only a reference, the target of the reference."""
    own = library.passages_of.get(entry.id, ())
    if own and all(each.role is Role.SEE for each in own):
        targets = [
            library.entry.get(each.target or "") for each in library.references_of.get(entry.id, ())
        ]
        return next(filter(None, targets), entry)
    return entry
