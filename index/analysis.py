"""Turn texts into the index terms that search compares: tokenized as in spaCy, lemmatized by
lookup, stemmed, with umlauts and accents folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache, partial

from corpus.languages import LANGUAGES, any_of, get_language, transliteration, words_of
from corpus.superscripts import SUPERSCRIPTS
from glossary.normalization import fold, get_stemmer
from glossary.word_tables import LanguageTables, WordTables

__all__ = ["Analyzer", "fold", "folded", "plain", "word_grams", "words"]

_TYPED_OUT = str.maketrans(dict(transliteration()))
_WORD = re.compile(rf"[^\W_{SUPERSCRIPTS}]+(?:\.\d+)*")
SHORT, LONG = 3, 5  # characters of an n-gram
_NUMBER = re.compile(r"\d+(?:\.\d+)+")
_STOP = re.compile(r"[.;:!?\n]")
_FARTHEST = 200  # characters between a verb and its particle
_SHORTEST_VERB = 5  # letters of a verb without its particle


def words(text: str) -> list[str]:
    """Return the words and numbers of ``text`` unchanged, rule numbers ("4.2.3.1") kept whole."""
    return _WORD.findall(text)


@lru_cache(maxsize=64)  # several components tokenize the same question
def folded(text: str) -> tuple[str, ...]:
    """Return the `words` of ``text``, folded."""
    return tuple(words(fold(text)))


def plain(text: str) -> str:
    """Return the folded words of ``text`` joined by blanks, to compare names: "to be sure" for
    "To be, sure!".
    """
    return " ".join(folded(text))


class Analyzer:
    """Makes index terms of texts, with the tables of one index."""

    def __init__(self, tables: WordTables):
        self.tables = tables
        stop_words = self._stop_words = {
            language: _stop_words(tables, language) for language in LANGUAGES
        }
        # A function that does not refer to this object, so that no cycle keeps the tables of an
        # index that is no longer used.
        families = {language: _families(tables, language) for language in LANGUAGES}
        figures = {language: _figures(language) for language in LANGUAGES}
        self._term = lru_cache(maxsize=20_000)(
            partial(_term, tables, stop_words, families, figures)
        )

    def terms(self, text: str, language: str) -> list[str]:
        """Return the index terms of ``text`` in order, without stop words. Separated verbs
        ("legt … ab") are added as one word at the end; rule numbers ("4.2.3.1") stay whole.
        """
        whole = (
            *self.tables[language].words(text),
            *_separated_verbs(self.tables[language], text, language),
        )
        found = (self._term(word, language) for word in whole)
        return [term for term in found if term]

    def term(self, word: str, language: str) -> str:
        """Return the index term of one ``word``, or "" if it is a stop word of ``language``."""
        return self._term(word, language)

    def stop_words(self, language: str) -> frozenset[str]:
        """Return the folded words of ``language`` that are not indexed."""
        return self._stop_words[language]


def _stop_words(tables: WordTables, language: str) -> frozenset[str]:
    words = tables[language].stop_words.union(get_language(language).questions.words)
    return frozenset(fold(w) for w in words) - words_of(
        "questions.negations"
    )  # negations decide rulings, so they stay in


def _families(tables: WordTables, language: str) -> Mapping[str, str]:
    """Map the terms of the words in each word family to the term of the family's first word."""
    found: dict[str, str] = {}
    for family in get_language(language).forms.families:
        first, *others = (_term_of_lemma(tables[language].lemma(word), language) for word in family)
        found.update((other, first) for other in others)
    return found


def _figures(language: str) -> Mapping[str, str]:
    """Map the folded number words of ``language`` to figures, "four" to "4": rules may say
    "4 players" and a question "four".
    """
    numbers = get_language(language).numbers
    found = {word: str(n) for n, word in enumerate(numbers.from_two, 2)}
    found.update((word, str(n)) for n, word in enumerate(numbers.groups, 2))
    return {word: figure for word, figure in found.items() if word not in numbers.ambiguous}


def _separated_verbs(tables: LanguageTables, text: str, language: str) -> list[str]:
    """Return the separated verbs of ``text``, each joined with the particle that ends its clause:
    "austrete" for "Wie trete ich aus?".
    """
    patterns = _separation(language)
    if patterns is None:
        return []
    final, between = patterns
    found: list[str] = []
    for match in final.finditer(text):
        particle = match.group().lower()
        clause = _STOP.split(text[max(0, match.start() - _FARTHEST) : match.start()])[-1]
        # The text split off may be a clause between the verb and its particle.
        parts = reversed(between.split(clause))
        for word in (word for part in parts for word in _WORD.findall(part)):
            lemma = tables.lemma(joined := particle + word.lower())
            long = len(lemma) >= len(particle) + _SHORTEST_VERB
            if long and lemma.startswith(particle) and lemma.endswith("n"):
                found.append(joined)
                break
    return found


@cache
def _separation(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """Return two patterns, one of verb particles at the end of a clause, one of the commas and
    conjunctions that divide clauses; None if ``language`` has no separable verbs.
    """
    particles = get_language(language).forms.particles
    if not particles:
        return None
    letters = {typed: letter for letter, typed in transliteration().items()}
    typed_out = re.compile("|".join(letters))
    printed = (typed_out.sub(lambda match: letters[match.group()], each) for each in particles)
    words = "|".join(dict.fromkeys((*printed, *particles)))
    joint = any_of("sentences.conjunctions", "sentences.alternatives", language=language)
    final = rf"\b(?:{words})(?=[)“”»\"]?(?:[.,;:!?\n]|\Z)|\s{joint}\b)"
    return re.compile(final, re.IGNORECASE), re.compile(rf",|\b{joint}\b", re.IGNORECASE)


def _term(
    tables: WordTables,
    stop_words: Mapping[str, frozenset[str]],
    families: Mapping[str, Mapping[str, str]],
    figures: Mapping[str, Mapping[str, str]],
    word: str,
    language: str,
) -> str:
    """Return the index term of ``word``: its lemma, or the first word of its family, stemmed and
    folded. Numbers stay unchanged, number words become figures, stop words "".
    """
    if _NUMBER.fullmatch(word) or word.isdigit():
        return word
    if figure := figures[language].get(fold(word)):
        return figure
    if fold(word) in stop_words[language]:
        return ""
    term = _term_of_lemma(tables[language].lemma(word), language)
    return families[language].get(term, term)


def _term_of_lemma(lemma: str, language: str) -> str:
    return fold(get_stemmer(language)(fold_case(lemma)))


def fold_case(word: str) -> str:
    """Return ``word`` in lower case, its umlauts typed out, as the stemmer needs it."""
    return word.lower().translate(_TYPED_OUT)


@lru_cache(maxsize=1_000)
def word_grams(word: str) -> tuple[str, ...]:
    """Return the character n-grams of a folded word, `SHORT` to `LONG` characters long; ``<`` and
    ``>`` mark its ends: ``<ca``, ``car``, ….
    """
    framed = f"<{word}>"
    return tuple(
        [framed[i : i + n] for n in range(SHORT, LONG + 1) for i in range(len(framed) - n + 1)]
    )
