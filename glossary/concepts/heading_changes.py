"""Entries under a new heading tied to their concept by the passages that they share with another
version.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from corpus.edition_files import described_editions
from corpus.model import Edition, Entry, Passage, Role
from corpus.titles import slug
from glossary.concepts.model import Concept
from glossary.model import RulebookView
from glossary.query_variants import fingerprint, load_query_variants
from glossary.query_variants.wording import content

MIN_SHARE = 0.5  # of an entry's characters that have to be those of one concept's entry elsewhere

_Votes = Mapping[
    str, set[str]
]  # concepts by the fingerprint of a passage, and of it without the numbers of rules


def tie_by_text(
    rulebook: RulebookView,
    entries: Collection[Entry],
    concepts: Sequence[Concept],
    loose: Collection[str],
    sisters: Sequence[RulebookView],
    tied: Mapping[str, str],
) -> dict[str, str]:
    """Concept ids by entry id for those of ``entries`` that have the passages of another version's
    entry.

    ``entries`` of ``rulebook`` are tied to nothing and ``loose`` concepts have no entry in it.
    Other versions are the ``sisters``, whose entries are ``tied``, and every edition of the game in
    this language that has phrasings, which give the entry of each passage by its fingerprint.
    """
    if not entries or not loose:
        return {}
    votes: dict[str, set[str]] = defaultdict(set)
    for mark, concept in (*_of_sisters(sisters, tied), *_of_phrasings(rulebook.edition, concepts)):
        votes[mark].add(concept)
    own: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is not Role.LISTING:
            own[passage.entry].append(passage)
    found = ((entry.id, _majority_concept(own[entry.id], votes)) for entry in entries)
    return {entry: concept for entry, concept in found if concept is not None and concept in loose}


def _majority_concept(passages: Sequence[Passage], votes: _Votes) -> str | None:
    """The concept that most of the text of ``passages`` belongs to, None where there is none."""
    weight: Counter[str] = Counter()
    for passage in passages:
        meant = votes.get(fingerprint(passage.text), set()) or votes.get(
            content(passage.text), set()
        )
        if len(meant) == 1:  # what stands under several headings tells nothing
            weight[min(meant)] += len(passage.text)
    if not weight:
        return None
    concept, most = weight.most_common(1)[0]
    return concept if most >= MIN_SHARE * sum(len(passage.text) for passage in passages) else None


def _of_sisters(
    sisters: Sequence[RulebookView], tied: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    for sister in sisters:
        for passage in sister.passages:
            if passage.entry in tied and passage.role is not Role.LISTING:
                yield fingerprint(passage.text), tied[passage.entry]
                yield content(passage.text), tied[passage.entry]


def _of_phrasings(edition: Edition, concepts: Sequence[Concept]) -> Iterable[tuple[str, str]]:
    for other in (known.edition for known in described_editions()):
        if (other.game, other.language) == (edition.game, edition.language):
            called: dict[str, set[str]] = defaultdict(set)
            for concept in concepts:
                for heading in concept.entries.get(other.id, ()):
                    called[slug(heading)].add(concept.id)
            for phrasings in load_query_variants(other.id):
                entry = phrasings.at.partition("#")[0]
                meant = called.get(entry) or called.get(entry.rpartition(".")[2], set())
                if len(meant) == 1:
                    yield phrasings.fingerprint, min(meant)
                    if phrasings.wording:
                        yield phrasings.wording.content, min(meant)
