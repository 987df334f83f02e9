"""What spaCy knows of the words of a language, compiled: lemmas, stop words, tokens. Kept with an index and mapped into memory."""

from __future__ import annotations

import gzip
import json
import warnings
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpus.languages import get_language
from glossary.string_trie import UNKNOWN, Strings
from glossary.tokenizer import Divider

if TYPE_CHECKING:
    from spacy.language import Language


class Forms:
    """The word forms of one language with their lemmas, its stop words, and how its texts are divided into words.

    ``known`` are all forms and lemmas, numbered; ``lemmas``, shape (len(known),), is the number of the lemma of each,
    -1 where the tables have none.
    """

    def __init__(self, known: Strings, lemmas: NDArray[np.int32], stop_words: frozenset[str], divider: Divider):
        self._known = known
        self._lemmas = lemmas
        self.stop_words = stop_words
        self.words = lru_cache(maxsize=64)(divider.words)
        self._divider = divider

    @classmethod
    def compile(cls, language: str) -> Forms:
        """Those of ``language`` as spaCy has them; no lemmas where it has no table. Slow, and brings spaCy, which brings torch."""
        packed = files("spacy_lookups_data") / "data" / f"{language}_lemma_lookup.json.gz"
        table: dict[str, str] = json.loads(gzip.decompress(packed.read_bytes())) if packed.is_file() else {}
        known = Strings([*table, *table.values()])
        lemmas = np.full(len(known), UNKNOWN, dtype=np.int32)
        for form, lemma in table.items():
            lemmas[known.number(form)] = known.number(lemma)
        blank = pipeline(language)
        stop_words = blank.Defaults.stop_words or get_language(language).function_words.telling
        return cls(known, lemmas, frozenset(stop_words), Divider.of(blank.tokenizer))

    def lemma(self, word: str) -> str:
        """The dictionary form of ``word``, itself where the tables do not have it."""
        lemma = self._lemma(word)
        if lemma == UNKNOWN and not word.islower():
            lemma = self._lemma(word.lower())
        return word if lemma == UNKNOWN else self._known.string(lemma)

    def _lemma(self, form: str) -> int:
        """The number of the lemma of ``form``, -1 where the tables have none."""
        number = self._known.number(form)
        return UNKNOWN if number == UNKNOWN else int(self._lemmas[number])

    def has(self, form: str) -> bool:
        """Whether the tables have ``form``, as a form or as a lemma."""
        return self._known.number(form) != UNKNOWN

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        np.save(folder / "lemmas.npy", self._lemmas)
        kept: dict[str, Any] = {"stop_words": sorted(self.stop_words), "tokens": self._divider.rules}
        (folder / "words.json").write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Forms:
        """What is kept in ``folder``. Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged."""
        kept = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        lemmas = np.asarray(np.load(folder / "lemmas.npy", mmap_mode="r"))
        divider = Divider(kept["tokens"])
        divider.prepare()
        return cls(Strings.load(folder / "known.marisa"), lemmas, frozenset(kept["stop_words"]), divider)


def pipeline(language: str) -> Language:
    """spaCy's tokenizer for ``language``, or for any language where it has none; compiled forms do without it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy warns about the GPU it does not find
        import spacy

        try:
            return spacy.blank(language)
        except ImportError:  # spaCy does not have the language
            return spacy.blank("xx")
