"""Write quotations in the markup of chat platforms, whole or visibly cut, with linked citations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from corpus.languages import get_language
from corpus.model import Passage, Span
from corpus.sentences import sentences
from service.schemas.fields import MessageFormat

_AT_WITHOUT_MENTION = "@\u200b"  # "@everyone" looks the same and mentions nobody


class StyledText(NamedTuple):
    """A part of a quotation, ``bold`` or not."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class MarkupStyle:
    """The markup of one format.

    Attributes:
        special: Patterns of text to escape with a backslash.
        bold: The mark before and after bold words.
        link: The template of a link, with label and address.
        brackets: Whether the label of a link may have escaped brackets.
        quote: The beginning of every line of a quotation, None if quotation marks are used.
        line, block: The separators of lines and of paragraphs.
    """

    special: tuple[re.Pattern[str], ...]
    bold: str
    link: str
    brackets: bool
    quote: str | None
    line: str
    block: str

    def escape(self, text: str) -> str:
        """Return ``text`` escaped, without markup and mentions of users."""
        for pattern in self.special:
            text = pattern.sub(r"\\\g<0>", text)
        return text.replace("@", _AT_WITHOUT_MENTION)

    def heading(self, text: str) -> str:
        """Return ``text`` as a heading."""
        return f"{self.bold}{self.escape(text)}{self.bold}"

    def link_citation(self, label: str, address: str | None) -> str:
        """Return the citation ``label`` with its link, if any."""
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
                )  # the indentation of a bullet; ordinary blanks would be dropped
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


# Characters that are markup in CommonMark and Discord; both allow a backslash before any ASCII
# sign. Addresses in the text must not become links.
_COMMON = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>~=&$]|:(?=//)")
_DISCORD = re.compile(r"[\\`*_~|<>\[\]]|:(?=//)|(?m:^)[#+-]")
_LIST_NUMBER = re.compile(
    r"(?m)(?<=\d)[.)](?=[ \t])"
)  # "1. " would begin a list, which is numbered anew

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
    # Discord ends the label of a link at a bracket, escaped or not.
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


CUT = "[…]"


def truncate(
    text: str, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]
) -> tuple[list[StyledText], bool]:
    """Return ``text`` with ``marks`` bold, cut until it ``fits``, and whether it was cut.

    Sentences with marks, which answer, are kept first, then the sentences nearest to them, all in
    printed order. If the first answering sentence is too long by itself, it is cut after a word.
    """

    def select(numbers: Iterable[int]) -> list[StyledText]:
        return _with_omissions(text, [pieces[n] for n in sorted(numbers)], marks)

    whole = _with_omissions(text, [Span(0, len(text))], marks)
    if fits(whole):
        return whole, False
    pieces = [Span(start, end) for start, end in sentences(text)]
    answering = [
        n
        for n, piece in enumerate(pieces)
        if any(a < piece.end and piece.start < b for a, b in marks)
    ] or [0]
    first = answering[0]
    if not fits(select([first])):
        return _truncate_sentence(text, pieces[first], marks, fits), True
    selected = {first}
    for n in answering[1:]:
        if fits(select({*selected, n})):
            selected.add(n)
    others = [n for n in range(len(pieces)) if n not in answering]
    for n in sorted(others, key=lambda n: (min(abs(n - a) for a in answering), n < first)):
        if not fits(select({*selected, n})):
            break
        selected.add(n)
    return select(selected), True


def _truncate_sentence(
    text: str, sentence: Span, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]
) -> list[StyledText]:
    """Return as many words of ``sentence`` as fit, or only `CUT` if none does."""
    ends = [
        sentence.start + match.end()
        for match in re.finditer(r"\S+", text[sentence.start : sentence.end])
    ]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_with_omissions(text, [Span(sentence.start, ends[middle - 1])], marks)):
            low = middle
        else:
            high = middle - 1
    return (
        _with_omissions(text, [Span(sentence.start, ends[low - 1])], marks)
        if low
        else [StyledText(CUT)]
    )


def _with_omissions(text: str, selected: Sequence[Span], marks: Sequence[Span]) -> list[StyledText]:
    """Return the ``selected`` spans of ``text``, with […] in place of omitted text."""
    texts: list[StyledText] = []
    last = 0
    for start, end in selected:
        between = text[last:start]
        if between.strip():
            lead = "" if not texts else "\n" if text[last : last + 1] == "\n" else " "
            texts.append(
                StyledText(
                    f"{lead}{CUT}" + ("\n" if "\n" in between[len(between.rstrip()) :] else " ")
                )
            )
        elif texts:
            texts.append(StyledText(between))
        texts += _split_at_marks(text, start, end, marks)
        last = end
    if text[last:].strip():
        texts.append(StyledText(f" {CUT}"))
    return texts


def _split_at_marks(text: str, start: int, end: int, marks: Sequence[Span]) -> list[StyledText]:
    """Return the text from ``start`` to ``end``, split where marks begin and end."""
    texts, at = [], start
    for a, b in sorted(marks):
        a, b = max(a, at), min(b, end)
        if a < b:
            texts += [StyledText(text[at:a]), StyledText(text[a:b], bold=True)]
            at = b
    texts.append(StyledText(text[at:end]))
    return [each for each in texts if each.text]


