"""Makes entries and passages from the lines of a numbered rulebook: paragraphs and bullets, rules
with their examples, glossary terms.
"""

from __future__ import annotations

import re
from dataclasses import replace

from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of, capitals
from corpus.layouts.numbered.lines import SHORT, ContentsTable, Number, ParsedLine
from corpus.model import Furniture, Kind, Role, Span

_WORDS = 6  # most words of a rule that is only a heading
_LONGEST_REDIRECT = 150  # most characters of a term that is only a reference
_SEE = re.compile(
    rf"[*_\s(]*{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?\b", re.IGNORECASE
)
_RUN_IN = re.compile(r"[*_]{1,2}([^*_\n]{1,60})[*_]{1,2}[^\w*_]{0,6}[–-]\s")
_ICON = re.compile(r"(?:\{\w{1,2}\}|[^\w\s“”„»«\"')!?-])\s*$")
# Words with a capital only at the beginning of a sentence. After a few other words, they show
# that a heading has run into its text ("Stapel Eine Gruppe …").
_OPENERS = any_of("sentences.openers")
_WORD = r"[^\W\d_][\w’'/&-]{0,40}"
_GLUED = re.compile(
    rf"(?!{_OPENERS}\b)({_WORD}(?:,? {_WORD}){{0,3}}?) "
    rf"(?={_OPENERS} |{any_of('sentences.opener_elisions')}['’]\w)"
)
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,60}?)[:.]?(?:\*\*|__)[ \t]*+[:–-]?[ \t]*+(?=\S)")
_LETTER = re.compile(rf"\W*[{capitals()}]\W*")


class PassageBuilder:
    """Adds lines to the passages of ``entry``, in document order. Bullets that do not mark list
    items become furniture of ``rulebook``.
    """

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._rulebook = rulebook
        self._last: ParsedLine | None = None
        self._indent = 0

    @property
    def is_empty(self) -> bool:
        """Whether no line has been added yet."""
        return self._last is None

    def continues(self, line: ParsedLine) -> bool:
        """Return whether ``line`` continues the sentence of the line before."""
        return self._last is not None and line.continues(self._last.text)

    def add(self, line: ParsedLine) -> None:
        """Add ``line`` to the last passage, or to a new one."""
        last = self._entry.passages[-1] if self._last and self._entry.passages else None
        plain = not (line.after_blank or line.has_bullet or line.is_example or line.is_see_list)
        if last and self.continues(line):
            discard_bullet(self._rulebook, line)
            last.extend(line.span, self._text, separate=line.after_blank)
        elif last and line.has_bullet and last.depth == 1 and line.indent > self._indent:
            last.extend(line.whole, self._text)
            last.split_points.append(line.bullet_start)
        elif last and plain and last.role is Role.TEXT:
            last.extend(line.span, self._text)  # the next line of a paragraph
        else:
            role = Role.SEE if line.is_see_list else Role.TEXT
            self._entry.passages.append(DraftPassage([line.whole], role, int(line.has_bullet)))
            self._indent = line.indent if line.has_bullet else self._indent
        self._last = line


def discard_bullet(rulebook: DraftRulebook, line: ParsedLine) -> None:
    """Make the bullet of ``line`` furniture, for a line that is not a list item: a numbered rule,
    or the rest of an interrupted sentence.
    """
    if line.has_bullet:
        bullet = Span(line.bullet_start, line.start)
        rulebook.furniture.append(Furniture(bullet, "bullet of no list"))


class RuleReader:
    """Reads the lines of the numbered part in order: chapters, groups and rules.

    An entry becomes a child of the entry whose number is the longest prefix of its own: 4.2.1 is
    inside 4.2.
    """

    def __init__(self, rulebook: DraftRulebook, text: str, table: ContentsTable, title: str):
        self._rulebook = rulebook
        self._text = text
        self._table = table
        self._title = title
        self._open: list[tuple[Number, DraftEntry]] = []
        self._builder: PassageBuilder | None = None  # for the current section; None within a rule
        self._previous_text = ""
        self._chapter = 0

    def add(self, line: ParsedLine, following: Number) -> None:
        """Read one line; ``following`` is the next number of at least two levels."""
        number = line.number
        chapter = self._table.is_chapter(line, following, self._chapter, strict=False)
        if not number and line.kind == Kind.SECTION:
            # An unnumbered heading, set by a correction, belongs to the chapter.
            del self._open[1:]
            self._begin_section(DraftEntry(Kind.SECTION, line.plain, [line.whole]))
        elif chapter or self._table.is_group(line):
            self._chapter = number[0] if chapter else self._chapter
            self._open_for(number)
            section = DraftEntry(Kind.SECTION, line.plain, [line.span], number=_printed(number))
            discard_bullet(self._rulebook, line)
            self._begin_section(section)
            self._open.append((number, section))
        elif len(number) < 2:
            self._add_text(line)
        else:
            printed, name = _printed(number), _rule_name(line)
            rule = DraftEntry(Kind.RULE, printed, number=printed)
            rule.passages.append(DraftPassage([line.span]))
            rule.title = f"{printed}. {name}" if name else None
            discard_bullet(self._rulebook, line)
            self._open_for(number)
            self._siblings().append(rule)
            self._open.append((number, rule))
            self._builder = None
        self._previous_text = line.text

    def _siblings(self) -> list[DraftEntry]:
        return self._open[-1][1].children if self._open else self._rulebook.entries

    def _open_for(self, number: Number) -> None:
        # Leaves the entries that do not contain the number.
        while self._open:
            outer = self._open[-1][0]
            if len(outer) < len(number) and number[: len(outer)] == outer:
                break
            self._open.pop()

    def _begin_section(self, section: DraftEntry) -> None:
        self._siblings().append(section)
        self._builder = PassageBuilder(section, self._text, self._rulebook)

    def _add_text(self, line: ParsedLine) -> None:
        # An example or another paragraph of the rule above, or text of a section.
        if not self._open and not self._builder:  # text before all rules
            if not self._rulebook.entries:
                self._rulebook.entries.append(DraftEntry(Kind.SECTION, self._title))
            entry = self._rulebook.entries[-1]
            self._builder = PassageBuilder(entry, self._text, self._rulebook)
        if self._builder:
            self._builder.add(line)
            return
        passage = self._open[-1][1].passages[-1]
        if line.is_example:
            discard_bullet(self._rulebook, line)
            passage.extend(line.span, self._text)
            passage.split_points.append(line.start)
        elif line.continues(self._previous_text):
            discard_bullet(self._rulebook, line)
            passage.extend(line.span, self._text, separate=line.after_blank)
        else:
            passage.extend(line.whole, self._text)
            passage.split_points.append(line.bullet_start)


