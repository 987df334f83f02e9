"""Find text that is printed twice: a paragraph word for word, or so similar that one of the two
must be an older version.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz.distance import Indel

from corpus.display import display
from corpus.languages import words_of
from corpus.layouts.layout import SEE
from corpus.model import Entry, Kind, Rulebook
from corpus.titles import key
from glossary.check.model import Certainty, Finding, FindingKind, Reason, Why, because, report
from glossary.check.text import OPENING, TextUnit, text_units
from glossary.model import Reference
from glossary.references.heading_lookup import stems

LEAST = 12  # words; a shorter text is often the same by chance
SAME_PLACE = 8  # words that are enough within one entry
ALIKE = 0.85
BESIDE, SURE = 0.8, 0.89  # for two paragraphs in succession that begin alike
_RUN = 4  # words in succession that two texts must share to be compared
_COMMON = 6  # a run of words in more texts than this is a phrase of the game
_CALL = re.compile(
    rf"(?:(?<![*_])[*_]++)?(?:\([*_]*+)?\b{SEE}\b[*_]*+:?.{{0,120}}?\)(?:\s|$)|\b{SEE}:.*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"^[-•➤▶✦»>\s]+")
_NUMBER = re.compile(r"^\W*(?:\d{1,2}|[a-h])[.)]+\s+")
_FEW = 8  # words by which two wordings may differ
_AGAINST = words_of("spelling.opposites")

_Text = TypeVar("_Text", str, tuple[str, ...])
_Changes = list[tuple[tuple[str, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class _RepeatCandidate:
    """A paragraph or item as words, without list number, leading name and bracketed references."""

    unit: TextUnit
    line: int
    entry: Entry
    words: tuple[str, ...]
    number: str  # its list number
    names: frozenset[str]  # entries that it names at its beginning or refers to


def find_repeats(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield the second of two passages with the same text, or nearly the same. A list and the entry
    that it summarises may have the same text.
    """
    texts = list(_texts(rulebook, references))
    reported: set[int] = set()
    for one, other in sorted(_candidates(texts)):
        first, second = texts[one], texts[other]
        if other in reported:
            continue
        judged = _judge(first, second, rulebook.edition.language, other == one + 1)
        for stray, home in ((first, second), (second, first)):
            if _is_stray(stray, home, texts):
                second, term = stray, home.entry.title
                why = because(Why.SAME_TEXT_OF_TERM, quoted=term, line=home.line)
                judged = Certainty.LIKELY, why
        if judged is not None:
            reported.add(other)
            certainty, why = judged
            printed = _SIGN.sub("", display(second.unit.text))
            yield report(
                rulebook, second.line, FindingKind.PRINTED_TWICE, why, printed, certainty=certainty
            )


