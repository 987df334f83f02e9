"""Finds references by name: "Siehe auch: Ziel, Zone" below an entry, "(Vedi: Zona)" in the text,
appendices, "siehe unten".
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from corpus.display import display
from corpus.languages import any_of
from corpus.layouts import LAYOUTS
from corpus.model import Correction, Entry, Fault, Passage, Role, Rulebook, Span
from corpus.versions import version_key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.heading_lookup import (
    LONGEST,
    SURE,
    HeadingLookup,
    MatchKind,
    bare,
    plain,
    stems,
)

_SEE, _ALSO = any_of("references.see"), any_of("references.also")
_LABEL = re.compile(rf"(?<!\w){_SEE}(\s+{_ALSO})?[*_]*[ \t]*:[*_]*\s*", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"\(\s*[*_]*({_SEE}(?:\s+{_ALSO})?)[*_]*\s+((?:[^\s():]|[ \t](?!\s)|\([^()\n]{{1,60}}\)){{1,120}})\)",
    re.IGNORECASE,
)
_SEE_WORD = re.compile(_SEE, re.IGNORECASE)
_DIRECTION = re.compile(any_of("references.above", "references.below"), re.IGNORECASE)
_ABOVE = re.compile(any_of("references.above"), re.IGNORECASE)
_QUOTED = re.compile(
    rf"\b{any_of('references.section', 'references.entry')}\s+([\"„“«”][^\"„“«”»\n]{{2,100}}[\"“”»])",
    re.IGNORECASE,
)
_APPENDIX = re.compile(rf"\b{any_of('sections.appendix')}\s+[IVXLC]+\b")
MAX_NAME_WORDS = (
    6  # words of a name in running text that is not a heading; a longer one is a sentence
)
SURE_OR_NAMED = SURE | {MatchKind.NAMED}
_SIGNS = " \t\n*_"
_STRONG = re.compile(r"\*{2,3}")


@dataclass(frozen=True, slots=True)
class _PrintedName:
    """A name in a passage that is a reference; ``start`` and ``end`` are offsets into the text of
    the passage.
    """

    start: int
    end: int
    kind: ReferenceKind


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> list[Reference]:
    """All references by name in the text and the lists of ``rulebook``, resolved.

    If ``rulebook`` is an excerpt, names that it does not contain are looked up in the newest whole
    rulebook of the same game and language among ``rulebooks``.
    """
    resolver = _Resolver(rulebook, rulebooks)
    references = []
    for passage in rulebook.passages:
        if passage.role in (Role.TEXT, Role.SEE):
            offsets = DocumentOffsets(passage)
            for name in _names(passage, resolver):
                reference = resolver.reference(passage, name, offsets)
                if not (
                    reference.problem is ReferenceProblem.MISSING
                    and passage.role is Role.TEXT
                    and len(reference.raw.split()) > MAX_NAME_WORDS
                ):
                    references.append(reference)
    return references


class DocumentOffsets:
    """Converts offsets into the text of a passage to offsets into its document."""

    def __init__(self, passage: Passage):
        self._starts, self._spans = [], passage.spans
        at = 0
        for start, end in passage.spans:
            self._starts.append(at)
            at += end - start + 1

    def __call__(self, offset: int) -> int:
        """The offset into the document of the character at ``offset`` in the text of the
        passage.
        """
        number = bisect.bisect_right(self._starts, offset) - 1
        return self._spans[number].start + offset - self._starts[number]


def _names(passage: Passage, resolver: _Resolver) -> Iterator[_PrintedName]:
    """The names in ``passage`` that are references, in order."""
    text, taken = passage.text, 0
    for label in _LABEL.finditer(text):
        if label.start() < taken:
            continue
        end = _list_end(passage, label)
        in_line = text[text.rfind("\n", 0, label.start()) + 1 : label.start()].strip(_SIGNS)
        kind = (
            ReferenceKind.INLINE
            if in_line
            else ReferenceKind.SEE_ALSO
            if label.group(1)
            else ReferenceKind.SEE
        )
        yield from _names_in_text(text, taken, label.start(), resolver)
        for start, stop in _items(text, label.end(), end, resolver):
            yield _PrintedName(start, stop, kind)
        taken = end
    yield from _names_in_text(text, taken, len(text), resolver)


def _names_in_text(text: str, start: int, end: int, resolver: _Resolver) -> Iterator[_PrintedName]:
    """The references without a colon between offsets ``start`` and ``end``: "(siehe unten)", quoted
    headings, appendices.
    """
    spans: list[tuple[int, int]] = []
    for match in _IN_BRACKETS.finditer(text, start, end):
        if _DIRECTION.fullmatch(match.group(2).strip(_SIGNS)):
            spans.append(match.span(1)[:1] + match.span(2)[1:])
        elif resolver.is_certain(match.group(2)) or (
            match.group(2)[0] in '"„“«”' and resolver.is_near(match.group(2))
        ):
            spans.append(match.span(2))
    for match in _QUOTED.finditer(text, start, end):
        if resolver.is_certain(match.group(1)):
            spans.append(match.span(1))
    spans += [match.span() for match in _APPENDIX.finditer(text, start, end)]
    last = start
    for a, b in sorted(spans):
        if a >= last:
            yield _PrintedName(*_trimmed(text, a, b), ReferenceKind.INLINE)
            last = b


def _list_end(passage: Passage, label: re.Match[str]) -> int:
    """The offset where the list after ``label`` ends: its closing bracket, else the end of its
    line, or of a passage that is a list.
    """
    text = passage.text
    line = text.find("\n", label.end())
    line = len(text) if line < 0 else line
    if text[: label.start()].rstrip(_SIGNS).endswith("("):
        depth = 1
        for at in range(label.end(), line):
            depth += (text[at] == "(") - (text[at] == ")")
            if not depth:
                return at
        return line
    following = _LABEL.search(text, label.end())
    if passage.role is Role.SEE:
        return following.start() if following else len(text)
    while line < len(text) and text[label.end() : line].rstrip(_SIGNS).endswith(","):
        after = text.find("\n", line + 1)
        line = len(text) if after < 0 else after
    return min(line, following.start()) if following else line


def _items(text: str, start: int, end: int, resolver: _Resolver) -> Iterator[tuple[int, int]]:
    """The spans of the names in a list, divided at commas outside brackets, and where a comma is
    missing.
    """
    cuts = [start, *_commas(text, start, end), end]
    pieces = [(a + (n > 0), b) for n, (a, b) in enumerate(pairwise(cuts))]
    at = 0
    while at < len(pieces):
        for several in (3, 2, 1):  # a heading with commas is one name
            a, b = _trimmed(text, pieces[at][0], pieces[min(at + several, len(pieces)) - 1][1])
            if several == 1 or resolver.is_heading(text[a:b]):
                break
        at += several
        if a < b <= a + 2 * LONGEST and any(c.isalpha() for c in text[a:b]):
            yield from _split_missing_comma(text, a, b, resolver)


def _commas(text: str, start: int, end: int) -> list[int]:
    """The offsets of commas and semicolons outside brackets; a bracket that is never closed is
    ignored.
    """
    opened: list[tuple[int, int]] = []
    commas: list[int] = []
    for at in range(start, end):
        sign = text[at]
        if sign == "(":
            opened.append((at, len(commas)))
        elif sign == ")" and opened:
            del commas[opened.pop()[1] :]
        elif sign in ",;":
            commas.append(at)
    return commas


def _split_missing_comma(
    text: str, start: int, end: int, resolver: _Resolver
) -> Iterator[tuple[int, int]]:
    """The span of the name, or of two names if the comma between them is missing or printed as a
    full stop.
    """
    if not resolver.is_certain(text[start:end]):
        for blank in re.finditer(r"[.,;]?\s+", text[start:end]):
            left, right = (
                _trimmed(text, start, start + blank.start()),
                _trimmed(text, start + blank.end(), end),
            )
            if resolver.is_name(text[left[0] : left[1]]) and resolver.is_name(
                text[right[0] : right[1]]
            ):
                yield from (left, right)
                return
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space and Markdown signs at its ends, and without the full stop at the
    end of a list.
    """
    while start < end and text[start] in _SIGNS:
        start += 1
    while end > start and text[end - 1] in _SIGNS + ".,;":
        end -= 1
    return start, end


