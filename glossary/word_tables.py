"""Word tables for each language: lemmas, stop words, tokens. Compiled from spaCy's data and stored
with an index; every index has its own tables.
"""

from __future__ import annotations

import gzip
import json
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.languages import LANGUAGES, get_language, known_to_lingua, language_shares
from glossary.normalization import fold, fold_umlauts, stem
from glossary.string_trie import UNKNOWN, StringMap, StringTrie
from glossary.tokenizer import RuleTokenizer

if TYPE_CHECKING:
    from spacy.language import Language

_CACHED_WORDS = 2_000  # words whose analyses are cached
_CACHED_CHOICES = 8  # choices of likely languages whose stop words are cached
_LONG_STEM = 5  # letters
_RULE_NUMBER = "4.2.1"  # what every tokenizer must leave whole
_SURE = 3  # stop words that decide for a language that lingua lacks and no rulebook is in
# By how much the evidence for a language that no rulebook is in must exceed that for any other.
_BEYOND_DOUBT = 6.5
_LEAST_SHARE = 0.001  # assumed at least for a language, so that trigrams alone hardly decide
_STOP_WORD = 1.5  # evidence of one stop word, on the scale of the logarithm of a share


class WordAnalysis(NamedTuple):
    """The analysis of a word of a question in each language, independent of a game's names.

    ``stems`` has for each language the stem of the word and, if different, that of its lemma;
    ``stop_word`` and ``known`` (whether the tables have the word) refer to the question's language.
    """

    folded: str
    plain: str
    stems: tuple[tuple[str, ...], ...]
    stop_word: bool
    known: bool


