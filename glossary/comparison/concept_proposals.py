"""Ties between editions of a game that nobody has described, worked out step by step from what is
certain.

The surest pairs are accepted first, and teach what the next round knows: which words translate each
other, which terms the texts name, which entries refer to the same. Seven signs are weighed, each
from 0 to 1:

- anchors: that links of both editions call the two by one name, as in two translations of one site;
- titles: how well their words translate each other (`glossary.matching.tie_proposals`);
- text: how much of its words, numbers and names each covers of the other
(`glossary.comparison.passage_similarity`);
- references: the share of ties that both refer to, or are referred to by, weighted by rarity;
- numbers: that both have the same number, where the editions are numbered alike;
- inside: the share of what is tied in either that is tied to something in the other;
- place: for chapters, that they stand below the same one and as far down.

Each round takes the assignment of the greatest total weight (Kuhn 1955), and of it what leads
clearly over all other pairs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, pairwise
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from corpus.languages import get_language
from corpus.layouts import LAYOUTS
from corpus.model import Entry, Kind, Passage, Role, Rulebook
from corpus.titles import key, slug
from glossary import normalization
from glossary.comparison.passage_similarity import PassageSimilarity, TiedPassages
from glossary.concepts import Concept, games_with_concepts, load_concepts, tie_entries
from glossary.concepts.model import heading_key
from glossary.matching.likeness import best_assignment, lead
from glossary.matching.printed_ties import tie_numbers
from glossary.matching.tie_proposals import (
    TitlePair,
    TitleTranslator,
    WeighedTie,
    concept_neighbours,
    plain_title,
    rarity,
)
from glossary.model import Reference
from glossary.name_finder import NameFinder
from glossary.word_tables import spacy_pipeline

CHAPTERS = (Kind.SECTION, Kind.SUBSECTION)
_FEWEST = 4  # chapters whose order says anything
_IN_ORDER = 0.9  # share of neighbours in alphabetical order

Sides = tuple[Sequence[Entry], Sequence[Entry]]
"""Entries of the left and of the right edition."""

Matrix = NDArray[np.float64]


def anchor_names(rulebook: Rulebook, references: Iterable[Reference]) -> dict[str, frozenset[str]]:
    """Return the names by which links of ``rulebook`` call each entry, by its id: "Act_Deck" of
    "#Act_Deck".
    """
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
    return {entry: frozenset(names) for entry, names in found.items()}


def name_signs(
    entries: Sides, names: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]
) -> Matrix:
    """Return 1 where both have one of their ``names`` in common, such as that of links or a number,
    which no other entry has.
    """
    owners = [
        Counter(name for entry in side for name in called.get(entry.id, ()))
        for side, called in zip(entries, names, strict=True)
    ]
    signs = np.zeros((len(entries[0]), len(entries[1])))
    there = {
        name: column
        for column, entry in enumerate(entries[1])
        for name in names[1].get(entry.id, ())
    }
    for row, entry in enumerate(entries[0]):
        for name in names[0].get(entry.id, ()):
            if name in there and owners[0][name] == owners[1][name] == 1:
                signs[row, there[name]] = 1.0
    return signs


def reference_signs(
    entries: Sides, references: Iterable[Reference], tied: Mapping[str, str]
) -> Matrix:
    """Return the share of concepts that both refer to, or are referred to by, among all that either
    does, weighted by rarity.
    """
    near = concept_neighbours(references, tied)
    weights = rarity(near.values())
    columns = {thing: column for column, thing in enumerate(sorted(weights))}
    rare = np.array([weights[thing] for thing in columns])
    has = []
    for side in entries:
        here = np.zeros((len(side), len(columns)))
        for row, entry in enumerate(side):
            here[row, [columns[thing] for thing in near.get(entry.id, ())]] = 1.0
        has.append(here)
    both = (has[0] * rare) @ has[1].T
    either = (has[0] @ rare)[:, None] + (has[1] @ rare)[None, :] - both
    shares: Matrix = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return shares


def place_signs(entries: Sides, tied: Mapping[str, str]) -> Matrix:
    """Return for chapters below the same one: how near each other they stand. 0 for entries in
    alphabetical order.
    """
    signs = np.zeros((len(entries[0]), len(entries[1])))
    groups = [_sisters(side, tied) for side in entries]
    for above in groups[0].keys() & groups[1].keys():
        here, there = groups[0][above], groups[1][above]
        down = [np.arange(len(group)) / max(len(group) - 1, 1) for group in (here, there)]
        signs[np.ix_(here, there)] = 1 - np.abs(down[0][:, None] - down[1][None, :])
    return signs


def inside_signs(
    entries: Sides, books: tuple[Rulebook, Rulebook], tied: Mapping[str, str]
) -> Matrix:
    """Return the share of the tied entries directly in either that are tied to one in the other; 0
    where there is but one such pair.
    """
    places = [{entry.id: place for place, entry in enumerate(side)} for side in entries]
    within: list[dict[str, int]] = [
        {tied[e.id]: place[e.parent] for e in book.entries if e.id in tied and e.parent in place}
        for book, place in zip(books, places, strict=True)
    ]
    counts = [Counter(side.values()) for side in within]
    signs = np.zeros((len(entries[0]), len(entries[1])))
    both = Counter(
        (within[0][concept], within[1][concept]) for concept in within[0].keys() & within[1].keys()
    )
    for (row, column), count in both.items():
        if count > 1:
            signs[row, column] = 2 * count / (counts[0][row] + counts[1][column])
    return signs


def _sisters(side: Sequence[Entry], tied: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the places of chapters by the concept that they stand below ("" for none), without
    those in alphabetical order.
    """
    found: dict[str, list[int]] = defaultdict(list)
    for place, entry in enumerate(side):
        if entry.kind in CHAPTERS and (entry.parent is None or entry.parent in tied):
            found[tied[entry.parent] if entry.parent is not None else ""].append(place)
    names = {above: [key(side[place].title) for place in group] for above, group in found.items()}
    in_order = {above: sum(a <= b for a, b in pairwise(titles)) for above, titles in names.items()}
    return {
        above: group
        for above, group in found.items()
        if len(group) < _FEWEST or in_order[above] <= _IN_ORDER * (len(group) - 1)
    }


