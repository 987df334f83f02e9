"""The passages of what a question looks up: the defining one of each sense first, in the language asked, then what follows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpus.model import Edition, Entry, Kind
from corpus.versions import version_key
from index.library.library import Library
from index.library.passage_lookup import PassageLookup, positions
from index.questions.look_up import LookUp, Sense
from index.questions.prepared import SearchScope

_MOST = 6  # passages of a sense that come before all others
_ORDER = {kind: place for place, kind in enumerate((Kind.TERM, Kind.SUBSECTION, Kind.RULE, Kind.SECTION))}


def looked_up_passages(look_up: LookUp, language: str, scope: SearchScope, library: Library, lookup: PassageLookup) -> list[int]:
    """Return the numbers of the passages of ``scope`` that ``look_up`` is about, in the order in which they are to be shown.

    They are in ``language`` where an edition of the scope in it has any.
    """
    found = [own for sense in look_up.senses if (own := _of_sense(sense, language, scope, library, lookup))]
    firsts = [own[0] for own in found]
    return list(dict.fromkeys([*firsts, *(number for own in found for number in own)]))


def _of_sense(sense: Sense, language: str, scope: SearchScope, library: Library, lookup: PassageLookup) -> list[int]:
    """The passages of one sense, those of the edition to be read first."""
    named = [library.entries[number] for number in sense.entries]
    numbers = {int(number) for entry in named for number in _passages_of(entry, library, lookup)}
    if sense.concept is not None:
        numbers.update(lookup.of_concept.numbers(sense.concept).tolist())
    inside = np.array(sorted(numbers), dtype=np.int64)
    inside = scope.numbers[positions(scope.numbers, inside)]
    if not len(inside):
        return []
    editions = {lookup.edition(number).id: lookup.edition(number) for number in inside.tolist()}
    chosen = max(editions.values(), key=lambda edition: _preference(edition, language, named))
    own = [number for number in inside.tolist() if lookup.edition(number) is chosen]
    names = {entry.id for entry in named}

    def rank(number: int) -> tuple[bool, bool, int, int]:
        entry = library.entry[library.searchable[number].entry]
        is_concept = sense.concept is not None and library.concepts.get(entry.id) == sense.concept
        return entry.id not in names, not is_concept, _ORDER.get(entry.kind, len(_ORDER)), number

    return sorted(own, key=rank)[:_MOST]


def _preference(edition: Edition, language: str, named: Sequence[Entry]) -> tuple[bool, bool, object]:
    return edition.language == language, any(entry.edition == edition.id for entry in named), version_key(edition.version)


def _passages_of(entry: Entry, library: Library, lookup: PassageLookup) -> Sequence[int]:
    """The passages of ``entry``; of one without a text those of what it points at, or of the first entry inside it that has one."""
    own: list[int] = lookup.of_entry.numbers(entry.id).tolist()
    if own:
        return own
    for reference in library.references_of.get(entry.id, ()):
        if entry.kind is Kind.REDIRECT and reference.target:
            return list(lookup.of_entry.numbers(reference.target).tolist())
    for child in library.children_of.get(entry.id, ()):
        if own := list(_passages_of(child, library, lookup)):
            return own
    return []
