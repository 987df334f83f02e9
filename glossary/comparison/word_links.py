"""Compare two sentences word by word: which words translate each other, which words and clauses
have changed places, which items of an enumeration are missing, and what is denied or allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from corpus.languages import any_of, get_language, words_of
from glossary import normalization
from glossary.comparison.hints import (
    ConditionFinder,
    DifferenceKind,
    PassageDifference,
)
from glossary.comparison.rewording import small_words
from glossary.comparison.sentence_alignment import FOUND, SentenceAligner
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

MENTIONS = 4  # of two terms in a sentence, at most
FEWEST = 4  # other words that show where the two belong, at least
NEAR = 3.0  # words, within which these count most
ITEM = 2  # words of an item of an enumeration
CROSSED = 1  # words of each clause that are in the other clause on the other side, at least
KEPT = 0.34  # words that are in the same clause on both sides, at most, per crossed one
_JOINER = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_JOINERS = words_of("sentences.conjunctions") | words_of("sentences.alternatives")
_ENDS = re.compile(r"[,;:.!?()\u2013]")
_AND = re.compile(rf"(?:\s|/){_JOINER}\s(?:\S+\s){{0,2}}$", re.IGNORECASE)
_VERB = re.compile(any_of("sentences.finite_verbs"), re.IGNORECASE)
_PEOPLE = {"player", "character"}  # who act on either side
_SUBORDINATE = {"if", "when", "after", "before", "while"}
_SEPARATOR = re.compile(
    rf"\s{{0,4}}(?:,\s{{0,4}}(?:{_JOINER}\s)?|\s{_JOINER}\s|/)\s{{0,4}}", re.IGNORECASE
)

_Texts = tuple[str, str]
_Places = list[int]

# The groups of words that are counted on both sides.
_COUNTED = {
    "before": ("sequences.earlier",),
    "after": ("sequences.later",),
    "may": ("sentences.permissions",),
    "must": ("sentences.duties",),
    "or": ("sentences.alternatives",),
    "not": ("sentences.denials",),
    "idle": ("sentences.idle_denials",),
    "denying": ("sentences.denials", "sentences.denying", "decisive.negations"),
    "excepting": ("sentences.denying", "decisive.negations", "decisive.exceptions"),
}
_OPPOSITES = ("before", "after"), ("may", "must")
_EVEN = "may", "must", "denying", "only", "or", "("


def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    only = "|".join(get_language(language).card_conditions.get("only", ())) or "(?!)"
    patterns = {what: any_of(*names, language=language) for what, names in _COUNTED.items()}
    return {
        "(": re.compile(r"\("),
        **{
            what: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
            for what, pattern in (*patterns.items(), ("only", only))
        },
    }


def _is_part(some: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether ``whole`` has all of ``some`` in this order."""
    rest = iter(whole)
    return all(each in rest for each in some)


