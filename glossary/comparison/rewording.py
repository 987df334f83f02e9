"""What was reworded between two texts of one language, and whether that changed what they say."""

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
    """Words in a row, of which the other text has all or, where ``changed``, none at this place."""

    text: str
    changed: bool


def diff_words(left: str, right: str) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Return both texts cut into runs; the runs of a side joined are its text to the character.

    Words are what white space divides, aligned by `difflib.SequenceMatcher` (quadratic at worst, so
    give it passages, not chapters). They are the same where their letters, figures and icons are:
    other quotation marks, bullets and capitals are no rewording. What stands between words never
    counts as changed and is in the runs between changed ones.
    """
    changed: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for pair in _unequal(left, right):
        for spans, found in zip(pair, changed, strict=True):
            if spans:
                found.append((spans[0][0], spans[-1][1]))
    return _cut(left, changed[0]), _cut(right, changed[1])


def reworded_runs(left: str, right: str) -> list[Rewording]:
    """Return the words of ``left`` and those in their place in ``right``, either of which may be
    none, aligned as in `diff_words`. Words that are only divided otherwise are none of them.
    """
    runs = [
        (tuple(left[a:b] for a, b in here), tuple(right[a:b] for a, b in there))
        for here, there in _unequal(left, right)
    ]
    return [run for run in runs if _content("".join(run[0])) != _content("".join(run[1]))]


def _unequal(
    left: str, right: str
) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """Yield where the words are that the texts do not have in common, those of both sides that
    stand in each other's place together.
    """
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
    """Return the letters, figures and icons of ``word``, whatever their case."""
    return "".join(c for c in word.casefold() if c.isalnum() or is_symbol(c))


def changed_words(left: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the runs of words that only one of two texts has, in order of print, each in one
    line.
    """
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
"""Words of an old text and those in their place in a new one, either of which may be none."""


class SubstanceChange(StrEnum):
    """What may make a reworded passage another rule, in the order of how sure that is."""

    NUMBERS = "numbers"  # other numbers, in figures or words, not counting those of rules and steps
    NEGATION = "negation"  # "not", "without", "before" and the like, more or less often
    CONDITIONS = "conditions"  # "only", "at most", "unless" and the like, more or less often
    TERMS = "terms"  # a term in the place of another, or of none
    ADDED = "added"  # words that are new: a condition, an exception, an alternative, a sentence
    REMOVED = "removed"  # the same of the old text
    ORDER = "order"  # a step stands at another place


def substance_changes(
    old: str,
    new: str,
    language: str,
    terms: Container[str] = frozenset(),
    besides: Container[Rewording] = frozenset(),
) -> tuple[SubstanceChange, ...]:
    """Return what changed in substance between two texts for readers; nothing where words were only
    replaced by about as many others that are no ``terms`` (stems).

    The rewordings ``besides`` do not count: a term that is renamed throughout says nothing new.
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
    elif moved:  # without numbers, only what takes the place of something is another rule
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
    """Return the stems of ``words``, of compounds with a hyphen those of their parts, without
    articles and other small words.
    """
    return [
        normalization.stem(token.text, language)
        for token in normalization.tokenize(_IMAGE.sub(" ", " ".join(words)))
        if token.text.lower() not in _small_words(language)
    ]


@cache
def _small_words(language: str) -> frozenset[str]:
    words = get_language(language)
    small = words.function_words
    return frozenset({*small.in_titles, *small.in_translations, *words.sentences.cannot_end})


@cache
def _conditions(language: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds words that make an exception, set a condition or a limit, in turn."""
    return tuple(
        re.compile(rf"\b{any_of(f'decisive.{kind}', language=language)}\b", re.IGNORECASE)
        for kind in ("exceptions", "conditions", "numbers")
    )


def _is_alternative(words: Words, language: str) -> bool:
    """Return whether ``words`` are one thing of several: "or confused"."""
    joining = any_of("sentences.conjunctions", "sentences.alternatives", language=language)
    return bool(stems(words, language)) and any(
        re.fullmatch(joining, _content(word), re.IGNORECASE) for word in words
    )


def _is_elsewhere(run: Rewording, runs: Iterable[Rewording], language: str) -> bool:
    """Return whether ``run`` is about words that stand at another place than before, also where
    others stand in theirs.
    """
    before, now = (sorted(stems(side, language)) for side in run)
    return bool(before or now) and any(
        [sorted(stems(side, language)) for side in other] == [now, before] for other in runs
    )


def _is_reference(run: Rewording, language: str) -> bool:
    """Return whether ``run`` is nothing but a pointer to another entry that is new or gone."""
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
    """Phrasings tied to a ``passage`` that is not worded as the one they were written for.

    ``old`` is that, None where no document here has it: then only a fingerprint and a sketch are
    known of it, and nobody can say what changed in substance.
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
    """Return the phrasings of ``rulebooks`` to look at: those whose passage changed in substance,
    then those tied by their place alone or without the old text, then those only reworded; each in
    document order.

    Old texts are looked for in ``others``, which may hold the rulebooks themselves. A passage
    divided or joined with its words unchanged is nothing to look at.
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
    """Return whether ``new`` has the words of the ``old`` passage, others too where it is
    ``joined``, some where that is ``divided``.
    """
    if old is None:
        return False
    before, now = (" ".join(text.split()) for text in (old.display, new))
    return (
        content(old.text) == content(new)
        or (joined and before in now)
        or (divided and now in before)
    )
