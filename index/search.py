"""An index that answers: passages found by words, characters and vectors, fused, with what in them answers."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.errors import NotFound
from corpus.languages import detect
from corpus.versions import VersionKey, version_key
from glossary.compounds import read_stems
from glossary.memo import remember
from glossary.normalization import read_forms
from index.analysis import folded, terms
from index.encoding.encoder import BuiltIn, Encoder, Hub
from index.library import library as libraries
from index.library.library import Library
from index.library.passage_lookup import Places
from index.memory import uncollected
from index.model import Found, Hit, Query
from index.questions.prepared import Asked, Where
from index.questions.question_parser import Reader
from index.ranking.answerability import Scope
from index.ranking.confidence import ANSWERED, judge
from index.ranking.fusion import best
from index.ranking.highlights import Highlighter
from index.ranking.passage_features import Prints
from index.ranking.signals import Parts
from index.store import store as stores
from index.store.store import Store

FOLDED = 120  # passages further down that are looked through for the same words as those above; with 2,000 no answer was another
_TOGETHER = 10  # passages among which an exception to the first may be
_FILTERS = 16  # that are remembered, with the passages they let through


class Index:
    """Everything that answering needs, loaded from one snapshot folder; it never changes afterwards."""

    def __init__(
        self,
        id: str,
        built: datetime,
        library: Library,
        places: Places,
        store: Store,
        encoder: Encoder,
        highlighter: Highlighter,
        scope: Scope,
        reader: Reader,
        prints: Prints,
    ):
        self.id = id
        self.built = built
        self.library = library
        self._encoder = encoder
        self._highlighter = highlighter
        self._scope = scope
        self._reader = reader
        self._prints = prints
        self._places = places
        self._parts = Parts(places, store, reader, prints)
        self.waits = store.waits
        self._lately: dict[tuple[str | None, ...], Where] = {}

    @classmethod
    def load(cls, folder: Path, token: str = "") -> Index:
        """The index in a snapshot folder; ``token`` lets in where its store is elsewhere.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged, `store.Unreachable` where the store is.
        """
        with uncollected():
            index = cls._loaded(folder, token)
        gc.freeze()  # an index stays: the collector need not look through it again and again; see `index.memory.release`
        return index

    @classmethod
    def _loaded(cls, folder: Path, token: str) -> Index:
        read_forms(folder / "forms")
        read_stems(folder / "stems")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        encoder: Encoder = Hub(manifest["encoder"]) if manifest["encoder"] else BuiltIn.load(folder / "encoder")
        library = libraries.load(folder)
        index = cls(
            manifest["id"],
            datetime.fromisoformat(manifest["built"]),
            library,
            Places.load(folder / "places", library.editions),
            stores.load(folder, manifest.get("store"), token),
            encoder,
            Highlighter.load(folder / "sentences"),
            Scope.load(folder / "scope"),
            Reader.load(folder / "reading", library),
            Prints.load(folder / "prints"),
        )
        detect("wort")  # which reads its tables
        return index

    def search(self, query: Query) -> Found:
        """The ``query.k`` passages that most likely settle the question, the best first.

        Raises `NotFound` for an edition, game or document that is not here.
        """
        asked, where, scores, fused = self._scored(query)
        fused = fused + self._parts.preferred(asked, where)
        order = best(fused, query.k + FOLDED)
        ranked = where.numbers[order[fused[order] > 0]]
        groups = self._together(self._folded(ranked, max(query.k, _TOGETHER)))[: query.k]
        numbers = [
            max(g, key=lambda n: (self._version_keys[self._places.edition(n).id], -n)) if len(g) > 1 and self._same_rulebook(g) else g[0]
            for g in groups
        ]
        marked = self._highlighter.highlights(numbers, asked.spelt, asked.spelt_vectors)
        passages = self.library.searchable
        scored = fused[np.searchsorted(where.numbers, [group[0] for group in groups])].tolist()
        hits = [
            Hit(passages[newest], score, spans, tuple(passages[n] for n in group if n != newest))
            for group, newest, score, spans in zip(groups, numbers, scored, marked, strict=True)
        ]
        confidence = judge(self.evidence(asked, scores)) if hits else 0.0
        edition = query.edition or (self._places.edition(numbers[0]).id if numbers else self._first(query))
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
        """The question as read, the numbers of the passages looked at, and their scores by part, shape (len(numbers),) each.

        Raises `NotFound` for an edition, game or document that is not here.
        """
        asked, where, scores, _ = self._scored(query)
        return asked, where.numbers, scores

    def _scored(self, query: Query) -> tuple[Asked, Where, dict[str, NDArray[np.float32]], NDArray[np.float64]]:
        where = self._where(query)
        asked = self._read(query, where)
        where = self._parts.looked(asked, where)
        return asked, where, *self._parts.scores(asked, where)

    def evidence(self, asked: Asked, scores: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
        """What speaks for the question being settled by one of the passages with these ``scores``; see `index.ranking.confidence`."""
        return {
            "vectors": float(scores["vectors"].max(initial=0.0)),
            "phrasings": float(scores["phrasings"].max(initial=0.0)),
            "scope": self._scope.logit(asked.vector),
            "outside": self._scope.nearest(asked.vector),
        }

    def _folded(self, ranked: NDArray[np.int64], most: int) -> list[list[int]]:
        """Passage numbers, the best first, those with the same words together at the place of the first; the first ``most`` of these."""
        prints = self._prints.same[ranked].tolist()
        groups: dict[int, list[int]] = {print_: [] for print_ in islice(dict.fromkeys(prints), most)}
        for number, print_ in [pair for pair in zip(ranked.tolist(), prints, strict=True) if pair[1] in groups]:
            groups[print_].append(number)
        return list(groups.values())

    def _together(self, groups: list[list[int]]) -> list[list[int]]:
        """``groups`` with an exception printed in the same entry as the first, and found among the first ten, right behind it."""
        first = [group[0] for group in groups[:_TOGETHER]]
        entries, exceptions = self._places.entries[first].tolist(), self._prints.exceptions[first].tolist()
        for place in range(1, len(first)):
            if exceptions[place] and entries[place] == entries[0]:
                return [groups[0], groups[place], *groups[1:place], *groups[place + 1 :]]
        return groups

    def _same_rulebook(self, group: list[int]) -> bool:
        """Whether the passages are from versions of one rulebook: then the newest version is the one to quote."""
        editions = [self._places.edition(n) for n in group]
        return len({e.id for e in editions}) > 1 and len({(e.game, e.language) for e in editions}) == 1

    def _first(self, query: Query) -> str:
        """The edition that a query without a hit was put to."""
        return next(
            e.id
            for e in self.library.editions
            if query.game in (None, e.game) and query.document in (None, self.library.sources[e.id].file)
        )

    def _read(self, query: Query, where: Where) -> Asked:
        """The question of ``query``, made ready to be looked for there."""
        question = self._reader.read(query.question, query.language, where.games)
        readings = {*where.languages, question.language}
        asking = " ".join(question.asking)
        wanted = {reading: tuple(terms(query.question, reading)) for reading in readings}
        several = question.asking if len(question.asking) > 1 else ()
        spelt = tuple(dict.fromkeys(folded(asking)))
        vectors = self._encoder.questions([query.question, *several, *spelt])
        return Asked(
            question,
            wanted,
            wanted if asking == query.question else {reading: tuple(terms(asking, reading)) for reading in readings},
            vectors[: 1 + len(several)],
            spelt,
            vectors[1 + len(several) :],
        )

    def _where(self, query: Query) -> Where:
        """The searchable passages that the query's filters let through."""
        filters = (query.edition, query.game, query.document)
        return self._lately.get(filters) or remember(self._lately, filters, self._filtered(query), _FILTERS)

    def _filtered(self, query: Query) -> Where:
        """The same, worked out. Raises `NotFound` for an edition, game or document that is not here."""
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
        return self._parts.where(frozenset(editions))

    @cached_property
    def _version_keys(self) -> dict[str, VersionKey]:
        """The version of each edition as a sort key."""
        return {e.id: version_key(e.version) for e in self.library.editions}
