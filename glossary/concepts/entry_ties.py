"""Entries of rulebooks tied to concepts by their headings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from corpus.model import Entry, Kind
from glossary.concepts.heading_changes import tie_by_text
from glossary.concepts.model import Concept, ConceptTies, UnmatchedHeading, heading_key
from glossary.model import RulebookView

_NUMBER = re.compile(r"(?:\d+ )+")
_TIED = frozenset({Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION})


def tie_entries(concepts: Iterable[Concept], rulebooks: Sequence[RulebookView]) -> ConceptTies:
    """Tie entries of ``rulebooks`` to ``concepts`` by their headings.

    In an edition that the data file names, by the headings it gives. In any other edition of the
    game, such as a newer one, by the headings of its sister editions and the official names in its
    language, where only one concept has them; so too in one that is named only by proposals, where
    these say nothing. Where no entry has a heading with a number, the only one that has it with
    another number is meant. A concept whose heading no entry has is tied by text (see
    `glossary.concepts.heading_changes`).
    """
    by_game: dict[str, list[Concept]] = defaultdict(list)
    for concept in concepts:
        by_game[concept.game].append(concept)
    by_entry: dict[str, str] = {}
    unmatched: list[UnmatchedHeading] = []
    lost: dict[str, set[str]] = {}  # by edition, the concepts that are looked for by their text
    for rulebook in rulebooks:
        here = by_game.get(rulebook.edition.game, [])
        if any(
            rulebook.edition.id in concept.entries.keys() - concept.proposed.keys()
            for concept in here
        ):
            found = list(_tie_by_own_headings(here, rulebook, by_entry))
            unmatched.extend(found)
            lost[rulebook.edition.id] = {each.concept for each in found}
        else:
            proposed = [c for c in here if rulebook.edition.id in c.entries]
            unmatched.extend(_tie_by_own_headings(proposed, rulebook, by_entry))
            _tie_by_sister_headings(
                [c for c in here if rulebook.edition.id not in c.entries], rulebook, by_entry
            )
            lost[rulebook.edition.id] = {concept.id for concept in here}
    followed: dict[str, str] = {}
    for rulebook in rulebooks:
        followed |= _tie_lost_by_text(
            rulebook,
            by_game.get(rulebook.edition.game, []),
            lost[rulebook.edition.id],
            rulebooks,
            by_entry,
        )
    return ConceptTies(by_entry | followed, tuple(unmatched), frozenset(followed))


def _tie_lost_by_text(
    rulebook: RulebookView,
    concepts: Sequence[Concept],
    lost: set[str],
    rulebooks: Sequence[RulebookView],
    by_entry: Mapping[str, str],
) -> dict[str, str]:
    """Ties of entries that ``by_entry`` has none for to concepts that are ``lost`` from
    ``rulebook``, by their text.
    """
    here = rulebook.edition
    loose = lost - {by_entry[entry.id] for entry in rulebook.entries if entry.id in by_entry}
    untied = [
        entry for entry in rulebook.entries if entry.kind in _TIED and entry.id not in by_entry
    ]
    sisters = [
        other
        for other in rulebooks
        if other is not rulebook
        and (other.edition.game, other.edition.language) == (here.game, here.language)
    ]
    return tie_by_text(rulebook, untied, concepts, loose, sisters, by_entry)


def _tie_by_own_headings(
    concepts: Sequence[Concept], rulebook: RulebookView, by_entry: dict[str, str]
) -> Iterator[UnmatchedHeading]:
    """Tie by the headings that the data file gives for this edition; yields those that no entry
    has.
    """
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind in _TIED:
            # The title is the heading where it was misprinted, so that a corrected print still
            # fits.
            for spelling in {heading_key(entry.heading), heading_key(entry.title)}:
                entries[spelling].append(entry)
    unspaced: dict[str, list[Entry]] = defaultdict(
        list
    )  # a narrow column divides words, sometimes without a hyphen
    for spelling, spelled in entries.items():
        unspaced[spelling.replace(" ", "")] += spelled
    renumbered: dict[str, dict[str, Entry]] = defaultdict(dict)
    for spelling, spelled in entries.items():
        renumbered[_unnumbered(spelling)] |= {entry.id: entry for entry in spelled}
    renumbered.pop("", None)
    for concept in concepts:
        for heading in concept.entries.get(rulebook.edition.id, ()):
            found = entries.get(heading_key(heading)) or unspaced.get(
                heading_key(heading).replace(" ", ""), []
            )
            if (
                not found
                and len(only := renumbered.get(_unnumbered(heading_key(heading)), {})) == 1
            ):
                found = list(only.values())
            exact = [entry for entry in found if heading_key(entry.heading) == heading_key(heading)]
            for entry in exact or found:
                by_entry.setdefault(entry.id, concept.id)
            if not found:
                yield UnmatchedHeading(concept.id, rulebook.edition.id, heading)


def _tie_by_sister_headings(
    concepts: Sequence[Concept], rulebook: RulebookView, by_entry: dict[str, str]
) -> None:
    """Tie by what the concept is called elsewhere."""
    called: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        headings = {
            heading_key(heading) for printed in concept.entries.values() for heading in printed
        }
        name = concept.name(rulebook.edition.language)
        for spelling in headings | ({heading_key(name)} if name else set()):
            called[spelling].add(concept.id)
    renumbered: dict[str, set[str]] = defaultdict(set)
    for spelling, concepts_so_called in called.items():
        renumbered[_unnumbered(spelling)] |= concepts_so_called
    without_number = Counter(
        _unnumbered(heading_key(entry.heading)) for entry in rulebook.entries if entry.kind in _TIED
    )
    for entry in rulebook.entries:
        if entry.kind in _TIED:
            bare = _unnumbered(heading_key(entry.heading))
            meant = called.get(heading_key(entry.heading), set()) or called.get(
                heading_key(entry.title), set()
            )
            if (
                not meant and bare and without_number[bare] == 1
            ):  # "General" stands in every chapter
                meant = renumbered.get(bare, set())
            if len(meant) == 1:
                by_entry.setdefault(entry.id, next(iter(meant)))


def _unnumbered(heading: str) -> str:
    """``heading``, a `heading_key`, without the number of its rule, which another version may print
    otherwise; "" where it has none.
    """
    number = _NUMBER.match(heading)
    return heading[number.end() :] if number else ""
