"""Recognise questions that look up a name, names of games, and the parts of a question that ask
nothing: greetings, thanks, stories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple

from corpus.languages import LANGUAGES, any_of, get_language
from glossary.normalization import Token, fold, tokenize

_MOST_WORDS = 14  # most words of a question that looks a name up


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a name in a game: a ``concept`` or, if it is None, an entry of a rulebook.

    ``entries`` are the numbers in the library of the entries with this name and meaning.
    """

    game: str
    concept: str | None
    entries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LookUp:
    """A question that looks up ``name``, with its meanings (``senses``), the most likely first.

    ``language`` is the language of the words around the name, None if there are none. If an item of
    the list below the heading ``name`` is looked up, ``item`` is its number, part by part.
    """

    name: str
    language: str | None
    senses: tuple[Sense, ...]
    item: tuple[str, ...] = ()


class FramedName(NamedTuple):
    """A part of a question that may be a name, as all words around it only ask; ``bare`` if no word
    around it asks.
    """

    name: str
    language: str | None
    bare: bool


class _Frame(NamedTuple):
    """The words of one language that may surround a name; ``small`` words are no name
    themselves.
    """

    asking: re.Pattern[str]
    small: re.Pattern[str]
    allowed: re.Pattern[str]
    pointing: re.Pattern[str]
    prices: re.Pattern[str]
    articles: frozenset[str]
    means: frozenset[str]


@cache
def _frame(language: str) -> _Frame:
    asking, beside, steps, pointing = (
        any_of(f"questions.look_ups.{name}", language=language)
        for name in ("asking", "beside", "steps", "pointing")
    )
    words = get_language(language).questions
    return _Frame(
        re.compile(f"{asking}|{steps}"),
        re.compile(f"{asking}|{beside}"),
        re.compile(f"{asking}|{beside}|{steps}"),
        re.compile(rf"\b{pointing}\b"),
        re.compile(rf"\b{any_of('questions.price_questions', language=language)}\b"),
        frozenset(words.look_ups.articles),
        frozenset(words.means),
    )


def framed_names(question: str, languages: Sequence[str]) -> Iterator[FramedName]:
    """Yield the names that ``question``, in one of ``languages``, may look up, the longest first:
    the whole question, then "Tough" for "What is Tough?".
    """
    tokens = tokenize(question)
    if not 0 < len(tokens) <= _MOST_WORDS:
        return
    words = [fold(token.text) for token in tokens]
    yield FramedName(_text(question, tokens, 0, len(tokens)), None, bare=True)
    for language in dict.fromkeys(languages):
        frame = _frame(language)
        allowed = [frame.allowed.fullmatch(word) is not None for word in words]
        others = [place for place, each in enumerate(allowed) if not each]
        first, last = (others[0], others[-1] + 1) if others else (len(words), 0)
        spans = [
            (start, end)
            for start in range(first + 1)
            for end in range(max(last, start + 1), len(words) + 1)
        ]
        for start, end in sorted(
            spans, key=lambda span: (span[0] - span[1], -len(_text(question, tokens, *span)))
        ):
            around = [*words[:start], *words[end:]]
            asks = any(map(frame.asking.fullmatch, around))
            if (
                around
                and (asks or frame.articles.issuperset(around))
                and not _is_verb(frame, words, start, end)
                and not _only_points(frame, words, start, end)
            ):
                yield FramedName(_text(question, tokens, start, end), language, bare=not asks)


def _is_verb(frame: _Frame, words: Sequence[str], start: int, end: int) -> bool:
    """Return whether the words from ``start`` to ``end`` are a verb before its object: "kostet" in
    "Was kostet das Spiel?".
    """
    return 0 < start == end - 1 and end < len(words) and words[end] in frame.articles


def _only_points(frame: _Frame, words: Sequence[str], start: int, end: int) -> bool:
    """Return whether the words from ``start`` to ``end`` point at something without naming it:
    "this card", unless the question asks what the word means: "What does 'this' mean?".
    """
    if not frame.means.isdisjoint((*words[:start], *words[end:])):
        return False
    firsts = range(max(start - 1, 0), end)  # from the article before it, if any
    return any(frame.pointing.fullmatch(" ".join(words[first:end])) for first in firsts)


