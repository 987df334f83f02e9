"""Cards of a database as programs get them: `CardOut`, and the shorter shapes in it."""

from __future__ import annotations

from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing
from corpus.cards.symbols import symbol_places
from corpus.spans import Span
from index.cards.model import CardHit
from index.cards.rule_links import CardRule
from service.answers.citations import entry_url
from service.answers.layer_citations import card_url
from service.answers.layers import string_source_out
from service.browse.card_lookup import card_rules
from service.browse.entries import entry_with_text_out
from service.browse.printed_rulings import entries_of, printed_rulings
from service.browse.rulings import loaded_ruling_out
from service.core.snapshot import Snapshot
from service.schemas.cards import (
    CardErratumOut,
    CardFaceOut,
    CardHitOut,
    CardNamesOut,
    CardOut,
    CardRuleOut,
    CardTextOut,
    PrintingOut,
    SymbolOut,
)
from service.schemas.entries import CardSuggestionOut

MOST_SUGGESTED = 5
LEAST_SUGGESTED = 0.5  # score of a card that is offered while one types


def card_names_out(card: Card) -> CardNamesOut:
    """Return what a card is called."""
    return CardNamesOut(
        id=card.id,
        game=card.game,
        slug=card.slug,
        url=card_url(card),
        names={language: card.name(language) for language in card.languages},
        type=card.faces[0].type,
        products=[printing.products for printing in card.printings],
    )


def card_hit_out(hit: CardHit) -> CardHitOut:
    """Return a card found by name."""
    names = dict(card_names_out(hit.card))
    return CardHitOut(**names, score=hit.score, matched=hit.name or None, language=hit.language or None)


def card_suggestions(snapshot: Snapshot, typed: str, game: str | None, language: str) -> list[CardSuggestionOut]:
    """Return the cards that what is ``typed`` so far may mean."""
    hits = snapshot.index.cards.find(typed, game, language, MOST_SUGGESTED)
    return [_suggestion(hit, language) for hit in hits if hit.score >= LEAST_SUGGESTED]


def _suggestion(hit: CardHit, language: str) -> CardSuggestionOut:
    spoken = hit.language or language
    printing = next(iter(hit.card.printings), None)
    products = printing.products if printing else {}
    return CardSuggestionOut(
        id=hit.card.id,
        game=hit.card.game,
        title=hit.card.name(spoken),
        language=spoken if spoken in hit.card.languages else "en",
        number=printing.number if printing else None,
        product=products.get(spoken) or products.get("en"),
        url=card_url(hit.card),
    )


def card_out(snapshot: Snapshot, card: Card, language: str) -> CardOut:
    """Return all that is known of a card; rules are those of an edition in ``language`` where one has them."""
    library = snapshot.library
    printed = entries_of(printed_rulings(snapshot).views(card))
    return CardOut(
        **dict(card_names_out(card)),
        unique=card.unique,
        faces=[_face_out(card.game, face) for face in card.faces],
        printings=[_printing_out(printing) for printing in card.printings],
        errata=[_erratum_out(card.game, erratum) for erratum in card.errata],
        formats=card.formats,
        rules=[_rule_out(snapshot, rule) for rule in card_rules(snapshot, card, language)],
        printed=[entry_with_text_out(library, entry) for entry in printed],
        rulings=[loaded_ruling_out(ruling) for ruling in snapshot.index.rulings.of_card(card.game, card.id)],
    )


def _face_out(game: str, face: CardFace) -> CardFaceOut:
    return CardFaceOut(
        code=face.code or None,
        names=face.names,
        subtitles=face.subtitles,
        type=face.type,
        traits=face.traits,
        stats=face.stats,
        texts=[_text_out(game, text) for text in face.texts],
    )


def _printing_out(printing: Printing) -> PrintingOut:
    return PrintingOut(code=printing.code, products=printing.products, number=printing.number, date=printing.date or None)


def _erratum_out(game: str, erratum: CardErratum) -> CardErratumOut:
    old, new, note = (_text_out(game, text) if text else None for text in (erratum.old, erratum.new, erratum.note))
    return CardErratumOut(old=old, new=new, note=note, date=erratum.date or None)


def _text_out(game: str, text: CardText) -> CardTextOut:
    quoted = text.quoted
    return CardTextOut(
        kind=text.kind,
        language=quoted.language,
        text=quoted.text,
        display=text.display,
        symbols=[
            SymbolOut(span=(place.start, place.end), sign=place.symbol.sign or None, names=place.symbol.names)
            for place in symbol_places(quoted.text, game)
        ],
        source=string_source_out(quoted, Span(0, len(quoted.text))),
    )


def _rule_out(snapshot: Snapshot, rule: CardRule) -> CardRuleOut:
    entry = snapshot.library.entry[rule.entry]
    return CardRuleOut(
        entry=entry.id,
        title=entry.title,
        url=entry_url(entry),
        concept=rule.concept,
        term=rule.term,
        source=string_source_out(rule.text, rule.span) if rule.text else None,
    )
