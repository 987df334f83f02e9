"""Which words a language has, and how usual they are: the tables of spaCy's look-up data, read without spaCy."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from corpus.languages import get_language
from glossary.word_tables import lemma_table

UNSEEN = -30.0  # logarithm of a probability, as the others
_RARE = -16.0  # what is written less often may be a slip
_COMMON = -12.5  # what is written more often is a word


@dataclass(frozen=True)
class Lexicon:
    """The words of one language; words are asked for in lower case."""

    language: str
    forms: frozenset[str]
    probabilities: Mapping[str, float]

    def frequency(self, word: str) -> float:
        """The logarithm of how often ``word`` is written, -30 where it never was."""
        return max(self.probabilities.get(form, UNSEEN) for form in (word, word.capitalize()))

    def has(self, word: str) -> bool:
        """Whether ``word`` is in the dictionary, or so usual that it is a word."""
        return self._listed(word) or self.frequency(word) > _COMMON

    def inflects(self, word: str) -> bool:
        """Whether ``word`` is a known one with an ending or a prefix: dictionaries have few of them."""
        spelling = get_language(self.language).spelling
        for ending in spelling.endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                base = word[: -len(ending)]
                if any(self._knows(base + other) for other in spelling.base_endings):
                    return True
        return any(
            word.startswith(prefix) and len(word) - len(prefix) >= 5 and self._knows(word[len(prefix) :]) for prefix in spelling.prefixes
        )

    def is_compound(self, word: str) -> bool:
        """Whether ``word`` is two known ones put together."""
        links = get_language(self.language).spelling.compound_links
        return any(
            self._knows(word[at:]) and any(self._knows(word[: at - len(link)]) for link in links if word[:at].endswith(link))
            for at in range(4, len(word) - 3)
        )

    def _knows(self, word: str) -> bool:
        return len(word) > 2 and (self._listed(word) or self.frequency(word) > _RARE)

    def _listed(self, word: str) -> bool:
        return word in self.forms or word.capitalize() in self.forms


@cache
def get_lexicon(language: str) -> Lexicon:
    """The lexicon of ``language``; empty where there is none."""
    lemmas = lemma_table(language)
    return Lexicon(language, frozenset(lemmas) | frozenset(lemmas.values()), _probabilities(language))


def _probabilities(language: str) -> dict[str, float]:
    path = files("spacy_lookups_data") / "data" / f"{language}_lexeme_prob.json.gz"
    if not path.is_file():
        return {}
    with path.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as text:
        found: dict[str, float] = json.load(text)
    return found
