"""Find references by name: "Siehe auch: Ziel, Zone" below an entry, "(Vedi: Zona)" in the text,
appendices, "siehe unten".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.display import display
from corpus.languages import any_of
from corpus.layouts import LAYOUTS
from corpus.model import Correction, Entry, Passage, Role, Rulebook, Span, version_key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.heading_lookup import (
    LONGEST,
    SURE,
    HeadingLookup,
    HeadingMatch,
    MatchKind,
    bare,
    plain,
    stems,
)
from glossary.references.resolved import DocumentOffsets, corrections_by_line, make_reference

_SEE, _ALSO = any_of("references.see"), any_of("references.also")
_LABEL = re.compile(rf"(?<!\w){_SEE}(\s+{_ALSO})?[*_]*[ \t]*:[*_]*\s*", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"\(\s*[*_]*({_SEE}(?:\s+{_ALSO})?)[*_]*\s+"
    r"((?:[^\s():]|[ \t](?!\s)|\([^()\n]{1,60}\)){1,120})\)",
    re.IGNORECASE,
)
_SEE_WORD = re.compile(_SEE, re.IGNORECASE)
_DIRECTION = re.compile(any_of("references.above", "references.below"), re.IGNORECASE)
_ABOVE = re.compile(any_of("references.above"), re.IGNORECASE)
_QUOTED = re.compile(
    rf"\b{any_of('references.section', 'references.entry')}\s+"
    r"([\"„“«”][^\"„“«”»\n]{2,100}[\"“”»])",
    re.IGNORECASE,
)
_APPENDIX = re.compile(rf"\b{any_of('sections.appendix')}\s+[IVXLC]+\b")
MAX_NAME_WORDS = 6  # of an unknown name in running text; a longer one is a sentence
SURE_OR_NAMED = SURE | {MatchKind.NAMED}
_SIGNS = " \t\n*_"
_STRONG = re.compile(r"\*{2,3}")

_Place = tuple[int, int]  # offsets into the text of a passage
_Resolved = tuple[str | None, ReferenceProblem | None]  # target and problem of a reference


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> list[Reference]:
    """Return all references by name in the text and the lists of ``rulebook``, resolved.

    If it is an excerpt, names that it does not contain are looked up in the newest whole rulebook
    of the same game and language among ``rulebooks``.
    """
    resolver = _Resolver(rulebook, rulebooks)
    references = []
    for passage in rulebook.passages:
        if passage.role not in (Role.TEXT, Role.SEE):
            continue
        offsets = DocumentOffsets(passage)
        for place, kind in _names(passage, resolver):
            span = offsets.span(*place)
            raw = _raw(passage.text[slice(*place)])
            target, problem = resolver.resolve(passage, place, span, raw)
            if not (
                problem is ReferenceProblem.MISSING
                and passage.role is Role.TEXT
                and len(raw.split()) > MAX_NAME_WORDS
            ):
                references.append(
                    make_reference(rulebook, passage.entry, span, raw, kind, target, problem)
                )
    return references


def _names(passage: Passage, resolver: _Resolver) -> Iterator[tuple[_Place, ReferenceKind]]:
    """Yield the offsets and kinds of the names in ``passage`` that are references, in order."""
    text, taken = passage.text, 0
    for label in _LABEL.finditer(text):
        if label.start() < taken:
            continue
        end = _list_end(passage, label)
        kind = ReferenceKind.SEE_ALSO if label[1] else ReferenceKind.SEE
        if text[text.rfind("\n", 0, label.start()) + 1 : label.start()].strip(_SIGNS):
            kind = ReferenceKind.INLINE
        for place in _names_in_text(text, taken, label.start(), resolver):
            yield place, ReferenceKind.INLINE
        for place in _items(text, label.end(), end, resolver):
            yield place, kind
        taken = end
    for place in _names_in_text(text, taken, len(text), resolver):
        yield place, ReferenceKind.INLINE


def _names_in_text(text: str, start: int, end: int, resolver: _Resolver) -> Iterator[_Place]:
    """Yield the offsets of references without a colon between ``start`` and ``end``: "(siehe
    unten)", quoted headings, appendices.
    """
    spans: list[_Place] = []
    for match in _IN_BRACKETS.finditer(text, start, end):
        if _DIRECTION.fullmatch(match[2].strip(_SIGNS)):
            spans.append((match.start(1), match.end(2)))
        elif resolver.is_certain(match[2]) or (
            match[2][0] in '"„“«”' and resolver.is_near(match[2])
        ):
            spans.append(match.span(2))
    for match in _QUOTED.finditer(text, start, end):
        if resolver.is_certain(match[1]):
            spans.append(match.span(1))
    spans += [match.span() for match in _APPENDIX.finditer(text, start, end)]
    last = start
    for first, stop in sorted(spans):
        if first >= last:
            yield _trimmed(text, first, stop)
            last = stop


def _list_end(passage: Passage, label: re.Match[str]) -> int:
    """Return the end of the list after ``label``: its closing bracket, or the end of the line, or,
    in a passage of references, of the passage.
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


