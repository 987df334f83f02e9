"""Determine the part of speech of terms from dictionaries and from the rulebooks; empty if these do
not decide it.

Evidence, the surest first: how the texts of a language use a word (after an article, in lower case
where nouns are capitalised, with the endings of an adjective); tables that list the words of one
part of speech (Italian, English) or capitalise nouns (German); and for an ambiguous English word
the part of speech in the other languages.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from corpus.languages import get_language, vocabulary
from glossary.normalization import fold
from glossary.terms.term_names import term_name
from glossary.word_tables import lemma_table, lemmas_of

NOUN, VERB, ADJECTIVE = "noun", "verb", "adjective"
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PLACEHOLDER = re.compile(r"[+]?[XN]\+?|\d+")
_ATTRIBUTIVE = ("e", "en", "er", "es", "em")  # the endings of an adjective before its noun
# Letters before the last part of a compound, and of that part, at least.
_LEAST_COMPOUND = (3, 5)
_LONGEST_ABBREVIATION = 4  # letters of a name in capitals that abbreviates another
_OFTEN = 2  # uses after an article that outweigh what tables leave open
# Times as often after an article as in small letters: a noun that has the form of an infinitive.
_FAR_MORE = 3
# After a noun: "Spielzone des Schurken".
_GERMAN_COMPLEMENTS = frozenset(["des", "der", "eines", "einer", "von", "vom", "für", "gegen"])
_ENGLISH_PREPOSITIONS = frozenset(
    [
        "of",
        "in",
        "at",
        "to",
        "from",
        "into",
        "for",
        "by",
        "with",
        "and",
        "or",
        "on",
        "the",
        "a",
        "your",
    ]
)


class WordUses:
    """How often words occur in texts, by lower-case form: ``determined`` counts those after an
    article or a determiner, ``small`` those in lower case.
    """

    def __init__(self, texts: Iterable[str], language: str):
        self.determined: Counter[str] = Counter()
        self.small: Counter[str] = Counter()
        determiners = _determiners(language) | _joined_articles(language)
        capitals = get_language(language).capitalised_nouns
        for text in texts:
            before, end = "", -2
            for match in _TOKEN.finditer(text):
                word, small = match.group(), match.group().lower()
                if word[0].islower():
                    self.small[small] += 1
                if (
                    match.start() == end + 1
                    and text[end] in " '’"
                    and fold(before) in determiners
                    and not (capitals and word[0].islower())
                ):
                    self.determined[small] += 1
                before, end = word, match.end()


@cache
def _determiners(language: str) -> frozenset[str]:
    """Return the articles and determiners of ``language``, folded."""
    return frozenset(map(fold, get_language(language).questions.determiners))


@cache
def _joined_articles(language: str) -> frozenset[str]:
    """Return the prepositions of ``language`` fused with an article: "zum", "dell'"."""
    words = get_language(language).sentences
    joined = (
        word for word in (*words.joined_articles, *words.other_joined_articles) if word.isalpha()
    )
    return frozenset(fold(word.rstrip("'’")) for word in (*joined, *words.elisions))


class PartsOfSpeech:
    """The parts of speech of ``names`` in one language, judged by their use in ``texts``."""

    def __init__(self, language: str, names: Iterable[str], texts: Iterable[str]):
        self._language = language
        self._uses = WordUses(texts, language)
        words = {word.lower() for name in names for word in _words(name, language)}
        self._german = _german_tables(words) if language == "de" else None
        self._tags = _TABLES[language](words) if language in _TABLES else {}

    def of(self, name: str, elsewhere: Iterable[str] = ()) -> str:
        """Return the part of speech of ``name``: "noun", "verb", "adjective", "adverb", or "" if
        unknown.

        ``elsewhere`` are its parts of speech in other languages.
        """
        words = _words(name, self._language)
        if (
            not words
            or not all(map(_TOKEN.fullmatch, words))
            or (name.isupper() and len(name) <= _LONGEST_ABBREVIATION)
        ):
            return ""
        if self._german:
            return _german(words, self._uses, self._german)
        if self._language == "it":
            return _italian(words, self._uses, self._tags)
        return (
            _english(words, self._uses, self._tags, frozenset(filter(None, elsewhere)))
            if self._language == "en"
            else ""
        )


def _words(name: str, language: str) -> Sequence[str]:
    """Return the words of a term's ``name`` without placeholders and a leading article."""
    words = [word for word in term_name(name).split() if not _PLACEHOLDER.fullmatch(word)]
    return words[1:] if len(words) > 1 and fold(words[0]) in _articles(language) else words


@cache
def _articles(language: str) -> frozenset[str]:
    return frozenset(
        fold(word) for word in get_language(language).sentences.articles if word.isalpha()
    )


# German


class _GermanTables(NamedTuple):
    """The German tables for some words: their forms with the right case, and which are infinitives,
    in lower case.
    """

    forms: frozenset[str]
    infinitives: frozenset[str]

    def is_noun(self, word: str) -> bool:
        """Whether the tables have ``word``, or the last part of a compound, only with a capital."""
        for part in _last_parts(word):
            if part in self.forms or part.lower() in self.forms:
                return part in self.forms and part.lower() not in self.forms
        return False

    def is_attribute(self, word: str) -> bool:
        """Whether ``word`` can only be an adjective or a participle before its noun."""
        small = word.lower()
        inflected = small.endswith(_ATTRIBUTIVE) and fold(small) not in _determiners("de")
        return inflected and small in self.forms and small.capitalize() not in self.forms


