"""Find what was reworded between two texts of one language, and whether the meaning changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from corpus.languages import any_of, get_language, words_of
from corpus.model import Edition, Passage, Role
from glossary import normalization
from glossary.comparison.numbers import NumberRole, unmatched_numbers
from glossary.model import RulebookView
from glossary.normalization import fold, is_symbol
from glossary.query_variants import attach_query_variants, fingerprint, load_with_sister_editions
from glossary.query_variants.model import AlignmentEvidence, PassageAlignment
from glossary.query_variants.wording import content

_WORD = re.compile(r"\S+")


class TextRun(NamedTuple):
    """Consecutive words that the other text has too or, if ``changed``, lacks at this place."""

    text: str
    changed: bool


def diff_words(left: str, right: str) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Split both texts into runs; the runs of a side joined are its exact text.

    Words are separated by white space and aligned by `difflib.SequenceMatcher` (quadratic at worst,
    so pass passages, not chapters). Words are equal if their letters, figures and icons are:
    different quotation marks, bullets and case are no rewording. White space between words never
    counts as changed and is in the runs between changed ones.
    """
    changed: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for pair in _unequal(left, right):
        for spans, found in zip(pair, changed, strict=True):
            if spans:
                found.append((spans[0][0], spans[-1][1]))
    return _cut(left, changed[0]), _cut(right, changed[1])


def reworded_runs(left: str, right: str) -> list[Rewording]:
    """Return the replaced words of ``left`` with their replacements in ``right``, aligned as in
    `diff_words`; either may be empty. Words that are only split differently do not count.
    """
    runs = [
        (tuple(left[a:b] for a, b in here), tuple(right[a:b] for a, b in there))
        for here, there in _unequal(left, right)
    ]
    return [run for run in runs if _content("".join(run[0])) != _content("".join(run[1]))]


def _unequal(
    left: str, right: str
) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Yield the index ranges, left and right, where the words of the texts differ."""
    here, there = (
        [m.span() for m in _WORD.finditer(text) if _content(m.group())] for text in (left, right)
    )
    words = [
        [_content(text[a:b]) for a, b in spans] for text, spans in ((left, here), (right, there))
    ]
    for kind, a, b, c, d in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        if kind != "equal":
            yield here[a:b], there[c:d]


def _content(word: str) -> str:
    """Return the letters, figures and icons of ``word``, case-folded."""
    return "".join(c for c in word.casefold() if c.isalnum() or is_symbol(c))


def changed_words(left: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the runs of words that only one of two texts has, in order, each in one line."""
    here, there = (
        tuple(" ".join(run.text.split()) for run in runs if run.changed)
        for runs in diff_words(left, right)
    )
    return here, there


def _cut(text: str, changed: list[tuple[int, int]]) -> tuple[TextRun, ...]:
    runs, last = [], 0
    for start, end in changed:
        runs += [TextRun(text[last:start], False), TextRun(text[start:end], True)]
        last = end
    runs.append(TextRun(text[last:], False))
    return tuple(run for run in runs if run.text)


CLAUSE = 4  # words in a row that only one text has, at least, to be a condition or an exception

_DECIDING = words_of("questions.negations") | words_of("spelling.opposites")
_IMAGE = re.compile(r"!\[[^\[\]]*+\]\([^()]*+\)")
_NUMBERED = re.compile(r"\W*+(?:\d{1,2}|[a-z])[.)]$")  # the number of a step

Words = tuple[str, ...]
Rewording = tuple[Words, Words]
"""Words of an old text and the words that replace them in a new one; either may be empty."""


class SubstanceChange(StrEnum):
    """The kinds of change that may alter the meaning of a passage, surest first."""

    NUMBERS = "numbers"  # other numbers, in figures or words, not counting those of rules and steps
    NEGATION = "negation"  # "not", "without", "before" and the like, more or less often
    CONDITIONS = "conditions"  # "only", "at most", "unless" and the like, more or less often
    TERMS = "terms"  # a term replaced, added or removed
    ADDED = "added"  # words that are new: a condition, an exception, an alternative, a sentence
    REMOVED = "removed"  # the same of the old text
    ORDER = "order"  # a step has moved


def substance_changes(
    old: str,
    new: str,
    language: str,
    terms: Container[str] = frozenset(),
    besides: Container[Rewording] = frozenset(),
) -> tuple[SubstanceChange, ...]:
    """Return the changes in substance between two texts for readers; none if words were only
    replaced by about as many others that are no ``terms`` (stems).

    The rewordings ``besides`` do not count: a term that is renamed throughout changes no meaning.
    """
    found = set()
    if _has_other_numbers(old, new, language):
        found.add(SubstanceChange.NUMBERS)
    if _deciding(old) != _deciding(new):
        found.add(SubstanceChange.NEGATION)
    if any(len(said.findall(old)) != len(said.findall(new)) for said in _conditions(language)):
        found.add(SubstanceChange.CONDITIONS)
    runs = [run for run in reworded_runs(old, new) if run not in besides]
    moved = [run for run in runs if _is_elsewhere(run, runs, language)]
    if moved and any(map(_NUMBERED.match, old.split())):
        found.add(SubstanceChange.ORDER)
    elif moved:  # without numbers, moved words matter only if they replace others
        moved = [run for run in moved if not all(run)]
    runs = [run for run in runs if run not in moved and not _is_reference(run, language)]
    for before, now in runs:
        is_label = all(map(_NUMBERED.match, (*before, *now)))
        texts = " ".join(before), " ".join(now)
        if all(texts) and not is_label and _has_other_numbers(*texts, language):
            found.add(SubstanceChange.NUMBERS)
        for kind, more, fewer in (
            (SubstanceChange.ADDED, now, before),
            (SubstanceChange.REMOVED, before, now),
        ):
            if (len(more) >= CLAUSE and len(more) >= 2 * len(fewer)) or (
                more and not fewer and _is_alternative(more, language)
            ):
                found.add(kind)
        named = [[s for s in stems(side, language) if s in terms] for side in (before, now)]
        others = all(named) and not any(
            a.startswith(b) or b.startswith(a) for a in named[0] for b in named[1]
        )
        if others or (any(named) and not (before and now)):
            found.add(SubstanceChange.TERMS)
    return tuple(kind for kind in SubstanceChange if kind in found)


