"""Several quotations in one message: each intact or visibly cut, with what it is and its link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from corpus.model import Passage, Span
from service.answers.chat.markup import MarkupStyle, StyledText
from service.answers.chat.truncation import CUT, truncate

LEAST_QUOTATION = 100  # UTF-16 code units of a quotation; label and link are shortened for it
SHORT_LABEL = 60  # characters of a label that had to be shortened


def utf16_length(text: str) -> int:
    """Return the length of ``text`` in UTF-16 code units, as Telegram counts; in code points, as
    Discord counts, it is never longer.
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True)
class ChatQuotation:
    """What is quoted of ``passage``, in ``language``, and cited by ``label`` and ``address``, None
    for no link.

    ``marks`` are the spans of its display to set off, ``asked`` is what leads in to it, "" where
    nothing does.
    """

    passage: Passage
    language: str
    label: str
    address: str | None
    marks: Sequence[Span] = ()
    asked: str = ""


class WrittenQuotations(NamedTuple):
    """A message with the ``passages`` that are quoted in it; ``cut`` says that one of them is not
    whole.
    """

    text: str
    cut: bool
    passages: tuple[Passage, ...]


def write_quotations(
    style: MarkupStyle, opening: Sequence[str], quotations: Sequence[ChatQuotation], limit: int
) -> WrittenQuotations:
    """Return a message of at most ``limit`` UTF-16 code units with the paragraphs ``opening`` and
    as many ``quotations`` as fit.

    The first has what the others leave of it, which have at most a half together; one that not even
    `LEAST_QUOTATION` is left for is left out, with all behind it.
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
    """Return ``blocks`` with ``quotation``, and whether that is cut; None where too little of it
    would fit.
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
    return (
        (compose(texts), cut)
        if fits(texts) and any(each.text.strip(f"{CUT} \n") for each in texts)
        else None
    )


def service_address(base: str | None, path: str) -> str | None:
    """Return the whole address of ``path`` in characters that no markup takes for its own; None
    without ``base``.
    """
    return (
        None if base is None else quote(base.rstrip("/"), safe=":/[]%~") + quote(path, safe="/#%")
    )


def closing_label(style: MarkupStyle, label: str, address: str | None, room: int) -> str:
    """Return a citation with its link, shortened where it is longer than ``room``; the link is left
    out as the last resort.
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
