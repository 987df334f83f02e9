"""A word of a question as the languages have it, worked out once for all games: its stems, and how a compound may be divided."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from corpus.languages import LANGUAGES, get_language
from glossary import normalization
from glossary.string_trie import Texts

SHORTEST = 4  # letters of a part of a compound, at least

_LONGEST = 60  # letters of a compound, at most


_frequent = Texts.of({})  # see `read_stems`


class Seen(NamedTuple):
    """One word of a question in a language, whatever names a game has: worked out once for all games."""

    folded: str
    plain: str
    stems: tuple[tuple[str, ...], ...]  # by language: its own stem and that of its lemma
    small: bool  # a stop word
    known: bool  # the language has it


class Cut(NamedTuple):
    """A way to divide a compound at ``place``: how a name that it begins with would be written, and the stem of the rest."""

    place: int
    heads: tuple[str, ...]
    tail: str


@lru_cache(maxsize=2_000)
def seen(word: str, spoken: str) -> Seen:
    """What ``word`` is in a question in the language ``spoken``."""
    folded = normalization.fold(word)
    told = _frequent.get(word)
    if told is None:
        stems, known = _all_stems(word), normalization.known(word, spoken)
    else:
        *kept, having = told.split("\t")
        stems, known = tuple([tuple(those.split(" ")) for those in kept]), spoken in having.split(" ")
    return Seen(folded, normalization.plain(word), stems, folded in normalization.stop_words(spoken), known)


def keep_stems(frequent: Iterable[str], folder: Path) -> None:
    """Write into ``folder``, for `read_stems`, what is looked up of ``frequent`` words: their stems, and the languages that have them."""
    told = {}
    for word in frequent:
        having = [language for language in LANGUAGES if normalization.known(word, language)]
        told[word] = "\t".join(map(" ".join, (*_all_stems(word), having)))
    Texts.of(told).save(folder)


def read_stems(folder: Path) -> None:
    """Take from ``folder`` from now on what is there of a word. Raises what `Texts.load` raises."""
    global _frequent
    _frequent = Texts.load(folder)


def _all_stems(word: str) -> tuple[tuple[str, ...], ...]:
    return tuple([_stems(word, language) for language in LANGUAGES])


def _stems(word: str, language: str) -> tuple[str, ...]:
    own, lemma = normalization.stem(word, language), normalization.lemma(word, language)
    if lemma == word or (other := normalization.stem(lemma, language)) == own:
        return (own,)
    return own, other


@lru_cache(maxsize=200)  # each game in turn asks for those of a question
def cuts(word: str, language: str) -> tuple[Cut, ...]:
    """The ways to divide ``word`` into two parts of which one may be a name, the first ending as compounds of ``language`` link."""
    links = get_language(language).forms.links
    found = []
    for place in range(SHORTEST, min(len(word), _LONGEST) - SHORTEST + 1):
        head = normalization.plain(word[:place])
        heads = (head.removesuffix(link) for link in links if head.endswith(link))
        tail = f"{language} {normalization.stem(word[place:], language)}" if len(word) - place > SHORTEST else ""
        found.append(Cut(place, tuple(whole for whole in heads if len(whole) >= SHORTEST), tail))
    return tuple(found)
