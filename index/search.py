"""An index that answers: passages found by words, characters and vectors, fused, with what in them answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.phrasings import fingerprint
from index import library as libraries
from index.analysis import fold, grams, terms, words
from index.confidence import ANSWERED, judge
from index.encoder import BuiltIn, Encoder, Hub
from index.fusion import fuse, weights
from index.highlights import Highlighter
from index.library import Library
from index.model import Found, Hit, Query
from index.parts import Asked, Parts
from index.reading import Reader
from index.scope import Scope
from index.vectors import Vectors
from index.words import Bm25

_RULE_NUMBER = re.compile(r"^\W*\d+(?:\.\d+)+\.?\s+")
FOLDED = 200  # passages further down that are looked through for the same words as those above
EXCEPTION = re.compile(
    r"\b(?:ausnahme|ausgenommen|ausser|außer|es sei denn|jedoch|allerdings|eccezione|eccetto|tranne|a meno che|tuttavia)\b", re.IGNORECASE
)


class NotFound(LookupError):
    """An edition, game or document that the index does not have; the message says which there are."""


class Index:
    """Everything that answering needs, loaded from one snapshot folder; it never changes afterwards."""

    def __init__(
        self,
        id: str,
        built: datetime,
        library: Library,
        words: Bm25,
        characters: Bm25,
        vectors: Vectors,
        encoder: Encoder,
        highlighter: Highlighter,
        scope: Scope,
    ):
        self.id = id
        self.built = built
        self.library = library
        self._encoder = encoder
        self._highlighter = highlighter
        self._scope = scope
        self._reader = Reader(library)
        self._parts = Parts(library, words, characters, vectors, self._reader)

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
            Vectors.load(folder / "vectors"),
            encoder,
            Highlighter.load(folder / "sentences"),
            Scope.load(folder / "scope"),
        )

    def search(self, query: Query) -> Found:
        """The ``query.k`` passages that most likely settle the question, the best first.

        Raises `NotFound` for an edition, game or document that is not here.
        """
        asked, allowed, scores = self.parts(query)
        fused = fuse(scores, weights()) + self._parts.preferred(asked, allowed)
        order = np.argsort(-fused, kind="stable")[: query.k + FOLDED]
        ranked = [int(allowed[i]) for i in order if fused[i] > 0]
        hits, numbers = [], []
        for group in islice(self._together(self._folded(ranked)), query.k):
            newest = max(group, key=lambda n: (self._age[n], -n)) if self._same_rulebook(group) else group[0]
            also = tuple(self.library.searchable[n] for n in group if n != newest)
            marked = self._highlighter.highlights(newest, asked.spelt, asked.spelt_vectors)
            score = float(fused[np.searchsorted(allowed, group[0])])
            hits.append(Hit(self.library.searchable[newest], score, marked, also))
            numbers.append(newest)
        confidence = judge(self.evidence(asked, scores)) if hits else 0.0
        edition = query.edition or (self._editions[numbers[0]] if numbers else self._first(query))
        return Found(
            query=query,
            language=asked.language,
            hits=tuple(hits),
            confidence=confidence,
            answered=confidence >= ANSWERED,
            fallback=self.library.fallback(edition),
            reading=asked.question,
        )

    def parts(self, query: Query) -> tuple[Asked, NDArray[np.int64], dict[str, NDArray[np.float32]]]:
        """The question as read, the numbers of the passages looked at, and their scores by part, shape (len(allowed),) each.

        Raises `NotFound` for an edition, game or document that is not here.
        """
        allowed = self._allowed(query)
        asked = self._read(query)
        return asked, allowed, self._parts.scores(asked, allowed)

    def evidence(self, asked: Asked, scores: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
        """What speaks for the question being settled by one of the passages with these ``scores``; see `index.confidence`."""
        return {
            "vectors": float(scores["vectors"].max(initial=0.0)),
            "phrasings": float(scores["phrasings"].max(initial=0.0)),
            "scope": self._scope.logit(asked.vector),
            "outside": self._scope.nearest(asked.vector),
        }

    def _folded(self, ranked: list[int]) -> Iterator[list[int]]:
        """Passage numbers, the best first, those with the same words together at the place of the first."""
        groups: dict[str, list[int]] = {}
        for number in ranked:
            groups.setdefault(self._prints[number], []).append(number)
        yield from groups.values()

    def _together(self, groups: Iterable[list[int]]) -> Iterator[list[int]]:
        """``groups`` with an exception printed in the same entry as the first, and found among the first ten, right behind it."""
        found = list(groups)
        first = self.library.searchable[found[0][0]] if found else None
        for place in range(1, min(len(found), 10)):
            other = self.library.searchable[found[place][0]]
            if first and other.entry == first.entry and EXCEPTION.search(other.display):
                found.insert(1, found.pop(place))
                break
        yield from found

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

    def _read(self, query: Query) -> Asked:
        question = self._reader.read(query.question, query.language)
        readings = sorted({*(e.language for e in self.library.editions), question.language})
        asking = " ".join(question.asking)
        several = question.asking if len(question.asking) > 1 else ()
        spelt = tuple(dict.fromkeys(words(fold(asking))))
        vectors = self._encoder.questions([query.question, *several, *spelt])
        return Asked(
            question,
            {reading: tuple(terms(query.question, reading)) for reading in readings},
            {reading: tuple(terms(asking, reading)) for reading in readings},
            tuple(grams(query.question)),
            vectors[: 1 + len(several)],
            spelt,
            vectors[1 + len(several) :],
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
        """The words of each passage as a fingerprint, without the number of its rule: a rule printed twice has two."""
        return [fingerprint(_RULE_NUMBER.sub("", p.text)) for p in self.library.searchable]

    @cached_property
    def _age(self) -> list[tuple[float, ...]]:
        """How new the version is that each passage is from; one that is no number ("online") counts as newest."""
        return [tuple(float(n) for n in re.findall(r"\d+", self.library.edition[e].version)) or (float("inf"),) for e in self._editions]
