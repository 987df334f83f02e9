"""A comparison as it is laid out for readers: entries that face each other, their passages in strips, differences as marks and badges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from corpus.model import Edition, Entry, Passage
from glossary.comparison import Comparison, Pair, Row, Sort, Status
from glossary.comparison.rewording import Run, reworded
from glossary.concepts import concepts
from service.answers.answer import lines_name

Namer = Callable[[str, str], str]  # what a concept, by its id without the game, is called in a language


class Badge(NamedTuple):
    """Something that differs: a `Sort`, or "references", "renamed", "moved", "divided"; and what only one side has of it."""

    sort: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


@dataclass(frozen=True)
class Half:
    """One side of a strip: where it stands, and its text with the words changed that only this version has; both may be empty.

    ``first`` is the passage that it begins with.
    """

    edition: Edition
    label: str
    first: Passage | None
    place: str
    text: tuple[Run, ...]


@dataclass(frozen=True)
class Strip:
    """Passages that face each other."""

    status: Status
    left: Half
    right: Half
    badges: tuple[Badge, ...]


@dataclass(frozen=True)
class Opening:
    """Entries that face each other, with the id of the first of them; a page may use it as anchor."""

    id: str
    status: Status
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    badges: tuple[Badge, ...]
    strips: tuple[Strip, ...]


@dataclass(frozen=True)
class Spread:
    """Two editions laid out; ``labels`` name them in few letters. ``groups`` are openings in order, those that are alike together."""

    left: Edition
    right: Edition
    labels: tuple[str, str]
    versions: bool
    counts: Mapping[Status, int]
    groups: tuple[tuple[Opening, ...], ...]

    def of(self, status: Status) -> tuple[Opening, ...]:
        """The openings of one status in order."""
        return tuple(opening for group in self.groups for opening in group if opening.status is status)


def spread(comparison: Comparison) -> Spread:
    """``comparison`` laid out."""
    labels = _labels(comparison.left, comparison.right)
    known = {concept.id: concept for concept in concepts(comparison.left.game)}

    def name(concept: str, language: str) -> str:
        found = known.get(concept)
        return (found.name(language) if found else None) or concept

    openings = [_opening(pair, comparison, labels, name) for pair in comparison.pairs]
    groups = tuple(tuple(group) for _, group in groupby(openings, lambda opening: opening.status is Status.SAME))
    return Spread(comparison.left, comparison.right, labels, comparison.versions, comparison.counts, groups)


def _labels(left: Edition, right: Edition) -> tuple[str, str]:
    here, there = (f"{edition.language} {edition.version}".strip() for edition in (left, right))
    return (here, there) if here != there else (left.id, right.id)


def _opening(pair: Pair, comparison: Comparison, labels: tuple[str, str], name: Namer) -> Opening:
    sides = (comparison.left, comparison.right)
    badges = [Badge("renamed")] if pair.renamed else []
    if any(pair.references):
        # A reference is told by the concept it leads to, with the game before it, or by the slug of an entry.
        leads = [
            tuple(name(lead.removeprefix(f"{edition.game}/"), edition.language) for lead in only)
            for edition, only in zip(sides, pair.references, strict=True)
        ]
        badges.append(Badge("references", leads[0], leads[1]))
    strips = tuple(_strip(row, comparison, labels, name) for row in pair.rows)
    return Opening((pair.left or pair.right)[0].id, pair.status, pair.left, pair.right, tuple(badges), strips)


def _strip(row: Row, comparison: Comparison, labels: tuple[str, str], name: Namer) -> Strip:
    badges = []
    for difference in row.differences:
        left, right = difference.left, difference.right
        if difference.sort is Sort.TERMS:
            left = tuple(name(concept, comparison.left.language) for concept in left)
            right = tuple(name(concept, comparison.right.language) for concept in right)
        if difference.sort is not Sort.WORDS:  # which are marked where they stand
            badges.append(Badge(difference.sort.value, left, right))
    badges += [Badge(sort) for sort, holds in (("moved", row.moved), ("divided", row.divided)) if holds]
    texts = _texts(row)
    return Strip(
        row.status,
        Half(comparison.left, labels[0], next(iter(row.left), None), _place(row.left, comparison.left.language), texts[0]),
        Half(comparison.right, labels[1], next(iter(row.right), None), _place(row.right, comparison.right.language), texts[1]),
        tuple(badges),
    )


def _texts(row: Row) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    left, right = row.texts
    if any(difference.sort is Sort.WORDS for difference in row.differences):
        return reworded(left, right)
    return tuple(Run(text, False) for text in (left,) if text), tuple(Run(text, False) for text in (right,) if text)


def _place(passages: tuple[Passage, ...], language: str) -> str:
    return ", ".join(lines_name(language, *passage.lines) for passage in passages)