def kind_signs(entries: Sides) -> Matrix:
    """Return 1 where one is a chapter and the other a term."""
    chapters = [np.array([entry.kind in CHAPTERS for entry in side]) for side in entries]
    differ: Matrix = (chapters[0][:, None] != chapters[1][None, :]).astype(float)
    return differ


KINDS = (Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION)
WEIGHTS = {
    "titles": 0.45,
    "text": 0.7,
    "references": 0.25,
    "anchors": 0.6,
    "numbers": 0.6,
    "inside": 0.35,
    "place": 0.1,
}
UNLIKE_KINDS = 0.1  # what is taken off where one is a chapter and the other a term
ROUNDS = (
    (0.5, 0.1),
    (0.4, 0.1),
    (0.35, 0.08),
    (0.3, 0.08),
    (0.28, 0.06),
    (0.28, 0.06),
)  # least weight and lead of a pair
MANY = 12  # new ties that teach enough to compare the texts again
LARGEST = 9_000_000  # pairs of entries that are compared; of more, none


def infer_ties(
    left: Rulebook,
    right: Rulebook,
    references: Sequence[Reference],
    tied: Mapping[str, str],
    concepts: Sequence[Concept],
    taught: Sequence[TitlePair] = (),
) -> list[WeighedTie]:
    """Return pairs of entries of ``left`` and ``right``, two editions of a game, that seem to be
    one concept's; each entry at most once.

    ``tied`` are concept ids by entry id, as far as somebody has described them, ``concepts`` those
    of the game. ``references`` are those of both rulebooks; ``taught`` are names and their
    translations, such as the concepts of other games have. The surest come first.
    """
    search = _TieSearch(left, right, references, tied, concepts, taught)
    if not 0 < search.open.size <= LARGEST or not search.open.any():
        return []  # nothing to tie, or too much to compare
    for least, least_lead in ROUNDS:
        search.step(least, least_lead)
    return search.found


