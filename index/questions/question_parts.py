"""Split a text into its questions, each with the context that it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

from corpus.blocks import Span
from corpus.languages import any_of, get_language
from glossary.normalization import Token, fold, tokenize

MOST_PARTS = 4
# Least tokens of a question clause before "and", unless it has a verb: not "which cards and which
# markers …"
_ASKING_TOKENS = 4
# Share of common content words from which two questions are the same in other words
_SAME = 0.6
# Least number of questions, of clauses, and of words of a clause to split
_SEVERAL = 2
_LOOKAHEAD = 3  # tokens of the longest phrase that begins a question
_NAME_TOKENS = 4  # most tokens in the name of a thing that is compared
_MARK = re.compile(r"(?<![?!.])[?!.]+\s*$")
_STOP = re.compile(r"[,;:–—-]")


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One of the questions of a text: the words ``asked``, and their ``span`` in the text.

    ``alone`` is the question by itself; ``searched`` is preceded by the story or, if the question
    depends on it, by the question before. ``compared``: it is one of two names whose difference is
    asked for.
    """

    asked: str
    span: Span
    alone: str
    searched: str
    compared: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause that asks: its span, its folded words, the content words among them, and whether it
    depends on the clause before it.
    """

    span: Span
    words: tuple[str, ...]
    content: frozenset[str]
    leans: bool


class PartWords:
    """The folded words of one ``language`` by which questions are separated."""

    def __init__(self, language: str):
        known = get_language(language).questions

        def beginning(*names: str) -> re.Pattern[str]:
            return re.compile(rf"(?<!\w){any_of(*names, language=language)}(?!\w)")

        self.conjunctions = frozenset(get_language(language).sentences.conjunctions)
        differences = rf"\b{any_of('questions.differences', language=language)}"
        self.difference = re.compile(differences, re.I)
        self.differences = (
            re.compile(rf"{differences}\s+(?P<names>[^?!]{{3,120}})", re.I),
            re.compile(
                rf"(?P<names>[^?!.:,;–—]{{3,120}})[:,;–—]\s(?:[^\W\d_]+\s){{0,5}}?{differences}\W*\Z",
                re.I,
            ),
        )
        self.alternatives = beginning("sentences.alternatives")
        self.interrogatives = beginning("questions.interrogatives")
        self.states = beginning("questions.states")
        self.rewordings = beginning("questions.rewordings")
        self.verbs = beginning("questions.verbs")
        self.conditions, self.leaning, self.subjects = (
            frozenset(each) for each in (known.conditions, known.leaning, known.subjects)
        )
        self.first_person = frozenset(known.first_person)
        self.articles = beginning("sentences.all_articles")
        self.beginnings = frozenset(known.beginnings)
        self.pronouns, self.onward = beginning("questions.pronouns"), beginning("questions.onward")
        self.determiners = frozenset(known.determiners)
        self.expletives = re.compile(any_of("questions.expletives", language=language))
        self.empty = frozenset(
            (*known.words, *known.leaning, *known.confirmations, *known.conditions)
        ) - frozenset(known.negations)


@cache
def part_words(language: str) -> PartWords:
    """Return the `PartWords` of ``language``, cached."""
    return PartWords(language)


def question_parts(
    text: str, language: str, asking: Sequence[Span], folded: Set[str], stop_words: Set[str]
) -> tuple[QuestionPart, ...]:
    """Return the questions of ``text``, two to `MOST_PARTS`; () if it asks for one thing only.

    ``asking`` are the spans of its question sentences, ``folded`` its folded words, ``stop_words``
    the folded stop words of its language.
    """
    words = part_words(language)
    if compared := _compared(text, words):
        return compared
    if len(asking) < _SEVERAL and words.conjunctions.isdisjoint(folded):
        return ()
    clauses = _different(
        [
            clause
            for span in asking or [Span(0, len(text))]
            for clause in _clauses(text, span, words, stop_words)
        ],
        words,
    )
    if len(clauses) < _SEVERAL:
        return ()
    parts: list[QuestionPart] = []
    for clause in clauses[:MOST_PARTS]:
        start, end = clause.span
        story = _between(text, 0, start, asking)
        before = parts[-1].searched if parts and clause.leans else story
        since = _between(text, parts[-1].span[1], start, asking) if before != story else ""
        own = _MARK.sub("", text[start:end]).strip() + "?"
        statement = _MARK.sub("", before.replace("?", ".")).strip()
        parts.append(
            QuestionPart(
                text[start:end],
                clause.span,
                own,
                " ".join(filter(None, (f"{statement}." if statement else "", since, own))),
            )
        )
    return tuple(parts)


def _compared(text: str, words: PartWords) -> tuple[QuestionPart, ...]:
    """Return the two names whose difference ``text`` asks for: "What is the difference between
    Stunned and Confused?"; () if it asks for anything else.
    """
    if not words.difference.search(text):  # fast, and excludes most questions
        return ()
    found = next(filter(None, (each.search(text) for each in words.differences)), None)
    tokens = tokenize(found["names"]) if found else []
    middle = [n for n, token in enumerate(tokens) if token.text.lower() in words.conjunctions]
    if not found or len(middle) != 1:
        return ()
    parts = []
    for name in (tokens[: middle[0]], tokens[middle[0] + 1 :]):
        if not 0 < len(name) <= _NAME_TOKENS:
            return ()
        start = found.start("names")
        span = Span(start + name[0].start, start + name[-1].end)
        asked = text[slice(*span)]
        parts.append(QuestionPart(asked, span, asked, asked, compared=True))
    return tuple(parts)


def _between(text: str, start: int, end: int, asking: Sequence[Span]) -> str:
    """Return ``text`` from ``start`` to ``end`` without the ``asking`` sentences."""
    pieces = []
    for first, behind in (*asking, Span(end, end)):
        pieces.append(text[start : max(min(first, end), start)])
        start = max(start, behind)
        if start >= end:
            break
    return " ".join("".join(pieces).split())


def _clauses(text: str, span: Span, words: PartWords, stop_words: Set[str]) -> list[_Clause]:
    """Split the sentence at ``span`` at each "and" that joins two questions."""
    tokens = tokenize(text[span[0] : span[1]])
    folded = [fold(token.text) for token in tokens]
    opens = [
        n == 0 or bool(_STOP.search(text, span[0] + tokens[n - 1].end, span[0] + token.start))
        for n, token in enumerate(tokens)
    ]
    cuts, first = [0], 0
    for n in range(1, len(tokens) - 1):
        if (
            tokens[n].text.lower() in words.conjunctions
            and _asks(folded[first:n], opens[first:n], words)
            and _begins(folded, opens, first, n, words)
        ):
            cuts.append(n + 1)
            first = n + 1
    return [
        _clause(tokens, folded, span, cut, end, words, stop_words)
        for cut, end in zip(cuts, [*cuts[1:], None], strict=True)
    ]


def _clause(
    tokens: Sequence[Token],
    folded: Sequence[str],
    span: Span,
    first: int,
    end: int | None,
    words: PartWords,
    stop_words: Set[str],
) -> _Clause:
    """Return the clause from token ``first`` up to the conjunction before token ``end``, or up to
    the end of the sentence at ``span``.
    """
    start = span[0] + tokens[first].start if first else span[0]
    stop = span[1] if end is None else span[0] + tokens[end - 2].end
    own = folded[first : None if end is None else end - 1]
    content = frozenset(word for word in own if word not in words.empty and word not in stop_words)
    return _Clause(Span(start, stop), tuple(own), content, _leans(own, tokens[first:], words))


def _asks(clause: Sequence[str], opens: Sequence[bool], words: PartWords) -> bool:
    """Return whether the folded words of a ``clause`` are a question by themselves; ``opens`` tells
    for each word whether it is the first or follows a comma.
    """
    for n in range(len(clause)):
        if opens[n] or (n == 1 and clause[0] in words.beginnings):
            ahead = " ".join(clause[n : n + _LOOKAHEAD])
            asked = words.interrogatives.match(ahead) or words.verbs.match(ahead)
            if asked and (
                len(clause) - n >= _ASKING_TOKENS
                or any(words.verbs.fullmatch(each) for each in clause[n:])
            ):
                return True
    return False


def _begins(
    folded: Sequence[str], opens: Sequence[bool], first: int, conjunction: int, words: PartWords
) -> bool:
    """Return whether a new question begins after the word at ``conjunction`` of a sentence; the
    previous question begins at ``first``.
    """
    behind = folded[conjunction + 1 :]
    ahead = " ".join(behind[:_LOOKAHEAD])
    if len(behind) < _SEVERAL or words.interrogatives.match(ahead):
        return len(behind) >= _SEVERAL
    if behind[0] in words.conditions:  # "…, and if it is exhausted?"
        return opens[conjunction]
    if not words.verbs.match(ahead):
        return False
    if words.subjects:
        return behind[1] in words.subjects
    return words.conditions.isdisjoint(
        folded[first:conjunction]
    )  # otherwise it may continue a condition


def _different(clauses: Sequence[_Clause], words: PartWords) -> list[_Clause]:
    """Return the ``clauses`` that do not repeat an earlier clause in other words."""
    found: list[_Clause] = []
    for clause in clauses:
        text = " ".join(clause.words)
        again = words.rewordings.match(text) or words.alternatives.match(text)
        if (
            clause.content
            and not (found and again)
            and not any(_alike(clause.content, other.content) for other in found)
        ):
            found.append(clause)
    return found


def _alike(content: Set[str], other: Set[str]) -> bool:
    return len(content & other) >= _SAME * len(content | other)


def _leans(own: Sequence[str], tokens: Sequence[Token], words: PartWords) -> bool:
    """Return whether a clause with the folded words ``own`` depends on the clause before it;
    ``tokens`` begins with its tokens.
    """
    joined = bool(own) and own[0] in words.beginnings | words.conjunctions
    begins = own[joined:]
    ahead = " ".join(begins[:_LOOKAHEAD])
    fragment = joined and not (
        words.interrogatives.match(ahead) or words.verbs.match(ahead)
    )  # "and against minions?"
    if fragment or not words.conditions.isdisjoint(begins[:1]):
        return True
    following = [token.text for token in tokens[1 : len(own)]]
    return any(
        word in words.leaning
        and not (
            noun[:1].isupper() and words.articles.fullmatch(word)
        )  # "das" is one, "das Deck" is not
        for word, noun in zip(own, [*following, ""], strict=True)
    )