def _items(text: str, start: int, end: int, resolver: _Resolver) -> Iterator[_Place]:
    """Yield the offsets of names in a list, split at commas outside brackets and missing commas."""
    opened: list[int] = []  # the number of commas before each open bracket
    commas: list[int] = []
    for at in range(start, end):
        if text[at] == "(":
            opened.append(len(commas))
        elif text[at] == ")" and opened:
            del commas[opened.pop() :]
        elif text[at] in ",;":
            commas.append(at)
    pieces = [(a + (n > 0), b) for n, (a, b) in enumerate(pairwise([start, *commas, end]))]
    at = 0
    while at < len(pieces):
        for several in (3, 2, 1):  # a heading with commas is one name
            a, b = _trimmed(text, pieces[at][0], pieces[min(at + several, len(pieces)) - 1][1])
            if several == 1 or resolver.is_heading(text[a:b]):
                break
        at += several
        if a < b <= a + 2 * LONGEST and any(c.isalpha() for c in text[a:b]):
            yield from _split_missing_comma(text, a, b, resolver)


def _split_missing_comma(text: str, start: int, end: int, resolver: _Resolver) -> Iterator[_Place]:
    """Yield the offsets of the name, or of two names if the comma between them is missing or
    printed as a full stop.
    """
    if not resolver.is_certain(text[start:end]):
        for blank in re.finditer(r"[.,;]?\s+", text[start:end]):
            both = (
                _trimmed(text, start, start + blank.start()),
                _trimmed(text, start + blank.end(), end),
            )
            if all(resolver.is_name(text[slice(*place)]) for place in both):
                yield from both
                return
    yield start, end


def _trimmed(text: str, start: int, end: int) -> _Place:
    """Return the offsets without white space and Markdown markup at both ends, and without final
    punctuation.
    """
    while start < end and text[start] in _SIGNS:
        start += 1
    while end > start and text[end - 1] in _SIGNS + ".,;":
        end -= 1
    return start, end


def _raw(printed: str) -> str:
    """Return ``printed`` without Markdown bold, with single spaces."""
    return " ".join(_STRONG.sub("", printed).split())


