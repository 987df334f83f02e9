"""Finds references by rule number, alone, in ranges and with titles, and references by name in
change logs and lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.languages import any_of
from corpus.model import Correction, Entry, Fault, Kind, Passage, Role, Rulebook, Span
from corpus.titles import key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.heading_lookup import HeadingLookup
from glossary.references.number_lookup import NumberLookup, NumberMatch

_NUMBER = re.compile(
    r"(?<![\w.,+])(?<![^\W\d][-–])([0-9]{1,2}(?:\.[0-9]{1,3}){0,5})(?![\w%€])(?!\.?[0-9])(?!,[0-9])(?![ \t]?(?:cm|mm|x)\b)"
)
_CUE = re.compile(rf"\b{any_of('references.section', 'references.rule')}\s+$", re.IGNORECASE)
_SEE = re.compile(
    rf"\b{any_of('references.see', 'references.compare')}(?:\s+{any_of('references.also')})?:?\s+$",
    re.IGNORECASE,
)
_VERSION = re.compile(rf"\b{any_of('labels.version', 'labels.edition')}\W{{1,3}}$", re.IGNORECASE)
_TO = re.compile(rf"\.?\s*(?:[-–]|{any_of('references.until')})\s*", re.IGNORECASE)
_AND = re.compile(
    rf"\.?\s*(?:,|/|{any_of('sentences.conjunctions', 'sentences.alternatives', 'sentences.further')})\s*",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?P<sign>[.,:]?)\s+[*_]{0,3}[„“\"«»](?P<title>[^„“”\"«»\n]{1,100})[“”\"«»]")
_ITEM = re.compile(
    r"[-–•*▪ \t]*+[*_]{0,3}+(?P<name>[^:*_\n]{1,80}?)[*_]{0,3}+\s*+(?::|(?<=\s)[–-]\s)"
)
_LABEL = re.compile(
    rf"[-–•*_( \t]*{any_of('references.see')}(?P<also>[*_\s]+{any_of('references.also')})?\b[*_\s:]*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(rf"\b{any_of('sections.glossary')}\b", re.IGNORECASE)
_LINK = 40  # characters, at most, between two numbers that belong together


@dataclass(frozen=True, slots=True)
class _PrintedNumber:
    """A printed number that is a reference, with the title printed behind it; ``title_end`` is the
    offset where both end.
    """

    span: Span
    number: str
    kind: ReferenceKind
    title: str | None
    title_end: int


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> list[Reference]:
    """All references of a numbered rulebook, resolved; not those in contents tables, nor the number
    that a rule begins with.
    """
    finder = _RuleNumberFinder(rulebook)
    references: list[Reference] = []
    for passage in rulebook.passages:
        if passage.role is Role.LISTING:
            continue
        references += finder.numbers(passage)
        if passage.role is Role.SEE:
            references += finder.listed_names(passage)
        elif finder.lists_changed_terms(passage):
            references += finder.changed_terms(passage)
    return references


class _RuleNumberFinder:
    """Finds the references in the passages of one rulebook."""

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._text = rulebook.document.text
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._numbers = NumberLookup(rulebook)
        self._corrections: dict[int, list[Correction]] = {}
        for correction in rulebook.edition.corrections:
            if correction.fault is Fault.REFERENCE and correction.fits(rulebook.document):
                for line in range(correction.line, correction.through + 1):
                    self._corrections.setdefault(line, []).append(correction)
        self._glossaries = {
            e.parent for e in rulebook.entries if e.kind in (Kind.TERM, Kind.REDIRECT)
        }

    @cached_property
    def _headings(self) -> HeadingLookup:
        return HeadingLookup(self._rulebook)

    def numbers(self, passage: Passage) -> Iterator[Reference]:
        """The references by number in ``passage``."""
        entry = self._entries[passage.entry]
        own = entry.number if entry.kind is Kind.RULE and passage.ordinal == 0 else None
        for span in passage.spans:
            printed = list(self._printed_numbers(span, own))
            own = None
            matches = [self._resolved(number, entry) for number in printed]
            for index, (number, match) in enumerate(zip(printed, matches, strict=True)):
                following = matches[index + 1] if index + 1 < len(matches) else None
                if (
                    number.kind is ReferenceKind.RANGE
                    and following is not None
                    and match.problem is None
                ):
                    end = printed[index + 1]
                    if end.kind is ReferenceKind.RANGE:
                        match = (
                            self._numbers.range_start(number.number, end.number, following) or match
                        )
                yield self._reference(entry, number, match)

    def _printed_numbers(self, span: Span, own: str | None) -> Iterator[_PrintedNumber]:
        """The numbers in ``span`` that are references; not ``own``, the number that the rule itself
        begins with.
        """
        text, end = self._text, span.end
        numbers: list[_PrintedNumber] = []
        cued = False
        for match in _NUMBER.finditer(text, span.start, end):
            number = match.group(1)
            if own == number and not re.search(r"\w", text[span.start : match.start()]):
                own = None
                continue
            before = text[max(span.start, match.start() - 40) : match.start()]
            link = (
                text[numbers[-1].title_end : match.start()]
                if numbers and match.start() - numbers[-1].title_end < _LINK
                else "?"
            )
            ranged = _TO.fullmatch(link) is not None
            joined = ranged or _AND.fullmatch(link) is not None
            cued = _CUE.search(before) is not None or (
                cued and joined and numbers[-1].number.count(".") == number.count(".")
            )
            title = self._quoted_title(match, end, cued or _SEE.search(before) is not None)
            if not self._is_reference(number, before, cued, title):
                continue
            kind = ReferenceKind.RANGE if ranged else ReferenceKind.INLINE
            if ranged:
                numbers[-1] = replace(numbers[-1], kind=kind)
            stop = title.end() if title else match.end()
            numbers.append(
                _PrintedNumber(
                    span=Span(match.start(), stop),
                    number=number,
                    kind=kind,
                    title=title.group("title").strip("*_ ") if title else None,
                    title_end=stop,
                )
            )
        yield from numbers

    def _quoted_title(self, number: re.Match[str], end: int, cued: bool) -> re.Match[str] | None:
        """The quoted title directly behind a number; None if there is none, or if the quotation is
        the next word of the sentence.
        """
        match = _TITLE.match(self._text, number.end(), end)
        if match is None or (match.group("sign") == "," and (cued or "." in number.group(1))):
            return match
        return (
            match
            if self._numbers.has_title(match.group("title")) or (cued and not match.group("sign"))
            else None
        )

    def _is_reference(
        self, number: str, before: str, cued: bool, title: re.Match[str] | None
    ) -> bool:
        """Whether ``number`` is a reference, by the text ``before`` it and the ``title`` behind it.
        ``cued``: after "Abschnitt" etc.
        """
        depth = number.count(".")
        if _VERSION.search(before):
            return False
        if depth == 0:
            return (cued or (title is not None and _SEE.search(before) is not None)) and (
                number in self._numbers or title is not None
            )
        return (
            depth > 1
            or cued
            or title is not None
            or _SEE.search(before) is not None
            or number in self._numbers
        )

    def _resolved(self, number: _PrintedNumber, entry: Entry) -> NumberMatch:
        line = self._rulebook.document.line_at(number.span.start)
        for correction in self._corrections.get(line, ()):
            if correction.printed in (
                number.number,
                self._text[number.span.start : number.span.end],
            ):
                return self._corrected(correction)
        return self._numbers.find(number.number, number.title, entry.number or "")

    def _corrected(self, correction: Correction) -> NumberMatch:
        if correction.meant is None:
            return NumberMatch(None, ReferenceProblem.OUTSIDE)
        target = self._numbers.get(str(correction.meant))
        if target is None and (match := self._headings.strict(str(correction.meant))) is not None:
            target = match.entry
        return NumberMatch(
            target, ReferenceProblem.WRONG_NUMBER if target else ReferenceProblem.MISSING
        )

    def _reference(self, entry: Entry, number: _PrintedNumber, match: NumberMatch) -> Reference:
        raw = self._text[number.span.start : number.span.end]
        line = self._rulebook.document.line_at(number.span.start)
        return Reference(
            entry=entry.id,
            line=line,
            raw=raw,
            span=number.span,
            kind=number.kind,
            target=match.target,
            problem=match.problem,
            meant=match.target if match.problem else None,
        )

    def lists_changed_terms(self, passage: Passage) -> bool:
        """Whether ``passage`` is an item of a change log about the glossary."""
        entry = self._entries[passage.entry]
        return (
            passage.depth == 1
            and entry.kind is Kind.SECTION
            and entry.id not in self._glossaries
            and bool(_GLOSSARY.search(entry.heading))
        )

    def changed_terms(self, passage: Passage) -> Iterator[Reference]:
        """The reference to the glossary entry that an item of a change log begins with."""
        start, end = passage.spans[0]
        match = _ITEM.match(self._text, start, end)
        if match is not None and match.group("name").strip():
            yield self._named(
                passage, match.start("name"), match.group("name"), ReferenceKind.INLINE
            )

    def listed_names(self, passage: Passage) -> Iterator[Reference]:
        """The references by name in ``passage``, a list of references."""
        for start, end in passage.spans:
            label = _LABEL.match(self._text, start, end)
            kind = ReferenceKind.SEE_ALSO if label and label.group("also") else ReferenceKind.SEE
            for item in re.finditer(r"[^,;\n]+", self._text[label.end() if label else start : end]):
                offset = (label.end() if label else start) + item.start()
                if not _NUMBER.search(item.group()) and key(item.group()):
                    yield self._named(passage, offset, item.group(), kind)

    def _named(self, passage: Passage, offset: int, printed: str, kind: ReferenceKind) -> Reference:
        name = printed.strip(" .*_()\t\n")
        start = offset + printed.find(name)
        line = self._rulebook.document.line_at(start)
        found = self._by_name(name, line)
        return Reference(
            entry=passage.entry,
            line=line,
            raw=name,
            span=Span(start, start + len(name)),
            kind=kind,
            target=found.target,
            problem=found.problem,
            meant=found.target if found.problem else None,
        )

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
