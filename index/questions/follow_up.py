"""Recognise follow-up questions, which cannot be understood without the earlier ones, and complete
them for the search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from corpus.blocks import Span
from corpus.sentences import sentences
from glossary.normalization import Token, fold, tokenize
from index.questions.question_parts import PartWords, part_words

MOST_BEFORE = 4  # most earlier questions that a question is read with
_LOOKAHEAD = 3  # tokens of the longest phrase that begins a question
_FRAGMENT = 6  # most words of a question without a verb: "with minions too?"
_CONDITION = 8  # most words of a condition alone: "if it is exhausted?"
_LONG = 20  # most words of a sentence whose pronouns may refer to earlier sentences
_MARK = re.compile(r"(?<![?!.\s])[?!.\s]+$")
_STOP = re.compile(r"[,;:–—-]")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question with the earlier questions ``before`` that it is read with, the oldest first.

    ``text``, which is searched, has all of them; the question itself, ``alone``, begins there at
    ``start``. ``length`` is its length as typed.
    """

    before: tuple[str, ...]
    text: str
    alone: str
    start: int
    length: int

    def in_question(self, span: Span) -> Span:
        """Return the part of a ``span`` of ``text`` in the question, as offsets in the question."""
        return Span(max(span.start - self.start, 0), min(span.end - self.start, self.length))


def follow_up(
    question: str, before: Sequence[str], language: str, stop_words: Set[str]
) -> FollowUp | None:
    """Return ``question`` with the questions it needs out of the earlier ones ``before``, oldest
    first; None if it can be understood alone.

    If an earlier question is a follow-up itself, the question before it is included too.
    ``stop_words`` are the folded stop words of ``language``.
    """
    words = part_words(language)
    used: list[str] = []
    asked = question
    for earlier in reversed(before[-MOST_BEFORE:]):
        if not leans(asked, words, stop_words):
            break
        asked = " ".join(earlier.split())
        if asked:
            used.insert(0, asked)
    if not used:
        return None
    alone = question if "?" in question else _MARK.sub("", question) + "?"
    statements = " ".join(f"{_MARK.sub('', each.replace('?', '.'))}." for each in used) + " "
    return FollowUp(tuple(used), statements + alone, alone, len(statements), len(question))


def leans(text: str, words: PartWords, stop_words: Set[str]) -> bool:
    """Return whether ``text`` cannot be understood without the question before it.

    It cannot if it has only function words, or if its first other sentence begins with "and", is
    just a condition or a fragment, or has a pronoun without an antecedent. ``words`` are those of
    its language.
    """
    for start, end in sentences(text):
        tokens = tokenize(text[start:end])
        folded = [fold(token.text) for token in tokens]
        if any(word not in words.empty and word not in stop_words for word in folded) or any(
            map(words.pronouns.fullmatch, folded)
        ):
            return _sentence_leans(text[start:end], tokens, folded, words, stop_words)
    return True


def _sentence_leans(
    sentence: str,
    tokens: Sequence[Token],
    folded: Sequence[str],
    words: PartWords,
    stop_words: Set[str],
) -> bool:
    joined = folded[0] in words.beginnings | words.conjunctions
    own, places = folded[joined:], tokens[joined:]
    if not own:
        return True
    if words.onward.match(_ahead(folded, 0)) or words.onward.match(_ahead(own, 0)):
        return True
    asks = [
        n
        for n in range(len(own))
        if words.interrogatives.match(_ahead(own, n)) or words.verbs.match(_ahead(own, n))
    ]
    if joined and (0 not in asks or len(own) <= _LOOKAHEAD):
        return True
    if own[0] in words.conditions:
        opens = (
            n for n in asks if n and _STOP.search(sentence, places[n - 1].end, places[n].start)
        )
        if next(opens, None) is None and len(own) <= _CONDITION:
            return True
    small = (
        own[0] in stop_words
        and (own[0] in words.leaning or own[0] not in words.subjects)
        and own[0] not in words.determiners
    )
    about_something = not words.first_person.isdisjoint(own) or words.expletives.search(
        " ".join(own)
    )
    if small and not asks and not about_something and len(own) <= _FRAGMENT:
        return True
    return len(own) <= _LONG and any(
        _points_back(n, own, places, words, stop_words) for n in range(len(own))
    )


def _points_back(
    n: int, own: Sequence[str], places: Sequence[Token], words: PartWords, stop_words: Set[str]
) -> bool:
    """Return whether word ``n`` of a sentence is a pronoun without an antecedent before it in the
    sentence.
    """
    if not words.pronouns.fullmatch(own[n]) or (n and places[n].text[:1].isupper()):
        return False
    around = " ".join(own[max(n - 2, 0) : n + 3])
    if words.expletives.search(around):
        return False
    following = own[n + 1] if n + 1 < len(own) else ""
    if (
        own[n] in words.determiners
        and following
        and following not in stop_words
        and not words.verbs.match(following)
    ):
        return False  # an article: "die Karte"

    def says(at: int) -> bool:
        return at < n and own[at] not in stop_words and own[at] not in words.empty

    named = any(place.text[:1].isupper() and says(at) for at, place in enumerate(places[:n]) if at)
    determined = any(
        word in words.determiners and (says(at + 1) or says(at + 2))
        for at, word in enumerate(own[:n])
    )
    subject = n > 1 and words.verbs.match(own[0]) is not None and says(1)
    return not (named or determined or subject)


def _ahead(own: Sequence[str], n: int) -> str:
    return " ".join(own[n : n + _LOOKAHEAD])
