"""Clauses: the pieces of a passage's text that highlights are chosen from, and the words in them that decide rulings."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from corpus.languages import any_of
from corpus.sentences import sentences

LONG = 60  # characters of a sentence that is divided into clauses
SHORTEST = 20  # characters of a clause, at least
SHORT = 150  # characters of a passage whose sentences are not divided

_MARK = re.compile(r"[;:,–]\s+|\s(?=\()|(?<=\))\s")


class Clause(NamedTuple):
    """A sentence or a part of one: its span in the text, the number of its sentence, and what its words say.

    ``decides`` says that it denies, makes an exception or limits the clause before it; ``cues`` are the values of `CUES`.
    """

    start: int
    end: int
    sentence: int
    decides: bool
    cues: tuple[float, ...]


# What the words of a clause say. denial: it denies; verdict: it rules; ruling first: it begins with the verb that rules; condition: it
# says when something holds; conclusion: it is the first clause behind conditions; exception: it belongs to an exception; example: to
# an example; bracket: it stands in brackets; comma, colon: it ends with one.
CUES = ("denial", "verdict", "ruling_first", "condition", "conclusion", "exception", "example", "bracket", "comma", "colon")


class ClausePatterns:
    """What tells the clauses of a text in one ``language``."""

    def __init__(self, language: str):
        def words(*names: str) -> str:
            return any_of(*names, language=language)

        joining = words("sentences.conjunctions", "sentences.alternatives")
        self.answer = re.compile(rf"[\s*_]*+{words('labels.answer')}[*_]*\s*:", re.IGNORECASE)
        self.question = re.compile(rf"[\s*_]*+{words('labels.question')}[*_]*\s*:", re.IGNORECASE)
        self.joining = re.compile(rf"\s(?={joining}\s)", re.IGNORECASE)
        exception = words("sentences.exceptions", "sentences.limitations")
        self.bound = re.compile(rf"\W*(?:{joining}\s+)?{exception}\b", re.IGNORECASE)
        self.exception_ends = re.compile(rf"\b{exception}[,:]?\s*$", re.IGNORECASE)
        self.denial = re.compile(rf"\b{words('sentences.denials')}\b", re.IGNORECASE)
        self.verdict = re.compile(rf"\b{words('sentences.verdicts')}\b", re.IGNORECASE)
        self.ruling_first = re.compile(rf"[\W\d]*{words('sentences.verdicts')}\b", re.IGNORECASE)
        self.condition = re.compile(rf"[\W\d]*(?:{joining}\s+)?{words('sentences.conditions')}\b", re.IGNORECASE)
        example = words("labels.example", "labels.for_example", "labels.example_abbreviation")
        self.example = re.compile(rf"\W*{example}(?!\w)", re.IGNORECASE)


@cache
def clause_patterns(language: str) -> ClausePatterns:
    """The patterns of texts in ``language``."""
    return ClausePatterns(language)


def clauses(text: str, language: str) -> list[Clause]:
    """The clauses of ``text``, in order; the question of a question with its answer is left out.

    The sentences of a text longer than `SHORT` are divided at punctuation, and before "and" where a part would be more than half
    of the text. What begins with an exception or a limitation stays with the clause before it while the two are no more than half.
    """
    patterns = clause_patterns(language)
    found: list[Clause] = []
    example, before = False, 0
    for number, (start, end) in enumerate(_answer(text, sentences(text), patterns)):
        example = patterns.example.match(text, start, end) is not None or (example and "\n" not in text[before:start])
        before = end
        parts = _divided(text, (start, end), patterns) if len(text) > SHORT else [(start, end)]
        found += _read(text, parts, number, patterns, example)
    return found


def _answer(text: str, found: list[tuple[int, int]], patterns: ClausePatterns) -> list[tuple[int, int]]:
    """Those of the sentences ``found`` in ``text`` that are behind the question which the text begins with; all where there is none."""
    for place, (start, end) in enumerate(found):
        if place and "?" in text[:start] and patterns.answer.match(text, start, end):
            return found[place:]
    asks = [text[a:b].rstrip('*_ \n"”“»)').endswith("?") for a, b in found]
    begins = asks.index(True) if patterns.question.match(text) and True in asks else 0
    behind = next((place for place in range(begins, len(found)) if not asks[place]), 0)
    return found[behind:]


def _divided(text: str, sentence: tuple[int, int], patterns: ClausePatterns) -> list[tuple[int, int]]:
    """The spans of the clauses of a ``sentence``."""
    start, end = sentence
    most = len(text) // 2
    if end - start <= LONG:
        return [sentence]
    cuts = [start + mark.end() for mark in _MARK.finditer(text[start:end])]
    parts = _cut(text, sentence, cuts, patterns, most)
    found = []
    for a, b in parts:
        joins = [a + mark.end() for mark in patterns.joining.finditer(text[a:b])] if b - a > most else []
        found += _cut(text, (a, b), joins, patterns, most)
    return [(a, a + len(text[a:b].rstrip())) for a, b in found]


def _cut(text: str, span: tuple[int, int], cuts: list[int], patterns: ClausePatterns, most: int) -> list[tuple[int, int]]:
    """``span`` divided at those ``cuts`` that leave `SHORTEST` characters on both sides and separate no exception from its rule."""
    start, end = span
    possible = [cut for cut in cuts if not patterns.exception_ends.search(text, start, cut)]
    begins = [start]
    for cut, after in pairwise([*possible, end]):
        bound = patterns.bound.match(text, cut, end) is not None and after - begins[-1] <= most
        if cut - begins[-1] >= SHORTEST and end - cut >= SHORTEST and not bound:
            begins.append(cut)
    return list(pairwise([*begins, end]))


def _read(text: str, parts: list[tuple[int, int]], number: int, patterns: ClausePatterns, example: bool) -> list[Clause]:
    """The clauses at ``parts`` of sentence ``number``; ``example`` says whether it belongs to an example."""
    found: list[Clause] = []
    conditional = excepted = False
    for start, end in parts:
        clause = text[start:end]
        denial = patterns.denial.search(clause) is not None
        ruling_first = patterns.ruling_first.match(clause) is not None
        comma = clause.endswith(",")
        condition = patterns.condition.match(clause) is not None or (ruling_first and comma and not found)  # "Wird ein Kahn leck, …"
        conclusion, conditional = conditional and not condition, condition
        excepted = excepted or (bool(found) and patterns.bound.match(clause) is not None)
        told = patterns.verdict.search(clause) is not None
        cues = (denial, told, ruling_first, condition, conclusion, excepted, example, clause.startswith("("), comma, clause.endswith(":"))
        found.append(Clause(start, end, number, denial or excepted, tuple([float(cue) for cue in cues])))
    return found
