"""Concepts proposed for the editions of a game: entries of several languages that seem to be the same, as its data file would have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from corpus.languages import get_language
from corpus.layouts import LAYOUTS
from corpus.model import Entry, Rulebook
from corpus.titles import slug
from glossary import normalization
from glossary.comparison.tie_evidence import anchor_names
from glossary.comparison.tie_inference import InferredTie, infer_ties
from glossary.concepts import Concept, games_with_concepts, load_concepts, tie_entries
from glossary.concepts.model import heading_key
from glossary.matching.title_translation import TitlePair, plain_title
from glossary.model import Reference
from glossary.word_tables import spacy_pipeline

_LONGEST_ID = 60  # characters
_PREFERRED = "en"  # language whose title gives a concept its id


@dataclass
class ConceptProposal:
    """A concept with what is new in it: ``names`` by language, ``entries`` and ``scores`` (0 to 1) by edition.

    ``is_new`` says that the game has no concept of this ``id`` yet. ``ordinary`` is as in `glossary.concepts.Concept`.
    """

    id: str
    is_new: bool
    names: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    ordinary: bool = False

    @property
    def score(self) -> float:
        """How sure the least sure of it is."""
        return min(self.scores.values())


def propose_concepts(
    rulebooks: Sequence[Rulebook], references: Mapping[str, Sequence[Reference]], report: Callable[[str], None]
) -> list[ConceptProposal]:
    """The concepts that seem to be missing among ``rulebooks``, editions of one game in several languages, the surest first.

    ``references`` are those of each edition by its id. ``report`` gets a line for each pair of editions.
    """
    books = [book for book in rulebooks if not LAYOUTS[book.edition.layout].excerpt]
    if len({book.edition.language for book in books}) < 2:
        return []
    concepts = load_concepts(books[0].edition.game)
    confirmed = tie_entries(concepts, books).by_entry
    gathered = _TieGroups(books, confirmed)
    for left, right in _by_closeness(books, references):
        report(f"comparing {left.edition.id} with {right.edition.id}")
        taught = list(known_translations(left.edition.language, right.edition.language))
        both = [*references[left.edition.id], *references[right.edition.id]]
        gathered.add(infer_ties(left, right, both, gathered.tied, concepts, taught))
    return sorted(_proposals(books, gathered, concepts, confirmed), key=lambda proposal: (-proposal.score, proposal.id))


def known_translations(left: str, right: str) -> Iterator[TitlePair]:
    """What the concepts of all games are called in two languages."""
    for game in games_with_concepts():
        for concept in load_concepts(game):
            if (one := concept.name(left)) and (other := concept.name(right)):
                yield one, other


def _by_closeness(books: Sequence[Rulebook], references: Mapping[str, Sequence[Reference]]) -> list[tuple[Rulebook, Rulebook]]:
    """The pairs of different languages, those first whose links have most names in common: they teach the others."""
    names = {}
    for book in books:
        found = anchor_names(book, references[book.edition.id])
        names[book.edition.id] = {name for of_entry in found.values() for name in of_entry}
    pairs = [pair for pair in combinations(books, 2) if pair[0].edition.language != pair[1].edition.language]
    return sorted(pairs, key=lambda pair: -len(names[pair[0].edition.id] & names[pair[1].edition.id]))


class _TieGroups:
    """Entries that belong together, at most one of each edition but for what is confirmed; ``tied`` are their groups by entry id."""

    def __init__(self, books: Sequence[Rulebook], confirmed: Mapping[str, str]):
        self.tied = dict(confirmed)
        self.weights: dict[str, float] = {}  # of entries that are in a group by proposal
        self._editions: dict[str, set[str]] = defaultdict(set)
        for entry, concept in confirmed.items():
            self._editions[concept].add(entry.partition("/")[0])

    def add(self, ties: Sequence[InferredTie]) -> None:
        """Put the two entries of each tie into one group, the surest first, unless an edition would be twice in it."""
        for tie in sorted(ties, key=lambda tie: -tie.weight):
            one, other = tie.entry, tie.other
            groups = [self.tied.get(e.id) for e in (one, other)]
            if groups[0] is not None and groups[1] is not None:
                continue
            group = groups[0] or groups[1] or f"+{len(self._editions)}"
            for entry, known in zip((one, other), groups, strict=True):
                if known is None and entry.edition not in self._editions[group]:
                    self.tied[entry.id] = group
                    self.weights[entry.id] = tie.weight
                    self._editions[group].add(entry.edition)


def _proposals(
    books: Sequence[Rulebook], groups: _TieGroups, concepts: Sequence[Concept], confirmed: Mapping[str, str]
) -> Iterator[ConceptProposal]:
    """The groups that have anything new, without headings that cannot tell an entry."""
    members: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
    taken = {(entry.edition, heading_key(entry.heading)) for book in books for entry in book.entries if entry.id in confirmed}
    for book in books:
        for entry in book.entries:
            spelling = entry.edition, heading_key(entry.heading)
            if entry.id in groups.weights and spelling not in taken:
                members[groups.tied[entry.id]].append((entry, book.edition.language))
                taken.add(spelling)
    known = {concept.id: concept for concept in concepts}
    used = set(known)
    for group, entries in members.items():
        if group not in known and len(entries) < 2:
            continue
        proposal = ConceptProposal(group if group in known else _free_id(entries, used), group not in known)
        named = known[group].names if group in known else {}
        for entry, language in entries:
            proposal.entries[entry.edition] = entry.heading
            proposal.scores[entry.edition] = groups.weights[entry.id]
            if language not in named:
                proposal.names.setdefault(language, plain_title(entry))
        proposal.ordinary = proposal.is_new and any(is_ordinary(name, language) for language, name in proposal.names.items())
        used.add(proposal.id)
        yield proposal


def _free_id(entries: Sequence[tuple[Entry, str]], used: set[str]) -> str:
    """An id that is not ``used``, made of the English title if there is one, else of the first one."""
    titles = sorted(entries, key=lambda pair: pair[1] != _PREFERRED)
    stem = next((name for entry, _ in titles if (name := slug(plain_title(entry), _LONGEST_ID).strip("-"))), "concept")
    return next(id for n in range(1, len(used) + 2) if (id := stem if n == 1 else f"{stem}-{n}") not in used)


def is_ordinary(name: str, language: str) -> bool:
    """Whether ``name`` has no other words than the most frequent ones of its language ("dann", "after")."""
    return {token.text.casefold() for token in normalization.tokenize(name)} <= _stop_words(language)


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(spacy_pipeline(language).Defaults.stop_words or get_language(language).function_words.telling)
