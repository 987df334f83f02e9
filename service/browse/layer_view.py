"""What the pages show of rulings and texts of cards: quoted, with who has ruled so and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpus.cards.model import Card
from corpus.cards.symbols import symbol_places
from corpus.languages import get_language
from corpus.model import Entry, Passage, Span
from index.model import CardTextHit, RulingHit
from service.answers.citations import (
    card_label,
    card_title,
    card_url,
    ruling_label,
    ruling_title,
    ruling_url,
)
from service.browse.cards import named_card
from service.browse.text_blocks import AnnotatedPassage, TextBlock, TextSymbol, text_blocks
from service.core.displayed import display_spans, telling_spans
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class QuotedLayer:
    """A ruling or a text of a card in its wording with what answers marked.

    ``label`` says what it is, ``heading`` names its cards, ``translated`` names them in the
    reader's language where they are called otherwise there. ``asked`` is the question that was
    ruled on. ``url`` is its page here, ``published`` where it was published, ``citation`` is to be
    pasted. ``bases`` are the rules that a ruling rests on. ``other_card`` says that it is on a
    single card that the question does not name. Texts are "" where there is nothing to say.
    """

    kind: Literal["ruling", "card", "erratum"]
    game: str
    heading: str
    translated: str
    label: str
    language: str
    passage: Passage
    blocks: list[TextBlock]
    url: str
    citation: str
    publication: str = ""
    asked: str = ""
    authority: str = ""
    published: str = ""
    settles: bool = False
    superseded: bool = False
    bases: tuple[Entry, ...] = ()
    other_card: bool = False


def quoted_layer(snapshot: Snapshot, hit: RulingHit | CardTextHit, language: str) -> QuotedLayer:
    """Return the ruling or card of ``hit`` as a page in ``language`` quotes it."""
    passage = hit.passage
    if isinstance(hit, CardTextHit):
        game, spoken = hit.quoted.card.game, hit.quoted.text.quoted.language
    else:
        game, spoken = hit.ruling.game, hit.ruling.answer.language
    marks = telling_spans(passage.display, display_spans(passage, hit.highlights))
    symbols = [
        TextSymbol(Span(start, end), symbol.sign, symbol.name(spoken))
        for start, end, symbol in symbol_places(passage.display, game)
    ]
    blocks = text_blocks([AnnotatedPassage(passage, marks, symbols=symbols)])
    if isinstance(hit, CardTextHit):
        card = hit.quoted.card
        return QuotedLayer(
            kind="erratum" if hit.quoted.erratum else "card",
            game=game,
            heading=card.name(spoken),
            translated=_translated([card], spoken, language),
            label=card_title(hit.quoted, language),
            language=spoken,
            passage=passage,
            blocks=blocks,
            url=card_url(card),
            citation=_cited(passage, spoken, card_label(hit.quoted, language)),
        )
    ruling = hit.ruling
    cards = [named_card(snapshot, ruling.game, name) for name in ruling.cards]
    return QuotedLayer(
        kind="ruling",
        game=game,
        heading=", ".join(
            card.name(spoken) if card else name
            for card, name in zip(cards, ruling.cards, strict=True)
        )
        or passage.lead_in
        or ruling.id,
        translated=_translated([card for card in cards if card], spoken, language),
        label=ruling_title(ruling, language, hit.older),
        publication=ruling.source,
        language=spoken,
        passage=passage,
        blocks=blocks,
        asked=passage.lead_in,
        authority=ruling.authority,
        url=ruling_url(ruling),
        published=ruling.url,
        citation=_cited(passage, spoken, ruling_label(ruling, language, hit.older)),
        settles=hit.settles,
        superseded=bool(ruling.superseded_by),
        bases=tuple(
            snapshot.library.entry[basis.entry]
            for basis in ruling.bases
            if basis.entry in snapshot.library.entry
        ),
        other_card=hit.other_card,
    )


def _translated(cards: list[Card], spoken: str, language: str) -> str:
    """Return what ``cards`` are called in ``language`` where a text in ``spoken`` calls them
    otherwise; else "".
    """
    pairs = [
        (card.name(language), card.name(spoken)) for card in cards if language in card.languages
    ]
    return ", ".join(name for name, other in pairs if name != other) if spoken != language else ""


def _cited(passage: Passage, language: str, label: str) -> str:
    """Return a quotation to paste, with the marks of the ``language`` that it is in."""
    opening, closing = get_language(language).citation.quotes
    return f"{opening}{' '.join(passage.display.split())}{closing} – {label}"
