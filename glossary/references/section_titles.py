"""Find references by section title: lines of the contents, names of sections and rules in running
text, and references in corrections.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from rapidfuzz import fuzz, process

from corpus.languages import any_of, capitals
from corpus.layouts.dashed import contents_key
from corpus.model import Correction, Entry, Fault, Kind, Passage, Role, Rulebook, Span
from corpus.titles import key
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.resolved import make_reference

MIN_SIMILARITY = 85.0  # per cent, of a misspelled line of the contents to the section title
MAX_COMPARISONS = 300  # lines of the contents, and titles; real contents have fewer

_QUOTED = re.compile(r"[„“\"»]([^„“”\"»«\n]{1,90})[“”\"«]")
_STOP = re.compile(r"[.;)\n]")
_SENTENCE = re.compile(r"[^.!?\n]+")
_OUTSIDE_LINK = re.compile(r"https?://[^\s()<>\[\]]{1,200}|-!-[^!\n]{1,40}-!-")


class _Patterns:
    """Patterns for references by name to sections and rules, in one language."""

    def __init__(self, language: str):
        def words(*names: str) -> str:
            return any_of(*names, language=language)

        articles, joined = words("sentences.all_articles"), words("sentences.joined_articles")
        all_joined = words("sentences.joined_articles", "sentences.other_joined_articles")
        self.article = re.compile(rf"(?:{articles}|{joined})\s+", re.IGNORECASE)
        self.declension = re.compile(rf"(?<=\w{{3}}){words('forms.declension')}$")
        see = words("references.see", "references.compare")
        self.see = re.compile(
            rf"\b{see}(?:\s{words('references.between')})*:?\s+"
            rf"|\b{words('references.details')}\b[^.!?\n„“\"]{{0,40}}"
            rf"\b{words('references.details_at')}\s+",
            re.IGNORECASE,
        )
        between = words("sentences.conjunctions", "sentences.alternatives", "sentences.further")
        self.separator = re.compile(rf"(?:,|(?<!\s))\s+{between}\s+|,\s+")
        self.heed_word = re.compile(words("references.heed"))
        self.heed = re.compile(rf"\(([^()\n]{{1,60}}) {words('references.heed')}\)")
        self.noun = re.compile(rf"\b(?i:{articles})\s+([{capitals()}][\w-]*)")
        self.rule_heading = re.compile(rf"\w{{3,}}{words('references.rule_names')}$", re.IGNORECASE)
        self.page = re.compile(rf"{words('references.page')}\s", re.IGNORECASE)
        self._before_rule = rf"\b(?i:{articles}|(?P<joined>{all_joined}))\s+"
        self._rule_ending = rf"{words('references.rule_name_endings')}?\b"

    def rule_mention(self, rules: Iterable[str]) -> re.Pattern[str]:
        """Return a pattern for the names ``rules`` after an article; group ``name`` is the name,
        ``joined`` an article merged with a preposition ("zum").
        """
        longest_first = sorted(rules, key=lambda rule: (-len(rule), rule))
        names = "|".join(map(re.escape, longest_first))
        return re.compile(rf"{self._before_rule}(?P<name>{names}){self._rule_ending}")


@cache
def _patterns(language: str) -> _Patterns:
    return _Patterns(language)


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> list[Reference]:
    """Return all references of ``rulebook``, resolved within it."""
    return _SectionTitleFinder(rulebook).find() if rulebook.entries else []


class _SectionNames:
    """Looks up the entries of a rulebook by name, choosing between entries with the same name."""

    def __init__(self, rulebook: Rulebook):
        self._patterns = _patterns(rulebook.edition.language)
        self._edition_names = rulebook.edition.names
        self._names = {key(name): heading for name, heading in self._edition_names.items()}
        self._by_key: dict[str, list[Entry]] = defaultdict(list)
        self._by_stems: dict[str, Entry] = {}
        self._terms: dict[str, Entry] = {}
        self._root: dict[str, str] = {}
        self._comparisons = 0
        for entry in rulebook.entries:
            self._root[entry.id] = self._root.get(entry.parent or "", entry.id)
            for spelling in {key(entry.heading), key(entry.title)}:
                self._by_key[spelling].append(entry)
            self._by_stems.setdefault(self._stems(entry.heading), entry)
            if entry.kind is Kind.TERM:
                self._terms.setdefault(contents_key(entry.heading), entry)

    def _stems(self, name: str) -> str:
        return " ".join(self._patterns.declension.sub("", word) for word in key(name).split())

    def find(self, name: str, source: str) -> Entry | None:
        """Return the entry with exactly the name ``name``, or None; ``source`` is the referring
        entry.

        Sections have priority, then entries with a heading on a separate line, then entries in the
        section of ``source``.
        """
        name = self._names.get(key(name), name)
        root = self._root.get(source)
        return min(
            self._by_key.get(key(name), []),
            key=lambda e: (e.kind is not Kind.TERM, not e.heading_spans, self._root[e.id] != root),
            default=None,
        )

    def resolve(self, name: str, source: str) -> Entry | None:
        """Return the entry meant by ``name``, which may have an article or case ending, or None."""
        bare = self._patterns.article.sub("", name.strip('"„“”»« '), count=1)
        found = self.find(bare, source) or self._terms.get(contents_key(bare))
        return found or self._by_stems.get(self._stems(bare))

    def find_in_contents(self, line: str) -> tuple[Entry | None, ReferenceProblem | None]:
        """Return the section that a line of the contents names, and a problem, if any."""
        name = contents_key(line)
        if (section := self._terms.get(name)) is not None:
            return section, None
        if self._comparisons < MAX_COMPARISONS and self._terms:
            self._comparisons += 1
            titles = list(self._terms)[:MAX_COMPARISONS]
            if nearest := process.extractOne(
                name, titles, scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY
            ):
                return self._terms[nearest[0]], ReferenceProblem.TITLE_DIFFERS
        return None, ReferenceProblem.MISSING

    def rule_names(self) -> set[str]:
        """Return headings that name a rule in one word ("Rückzugsverbot"), and the edition's short
        names for these.
        """
        headings = {
            entry.heading.rstrip(":")
            for found in self._by_key.values()
            for entry in found
            if self._patterns.rule_heading.match(key(entry.heading))
        }
        return headings | {
            name for name, heading in self._edition_names.items() if heading.rstrip(":") in headings
        }


class _SectionTitleFinder:
    """Finds the references of one rulebook."""

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._text = rulebook.document.text
        self._names = _SectionNames(rulebook)
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._patterns = _patterns(rulebook.edition.language)
        self._rules = self._patterns.rule_mention(self._names.rule_names())
        self._found: list[Reference] = []
        self._taken: list[Span] = []  # sorted spans of the references found; no two overlap

    def find(self) -> list[Reference]:
        """Return all references: first those in corrections, then the others in document order."""
        for correction in self._rulebook.edition.corrections:
            if correction.fault is Fault.REFERENCE and (
                span := correction.span(self._rulebook.document)
            ):
                self._add_corrected(correction, span)
        for passage in self._rulebook.passages:
            if passage.role is Role.LISTING:
                self._add_contents(passage)
            elif passage.role in (Role.TEXT, Role.SEE):
                for span in passage.spans:
                    self._add_running_text(passage.entry, span)
        return self._found

    def _add(
        self,
        source: str,
        span: Span,
        kind: ReferenceKind,
        target: Entry | None,
        problem: ReferenceProblem | None = None,
    ) -> None:
        """Add a reference from the entry ``source``, unless ``span`` overlaps one already found."""
        at = bisect.bisect(self._taken, span)
        around = self._taken[max(at - 1, 0) : at + 1]
        if any(span.start < taken.end and taken.start < span.end for taken in around):
            return
        self._taken.insert(at, span)
        raw, id = self._text[span.start : span.end], target.id if target else None
        self._found.append(make_reference(self._rulebook, source, span, raw, kind, id, problem))

    def _add_corrected(self, correction: Correction, span: Span) -> None:
        """Add the reference at ``span`` according to ``correction``; it has a problem if it quotes
        a title wrongly.
        """
        source, role = self._entry_at(span.start)
        kind = ReferenceKind.CONTENTS if role is Role.LISTING else ReferenceKind.INLINE
        if correction.meant is None:
            self._add(source, span, kind, None, ReferenceProblem.OUTSIDE)
            return
        meant = str(correction.meant)
        target = self._names.find(meant, source) or self._names.resolve(meant, source)
        problem = None if target else ReferenceProblem.MISSING
        quoted = role is Role.LISTING or _QUOTED.match(correction.printed)
        if target and quoted and self._names.resolve(correction.printed, source) != target:
            problem = ReferenceProblem.TITLE_DIFFERS
        self._add(source, span, kind, target, problem)

    def _entry_at(self, offset: int) -> tuple[str, Role]:
        """Return entry and role of the passage at ``offset``; outside passages, the innermost entry
        and `Role.TEXT`.
        """
        for passage in self._rulebook.passages:
            if any(a <= offset < b for a, b in passage.spans):
                return passage.entry, passage.role
        around = [e.id for e in self._rulebook.entries if any(a <= offset < b for a, b in e.spans)]
        return (around or [self._rulebook.entries[0].id])[-1], Role.TEXT

    def _add_contents(self, passage: Passage) -> None:
        """Add every line of the contents, except group headings, which end in a colon."""
        for span in passage.spans:
            for match in re.finditer(r"[^\n]+", self._text[span.start : span.end]):
                raw = match.group().strip(" \t-–•*\r")
                if raw and not raw.endswith(":"):
                    start = span.start + match.start() + match.group().index(raw)
                    place = Span(start, start + len(raw))
                    found = self._names.find_in_contents(raw)
                    self._add(passage.entry, place, ReferenceKind.CONTENTS, *found)

    def _add_running_text(self, source: str, span: Span) -> None:
        """Add the references in the text at ``span`` of the entry ``source``."""
        text = self._text[span.start : span.end]
        patterns, inline = self._patterns, ReferenceKind.INLINE

        def place(start: int, end: int) -> Span:
            return Span(span.start + start, span.start + end)

        for match in _OUTSIDE_LINK.finditer(text):
            end = match.start() + len(match.group().rstrip(".,;:"))
            self._add(source, place(match.start(), end), inline, None, ReferenceProblem.OUTSIDE)
        for start, end in _names_to_see(text, patterns):
            target = self._names.resolve(text[start:end], source)
            problem = None if target else ReferenceProblem.MISSING
            self._add(source, place(start, end), ReferenceKind.SEE, target, problem)
        for match in patterns.heed.finditer(text):
            if target := self._names.resolve(match[1], source):
                self._add(source, place(match.start() + 1, match.end() - 1), inline, target)
        for match in self._rules.finditer(text):
            target = self._names.find(match["name"], source) if match["name"] else None
            line = self._rulebook.document.line_at(span.start + match.start())
            if target and not (
                target.lines.first <= line <= target.lines.last
                or self._same_name(target.id, source)
            ):
                # The article is part of the reference in "das Verbot", but not in "zum Verbot".
                start = match.start("name" if match["joined"] else 0)
                self._add(source, place(start, match.end()), inline, target)
        for sentence in _SENTENCE.finditer(text) if patterns.heed_word.search(text) else ():
            if patterns.heed_word.search(sentence.group()):
                for match in patterns.noun.finditer(text, *sentence.span()):
                    target = self._names.find(match[1], source)
                    if target and target.id != source:
                        self._add(source, place(*match.span()), inline, target)

    def _same_name(self, one: str, other: str) -> bool:
        """Return whether two entries have the same name, apart from hyphens: a rule that is printed
        twice does not refer to itself.
        """
        names = {key(self._entries[entry].heading).replace(" ", "") for entry in (one, other)}
        return len(names) == 1


def _names_to_see(text: str, patterns: _Patterns) -> Iterator[tuple[int, int]]:
    """Yield the offsets in ``text`` of names after "siehe" and the like, one by one; quoted names
    include their quotation marks.
    """
    start = 0
    while match := patterns.see.search(text, start):
        start = match.end()
        if quoted := _QUOTED.match(text, start):
            while quoted:
                yield quoted.span()
                start = quoted.end()
                gap = patterns.separator.match(text, start)
                quoted = _QUOTED.match(text, gap.end()) if gap else None
            continue
        stop = _STOP.search(text, start)
        end = min(stop.start() if stop else len(text), start + 200)
        for gap in [*patterns.separator.finditer(text, start, end), None]:
            last = gap.start() if gap else end
            bare = patterns.article.sub("", text[start:last], count=1)
            if 2 < len(bare) <= 60 and bare[0].isupper() and not patterns.page.match(bare):
                yield start, last
            start = gap.end() if gap else end