def _texts(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[_RepeatCandidate]:
    entries = {entry.id: entry for entry in rulebook.entries}
    headings = {
        key(entry.heading): entry.id for entry in rulebook.entries if entry.kind is Kind.TERM
    }
    longest = min(max((name.count(" ") + 1 for name in headings), default=0), 6)
    named: dict[int, set[str]] = defaultdict(set)
    for reference in references:
        if reference.target is not None:
            named[reference.line].add(reference.target)
    for unit in text_units(rulebook):
        entry = entries[unit.passage.entry]
        if entry.kind is Kind.ERRATUM:
            continue  # cards have the same wording by design
        shown = _SIGN.sub("", display(unit.text))
        number = _NUMBER.match(shown)
        words = key(_CALL.sub(" ", shown[number.end() if number else 0 :])).split()
        first, last = (rulebook.document.line_at(unit.place(at)) for at in (0, len(unit.text) - 1))
        names = set().union(*(named.get(line, ()) for line in range(first, last + 1)))
        for many in range(longest, 0, -1):
            if (
                (name := headings.get(" ".join(words[:many]), ""))
                and len(words) > many + SAME_PLACE
                and name != entry.id
            ):
                names, words = names | {name}, words[many:]
                break
        if len(words) >= SAME_PLACE:
            yield _RepeatCandidate(
                unit, first, entry, tuple(words), number.group() if number else "", frozenset(names)
            )


def _candidates(texts: Sequence[_RepeatCandidate]) -> set[tuple[int, int]]:
    """Return the pairs of texts that share enough shingles of words."""
    runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        for run in {text.words[at : at + _RUN] for at in range(len(text.words) - _RUN + 1)}:
            runs[run].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in runs.values():
        if 1 < len(numbers) <= _COMMON:
            shared.update((a, b) for at, a in enumerate(numbers) for b in numbers[at + 1 :])
    return {
        pair
        for pair, count in shared.items()
        if 4 * count >= min(len(texts[n].words) for n in pair)
    }


def _judge(
    one: _RepeatCandidate, other: _RepeatCandidate, language: str, adjacent: bool
) -> tuple[Certainty, tuple[Reason, ...]] | None:
    """Return how certain it is that ``one`` and ``other`` are an unintended repetition, and what
    they share; None if both may be intended.
    """
    together = one.entry.id == other.entry.id
    topic = other.entry.id in one.names or one.entry.id in other.names
    if one.number and other.number:
        return None  # steps and legends repeat themselves
    if one.words == other.words:
        if together:
            return Certainty.LIKELY, because(Why.SAME_TEXT_IN_ENTRY, line=one.line)
        return (
            (Certainty.POSSIBLE, because(Why.SAME_TEXT, line=one.line))
            if len(one.words) >= LEAST and not topic
            else None
        )
    if min(len(one.words), len(other.words)) < LEAST:
        return None
    alike = Indel.normalized_similarity(one.words, other.words)
    changed = differing_parts(one.words, other.words)
    why = because(Why.NEARLY_SAME_TEXT, line=one.line)
    if words := _describe(changed):
        why = because(Why.NEARLY_SAME_TEXT_WITH, line=one.line, words=words)
    if (
        together
        and adjacent
        and not (one.unit.is_item or other.unit.is_item)
        and alike >= BESIDE
        and one.words[:3] == other.words[:3]
    ):
        if alike >= SURE or len(changed) == 1:
            return Certainty.POSSIBLE, why
    elif (
        alike >= ALIKE
        and sum(len(a) + len(b) for a, b in changed) <= _FEW
        and not _contrast(changed, language)
    ):
        return (Certainty.LIKELY if together else Certainty.POSSIBLE), why
    return None


def _is_stray(
    stray: _RepeatCandidate, home: _RepeatCandidate, texts: Sequence[_RepeatCandidate]
) -> bool:
    """Return whether ``stray``, which has the text of ``home``, belongs to the entry of ``home``:
    its own entry also has this text about its own term.
    """
    mine, theirs = (
        tuple(name for part in re.split(r"[,/]", each.entry.title) if len(name := key(part)) > 3)
        for each in (stray, home)
    )
    if stray.words != home.words or stray.entry.id == home.entry.id:
        return False
    for each in texts:
        if each.entry.id == stray.entry.id:
            changed = differing_parts(each.words, stray.words)
            a, b = ([w for place in changed for w in place[side]] for side in (0, 1))
            ours = all(word.startswith(mine) for word in a)
            if a and b and ours and all(word.startswith(theirs) for word in b):
                return True
    return False


def differing_parts(one: _Text, other: _Text) -> list[tuple[_Text, _Text]]:
    """Return the parts in which two texts, as letters or as words, differ, in order."""
    found = []
    before_a = before_b = 0
    for block in Indel.opcodes(one, other).as_matching_blocks():
        a, b = one[before_a : block.a], other[before_b : block.b]
        if a or b:
            found.append((a, b))
        before_a, before_b = block.a + block.size, block.b + block.size
    return found


def _contrast(changed: _Changes, language: str) -> bool:
    """Return whether two texts are about different things: each has content words that the other
    lacks, or only one has a negation.
    """
    everywhere = tuple(tuple(word for place in changed for word in place[side]) for side in (0, 1))
    if (set(everywhere[0]) & _AGAINST) != (set(everywhere[1]) & _AGAINST):
        return True
    for place in (*changed, everywhere):
        a, b = (
            {stems(w, language) for w in words if w not in OPENING and (len(w) > 2 or w.isdigit())}
            for words in place
        )
        if a - b and b - a:
            return True
    return False


def _describe(changed: _Changes) -> str:
    """Return some of the words in which two texts differ."""
    places = [
        f"{' '.join(a) or '–'} / {' '.join(b) or '–'}" for a, b in changed if len(a) + len(b) <= 6
    ][:2]
    return "; ".join(places)
