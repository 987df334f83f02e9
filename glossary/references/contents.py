"""References of the dashed layout: the lines of the contents, names of rules in running text, and what corrections point out."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz, process

from corpus.layouts.dashed import contents_key
from corpus.model import Correction, Entry, Fault, Kind, Passage, Role, Rulebook, Span
from corpus.titles import key
from glossary.model import Problem, Reference, ReferenceKind

ALIKE = 85.0  # per cent that a misspelled line of the contents has in common with its section
MISSPELLED = 300  # lines of the contents that are compared letter by letter; a list with more is no list of contents

_ARTICLE = re.compile(r"(?:d(?:er|ie|as|em|en|es)|zur|zum)\s+", re.IGNORECASE)
_ENDING = re.compile(r"(?<=\w{3})(?:ern|en|em|er|es|e|n|s)$")
_QUOTED = re.compile(r"[„“\"»]([^„“”\"»«\n]{1,90})[“”\"«]")
_SEE = re.compile(
    r"\b(?:siehe|vgl\.|vergleiche)(?:\s(?:auch|unter|bei|in|den|Abschnitt|Kapitel))*:?\s+"
    r"|\b(?:Näheres|Genaueres|Weiteres|Einzelheiten|Mehr dazu)\b[^.!?\n„“\"]{0,40}\b(?:bei|unter|in|Abschnitt)\s+",
    re.IGNORECASE,
)
_AND = re.compile(r",?\s+(?:und|oder|sowie)\s+|,\s+")
_STOP = re.compile(r"[.;)\n]")
_HEED = re.compile(r"\(([^()\n]{1,60}) beachten\)")
_NAMED = re.compile(r"\b[Dd](?:as|ie|er|en|em)\s+([A-ZÄÖÜ][\w-]*)")
_SENTENCE = re.compile(r"[^.!?\n]+")
_RULE = re.compile(r"\w{3,}(?:regeln?|verbot|gebot)$")
_AWAY = re.compile(r"https?://[^\s()<>\[\]]{1,200}|-!-[^!\n]{1,40}-!-")


def find(rulebook: Rulebook, shelf: Sequence[Rulebook]) -> list[Reference]:
    """The references of ``rulebook``; all of them stay inside it, so ``shelf`` is of no use here."""
    return _Finder(rulebook).find()


class _Names:
    """Entries by their headings, and which of several of one name is meant."""

    def __init__(self, rulebook: Rulebook):
        self._given = rulebook.edition.names
        self._names = {key(name): heading for name, heading in self._given.items()}
        self._by_key: dict[str, list[Entry]] = defaultdict(list)
        self._by_stems: dict[str, list[Entry]] = defaultdict(list)
        self._terms: dict[str, Entry] = {}
        self._root: dict[str, str] = {}
        self._compared = 0
        for entry in rulebook.entries:
            self._root[entry.id] = self._root.get(entry.parent or "", entry.id)
            for spelling in {key(entry.heading), key(entry.title)}:
                self._by_key[spelling].append(entry)
            self._by_stems[_stems(entry.heading)].append(entry)
            if entry.kind is Kind.TERM:
                self._terms.setdefault(contents_key(entry.heading), entry)

    def named(self, name: str, home: str) -> Entry | None:
        """The entry of exactly that name, seen from the entry ``home``: a section first, then what has a head on a line of
        its own, then what stands in the same section."""
        name = self._names.get(key(name), name)
        found = self._by_key.get(key(name), [])
        return min(found, key=lambda e: (e.kind is not Kind.TERM, not e.heading_spans, not self._near(e, home)), default=None)

    def resolve(self, name: str, home: str) -> Entry | None:
        """The entry meant by ``name`` as it stands in a sentence: with an article, in another case."""
        bare = _ARTICLE.sub("", name.strip('"„“”»« '), count=1)
        found = self.named(bare, home) or self._terms.get(contents_key(bare))
        return found or next(iter(self._by_stems.get(_stems(bare), [])), None)

    def listed(self, line: str) -> tuple[Entry | None, bool]:
        """The section that a line of the contents means, and whether it is spelled differently."""
        wanted = contents_key(line)
        found = self._terms.get(wanted)
        if found is not None or self._compared >= MISSPELLED or not self._terms:
            return found, False
        self._compared += 1
        nearest = process.extractOne(wanted, list(self._terms)[:MISSPELLED], scorer=fuzz.ratio, score_cutoff=ALIKE)
        return (self._terms[nearest[0]], True) if nearest else (None, False)

    def rules(self) -> set[str]:
        """Headings that name a rule in one word ("Rückzugsverbot"), and the edition's short names of such rules."""
        headings = {e.heading.rstrip(":") for found in self._by_key.values() for e in found if _RULE.match(key(e.heading))}
        return headings | {name for name, heading in self._given.items() if heading.rstrip(":") in headings}

    def _near(self, entry: Entry, home: str) -> bool:
        return self._root.get(entry.id) == self._root.get(home)


