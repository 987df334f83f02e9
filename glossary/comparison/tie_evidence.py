"""What speaks for two entries of different editions being the same, sign by sign, each as a matrix of all pairs, from 0 to 1."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from corpus.model import Entry, Kind, Rulebook
from corpus.titles import key
from glossary.model import Reference

CHAPTERS = (Kind.SECTION, Kind.SUBSECTION)
_FEWEST = 4  # chapters whose order says anything
_IN_ORDER = 0.9  # share of neighbours in alphabetical order

Sides = tuple[Sequence[Entry], Sequence[Entry]]
"""Entries of the left and of the right edition."""

Matrix = NDArray[np.float64]


def anchor_names(rulebook: Rulebook, references: Iterable[Reference]) -> dict[str, frozenset[str]]:
    """The names by which links of ``rulebook`` call each entry, by its id: "Act_Deck" of "#Act_Deck"."""
    links = sorted((link.span.start, link.span.end, link.target) for block in rulebook.document.blocks for link in block.links)
    starts = [start for start, _, _ in links]
    found: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        if reference.target is None or reference.target.partition("/")[0] != rulebook.edition.id:
            continue
        for at in range(max(bisect_left(starts, reference.span.start) - 1, 0), len(links)):
            start, end, target = links[at]
            if start >= reference.span.end:
                break
            if end > reference.span.start and (name := unquote(target.partition("#")[2])):
                found[reference.target].add(name)
    return {entry: frozenset(names) for entry, names in found.items()}


def anchor_signs(entries: Sides, names: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]) -> Matrix:
    """1 where links of both editions call the two by one name, which no other entry of its edition has."""
    owners = [Counter(name for entry in side for name in called.get(entry.id, ())) for side, called in zip(entries, names, strict=True)]
    signs = np.zeros((len(entries[0]), len(entries[1])))
    there = {name: column for column, entry in enumerate(entries[1]) for name in names[1].get(entry.id, ())}
    for row, entry in enumerate(entries[0]):
        for name in names[0].get(entry.id, ()):
            if name in there and owners[0][name] == owners[1][name] == 1:
                signs[row, there[name]] = 1.0
    return signs


def reference_signs(entries: Sides, references: Iterable[Reference], tied: Mapping[str, str]) -> Matrix:
    """The share of concepts that both refer to, or are referred to by, among all that either does, weighted by rarity."""
    near: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        target = reference.target
        if target is not None and target != reference.entry:
            if (concept := tied.get(target)) is not None:
                near[reference.entry].add(f">{concept}")
            if (concept := tied.get(reference.entry)) is not None:
                near[target].add(f"<{concept}")
    counts = Counter(thing for things in near.values() for thing in things)
    columns = {thing: column for column, thing in enumerate(sorted(counts))}
    rarity = np.array([math.log((1 + len(near)) / (1 + counts[thing])) + 1 for thing in columns])
    has = []
    for side in entries:
        here = np.zeros((len(side), len(columns)))
        for row, entry in enumerate(side):
            here[row, [columns[thing] for thing in near.get(entry.id, ())]] = 1.0
        has.append(here)
    both = (has[0] * rarity) @ has[1].T
    either = (has[0] @ rarity)[:, None] + (has[1] @ rarity)[None, :] - both
    shares: Matrix = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return shares


def number_signs(entries: Sides, numbered: Mapping[str, str]) -> Matrix:
    """1 where both have one number in editions that are numbered alike; ``numbered`` are ids of such numbers by entry id."""
    signs = np.zeros((len(entries[0]), len(entries[1])))
    there = {numbered[entry.id]: column for column, entry in enumerate(entries[1]) if entry.id in numbered}
    for row, entry in enumerate(entries[0]):
        if (column := there.get(numbered.get(entry.id, ""))) is not None:
            signs[row, column] = 1.0
    return signs


def place_signs(entries: Sides, tied: Mapping[str, str]) -> Matrix:
    """For chapters below the same one: how near each other they stand. 0 for entries in alphabetical order."""
    signs = np.zeros((len(entries[0]), len(entries[1])))
    groups = [_sisters(side, tied) for side in entries]
    for above in groups[0].keys() & groups[1].keys():
        here, there = groups[0][above], groups[1][above]
        down = [np.arange(len(group)) / max(len(group) - 1, 1) for group in (here, there)]
        signs[np.ix_(here, there)] = 1 - np.abs(down[0][:, None] - down[1][None, :])
    return signs


def inside_signs(entries: Sides, books: tuple[Rulebook, Rulebook], tied: Mapping[str, str]) -> Matrix:
    """The share of the tied entries directly in either that are tied to one in the other; 0 where there is but one such pair."""
    places = [{entry.id: place for place, entry in enumerate(side)} for side in entries]
    within: list[dict[str, int]] = [
        {tied[e.id]: place[e.parent] for e in book.entries if e.id in tied and e.parent in place}
        for book, place in zip(books, places, strict=True)
    ]
    counts = [Counter(side.values()) for side in within]
    signs = np.zeros((len(entries[0]), len(entries[1])))
    both = Counter((within[0][concept], within[1][concept]) for concept in within[0].keys() & within[1].keys())
    for (row, column), count in both.items():
        if count > 1:
            signs[row, column] = 2 * count / (counts[0][row] + counts[1][column])
    return signs


def _sisters(side: Sequence[Entry], tied: Mapping[str, str]) -> dict[str, list[int]]:
    """The places of chapters below one that is tied, or below none, by its concept ("" for none); those in alphabetical order left out."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, entry in enumerate(side):
        if entry.kind in CHAPTERS and (entry.parent is None or entry.parent in tied):
            found[tied[entry.parent] if entry.parent is not None else ""].append(place)
    return {above: group for above, group in found.items() if len(group) < _FEWEST or not _alphabetical([side[p] for p in group])}


def _alphabetical(group: Sequence[Entry]) -> bool:
    names = [key(entry.title) for entry in group]
    return sum(a <= b for a, b in pairwise(names)) > _IN_ORDER * (len(names) - 1)


def kind_signs(entries: Sides) -> Matrix:
    """1 where one is a chapter and the other a term."""
    chapters = [np.array([entry.kind in CHAPTERS for entry in side]) for side in entries]
    differ: Matrix = (chapters[0][:, None] != chapters[1][None, :]).astype(float)
    return differ
