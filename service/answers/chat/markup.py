"""The markup of chat platforms: what rulebook text has to be escaped for, how words are set off,
quoted and linked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.languages import get_language
from service.schemas.fields import MessageFormat

_AT_WITHOUT_MENTION = "@\u200b"  # "@everyone" reads the same and calls nobody


class StyledText(NamedTuple):
    """A part of a quotation, bold or not."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class MarkupStyle:
    """How one format is written.

    ``special`` match what would be taken for markup and gets a backslash before it; ``bold`` is put
    around bold words; ``link`` is filled with label and address, and ``brackets`` says whether the
    label may have escaped ones; ``quote`` begins every line of a quotation, None where quotation
    marks stand around it; ``line`` ends a line and ``block`` a paragraph.
    """

    special: tuple[re.Pattern[str], ...]
    bold: str
    link: str
    brackets: bool
    quote: str | None
    line: str
    block: str

    def escape(self, text: str) -> str:
        """Return ``text`` so that it is shown as it is: nothing in it works as markup, and no name
        in it is mentioned.
        """
        for pattern in self.special:
            text = pattern.sub(r"\\\g<0>", text)
        return text.replace("@", _AT_WITHOUT_MENTION)

    def heading(self, text: str) -> str:
        """Return a heading."""
        return f"{self.bold}{self.escape(text)}{self.bold}"

    def link_citation(self, label: str, address: str | None) -> str:
        """Return a citation with its link."""
        if address is None:
            return self.escape(label)
        if self.quote is None:
            return f"{self.escape(label)}{self.line}{address}"
        if not self.brackets and ("[" in label or "]" in label):
            return f"{self.escape(label)} <{address}>"
        return self.link.format(self.escape(label), address)

    def quotation(self, texts: Iterable[StyledText], language: str) -> str:
        """Return ``texts`` as a quotation from a rulebook in ``language``."""
        if self.quote is None:
            opening, closing = get_language(language).citation.quotes
            return f"{opening}{self.escape(''.join(each.text for each in texts))}{closing}"
        return self.line.join(f"{self.quote}{self._line(line)}" for line in _lines(texts))

    def _line(self, texts: Sequence[StyledText]) -> str:
        written = ""
        for place, (text, is_bold) in enumerate(texts):
            words = text.strip()
            before = text[: len(text) - len(text.lstrip())]
            after = text[len(text.rstrip()) :] if words else ""
            if not written:
                before = "\u00a0" * len(
                    before
                )  # the indentation of a bullet; blanks would be dropped
            following = (after + "".join(each.text for each in texts[place + 1 :]))[:1]
            allowed = _allows_bold((written + before)[-1:]) and _allows_bold(following)
            bold = self.bold if is_bold and words and allowed else ""
            written += f"{before}{bold}{self.escape(words)}{bold}{after}"
        return written.rstrip()


def _allows_bold(character: str) -> bool:
    """Return whether words next to ``character`` may be bold: CommonMark has no bold inside a
    word.
    """
    return not character or character.isspace() or unicodedata.category(character)[0] in "PS"


def _lines(texts: Iterable[StyledText]) -> list[list[StyledText]]:
    """Return ``texts`` line by line, without blank lines."""
    lines: list[list[StyledText]] = [[]]
    for text, bold in texts:
        first, *others = text.split("\n")
        lines[-1].append(StyledText(first, bold))
        lines += [[StyledText(other, bold)] for other in others]
    return [line for line in lines if any(each.text.strip() for each in line)]


# Both allow a backslash before every ASCII sign. Addresses in the text must not become links, nor
# names emoji.
_COMMON = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>~=&$]|:(?=//)")
_DISCORD = re.compile(r"[\\`*_~|<>\[\]]|:(?=//)|(?m:^)[#+-]")
_LIST_NUMBER = re.compile(
    r"(?m)(?<=\d)[.)](?=[ \t])"
)  # "1. " would begin a list with numbers of its own

MARKUP_STYLES = {
    MessageFormat.MARKDOWN: MarkupStyle(
        special=(_COMMON,),
        bold="__",
        link="[{}]({})",
        brackets=True,
        quote="> ",
        line="  \n",
        block="\n\n",
    ),
    MessageFormat.PLAIN: MarkupStyle(
        special=(), bold="", link="", brackets=True, quote=None, line="\n", block="\n\n"
    ),
    # Discord ends the words of a link at a bracket, escaped or not.
    MessageFormat.DISCORD: MarkupStyle(
        special=(_DISCORD, _LIST_NUMBER),
        bold="**",
        link="[{}](<{}>)",
        brackets=False,
        quote="> ",
        line="\n",
        block="\n",
    ),
}
