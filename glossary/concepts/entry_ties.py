"""Assign entries of rulebooks to concepts: by heading or, if the heading is new, by passages shared
with another version.
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
from glossary.query_variants import attach_query_variants, load_query_variants
from glossary.query_variants.model import AlignmentEvidence, PassageVariants
from glossary.query_variants.wording import content, fingerprint, wording

MIN_SHARE = 0.5  # of an entry's characters that one concept's entries elsewhere have to have

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

    For an edition that the data file names, use the headings given there. For any other edition of
    the game, such as a newer one, use the headings of its sister editions and the official names in
    its language, if only one concept has them. The same applies to an edition named only by
    proposals, as far as these give no heading. If no entry has a heading with its number, but
    exactly one has it with another number, that entry is meant. A concept without a matching
    heading is assigned by text.
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
            by_text = dict(_concepts_by_text(rulebook, untied, here, rulebooks, by_entry))
            by_part = dict(_concepts_by_part(rulebook, untied - by_text.keys(), here))
            found_ties = {**by_part, **by_text}.items()
            followed |= {entry: meant for entry, meant in found_ties if meant in loose}
    return ConceptTies(by_entry | followed, tuple(unmatched), frozenset(followed))


def _tie_by_own_headings(
    concepts: Sequence[Concept], rulebook: RulebookView, by_entry: dict[str, str]
) -> Iterator[UnmatchedHeading]:
    """Assign entries by the headings that the data file gives for this edition; yield headings that
    no entry has.
    """
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind not in (*_TIED, Kind.RULE):
            continue
        # The title is the corrected heading, so that a print without the error fits, too.
        # Rules have only a number: "2.3.3" is a concept's entry if the data file says so.
        spellings = {heading_key(entry.heading)}
        if entry.kind in _TIED:
            spellings.add(heading_key(entry.title))
        for spelling in spellings:
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
    """Assign entries by the headings of ``concepts`` in other editions, and by their names."""
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
    counts = Counter(bare)  # "General" occurs in every chapter
    for entry, unnumbered in zip(entries, bare, strict=True):
        meant = called.get(heading_key(entry.heading)) or called.get(heading_key(entry.title))
        if not meant and unnumbered and counts[unnumbered] == 1:
            meant = renumbered.get(unnumbered)
        if meant and len(meant) == 1:
            by_entry.setdefault(entry.id, min(meant))


def _unnumbered(heading: str) -> str:
    """Return ``heading``, a `heading_key`, without its rule number, which may differ between
    versions; "" if it has no number.
    """
    number = _NUMBER.match(heading)
    return heading[number.end() :] if number else ""


def _concepts_by_part(
    rulebook: RulebookView, untied: set[str], concepts: Sequence[Concept]
) -> Iterator[tuple[str, str]]:
    """Yield ``untied`` entries whose heading lists several names, each with the only concept that
    has one of these names: "Max." in "Max., Maximum".
    """
    called: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        names = [name for name in (concept.name(rulebook.edition.language),) if name]
        for heading in (*names, *(each for own in concept.entries.values() for each in own)):
            called[heading_key(heading)].add(concept.id)
    for entry in rulebook.entries:
        parts = [heading_key(part) for part in entry.heading.split(",")]
        meant = set().union(*(called.get(part, ()) for part in parts))
        if entry.id in untied and len(parts) > 1 and len(meant) == 1:
            yield entry.id, min(meant)


def _concepts_by_text(
    rulebook: RulebookView,
    untied: set[str],
    concepts: Sequence[Concept],
    rulebooks: Sequence[RulebookView],
    tied: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield ``untied`` entries that share passages, perhaps reworded, with another version's entry,
    each with the concept that most of its text belongs to.

    Other versions are those among ``rulebooks``, and every edition of the game in this language
    with query variants, which store a fingerprint and a MinHash sketch of each passage.
    """
    mine = rulebook.edition.game, rulebook.edition.language
    # By entry, passage and concept: the share of the passage that the concept's passages have.
    weight: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    own = {
        p.id: p for p in rulebook.passages if p.entry in untied and p.role in (Role.TEXT, Role.SEE)
    }
    sisters = [
        sister
        for sister in rulebooks
        if sister is not rulebook and (sister.edition.game, sister.edition.language) == mine
    ]
    sources = [
        [(_known_by(p), tied.get(p.entry)) for p in sister.passages if p.role is Role.TEXT]
        for sister in sisters
    ]
    sources += [
        list(_concepts_by_variants(known.edition.id, concepts))
        for known in described_editions()
        if (known.edition.game, known.edition.language) == mine
    ]
    for source in sources if own else ():
        votes: dict[str, set[str]] = defaultdict(set)
        for variants, concept in source:
            votes[variants.fingerprint].update({concept} if concept else ())
        alignments = attach_query_variants((each for each, _ in source), rulebook.passages)
        for id, aligned in alignments.alignments.items():
            for each in aligned if id in own else ():
                meant = votes[each.variants.fingerprint]
                # A text under several headings is no evidence, nor is the place alone.
                if len(meant) == 1 and each.evidence is not AlignmentEvidence.PLACE:
                    shares = weight[own[id].entry][id]
                    shares[min(meant)] = max(shares.get(min(meant), 0.0), each.share)
    # An equal list of references is evidence, too.
    lists: dict[str, set[str]] = defaultdict(set)
    for passage in (p for sister in sisters for p in sister.passages if p.role is Role.SEE):
        if passage.entry in tied:
            lists[content(passage.text)].add(tied[passage.entry])
    for id, passage in own.items():
        if passage.role is Role.SEE:
            meant = lists[content(passage.text)]
            weight[passage.entry][id].update(dict.fromkeys(meant, 1.0))
    lengths: Counter[str] = Counter()
    for id, passage in own.items():
        if passage.role is Role.TEXT or weight[passage.entry].get(id):
            lengths[passage.entry] += len(passage.text)
    for entry, passages in weight.items():
        total: dict[str, float] = defaultdict(float)
        for id, shares in passages.items():
            if len(shares) == 1:
                for concept, share in shares.items():
                    total[concept] += share * len(own[id].text)
        most = max(total, key=lambda concept: total[concept], default="")
        if total[most] >= MIN_SHARE * lengths[entry]:
            yield entry, most


def _known_by(passage: Passage) -> PassageVariants:
    """Return the fingerprint, place and wording by which to find ``passage`` in other versions."""
    place = passage.id.partition("/")[2]
    mark, own = fingerprint(passage.text), wording(passage.text)
    return PassageVariants(mark, place, (), (), "", (), wording=own)


def _concepts_by_variants(
    edition: str, concepts: Sequence[Concept]
) -> Iterator[tuple[PassageVariants, str | None]]:
    """Yield the query variants of ``edition``, each with the concept of the passage, if any."""
    called: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        for heading in concept.entries.get(edition, ()):
            called[slug(heading)].add(concept.id)
    for variants in load_query_variants(edition):
        entry = variants.at.partition("#")[0]
        meant = called.get(entry) or called.get(entry.rpartition(".")[2], set())
        yield variants, min(meant) if len(meant) == 1 else None