def _raw(printed: str) -> str:
    """``printed`` without signs of strong emphasis, with single spaces."""
    return " ".join(_STRONG.sub("", printed).split())


class _Resolution(NamedTuple):
    """What a name refers to: the fields with the same names in `Reference`."""

    target: str | None
    problem: ReferenceProblem | None = None
    meant: str | None = None


class _Resolver:
    """Resolves the names in one rulebook, by its corrections and headings; for excerpts, also by
    the headings of another edition.
    """

    def __init__(self, rulebook: Rulebook, rulebooks: Sequence[Rulebook]):
        self._rulebook = rulebook
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._headings = HeadingLookup(rulebook)
        self._other_edition: HeadingLookup | None = None
        self._excerpt = LAYOUTS[rulebook.edition.layout].excerpt
        if self._excerpt:
            other = _newest_rulebook(rulebook, rulebooks)
            self._other_edition = HeadingLookup(other) if other else None
        self._corrections: dict[tuple[int, str], Correction] = {
            (line, _raw(c.printed)): c
            for c in rulebook.edition.corrections
            if c.fault is Fault.REFERENCE and c.fits(rulebook.document)
            for line in range(c.line, c.through + 1)
        }

    def _lookups(self) -> Iterator[HeadingLookup]:
        yield self._headings
        if self._other_edition is not None:
            yield self._other_edition

    def is_certain(self, printed: str) -> bool:
        """Whether ``printed`` is the name of an entry, possibly inflected."""
        return any(
            (m := lookup.find(display(_raw(printed)))) and m.how in SURE_OR_NAMED
            for lookup in self._lookups()
        )

    def is_near(self, printed: str) -> bool:
        """Whether ``printed`` is similar to the name of an entry."""
        return any(lookup.find(display(_raw(printed))) for lookup in self._lookups())

    def is_name(self, printed: str) -> bool:
        """Whether ``printed`` is a heading or one of the names in a heading."""
        return any(lookup.strict(display(_raw(printed))) for lookup in self._lookups())

    def is_heading(self, printed: str) -> bool:
        """Whether ``printed`` is a whole heading."""
        return any(
            (m := lookup.strict(display(_raw(printed)))) and m.how is MatchKind.EXACT
            for lookup in self._lookups()
        )

    def reference(
        self, passage: Passage, name: _PrintedName, offsets: DocumentOffsets
    ) -> Reference:
        """The reference that ``name`` in ``passage`` is."""
        span = Span(offsets(name.start), offsets(name.end - 1) + 1)
        printed = passage.text[name.start : name.end]
        raw, line = _raw(printed), self._rulebook.document.line_at(span.start)
        if _DIRECTION.search(raw) and _SEE_WORD.match(raw):
            resolved = _Resolution(self._above_or_below(passage, name, span))
        else:
            resolved = self._resolve(
                display(raw), self._corrections.get((line, raw)), self._entries[passage.entry]
            )
        return Reference(
            entry=passage.entry,
            line=line,
            raw=raw,
            span=span,
            kind=name.kind,
            target=resolved.target,
            problem=resolved.problem,
            meant=resolved.meant,
        )

    def _resolve(self, name: str, correction: Correction | None, entry: Entry) -> _Resolution:
        """What ``name``, printed in ``entry``, refers to."""
        if correction is not None:
            return self._corrected(name, correction)
        match = (
            self._headings.find(name) if self._other_edition is None else self._headings.sure(name)
        )
        if match is None and self._excerpt:
            other = self._other_edition.find(name) if self._other_edition else None
            return _Resolution(
                other.entry if other and other.how is not MatchKind.SPELLING else None,
                ReferenceProblem.OUTSIDE,
            )
        if match is None:
            return _Resolution(None, ReferenceProblem.MISSING)
        if match.others:
            chosen = self._by_qualifier([match.entry, *match.others], entry)
            return (
                _Resolution(chosen)
                if chosen
                else _Resolution(match.entry, ReferenceProblem.AMBIGUOUS, match.entry)
            )
        if match.how in (MatchKind.NAMED, MatchKind.NEAREST, MatchKind.SPELLING):
            return _Resolution(match.entry, ReferenceProblem.TITLE_DIFFERS, match.entry)
        return _Resolution(match.entry)

    def _corrected(self, name: str, correction: Correction) -> _Resolution:
        """What ``name`` refers to according to ``correction``."""
        if correction.meant is None:
            return _Resolution(None, ReferenceProblem.OUTSIDE)
        meant = self._headings.strict(str(correction.meant)) or self._headings.sure(
            str(correction.meant)
        )
        if meant is None:
            return _Resolution(None, ReferenceProblem.MISSING)
        regular = self._headings.sure(name)
        several = (
            regular is not None
            and bool(regular.others)
            and meant.entry in (regular.entry, *regular.others)
        )
        return _Resolution(
            meant.entry,
            ReferenceProblem.AMBIGUOUS if several else ReferenceProblem.TITLE_DIFFERS,
            meant.entry,
        )

    def _by_qualifier(self, candidates: list[str], entry: Entry) -> str | None:
        """The candidate with the name of the referring ``entry`` as qualifier: in KEYWORD, "Range"
        means RANGE (KEYWORD).
        """
        language = self._rulebook.edition.language
        own_names = {stems(bare(name[:LONGEST]), language) for name in (entry.heading, entry.title)}
        fitting = [
            candidate
            for candidate in candidates
            if any(
                stems(inside, language) in own_names
                for inside in re.findall(r"\(([^()]*)\)", plain(self._entries[candidate].heading))
            )
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _above_or_below(self, passage: Passage, name: _PrintedName, span: Span) -> str:
        """What "siehe unten" means: the part of the entry that is named in the words before, else
        the entry itself.
        """
        language = self._rulebook.edition.language
        before = f" {stems(passage.text[max(0, name.start - 160) : name.start], language)} "
        below = not _ABOVE.search(passage.text, name.start, name.end)
        best, last = passage.entry, -1
        for entry in self._rulebook.entries:
            if entry.parent == passage.entry and (entry.spans[0].start > span.start) == below:
                at = before.rfind(f" {stems(entry.title[:LONGEST], language)} ")
                if at > last:
                    best, last = entry.id, at
        return best


def _newest_rulebook(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> Rulebook | None:
    """The newest whole rulebook of the same game and language; None if there is none."""
    edition = rulebook.edition
    fitting = [
        other
        for other in rulebooks
        if (other.edition.game, other.edition.language) == (edition.game, edition.language)
        and not LAYOUTS[other.edition.layout].excerpt
    ]
    return max(fitting, key=lambda other: version_key(other.edition.version), default=None)