def _german_tables(words: Iterable[str]) -> _GermanTables:
    """Return the table data for ``words``, which are in lower case."""
    wanted = {
        form
        for word in words
        for part in (word, *_last_parts(word))
        for form in (part.lower(), part.capitalize())
    }
    forms: set[str] = set()
    infinitives: set[str] = set()
    for form, lemma in (lemma_table("de") if wanted else {}).items():
        forms.update(each for each in (form, lemma) if each in wanted)
        # All forms of an adjective in -n begin with its lemma ("offene"), those of a verb do not
        # ("ankert").
        if (
            lemma in wanted
            and lemma.islower()
            and lemma.endswith("n")
            and not form.startswith(lemma)
        ):
            infinitives.add(lemma)
    return _GermanTables(frozenset(forms), frozenset(infinitives))


def _last_parts(word: str) -> Iterator[str]:
    """Yield possible last parts of a compound, longest first: "notkarte" → "Notkarte", "Karte"."""
    last = word.rpartition("-")[2]
    before, least = _LEAST_COMPOUND
    yield last.capitalize()
    yield from (last[at:].capitalize() for at in range(before, len(last) - least + 1))


def _german(words: Sequence[str], uses: WordUses, tables: _GermanTables) -> str:
    if len(words) == 1:
        return _german_word(words[0], uses, tables)
    first, last = words[0], words[-1]
    if last.islower() and last in tables.infinitives:
        return VERB
    if (
        last[0].isupper()
        and _german_word(last, uses, tables) == NOUN
        and all(map(tables.is_attribute, words[:-1]))
    ):
        return NOUN
    if (
        first[0].isupper()
        and words[1] in _GERMAN_COMPLEMENTS
        and _german_word(first, uses, tables) == NOUN
    ):
        return NOUN
    return ""


def _german_word(word: str, uses: WordUses, tables: _GermanTables) -> str:
    small = word.lower()
    determined, in_small = uses.determined[small], uses.small[small]
    if small in tables.infinitives:
        if in_small > determined:
            return VERB
        return NOUN if determined >= _OFTEN and determined > _FAR_MORE * in_small else ""
    if in_small == 0 and word[0].isupper():
        return NOUN if determined or tables.is_noun(word) else ""
    if in_small and not determined and small not in vocabulary():
        return ADJECTIVE if any(uses.small[small + ending] for ending in _ATTRIBUTIVE) else ""
    return ""


# Italian


def _italian(words: Sequence[str], uses: WordUses, tags: Mapping[str, frozenset[str]]) -> str:
    first = words[0].lower()
    can_be = tags.get(first, frozenset())
    if can_be == {VERB} and first.endswith(get_language("it").forms.infinitives):
        return VERB
    if can_be == {NOUN}:
        return NOUN
    if (
        NOUN in can_be
        and "adj" not in can_be
        and uses.determined[first] >= _OFTEN
        and (len(words) > 1 or can_be <= {NOUN, VERB})
    ):
        return NOUN
    return ""


def _italian_tags(words: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the parts of speech that the tables of Italian have for each of ``words``."""
    wanted = frozenset(words)
    found: dict[str, set[str]] = {word: set() for word in wanted}
    for tag in (
        ("noun", "verb", "adj", "adv", "aux", "adp", "det", "num", "pron", "other")
        if wanted
        else ()
    ):
        for word in wanted.intersection(_packed(f"it_lemma_lookup_{tag}")):
            found[word].add(tag)
    return {word: frozenset(tags) for word, tags in found.items()}


# English


def _english(
    words: Sequence[str],
    uses: WordUses,
    tags: Mapping[str, frozenset[str]],
    elsewhere: frozenset[str],
) -> str:
    told = next(iter(elsewhere)) if len(elsewhere) == 1 else ""
    small = [word.lower() for word in words]
    can_be = [tags.get(word, frozenset()) for word in small]
    first, last = can_be[0], can_be[-1]
    if len(small) == 1:
        if len(first) == 1:
            return next(iter(first))
        if told in first:
            return told
        return (
            NOUN if NOUN in first and uses.determined[small[0]] >= _OFTEN and not elsewhere else ""
        )
    if told == VERB:
        return (
            VERB if VERB in first and (last != {NOUN} or small[-1] in _ENGLISH_PREPOSITIONS) else ""
        )
    phrase = any(word in _ENGLISH_PREPOSITIONS for word in small)
    return (
        NOUN
        if not phrase
        and NOUN in last
        and (told == NOUN or last == {NOUN})
        and first
        and first != {VERB}
        else ""
    )


def _english_tags(words: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the possible parts of speech of each of ``words``, as a base form or as the plural of
    a noun; verb forms do not count.
    """
    wanted = frozenset(words)
    if not wanted:
        return {}
    names = {"noun": NOUN, "verb": VERB, "adj": ADJECTIVE, "adv": "adverb"}
    index = {
        names[tag]: frozenset(each)
        for tag, each in _packed("en_lemma_index").items()
        if tag in names
    }
    found = {word: frozenset(tag for tag, each in index.items() if word in each) for word in wanted}
    lemmas = lemmas_of("en", wanted)
    for word, tags in found.items():
        singular = lemmas.get(word, word)
        if (
            not tags
            and word.endswith("s")
            and singular != word
            and singular in index[NOUN]
            and singular not in index[VERB]
        ):
            found[word] = frozenset({NOUN})
    return found


_TABLES = {"it": _italian_tags, "en": _english_tags}


def _packed(name: str) -> Mapping[str, Iterable[str]]:
    """Return a table of spaCy's look-up data, empty if it is not installed."""
    packed = files("spacy_lookups_data") / "data" / f"{name}.json.gz"
    if not packed.is_file():
        return {}
    found: Mapping[str, Iterable[str]] = json.loads(gzip.decompress(packed.read_bytes()))
    return found
