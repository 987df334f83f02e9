"""Propose concepts for a game that nobody has described: entries of its editions that are the same.

The surest pairs are accepted first and teach what the next round knows: which words translate each
other, which terms the texts name, which entries refer to the same. Besides the features of
`glossary.matching.tie_proposals` (titles, references, place), these count, each from 0 to 1:

- anchors: whether links of both editions use one name for them, as in two translations of one site;
- text: how much of its words, numbers and names each covers of the other
  (`glossary.comparison.passage_similarity`);
- numbers: whether both have the same number, if the editions are numbered alike;
- inside: the share of the aligned children of either that are aligned with a child of the other.

Each round takes the assignment of the greatest total weight (Kuhn 1955), and accepts its pairs that
lead clearly over all others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from urllib.parse import unquote

import numpy as np

from corpus.languages import get_language
from corpus.layouts import LAYOUTS
from corpus.model import Entry, Passage, Rulebook
from corpus.titles import slug
from glossary import normalization
from glossary.comparison.passage_similarity import PassageSimilarity, ruling_passages
from glossary.concepts import (
    Concept,
    games_with_concepts,
    heading_key,
    load_concepts,
    tie_entries,
)
from glossary.matching.likeness import best_assignment, lead
from glossary.matching.printed_ties import tie_numbers
from glossary.matching.tie_proposals import (
    KINDS,
    Matrix,
    Sides,
    TitlePair,
    TitleTranslator,
    WeighedTie,
    open_pairs,
    place_signs,
    plain_title,
    reference_signs,
    unlike_kinds,
)
from glossary.model import Reference
from glossary.name_finder import NameFinder
from glossary.word_tables import spacy_pipeline

WEIGHTS = {
    "titles": 0.45,
    "text": 0.7,
    "references": 0.25,
    "anchors": 0.6,
    "numbers": 0.6,
    "inside": 0.35,
    "place": 0.1,
}
UNLIKE_KINDS = 0.1  # penalty if one is a chapter and the other a term
ROUNDS = ((0.5, 0.1), (0.4, 0.1), (0.35, 0.08), (0.3, 0.08), (0.28, 0.06), (0.28, 0.06))
"""The least weight and lead of a pair, round by round."""
MANY = 12  # new pairs that teach enough to compare the texts again
LARGEST = 9_000_000  # pairs of entries that are compared; if there are more, none are
_LONGEST_ID = 60  # characters
_PREFERRED = "en"  # language whose title gives a concept its id


def _anchor_names(rulebook: Rulebook, references: Iterable[Reference]) -> dict[str, set[str]]:
    """Return the names in links to each entry of ``rulebook``, by id: "Act_Deck" of "#Act_Deck"."""
    links = sorted(
        (link.span.start, link.span.end, link.target)
        for block in rulebook.document.blocks
        for link in block.links
    )
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
    return found


def _name_signs(entries: Sides, names: Sequence[Mapping[str, Iterable[str]]]) -> Matrix:
    """Return 1 for each pair of entries that share a name which no other entry has. ``names`` are,
    for either side, names in links or numbers by entry id.
    """
    signs = np.zeros((len(entries[0]), len(entries[1])))
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for named, side, called in zip(places, entries, names, strict=True):
        for place, entry in enumerate(side):
            for name in called.get(entry.id, ()):
                named[name].append(place)
    for name in places[0].keys() & places[1].keys():
        here, there = places[0][name], places[1][name]
        if len(here) == len(there) == 1:
            signs[here[0], there[0]] = 1.0
    return signs


def _inside_signs(
    entries: Sides, books: tuple[Rulebook, Rulebook], tied: Mapping[str, str]
) -> Matrix:
    """Return for each pair of entries the share of their aligned children that are aligned with a
    child of the other; 0 if only one pair of children is.
    """
    within: list[dict[str, int]] = []
    for side, book in zip(entries, books, strict=True):
        place = {entry.id: n for n, entry in enumerate(side)}
        within.append(
            {
                tied[e.id]: place[e.parent]
                for e in book.entries
                if e.id in tied and e.parent in place
            }
        )
    counts = [Counter(side.values()) for side in within]
    signs = np.zeros((len(entries[0]), len(entries[1])))
    both = Counter((within[0][each], within[1][each]) for each in within[0].keys() & within[1])
    for (row, column), count in both.items():
        if count > 1:
            signs[row, column] = 2 * count / (counts[0][row] + counts[1][column])
    return signs


def infer_ties(
    left: Rulebook,
    right: Rulebook,
    references: Sequence[Reference],
    tied: Mapping[str, str],
    concepts: Sequence[Concept],
    taught: Sequence[TitlePair] = (),
) -> list[WeighedTie]:
    """Return pairs of entries of ``left`` and ``right``, two editions of a game, that seem to
    belong to one concept; each entry at most once, the surest first.

    ``tied`` are concept ids by entry id, as far as somebody has described them, ``concepts`` those
    of the game. ``references`` are those of both rulebooks; ``taught`` are names and their
    translations, such as those of the concepts of other games.
    """
    search = _TieSearch(left, right, references, tied, concepts, taught)
    if not 0 < search.open.size <= LARGEST or not search.open.any():
        return []  # nothing to propose, or too much to compare
    for least, least_lead in ROUNDS:
        weights = np.where(search.open, search.weights(), 0.0)
        for i, j in best_assignment(weights):
            if weights[i, j] >= least and lead(weights, i, j) >= least_lead:
                search.accept(i, j, float(weights[i, j]))
    return search.found


class _TieSearch:
    """The entries of two editions, and the pairs that have been ``found`` so far."""

    def __init__(
        self,
        left: Rulebook,
        right: Rulebook,
        references: Sequence[Reference],
        tied: Mapping[str, str],
        concepts: Sequence[Concept],
        taught: Sequence[TitlePair],
    ):
        self._books = left, right
        self._languages = left.edition.language, right.edition.language
        here, there = ([e for e in book.entries if e.kind in KINDS] for book in self._books)
        self._entries = here, there
        self.found: list[WeighedTie] = []
        self._references, self._concepts = references, list(concepts)
        self._tied = {e.id: tied[e.id] for e in (*here, *there) if e.id in tied}
        self.open = open_pairs(self._entries, self._tied)
        self._taught = [*taught, *_names_in(self._languages, concepts)]
        by_concept = {self._tied[e.id]: plain_title(e) for e in there if e.id in self._tied}
        self._taught += [
            (plain_title(entry), by_concept[self._tied[entry.id]])
            for entry in here
            if self._tied.get(entry.id) in by_concept
        ]
        titles = [plain_title(e) for e in here], [plain_title(e) for e in there]
        self._titles = TitleTranslator(self._languages, titles)
        self._texts = [_entry_texts(book) for book in self._books]
        self._numbered = tie_numbers(self._books)
        numbers = {entry: (number,) for entry, number in self._numbered.items()}
        anchors = [_anchor_names(book, references) for book in self._books]
        self._fixed = (
            WEIGHTS["anchors"] * _name_signs(self._entries, anchors)
            + WEIGHTS["numbers"] * _name_signs(self._entries, (numbers, numbers))
            - UNLIKE_KINDS * unlike_kinds(self._entries)
        )
        self._text: tuple[Matrix, list[tuple[str, str, float]]] | None = None
        self._known = 0  # how many pairs were found when the texts were compared last

    def weights(self) -> Matrix:
        """Return the total weight of each pair of entries."""
        if self._text is None or len(self.found) >= self._known + MANY:
            # This takes longest by far.
            self._text, self._known = self._compare_texts(), len(self.found)
        text, learned = self._text
        inside = _inside_signs(self._entries, self._books, {**self._numbered, **self._tied})
        references = reference_signs(self._entries, self._references, self._tied)
        return (
            self._fixed
            + WEIGHTS["titles"] * self._titles.likeness(self._taught, learned)
            + WEIGHTS["text"] * text
            + WEIGHTS["references"] * references
            + WEIGHTS["inside"] * inside
            + WEIGHTS["place"] * place_signs(self._entries, self._tied)
        )

    def accept(self, left: int, right: int, weight: float) -> None:
        """Accept entries number ``left`` and ``right`` as one concept, and learn from them."""
        one, other = self._entries[0][left], self._entries[1][right]
        name = f"found {len(self.found)}"
        concept = self._tied.get(one.id) or self._tied.get(other.id) or name
        self._tied[one.id] = self._tied[other.id] = concept
        titles = plain_title(one), plain_title(other)
        names = {code: (title,) for code, title in zip(self._languages, titles, strict=True)}
        self._concepts.append(Concept(name, "", names, {}, {}, (), False, {}))
        self._taught.append(titles)
        self.open[left] = False
        self.open[:, right] = False
        self.found.append(WeighedTie(one, other, round(min(weight, 1.0), 3)))

    def _compare_texts(self) -> tuple[Matrix, list[tuple[str, str, float]]]:
        """Return the similarity of each left text to each right one, and pairs of words that
        translate each other, learned from the pairs found so far, each with its weight.
        """
        left, right = self._texts
        by_concept = {self._tied[e.id]: e.id for e in self._entries[1] if e.id in self._tied}
        tied = []
        for entry in self._entries[0]:
            other = by_concept.get(self._tied.get(entry.id, ""), "")
            if entry.id in left and other in right:
                tied.append(([left[entry.id]], [right[other]]))
        one, two = (NameFinder(self._concepts, code, ordinary=True) for code in self._languages)
        similarity = PassageSimilarity([*left.values()], [*right.values()], (one, two), tied)
        places = [
            [n for n, entry in enumerate(side) if entry.id in texts]
            for side, texts in zip(self._entries, self._texts, strict=True)
        ]
        signs = np.zeros(self.open.shape)
        signs[np.ix_(*places)] = similarity.similarity(
            [left[self._entries[0][n].id] for n in places[0]],
            [right[self._entries[1][n].id] for n in places[1]],
        )
        return signs, similarity.learned_words()


def _entry_texts(rulebook: Rulebook) -> dict[str, Passage]:
    """Return the text of each entry, without that of its children, as one passage, by entry id;
    entries without text are left out.
    """
    wanted = {entry.id for entry in rulebook.entries if entry.kind in KINDS}
    return {
        id: replace(own[0], id=id, display="\n".join(p.display for p in own))
        for id, own in ruling_passages(rulebook).items()
        if id in wanted
    }


def _names_in(languages: tuple[str, str], concepts: Iterable[Concept]) -> Iterator[TitlePair]:
    for concept in concepts:
        if (one := concept.name(languages[0])) and (other := concept.name(languages[1])):
            yield one, other


def known_translations(left: str, right: str) -> Iterator[TitlePair]:
    """Yield the names of the concepts of all games in two languages."""
    for game in games_with_concepts():
        yield from _names_in((left, right), load_concepts(game))


@dataclass
class ConceptProposal:
    """A new concept, or additions to a known one: ``names`` by language, headings of ``entries``
    and ``scores`` (0 to 1) by edition.

    ``is_new`` says that the game has no concept of this ``id`` yet. ``ordinary`` is as in
    `glossary.concepts.Concept`.
    """

    id: str
    is_new: bool
    names: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    ordinary: bool = False

    @property
    def score(self) -> float:
        """The lowest of the scores."""
        return min(self.scores.values())


def propose_concepts(
    rulebooks: Sequence[Rulebook],
    references: Mapping[str, Sequence[Reference]],
    report: Callable[[str], None],
) -> list[ConceptProposal]:
    """Return the concepts that seem to be missing among ``rulebooks``, editions of one game in
    several languages, the surest first.

    ``references`` are those of each edition by its id. ``report`` gets a line for each pair of
    editions.
    """
    books = [book for book in rulebooks if not LAYOUTS[book.edition.layout].excerpt]
    if len({book.edition.language for book in books}) < 2:
        return []
    concepts = load_concepts(books[0].edition.game)
    groups = _EntryGroups(tie_entries(concepts, books).by_entry)
    names = {}  # of links: editions that have most of them in common come first, and teach
    for book in books:
        found = _anchor_names(book, references[book.edition.id])
        names[book.edition.id] = {name for of_entry in found.values() for name in of_entry}
    pairs = [(a, b) for a, b in combinations(books, 2) if a.edition.language != b.edition.language]
    for left, right in sorted(
        pairs, key=lambda pair: -len(names[pair[0].edition.id] & names[pair[1].edition.id])
    ):
        report(f"comparing {left.edition.id} with {right.edition.id}")
        taught = list(known_translations(left.edition.language, right.edition.language))
        both = [*references[left.edition.id], *references[right.edition.id]]
        groups.add(infer_ties(left, right, both, groups.tied, concepts, taught))
    return sorted(groups.proposals(books, concepts), key=lambda each: (-each.score, each.id))


class _EntryGroups:
    """Groups of entries that belong together, besides confirmed entries at most one of each
    edition; ``tied`` are the groups by entry id.
    """

    def __init__(self, confirmed: Mapping[str, str]):
        self.tied = dict(confirmed)
        self._confirmed = confirmed
        self._weights: dict[str, float] = {}  # of entries that are in a group by proposal
        self._editions: dict[str, set[str]] = defaultdict(set)
        for entry, concept in confirmed.items():
            self._editions[concept].add(entry.partition("/")[0])

    def add(self, ties: Sequence[WeighedTie]) -> None:
        """Put the two entries of each pair into one group, the surest first, unless the group would
        then have two entries of an edition.
        """
        for one, other, weight in sorted(ties, key=lambda tie: -tie.weight):
            mine, its = self.tied.get(one.id), self.tied.get(other.id)
            if mine is not None and its is not None:
                continue
            group = mine or its or f"+{len(self._editions)}"
            for entry in (one, other):
                if entry.id not in self.tied and entry.edition not in self._editions[group]:
                    self.tied[entry.id] = group
                    self._weights[entry.id] = weight
                    self._editions[group].add(entry.edition)

    def proposals(
        self, books: Sequence[Rulebook], concepts: Sequence[Concept]
    ) -> Iterator[ConceptProposal]:
        """Yield the groups with new entries; leave out entries with the heading of another."""
        entries = [(entry, book.edition.language) for book in books for entry in book.entries]
        members: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
        taken = {(e.edition, heading_key(e.heading)) for e, _ in entries if e.id in self._confirmed}
        for entry, language in entries:
            spelling = entry.edition, heading_key(entry.heading)
            if entry.id in self._weights and spelling not in taken:
                members[self.tied[entry.id]].append((entry, language))
                taken.add(spelling)
        known = {concept.id: concept for concept in concepts}
        used = set(known)
        for group, own in members.items():
            if group not in known and len(own) < 2:
                continue
            id = group if group in known else _free_id(own, used)
            proposal = ConceptProposal(id, group not in known)
            named = known[group].names if group in known else {}
            for entry, language in own:
                proposal.entries[entry.edition] = entry.heading
                proposal.scores[entry.edition] = self._weights[entry.id]
                if language not in named:
                    proposal.names.setdefault(language, plain_title(entry))
            proposal.ordinary = proposal.is_new and any(
                is_ordinary(name, language) for language, name in proposal.names.items()
            )
            used.add(id)
            yield proposal


def _free_id(entries: Sequence[tuple[Entry, str]], used: set[str]) -> str:
    """Return an id that is not ``used``, made of the English title, else of the first title."""
    titles = sorted(entries, key=lambda pair: pair[1] != _PREFERRED)
    slugs = (slug(plain_title(entry), _LONGEST_ID).strip("-") for entry, _ in titles)
    stem = next(filter(None, slugs), "concept")
    id, number = stem, 1
    while id in used:
        number += 1
        id = f"{stem}-{number}"
    return id


def is_ordinary(name: str, language: str) -> bool:
    """Return whether ``name`` consists of stop words of its language ("dann", "after")."""
    words = {token.text.casefold() for token in normalization.tokenize(name)}
    return words <= _stop_words(language)


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(
        spacy_pipeline(language).Defaults.stop_words
        or get_language(language).function_words.telling
    )
