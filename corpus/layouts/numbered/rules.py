"""Reads the numbered part of a rulebook: chapters, groups and rules, nested by their numbers, with their examples."""

from __future__ import annotations

import re

from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.numbered.lines import Number, NumberedRow, continues_sentence
from corpus.layouts.numbered.parts import ContentsTable, is_chapter, is_group
from corpus.layouts.numbered.passages import ProseReader, discard_bullet, extend
from corpus.model import Kind, Span

_WORDS = 6  # a rule that is only a heading has no more
_RUN_IN = re.compile(r"[*_]{1,2}([^*_\n]{1,60})[*_]{1,2}[^\w*_]{0,6}[–-]\s")
_ICON = re.compile(r"\s*(?:\{\w{1,2}\}|[^\w\s“”„»«\"')!?-])\s*$")


class RuleReader:
    """Reads the rows of the numbered part in order; a rule becomes a child of that with the longest number that its own begins with."""

    def __init__(self, rulebook: DraftRulebook, text: str, table: ContentsTable, title: str):
        self._book = rulebook
        self._text = text
        self._table = table
        self._title = title
        self._open: list[tuple[Number, DraftEntry]] = []
        self._prose: ProseReader | None = None
        self._before = ""
        self._chapter = 0

    def add(self, row: NumberedRow, following: Number) -> None:
        """Read one row; ``following`` is the next number of at least two levels in the document."""
        number = row.number
        if number is None and row.forced == Kind.SECTION:
            self._unnumbered(row)
        elif number is None or (len(number) == 1 and not self._is_chapter(row, following)):
            self._text_of(row)
        elif len(number) == 1 or is_group(row, self._table):
            self._heading(row, number)
        else:
            self._rule(row, number)
        self._before = row.text

    def _is_chapter(self, row: NumberedRow, following: Number) -> bool:
        return is_chapter(row, self._table, following, self._chapter, strict=False)

    def _heading(self, row: NumberedRow, number: Number) -> None:
        if len(number) == 1:
            self._chapter = number[0]
        draft = DraftEntry(Kind.SECTION, row.plain, [row.span], number=".".join(map(str, number)))
        discard_bullet(self._book, row)
        self._hang(draft, number)
        self._prose = ProseReader(draft, self._text, self._book)

    def _unnumbered(self, row: NumberedRow) -> None:
        """A heading without a number, which a correction names: a section of the current chapter."""
        draft = DraftEntry(Kind.SECTION, row.plain, [Span(row.sign, row.end)])
        (self._open[0][1].children if self._open else self._book.entries).append(draft)
        del self._open[1:]
        self._prose = ProseReader(draft, self._text, self._book)

    def _rule(self, row: NumberedRow, number: Number) -> None:
        printed = ".".join(map(str, number))
        draft = DraftEntry(Kind.RULE, printed, number=printed, passages=[DraftPassage([row.span])])
        if name := _name(row):
            draft.title = f"{printed}. {name}"
        discard_bullet(self._book, row)
        self._hang(draft, number)
        self._prose = None

    def _hang(self, draft: DraftEntry, number: Number) -> None:
        while self._open and (len(self._open[-1][0]) >= len(number) or number[: len(self._open[-1][0])] != self._open[-1][0]):
            self._open.pop()
        (self._open[-1][1].children if self._open else self._book.entries).append(draft)
        self._open.append((number, draft))

    def _text_of(self, row: NumberedRow) -> None:
        """A row without a number of its own: an example or a further paragraph of the rule above, or text of a section."""
        if self._prose is not None or not self._open:
            self._unruled().add(row)
            return
        passage = self._open[-1][1].passages[-1]
        if row.example:
            discard_bullet(self._book, row)
            extend(passage, row.span, self._text)
            passage.split_points.append(row.start)
        elif continues_sentence(self._before, row):
            discard_bullet(self._book, row)
            extend(passage, row.span, self._text, apart=row.apart)
        else:
            extend(passage, Span(row.sign, row.end), self._text)
            passage.split_points.append(row.sign)

    def _unruled(self) -> ProseReader:
        """The reader for text that belongs to no rule: that of the section above, or of the entry before the rules."""
        if self._prose is None:
            if not self._book.entries:
                self._book.entries.append(DraftEntry(Kind.SECTION, self._title))
            self._prose = ProseReader(self._book.entries[-1], self._text, self._book)
        return self._prose


def _name(row: NumberedRow) -> str:
    """The name of a rule that is a heading or begins with one; "" for other rules."""
    if row.brief:
        name = row.name if len(row.name.split()) <= _WORDS else ""
    else:
        match = _RUN_IN.search(row.text, 0, 100)
        name = match.group(1) if match and re.fullmatch(r"[*_#\s0-9.]*", row.text[: match.start()]) else ""
    return _ICON.sub("", name).strip()
