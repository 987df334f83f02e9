"""The markup of chat platforms: what rulebook text has to be escaped for, how words are set off, quoted and linked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from corpus.languages import get_language
from service.schemas.limits import MessageFormat

_AT_WITHOUT_MENTION = "@\u200b"  # "@everyone" reads the same and calls nobody


class StyledText(NamedTuple):
    """Words of a quotation, set off or not."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class MarkupStyle:
    """How one form is written.

    ``signs`` match what would be taken for markup, each to be put behind a backslash; ``bold`` is put around words to set
    them off; ``link`` is filled with label and address; ``quote`` begins every line of a quotation, None where quotation
    marks stand around it; ``line`` ends a line and ``block`` a paragraph.
    """

    special: tuple[re.Pattern[str], ...]
    bold: str
    link: str
    quote: str | None
    line: str
    block: str

    def escape(self, text: str) -> str:
        """``text`` so that it reads as it is: no sign of it works as markup, and no name in it is called."""
        for signs in self.special:
            text = signs.sub(r"\\\g<0>", text)
        return text.replace("@", _AT_WITHOUT_MENTION)

    def heading(self, text: str) -> str:
        """A line that stands for itself."""
        return f"{self.bold}{self.escape(text)}{self.bold}"

    def link_citation(self, label: str, address: str | None) -> str:
        """A citation with its link."""
        if address is None:
            return self.escape(label)
        if self.quote is None or "[" in label or "]" in label:  # Discord ends the words of a link at a bracket, escaped or not
            return f"{self.escape(label)}{self.line}{address}" if self.quote is None else f"{self.escape(label)} <{address}>"
        return self.link.format(self.escape(label), address)

    def quotation(self, runs: Iterable[StyledText], language: str) -> str:
        """The words of ``runs`` as a quotation from a rulebook in ``language``."""
        if self.quote is None:
            opening, closing = get_language(language).citation.quotes
            return f"{opening}{self.escape(''.join(run.text for run in runs))}{closing}"
        return self.line.join(f"{self.quote}{self._line(line)}" for line in _lines(runs))

    def _line(self, runs: list[StyledText]) -> str:
        written = ""
        for place, (text, mark) in enumerate(runs):
            words = text.strip()
            before = text[: len(text) - len(text.lstrip())]
            after = text[len(text.rstrip()) :] if words else ""
            if not written:
                before = "\u00a0" * len(before)  # the indentation of a bullet; blanks would be dropped
            following = (after + "".join(run.text for run in runs[place + 1 :]))[:1]
            bold = self.bold if mark and words and _separates_words((written + before)[-1:]) and _separates_words(following) else ""
            written += f"{before}{bold}{self.escape(words)}{bold}{after}"
        return written.rstrip()


def _separates_words(sign: str) -> bool:
    """Whether words may be set off next to ``sign``: CommonMark does not do it inside a word."""
    return not sign or sign.isspace() or unicodedata.category(sign)[0] in "PS"


def _lines(runs: Iterable[StyledText]) -> list[list[StyledText]]:
    lines: list[list[StyledText]] = [[]]
    for text, mark in runs:
        first, *others = text.split("\n")
        lines[-1].append(StyledText(first, mark))
        lines += [[StyledText(other, mark)] for other in others]
    return [line for line in lines if any(run.text.strip() for run in line)]


# Both allow a backslash before every ASCII sign. Addresses in the text shall not become links, nor names emoji.
_COMMON = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>~=&$]|:(?=//)")
_DISCORD = re.compile(r"[\\`*_~|<>\[\]]|:(?=//)|(?m:^)[#+-]")
_COUNTED = re.compile(r"(?m)(?<=\d)[.)](?=[ \t])")  # "1. " would begin a list that is counted anew

MARKUP_STYLES = {
    MessageFormat.MARKDOWN: MarkupStyle((_COMMON,), "__", "[{}]({})", "> ", "  \n", "\n\n"),
    MessageFormat.PLAIN: MarkupStyle((), "", "", None, "\n", "\n\n"),
    MessageFormat.DISCORD: MarkupStyle((_DISCORD, _COUNTED), "**", "[{}](<{}>)", "> ", "\n", "\n"),
}