class WordOrder:
    """Finds words and clauses that have changed places in corresponding sentences in two
    ``languages``, and items missing from an enumeration.

    Of single words, only actors among the ``concepts`` are checked: other words change places in
    idioms.
    """

    def __init__(
        self, languages: tuple[str, str], concepts: Sequence[Concept], aligner: SentenceAligner
    ):
        self._languages = languages
        self._aligner = aligner
        self._nouns = [get_language(code).capitalised_nouns for code in languages]
        self._small = [small_words(code) for code in languages]
        self._conditions = [ConditionFinder(code) for code in languages]
        self._words = [_patterns(code) for code in languages]
        actors = [c for c in concepts if c.side or c.id in _PEOPLE]
        self._actors = [NameFinder(actors, code, ordinary=True) for code in languages]

    def differences(self, texts: _Texts) -> Iterator[PassageDifference]:
        """Yield the differences between two sentences that surely correspond."""
        links = _Links(texts, self._aligner)
        for left, right in self._exchanged(links):
            words = [
                tuple(links.tokens[side][place].text for place in places)
                for side, places in enumerate((left, right))
            ]
            yield PassageDifference(DifferenceKind.ORDER, words[0], words[1])
        yield from self._exchanged_clauses(links)
        yield from self._opposed(texts)
        lost = [tuple(self._lost(links, side)) for side in (0, 1)]
        if any(lost):
            yield PassageDifference(DifferenceKind.CLAUSES, lost[0], lost[1])

    def _exchanged(self, links: _Links) -> Iterator[tuple[_Places, _Places]]:
        """Yield the places, left and right, of two actors that have exchanged their places."""
        left, right = (self._mentions(links, side) for side in (0, 1))
        common = sorted({who for who, _ in left} & {who for who, _ in right})
        for pair in combinations(common, 2):
            own, others = ([each for each in side if each[0] in pair] for side in (left, right))
            order, there = [who for who, _ in own], [who for who, _ in others]
            if len(order) > MENTIONS or _is_part(order, there) or _is_part(there, order):
                continue
            for i, j in combinations(range(len(own)), 2):
                new = [*order]
                new[i], new[j] = new[j], new[i]
                if new == order or not (_is_part(new, there) or _is_part(there, new)):
                    continue
                here = [own[i][1], own[j][1]]
                # If one side names one of them once more, it is not clear which one.
                known = len(own) == len(others)
                facing = [others[i][1], others[j][1]] if known else [n for _, n in others]
                if not self._is_idiom(links, here, facing) and (
                    not known or links.is_exchanged(here, facing)
                ):
                    yield here, facing
                break

    def _mentions(self, links: _Links, side: int) -> list[tuple[str, int]]:
        """Return the actors named on a side, each with its place; asides in brackets do not count,
        as they may be anywhere.
        """
        found = []
        tokens, text = links.tokens[side], links.texts[side]
        for use in self._actors[side].find(tokens):
            first, last = tokens[use.first], tokens[use.last - 1]
            words = text[first.start : last.end]
            glued = text[last.end : last.end + 1] == "-" or text[: first.start].endswith("-")
            # "Spiel" has the stem of "Spieler".
            short = all(len(words) < len(name) - 1 for _, name in use.concepts)
            aside = text.count("(", 0, first.start) > text.count(")", 0, first.start)
            if not (glued or short or aside) and self._may_be_noun(side, words):
                found.append((min(concept for concept, _ in use.concepts), use.first))
        return found

    def _is_idiom(self, links: _Links, left: _Places, right: _Places) -> bool:
        """Return whether two words of either side may change places: within one enumeration, or
        with only function words between them.
        """
        sides = [side for side, places in enumerate((left, right)) if len(places) == 2]
        places = left, right
        beside = [self._are_beside(links, side, places[side]) for side in sides]
        return all(beside) or any(links.is_listed(side, places[side]) for side in sides)

    def _are_beside(self, links: _Links, side: int, places: _Places) -> bool:
        """Return whether only function words are between two words of a side: "gives a hero 5
        damage" is "gives 5 damage to a hero".
        """
        between = links.tokens[side][places[0] + 1 : places[1]]
        small = self._small[side]
        return all(token.text.casefold() in small or token.text.isdigit() for token in between)

    def _may_be_noun(self, side: int, word: str) -> bool:
        return word[:1].isupper() or not self._nouns[side]

    def _exchanged_clauses(self, links: _Links) -> Iterator[PassageDifference]:
        """Yield clauses that are exchanged between the sides: "After A, B" as "After B, A"."""
        uses = [
            [use for use in finder.find(text) if use.meanings & _SUBORDINATE]
            for finder, text in zip(self._conditions, links.texts, strict=True)
        ]
        if not len(uses[0]) == len(uses[1]) == 1:
            return
        inside = [links.clause(side, uses[side][0].span.start) for side in (0, 1)]
        counts = np.zeros((2, 2), dtype=int)
        for i, k in links.anchors:
            counts[int(i in inside[0]), int(k in inside[1])] += 1
        crossed, kept = counts[0, 1] + counts[1, 0], counts[0, 0] + counts[1, 1]
        if min(counts[0, 1], counts[1, 0]) >= CROSSED and kept < KEPT * crossed:
            clauses = [links.words(side, inside[side]) for side in (0, 1)]
            yield PassageDifference(DifferenceKind.ORDER, (clauses[0],), (clauses[1],))

    def _opposed(self, texts: _Texts) -> Iterator[PassageDifference]:
        """Yield a difference if one side has "before" and the other "after", or "may" and
        "must".
        """
        for one, other in _OPPOSITES:
            more, fewer = (
                left - right for left, right in (self._counts(texts, n) for n in (one, other))
            )
            if more * fewer < 0:
                words = ((one,), (other,)) if more > 0 else ((other,), (one,))
                yield PassageDifference(DifferenceKind.CONDITIONS, *words)

    def _counts(self, texts: _Texts, name: str) -> tuple[int, int]:
        """Return how often either side has a word of the group ``name``."""
        left, right = (
            len(words[name].findall(words["idle"].sub(" ", text)))
            for words, text in zip(self._words, texts, strict=True)
        )
        return left, right

    def is_even(self, texts: _Texts) -> bool:
        """Return whether both sides have equally many words for may, must, not and only,
        alternatives and brackets.
        """
        return all(left == right for left, right in (self._counts(texts, name) for name in _EVEN))

    def _denied(self, texts: _Texts) -> tuple[int, int]:
        """Return how many clauses of either side have a negation; "never no" counts once."""
        left, right = (
            sum(
                bool(words["not"].search(clause))
                for clause in _ENDS.split(words["idle"].sub(" ", text))
            )
            for words, text in zip(self._words, texts, strict=True)
        )
        return left, right

    def denials(self, texts: _Texts) -> Iterator[PassageDifference]:
        """Yield a difference if one side has a negation and the other no word that may be one."""
        counts = self._denied(texts)
        for side in (0, 1):
            other, words = texts[1 - side], self._words[1 - side]
            if (
                counts[side] % 2  # "not valid if nothing …" is "valid if anything …"
                and not counts[1 - side]
                and not words["excepting"].search(other)
                and not any(text.endswith("?") for text in texts)
            ):
                alone = [("not",), ()]
                yield PassageDifference(DifferenceKind.CONDITIONS, alone[side], alone[1 - side])

    def _lost(self, links: _Links, side: int) -> Iterator[str]:
        """Yield the items of enumerations on a side that the other lacks: "or confused"."""
        counts = [sum(t.text.casefold() in _JOINERS for t in own) for own in links.tokens]
        if counts[side] <= counts[1 - side]:
            return
        tokens, text = links.tokens[side], links.texts[side]
        for joiner, before, behind in self._items(links, side):
            part = text[tokens[before].start : tokens[behind].end]
            alike = tokens[before].text[:1].isupper() == tokens[behind].text[:1].isupper()
            if (
                alike
                and links.missed[side][behind]
                and links.linked[side][before]
                and not (_ENDS.search(part) or _VERB.fullmatch(tokens[behind].text))
                and not self._conditions[side].find(part)  # "and all"
            ):
                yield text[tokens[joiner].start : tokens[behind].end]

    def _items(self, links: _Links, side: int) -> Iterator[tuple[int, int, int]]:
        """Yield the index of each "and" or "or" of a side, and the indices of the word before it
        and of the first content word after it.
        """
        tokens = links.tokens[side]
        for joiner, token in enumerate(tokens):
            if token.text.casefold() in _JOINERS:
                behind = joiner + 1
                while behind < len(tokens) and tokens[behind].text.casefold() in self._small[side]:
                    behind += 1
                if 0 < joiner < behind < len(tokens) and behind - joiner <= ITEM + 1:
                    yield joiner, joiner - 1, behind


