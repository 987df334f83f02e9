"""Write answers and cards as chat messages: the best passage quoted with citation and link, the
next passages only cited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from corpus.cards.model import Card, name_in
from corpus.display import display
from corpus.model import Passage, Span
from corpus.rulings.model import Ruling
from glossary.normalization import tokenize
from index.layers.passages import CardPassage, Layer, ruling_passage, texts_in
from index.library.library import Library
from index.model import CardTextHit, Hit, LayerHit, PartResult, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from index.scopes import searched_editions
from service.answers.answer import (
    LIKELY,
    REPAIRED,
    answer_head,
)
from service.answers.below import is_comparison, read_with, shown_of, shown_text
from service.answers.chat_markup import (
    CUT,
    LEAST_QUOTATION,
    MARKUP_STYLES,
    SHORT_LABEL,
    ChatQuotation,
    MarkupStyle,
    StyledText,
    closing_label,
    service_address,
    truncate,
    utf16_length,
    write_quotations,
)
from service.answers.citations import (
    card_label,
    card_url,
    citation_label,
    cite,
    entry_url,
    marked_page_url,
    ruling_label,
    ruling_url,
    special_format_label,
    unnamed_game,
)
from service.answers.notes import (
    LACKING,
    missing_rule_label,
    not_in_effect_label,
    other_game_label,
    textless_label,
)
from service.answers.sources import (
    Sources,
    card_citation_out,
    citation_out,
    ruling_citation_out,
)
from service.core.displayed import display_spans, repaired_line, telling_spans
from service.core.i18n import N_, translate
from service.core.snapshot import Snapshot
from service.schemas.answer import CardMessageOut, ChatMessageOut
from service.schemas.fields import MESSAGE_LIMITS, MessageFormat
from service.schemas.passage import CitationOut, LayerCitationOut


class CitedPassages:
    """Cites the passages of ``result`` in the language of the question; links begin with
    ``base``.
    """

    def __init__(self, library: Library, result: SearchResult, base: str | None = None):
        self._library, self._language, self._base = library, result.language, base
        self._beside: dict[str, LayerHit] = {
            hit.passage.id: hit
            for hit in chain(*(part.beside for part in result.parts), result.beside)
        }

    def is_printed(self, passage: Passage) -> bool:
        """Return whether ``passage`` is from a rulebook."""
        return passage.id not in self._beside

    def language(self, passage: Passage) -> str:
        """Return the language of ``passage``."""
        match self._beside.get(passage.id):
            case None:
                return self._library.edition[self._library.entry[passage.entry].edition].language
            case CardTextHit(quoted=quoted):
                return quoted.text.quoted.language
            case hit:
                return hit.ruling.answer.language

    def label(self, passage: Passage) -> str:
        """Return the citation of ``passage`` in one line."""
        match self._beside.get(passage.id):
            case None:
                return citation_label(self._library, passage)
            case CardTextHit(quoted=quoted):
                return card_label(quoted, self._language)
            case hit:
                return ruling_label(hit.ruling, self._language, hit.older)

    def address(self, passage: Passage) -> str | None:
        """Return the link to ``passage``; None without a base."""
        match self._beside.get(passage.id):
            case None:
                path = entry_url(self._library.entry[passage.entry])
            case CardTextHit(quoted=quoted):
                path = card_url(quoted.card)
            case hit:
                path = ruling_url(hit.ruling)
        return service_address(self._base, path)

    def out(self, passage: Passage) -> CitationOut | LayerCitationOut:
        """Return the citation of ``passage`` for the API."""
        match self._beside.get(passage.id):
            case None:
                return citation_out(self._library, passage)
            case CardTextHit(quoted=quoted):
                return card_citation_out(quoted, self._language)
            case hit:
                return ruling_citation_out(hit.ruling, passage, self._language, hit.older)


MOST_RULINGS = 2  # most rulings quoted; the page of the card has all
_NO_TEXT = N_("This card has no text.")
_OTHERS = N_("Other cards of this name")


@dataclass(frozen=True)
class ChatMessage:
    """A message; ``cited`` are first the passages that it quotes, then those that it only cites.

    ``length`` and ``limit`` count UTF-16 code units; ``cut``: a quotation is not whole.
    """

    text: str
    format: MessageFormat
    limit: int
    cut: bool
    cited: tuple[Passage, ...]

    @property
    def length(self) -> int:
        """The length of the text in UTF-16 code units."""
        return utf16_length(self.text)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the API that all messages have, without citations."""
        return {
            "format": self.format,
            "message": self.text,
            "length": self.length,
            "limit": self.limit,
            "cut": self.cut,
        }