def asking_start(question: str, language: str) -> list[str]:
    """Return the folded words in ``language`` that ask for a name at the start of ``question``:
    "was macht" for "Was macht Be Our Guest?". Empty if no other word follows.
    """
    frame = _frame(language)
    words = [fold(token.text) for token in tokenize(question)[:_MOST_WORDS]]
    start = list(takewhile(frame.allowed.fullmatch, words))
    asks = any(map(frame.asking.fullmatch, start))
    return start if asks and len(start) < len(words) else []


def _text(question: str, tokens: Sequence[Token], start: int, end: int) -> str:
    return question[tokens[start].start : tokens[end - 1].end]


def without_pointing(question: str, language: str, of_game: bool = False) -> str:
    """Return the folded words of ``question`` without phrases in ``language`` that point at
    something ("this card"). If there are any, or if the name of a game has been cut (``of_game``),
    words that ask for a price are removed too: "What does this card cost?".
    """
    frame = _frame(language)
    rest, pointing = frame.pointing.subn(" ", " ".join(fold(t.text) for t in tokenize(question)))
    return frame.prices.sub(" ", rest) if pointing or of_game else rest


def asks_nothing_else(question: str, languages: Sequence[str]) -> bool:
    """Return whether ``question``, given without names, has only words that look up a name, in one
    of ``languages``.
    """
    words = [fold(token.text) for token in tokenize(question)]
    return any(
        all(_frame(language).small.fullmatch(word) for word in words) for language in languages
    )


def look_up(
    question: str, languages: Sequence[str], ways: Sequence[Callable[[str], tuple[Sense, ...]]]
) -> LookUp | None:
    """Return the name that ``question`` looks up; None if it asks for anything else.

    ``ways`` return the senses of a name, the most certain way first; the first result counts.
    """
    names: dict[str, FramedName] = {}
    for framed in framed_names(question, languages):
        names.setdefault(framed.name, framed)
    for find in ways:
        for name, framed in names.items():
            if senses := find(name):
                return LookUp(name, None if framed.bare else framed.language, senses)
    return None


# Well-known card and board games, except those with names that are usual words: "Uno", "Bridge".
_GAMES = "|".join(
    (
        r"Magic(?:: The Gathering)?|MTG|Yu-?Gi-?Oh|Pok[eé]mon|Hearthstone|KeyForge|Flesh and Blood",
        r"Digimon|One Piece|Star Wars(?:: Unlimited)?|Netrunner|Arkham Horror|Herrn? der Ringe",
        r"Signore degli Anelli|Lord of the Rings|Legend of the Five Rings|Dominion|Munchkin|Catan",
        r"Exploding Kittens|Marvel Champions|Lorcana|Skat|Doppelkopf|Schafkopf|Rommé|Canasta|Poker",
        r"Mau-?Mau|Blackjack|Scopa|Scopone|Briscola|Burraco|Tressette|Scala 40|Schach|scacchi",
        r"chess|Monopoly|Carcassonne|Mensch ärgere dich nicht|Kniffel|Scrabble|Dixit|Codenames",
    )
)
_BEFORE_GAMES = "beim?|in|im|von|vom|für|a|al|di|del|per|su|of|for|at"
COMPARING = re.compile(r"\b(?:wie|als|come|che|like|than|as)\s{1,3}\Z", re.I)  # before a game
_OF_A_GAME = re.compile(
    rf"\b(?:{_BEFORE_GAMES})\s+(?P<in>{_GAMES})\b"
    rf"|\A\W*(?P<first>{_GAMES})\s*[:,–-]\s",
    re.I,
)


def named_game(game: str, is_word: bool = False) -> re.Pattern[str]:
    """Return a pattern of the name of ``game`` in a question: "in Lorcana", "Lorcana: …". Its
    groups are the preposition ``in``, the ``name``, and the colon or dash ``behind`` it. A name
    that ``is_word``, such as "Behind", has to be capitalised.
    """
    name = r"[\s-]".join(map(re.escape, game.split("-")))
    name = rf"{name[:1].upper()}(?i:{name[1:]})" if is_word else rf"(?i:{name})"
    return re.compile(
        rf"(?:(?<!\S)(?P<in>(?i:{_BEFORE_GAMES}))\s{{1,3}})?"
        rf"(?<!\w)(?P<name>{name})(?!\w)(?P<behind>\s{{0,3}}[:,–—]|-)?"
    )


