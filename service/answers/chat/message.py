"""A message for a chat: the best passage, quoted intact or visibly cut, with citation and link; the
next ones cited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from corpus.cards.model import Card
from corpus.display import display
from corpus.model import Passage, Span
from index.library.library import Library
from index.model import CardTextHit, Hit, PartResult, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.answer import LIKELY, REPAIRED, answer_head
from service.answers.chat.card_message import compose_card_message
from service.answers.chat.cited import CitedPassages
from service.answers.chat.markup import MARKUP_STYLES, MarkupStyle, StyledText
from service.answers.chat.quotations import (
    LEAST_QUOTATION,
    SHORT_LABEL,
    closing_label,
    service_address,
    utf16_length,
)
from service.answers.chat.truncation import CUT, truncate
from service.answers.citations import cite, marked_page_url, special_format_label
from service.answers.games import unnamed_game
from service.answers.notes import LACKING, missing_rule_label, not_in_effect_label
from service.core.highlighting import display_spans, telling_spans
from service.core.i18n import N_, translate
from service.core.repaired import repaired_line
from service.core.snapshot import Snapshot
from service.schemas.answer import ChatMessageOut
from service.schemas.fields import MESSAGE_LIMITS, MessageFormat

MOST_FURTHER = 3  # passages that are cited behind the one that is quoted

_UNSETTLED = N_("The rulebook may not settle this")
_FALLBACK = N_("What holds then")
_NEAREST = N_("Nearest passages")
_FURTHER = N_("Further passages")
_ASKED = N_("Each question by itself")
_NOTHING = N_(
    "No passage has anything to do with these words. Try other words, or search in all rulebooks."
)
_MOST_LEAD_IN = 0.25  # share of a message that what leads in to the quotation may have, and that remarks behind it may


@dataclass(frozen=True)
class ChatMessage:
    """A message and what is in it.

    ``length`` and ``limit`` count UTF-16 code units; ``cut`` says that the quotation is not whole;
    ``cited`` are the passages that are named, first the one that is ``quoted``.
    """

    text: str
    format: MessageFormat
    limit: int
    cut: bool
    quoted: Passage | None
    cited: tuple[Passage, ...]

    @property
    def length(self) -> int:
        """The length of the text in UTF-16 code units."""
        return utf16_length(self.text)


@dataclass(frozen=True)
class _Plan:
    """What a message is made of.

    ``opening`` are the paragraphs before the quotation; ``quoted`` is the passage to quote, None
    where there is none, and ``marks`` the spans of its display to set off; ``further`` are hits to
    cite behind it under ``heading``, which may be empty. Where several things were asked, ``asked``
    are the questions with the best hit of each, to be cited instead under that heading.
    """

    opening: list[str]
    quoted: Passage | None = None
    marks: Sequence[Span] = ()
    heading: str = ""
    further: Sequence[Hit] = ()
    asked: Sequence[PartResult] = ()


def message_out(snapshot: Snapshot, result: SearchResult, message: ChatMessage) -> ChatMessageOut:
    """Return the answer to what was asked of ``snapshot`` as a ``message``."""
    cited = CitedPassages(snapshot.library, result)
    return ChatMessageOut(
        **answer_head(snapshot, result),
        format=message.format,
        message=message.text,
        length=message.length,
        limit=message.limit,
        cut=message.cut,
        citations=[cited.out(passage) for passage in message.cited],
    )


def compose_message(
    library: Library,
    result: SearchResult,
    format: MessageFormat,
    base: str | None,
    limit: int | None = None,
) -> ChatMessage:
    """Return what was found as a message in ``format`` with at most ``limit`` UTF-16 code units.

    ``base`` is the address that links begin with; without it there are none. ``limit`` is at most
    that of the platform (`MESSAGE_LIMITS`), which holds where none is given; from `LEAST_MESSAGE`
    on it is never exceeded. Where the rulebook leaves the question open, the message says so in the
    language of the question and quotes the game's own rule for such cases, else the nearest
    passage.
    """
    style, limit = (
        MARKUP_STYLES[format],
        min(limit or MESSAGE_LIMITS[format], MESSAGE_LIMITS[format]),
    )
    if result.ranked and isinstance(result.ranked[0], CardTextHit):
        return _card_message(result, result.ranked[0].quoted.card, format, base, limit)
    plan, cited_passages = _plan(style, result), CitedPassages(library, result, base)
    quoted = plan.quoted
    if quoted is None:
        return ChatMessage(
            text=style.block.join(plan.opening),
            format=format,
            limit=limit,
            cut=False,
            quoted=None,
            cited=(),
        )
    language = cited_passages.language(quoted)
    opening = [*plan.opening, *_lead_in(style, quoted, limit)]
    remarks = (
        _remarks(style, library, quoted, result, limit) if cited_passages.is_printed(quoted) else []
    )
    marks = telling_spans(quoted.display, plan.marks)
    room = (
        limit
        - LEAST_QUOTATION
        - utf16_length(style.block.join([*opening, "", ""]) + style.line.join(["", *remarks]))
    )
    closing = style.line.join(
        [_closing(style, library, cited_passages, quoted, base, room), *remarks]
    )

    def compose(quotation: Iterable[StyledText], *more: str) -> str:
        return style.block.join([*opening, style.quotation(quotation, language), closing, *more])

    quotation, cut = truncate(
        quoted.display, marks, lambda texts: utf16_length(compose(texts)) <= limit
    )
    text, cited = compose(quotation), [quoted]
    lines = [plan.heading]
    for line, passage in _cited_lines(style, cited_passages, plan, result.language):
        lines.append(line)
        longer = compose(quotation, style.line.join(filter(None, lines)))
        if utf16_length(longer) > limit:
            break
        text, cited = longer, [*cited, *([passage] if passage and passage not in cited else [])]
    return ChatMessage(
        text=text, format=format, limit=limit, cut=cut, quoted=quoted, cited=tuple(cited)
    )


def _cited_lines(
    style: MarkupStyle, cited: CitedPassages, plan: _Plan, language: str
) -> Iterator[tuple[str, Passage | None]]:
    """Yield what stands behind the quotation, a line for each passage cited: the answer to each of
    several questions, else further ones.
    """
    for part in plan.asked:
        words = " ".join(part.question.split())
        asked = style.escape(
            words
            if len(words) <= SHORT_LABEL
            else f"{words[: SHORT_LABEL - len(CUT)].rsplit(' ', 1)[0]} {CUT}"
        )
        best = part.ranked[0].passage if part.answered else None
        answer = (
            _linked_label(style, cited, best)
            if best
            else style.escape(translate(language, _UNSETTLED))
        )
        yield f"• {asked} – {answer}", best
    entries = {plan.quoted.entry} if plan.quoted else set()
    for hit in () if plan.asked else plan.further:
        if len(entries) <= MOST_FURTHER and hit.passage.entry not in entries:
            entries.add(hit.passage.entry)
            yield f"• {_linked_label(style, cited, hit.passage)}", hit.passage


def _plan(style: MarkupStyle, result: SearchResult) -> _Plan:
    """Decide what to quote and what to say before it, in the language of the question."""

    def heading(text: str) -> str:
        return style.heading(translate(result.language, text))

    if not result.in_effect:
        return _Plan([style.escape(not_in_effect_label(result))])
    said = {Settlement.OPEN: _UNSETTLED, Settlement.LIKELY: LIKELY}.get(result.settled)
    lacking = LACKING[result.lacking[0]] if result.lacking and not result.answered else ""
    opening = [heading(lacking or said)] if said else []
    if result.missing_rule:
        return _Plan(
            [style.heading(missing_rule_label(result))],
            result.ranked[0].passage,
            (),
            "",
            result.ranked[1:],
        )
    fallback = None if result.answered else result.fallback
    if not result.ranked and fallback:
        return _Plan([*opening, heading(_FALLBACK)], fallback)
    if not result.ranked:
        return _Plan([*opening, style.escape(translate(result.language, _NOTHING))])
    first, *further = result.ranked
    marks = display_spans(first.passage, first.highlights)
    if result.answered:
        asked = [part for part in result.parts if part.ranked]
        return _Plan(
            opening, first.passage, marks, heading(_ASKED if asked else _FURTHER), further, asked
        )
    if fallback:
        return _Plan(
            [*opening, heading(_NEAREST)],
            first.passage,
            marks,
            heading(_FALLBACK),
            [Hit(fallback, 0.0, ())],
        )
    return _Plan([*opening, heading(_NEAREST)], first.passage, marks, "", further)


def _lead_in(style: MarkupStyle, passage: Passage, limit: int) -> list[str]:
    """Return what is printed before ``passage`` and leads in to it, in brackets; nothing where that
    would take too much of the message.
    """
    words = " ".join(display(passage.lead_in).split())
    text = style.escape(f"[{words}]")
    return [text] if words and utf16_length(text) <= limit * _MOST_LEAD_IN else []


def _remarks(
    style: MarkupStyle, library: Library, passage: Passage, result: SearchResult, limit: int
) -> list[str]:
    """Return the game of ``passage`` where nothing else says it, the special format that it holds
    in alone, and its misprints as meant.

    What takes too much of the message is left out.
    """
    language, special, repaired = (
        result.language,
        library.format_of(passage),
        repaired_line(library, passage),
    )
    game = unnamed_game(library, result.query, passage)
    texts = [
        f"({game})" if game else "",
        special_format_label(language, special) if special else "",
        f"({translate(language, REPAIRED)}: {repaired})" if repaired else "",
    ]
    found: list[str] = []
    for text in map(style.escape, filter(None, texts)):
        if utf16_length(style.line.join([*found, text])) <= limit * _MOST_LEAD_IN:
            found.append(text)
    return found


def _closing(
    style: MarkupStyle,
    library: Library,
    cited: CitedPassages,
    passage: Passage,
    base: str | None,
    room: int,
) -> str:
    """Return citation and link of ``passage``, shortened where they are longer than ``room``; the
    link is left out as the last resort.
    """
    label, link = cited.label(passage), cited.address(passage)
    paged = (
        f"— {_label_with_page(style, library, passage, link, base)}"
        if cited.is_printed(passage)
        else "— "
    )
    return (
        paged
        if paged != "— " and utf16_length(paged) <= room
        else f"— {closing_label(style, label, link, room - len('— '))}"
    )


def _label_with_page(
    style: MarkupStyle, library: Library, passage: Passage, link: str | None, base: str | None
) -> str:
    """Return the citation with links to the entry and to the page as it is printed; "" without
    pages, or where words cannot be links.
    """
    places = library.places_of(passage)
    if link is None or not places or style.quote is None:
        return ""
    citation = cite(library, passage)
    printed = f"{service_address(base, '')}{marked_page_url(library, passage, places[0].page)}"
    return f"{style.link_citation(citation.name, link)}, {style.link_citation(citation.position, printed)}"


def _linked_label(style: MarkupStyle, cited: CitedPassages, passage: Passage) -> str:
    return style.link_citation(cited.label(passage), cited.address(passage))


def _card_message(
    result: SearchResult, card: Card, format: MessageFormat, base: str | None, limit: int
) -> ChatMessage:
    """Return the message on ``card``, which is all that was asked for, with the rulings that were
    found.
    """
    rulings = [hit.ruling for hit in result.beside if isinstance(hit, RulingHit)]
    found = compose_card_message(card, rulings, result.language, format, base, limit)
    known = {hit.passage.id for hit in result.beside}
    cited = tuple(passage for passage in found.quoted if passage.id in known)
    return ChatMessage(
        text=found.text,
        format=format,
        limit=limit,
        cut=found.cut,
        quoted=cited[0] if cited else None,
        cited=cited,
    )