class _TieSearch:
    """The entries of two editions, and the ties between them that have been ``found`` so far."""

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
        self.entries = _entries(left), _entries(right)
        self.found: list[WeighedTie] = []
        self._references, self._concepts = references, list(concepts)
        self._tied = {
            entry.id: tied[entry.id] for side in self.entries for entry in side if entry.id in tied
        }
        self.open = self._open_pairs()
        self._taught = [*taught, *self._taught_by_concepts()]
        titles = (
            [plain_title(e) for e in self.entries[0]],
            [plain_title(e) for e in self.entries[1]],
        )
        self._titles = TitleTranslator(self._languages, titles)
        self._texts = _entry_texts(left), _entry_texts(right)
        names = anchor_names(left, references), anchor_names(right, references)
        self._anchors = name_signs(self.entries, names)
        self._numbered = tie_numbers([left, right])
        numbers = {entry: frozenset([number]) for entry, number in self._numbered.items()}
        self._numbers = name_signs(self.entries, (numbers, numbers))
        self._unlike = kind_signs(self.entries)
        self._text: tuple[Matrix, list[tuple[str, str, float]]] | None = None
        self._known = -1  # how many ties were found when the texts were compared last

    def step(self, least: float, least_lead: float) -> None:
        """Accept the pairs that have at least a weight and a lead over all others of either
        entry.
        """
        weights = np.where(self.open, self._weights(), 0.0)
        pairs = best_assignment(weights)
        for i, j in [
            (i, j) for i, j in pairs if weights[i, j] >= least and lead(weights, i, j) >= least_lead
        ]:
            self._accept(i, j, float(weights[i, j]))

    def _accept(self, left: int, right: int, weight: float) -> None:
        """Take the entries at these places for one concept's, and learn from them."""
        one, other = self.entries[0][left], self.entries[1][right]
        name = f"found {len(self.found)}"
        self._tied[one.id] = self._tied[other.id] = (
            self._tied.get(one.id) or self._tied.get(other.id) or name
        )
        titles = plain_title(one), plain_title(other)
        names = {
            language: (title,) for language, title in zip(self._languages, titles, strict=True)
        }
        self._concepts.append(Concept(name, "", names, {}, {}, (), False, {}))
        self._taught.append(titles)
        self.open[left] = False
        self.open[:, right] = False
        self.found.append(WeighedTie(one, other, round(min(weight, 1.0), 3)))

    def _open_pairs(self) -> NDArray[np.bool_]:
        """Return the pairs that may be tied: no entry whose concept the other edition has, and no
        two that somebody told apart.
        """
        concepts = [{self._tied[e.id] for e in side if e.id in self._tied} for side in self.entries]
        free = [
            np.array([self._tied.get(e.id) not in concepts[1 - n] for e in side])
            for n, side in enumerate(self.entries)
        ]
        loose = [np.array([e.id not in self._tied for e in side]) for side in self.entries]
        pairs: NDArray[np.bool_] = (free[0][:, None] & free[1][None, :]) & (
            loose[0][:, None] | loose[1][None, :]
        )
        return pairs

    def _taught_by_concepts(self) -> Iterator[TitlePair]:
        """Yield the names of concepts, and the titles of the entries that they tie already."""
        left, right = self._languages
        for concept in self._concepts:
            if (one := concept.name(left)) and (other := concept.name(right)):
                yield one, other
        by_concept = {
            self._tied[e.id]: plain_title(e) for e in self.entries[1] if e.id in self._tied
        }
        for entry in self.entries[0]:
            if (there := by_concept.get(self._tied.get(entry.id, ""))) is not None:
                yield plain_title(entry), there

    def _weights(self) -> Matrix:
        """Return what speaks for each pair in all."""
        if (
            self._text is None or len(self.found) >= self._known + MANY
        ):  # comparing texts takes longest by far
            self._text, self._known = self._text_signs(), len(self.found)
        text, learned = self._text
        signs = {
            "titles": self._titles.likeness(self._taught, learned),
            "text": text,
            "references": reference_signs(self.entries, self._references, self._tied),
            "anchors": self._anchors,
            "numbers": self._numbers,
            "inside": inside_signs(self.entries, self._books, {**self._numbered, **self._tied}),
            "place": place_signs(self.entries, self._tied),
        }
        return sum(
            (WEIGHTS[name] * sign for name, sign in signs.items()), -UNLIKE_KINDS * self._unlike
        )

    def _text_signs(self) -> tuple[Matrix, list[tuple[str, str, float]]]:
        """Return how alike the texts are, and the words that are learned from the texts of ties to
        stand for each other.
        """
        finders = tuple(
            NameFinder(self._concepts, language, ordinary=True) for language in self._languages
        )
        texts = self._texts
        similarity = PassageSimilarity(
            [*texts[0].values()],
            [*texts[1].values()],
            (finders[0], finders[1]),
            list(self._tied_texts()),
        )
        rows, columns = (
            [n for n, entry in enumerate(side) if entry.id in text]
            for side, text in zip(self.entries, texts, strict=True)
        )
        signs = np.zeros(self.open.shape)
        here, there = (
            [texts[n][self.entries[n][place].id] for place in places]
            for n, places in enumerate((rows, columns))
        )
        signs[np.ix_(rows, columns)] = similarity.similarity(here, there)
        return signs, similarity.learned_words()

    def _tied_texts(self) -> Iterator[TiedPassages]:
        by_concept = {self._tied[e.id]: e.id for e in self.entries[1] if e.id in self._tied}
        for entry in self.entries[0]:
            other = by_concept.get(self._tied.get(entry.id, ""), "")
            if entry.id in self._texts[0] and other in self._texts[1]:
                yield [self._texts[0][entry.id]], [self._texts[1][other]]


def _entries(rulebook: Rulebook) -> list[Entry]:
    return [entry for entry in rulebook.entries if entry.kind in KINDS]


