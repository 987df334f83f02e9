"""Find references by rule number (single, in ranges, with titles), and references by name in change
logs and lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.languages import any_of
from corpus.model import Correction, Entry, Kind, Passage, Role, Rulebook, Span
from corpus.titles import key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.heading_lookup import HeadingLookup
from glossary.references.numbers import NumberLookup, NumberMatch
from glossary.references.resolved import corrections_by_line, make_reference

_NUMBER = re.compile(
    r"(?<![\w.,+])(?<![^\W\d][-–])([0-9]{1,2}(?:\.[0-9]{1,3}){0,5})"
    r"(?![\w%€])(?!\.?[0-9])(?!,[0-9])(?![ \t]?(?:cm|mm|x)\b)"
)
_CUE = re.compile(rf"\b{any_of('references.section', 'references.rule')}\s+$", re.IGNORECASE)
_SEE = re.compile(
    rf"\b{any_of('references.see', 'references.compare')}(?:\s+{any_of('references.also')})?:?\s+$",
    re.IGNORECASE,
)
_VERSION = re.compile(rf"\b{any_of('labels.version', 'labels.edition')}\W{{1,3}}$", re.IGNORECASE)
_TO = re.compile(rf"\.?\s*(?:[-–]|{any_of('references.until')})\s*", re.IGNORECASE)
_JOINED = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_AND = re.compile(rf"\.?\s*(?:,|/|{_JOINED})\s*", re.IGNORECASE)
_TITLE = re.compile(r"(?P<sign>[.,:]?)\s+[*_]{0,3}[„“\"«»](?P<title>[^„“”\"«»\n]{1,100})[“”\"«»]")
_ITEM = re.compile(
    r"[-–•*▪ \t]*+[*_]{0,3}+(?P<name>[^:*_\n]{1,80}?)[*_]{0,3}+\s*+(?::|(?<=\s)[–-]\s)"
)
_LABEL = re.compile(
    rf"[-–•*_( \t]*{any_of('references.see')}"
    rf"(?P<also>[*_\s]+{any_of('references.also')})?\b[*_\s:]*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(rf"\b{any_of('sections.glossary')}\b", re.IGNORECASE)
_LINK = 40  # most characters between two numbers that belong together


@dataclass(frozen=True, slots=True)
class _PrintedNumber:
    """A printed number that is a reference; ``span`` includes the title printed after it."""

    span: Span
    number: str
    kind: ReferenceKind
    title: str | None


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> list[Reference]:
    """Return all references of a numbered rulebook, resolved, except in tables of contents and a
    rule's own number.
    """
    finder = _RuleNumberFinder(rulebook)
    return [
        reference
        for passage in rulebook.passages
        if passage.role is not Role.LISTING
        for reference in finder.find(passage)
    ]


class _RuleNumberFinder:
    """Finds the references in the passages of one rulebook."""

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._text = rulebook.document.text
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._numbers = NumberLookup(rulebook)
        self._corrections = corrections_by_line(rulebook)
        self._glossaries = {
            e.parent for e in rulebook.entries if e.kind in (Kind.TERM, Kind.REDIRECT)
        }

    @cached_property
    def _headings(self) -> HeadingLookup:
        return HeadingLookup(self._rulebook)

    def find(self, passage: Passage) -> Iterator[Reference]:
        yield from self._by_number(passage)
        entry = self._entries[passage.entry]
        if passage.role is Role.SEE:
            yield from self._listed_names(passage)
        elif (
            passage.depth == 1
            and entry.kind is Kind.SECTION
            and entry.id not in self._glossaries
            and _GLOSSARY.search(entry.heading)
        ):
            # Items of a change log about the glossary begin with the name of a glossary entry.
            item = _ITEM.match(self._text, *passage.spans[0])
            if item is not None and item["name"].strip():
                kind = ReferenceKind.INLINE
                yield self._named(passage, item.start("name"), item["name"], kind)

    def _by_number(self, passage: Passage) -> Iterator[Reference]:
        entry = self._entries[passage.entry]
        own = entry.number if entry.kind is Kind.RULE and passage.ordinal == 0 else None
        for span in passage.spans:
            printed = self._printed_numbers(span, own)
            own = None
            matches = [self._resolved(number, entry) for number in printed]
            for index, (number, match) in enumerate(zip(printed, matches, strict=True)):
                if (
                    number.kind is ReferenceKind.RANGE
                    and match.problem is None
                    and index + 1 < len(printed)
                    and (end := printed[index + 1]).kind is ReferenceKind.RANGE
                ):
                    match = (
                        self._numbers.range_start(number.number, end.number, matches[index + 1])
                        or match
                    )
                raw = self._text[number.span.start : number.span.end]
                yield make_reference(
                    self._rulebook, entry.id, number.span, raw, number.kind, *match
                )

    def _printed_numbers(self, span: Span, own: str | None) -> list[_PrintedNumber]:
        """Return the numbers in ``span`` that are references; ``own``, the rule's number at its
        start, is left out.
        """
        text = self._text
        numbers: list[_PrintedNumber] = []
        cued = False
        for match in _NUMBER.finditer(text, span.start, span.end):
            number = match[1]
            if own == number and not re.search(r"\w", text[span.start : match.start()]):
                own = None
                continue
            before = text[max(span.start, match.start() - 40) : match.start()]
            link = "?"
            if numbers and match.start() - numbers[-1].span.end < _LINK:
                link = text[numbers[-1].span.end : match.start()]
            ranged = _TO.fullmatch(link) is not None
            joined = ranged or _AND.fullmatch(link) is not None
            cued = _CUE.search(before) is not None or (
                cued and joined and numbers[-1].number.count(".") == number.count(".")
            )
            see = _SEE.search(before) is not None
            title = self._quoted_title(match, span.end, cued or see)
            if not self._is_reference(number, before, cued, see, title is not None):
                continue
            kind = ReferenceKind.RANGE if ranged else ReferenceKind.INLINE
            if ranged:
                numbers[-1] = replace(numbers[-1], kind=kind)
            stop = title.end() if title else match.end()
            words = title["title"].strip("*_ ") if title else None
            numbers.append(_PrintedNumber(Span(match.start(), stop), number, kind, words))
        return numbers

    def _quoted_title(self, number: re.Match[str], end: int, cued: bool) -> re.Match[str] | None:
        """Return the quoted title directly after a number, or None if there is none or the
        quotation belongs to the sentence.
        """
        match = _TITLE.match(self._text, number.end(), end)
        if match is None or (match["sign"] == "," and (cued or "." in number[1])):
            return match
        known = key(match["title"]) in self._numbers.numbers_by_title
        return match if known or (cued and not match["sign"]) else None

    def _is_reference(self, number: str, before: str, cued: bool, see: bool, titled: bool) -> bool:
        """Return whether ``number`` is a reference: after a word like "section" (``cued``) or
        "see", before a title, or by its format.
        """
        if _VERSION.search(before):
            return False
        known = number in self._numbers.ids
        if "." not in number:
            return (cued or (titled and see)) and (known or titled)
        return number.count(".") > 1 or cued or titled or see or known

    def _resolved(self, number: _PrintedNumber, entry: Entry) -> NumberMatch:
        line = self._rulebook.document.line_at(number.span.start)
        raw = self._text[number.span.start : number.span.end]
        for correction in self._corrections.get(line, ()):
            if correction.printed in (number.number, raw):
                return self._corrected(correction)
        return self._numbers.find(number.number, number.title, entry.number or "")

    def _corrected(self, correction: Correction) -> NumberMatch:
        if correction.meant is None:
            return NumberMatch(None, ReferenceProblem.OUTSIDE)
        target = self._numbers.ids.get(str(correction.meant))
        if target is None and (match := self._headings.strict(str(correction.meant))) is not None:
            target = match.entry
        return NumberMatch(
            target, ReferenceProblem.WRONG_NUMBER if target else ReferenceProblem.MISSING
        )

    def _listed_names(self, passage: Passage) -> Iterator[Reference]:
        for start, end in passage.spans:
            label = _LABEL.match(self._text, start, end)
            kind = ReferenceKind.SEE_ALSO if label and label["also"] else ReferenceKind.SEE
            first = label.end() if label else start
            for item in re.finditer(r"[^,;\n]+", self._text[first:end]):
                if not _NUMBER.search(item.group()) and key(item.group()):
                    yield self._named(passage, first + item.start(), item.group(), kind)

    def _named(self, passage: Passage, offset: int, printed: str, kind: ReferenceKind) -> Reference:
        name = printed.strip(" .*_()\t\n")
        start = offset + printed.find(name)
        span = Span(start, start + len(name))
        match = self._by_name(name, self._rulebook.document.line_at(start))
        return make_reference(self._rulebook, passage.entry, span, name, kind, *match)

    def _by_name(self, name: str, line: int) -> NumberMatch:
        for correction in self._corrections.get(line, ()):
            if correction.printed == name:
                found = self._corrected(correction)
                return (
                    NumberMatch(found.target, ReferenceProblem.TITLE_DIFFERS)
                    if found.target
                    else found
                )
        match = self._headings.find(name)
        if match is None:
            return NumberMatch(None, ReferenceProblem.MISSING)
        return NumberMatch(match.entry, ReferenceProblem.AMBIGUOUS if match.others else None)
