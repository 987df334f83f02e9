"""An index that answers: passages found by words, characters and vectors, fused, with what in them answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from corpus import language
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
        best = [int(i) for i in np.argsort(-fused, kind="stable")[: query.k] if fused[i] > 0]
        numbers = [int(allowed[i]) for i in best]
        hits = tuple(
            Hit(self.library.searchable[n], float(fused[i]), self._highlights(asked, n)) for i, n in zip(best, numbers, strict=True)
        )
        confidence = self._confidence(asked, scores, numbers)
        edition = query.edition or (self._editions[numbers[0]] if numbers else self._editions[allowed[0]])
        return Found(
            query=query,
            language=asked.language,
            hits=hits,
            confidence=confidence,
            answered=confidence >= ANSWERED,
            fallback=self.library.fallback(edition),
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
        return np.flatnonzero([edition in editions for edition in self._editions])

    @cached_property
    def _editions(self) -> list[str]:
        return [self.library.entry[p.entry].edition for p in self.library.searchable]

    @cached_property
    def _languages(self) -> NDArray[np.str_]:
        return np.array([self.library.edition[e].language for e in self._editions])

    def _scores(self, asked: _Asked, allowed: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """Scores by part, each of shape (number of searchable passages,); only those of ``allowed`` count."""
        words = np.zeros(len(self._editions), dtype=np.float32)
        for printed in np.unique(self._languages[allowed]):
            here = self._languages == printed
            words[here] = self._words.scores(asked.words(str(printed)))[here]
        selector = faiss.SearchParameters(sel=faiss.IDSelectorBatch(allowed))  # type: ignore[call-arg]
        similarities, numbers = self._vectors.search(asked.vector[None, :], len(allowed), params=selector)
        vectors = np.zeros(len(self._editions), dtype=np.float32)
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
