"""Finds references of every kind in any document: links, numbers of rules, names in lists, in brackets and in the text, quoted titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.languages import any_of
from corpus.model import Fault, Passage, Role, Rulebook, Span
from corpus.versions import version_key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.heading_lookup import SURE, HeadingLookup, HeadingMatch, MatchKind
from glossary.references.link_targets import LinkTargets
from glossary.references.see_lists import DocumentOffsets

_SEE = any_of("references.see", "references.compare")
_ALSO = any_of("references.also")
_PLACE = any_of("references.rule", "references.section", "labels.numbering")
_BETWEEN = any_of("references.between", "references.also", "sentences.all_articles", "references.entry")
_NUMBER = r"\d+(?:\.\d+)*(?:\.?[a-z]{1,2})?(?![\w%]|[.,]\d)"
_CUE = re.compile(
    rf"(?P<place>(?:(?<!\w){_SEE}[ \t\n]*:?\s*(?:{_BETWEEN}\s+)*)?(?:(?<!\w){_PLACE}\s+|§+\s?))(?=\d)"
    rf"|(?<!\w){_SEE}\s*:?\s+(?:{_BETWEEN}\s+)*(?=\d)|\((?=\d+\.\d[\w.]*\))",
    re.IGNORECASE,
)
_ONE = re.compile(_NUMBER, re.IGNORECASE)
_RANGE = re.compile(rf"\s*(?:[-–—]|{any_of('references.until')}\s)\s*(?:{_PLACE}\s+|§+\s?)?(?=\d)", re.IGNORECASE)
_MORE = re.compile(
    rf"\s*(?:,|/|;|(?:,\s*)?{any_of('sentences.conjunctions', 'sentences.alternatives')}\s)\s*(?:{_PLACE}\s+|§+\s?)?(?=\d)", re.IGNORECASE
)
_LIST = re.compile(
    rf"(?:^|(?<=\n)|(?<=\())[^\w\n(]*(?:(?P<see>{_SEE})(?P<also>\s+{_ALSO})?|{any_of('references.related')})[*_\s]*:[*_]*[ \t]*",
    re.IGNORECASE,
)
_INLINE = re.compile(rf"(?<!\w){_SEE}(?P<also>\s+{_ALSO})?(?!\w)[*_]*\s*:?\s*(?:(?:{_BETWEEN}|{_PLACE})\s+)*", re.IGNORECASE)
_QUOTED = re.compile(r"[„“\"«»”]\s?([^„“”\"«»\n]{2,100}?)\s?[“”\"»«]")
_TITLED = re.compile(rf"(?<!\w)(?:{_PLACE}|{any_of('references.entry')})\s+(?=[„“\"«”])", re.IGNORECASE)
_COMMA = re.compile(rf"\s*[,;]\s*|\s+{any_of('sentences.conjunctions', 'sentences.alternatives')}\s+")
_WORD = re.compile(r"\S+")
_SIGNS = " \t\n*_`.,;:"
_MOST_WORDS = 8  # of a name in running text
_SHORTEST = 4  # letters of a name in small letters
_LISTED_WORDS = 6  # of a name that no heading has


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> list[Reference]:
    """All references of ``rulebook``; a name or number that it does not have is looked up in other editions of its game and language."""
    finder = _AnyReferenceFinder(rulebook, rulebooks)
    return [reference for passage in rulebook.passages if passage.role is not Role.LISTING for reference in finder.find(passage)]


@dataclass(frozen=True, slots=True)
class _Printed:
    """A reference in a passage as printed: offsets into its text. ``target`` is set where it is already known."""

    start: int
    end: int
    kind: ReferenceKind
    target: str | None
    problem: ReferenceProblem | None = None


class _EntryFinder:
    """The entries of one rulebook by number and by name."""

    def __init__(self, rulebook: Rulebook):
        named = tuple(replace(e, heading=_unnumbered(e.heading, e.number), title=_unnumbered(e.title, e.number)) for e in rulebook.entries)
        self.headings = HeadingLookup(replace(rulebook, entries=named))
        self.numbers: dict[str, str] = {}
        for entry in rulebook.entries:
            for number in _forms(entry.number) if entry.number else ():
                self.numbers.setdefault(number, entry.id)

    def number(self, printed: str) -> str | None:
        """The entry with the number ``printed``; None if there is none."""
        return next((self.numbers[form] for form in _forms(printed) if form in self.numbers), None)


def _unnumbered(heading: str, number: str | None) -> str:
    """``heading`` without the ``number`` that it begins with, by which nobody calls it: "Boats" for "1. Boats"."""
    if not number or not heading.startswith(number.rstrip(".")):
        return heading
    return heading[len(number.rstrip(".")) :].lstrip(" .:)–—-") or heading


def _forms(number: str) -> tuple[str, ...]:
    """The forms in which ``number`` is looked up: "Art. 5" is 5, "704.5.j" is 704.5j."""
    bare = re.sub(r"^\D+(?=\d)", "", number.lower()).rstrip(".")
    return number.lower(), re.sub(r"\.(?=[a-z]+$)", "", bare)


class _AnyReferenceFinder:
    """Finds the references in the passages of one rulebook."""

    def __init__(self, rulebook: Rulebook, rulebooks: Sequence[Rulebook]):
        self._rulebook = rulebook
        edition = rulebook.edition
        others = [
            other
            for other in rulebooks
            if other is not rulebook
            and other.edition.id != edition.id
            and (other.edition.game, other.edition.language) == (edition.game, edition.language)
        ]
        self._own = _EntryFinder(rulebook)
        self._others = [_EntryFinder(other) for other in sorted(others, key=lambda each: version_key(each.edition.version), reverse=True)]
        self._links = [link for block in rulebook.document.blocks for link in block.links]
        self._targets = LinkTargets(rulebook) if self._links else None
        self._dotted = any("." in number for number in self._own.numbers)
        self._corrections = {
            (line, c.printed): c
            for c in edition.corrections
            if c.fault is Fault.REFERENCE and c.fits(rulebook.document)
            for line in range(c.line, c.through + 1)
        }

    def find(self, passage: Passage) -> Iterator[Reference]:
        """The references in ``passage``."""
        taken: list[tuple[int, int]] = []
        offsets = DocumentOffsets(passage)
        for printed in (*self._linked(passage), *self._numbered(passage.text), *self._named(passage)):
            if printed.start < printed.end and not any(printed.start < end and start < printed.end for start, end in taken):
                taken.append((printed.start, printed.end))
                if printed.target != passage.entry:
                    yield self._reference(passage, printed, offsets)

    def _reference(self, passage: Passage, printed: _Printed, offsets: DocumentOffsets) -> Reference:
        span = Span(offsets(printed.start), offsets(printed.end - 1) + 1)
        raw, line = " ".join(passage.text[printed.start : printed.end].split()), self._rulebook.document.line_at(span.start)
        target, problem, meant = printed.target, printed.problem, printed.target if printed.problem else None
        if (correction := self._corrections.get((line, raw))) is not None:
            match = self._own.headings.sure(str(correction.meant)) if correction.meant is not None else None
            number = self._own.number(str(correction.meant)) if correction.meant is not None else None
            target = meant = number or (match.entry if match else None)
            problem = ReferenceProblem.TITLE_DIFFERS if target else ReferenceProblem.OUTSIDE
        if problem is ReferenceProblem.OUTSIDE:
            meant = None
        return Reference(entry=passage.entry, line=line, raw=raw, span=span, kind=printed.kind, target=target, problem=problem, meant=meant)

    def _linked(self, passage: Passage) -> Iterator[_Printed]:
        """The links in ``passage`` that lead to an entry, or nowhere in the document."""
        if self._targets is None:
            return
        at = 0
        for start, end in passage.spans:
            for link in self._links:
                if start <= link.span.start and link.span.end <= end and not self._targets.leads_out(link):
                    first, last = at + link.span.start - start, at + link.span.end - start
                    text = passage.text[first:last]
                    numbered = _ONE.search(text) if any(c.isdigit() for c in text) else None
                    # A link in a PDF leads to a page only, and its text says which rule there is meant.
                    target = (self._own.number(numbered.group()) if numbered else None) or self._targets.find(link, text)
                    if target is None and (match := self._own.headings.sure(text.strip(_SIGNS))) is not None:
                        target = match.entry
                    if any(c.isalnum() for c in text):
                        missing = None if target else ReferenceProblem.MISSING
                        yield _Printed(first, last, ReferenceKind.INLINE, target, missing)
            at += end - start + 1

    def _numbered(self, text: str) -> Iterator[_Printed]:
        """The numbers after a word for a rule or "see", in brackets, and those that are joined to them."""
        for cue in _CUE.finditer(text):
            at, ranged = cue.end(), False
            while (match := _ONE.match(text, at)) is not None:
                following = _RANGE.match(text, match.end())
                kind = ReferenceKind.RANGE if following or ranged else ReferenceKind.INLINE
                whole = "." not in match.group() and not cue["place"] and re.match(r"\s*(?:[).,;]|$)", text[match.end() :]) is None
                if not whole and (printed := self._number(match, kind, sure=text[cue.start()] == "(")):
                    yield printed
                ranged = following is not None
                if (more := following or _MORE.match(text, match.end())) is None:
                    break
                at = more.end()

    def _number(self, match: re.Match[str], kind: ReferenceKind, sure: bool) -> _Printed | None:
        """The reference that a printed number is; None for a number that may be none."""
        number = match.group()
        if (target := self._own.number(number)) is not None:
            return _Printed(match.start(), match.end(), kind, target)
        for other in self._others:
            if (target := other.number(number)) is not None:
                return _Printed(match.start(), match.end(), kind, target, ReferenceProblem.OUTSIDE)
        if sure or "." not in number or not self._dotted:
            return None
        return _Printed(match.start(), match.end(), kind, None, ReferenceProblem.MISSING)

    def _named(self, passage: Passage) -> Iterator[_Printed]:
        """The names in lists, in quotation marks and behind "see"."""
        text = passage.text
        for label in _LIST.finditer(text):
            kind = ReferenceKind.SEE if label["see"] and not label["also"] else ReferenceKind.SEE_ALSO
            yield from self._listed(text, label.end(), _list_end(passage, label), kind)
        for place in _TITLED.finditer(text):
            if (quoted := _QUOTED.match(text, place.end())) and (printed := self._name(text, *quoted.span(1), ReferenceKind.INLINE)):
                yield printed
        for see in _INLINE.finditer(text):
            kind = ReferenceKind.SEE_ALSO if see["also"] else ReferenceKind.SEE
            at: int | None = see.end()
            while at is not None:
                at_name, at = at, None
                if printed := self._next_name(text, at_name, kind if see.start() == 0 else ReferenceKind.INLINE):
                    yield printed
                    closing = re.compile(r"[*_\s]*[“”\"»«]?").match(text, printed.end)
                    more = _COMMA.match(text, closing.end() if closing else printed.end)
                    at = more.end() if more else None

    def _listed(self, text: str, start: int, end: int, kind: ReferenceKind) -> Iterator[_Printed]:
        """The names in a list; one that no heading has counts only beside one that some heading has."""
        unquoted = _QUOTED.sub(lambda match: "_" * len(match.group()), text[start:end])
        commas = [match.span() for match in re.finditer(r"[,;•]|\n[ \t]*[-*•]?", unquoted)]
        bounds = [0, *(place for span in commas for place in span), end - start]
        spans = [_trimmed(text, start + a, start + b) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
        found = [(span, self._name(text, *span, kind)) for span in spans if span[0] < span[1]]
        for (a, b), printed in found:
            if printed is not None:
                yield printed
            elif any(each for _, each in found) and len(text[a:b].split()) <= _LISTED_WORDS and not text[a:b][0].isdigit():
                yield _Printed(a, b, kind, None, ReferenceProblem.MISSING)

    def _next_name(self, text: str, at: int, kind: ReferenceKind) -> _Printed | None:
        """The name that begins at an offset: in quotation marks, else the most words that are a name together."""
        if quoted := _QUOTED.match(text, at):
            return self._name(text, *quoted.span(1), kind, near=True)
        end = re.compile(r"[.;:()\n]|$").search(text, at)
        stop = end.start() if end else len(text)
        bracket = text[max(0, text.rfind("\n", 0, at)) : at].rfind("(") >= 0
        words = [match for match, _ in zip(_WORD.finditer(text, at, stop), range(_MOST_WORDS), strict=False)]
        if not words or not (bracket or text[at:].lstrip(_SIGNS)[:1].isupper()):
            return None
        for last in reversed(words):
            a, b = _trimmed(text, at, last.end())
            known = a < b and (text[a].isupper() or b - a >= _SHORTEST)
            if known and (printed := self._name(text, a, b, kind)):
                return printed
        return None

    def _name(self, text: str, start: int, end: int, kind: ReferenceKind, near: bool = False) -> _Printed | None:
        """The reference that a name is, also one that is only ``near`` to a heading; None if no heading is like it."""
        name = " ".join(text[start:end].replace("*", "").split())
        if not any(c.isalpha() for c in name):
            return None
        match = self._own.headings.find(name)
        if match is not None and (match.how in SURE or match.how is MatchKind.NAMED or near):
            return _Printed(start, end, kind, match.entry, _problem(match))
        for other in self._others:
            if (match := other.headings.sure(name)) is not None:
                return _Printed(start, end, kind, match.entry, ReferenceProblem.OUTSIDE)
        return None


def _problem(match: HeadingMatch) -> ReferenceProblem | None:
    """What is wrong with a name that matches a heading so."""
    if match.others:
        return ReferenceProblem.AMBIGUOUS
    return None if match.how in SURE else ReferenceProblem.TITLE_DIFFERS


def _list_end(passage: Passage, label: re.Match[str]) -> int:
    """Where the list after ``label`` ends: at its closing bracket, at the end of its line, or of a passage that is a list."""
    text = passage.text
    if text[: label.start()].endswith("(") and (close := text.find(")", label.end())) >= 0:
        return close
    line = text.find("\n", label.end())
    return len(text) if line < 0 or passage.role is Role.SEE else line


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks and signs at its ends."""
    while start < end and text[start] in _SIGNS + '„“"«»”[(':
        start += 1
    while end > start and (text[end - 1] in _SIGNS + '“”"»«]' or (text[end - 1] == ")" and "(" not in text[start:end])):
        end -= 1
    return start, end
