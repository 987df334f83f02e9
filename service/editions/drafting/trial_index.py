"""An index of one edition without some of its phrasings: for trying, in memory and in seconds, what these are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from glossary.comparison.passage_similarity import gather_phrasings
from glossary.matching.printed_ties import tie_topics
from glossary.phrasings import Phrasing
from index.analysis import folded
from index.encoding.encoder import Encoder, SubwordEncoder
from index.encoding.training_pairs import training_pairs
from index.library.indexed_texts import IndexedText, indexed_texts
from index.search import Index
from index.store.edition_store import EditionStore
from index.store.vectors import PassageVectors

_BATCH, _SEEN = 1_024, 300 * 1_024  # of training from nothing: the starting weights know phrasings that are to be left out


class EditionTexts:
    """What ``index`` searches of one ``edition``, with the phrasings that files have now."""

    def __init__(self, index: Index, edition: str):
        library = index.library
        here = [book for book in library.rulebooks if book.edition.game == library.edition[edition].game]
        number = [each.id for each in library.editions].index(edition)
        self._index = index
        self._first, self._end = library.bounds[number : number + 2]
        self._texts = indexed_texts(library, gather_phrasings(here, {**tie_topics(here), **library.concepts}))
        self._ids = [passage.id for passage in library.searchable]
        self._terms: dict[tuple[str, str], list[str]] = {}

    def index_without(self, left_out: set[tuple[str, Phrasing]]) -> Index:
        """An index of the edition that knows nothing of some phrasings, given with the ids of their passages.

        An encoder that was trained on phrasings would know each by heart: another one is trained without those that are left out.
        """
        texts = [
            replace(text, phrasings=tuple(each for each in text.phrasings if (id, each) not in left_out) if self._has(number) else ())
            for number, (id, text) in enumerate(zip(self._ids, self._texts, strict=True))
        ]
        own = texts[self._first : self._end]
        encoder = self._encoder(texts)
        phrased = [(number, each.text) for number, text in enumerate(own) for each in text.phrasings]
        passages = encoder.passages([text.text for text in own])
        vectors = encoder.questions([text for _, text in phrased]) if phrased else np.empty((0, passages.shape[1]), dtype=np.float32)
        owners = np.array([number for number, _ in phrased], dtype=np.int32)
        words = [[word for said in (text.text, *(each.text for each in text.phrasings)) for word in folded(said)] for text in own]
        store = EditionStore(self._first, map(self._all_terms, own), words, PassageVectors.build(passages, vectors, owners))
        return self._index.searching(store, encoder)

    def _has(self, number: int) -> bool:
        """Whether passage ``number`` is one of the edition."""
        return self._first <= number < self._end

    def _encoder(self, texts: Sequence[IndexedText]) -> Encoder:
        """The encoder of the index where it is not of its own training, else one trained on what the edition has of ``texts``."""
        if not isinstance(self._index.encoder, SubwordEncoder):
            return self._index.encoder
        from index.encoding.training import train  # imports torch, which nothing else needs

        pairs = [
            pair._replace(passage=pair.passage - self._first)
            for pair in training_pairs(self._index.library, texts)
            if self._has(pair.passage)
        ]
        trained = train(texts[self._first : self._end], pairs, batch_size=_BATCH, seen=_SEEN)
        return SubwordEncoder(trained.embedding.weight.detach().half().numpy())

    def _all_terms(self, text: IndexedText) -> list[str]:
        """The index terms of a text and its phrasings."""
        said = ((text.text, text.language), *text.phrasings)
        return [term for words, language in said for term in self._terms_of(words, language)]

    def _terms_of(self, words: str, language: str) -> list[str]:
        if (words, language) not in self._terms:
            self._terms[words, language] = self._index.analyzer.terms(words, language)
        return self._terms[words, language]