def _stems(name: str) -> str:
    return " ".join(_ENDING.sub("", word) for word in key(name).split())


class _Finder:
    def __init__(self, rulebook: Rulebook):
        self._book = rulebook
        self._text = rulebook.document.text
        self._names = _Names(rulebook)
        self._entries = {entry.id: entry for entry in rulebook.entries}
        spelled = "|".join(re.escape(rule) for rule in sorted(self._names.rules(), key=lambda rule: (-len(rule), rule)))
        self._rules = re.compile(rf"\b(?:[Dd](?:as|ie|er|em|en|es)|(?P<with>[Zz]u[mr]|[Bb]eim|[Vv]om|[Ii]m))\s+({spelled})(?:e?s|n)?\b")
        self._found: list[Reference] = []
        self._taken: list[Span] = []  # sorted; a place is never two references

    def find(self) -> list[Reference]:
        if not self._entries:
            return []
        for correction in self._book.edition.corrections:
            if correction.fault is Fault.REFERENCE and correction.fits(self._book.document):
                self._corrected(correction)
        for passage in self._book.passages:
            if passage.role is Role.LISTING:
                self._contents(passage)
            elif passage.role in (Role.TEXT, Role.SEE):
                for span in passage.spans:
                    self._prose(passage.entry, span)
        return self._found

    def _add(
        self,
        home: str,
        span: Span,
        kind: ReferenceKind,
        target: Entry | None,
        problem: Problem | None = None,
    ) -> None:
        at = bisect.bisect(self._taken, span)
        if any(span.start < other.end and other.start < span.end for other in self._taken[max(at - 1, 0) : at + 1]):
            return
        self._taken.insert(at, span)
        self._found.append(
            Reference(
                entry=home,
                line=self._book.document.line_at(span.start),
                raw=self._text[span.start : span.end],
                span=span,
                kind=kind,
                target=target.id if target else None,
                problem=problem,
                meant=target.id if target and problem else None,
            )
        )

    def _corrected(self, correction: Correction) -> None:
        """The reference that a correction points out; a title quoted otherwise than it is printed is a fault of the text."""
        line = self._book.document.line(correction.line)
        start = line.start + line.text.index(correction.printed)
        span = Span(start, start + len(correction.printed))
        home, role = self._home(start)
        kind = ReferenceKind.CONTENTS if role is Role.LISTING else ReferenceKind.INLINE
        if correction.meant is None:
            self._add(home, span, kind, None, Problem.OUTSIDE)
            return
        target = self._names.named(str(correction.meant), home) or self._names.resolve(str(correction.meant), home)
        problem = None
        if target is None:
            problem = Problem.MISSING
        elif (role is Role.LISTING or _QUOTED.match(correction.printed)) and self._names.resolve(correction.printed, home) != target:
            problem = Problem.TITLE_DIFFERS
        self._add(home, span, kind, target, problem)

    def _home(self, offset: int) -> tuple[str, Role]:
        """The entry and the role of the passage at ``offset``, or the innermost entry there."""
        for passage in self._book.passages:
            if any(a <= offset < b for a, b in passage.spans):
                return passage.entry, passage.role
        around = [e.id for e in self._book.entries if any(a <= offset < b for a, b in e.spans)]
        return (around or [self._book.entries[0].id])[-1], Role.TEXT

    def _same(self, one: str, other: str) -> bool:
        """Whether two entries have one name but for hyphens: a rule printed twice does not refer to itself."""
        names = [key(self._entries[entry].heading).replace(" ", "") for entry in (one, other)]
        return names[0] == names[1]

    def _contents(self, passage: Passage) -> None:
        """Every line names a section; a line that ends in a colon names a group of them."""
        for span in passage.spans:
            for match in re.finditer(r"[^\n]+", self._text[span.start : span.end]):
                raw = match.group().strip(" \t-–•*\r")
                if not raw or raw.endswith(":"):
                    continue
                start = span.start + match.start() + match.group().index(raw)
                target, differs = self._names.listed(raw)
                problem = Problem.MISSING if target is None else Problem.TITLE_DIFFERS if differs else None
                self._add(passage.entry, Span(start, start + len(raw)), ReferenceKind.CONTENTS, target, problem)

    def _prose(self, home: str, span: Span) -> None:
        text = self._text[span.start : span.end]

        def place(start: int, end: int) -> Span:
            return Span(span.start + start, span.start + end)

        for match in _AWAY.finditer(text):
            end = match.start() + len(match.group().rstrip(".,;:"))
            self._add(home, place(match.start(), end), ReferenceKind.INLINE, None, Problem.OUTSIDE)
        for start, end in _see(text):
            target = self._names.resolve(text[start:end], home)
            self._add(home, place(start, end), ReferenceKind.SEE, target, None if target else Problem.MISSING)
        for match in _HEED.finditer(text):
            if target := self._names.resolve(match.group(1), home):
                self._add(home, place(match.start() + 1, match.end() - 1), ReferenceKind.INLINE, target)
        for match in self._rules.finditer(text):
            target = self._names.named(match.group(2), home) if match.group(2) else None
            first = self._book.document.line_at(span.start + match.start())
            if target and not target.lines.first <= first <= target.lines.last and not self._same(target.id, home):
                # "zum Verbot" is a word of the sentence and a name, "das Verbot" is the name with its article.
                self._add(home, place(match.start(2 if match["with"] else 0), match.end()), ReferenceKind.INLINE, target)
        for sentence in _SENTENCE.finditer(text) if "beachten" in text else ():
            if "beachten" in sentence.group():
                for match in _NAMED.finditer(text, *sentence.span()):
                    target = self._names.named(match.group(1), home)
                    if target and target.id != home:
                        self._add(home, place(*match.span()), ReferenceKind.INLINE, target)


def _see(text: str) -> Iterator[tuple[int, int]]:
    """Where the names stand that ``text`` tells the reader to see: those in quotation marks, with them; else each by itself."""
    start = 0
    while match := _SEE.search(text, start):
        start = match.end()
        if quoted := _QUOTED.match(text, start):
            while quoted:
                yield quoted.span()
                start = quoted.end()
                gap = _AND.match(text, start)
                quoted = _QUOTED.match(text, gap.end()) if gap else None
            continue
        stop = _STOP.search(text, start)
        end = min(stop.start() if stop else len(text), start + 200)
        for gap in [*_AND.finditer(text, start, end), None]:
            last = gap.start() if gap else end
            bare = _ARTICLE.sub("", text[start:last], count=1)
            if 2 < len(bare) <= 60 and bare[0].isupper() and not bare.startswith("Seite "):
                yield start, last
            start = gap.end() if gap else end