LEAST_QUOTATION = 100  # least UTF-16 code units of a quotation; label and link make room for it
SHORT_LABEL = 60  # most characters of a shortened label


def utf16_length(text: str) -> int:
    """Return the length of ``text`` in UTF-16 code units, as Telegram counts; never less than in
    code points, as Discord counts.
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True)
class ChatQuotation:
    """A quotation of ``passage``, in ``language``.

    Attributes:
        label: The citation.
        address: The link, or None.
        marks: The spans of the passage's display to set in bold.
        asked: The lead-in, such as the question of a ruling, or "".
        below: The text to read below the quotation, omitted if it does not fit.
    """

    passage: Passage
    language: str
    label: str
    address: str | None
    marks: Sequence[Span] = ()
    asked: str = ""
    below: str = ""


class WrittenQuotations(NamedTuple):
    """A message with the ``passages`` that it quotes; ``cut``: a quotation is not whole."""

    text: str
    cut: bool
    passages: tuple[Passage, ...]


def write_quotations(
    style: MarkupStyle, opening: Sequence[str], quotations: Sequence[ChatQuotation], limit: int
) -> WrittenQuotations:
    """Return a message of at most ``limit`` UTF-16 code units with the paragraphs ``opening`` and
    as many ``quotations`` as fit.

    Half of the limit, or less if they are short, is reserved for quotations after the first. From
    the first quotation that does not get `LEAST_QUOTATION`, all are left out.
    """
    blocks, cut, passages = list(opening), False, []
    for place, quotation in enumerate(quotations):
        others = [
            utf16_length(style.block.join(["", *_whole(style, each)]))
            for each in quotations[place + 1 :]
        ]
        room = limit - min(sum(others), limit // 2 if place == 0 else 0)
        found = _written(style, blocks, quotation, room if place == 0 else limit)
        if found is None:
            break
        texts, shortened = found
        blocks, cut = texts, cut or shortened
        passages.append(quotation.passage)
    return WrittenQuotations(style.block.join(blocks), cut, tuple(passages))


def _whole(style: MarkupStyle, quotation: ChatQuotation) -> list[str]:
    """Return the paragraphs of ``quotation``, uncut."""
    closing = f"— {style.link_citation(quotation.label, quotation.address)}"
    return _paragraphs(style, quotation, [StyledText(quotation.passage.display)], closing)


def _paragraphs(
    style: MarkupStyle, quotation: ChatQuotation, texts: Iterable[StyledText], closing: str
) -> list[str]:
    asked = [style.escape(f"[{' '.join(quotation.asked.split())}]")] if quotation.asked else []
    return [*asked, style.quotation(texts, quotation.language), closing]


def _written(
    style: MarkupStyle, blocks: Sequence[str], quotation: ChatQuotation, limit: int
) -> tuple[list[str], bool] | None:
    """Return ``blocks`` with the paragraphs of ``quotation``, and whether it is cut; None if too
    little of it fits.
    """
    asked = style.block.join(_paragraphs(style, quotation, [], "")) if quotation.asked else ""
    whole = utf16_length(
        style.quotation([StyledText(quotation.passage.display)], quotation.language)
    )
    room = (
        limit
        - utf16_length(style.block.join([*blocks, asked, "", ""]))
        - min(LEAST_QUOTATION, whole)
    )
    closing = f"— {closing_label(style, quotation.label, quotation.address, room)}"

    def compose(texts: Iterable[StyledText]) -> list[str]:
        return [*blocks, *_paragraphs(style, quotation, texts, closing)]

    def fits(texts: Iterable[StyledText]) -> bool:
        return utf16_length(style.block.join(compose(texts))) <= limit

    texts, cut = truncate(quotation.passage.display, quotation.marks, fits)
    longer = [*texts, StyledText(f"\n{quotation.below}")]
    if quotation.below and not cut and fits(longer):
        texts, cut = longer, quotation.below.endswith(CUT)
    return (
        (compose(texts), cut)
        if fits(texts) and any(each.text.strip(f"{CUT} \n") for each in texts)
        else None
    )


def service_address(base: str | None, path: str) -> str | None:
    """Return the full address of ``path``, with characters encoded that are markup, or None without
    ``base``.
    """
    return (
        None if base is None else quote(base.rstrip("/"), safe=":/[]%~") + quote(path, safe="/#%")
    )


def closing_label(style: MarkupStyle, label: str, address: str | None, room: int) -> str:
    """Return the citation ``label`` with its link, shortened to fit into ``room``; as a last resort
    without the link.
    """
    short = (
        label
        if len(label) <= SHORT_LABEL
        else f"{label[: SHORT_LABEL - len(CUT)].rsplit(' ', 1)[0]} {CUT}"
    )
    texts = [
        style.link_citation(text, to)
        for text, to in ((label, address), (short, address), (label, None), (short, None))
    ]
    return next((text for text in texts if utf16_length(text) <= room), texts[-1])