def compose_card_message(
    card: Card,
    rulings: Sequence[Ruling],
    language: str,
    format: MessageFormat,
    base: str | None,
    limit: int | None = None,
    others: Sequence[Card] = (),
    said: Sequence[str] = (),
) -> ChatMessage:
    """Return ``card`` as a message in ``format``.

    The name and the paragraphs ``said`` on the verdict are followed by the card's texts, errata
    first, in ``language`` or otherwise in English; by up to `MOST_RULINGS` valid ``rulings``,
    official ones first; and by links to ``others`` of the same name, as far as they fit.

    Args:
        base: The beginning of links; no links if None.
        limit: The most UTF-16 code units, at most the platform's limit.
    """
    style, limit = (
        MARKUP_STYLES[format],
        min(limit or MESSAGE_LIMITS[format], MESSAGE_LIMITS[format]),
    )
    name, texts = card.name(language), _distinct(texts_in(card, language))
    opening = [style.heading(name), *said]
    if not texts:
        link = style.link_citation(name, service_address(base, card_url(card)))
        opening += [style.escape(translate(language, _NO_TEXT)), f"— {link}"]
    holding = sorted(
        (ruling for ruling in rulings if not ruling.superseded_by),
        key=lambda ruling: not ruling.authority.official,
    )
    quotations = [
        *(_quoted_text(text, language, base) for text in texts),
        *(_quoted_ruling(ruling, language, base) for ruling in holding[:MOST_RULINGS]),
    ]
    written = write_quotations(style, opening, quotations, limit)
    text = _with_others(style, written.text, others, language, base, limit)
    return ChatMessage(text, format, limit, written.cut, written.passages)


def card_message_out(
    snapshot: Snapshot, card: Card, message: ChatMessage, language: str
) -> CardMessageOut:
    """Return ``message``, on ``card``, for the API, with citations in ``language``."""
    sources = Sources(snapshot)
    return CardMessageOut(
        card=card.id,
        game=card.game,
        name=card.name(language),
        url=card_url(card),
        language=language,
        index=snapshot.id,
        **message.fields,
        citations=[
            citation
            for passage in message.cited
            if isinstance(citation := sources.citation_out(passage, language), LayerCitationOut)
        ],
    )


def _distinct(texts: Sequence[CardPassage]) -> list[CardPassage]:
    """Return ``texts`` without those that repeat an earlier text, such as an erratum."""
    found: dict[str, CardPassage] = {}
    for text in texts:
        found.setdefault(text.passage.display, text)
    return list(found.values())


def _with_others(
    style: MarkupStyle,
    text: str,
    others: Sequence[Card],
    language: str,
    base: str | None,
    limit: int,
) -> str:
    """Return ``text`` with a line for each of the cards ``others``, as far as they fit."""
    lines = [style.heading(translate(language, _OTHERS))]
    written = text
    for card in others:
        address = service_address(base, card_url(card))
        lines.append(f"• {style.link_citation(_told_apart(card, language), address)}")
        longer = style.block.join([text, style.line.join(lines)])
        if utf16_length(longer) > limit:
            break
        written = longer
    return written


