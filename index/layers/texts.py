"""The search tables of rulings and cards: words of card names, terms, vectors, rules texts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import Analyzer
from index.encoding.encoder import Encoder
from index.files.arrays import QuantizedVectors, RaggedArray, load_mapped
from index.store.bm25 import Bm25, count_terms

RULING_TEXTS = "ruling-texts"
RULES_TEXTS = "rules-texts"

# Mean and standard deviation of the cosines of rulings to unrelated questions, and the number of
# rulings that this prior counts as: a game with few rulings does not show what is usual.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.085, 0.1, 10
# Weight of an unknown word if question and text are in different languages, which share few words.
_FOREIGN = 0.3


class RulingText(NamedTuple):
    """The searchable content of a ruling on ``game``.

    Attributes:
        names: For each name of its cards, the weight of each word.
        concepts: The concepts that it mentions.
        asked: Its question without names of cards.
        whole: Its question and answer without names of cards.
    """

    game: str
    names: Sequence[dict[str, float]]
    concepts: Iterable[str]
    asked: str
    whole: str


class RulingTexts:
    """The searchable content of all rulings of an index, by their numbers in it.

    Row i of ``names`` has the numbers of the names that contain word i of ``words``; ``weights``
    has, in the same order, the word's share of the name; ``owners`` has the ruling of each name.
    Row i of ``speaking`` has the rulings that mention concept i of ``concepts``. ``vectors`` has
    two rows for each ruling: for its question, and for question and answer.

    In all methods, ``rulings`` are the numbers of one game's rulings; results have a value for
    each.
    """

    def __init__(
        self,
        words: StringTrie,
        names: RaggedArray,
        weights: NDArray[np.float32],
        owners: NDArray[np.int32],
        concepts: StringTrie,
        speaking: RaggedArray,
        vectors: QuantizedVectors,
    ):
        self._words, self._names, self._weights, self._owners = words, names, weights, owners
        self._concepts, self._speaking, self._vectors = concepts, speaking, vectors

    @classmethod
    def build(cls, texts: Sequence[RulingText], encoder: Encoder) -> RulingTexts:
        """Index ``texts``, one for each ruling, in the order of the rulings."""
        owners: list[int] = []
        postings: list[tuple[str, int, float]] = []
        spoken: list[tuple[str, int]] = []
        for number, text in enumerate(texts):
            spoken += [(_key(text.game, concept), number) for concept in sorted(set(text.concepts))]
            for name in text.names:
                if (whole := sum(name.values())) > 0:
                    postings += [
                        (_key(text.game, word), len(owners), weight / whole)
                        for word, weight in name.items()
                    ]
                    owners.append(number)
        words, concepts = StringTrie(each[0] for each in postings), StringTrie(s for s, _ in spoken)
        rows = np.array([words.number(word) for word, _, _ in postings], dtype=np.int64)
        weights = np.array([weight for _, _, weight in postings], dtype=np.float32)
        asked, whole_texts = (
            encoder.passages([getattr(text, part) for text in texts]) for part in ("asked", "whole")
        )
        return cls(
            words,
            RaggedArray.from_owners(rows, [name for _, name, _ in postings], len(words)),
            weights[np.argsort(rows, kind="stable")],
            np.array(owners, dtype=np.int32),
            concepts,
            RaggedArray.from_owners(
                [concepts.number(concept) for concept, _ in spoken],
                [number for _, number in spoken],
                len(concepts),
            ),
            QuantizedVectors.quantize(
                np.stack([asked, whole_texts], axis=1).reshape(2 * len(texts), -1)
            ),
        )

    def shares(self, game: str, words: Iterable[str], rulings: range) -> NDArray[np.float64]:
        """Return for each ruling the weighted share, from 0 to 1, of its card's name that ``words``
        cover; of several names the greatest.
        """
        shares = np.zeros(len(self._owners))
        for number in {self._words.number(_key(game, word)) for word in words} - {UNKNOWN}:
            start, end = self._names.first.item(number), self._names.first.item(number + 1)
            shares[self._names.values[start:end]] += self._weights[start:end]
        found = np.zeros(len(rulings))
        of_game = (self._owners >= rulings.start) & (self._owners < rulings.stop)
        np.maximum.at(found, self._owners[of_game] - rulings.start, shares[of_game])
        return np.asarray(np.minimum(found, 1.0))

    def untouched(
        self, game: str, asked: Mapping[str, float], rulings: range
    ) -> NDArray[np.float64]:
        """Return for each ruling the weight of the concepts that the question names and the ruling
        does not. ``asked`` has their certainties; rarely mentioned concepts weigh more.
        """
        found = np.zeros(len(rulings))
        for concept, certainty in asked.items():
            key = self._concepts.number(_key(game, concept))
            speaking: list[int] = []
            if key != UNKNOWN:
                speaking = (self._speaking.row(key) - rulings.start).tolist()
            weight = certainty * np.log((len(rulings) + 1) / (len(speaking) + 1))
            found += weight
            found[speaking] -= weight
        return found

    def nearness(self, vector: NDArray[np.float32], rulings: range) -> NDArray[np.float64]:
        """Return how much closer each ruling is to a question's ``vector`` than rulings usually
        are, in standard deviations of the cosines of all rulings.
        """
        cosines = self.cosines(vector, rulings).mean(axis=1, dtype=np.float64)
        count = len(rulings) + _USUAL_COUNT
        mean = (cosines.sum() + _USUAL_COUNT * _USUAL_MEAN) / count
        squares = ((cosines - mean) ** 2).sum() + _USUAL_COUNT * _USUAL_DEVIATION**2
        return np.asarray((cosines - mean) / np.sqrt(squares / count))

    def cosines(self, vector: NDArray[np.float32], rulings: range) -> NDArray[np.float32]:
        """Return the cosines of a question to each ruling's question and to the whole ruling, shape
        (len(rulings), 2).
        """
        rows = np.arange(2 * rulings.start, 2 * rulings.stop)
        return self._vectors.products(rows, vector).reshape(-1, 2)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        (folder / "names").mkdir(parents=True)
        (folder / "terms").mkdir()
        self._words.save(folder / "names" / "words.marisa")
        self._names.save(folder / "names" / "names")
        np.save(folder / "names" / "weights.npy", self._weights)
        np.save(folder / "names" / "rulings.npy", self._owners)
        self._concepts.save(folder / "terms" / "concepts.marisa")
        self._speaking.save(folder / "terms" / "rulings")
        self._vectors.save(folder / "vectors")

    @classmethod
    def load(cls, folder: Path) -> RulingTexts:
        """Map the files of `save` into memory. Raises `OSError`, `ValueError` or `RuntimeError` if
        they are damaged.
        """
        return cls(
            StringTrie.load(folder / "names" / "words.marisa"),
            RaggedArray.load(folder / "names" / "names"),
            load_mapped(folder / "names" / "weights.npy"),
            load_mapped(folder / "names" / "rulings.npy"),
            StringTrie.load(folder / "terms" / "concepts.marisa"),
            RaggedArray.load(folder / "terms" / "rulings"),
            QuantizedVectors.load(folder / "vectors"),
        )


def _key(game: str, word: str) -> str:
    return f"{game}\n{word}"


class _Block(NamedTuple):
    """The texts of one game and language, numbered from ``start`` up to ``end``, exclusive."""

    game: str
    language: str
    start: int
    end: int


class RulesTexts:
    """The rules texts of cards, in blocks by game and language, with BM25 over all texts.

    ``owners``, shape (n,), has for each text the number of its card among the game's cards.
    """

    def __init__(self, blocks: Sequence[_Block], owners: NDArray[np.int32], bm25: Bm25):
        self._blocks, self._owners, self._bm25 = tuple(blocks), owners, bm25

    @classmethod
    def build(cls, texts: Iterable[tuple[str, str, int, str]], analyzer: Analyzer) -> RulesTexts:
        """Index ``texts``: game, language, number of the card, and the text."""
        by_block: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        for game, language, card, text in texts:
            by_block[game, language].append((card, text))
        blocks: list[_Block] = []
        owners: list[int] = []
        terms: list[list[str]] = []
        for (game, language), found in sorted(by_block.items()):
            blocks.append(_Block(game, language, len(owners), len(owners) + len(found)))
            for card, text in sorted(found, key=lambda each: each[0]):
                owners.append(card)
                terms.append(analyzer.terms(text, language))
        return cls(blocks, np.array(owners, dtype=np.int32), Bm25.build(count_terms(terms)))

    def shares(
        self, game: str, language: str, terms_in: Callable[[str], Sequence[str]], count: int
    ) -> NDArray[np.float64]:
        """Return for each of the ``count`` cards of ``game`` the share, from 0 to 1, of the weight
        of a question's terms that its texts have.

        ``terms_in`` returns the terms for texts in a language; ``language`` is the question's. A
        term that no text has gets the average weight, or less for texts in another language.
        """
        found = np.zeros(count)
        for block in self._blocks:
            if block.game != game:
                continue
            terms = terms_in(block.language)
            weights = self._bm25.greatest(terms)
            known = [weight for weight in weights if weight]
            unknown = (len(weights) - len(known)) * (
                1.0 if block.language == language else _FOREIGN
            )
            whole = sum(known) * (1 + unknown / len(known)) if known else 1.0
            here = slice(block.start, block.end)
            scores = self._bm25.scores(terms)[here].astype(np.float64) / whole
            np.maximum.at(found, self._owners[here], scores)
        return found

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        (folder / "blocks.json").write_text(json.dumps(self._blocks), encoding="utf-8")
        np.save(folder / "owners.npy", self._owners)
        self._bm25.save(folder / "words")

    @classmethod
    def load(cls, folder: Path) -> RulesTexts:
        """Map the files of `save` into memory. Raises `OSError`, `ValueError` or `RuntimeError` if
        they are damaged.
        """
        blocks = json.loads((folder / "blocks.json").read_text(encoding="utf-8"))
        return cls(
            [_Block(*each) for each in blocks],
            load_mapped(folder / "owners.npy"),
            Bm25.load(folder / "words"),
        )
