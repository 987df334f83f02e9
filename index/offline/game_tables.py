"""What a game's passages belong to, by number: rules, cards, concepts, formats, twins; one small fragment that every change renews."""

from __future__ import annotations

from typing import Any

import numpy as np

from index.files.name_tables import NameIndex
from index.library.passage_lookup import PassageLookup
from index.ranking.asked_formats import AskedFormats
from index.ranking.passage_features import PassageFeatures

Numbers = dict[int, int]  # of passages in a pack, from 0, by their numbers in the index


def game_tables(lookup: PassageLookup, features: PassageFeatures, numbers: Numbers) -> dict[str, Any]:
    """The tables of the passages ``numbers``, which JSON can hold.

    ``same`` has for each passage the first one with the same words; ``steps`` the number that it begins with, -1 for none.
    """
    first: dict[int, int] = {}
    same = [first.setdefault(int(features.first_with_same_words[n]), here) for n, here in numbers.items()]
    return {
        "same": same,
        "steps": features.steps[list(numbers)].tolist(),
        "exceptions": np.flatnonzero(features.exceptions[list(numbers)]).tolist(),
        "of_rule": _chosen(lookup.of_rule, numbers),
        "of_card": _chosen(lookup.of_card, numbers),
        "of_concept": _chosen(lookup.of_concept, numbers),
        "formats": _formats(features.formats, numbers),
    }


def _chosen(index: NameIndex, numbers: Numbers) -> dict[str, list[int]]:
    """Those of the passages under each name of ``index`` that are in the pack, by their numbers there."""
    found = {name: [numbers[n] for n in row.tolist() if n in numbers] for name, row in index.items()}
    return {name: row for name, row in sorted(found.items()) if row}


def _formats(formats: AskedFormats, numbers: Numbers) -> dict[str, Any]:
    """The special formats of the passages of the pack, by position: their passages, names and kinds."""
    pairs = zip(formats.passages.tolist(), formats.formats.tolist(), strict=True)
    held = [(numbers[n], place) for n, place in pairs if n in numbers]
    places = {place for _, place in held}
    places |= {int(formats.around[place]) for place in places}
    terms = {
        language: {term: [place for place in those if place in places] for term, those in known.items() if not places.isdisjoint(those)}
        for language, known in formats.terms.items()
    }
    return {
        "passages": [n for n, _ in held],
        "formats": [place for _, place in held],
        "around": {str(place): int(formats.around[place]) for place in sorted(places) if place >= 0},
        "needed": {str(place): int(formats.needed[place]) for place in sorted(places) if place >= 0},
        "terms": terms,
        "kinds": {kind: [place for place in those if place in places] for kind, those in formats.kinds.items()},
    }