def other_game(question: str, known: str) -> str | None:
    """Return the name of a well-known game that ``question`` is about ("Bei Skat: …", "in Magic")
    unless ``known``, the folded names of the loaded games, has it; otherwise None.
    """
    named = (
        found["in"] or found["first"]
        for found in _OF_A_GAME.finditer(question)
        if not COMPARING.search(question[: found.start()])
    )
    return next((name for name in named if fold(name) not in known), None)


_LONGEST = 200  # characters at each end of a question that may have courtesies
_MOST = 4  # most courtesies in a row
_MARKS = r"[\s,;:.!?¿¡…–—-]"
_BEFORE = re.compile(rf"{_MARKS}++")
CLAUSE = re.compile(r"(?<=[.!?:;…])\s+")  # the text between two clauses


@cache
def _around(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    opening, announcement, closing = (
        any_of(f"questions.{name}", language=language)
        for name in ("openings", "announcements", "closings")
    )
    return (
        re.compile(
            rf"(?:\A|\b){_MARKS}*+(?:(?:{opening})(?!\w)|(?:{announcement})(?=\s?[:;,.!…–-]))", re.I
        ),
        re.compile(rf"(?:\A|(?<=[\s,;:.!?…–—-]))(?:{closing})(?!\w){_MARKS}*+\Z", re.I),
    )


@cache
def _fillers(language: str) -> re.Pattern[str]:
    names = ("questions.look_ups.asking", "questions.look_ups.beside", "questions.fillers")
    return re.compile(any_of(*names, language=language))


def without_courtesies(question: str, languages: tuple[str, ...]) -> str:
    """Return ``question``, in one of ``languages``, with courtesies at its ends replaced by blanks,
    so that positions stay the same.

    Clauses that ask nothing by themselves, as "what do you think?", are replaced too. A question
    with nothing else is returned unchanged.
    """
    start, end = _without_courtesies(question, languages)
    if not any(map(str.isalnum, question[start:end])):
        return question
    return " " * start + question[start:end] + " " * (len(question) - end)


def is_courtesy(question: str, languages: tuple[str, ...]) -> bool:
    """Return whether ``question``, in one of ``languages``, is nothing but courtesies: "Hello, how
    are you?".
    """
    return not any(map(str.isalnum, question[slice(*_without_courtesies(question, languages))]))


@lru_cache(maxsize=64)  # parsing asks for the same text up to five times
def _without_courtesies(question: str, languages: tuple[str, ...]) -> tuple[int, int]:
    """Return the start and end of ``question`` without the courtesies around it."""
    start, end = 0, len(question)
    around = [_around(language) for language in LANGUAGES]
    for _ in range(_MOST):
        ends = [
            found.end()
            for before, _ in around
            if (found := before.match(question, start, start + _LONGEST))
        ]
        starts = [
            found.start()
            for _, behind in around
            if (found := behind.search(question, max(start, end - _LONGEST), end))
        ]
        if not ends and not starts:
            break
        start, end = max(ends, default=start), min(starts, default=end)
    if start and (marks := _BEFORE.match(question, start, end)):
        start = marks.end()
    clauses = [start, *(found.end() for found in CLAUSE.finditer(question, start, end)), end]
    while len(clauses) > 2 and asks_nothing(_words(question[clauses[0] : clauses[1]]), languages):
        del clauses[0]
    while len(clauses) > 2 and asks_nothing(_words(question[clauses[-2] : clauses[-1]]), languages):
        del clauses[-1]
    return clauses[0], clauses[-1]


def asks_nothing(words: Sequence[str], languages: Sequence[str]) -> bool:
    """Return whether all folded ``words`` are fillers in one of ``languages``, which ask nothing by
    themselves.
    """
    return any(all(_fillers(language).fullmatch(word) for word in words) for language in languages)


def without_story_words(clause: str, languages: Sequence[str]) -> str:
    """Return ``clause`` with blanks for phrases, in any of ``languages``, that tell how a question
    came up: "we argued with friends".
    """
    for language in languages:
        clause = _stories(language).sub(lambda found: " " * len(found[0]), clause)
    return clause


@cache
def _stories(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of('questions.stories', language=language)})\b", re.I)


def _words(clause: str) -> list[str]:
    return [fold(token.text) for token in tokenize(clause)]