def _told_apart(card: Card, language: str) -> str:
    """Return the name of ``card`` with its first product and number, to tell cards of one name
    apart.
    """
    printing = next(iter(card.printings), None)
    product = name_in(printing.products, language) if printing else ""
    return ", ".join(
        filter(None, (card.name(language), product, printing.number if printing else ""))
    )


def _quoted_text(text: CardPassage, language: str, base: str | None) -> ChatQuotation:
    spoken = text.text.quoted.language
    return ChatQuotation(
        text.passage, spoken, card_label(text, language), service_address(base, card_url(text.card))
    )


def _quoted_ruling(ruling: Ruling, language: str, base: str | None) -> ChatQuotation:
    passage = ruling_passage(ruling)
    address = service_address(base, ruling_url(ruling))
    return ChatQuotation(
        passage,
        ruling.answer.language,
        ruling_label(ruling, language),
        address,
        asked=passage.lead_in,
    )


_MOST_BELOW = 1_600  # most bytes of an entry that is looked up, below its beginning
_CERTAIN = 0.6  # certainty from which the question is a misspelt name


class NamedCard(NamedTuple):
    """The ``card`` whose name is the question, the ``others`` with the same name, and the name's
    ``language``.
    """

    card: Card
    others: tuple[Card, ...]
    language: str


def named_card(snapshot: Snapshot, result: SearchResult) -> NamedCard | None:
    """Return the card whose name is the whole question; None if there is none, if the name is also
    a term of the game, if several games have such a card, or if the query is as of a day.

    A name that is the same in several languages counts as in the question's language, if possible.
    """
    query, cards = result.query, snapshot.cards
    if query.as_of is not None or (query.layers is not None and Layer.CARDS not in query.layers):
        return None
    scope = {edition.game for edition in searched_editions(snapshot.library, query)}
    named: dict[str, tuple[Card, ...]] = {}
    for game in (game for game in cards.games if game in scope):
        is_term = result.parsed is not None and bool(result.parsed.mentions.get(game))
        called = () if is_term else cards.called(game, query.question)
        if found := called or _misspelt(snapshot, query.question, game, result.language):
            named[game] = found
    if len(named) != 1:
        return None
    [(game, found)] = named.items()
    return NamedCard(
        found[0],
        found[1:],
        query.language or _language(snapshot, query.question, game, result.language),
    )


def named_card_message(
    snapshot: Snapshot,
    result: SearchResult,
    named: NamedCard,
    format: MessageFormat,
    base: str | None,
    limit: int | None,
) -> ChatMessageOut:
    """Return the message on the ``named`` card that answers ``result.query``; other arguments are
    as in `compose_card_message`.
    """
    wanted = result.query.layers
    loaded = snapshot.index.rulings.of_card(named.card.game, named.card.id)
    rulings = loaded if wanted is None or Layer.RULINGS in wanted else ()
    result = replace(result, language=named.language)
    said = _verdict(MARKUP_STYLES[format], result)
    message = compose_card_message(
        named.card, rulings, named.language, format, base, limit, named.others, said
    )
    sources = Sources(snapshot)
    return ChatMessageOut(
        **answer_head(snapshot, result),
        verdict=result.settled,
        **message.fields,
        citations=[sources.citation_out(passage, named.language) for passage in message.cited],
    )


def _misspelt(snapshot: Snapshot, question: str, game: str, language: str) -> tuple[Card, ...]:
    """Return the cards of ``game`` that the whole ``question`` probably names."""
    words = tokenize(question)
    for named in snapshot.cards.mentions(question, (game,), language):
        if (
            words
            and named.certainty >= _CERTAIN
            and (named.start, named.end) == (words[0].start, words[-1].end)
        ):
            return tuple(
                card for id in named.cards if (card := snapshot.cards.get(game, id)) is not None
            )
    return ()


def _language(snapshot: Snapshot, name: str, game: str, language: str) -> str:
    hit = next(iter(snapshot.cards.find(name, game, language, 1)), None)
    if hit is None or not hit.language:
        return language
    names = {
        code
        for code in hit.card.languages
        if hit.name in (hit.card.name(code), *(face.names.get(code) for face in hit.card.faces))
    }
    return language if language in names else hit.language


