"""Divide a passage into sentences for highlighting, with the sentences that each depends on, and
with cues.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from corpus.languages import any_of
from corpus.sentences import sentences

# Cues for a sentence that answers. denial: it has a "not"; example: it is part of an example;
# first: it is the first sentence.
CUES = ("denial", "example", "first")

_ITEM = re.compile(r"[-•➤▶✦»>–*_\s]*(?:(?:\d{1,2}|[IVX]{1,5}|[a-zA-Z])[.)]+\s|[-•➤▶✦»>–]\s)")
_CLOSING = "*_\"“”»’'] \n"  # may follow the end of a sentence
_ENDS = (".", "!", "?", "…", ")")
# Most words of a sentence that only says yes or no: "Nein." "Das stimmt."
_ANSWER_WORDS = 2


class PassageSentence(NamedTuple):
    """A sentence of a passage: its span in the text, and its `CUES`.

    ``lead`` is the distance back, in sentences, to the sentence that it depends on: the lead-in of
    a list item, or "No." before its reason; 0 if it is independent. ``tail``: it needs the next
    sentence, which is an exception, or the reason of "No.".
    """

    start: int
    end: int
    lead: int
    tail: bool
    cues: tuple[float, ...]


class SentencePatterns:
    """Patterns to recognise the sentences of a text in one ``language``."""

    def __init__(self, language: str):
        def words(*names: str) -> str:
            return any_of(*names, language=language)

        joining = words("sentences.conjunctions", "sentences.alternatives")
        exception = words("sentences.exceptions", "sentences.limitations")
        self.answer = re.compile(
            rf"[\s*_]*+{words('labels.answer')}[*_]*\s*:[*_\s]*", re.IGNORECASE
        )
        self.question = re.compile(rf"[\s*_]*+{words('labels.question')}[*_]*\s*:", re.IGNORECASE)
        self.excepts_first = re.compile(rf"\W*(?:{joining}\s+)?{exception}\b", re.IGNORECASE)
        self.excepts_soon = re.compile(rf"\W*(?:\w+\s+){{0,3}}{exception}\b", re.IGNORECASE)
        self.denial = re.compile(rf"\b{words('sentences.denials')}\b", re.IGNORECASE)
        example = words("labels.example", "labels.for_example", "labels.example_abbreviation")
        self.example = re.compile(rf"\W*{example}(?!\w)", re.IGNORECASE)


@cache
def sentence_patterns(language: str) -> SentencePatterns:
    """Return the patterns of texts in ``language``."""
    return SentencePatterns(language)


def passage_sentences(text: str, language: str) -> list[PassageSentence]:
    """Return the sentences of ``text``, in order; if it is a question with an answer, only the
    sentences of the answer.
    """
    patterns = sentence_patterns(language)
    spans = _answer(text, sentences(text), patterns)
    leads = _leads(text, spans)
    tails = [False] * len(spans)
    for n, (start, end) in enumerate(spans[1:], 1):
        same_line = "\n" not in text[spans[n - 1][1] : start]
        label = patterns.answer.match(text, *spans[n - 1])
        if (
            same_line
            and len(text[label.end() if label else spans[n - 1][0] : spans[n - 1][1]].split())
            <= _ANSWER_WORDS
        ):
            tails[n - 1] = True
            of_it = slice(
                n, None if n == 1 and (label or spans[0][0] > 0) else n + 1
            )  # the whole answer if it begins with yes or no
            leads[of_it] = [n - 1 if lead is None else lead for lead in leads[of_it]]
        elif patterns.excepts_first.match(text, start, end) or (
            same_line and patterns.excepts_soon.match(text, start, end)
        ):
            tails[n - 1] = True
    found: list[PassageSentence] = []
    example = False
    for n, (start, end) in enumerate(spans):
        example = patterns.example.match(text, start, end) is not None or (
            example and "\n" not in text[spans[n - 1][1] : start]
        )
        cues = (
            float(patterns.denial.search(text, start, end) is not None),
            float(example),
            float(n == 0),
        )
        lead = leads[n]
        found.append(PassageSentence(start, end, 0 if lead is None else n - lead, tails[n], cues))
    return found


def _answer(
    text: str, found: list[tuple[int, int]], patterns: SentencePatterns
) -> list[tuple[int, int]]:
    """Return the sentences, out of ``found``, after the question that ``text`` begins with; all if
    it begins with none.
    """
    for place, (start, end) in enumerate(found):
        if place and "?" in text[:start] and patterns.answer.match(text, start, end):
            return found[place:]
    asks = [text[a:b].rstrip('*_ \n"”“»)').endswith("?") for a, b in found]
    begins = asks.index(True) if patterns.question.match(text) and True in asks else 0
    behind = next((place for place in range(begins, len(found)) if not asks[place]), 0)
    return found[behind:]


class _Lead(NamedTuple):
    """A lead-in: the ``number`` of the sentence, whether list ``items`` or plain lines depend on
    it, and the least ``indentation`` and the ``bullet`` of the items.
    """

    number: int
    items: bool
    indentation: int
    bullet: str

    def has(self, indentation: int, bullet: str, gap: str) -> bool:
        """Return whether a line depends on this lead-in; ``bullet`` is "" if the line is no item,
        ``gap`` is the space before the line.
        """
        if not self.items:
            return not bullet and gap.count("\n") == 1
        return bullet != "" and (indentation >= self.indentation or bullet == self.bullet)


def _leads(text: str, spans: list[tuple[int, int]]) -> list[int | None]:
    """Return for each of the sentences at ``spans`` the number of its lead-in, or None.

    A line that does not end like a sentence is the lead-in of the list items after it; if it is an
    item itself and does not end in a colon, only of items indented further. A line with a colon is
    also the lead-in of plain lines, up to a blank line. Page breaks remove indentation, so items
    with the same bullet as earlier items of a lead-in belong to it too, unless the lead-in has that
    bullet itself.
    """
    found: list[int | None] = []
    leads: list[_Lead] = []
    indentation, bullet, before = 0, "", 0
    for n, (start, end) in enumerate(spans):
        gap = text[before:start]
        before = end
        if n == 0 or "\n" in gap:
            above, bullet_above, colon = (
                indentation,
                bullet,
                text[:start].rstrip(" \n*_").endswith(":"),
            )
            indentation = len(gap) - gap.rfind("\n") - 1
            item = _ITEM.match(text, start, end)
            bullet = re.sub(r"\w+", "1", "".join(item.group().split())) if item else ""
            while leads and not leads[-1].has(indentation, bullet, gap):
                leads.pop()
            if n and (colon or not text[: spans[n - 1][1]].rstrip(_CLOSING).endswith(_ENDS)):
                if item and (colon or not bullet_above or indentation > above):
                    if leads and leads[-1].indentation == indentation:
                        leads.pop()
                    leads.append(
                        _Lead(n - 1, True, indentation, "" if bullet == bullet_above else bullet)
                    )
                elif not item and colon and gap.count("\n") == 1:
                    leads.append(_Lead(n - 1, False, 0, ""))
        found.append(leads[-1].number if leads else None)
    return found