def _entry_texts(rulebook: Rulebook) -> dict[str, Passage]:
    """Return all that each entry says itself as one passage, by its id; entries without text are
    left out.
    """
    wanted = {entry.id for entry in _entries(rulebook)}
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT and passage.entry in wanted:
            found[passage.entry].append(passage)
    return {
        id: replace(own[0], id=id, display="\n".join(p.display for p in own))
        for id, own in found.items()
    }


_LONGEST_ID = 60  # characters
_PREFERRED = "en"  # language whose title gives a concept its id


@dataclass
class ConceptProposal:
    """A concept with what is new in it: ``names`` by language, ``entries`` and ``scores`` (0 to 1)
    by edition.

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
        """How sure the least sure of it is."""
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
    confirmed = tie_entries(concepts, books).by_entry
    gathered = _TieGroups(books, confirmed)
    for left, right in _by_closeness(books, references):
        report(f"comparing {left.edition.id} with {right.edition.id}")
        taught = list(known_translations(left.edition.language, right.edition.language))
        both = [*references[left.edition.id], *references[right.edition.id]]
        gathered.add(infer_ties(left, right, both, gathered.tied, concepts, taught))
    return sorted(
        _proposals(books, gathered, concepts, confirmed),
        key=lambda proposal: (-proposal.score, proposal.id),
    )


def known_translations(left: str, right: str) -> Iterator[TitlePair]:
    """Yield what the concepts of all games are called in two languages."""
    for game in games_with_concepts():
        for concept in load_concepts(game):
            if (one := concept.name(left)) and (other := concept.name(right)):
                yield one, other


def _by_closeness(
    books: Sequence[Rulebook], references: Mapping[str, Sequence[Reference]]
) -> list[tuple[Rulebook, Rulebook]]:
    """Return the pairs of different languages, those first whose links have most names in common:
    they teach the others.
    """
    names = {}
    for book in books:
        found = anchor_names(book, references[book.edition.id])
        names[book.edition.id] = {name for of_entry in found.values() for name in of_entry}
    pairs = [
        pair
        for pair in combinations(books, 2)
        if pair[0].edition.language != pair[1].edition.language
    ]
    return sorted(
        pairs, key=lambda pair: -len(names[pair[0].edition.id] & names[pair[1].edition.id])
    )


class _TieGroups:
    """Entries that belong together, at most one of each edition but for what is confirmed; ``tied``
    are their groups by entry id.
    """

    def __init__(self, books: Sequence[Rulebook], confirmed: Mapping[str, str]):
        self.tied = dict(confirmed)
        self.weights: dict[str, float] = {}  # of entries that are in a group by proposal
        self._editions: dict[str, set[str]] = defaultdict(set)
        for entry, concept in confirmed.items():
            self._editions[concept].add(entry.partition("/")[0])

    def add(self, ties: Sequence[WeighedTie]) -> None:
        """Put the two entries of each tie into one group, the surest first, unless an edition would
        be twice in it.
        """
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
    books: Sequence[Rulebook],
    groups: _TieGroups,
    concepts: Sequence[Concept],
    confirmed: Mapping[str, str],
) -> Iterator[ConceptProposal]:
    """Yield the groups that have anything new, without headings that cannot tell an entry."""
    members: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
    taken = {
        (entry.edition, heading_key(entry.heading))
        for book in books
        for entry in book.entries
        if entry.id in confirmed
    }
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
        proposal = ConceptProposal(
            group if group in known else _free_id(entries, used), group not in known
        )
        named = known[group].names if group in known else {}
        for entry, language in entries:
            proposal.entries[entry.edition] = entry.heading
            proposal.scores[entry.edition] = groups.weights[entry.id]
            if language not in named:
                proposal.names.setdefault(language, plain_title(entry))
        proposal.ordinary = proposal.is_new and any(
            is_ordinary(name, language) for language, name in proposal.names.items()
        )
        used.add(proposal.id)
        yield proposal


def _free_id(entries: Sequence[tuple[Entry, str]], used: set[str]) -> str:
    """Return an id that is not ``used``, made of the English title if there is one, else of the
    first one.
    """
    titles = sorted(entries, key=lambda pair: pair[1] != _PREFERRED)
    stem = next(
        (name for entry, _ in titles if (name := slug(plain_title(entry), _LONGEST_ID).strip("-"))),
        "concept",
    )
    return next(
        id for n in range(1, len(used) + 2) if (id := stem if n == 1 else f"{stem}-{n}") not in used
    )


def is_ordinary(name: str, language: str) -> bool:
    """Return whether ``name`` has no other words than the most frequent ones of its language
    ("dann", "after").
    """
    return {token.text.casefold() for token in normalization.tokenize(name)} <= _stop_words(
        language
    )


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(
        spacy_pipeline(language).Defaults.stop_words
        or get_language(language).function_words.telling
    )