MOST_FURTHER = 3  # passages that are cited after the quoted one

_UNSETTLED = N_("The rulebook may not settle this")
_FALLBACK = N_("What holds then")
_NEAREST = N_("Nearest passages")
_FURTHER = N_("Further passages")
_ASKED = N_("Each question by itself")
_NOTHING = N_(
    "No passage has anything to do with these words. Try other words, or search in all rulebooks."
)
# Greatest share of a message for the lead-in of a quotation, and for the remarks after it
_MOST_LEAD_IN = 0.25


@dataclass(frozen=True)
class _Plan:
    """The parts of a message.

    Attributes:
        opening: The paragraphs before the quotation.
        quoted: The passage to quote, or None.
        marks: The spans of the passage's display to set in bold.
        further: Hits to cite after the quotation under ``heading``, which may be "".
        asked: The results for each of several questions, whose best hits are cited instead of
            ``further``.
    """

    opening: list[str]
    quoted: Passage | None = None
    marks: Sequence[Span] = ()
    heading: str = ""
    further: Sequence[Hit] = ()
    asked: Sequence[PartResult] = ()


def message_out(snapshot: Snapshot, result: SearchResult, message: ChatMessage) -> ChatMessageOut:
    """Return ``message``, the answer ``result``, for the API with citations."""
    cited = CitedPassages(snapshot.library, result)
    return ChatMessageOut(
        **answer_head(snapshot, result),
        verdict=result.settled,
        **message.fields,
        citations=[cited.out(passage) for passage in message.cited],
    )


def compose_message(
    library: Library,
    result: SearchResult,
    format: MessageFormat,
    base: str | None,
    limit: int | None = None,
) -> ChatMessage:
    """Return a search result as a message in ``format``.

    If the rulebook leaves the question open, the message says so in the language of the question,
    quotes the nearest passage and cites the game's own rule for such cases, or quotes that rule if
    no passage was found.

    Args:
        base: The beginning of links; no links if None.
        limit: The most UTF-16 code units, at most the platform's limit (`MESSAGE_LIMITS`), which is
            the default; never exceeded if it is at least `LEAST_MESSAGE`.
    """
    style, limit = (
        MARKUP_STYLES[format],
        min(limit or MESSAGE_LIMITS[format], MESSAGE_LIMITS[format]),
    )
    if result.ranked and isinstance(result.ranked[0], CardTextHit):
        return _card_message(result, result.ranked[0].quoted.card, format, base, limit)
    plan, cited_passages = _plan(style, result), CitedPassages(library, result, base)
    if is_comparison(result):
        quotations = [
            _quoted_whole(library, result, cited_passages, passage, limit)
            for passage in dict.fromkeys(part.ranked[0].passage for part in result.parts)
        ]
        written = write_quotations(style, plan.opening, quotations, limit)
        return ChatMessage(written.text, format, limit, written.cut, written.passages)
    quoted = plan.quoted
    if quoted is None:
        return ChatMessage(style.block.join(plan.opening), format, limit, False, ())
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

    def fits(texts: Iterable[StyledText]) -> bool:
        return utf16_length(compose(texts)) <= limit

    quotation, cut = truncate(quoted.display, marks, fits)
    cited = [quoted]
    if cited_passages.is_printed(quoted) and not cut:
        announced, most = read_with(library, result, quoted, _MOST_BELOW)
        for count in range(len(shown_of(announced, most)), -1, -1):
            shown = announced[:count]
            longer = [*quotation, StyledText(f"\n{shown_text(announced, shown)}")]
            if announced and fits(longer):
                quotation, cut, cited = longer, count < len(announced), [quoted, *shown]
                break
    second: list[str] = []
    if (other := _second(result, cited_passages)) and other.passage not in cited:
        second = _quoted_too(style, library, cited_passages, other, result, limit)
        if utf16_length(compose(quotation, *second)) <= limit:
            cited.append(other.passage)
        else:
            second = []
    text, lines = compose(quotation, *second), [plan.heading]
    for line, passage in _cited_lines(style, cited_passages, plan, result.language, cited):
        lines.append(line)
        whole = compose(quotation, *second, style.line.join(filter(None, lines)))
        if utf16_length(whole) > limit:
            break
        text, cited = whole, [*cited, *([passage] if passage and passage not in cited else [])]
    return ChatMessage(text, format, limit, cut, tuple(cited))