def _printed(number: Number) -> str:
    return ".".join(map(str, number))


def _rule_name(line: ParsedLine) -> str:
    # The name of a rule that is a heading, or begins with a heading in bold or italics.
    name = ""
    if line.is_brief:
        name = line.name if len(line.name.split()) <= _WORDS else ""
    elif match := _RUN_IN.search(line.text, 0, 100):
        first = re.fullmatch(r"[*_#\s0-9.]*", line.text[: match.start()])
        name = match.group(1) if first else ""
    return _ICON.sub("", name).strip()


class GlossaryReader:
    """Reads the lines of a glossary; the terms become children of its entry, ``entry``.

    The heading of a term is on a line of its own, in bold at the beginning of its text, or has run
    into its text.
    """

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._rulebook = rulebook
        self._builder = PassageBuilder(entry, text, rulebook)

    def add(self, line: ParsedLine, after: ParsedLine | None) -> None:
        """Read one line; ``after`` is the next line."""
        alone = line.after_blank and (after is None or after.after_blank)
        if alone and line.kind is None and _LETTER.fullmatch(line.plain):
            furniture = Furniture(line.whole, "letter of the alphabet")
            self._rulebook.furniture.append(furniture)
        elif length := self._heading_length(line, after):
            self._begin_term(line, length)
        else:
            self._builder.add(line)

    def close(self) -> None:
        """Turn terms that are only references into redirects, after the last line."""
        for term in self._entry.children:
            if len(term.passages) != 1 or term.passages[0].depth:
                continue
            passage = term.passages[0]
            printed = self._text[passage.start : passage.end]
            sentence = "." in printed.strip(" .*_\n")
            if len(printed) < _LONGEST_REDIRECT and not sentence and _SEE.match(printed):
                term.kind, passage.role = Kind.REDIRECT, Role.SEE

    def _heading_length(self, line: ParsedLine, after: ParsedLine | None) -> int:
        """Return the number of characters of ``line`` that form the heading of a new term, or 0."""
        whole, glued = line.end - line.start, _GLUED.match(line.text)
        if line.kind is not None:
            return glued.end(1) if glued and len(line.text) > SHORT else whole
        if line.torn:
            return 0
        bold = _BOLD.match(line.text)
        if bold and (line.after_blank or ":" in bold.group()) and not line.is_see_list:
            return bold.end()
        # Whether the last heading has no text yet.
        bare = bool(self._entry.children) and self._builder.is_empty
        if line.is_heading:
            return 0 if bare and (after is None or after.is_heading) else whole
        long = line.after_blank and not bare and not line.has_bullet and len(line.text) > 20
        return glued.end(1) if glued and long and not self._builder.continues(line) else 0

    def _begin_term(self, line: ParsedLine, length: int) -> None:
        # The heading is the first ``length`` characters of the line.
        end, heading = line.start + length, line.plain
        if end < line.end:
            heading = re.sub(r"[*_]+", "", line.text[:length]).strip(" \t:–-")
        term = DraftEntry(Kind.TERM, heading, [Span(line.bullet_start, end)])
        self._entry.children.append(term)
        self._builder = PassageBuilder(term, self._text, self._rulebook)
        if end < line.end:
            rest = line.text[length:].lstrip()
            start = line.end - len(rest)
            line = replace(
                line, bullet_start=start, start=start, text=rest, plain=rest.strip(), name=rest
            )
            line = replace(line, after_blank=True, number=(), kind=None, torn=False)
            self._builder.add(line)
