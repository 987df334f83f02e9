"""Reads the numbered part of a rulebook: chapters, groups and rules with their examples, nested by
their numbers.
"""

from __future__ import annotations

import re

from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.numbered.lines import Number, NumberedLine, continues_sentence
from corpus.layouts.numbered.parts import ContentsTable, is_chapter, is_group
from corpus.layouts.numbered.passages import NumberedPassageBuilder, discard_bullet, extend_passage
from corpus.model import Kind, Span

_WORDS = 6  # words of the longest rule that is only a heading
_RUN_IN = re.compile(r"[*_]{1,2}([^*_\n]{1,60})[*_]{1,2}[^\w*_]{0,6}[–-]\s")
_ICON = re.compile(r"(?:\{\w{1,2}\}|[^\w\s“”„»«\"')!?-])\s*$")


class RuleReader:
    """Reads the lines of the numbered part in order.

    An entry becomes a child of the entry with the longest number that its own number begins with:
    4.2.1 is inside 4.2.
    """

    def __init__(self, rulebook: DraftRulebook, text: str, table: ContentsTable, title: str):
        self._rulebook = rulebook
        self._text = text
        self._table = table
        self._title = title
        self._open: list[tuple[Number, DraftEntry]] = []
        self._builder: NumberedPassageBuilder | None = None
        self._previous_text = ""
        self._chapter = 0

    def add(self, line: NumberedLine, following: Number) -> None:
        """Read one line; ``following`` is the next number of at least two levels in the
        document.
        """
        number = line.number
        if number is None and line.corrected_kind == Kind.SECTION:
            self._unnumbered(line)
        elif number is None or (len(number) == 1 and not self._is_chapter(line, following)):
            self._add_text(line)
        elif len(number) == 1 or is_group(line, self._table):
            self._heading(line, number)
        else:
            self._rule(line, number)
        self._previous_text = line.text

    def _is_chapter(self, line: NumberedLine, following: Number) -> bool:
        return is_chapter(line, self._table, following, self._chapter, strict=False)

    def _heading(self, line: NumberedLine, number: Number) -> None:
        if len(number) == 1:
            self._chapter = number[0]
        draft = DraftEntry(Kind.SECTION, line.plain, [line.span], number=".".join(map(str, number)))
        discard_bullet(self._rulebook, line)
        self._attach(draft, number)
        self._builder = NumberedPassageBuilder(draft, self._text, self._rulebook)

    def _unnumbered(self, line: NumberedLine) -> None:
        """Add a heading without a number, which a correction names, as a section of the current
        chapter.
        """
        draft = DraftEntry(Kind.SECTION, line.plain, [Span(line.bullet_start, line.end)])
        (self._open[0][1].children if self._open else self._rulebook.entries).append(draft)
        del self._open[1:]
        self._builder = NumberedPassageBuilder(draft, self._text, self._rulebook)

    def _rule(self, line: NumberedLine, number: Number) -> None:
        printed = ".".join(map(str, number))
        draft = DraftEntry(Kind.RULE, printed, number=printed, passages=[DraftPassage([line.span])])
        if name := _name(line):
            draft.title = f"{printed}. {name}"
        discard_bullet(self._rulebook, line)
        self._attach(draft, number)
        self._builder = None

    def _attach(self, draft: DraftEntry, number: Number) -> None:
        """Add ``draft`` as a child of the open entry whose number ``number`` begins with, and open
        it.
        """
        while self._open and (
            len(self._open[-1][0]) >= len(number)
            or number[: len(self._open[-1][0])] != self._open[-1][0]
        ):
            self._open.pop()
        (self._open[-1][1].children if self._open else self._rulebook.entries).append(draft)
        self._open.append((number, draft))

    def _add_text(self, line: NumberedLine) -> None:
        """Add a line without a number: an example or another paragraph of the rule above, or text
        of a section.
        """
        if self._builder is not None or not self._open:
            self._section_builder().add(line)
            return
        passage = self._open[-1][1].passages[-1]
        if line.is_example:
            discard_bullet(self._rulebook, line)
            extend_passage(passage, line.span, self._text)
            passage.split_points.append(line.start)
        elif continues_sentence(self._previous_text, line):
            discard_bullet(self._rulebook, line)
            extend_passage(passage, line.span, self._text, separate=line.after_blank)
        else:
            extend_passage(passage, Span(line.bullet_start, line.end), self._text)
            passage.split_points.append(line.bullet_start)

    def _section_builder(self) -> NumberedPassageBuilder:
        """The builder for text outside rules: that of the section above, or of the entry before the
        rules.
        """
        if self._builder is None:
            if not self._rulebook.entries:
                self._rulebook.entries.append(DraftEntry(Kind.SECTION, self._title))
            self._builder = NumberedPassageBuilder(
                self._rulebook.entries[-1], self._text, self._rulebook
            )
        return self._builder


def _name(line: NumberedLine) -> str:
    """The name of a rule that is a heading or begins with one in bold or italics; "" for other
    rules.
    """
    if line.is_brief:
        name = line.name if len(line.name.split()) <= _WORDS else ""
    else:
        match = _RUN_IN.search(line.text, 0, 100)
        name = (
            match.group(1)
            if match and re.fullmatch(r"[*_#\s0-9.]*", line.text[: match.start()])
            else ""
        )
    return _ICON.sub("", name).strip()