class LanguageTables:
    """The word forms of one language with their lemmas, its stop words, and its tokenizer.

    ``known`` are all forms and lemmas, numbered; ``lemmas``, shape (len(known),), has the number of
    the lemma of each, -1 if the tables have none.
    """

    def __init__(
        self,
        known: StringTrie,
        lemmas: NDArray[np.int32],
        stop_words: frozenset[str],
        tokenizer: RuleTokenizer,
    ):
        self._known = known
        self._lemmas = lemmas
        self.stop_words = stop_words
        self.folded_stop_words = frozenset(map(fold, stop_words))
        self.words = lru_cache(maxsize=64)(tokenizer.words)
        self.tokenizer = tokenizer

    @classmethod
    def compile(cls, language: str) -> LanguageTables:
        """Compile the tables of ``language`` from spaCy's data, without lemmas if spaCy has none.
        Slow; imports spaCy and torch.
        """
        table = lemma_table.__wrapped__(language)  # not cached: nobody needs it again
        known = StringTrie([*table, *table.values()])
        lemmas = np.full(len(known), UNKNOWN, dtype=np.int32)
        for form, lemma in table.items():
            lemmas[known.number(form)] = known.number(lemma)
        blank = spacy_pipeline(language)
        stop_words = blank.Defaults.stop_words or get_language(language).function_words.telling
        return cls(known, lemmas, frozenset(stop_words), RuleTokenizer.from_spacy(blank.tokenizer))

    def lemma(self, word: str) -> str:
        """Return the dictionary form of ``word``, or ``word`` if the tables do not have it."""
        lemma = self._lemma(word)
        if lemma == UNKNOWN and not word.islower():
            lemma = self._lemma(word.lower())
        return word if lemma == UNKNOWN else self._known.string(lemma)

    def _lemma(self, form: str) -> int:
        """Return the number of the lemma of ``form``, or -1 if the tables have none."""
        number = self._known.number(form)
        return UNKNOWN if number == UNKNOWN else int(self._lemmas[number])

    def has(self, form: str) -> bool:
        """Return whether the tables have ``form``, as a form or as a lemma."""
        return self._known.number(form) != UNKNOWN

    def knows(self, word: str) -> bool:
        """Return whether the tables have ``word`` in any case."""
        return self.has(word) or self.has(word.lower()) or self.has(word.capitalize())

    def save(self, folder: Path) -> None:
        """Write the tables into ``folder``."""
        folder.mkdir(parents=True)
        self._known.save(folder / "known.marisa")
        np.save(folder / "lemmas.npy", self._lemmas)
        stored: dict[str, Any] = {
            "stop_words": sorted(self.stop_words),
            "tokens": self.tokenizer.rules,
        }
        (folder / "words.json").write_text(json.dumps(stored, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> LanguageTables:
        """Load the tables from ``folder``. Raises `OSError`, `ValueError`, `KeyError` or
        `RuntimeError` if they are damaged.
        """
        stored = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        lemmas = np.asarray(np.load(folder / "lemmas.npy", mmap_mode="r"))
        return cls(
            StringTrie.load(folder / "known.marisa"),
            lemmas,
            frozenset(stored["stop_words"]),
            RuleTokenizer(stored["tokens"]),
        )


class WordTables:
    """The tables of all languages, with the words that are analysed in advance.

    ``analysed`` has the stems and languages of frequent words, as `save_analyses` writes them.
    """

    def __init__(
        self, by_language: Mapping[str, LanguageTables], analysed: StringMap | None = None
    ):
        self._by_language = by_language
        self._analysed = analysed or StringMap.from_mapping({})
        # A function that does not refer to this object, so that no cycle keeps the tables of an
        # index that is no longer used.
        self.analyse = lru_cache(maxsize=_CACHED_WORDS)(
            partial(_analyse, by_language, self._analysed)
        )
        self._telling_stop_words = lru_cache(maxsize=_CACHED_CHOICES)(
            partial(_telling_stop_words, by_language)
        )

    @classmethod
    def compile(cls) -> WordTables:
        """Compile the tables of all languages. Takes seconds; imports spaCy and torch."""
        return cls({language: LanguageTables.compile(language) for language in LANGUAGES})

    @classmethod
    def load(cls, folder: Path, analyses: Path | None = None) -> WordTables:
        """Load the tables that `save` wrote into ``folder``, and the analyses that `save_analyses`
        wrote into ``analyses``.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` if the files are damaged.
        """
        by_language = {language: LanguageTables.load(folder / language) for language in LANGUAGES}
        return cls(by_language, StringMap.load(analyses) if analyses is not None else None)

    def save(self, folder: Path) -> None:
        """Write the tables of every language into ``folder``."""
        for language, tables in self._by_language.items():
            tables.save(folder / language)

    def save_analyses(self, words: Iterable[str], folder: Path) -> None:
        """Write the analyses of ``words`` into ``folder``: their stems, and the languages whose
        tables have them.
        """
        found = {}
        for word in words:
            known = [
                language for language, tables in self._by_language.items() if tables.knows(word)
            ]
            found[word] = "\t".join(map(" ".join, (*_all_stems(self._by_language, word), known)))
        StringMap.from_mapping(found).save(folder)

    def stems(self, word: str, language: str) -> tuple[str, ...]:
        """Return the stem of ``word`` in ``language`` and, if different, that of its lemma."""
        return _stems(self._by_language[language], word, language)

    def is_known(self, word: str, languages: Iterable[str]) -> bool:
        """Return whether ``word``, in any case, was analysed in advance as a frequent word, or a
        table of ``languages`` has it.
        """
        written = (word, word.lower(), word.capitalize())
        return any(self._analysed.get(each) is not None for each in written) or any(
            self.analyse(word, language).known for language in languages
        )

    def are_related(self, word: str, name: str, language: str) -> bool:
        """Return whether ``word`` is a form of ``name`` or derived from it, if ``word`` or its
        lemma has the stem of ``name``.

        Unrelated words may share a short stem: "potato" (of potare) and "Potere". They are related
        only if they share a lemma, or exactly one is a verb. A word that the tables lack counts as
        a form, unless it is the bare stem and a word of another language: "tram" is no form of
        "Trama".
        """
        shared = stem(name, language)
        if stem(word, language) != shared or len(shared) >= _LONG_STEM or fold(word) == fold(name):
            return True
        tables = self[language]
        if not tables.knows(word):
            return fold(word) != shared or not self.is_known(word, LANGUAGES)
        # A name may be capitalised although its word is not: "Würden" of "würde".
        lemmas, its_lemmas = (
            {fold(tables.lemma(written)) for written in (each, each.lower())}
            for each in (word, name)
        )
        if not lemmas.isdisjoint({*its_lemmas, fold(name)}):
            return True
        forms = get_language(language).forms
        verbal = forms.infinitives or forms.verb_name_endings
        return any(each.endswith(verbal) for each in lemmas) is not fold(name).endswith(verbal)

    def __getitem__(self, language: str) -> LanguageTables:
        return self._by_language[language]

    def language_of(
        self, text: str, folded: Sequence[str], likely: Sequence[str] = LANGUAGES
    ) -> str | None:
        """Return the language of ``text`` by the stop words among its ``folded`` words; None if
        these do not decide.

        A ``likely`` language is chosen if the text has stop words that no other likely one has, at
        least twice as many as of any other. Stop words distinguish languages better than n-grams
        (Grefenstette 1995): of 57 thousand query variants nine of ten have some, and of these 2.0 %
        get a wrong language, with trigrams 3.2 %. Another language is chosen only if stop words and
        trigrams together leave no doubt.
        """
        if (other := self._unlikely_language(text, folded, likely)) is not None:
            return other
        stop_words = self._telling_stop_words(tuple(likely))
        counts = Counter(language for word in folded if (language := stop_words.get(word)))
        most = counts.most_common(2)
        if len(most) == 2 and most[0][1] < 2 * most[1][1]:
            return None
        return most[0][0] if most else None

    def _unlikely_language(
        self, text: str, folded: Sequence[str], likely: Sequence[str]
    ) -> str | None:
        """Return the language of ``text`` if it is without doubt none of the ``likely`` ones, else
        None.

        The evidence is the logarithm of the language's share by trigrams plus `_STOP_WORD` for each
        stop word. The text must have a stop word or a letter that no likely language has: with this
        rule, three of 58 thousand texts in German, Italian and English were taken for another
        language ("combinare skirmish con heroic"). A language that lingua lacks needs at least
        `_SURE` stop words, and twice as many as any likely one has.
        """
        others = [language for language in self._by_language if language not in likely]
        counts = {
            each: sum(word in tables.folded_stop_words for word in folded)
            for each, tables in self._by_language.items()
        }
        most = max((counts[language] for language in likely), default=0)
        known = known_to_lingua()
        for language in others:
            if language not in known and counts[language] >= max(_SURE, 2 * most):
                return language
        letters = {letter for letter in text.lower() if letter.isalpha() and not letter.isascii()}
        letters.difference_update(*(get_language(language).letters for language in likely))
        possible = [
            each
            for each in others
            if each in known
            and counts[each] >= most - 1
            and (counts[each] or letters.intersection(get_language(each).letters))
        ]
        if not possible:
            return None
        shares = language_shares(text)
        evidence = {
            each: _STOP_WORD * counts[each] + math.log(max(shares.get(each, 0.0), _LEAST_SHARE))
            for each in (*likely, *possible)
        }
        best = max(possible, key=evidence.__getitem__)
        rival = max((evidence[each] for each in likely), default=0.0)
        return best if evidence[best] - rival > _BEYOND_DOUBT else None


def _telling_stop_words(
    by_language: Mapping[str, LanguageTables], likely: tuple[str, ...]
) -> Mapping[str, str]:
    """Return the language of each folded stop word that only one of the ``likely`` languages
    has.
    """
    languages: dict[str, list[str]] = {}
    for language in likely:
        # spaCy's stop words lack some articles: "i" would tell English alone.
        articles = get_language(language).questions.look_ups.articles
        for word in by_language[language].folded_stop_words.union(articles):
            languages.setdefault(word, []).append(language)
    return {word: found[0] for word, found in languages.items() if len(found) == 1}


def _analyse(
    by_language: Mapping[str, LanguageTables], analysed: StringMap, word: str, language: str
) -> WordAnalysis:
    """Return the analysis of ``word`` in a question in ``language``."""
    tables, folded = by_language[language], fold(word)
    if (stored := analysed.get(word)) is None:
        stems, known = _all_stems(by_language, word), tables.knows(word)
    else:
        *by_stem, languages = stored.split("\t")
        stems = tuple([tuple(each.split(" ")) for each in by_stem])
        known = language in languages.split(" ")
    return WordAnalysis(
        folded, fold_umlauts(word), stems, folded in tables.folded_stop_words, known
    )


def _all_stems(by_language: Mapping[str, LanguageTables], word: str) -> tuple[tuple[str, ...], ...]:
    return tuple([_stems(tables, word, language) for language, tables in by_language.items()])


def _stems(tables: LanguageTables, word: str, language: str) -> tuple[str, ...]:
    own, lemma = stem(word, language), tables.lemma(word)
    if lemma == word or (other := stem(lemma, language)) == own:
        return (own,)
    return own, other


@lru_cache(maxsize=2)  # a term list of two languages asks for either several times
def lemma_table(language: str) -> Mapping[str, str]:
    """Return the lemma of each word form in spaCy's data for ``language``, the first of several;
    empty if there is no table.
    """
    packed = files("spacy_lookups_data") / "data" / f"{language}_lemma_lookup.json.gz"
    if not packed.is_file():
        return {}
    table: dict[str, str | list[str]] = json.loads(gzip.decompress(packed.read_bytes()))
    return {form: lemma if isinstance(lemma, str) else lemma[0] for form, lemma in table.items()}


def lemmas_of(language: str, words: Iterable[str]) -> dict[str, str]:
    """Return the lemma of each of ``words`` that spaCy's data for ``language`` has, without
    compiling tables: for a few thousand words.
    """
    table = lemma_table(language)
    return {word: table[word] for word in words if word in table}


def spacy_pipeline(language: str) -> Language:
    """Return a spaCy pipeline with the tokenizer for ``language``; the generic one if spaCy lacks
    the language or its tokenizer splits rule numbers (Polish).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy warns about the GPU it does not find
        import spacy

        try:
            pipeline = spacy.blank(language)
        except ImportError:  # spaCy does not have the language
            return spacy.blank("xx")
        if len(pipeline.tokenizer(_RULE_NUMBER)) > 1:
            pipeline.tokenizer = spacy.blank("xx").tokenizer
        return pipeline