def _second(result: SearchResult, cited: CitedPassages) -> Hit | None:
    """Return the second hit if it is from a rulebook and the question is only likely settled, so
    that both should be read.
    """
    if result.settled is not Settlement.LIKELY or result.parts or len(result.ranked) < 2:
        return None
    return result.ranked[1] if cited.is_printed(result.ranked[1].passage) else None


def _quoted_too(
    style: MarkupStyle,
    library: Library,
    cited: CitedPassages,
    hit: Hit,
    result: SearchResult,
    limit: int,
) -> list[str]:
    """Return the paragraphs that quote ``hit`` in full, with its lead-in, the passages that it
    announces, and remarks.
    """
    passage = hit.passage
    announced, _ = read_with(library, result, passage)
    below = [StyledText(f"\n{shown_text(announced, announced)}")] if announced else []
    marks = telling_spans(passage.display, display_spans(passage, hit.highlights))
    texts, _ = truncate(passage.display, marks, lambda _: True)
    return [
        *_lead_in(style, passage, limit),
        style.quotation([*texts, *below], cited.language(passage)),
        style.line.join(
            [
                f"— {_linked_label(style, cited, passage)}",
                *_remarks(style, library, passage, result, limit),
            ]
        ),
    ]


def _quoted_whole(
    library: Library, result: SearchResult, cited: CitedPassages, passage: Passage, limit: int
) -> ChatQuotation:
    """Return the quotation of ``passage`` with the text to read below it, up to a third of
    ``limit``.
    """
    below, most = read_with(library, result, passage, limit // 3)
    return ChatQuotation(
        passage,
        cited.language(passage),
        cited.label(passage),
        cited.address(passage),
        below=shown_text(below, shown_of(below, most)),
    )


def _cited_lines(
    style: MarkupStyle,
    cited: CitedPassages,
    plan: _Plan,
    language: str,
    quoted: Iterable[Passage],
) -> Iterator[tuple[str, Passage | None]]:
    """Yield the lines after the passages ``quoted``, each with the passage that it cites: the
    answers to several questions or, for one question, further passages.
    """
    for part in plan.asked:
        best = part.ranked[0].passage if _is_settled(part) else None
        label = _linked_label(style, cited, best) if best else ""
        yield (f"• {_asked(style, part)} – {label}" if best else _open(style, part, language)), best
    entries = {passage.entry for passage in quoted}
    for hit in () if plan.asked else plan.further:
        if len(entries) <= MOST_FURTHER and hit.passage.entry not in entries:
            entries.add(hit.passage.entry)
            yield f"• {_linked_label(style, cited, hit.passage)}", hit.passage


def _asked(style: MarkupStyle, part: PartResult) -> str:
    words = " ".join(part.question.split())
    short = f"{words[: SHORT_LABEL - len(CUT)].rsplit(' ', 1)[0]} {CUT}"
    return style.escape(words if len(words) <= SHORT_LABEL else short)


def _is_settled(part: PartResult) -> bool:
    return bool(part.ranked) and part.settled is not Settlement.OPEN


def _open(style: MarkupStyle, part: PartResult, language: str) -> str:
    """Return the line that says that one of several questions is open."""
    return f"• {_asked(style, part)} – {style.escape(translate(language, _UNSETTLED))}"


def _verdict(style: MarkupStyle, result: SearchResult) -> list[str]:
    """Return the paragraphs on the verdict in a message on a card; none if all is settled."""
    found = _verdict_heading(style, result)
    if result.settled is not Settlement.OPEN:
        lines = [_open(style, p, result.language) for p in result.parts if not _is_settled(p)]
        found += [style.line.join(lines)] if lines else []
    return found


def _verdict_heading(style: MarkupStyle, result: SearchResult) -> list[str]:
    """Return the heading with the verdict, or with the reason that it is open: another game, a
    missing document. None if the question is settled.
    """
    said = {Settlement.OPEN: _UNSETTLED, Settlement.LIKELY: LIKELY}.get(result.settled)
    is_open = result.settled is Settlement.OPEN
    if result.other_game and is_open:
        return [style.heading(other_game_label(result))]
    text = LACKING[result.lacking[0]] if result.lacking and is_open else said
    return [style.heading(translate(result.language, text))] if text else []


def _plan(style: MarkupStyle, result: SearchResult) -> _Plan:
    """Choose the passage to quote, and the paragraphs before it in the question's language."""

    def heading(text: str) -> str:
        return style.heading(translate(result.language, text))

    if not result.in_effect:
        return _Plan([style.escape(not_in_effect_label(result))])
    opening, is_open = _verdict_heading(style, result), result.settled is Settlement.OPEN
    if result.missing_rule:
        return _Plan(
            [style.heading(missing_rule_label(result))],
            result.ranked[0].passage,
            (),
            "",
            result.ranked[1:],
        )
    if result.textless:
        return _Plan([style.heading(textless_label(result))])
    fallback = result.fallback if is_open else None
    if not result.ranked and fallback:
        return _Plan([*opening, heading(_FALLBACK)], fallback)
    if not result.ranked:
        return _Plan([*opening, style.escape(translate(result.language, _NOTHING))])
    first, *further = result.ranked
    marks = display_spans(first.passage, first.highlights)
    if not is_open:
        title = heading(_ASKED if result.parts else _FURTHER)
        return _Plan(opening, first.passage, marks, title, further, result.parts)
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
    """Return the lead-in printed before ``passage``, in brackets; [] if it takes too much of the
    message.
    """
    words = " ".join(display(passage.announced).split())
    text = style.escape(f"[{words}]")
    return [text] if words and utf16_length(text) <= limit * _MOST_LEAD_IN else []


def _remarks(
    style: MarkupStyle, library: Library, passage: Passage, result: SearchResult, limit: int
) -> list[str]:
    """Return remarks on ``passage``: its game if nothing else names the game, the special format
    that it is limited to, and its misprints corrected.

    Remarks that take too much of the message are left out.
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
    """Return the line with citation and link of ``passage``, shortened to fit into ``room``; as a
    last resort without the link.
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
    """Return the citation with links to the entry and to the printed page; "" without pages, or if
    the format has no links.
    """
    places = library.places_of(passage)
    if link is None or not places or style.quote is None:
        return ""
    citation = cite(library, passage)
    printed = f"{service_address(base, '')}{marked_page_url(library, passage, places[0].page)}"
    return (
        f"{style.link_citation(citation.name, link)}, "
        f"{style.link_citation(citation.position, printed)}"
    )


def _linked_label(style: MarkupStyle, cited: CitedPassages, passage: Passage) -> str:
    return style.link_citation(cited.label(passage), cited.address(passage))


def _card_message(
    result: SearchResult, card: Card, format: MessageFormat, base: str | None, limit: int
) -> ChatMessage:
    """Return the message on ``card``, the first hit of ``result``, with the rulings found."""
    rulings = [hit.ruling for hit in result.beside if isinstance(hit, RulingHit)]
    said = _verdict(MARKUP_STYLES[format], result)
    found = compose_card_message(card, rulings, result.language, format, base, limit, said=said)
    known = {hit.passage.id for hit in result.beside}
    return replace(found, cited=tuple(p for p in found.cited if p.id in known))