def _has_other_numbers(old: str, new: str, language: str) -> bool:
    return any(
        use.role is NumberRole.STATED
        for side in unmatched_numbers(old, language, new, language).sides
        for use in side
    )


def stems(words: Iterable[str], language: str) -> list[str]:
    """Return the stems of ``words`` without function words; a compound with a hyphen gives the
    stems of its parts.
    """
    return [
        normalization.stem(token.text, language)
        for token in normalization.tokenize(_IMAGE.sub(" ", " ".join(words)))
        if token.text.lower() not in small_words(language)
    ]


@cache
def small_words(language: str) -> frozenset[str]:
    """Return the function words of ``language``, in lower case."""
    words = get_language(language)
    small = words.function_words
    return frozenset({*small.in_titles, *small.in_translations, *words.sentences.cannot_end})


@cache
def _conditions(language: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for words that state an exception, a condition or a limit, in this order."""
    return tuple(
        re.compile(rf"\b{any_of(f'decisive.{kind}', language=language)}\b", re.IGNORECASE)
        for kind in ("exceptions", "conditions", "numbers")
    )


def _is_alternative(words: Words, language: str) -> bool:
    """Return whether ``words`` are one of several alternatives: "or confused"."""
    joining = any_of("sentences.conjunctions", "sentences.alternatives", language=language)
    return bool(stems(words, language)) and any(
        re.fullmatch(joining, _content(word), re.IGNORECASE) for word in words
    )


def _is_elsewhere(run: Rewording, runs: Iterable[Rewording], language: str) -> bool:
    """Return whether the words of ``run`` have only moved to another place in the text, also if
    others have taken their place.
    """
    before, now = (sorted(stems(side, language)) for side in run)
    return bool(before or now) and any(
        [sorted(stems(side, language)) for side in other] == [now, before] for other in runs
    )


def _is_reference(run: Rewording, language: str) -> bool:
    """Return whether ``run`` is only a new or removed reference to another entry."""
    see = any_of("references.see", language=language)
    said = [" ".join(side) for side in run if side]
    return len(said) == 1 and bool(re.match(rf"\W*{see}\b", said[0], re.IGNORECASE))


def _deciding(text: str) -> Counter[str]:
    return Counter(
        word
        for word in (fold(each.strip(".,;:!?()\"'„“”»«")) for each in text.split())
        if word in _DECIDING
    )


_REWORDED = (AlignmentEvidence.SKETCH, AlignmentEvidence.PLACE)


@dataclass(frozen=True)
class ChangedPhrasings:
    """Query variants aligned with a ``passage`` that differs from the one they were written for.

    ``old`` is the old passage, None if no document here has it: then only a fingerprint and a
    sketch of it are known, and changes in substance cannot be told.
    """

    edition: Edition
    passage: Passage
    tie: PassageAlignment
    old: Passage | None

    @property
    def changes(self) -> tuple[SubstanceChange, ...]:
        """What changed in substance, as far as the old text is known."""
        return (
            ()
            if self.old is None
            else substance_changes(self.old.display, self.passage.display, self.edition.language)
        )


def changed_phrasings(
    rulebooks: Iterable[RulebookView], others: Sequence[RulebookView]
) -> list[ChangedPhrasings]:
    """Return the query variants of ``rulebooks`` to review: first those whose passage changed in
    substance, then those aligned by place alone or without the old text, then those only reworded;
    each group in document order.

    Old texts are looked up in ``others``, which may include the rulebooks themselves. A passage
    that was only split or merged needs no review.
    """
    found = [each for rulebook in rulebooks for each in _changed(rulebook, others)]
    return sorted(
        found,
        key=lambda each: (
            0
            if each.changes
            else 1
            if each.old is None or each.tie.evidence is AlignmentEvidence.PLACE
            else 2
        ),
    )


def _changed(rulebook: RulebookView, others: Sequence[RulebookView]) -> Iterator[ChangedPhrasings]:
    edition = rulebook.edition
    here = [
        other
        for other in others
        if (other.edition.game, other.edition.language) == (edition.game, edition.language)
    ]
    old = {fingerprint(p.text): p for other in here for p in other.passages if p.role is Role.TEXT}
    by_id = {passage.id: passage for passage in rulebook.passages}
    tied = attach_query_variants(load_with_sister_editions(edition), rulebook.passages).alignments
    places = Counter(tie.variants.fingerprint for ties in tied.values() for tie in ties)
    for id, ties in tied.items():
        for tie in ties:
            mark = tie.variants.fingerprint
            if tie.evidence in _REWORDED and not _same_words(
                old.get(mark), by_id[id].display, len(ties) > 1, places[mark] > 1
            ):
                yield ChangedPhrasings(edition, by_id[id], tie, old.get(mark))


def _same_words(old: Passage | None, new: str, joined: bool, divided: bool) -> bool:
    """Return whether ``new`` has the same words as the ``old`` passage; if ``joined`` it may have
    more, if ``divided`` fewer.
    """
    if old is None:
        return False
    before, now = (" ".join(text.split()) for text in (old.display, new))
    return (
        content(old.text) == content(new)
        or (joined and before in now)
        or (divided and now in before)
    )
