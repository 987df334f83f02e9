"""Reads the glossary of a numbered rulebook, whose headings are on lines of their own, in bold before the text, or part of it."""

from __future__ import annotations

import re
from dataclasses import replace

from corpus.draft import DraftEntry, DraftRulebook
from corpus.languages import any_of, capitals
from corpus.layouts.numbered.lines import SHORT, NumberedLine
from corpus.layouts.numbered.passages import NumberedPassageBuilder, is_redirect
from corpus.model import Kind, Role, Span

# Words that are capitals only where a sentence begins: one of them behind a few other words means that a heading
# has run into its text ("Stapel Eine Gruppe …").
_OPENERS = any_of("sentences.openers")
_WORD = r"[^\W\d_][\w’'/&-]{0,40}"
_GLUED = re.compile(rf"(?!{_OPENERS}\b)({_WORD}(?:,? {_WORD}){{0,3}}?) (?={_OPENERS} |{any_of('sentences.opener_elisions')}['’]\w)")
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,60}?)[:.]?(?:\*\*|__)[ \t]*[:–-]?[ \t]*(?=\S)")
_LETTER = re.compile(rf"\W*[{capitals()}]\W*")


class GlossaryReader:
    """Reads the lines of a glossary; ``entry`` is the glossary itself, its terms become its children."""

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._rulebook = rulebook
        self._builder = NumberedPassageBuilder(entry, text, rulebook)

    def add(self, line: NumberedLine, after: NumberedLine | None) -> bool:
        """Read one line; ``after`` is the next one. False where it is only a letter of the alphabet between terms."""
        if line.after_blank and _LETTER.fullmatch(line.plain) and (after is None or after.after_blank) and line.corrected_kind is None:
            return False
        if head := self._heading_length(line, after):
            self._begin_term(line, head)
        else:
            self._builder.add(line)
        return True

    def close(self) -> None:
        """Call after the last line: terms that only point elsewhere become redirects."""
        for term in self._entry.children:
            if is_redirect(term, self._text):
                term.kind = Kind.REDIRECT
                term.passages[0].role = Role.SEE

    def _heading_length(self, line: NumberedLine, after: NumberedLine | None) -> int:
        """How many characters of ``line`` are the heading of a new term; 0 where it is text."""
        whole = line.end - line.start
        if line.corrected_kind is not None:
            match = _GLUED.match(line.text)
            return match.end(1) if match and len(line.text) > SHORT else whole
        if line.continues_text:
            return 0
        bold = _BOLD.match(line.text)
        if bold and (line.after_blank or ":" in bold.group()) and not line.is_see_list:
            return bold.end()
        bare = bool(self._entry.children) and self._builder.empty  # a heading still waits for its text
        if line.is_heading:
            return 0 if bare and (after is None or after.is_heading) else whole
        glued = _GLUED.match(line.text) if line.after_blank and not bare and not line.has_bullet and len(line.text) > 20 else None
        return glued.end(1) if glued and not self._builder.continues(line) else 0

    def _begin_term(self, line: NumberedLine, head: int) -> None:
        """Begin a term whose heading is the first ``head`` characters of ``line``."""
        end = line.start + head
        heading = line.plain if end >= line.end else re.sub(r"[*_]+", "", line.text[:head]).strip(" \t:–-")
        term = DraftEntry(Kind.TERM, heading, [Span(line.bullet_start, end)])
        self._entry.children.append(term)
        self._builder = NumberedPassageBuilder(term, self._text, self._rulebook)
        if end < line.end:
            rest = line.text[head:].lstrip()
            start = line.end - len(rest)
            self._builder.add(_remainder(line, start, rest))


def _remainder(line: NumberedLine, start: int, text: str) -> NumberedLine:
    return replace(
        line,
        bullet_start=start,
        start=start,
        text=text,
        plain=text.strip(),
        after_blank=True,
        number=None,
        name=text,
        corrected_kind=None,
        continues_text=False,
    )