class _Links:
    """The words of two ``texts`` and the links between translations; ``strength``, shape (words of
    the left, words of the right), says from 0 to 1 how sure each link is.
    """

    def __init__(self, texts: _Texts, aligner: SentenceAligner):
        self.texts = texts
        self.tokens = [normalization.tokenize(text) for text in texts]
        left, right = ([token.text for token in side] for side in self.tokens)
        self.strength, self.missed = aligner.links(left, right)
        found = self.strength >= FOUND
        self.linked = [np.asarray(found.any(axis=axis)) for axis in (1, 0)]
        alone = found & (found.sum(axis=0) == 1) & (found.sum(axis=1) == 1)[:, None]
        # Words that surely translate each other, by which the others are located.
        self.anchors = [(int(i), int(k)) for i, k in np.argwhere(alone)]

    def is_exchanged(self, left: _Places, right: _Places) -> bool:
        """Return whether two words of the left, judged by the words around them, fit the places
        ``right`` better in reverse order; also True if there are too few words to judge.
        """
        anchors = [(i, k) for i, k in self.anchors if i not in left and k not in right]
        if len(anchors) < FEWEST:
            return True
        here, there = np.array(anchors).T
        found = []
        for place in left:
            near = np.exp(-np.abs(here - place) / NEAR) * self.strength[here, there]
            found.append(float(near @ there / near.sum()))
        in_order = abs(found[0] - right[0]) + abs(found[1] - right[1])
        return in_order < abs(found[0] - right[1]) + abs(found[1] - right[0])

    def is_listed(self, side: int, places: _Places) -> bool:
        """Return whether two words of a side are in the same enumeration."""
        first, last = (self.tokens[side][place] for place in places)
        between = self.texts[side][first.end : last.start]
        *items, rest = _SEPARATOR.split(between)
        most = 2 if _AND.search(between) else 1
        return (
            bool(items)
            and len(rest.split()) <= most
            and all(len(item.split()) <= ITEM for item in items)
        )

    def words(self, side: int, places: range) -> str:
        """Return the words of a side at ``places``, as printed."""
        tokens = self.tokens[side]
        return self.texts[side][tokens[places[0]].start : tokens[places[-1]].end]

    def clause(self, side: int, start: int) -> range:
        """Return the range of words of a side from offset ``start`` to the next comma or full
        stop.
        """
        end = _ENDS.search(self.texts[side], start)
        last = end.start() if end else len(self.texts[side])
        inside = [n for n, t in enumerate(self.tokens[side]) if start <= t.start < last]
        return range(inside[0], inside[-1] + 1) if inside else range(0)
