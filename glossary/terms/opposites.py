"""Recognise names with opposite meanings, so that no list gives them as one term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

from corpus.languages import get_language
from corpus.languages.schema import OppositeWords
from glossary.normalization import fold, stem
from glossary.word_tables import lemmas_of

_WORD = re.compile(r"[^\W\d_]+")
_LEAST_REST = 4  # letters of a word without the prefix that negates it


def opposites(names: Iterable[str], language: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of ``names`` with opposite meanings.

    These are a name and its negation ("nicht im Spiel", "unbeschädigt", "non difeso"), names that
    differ only in an antonym ("in gioco", "fuori dal gioco"), and names that differ in who acts and
    who is acted on ("herausfordernder Charakter", "herausgeforderter"). An inflection is no
    opposite: "challenging" beside "challenge" is no party in a challenge.
    """
    known = get_language(language).opposites
    listed = list(names)
    words = [_words(name, language) for name in listed]
    verbs = {each[0] for each in words if len(each) == 1}
    for one, other in combinations(range(len(listed)), 2):
        if _opposed(words[one], words[other], known, language, verbs):
            yield listed[one], listed[other]


def _words(name: str, language: str) -> list[str]:
    """Return the words of ``name``, folded, without articles and prepositions fused with one."""
    passed_over = _articles(language)
    return [word for word in map(fold, _WORD.findall(name)) if word not in passed_over]


@cache
def _articles(language: str) -> frozenset[str]:
    """Return articles and similar words before a noun without a meaning of their own, folded."""
    words = get_language(language).sentences
    joined = (*words.joined_articles, *words.other_joined_articles, *words.articles)
    known = frozenset(fold(word) for word in (*joined, *words.all_articles) if word.isalpha())
    return known | frozenset(fold(word.rstrip("'’")) for word in words.elisions)


def _opposed(
    one: Sequence[str], other: Sequence[str], known: OppositeWords, language: str, verbs: set[str]
) -> bool:
    bare = [[word for word in each if word not in known.denials] for each in (one, other)]
    if len(one) - len(bare[0]) != len(other) - len(bare[1]):
        stems = [{stem(word, language) for word in each}.difference(known.beside) for each in bare]
        if stems[0] and stems[0] == stems[1]:
            return True
    alone = verbs if len(one) == 1 else set()
    rest = list(other)
    differing = []
    for word in one:
        match = next((each for each in rest if each == word), None) or next(
            (
                each
                for each in rest
                if stem(each, language) == stem(word, language)
                and not _antonyms(word, each, known, language, alone)
            ),
            None,
        )
        if match is None:
            differing.append(word)
        else:
            rest.remove(match)
    return (
        len(differing) == len(rest) == 1
        and one.index(differing[0]) == other.index(rest[0])
        and _antonyms(differing[0], rest[0], known, language, alone)
    )


def _antonyms(one: str, other: str, known: OppositeWords, language: str, verbs: set[str]) -> bool:
    """Return whether two words are antonyms; participles of ``verbs`` are inflections."""

    def alike(left: str, right: str) -> bool:
        return stem(left, language) == stem(right, language)

    verbal = tuple(get_language(language).forms.infinitives)
    for first, second in ((one, other), (other, one)):
        for prefix in known.prefixes:
            rest = first.removeprefix(prefix)
            if (
                len(first) > len(rest) >= _LEAST_REST
                and alike(rest, second)
                and first.endswith(verbal) is second.endswith(verbal)  # "robusto", "irrobustire"
            ):
                return True
        for left, right in known.pairs:
            if (
                first.startswith(left)
                and second.startswith(right)
                and alike(first.removeprefix(left), second.removeprefix(right))
            ):
                return True
        acting = known.acting and re.match(known.acting, first)
        acted_on = known.acted_on and re.match(known.acted_on, second)
        if acting and acted_on:
            root = (acted_on["before"] or "") + acted_on["stem"]
            # "angegriffen"; the tables take long to read.
            if first[:2] == second[:2] and _infinitive(second, language).startswith(acting["stem"]):
                root = acting["stem"]
            if acting["stem"] == root and not any(
                verb.startswith(root) for verb in verbs - {first, second}
            ):
                return True
    return False


@cache
def _infinitive(participle: str, language: str) -> str:
    """Return the verb of an inflected ``participle``, looked up in the tables."""
    without_ending = lemmas_of(language, {participle}).get(participle, participle)
    return lemmas_of(language, {without_ending}).get(without_ending, without_ending)
