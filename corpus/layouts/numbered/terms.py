"""Reads the glossary of a numbered rulebook.

The heading of a term is on a line of its own, in bold at the beginning of its text, or has run into
its text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from corpus.draft import DraftEntry, DraftRulebook
from corpus.languages import any_of, capitals
from corpus.layouts.numbered.lines import SHORT, NumberedLine
from corpus.layouts.numbered.passages import NumberedPassageBuilder, is_redirect
from corpus.model import Kind, Role, Span

# Words that have a capital only at the beginning of a sentence. One of them behind a few other
# words shows that a heading has run into its text ("Stapel Eine Gruppe …").
_OPENERS = any_of("sentences.openers")
_WORD = r"[^\W\d_][\w’'/&-]{0,40}"
_GLUED = re.compile(
    rf"(?!{_OPENERS}\b)({_WORD}(?:,? {_WORD}){{0,3}}?) (?={_OPENERS} |{any_of('sentences.opener_elisions')}['’]\w)"
)
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,60}?)[:.]?(?:\*\*|__)[ \t]*+[:–-]?[ \t]*+(?=\S)")
_LETTER = re.compile(rf"\W*[{capitals()}]\W*")


class GlossaryReader:
    """Reads the lines of a glossary; the terms become children of ``entry``, the glossary
    itself.
    """

    def __init__(self, entry: DraftEntry, text: str, rulebook: DraftRulebook):
        self._entry = entry
        self._text = text
        self._rulebook = rulebook
        self._builder = NumberedPassageBuilder(entry, text, rulebook)

    def add(self, line: NumberedLine, after: NumberedLine | None) -> bool:
        """Read one line; ``after`` is the next one. Returns False if it is only a letter of the
        alphabet between terms.
        """
        if (
            line.after_blank
            and _LETTER.fullmatch(line.plain)
            and (after is None or after.after_blank)
            and line.corrected_kind is None
        ):
            return False
        if length := self._heading_length(line, after):
            self._begin_term(line, length)
        else:
            self._builder.add(line)
        return True

    def close(self) -> None:
        """Finish after the last line: make terms that are only references redirects."""
        for term in self._entry.children:
            if is_redirect(term, self._text):
                term.kind = Kind.REDIRECT
                term.passages[0].role = Role.SEE

    def _heading_length(self, line: NumberedLine, after: NumberedLine | None) -> int:
        """The number of characters of ``line`` that are the heading of a new term; 0 if it is
        text.
        """
        whole = line.end - line.start
        if line.corrected_kind is not None:
            match = _GLUED.match(line.text)
            return match.end(1) if match and len(line.text) > SHORT else whole
        if line.continues_text:
            return 0
        bold = _BOLD.match(line.text)
        if bold and (line.after_blank or ":" in bold.group()) and not line.is_see_list:
            return bold.end()
        bare = (
            bool(self._entry.children) and self._builder.empty
        )  # the last heading has no text yet
        if line.is_heading:
            return 0 if bare and (after is None or after.is_heading) else whole
        glued = (
            _GLUED.match(line.text)
            if line.after_blank and not bare and not line.has_bullet and len(line.text) > 20
            else None
        )
        return glued.end(1) if glued and not self._builder.continues(line) else 0

    def _begin_term(self, line: NumberedLine, length: int) -> None:
        """Begin a term whose heading is the first ``length`` characters of the text of ``line``."""
        end = line.start + length
        heading = (
            line.plain
            if end >= line.end
            else re.sub(r"[*_]+", "", line.text[:length]).strip(" \t:–-")
        )
        term = DraftEntry(Kind.TERM, heading, [Span(line.bullet_start, end)])
        self._entry.children.append(term)
        self._builder = NumberedPassageBuilder(term, self._text, self._rulebook)
        if end < line.end:
            rest = line.text[length:].lstrip()
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
