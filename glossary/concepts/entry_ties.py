"""Assign entries of rulebooks to concepts by their headings, and under a new heading by the
passages that they share with another version.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.edition_files import described_editions
from corpus.model import Entry, Kind, Passage, Role
from corpus.titles import slug
from glossary.concepts.loading import Concept, heading_key
from glossary.model import RulebookView
from glossary.query_variants import fingerprint, load_query_variants
from glossary.query_variants.wording import content

MIN_SHARE = 0.5  # of an entry's characters that have to be those of one concept's entry elsewhere

_NUMBER = re.compile(r"(?:\d+ )+")
_TIED = frozenset({Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION})


class UnmatchedHeading(NamedTuple):
    """A heading that the data file gives for a concept, and that no entry of the edition has."""

    concept: str
    edition: str
    heading: str


@dataclass(frozen=True)
class ConceptTies:
    """Concept ids by entry id, and the headings in the data file that no entry has.

    ``inferred`` are the entries assigned by their text alone: nobody has confirmed their heading.
    """

    by_entry: Mapping[str, str]
    unmatched: tuple[UnmatchedHeading, ...]
    inferred: frozenset[str] = frozenset()


def tie_entries(concepts: Iterable[Concept], rulebooks: Sequence[RulebookView]) -> ConceptTies:
    """Assign entries of ``rulebooks`` to ``concepts`` by their headings.

    In an edition that the data file names, by the headings it gives. In any other edition of the
    game, such as a newer one, by the headings of its sister editions and the official names in its
    language, where only one concept has them; so too in one that is named only by proposals, where
    these say nothing. Where no entry has a heading with a number, the only one that has it with
    another number is meant. A concept whose heading no entry has is assigned by text.
    """
    by_game: dict[str, list[Concept]] = defaultdict(list)
    for concept in concepts:
        by_game[concept.game].append(concept)
    by_entry: dict[str, str] = {}
    unmatched: list[UnmatchedHeading] = []
    lost: dict[str, set[str]] = {}  # by edition, the concepts that are looked for by their text
    for rulebook in rulebooks:
        here, id = by_game[rulebook.edition.game], rulebook.edition.id
        confirmed = any(id in concept.entries.keys() - concept.proposed.keys() for concept in here)
        named = here if confirmed else [c for c in here if id in c.entries]
        found = list(_tie_by_own_headings(named, rulebook, by_entry))
        unmatched += found
        lost[id] = {each.concept for each in found} if confirmed else {c.id for c in here}
        if not confirmed:
            unnamed = [c for c in here if id not in c.entries]
            _tie_by_sister_headings(unnamed, rulebook, by_entry)
    followed: dict[str, str] = {}
    for rulebook in rulebooks:
        loose = lost[rulebook.edition.id] - {by_entry.get(entry.id) for entry in rulebook.entries}
        untied = {e.id for e in rulebook.entries if e.kind in _TIED and e.id not in by_entry}
        if loose and untied:
            here = by_game[rulebook.edition.game]
            by_text = _concepts_by_text(rulebook, untied, here, rulebooks, by_entry)
            followed |= {entry: meant for entry, meant in by_text if meant in loose}
    return ConceptTies(by_entry | followed, tuple(unmatched), frozenset(followed))


def _tie_by_own_headings(
    concepts: Sequence[Concept], rulebook: RulebookView, by_entry: dict[str, str]
) -> Iterator[UnmatchedHeading]:
    """Assign by the headings that the data file gives for this edition; yield those that no entry
    has.
    """
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind in _TIED:
            # The title is the heading where it was misprinted, so that a corrected print still
            # fits.
            for spelling in {heading_key(entry.heading), heading_key(entry.title)}:
                entries[spelling].append(entry)
    unspaced: dict[str, list[Entry]] = defaultdict(list)  # a narrow column divides words
    renumbered: dict[str, dict[str, Entry]] = defaultdict(dict)
    for spelling, spelled in entries.items():
        unspaced[spelling.replace(" ", "")] += spelled
        if bare := _unnumbered(spelling):
            renumbered[bare] |= {entry.id: entry for entry in spelled}
    for concept in concepts:
        for heading in concept.entries.get(rulebook.edition.id, ()):
            wanted = heading_key(heading)
            found = entries.get(wanted) or unspaced.get(wanted.replace(" ", ""), [])
            only = renumbered.get(_unnumbered(wanted), {})
            if not found and len(only) == 1:
                found = list(only.values())
            exact = [entry for entry in found if heading_key(entry.heading) == wanted]
            for entry in exact or found:
                by_entry.setdefault(entry.id, concept.id)
            if not found:
                yield UnmatchedHeading(concept.id, rulebook.edition.id, heading)


def _tie_by_sister_headings(
    concepts: Sequence[Concept], rulebook: RulebookView, by_entry: dict[str, str]
) -> None:
    """Assign by what the concept is called elsewhere."""
    called: dict[str, set[str]] = defaultdict(set)
    renumbered: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        headings = {heading for printed in concept.entries.values() for heading in printed}
        if name := concept.name(rulebook.edition.language):
            headings.add(name)
        for spelling in map(heading_key, headings):
            called[spelling].add(concept.id)
            renumbered[_unnumbered(spelling)].add(concept.id)
    entries = [entry for entry in rulebook.entries if entry.kind in _TIED]
    bare = [_unnumbered(heading_key(entry.heading)) for entry in entries]
    counts = Counter(bare)  # "General" stands in every chapter
    for entry, unnumbered in zip(entries, bare, strict=True):
        meant = called.get(heading_key(entry.heading)) or called.get(heading_key(entry.title))
        if not meant and unnumbered and counts[unnumbered] == 1:
            meant = renumbered.get(unnumbered)
        if meant and len(meant) == 1:
            by_entry.setdefault(entry.id, min(meant))


def _unnumbered(heading: str) -> str:
    """Return ``heading``, a `heading_key`, without the number of its rule, which another version
    may print otherwise; "" where it has none.
    """
    number = _NUMBER.match(heading)
    return heading[number.end() :] if number else ""


def _concepts_by_text(
    rulebook: RulebookView,
    untied: set[str],
    concepts: Sequence[Concept],
    rulebooks: Sequence[RulebookView],
    tied: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield those of the ``untied`` entries that have the passages of another version's entry, each
    with the concept that most of its text belongs to.

    Other versions are those among ``rulebooks``, and every edition of the game in this language
    that has phrasings, which give the entry of each passage by its fingerprint.
    """
    mine = rulebook.edition.game, rulebook.edition.language
    votes: dict[str, set[str]] = defaultdict(set)  # concepts by what tells a passage
    for sister in rulebooks:
        if sister is not rulebook and (sister.edition.game, sister.edition.language) == mine:
            for passage in sister.passages:
                if passage.entry in tied and passage.role is not Role.LISTING:
                    votes[fingerprint(passage.text)].add(tied[passage.entry])
                    votes[content(passage.text)].add(tied[passage.entry])
    for other in (known.edition for known in described_editions()):
        if (other.game, other.language) == mine:
            for mark, concept in _concepts_by_phrasings(other.id, concepts):
                votes[mark].add(concept)
    own: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.entry in untied and passage.role is not Role.LISTING:
            own[passage.entry].append(passage)
    for entry, passages in own.items():
        weight: Counter[str] = Counter()
        for passage in passages:
            meant = votes.get(fingerprint(passage.text)) or votes.get(content(passage.text))
            if meant and len(meant) == 1:  # what stands under several headings tells nothing
                weight[min(meant)] += len(passage.text)
        for concept, most in weight.most_common(1):
            if most >= MIN_SHARE * sum(len(passage.text) for passage in passages):
                yield entry, concept


def _concepts_by_phrasings(edition: str, concepts: Sequence[Concept]) -> Iterator[tuple[str, str]]:
    """Yield what tells the passages of ``edition`` that have phrasings, each with its concept."""
    called: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        for heading in concept.entries.get(edition, ()):
            called[slug(heading)].add(concept.id)
    for phrasings in load_query_variants(edition):
        entry = phrasings.at.partition("#")[0]
        meant = called.get(entry) or called.get(entry.rpartition(".")[2], set())
        if len(meant) == 1:
            yield phrasings.fingerprint, min(meant)
            if phrasings.wording:
                yield phrasings.wording.content, min(meant)
