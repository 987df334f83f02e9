"""In how many texts of the whole index each term and n-gram of a game is, so that they are worth in a pack what they are worth there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from index.analysis import word_grams
from index.offline.container import pack_fragment
from index.store.file_store import ExhaustiveStore, FileStore


def rarity_fragment(store: FileStore, texts: int, terms: Iterable[str], words: Iterable[str]) -> bytes:
    """The fragment with the number of ``texts`` of the index, and how many of them hold each of ``terms`` and each n-gram of ``words``.

    Both are in the order of their UTF-16, as JavaScript sorts. A store for very many passages does not know: then there is nothing.
    """
    if not isinstance(store, ExhaustiveStore):
        return pack_fragment({"texts": 0}, {"terms": np.empty(0, dtype=np.uint32), "grams": np.empty(0, dtype=np.uint32)})
    grams = {gram for word in words for gram in word_grams(word)}
    of_terms, of_grams = store.term_holders(_sorted(terms)), store.gram_holders(_sorted(grams))
    return pack_fragment({"texts": texts}, {"terms": np.array(of_terms, dtype=np.uint32), "grams": np.array(of_grams, dtype=np.uint32)})


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
