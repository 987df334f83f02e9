"""Reads the glossary of a numbered rulebook, whose headings are on lines of their own, in bold before the text, or part of it."""

from __future__ import annotations

import re
from dataclasses import replace

from corpus.draft import DraftEntry, DraftRulebook
from corpus.languages import any_of, capitals
from corpus.layouts.numbered.lines import SHORT, NumberedRow
from corpus.layouts.numbered.passages import ProseReader, only_points
from corpus.model import Kind, Role, Span

# Words that are capitals only where a sentence begins: one of them behind a few other words means that a heading
# has run into its text ("Stapel Eine Gruppe …").
_OPENERS = any_of("sentences.openers")
_WORD = r"[^\W\d_][\w’'/&-]{0,40}"
_GLUED = re.compile(rf"(?!{_OPENERS}\b)({_WORD}(?:,? {_WORD}){{0,3}}?) (?={_OPENERS} |{any_of('sentences.opener_elisions')}['’]\w)")
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,60}?)[:.]?(?:\*\*|__)[ \t]*[:–-]?[ \t]*(?=\S)")
_LETTER = re.compile(rf"\W*[{capitals()}]\W*")


class GlossaryReader:
    """Reads the rows of a glossary; ``entry`` is the glossary itself, its terms become its children."""

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._book = rulebook
        self._prose = ProseReader(entry, text, rulebook)

    def add(self, row: NumberedRow, after: NumberedRow | None) -> bool:
        """Read one row; ``after`` is the next one. False where it is only a letter of the alphabet between terms."""
        if row.apart and _LETTER.fullmatch(row.plain) and (after is None or after.apart) and row.forced is None:
            return False
        if head := self._head(row, after):
            self._open(row, head)
        else:
            self._prose.add(row)
        return True

    def close(self) -> None:
        """Call after the last row: terms that only point elsewhere become redirects."""
        for term in self._entry.children:
            if only_points(term, self._text):
                term.kind = Kind.REDIRECT
                term.passages[0].role = Role.SEE

    def _head(self, row: NumberedRow, after: NumberedRow | None) -> int:
        """How many characters of ``row`` are the heading of a new term; 0 where it is text."""
        whole = row.end - row.start
        if row.forced is not None:
            match = _GLUED.match(row.text)
            return match.end(1) if match and len(row.text) > SHORT else whole
        if row.torn:
            return 0
        bold = _BOLD.match(row.text)
        if bold and (row.apart or ":" in bold.group()) and not row.see:
            return bold.end()
        bare = bool(self._entry.children) and self._prose.empty  # a heading still waits for its text
        if row.title:
            return 0 if bare and (after is None or after.title) else whole
        glued = _GLUED.match(row.text) if row.apart and not bare and not row.bullet and len(row.text) > 20 else None
        return glued.end(1) if glued and not self._prose.continues(row) else 0

    def _open(self, row: NumberedRow, head: int) -> None:
        """Begin a term whose heading is the first ``head`` characters of ``row``."""
        end = row.start + head
        heading = row.plain if end >= row.end else re.sub(r"[*_]+", "", row.text[:head]).strip(" \t:–-")
        term = DraftEntry(Kind.TERM, heading, [Span(row.sign, end)])
        self._entry.children.append(term)
        self._prose = ProseReader(term, self._text, self._book)
        if end < row.end:
            rest = row.text[head:].lstrip()
            start = row.end - len(rest)
            self._prose.add(_rest(row, start, rest))


def _rest(row: NumberedRow, start: int, text: str) -> NumberedRow:
    return replace(row, sign=start, start=start, text=text, plain=text.strip(), apart=True, number=None, name=text, forced=None, torn=False)