class _Resolver:
    """Resolves the names in one rulebook by its corrections and headings; for an excerpt, also by
    the headings of a whole rulebook.
    """

    def __init__(self, rulebook: Rulebook, rulebooks: Sequence[Rulebook]):
        self._rulebook = rulebook
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._headings = HeadingLookup(rulebook)
        self._excerpt = LAYOUTS[rulebook.edition.layout].excerpt
        edition = rulebook.edition
        whole = [
            other
            for other in rulebooks
            if (other.edition.game, other.edition.language) == (edition.game, edition.language)
            and not LAYOUTS[other.edition.layout].excerpt
        ]
        self._lookups = [self._headings]  # for an excerpt, also the newest whole rulebook
        if self._excerpt and whole:
            newest = max(whole, key=lambda other: version_key(other.edition.version))
            self._lookups.append(HeadingLookup(newest))
        self._corrections = corrections_by_line(rulebook)

    def _found(self, printed: str) -> Iterator[HeadingMatch]:
        name = display(_raw(printed))
        return (match for lookup in self._lookups if (match := lookup.find(name)))

    def _found_strictly(self, printed: str) -> Iterator[HeadingMatch]:
        name = display(_raw(printed))
        return (match for lookup in self._lookups if (match := lookup.strict(name)))

    def is_certain(self, printed: str) -> bool:
        """Return whether ``printed`` is the name of an entry, possibly inflected."""
        return any(match.how in SURE_OR_NAMED for match in self._found(printed))

    def is_near(self, printed: str) -> bool:
        """Return whether ``printed`` is similar to the name of an entry."""
        return any(self._found(printed))

    def is_name(self, printed: str) -> bool:
        """Return whether ``printed`` is a heading or one of the names in a heading."""
        return any(self._found_strictly(printed))

    def is_heading(self, printed: str) -> bool:
        """Return whether ``printed`` is a whole heading."""
        return any(match.how is MatchKind.EXACT for match in self._found_strictly(printed))

    def resolve(self, passage: Passage, place: _Place, span: Span, raw: str) -> _Resolved:
        """Return the target and the problem of the name ``raw``, at ``place`` in ``passage``."""
        if _DIRECTION.search(raw) and _SEE_WORD.match(raw):
            return self._above_or_below(passage, place, span), None
        name = display(raw)
        line = self._rulebook.document.line_at(span.start)
        corrections = self._corrections.get(line, ())
        if fitting := [each for each in corrections if _raw(each.printed) == raw]:
            return self._corrected(name, fitting[-1])
        match = self._headings.find(name) if len(self._lookups) == 1 else self._headings.sure(name)
        if match is None and self._excerpt:
            other = self._lookups[1].find(name) if len(self._lookups) > 1 else None
            near = other and other.how is not MatchKind.SPELLING
            return other.entry if other and near else None, ReferenceProblem.OUTSIDE
        if match is None:
            return None, ReferenceProblem.MISSING
        if match.others:
            chosen = self._by_qualifier([match.entry, *match.others], self._entries[passage.entry])
            return (chosen, None) if chosen else (match.entry, ReferenceProblem.AMBIGUOUS)
        if match.how in (MatchKind.NAMED, MatchKind.NEAREST, MatchKind.SPELLING):
            return match.entry, ReferenceProblem.TITLE_DIFFERS
        return match.entry, None

    def _corrected(self, name: str, correction: Correction) -> _Resolved:
        if correction.meant is None:
            return None, ReferenceProblem.OUTSIDE
        title = str(correction.meant)
        meant = self._headings.strict(title) or self._headings.sure(title)
        if meant is None:
            return None, ReferenceProblem.MISSING
        regular = self._headings.sure(name)
        if regular and regular.others and meant.entry in (regular.entry, *regular.others):
            return meant.entry, ReferenceProblem.AMBIGUOUS
        return meant.entry, ReferenceProblem.TITLE_DIFFERS

    def _by_qualifier(self, candidates: list[str], entry: Entry) -> str | None:
        """Return the candidate whose qualifier is the name of the referring ``entry``: in KEYWORD,
        "Range" means RANGE (KEYWORD).
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

    def _above_or_below(self, passage: Passage, place: _Place, span: Span) -> str:
        """Return the target of "siehe unten": the part of the entry named by the words before, or
        else the entry itself.
        """
        language = self._rulebook.edition.language
        before = f" {stems(passage.text[max(0, place[0] - 160) : place[0]], language)} "
        below = not _ABOVE.search(passage.text, *place)
        best, last = passage.entry, -1
        for entry in self._rulebook.entries:
            if entry.parent == passage.entry and (entry.spans[0].start > span.start) == below:
                at = before.rfind(f" {stems(entry.title[:LONGEST], language)} ")
                if at > last:
                    best, last = entry.id, at
        return best
