"""Cards of a database as programs get them: `CardOut`, and the shorter shapes in it."""

from __future__ import annotations

from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing
from corpus.cards.symbols import symbol_places
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from corpus.spans import Span
from index.cards.model import CardHit
from index.cards.rule_links import CardRule
from service.answers.citations import entry_url
from service.answers.layer_citations import card_url, ruling_label, ruling_url
from service.browse.card_lookup import card_rules
from service.browse.entries import entry_with_text_out
from service.browse.printed_rulings import entries_of, printed_rulings
from service.core.snapshot import Snapshot
from service.schemas.cards import (
    CardErratumOut,
    CardFaceOut,
    CardHitOut,
    CardNamesOut,
    CardOut,
    CardRuleOut,
    CardRulingOut,
    CardTextOut,
    PrintingOut,
    SymbolOut,
)
from service.schemas.layers import QuotedStringOut, StringSourceOut


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


def card_out(snapshot: Snapshot, card: Card, language: str) -> CardOut:
    """Return all that is known of a card; rules and labels are in ``language`` where they are there in it."""
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
        rulings=[_ruling_out(ruling, language) for ruling in snapshot.index.rulings.of_card(card.game, card.id)],
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
        source=_source_out(quoted, Span(0, len(quoted.text))),
    )


def _rule_out(snapshot: Snapshot, rule: CardRule) -> CardRuleOut:
    entry = snapshot.library.entry[rule.entry]
    return CardRuleOut(
        entry=entry.id,
        title=entry.title,
        url=entry_url(entry),
        concept=rule.concept,
        term=rule.term,
        source=_source_out(rule.text, rule.span) if rule.text else None,
    )


def _ruling_out(ruling: Ruling, language: str) -> CardRulingOut:
    return CardRulingOut(
        id=ruling.id,
        authority=ruling.authority,
        date=ruling.date or None,
        label=ruling_label(ruling, language),
        question=_quoted_out(ruling.question) if ruling.question else None,
        answer=_quoted_out(ruling.answer),
        url=ruling_url(ruling),
        published=ruling.url or None,
        superseded_by=ruling.superseded_by or None,
    )


def _quoted_out(quoted: SourcedText) -> QuotedStringOut:
    return QuotedStringOut(text=quoted.text, source=_source_out(quoted, Span(0, len(quoted.text))))


def _source_out(quoted: SourcedText, span: Span) -> StringSourceOut:
    source = quoted.source
    return StringSourceOut(file=source.file, sha256=source.sha256, pointer=source.pointer, spans=[span])
