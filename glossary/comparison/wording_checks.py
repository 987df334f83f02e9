"""Check wording as translation tools do: one sentence translated in several ways, punctuation at
the end of paragraphs, double blanks, forbidden words, and patterns of the owner.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import regex
from pydantic import AfterValidator, Field, TypeAdapter

from corpus import data_files
from corpus.languages import LANGUAGES
from corpus.model import Passage
from corpus.workspace import CHECKS
from glossary import normalization
from glossary.comparison.hints import DifferenceKind, HintEvidence, PassageDifference
from glossary.comparison.model import AlignedPassages, EditionComparison, EntryPair, Segment

_LOG = logging.getLogger(__name__)
_SECONDS = 0.25  # that a pattern of the owner may take for one text
_LONGEST = 500  # characters of such a pattern
_FEWEST = 4  # words of a sentence that should always be translated alike
_STYLE = 3  # rows of an entry without full stops: then it has none on purpose
_SENTENCE = (
    6  # words of a paragraph's end that is a sentence: "Siehe: Ende der Spielerphase" is none
)
_CLOSING = "\"“”„»«›‹'’*_ \n"
_SENTENCE_ENDS = ".!?"
_LAST = re.compile(r"(?<=[.:!?;])\s|\n")
_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"(?<=\S)[ \u00a0]{2,}(?=\S)")


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"no language {code!r}; languages are: {', '.join(LANGUAGES)}")
    return code


def _pattern(text: str) -> str:
    try:
        regex.compile(text)
    except regex.error as fault:
        raise ValueError(f"no regular expression: {fault}") from fault
    return text


_Language = Annotated[str, AfterValidator(_language)]
_Pattern = Annotated[str, Field(min_length=1, max_length=_LONGEST), AfterValidator(_pattern)]


class OwnerChecks(data_files.Fields):
    """The checks that the owner of a game has defined.

    ``forbidden`` are words not to be used, by language. ``patterns`` are regular expressions by
    name, then by language. A pattern for a single language must not match; a pattern for several
    languages that matches on one side must match on the other side too.
    """

    forbidden: dict[_Language, list[Annotated[str, Field(min_length=1)]]] = Field(
        default_factory=dict
    )
    patterns: dict[str, dict[_Language, _Pattern]] = Field(default_factory=dict)


_FILE = TypeAdapter(OwnerChecks)
_NONE = OwnerChecks()


def owner_checks(home: Path | None, game: str, strict: bool = True) -> OwnerChecks:
    """Load `checks/<game>.yaml` from the workspace ``home``; empty if there is no such file.

    Raises `DataFileError` if the file is faulty; without ``strict``, logs that instead.
    """
    path = home / CHECKS / f"{game}.yaml" if home else None
    try:
        return data_files.load(path, _FILE) if path and path.is_file() else _NONE
    except data_files.DataFileError as fault:
        if strict:
            raise
        _LOG.warning("%s; the checks in it are left out", fault)
        return _NONE


def with_wording_checks(comparison: EditionComparison, own: OwnerChecks) -> EditionComparison:
    """Return ``comparison`` with the results of the checks added to the differences of its rows:
    likely ones to ``differences``, others to ``doubtful``.
    """
    languages = comparison.left.language, comparison.right.language
    search = _OwnerSearch(own, languages)
    renderings = _other_renderings(comparison)
    pairs = []
    for pair in comparison.pairs:
        ends = {} if comparison.same_language else _unlike_ends(pair)
        rows = []
        for row in pair.rows:
            found = [*search.find(row), *ends.get(id(row), ()), *_double_blanks(row)]
            found += [each for s in row.segments for each in renderings.get(s.id, ())]
            rows.append(_with(row, found))
        pairs.append(replace(pair, rows=tuple(rows)))
    return replace(comparison, pairs=tuple(pairs))


def _with(row: AlignedPassages, found: Iterable[PassageDifference]) -> AlignedPassages:
    new = list(dict.fromkeys(found))
    return replace(
        row,
        differences=(*row.differences, *(each for each in new if not each.doubtful)),
        doubtful=(*row.doubtful, *(each for each in new if each.doubtful)),
    )


def _difference(
    kind: DifferenceKind, side: int, evidence: Sequence[HintEvidence], doubtful: bool
) -> PassageDifference:
    """Return the difference that the ``evidence`` on one ``side`` shows."""
    own = tuple(evidence)
    values = tuple(dict.fromkeys(each.value for each in own))
    if side == 0:
        return PassageDifference(kind, values, (), doubtful, (own, ()))
    return PassageDifference(kind, (), values, doubtful, ((), own))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _other_renderings(comparison: EditionComparison) -> Mapping[str, list[PassageDifference]]:
    """Return differences by segment id, for segments with one text on one side and several on the
    other; each difference quotes another rendering.
    """
    found: dict[str, list[PassageDifference]] = defaultdict(list)
    segments = [segment for segment in comparison.segments if segment.aligned]
    for side in (0, 1):
        same: dict[str, list[Segment]] = defaultdict(list)
        for segment in segments:
            if (said := _words(segment.texts[side])).count(" ") + 1 >= _FEWEST:
                same[said].append(segment)
        for group in same.values():
            for segment in group:
                others = {_words(s.texts[1 - side]): s for s in group}
                others.pop(_words(segment.texts[1 - side]), None)
                for other in others.values():
                    evidence = [_place(other, 1 - side)]
                    # Doubtful: the two sides of a row may well say the same.
                    found[segment.id].append(
                        _difference(DifferenceKind.RENDERINGS, 1 - side, evidence, True)
                    )
    return found


def _place(segment: Segment, side: int) -> HintEvidence:
    text, passage = segment.texts[side], segment.passages[side][0]
    start = max(passage.display.find(text), 0)
    end = start + len(text) if passage.display.startswith(text, start) else len(passage.display)
    return HintEvidence(text, passage.display[start:end], passage.id, start, end)


def _unlike_ends(pair: EntryPair) -> Mapping[int, list[PassageDifference]]:
    """Return differences by the `id` of rows of ``pair``, for last paragraphs that end with
    different punctuation, or without a full stop on one side.
    """
    ends = {id(row): _ends(row) for row in pair.rows if row.left and row.right}
    bare = Counter(side for signs in ends.values() for side in (0, 1) if not signs[side])
    found = {}
    for row, signs in ends.items():
        if signs[0] != signs[1] and ")" not in signs:
            doubtful = all(signs) or any(bare[n] >= _STYLE for n in (0, 1) if not signs[n])
            left, right = ((sign,) if sign else () for sign in signs)
            kind = DifferenceKind.PUNCTUATION
            found[row] = [PassageDifference(kind, left, right, doubtful)]
    return found


def _ends(row: AlignedPassages) -> tuple[str, str]:
    """Return the punctuation at the end of both sides: "" for a sentence without any, ")" if it
    need not have any, may have it inside, or introduces a list.
    """
    signs = []
    for text in row.texts:
        bare = text.rstrip(_CLOSING)
        last = _LAST.split(bare)[-1]
        short = len(_WORD.findall(last)) < _SENTENCE
        sign = bare[-1:]
        signs.append(
            sign if sign in _SENTENCE_ENDS else "" if sign.isalpha() and not short else ")"
        )
    return signs[0], signs[1]


def _double_blanks(row: AlignedPassages) -> Iterator[PassageDifference]:
    """Yield the words around two consecutive blanks, which may stand for a lost icon."""
    for side, passages in enumerate((row.left, row.right)):
        words = []
        for passage in passages:
            for match in _BLANKS.finditer(passage.text):
                before = passage.text[: match.start()].split()[-1]
                words.append(f"{before}\u2423\u2423{passage.text[match.end() :].split()[0]}")
        if words:
            left, right = [() if n != side else tuple(words) for n in (0, 1)]
            yield PassageDifference(DifferenceKind.PUNCTUATION, left, right, doubtful=True)


class _OwnerSearch:
    """Runs the owner's checks in two languages."""

    def __init__(self, own: OwnerChecks, languages: tuple[str, str]):
        self._languages = languages
        self._forbidden = [
            {
                tuple(normalization.stem(t.text, code) for t in normalization.tokenize(word)): word
                for word in own.forbidden.get(code, ())
            }
            for code in languages
        ]
        self._patterns = {
            name: [regex.compile(by[code]) if code in by else None for code in languages]
            for name, by in own.patterns.items()
        }
        self._single = {name for name, by in own.patterns.items() if len(by) == 1}

    def find(self, row: AlignedPassages) -> Iterator[PassageDifference]:
        """Yield the matches in ``row``; an inflected form of a forbidden word is doubtful."""
        sides = row.left, row.right
        for side, passages in enumerate(sides):
            uses = [use for p in passages for use in self._forbidden_words(p, side)]
            for doubtful in (False, True):
                evidence = [u for u in uses if (u.value.casefold() != _flat(u.words)) is doubtful]
                if evidence:
                    yield _difference(DifferenceKind.FORBIDDEN, side, evidence, doubtful)
        for name, by_side in list(self._patterns.items()):
            matches = [self._matches(name, side, sides[side]) for side in (0, 1)]
            facing = all(by_side) and all(sides)
            for side in (0, 1):
                if matches[side] and (name in self._single or (facing and not matches[1 - side])):
                    yield _difference(DifferenceKind.PATTERNS, side, matches[side], False)

    def _forbidden_words(self, passage: Passage, side: int) -> Iterator[HintEvidence]:
        if not self._forbidden[side]:
            return
        tokens = normalization.tokenize(passage.display)
        stems = [normalization.stem(token.text, self._languages[side]) for token in tokens]
        for sought, word in self._forbidden[side].items():
            for at in range(len(stems) - len(sought) + 1):
                if tuple(stems[at : at + len(sought)]) == sought:
                    start, end = tokens[at].start, tokens[at + len(sought) - 1].end
                    words = passage.display[start:end]
                    yield HintEvidence(word, words, passage.id, start, end)

    def _matches(self, name: str, side: int, passages: Sequence[Passage]) -> list[HintEvidence]:
        """Return the matches of a pattern; a pattern that takes too long is dropped from then
        on.
        """
        found = []
        for passage in passages:
            pattern = self._patterns.get(name, (None, None))[side]
            try:
                for match in pattern.finditer(passage.display, timeout=_SECONDS) if pattern else ():
                    if words := match.group():
                        named = f"{name}: {_flat(words, keep=True)}"
                        found.append(HintEvidence(named, words, passage.id, *match.span()))
            except TimeoutError:
                _LOG.warning("the pattern %r takes too long and is left out", name)
                del self._patterns[name]
                return []
        return found


def _flat(text: str, keep: bool = False) -> str:
    flat = " ".join(text.split())
    return flat if keep else flat.casefold()
