"""An index that answers: passages found by words, characters and vectors, fused, with what in them answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from corpus import language
from glossary.phrasings import fingerprint
from index import library as libraries
from index.analysis import grams, terms
from index.confidence import ANSWERED, confidence
from index.encoder import BuiltIn, Encoder, Hub
from index.fusion import reciprocal_ranks
from index.highlights import Highlighter
from index.library import Library
from index.model import Found, Hit, Query
from index.words import Bm25

WEIGHTS = {"words": 1.0, "characters": 1.0, "vectors": 1.0}


class NotFound(LookupError):
    """An edition, game or document that the index does not have; the message says which there are."""


@dataclass(frozen=True)
class _Asked:
    """A question read once: its language, its terms by the language they are read in, its n-grams, its vector."""

    language: str
    terms: dict[str, tuple[str, ...]]
    grams: tuple[str, ...]
    vector: NDArray[np.float32]

    def words(self, printed: str) -> list[str]:
        """Terms to look for in a rulebook ``printed`` in a language: players mix languages, and phrasings are in two."""
        return list(dict.fromkeys((*self.terms[printed], *self.terms[self.language])))


class Index:
    """Everything that answering needs, loaded from one snapshot folder; it never changes afterwards."""

    def __init__(
        self,
        id: str,
        built: datetime,
        library: Library,
        words: Bm25,
        characters: Bm25,
        vectors: faiss.Index,
        encoder: Encoder,
        highlighter: Highlighter,
    ):
        self.id = id
        self.built = built
        self.library = library
        self._words = words
        self._characters = characters
        self._vectors = vectors
        self._encoder = encoder
        self._highlighter = highlighter

    @classmethod
    def load(cls, folder: Path) -> Index:
        """The index in a snapshot folder. Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged."""
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        encoder: Encoder = Hub(manifest["encoder"]) if manifest["encoder"] else BuiltIn.load(folder / "encoder")
        return cls(
            manifest["id"],
            datetime.fromisoformat(manifest["built"]),
            libraries.load(folder),
            Bm25.load(folder / "words"),
            Bm25.load(folder / "characters"),
            faiss.read_index(str(folder / "vectors.faiss")),
            encoder,
            Highlighter.load(folder / "sentences"),
        )

    def search(self, query: Query) -> Found:
        """The ``query.k`` passages that most likely settle the question, the best first.

        Raises `NotFound` for an edition, game or document that is not here.
        """
        asked = self._read(query)
        allowed = self._allowed(query)
        scores = self._scores(asked, allowed)
        fused = reciprocal_ranks({name: values[allowed] for name, values in scores.items()}, WEIGHTS)
        ranked = [int(i) for i in np.argsort(-fused, kind="stable") if fused[i] > 0]
        hits, numbers = [], []
        for group in islice(self._folded([int(allowed[i]) for i in ranked]), query.k):
            newest = max(group, key=lambda n: (self._age[n], -n)) if self._same_rulebook(group) else group[0]
            also = tuple(self.library.searchable[n] for n in group if n != newest)
            score = float(fused[np.searchsorted(allowed, group[0])])
            hits.append(Hit(self.library.searchable[newest], score, self._highlights(asked, newest), also))
            numbers.append(newest)
        confidence = self._confidence(asked, scores, numbers)
        edition = query.edition or (self._editions[numbers[0]] if numbers else self._first(query))
        return Found(
            query=query,
            language=asked.language,
            hits=tuple(hits),
            confidence=confidence,
            answered=confidence >= ANSWERED,
            fallback=self.library.fallback(edition),
        )

    def _folded(self, ranked: list[int]) -> Iterator[list[int]]:
        """Passage numbers, the best first, those with the same words together at the place of the first."""
        groups: dict[str, list[int]] = {}
        for number in ranked:
            groups.setdefault(self._prints[number], []).append(number)
        yield from groups.values()

    def _same_rulebook(self, group: list[int]) -> bool:
        """Whether the passages are from versions of one rulebook: then the newest version is the one to quote."""
        editions = [self.library.edition[self._editions[n]] for n in group]
        return len({e.id for e in editions}) > 1 and len({(e.game, e.language) for e in editions}) == 1

    def _first(self, query: Query) -> str:
        """The edition that a query without a hit was put to."""
        return next(
            e.id
            for e in self.library.editions
            if query.game in (None, e.game) and query.document in (None, self.library.sources[e.id].file)
        )

    def _read(self, query: Query) -> _Asked:
        spoken = query.language or language.detect(query.question) or "de"
        readings = {*(e.language for e in self.library.editions), spoken}
        return _Asked(
            spoken,
            {reading: tuple(terms(query.question, reading)) for reading in sorted(readings)},
            tuple(grams(query.question)),
            self._encoder.questions([query.question])[0],
        )

    def _allowed(self, query: Query) -> NDArray[np.int64]:
        """Numbers of the searchable passages that the query's filters let through, ascending."""
        known = {
            "edition": list(self.library.edition),
            "game": sorted({e.game for e in self.library.editions}),
            "document": [s.file for s in self.library.sources.values()],
        }
        for name, wanted in (("edition", query.edition), ("game", query.game), ("document", query.document)):
            if wanted is not None and wanted not in known[name]:
                raise NotFound(f"no {name} {wanted!r} here; there are: {', '.join(known[name])}")
        editions = {
            e.id
            for e in self.library.editions
            if query.edition in (None, e.id) and query.game in (None, e.game) and query.document in (None, self.library.sources[e.id].file)
        }
        if not editions:
            raise NotFound("no edition here is all that was asked for; ask for an edition, a game or a document alone")
        return np.array([n for n, edition in enumerate(self._editions) if edition in editions], dtype=np.int64)

    @cached_property
    def _editions(self) -> list[str]:
        return [self.library.entry[p.entry].edition for p in self.library.searchable]

    @cached_property
    def _prints(self) -> list[str]:
        return [fingerprint(p.text) for p in self.library.searchable]

    @cached_property
    def _age(self) -> list[tuple[float, ...]]:
        """How new the version is that each passage is from; one that is no number ("online") counts as newest."""
        return [tuple(float(n) for n in re.findall(r"\d+", self.library.edition[e].version)) or (float("inf"),) for e in self._editions]

    @cached_property
    def _languages(self) -> NDArray[np.str_]:
        return np.array([self.library.edition[e].language for e in self._editions])

    def _scores(self, asked: _Asked, allowed: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """Scores by part, each of shape (number of searchable passages,); only those of ``allowed`` count."""
        words = np.zeros(len(self._editions), dtype=np.float32)
        for printed in np.unique(self._languages[allowed]):
            here = self._languages == printed
            words[here] = self._words.scores(asked.words(str(printed)))[here]
        vectors = np.zeros(len(self._editions), dtype=np.float32)
        selector = faiss.SearchParameters(sel=faiss.IDSelectorBatch(allowed))  # type: ignore[call-arg]
        similarities, numbers = self._vectors.search(asked.vector[None, :], len(allowed), params=selector)
        vectors[numbers[0]] = similarities[0]
        return {"words": words, "characters": self._characters.scores(asked.grams), "vectors": vectors}

    def _highlights(self, asked: _Asked, number: int) -> tuple[tuple[int, int], ...]:
        return self._highlighter.highlights(number, asked.terms[str(self._languages[number])], asked.vector)

    def _confidence(self, asked: _Asked, scores: dict[str, NDArray[np.float32]], numbers: list[int]) -> float:
        if not numbers:
            return 0.0
        printed = str(self._languages[numbers[0]])
        return confidence(
            known=self._words.coverage(asked.words(printed), numbers[:3]),
            similarity=float(scores["vectors"][numbers[:3]].max()),
        )
