"""Editions, entries, cards and rulings in the form that the API returns."""

from __future__ import annotations

from typing import Any

from corpus.blocks import Span
from corpus.cards.model import Card, CardText
from corpus.cards.symbols import symbol_places
from corpus.model import Edition, Entry
from corpus.rulings import QuotedPart, Ruling
from glossary.model import Reference
from index.cards.card_store import CardHit
from index.cards.rule_links import CardRule
from index.library.library import Library
from service.answers.answer import (
    link_out,
    passage_out,
)
from service.answers.citations import (
    card_url,
    entry_url,
    ruling_url,
)
from service.answers.sources import placed_source_out, string_source_out
from service.browse.cards import card_catalogue, card_rules
from service.core.snapshot import Snapshot
from service.schemas.entries import (
    CardErratumOut,
    CardFaceOut,
    CardHitOut,
    CardOut,
    CardRuleOut,
    CardSuggestionOut,
    CardTextOut,
    EditionOut,
    EntryContentsOut,
    EntryOut,
    EntryWithTextOut,
    PrintingOut,
    ReferenceOut,
    SuggestionOut,
    SymbolOut,
    WholeEntryOut,
)
from service.schemas.passage import (
    BasisOut,
    LoadedRulingOut,
    QuotedStringOut,
    SourceOut,
)

MOST_SUGGESTED = 5
LEAST_SUGGESTED = 0.5  # score of a card that is suggested


def edition_out(library: Library, edition: Edition) -> EditionOut:
    """Return an edition, its document, and the size of its contents."""
    source = library.sources[edition.id]
    return EditionOut(
        id=edition.id,
        game=edition.game,
        language=edition.language,
        version=edition.version,
        title=edition.title,
        effective=edition.effective or None,
        kind=edition.kind,
        source=SourceOut(file=source.file, sha256=source.sha256),
        entries=len(library.entries_of(edition.id)),
        passages=len(library.passages_in(edition.id)),
    )


def entry_out(library: Library, entry: Entry) -> EntryOut:
    """Return an entry with its references, without its text."""
    return EntryOut(
        id=entry.id,
        edition=entry.edition,
        kind=entry.kind,
        heading=entry.heading,
        title=entry.title,
        number=entry.number,
        product=entry.product,
        parent=entry.parent,
        source=placed_source_out(library, entry.edition, entry),
        references=[
            reference_out(reference) for reference in library.references_of.get(entry.id, ())
        ],
        concept=library.concepts.get(entry.id),
    )


def reference_out(reference: Reference) -> ReferenceOut:
    """Return a reference as printed, its target, and its faults."""
    return ReferenceOut(
        line=reference.line,
        raw=reference.raw,
        target=reference.target,
        kind=reference.kind,
        problem=reference.problem.value if reference.problem else None,
        meant=reference.meant,
    )


def entry_with_text_out(library: Library, entry: Entry) -> EntryWithTextOut:
    """Return an entry with its passages, in the form used in lists of rulings."""
    return EntryWithTextOut(
        **dict(entry_out(library, entry)),
        url=entry_url(entry),
        passages=[
            passage_out(library, passage) for passage in library.passages_of.get(entry.id, ())
        ],
    )


def whole_entry_out(
    library: Library, entry: Entry, contents: EntryContentsOut | None = None
) -> WholeEntryOut:
    """Return an entry with its text, ``contents``, and the entries around it and inside it."""
    return WholeEntryOut(
        **dict(entry_with_text_out(library, entry)),
        page=library.page(entry),
        path=[link_out(around) for around in library.path(entry)[:-1]],
        children=[link_out(child) for child in library.children_of.get(entry.id, ())],
        referred_to_by=[link_out(other) for other in library.referring_to.get(entry.id, ())],
        contents=contents,
    )


def suggestion_out(entry: Entry) -> SuggestionOut:
    """Return an entry as a type-ahead suggestion."""
    return SuggestionOut(
        entry=entry.id,
        title=entry.title,
        kind=entry.kind,
        number=entry.number,
        product=entry.product,
        edition=entry.edition,
        url=entry_url(entry),
    )


def loaded_ruling_out(ruling: Ruling) -> LoadedRulingOut:
    """Return ``ruling`` with question and answer verbatim."""

    def quoted(part: QuotedPart) -> QuotedStringOut:
        return QuotedStringOut(text=part.text, source=string_source_out(part.quoted, part.span))

    return LoadedRulingOut(
        id=ruling.id,
        game=ruling.game,
        authority=ruling.authority,
        date=ruling.date or None,
        language=ruling.answer.language,
        cards=list(ruling.cards),
        question=quoted(ruling.asked) if ruling.asked else None,
        answer=quoted(ruling.answered),
        publication=ruling.source or None,
        published=ruling.url or None,
        author=ruling.author or None,
        rests_on=[
            BasisOut(entry=b.entry or None, number=b.number or None, wording=b.wording or None)
            for b in ruling.bases
        ],
        superseded_by=ruling.superseded_by or None,
        url=ruling_url(ruling),
    )


def _card_names(card: Card) -> dict[str, Any]:
    """Return the fields of `CardNamesOut`."""
    return {
        "id": card.id,
        "game": card.game,
        "slug": card.slug,
        "url": card_url(card),
        "names": {language: card.name(language) for language in card.languages},
        "type": card.faces[0].type,
        "products": [printing.products for printing in card.printings],
    }


def card_hit_out(hit: CardHit) -> CardHitOut:
    """Return a card found by name, with its score and the name that matched."""
    return CardHitOut(
        **_card_names(hit.card),
        score=hit.score,
        matched=hit.name or None,
        language=hit.language or None,
    )


def card_suggestions(
    snapshot: Snapshot, typed: str, game: str | None, language: str
) -> list[CardSuggestionOut]:
    """Return the cards that the characters ``typed`` so far may mean."""
    found: list[CardSuggestionOut] = []
    for hit in snapshot.index.cards.find(typed, game, language, MOST_SUGGESTED):
        card, spoken = hit.card, hit.language or language
        printing = next(iter(card.printings), None)
        products = printing.products if printing else {}
        if hit.score >= LEAST_SUGGESTED:
            found.append(
                CardSuggestionOut(
                    id=card.id,
                    game=card.game,
                    title=card.name(spoken),
                    language=spoken if spoken in card.languages else "en",
                    number=printing.number if printing else None,
                    product=products.get(spoken) or products.get("en"),
                    url=card_url(card),
                )
            )
    return found


def card_out(snapshot: Snapshot, card: Card, language: str) -> CardOut:
    """Return everything known about a card; its rules are from an edition in ``language`` if
    possible.
    """
    library = snapshot.library
    views = card_catalogue(snapshot).views(card)
    printed = [entry for view in views for entry in view.errata]
    printed += [entry for view in views for entry in view.rulings]

    def text(each: CardText | None) -> CardTextOut | None:
        return _text_out(card.game, each) if each else None

    return CardOut(
        **_card_names(card),
        unique=card.unique,
        faces=[
            CardFaceOut(
                code=face.code or None,
                names=face.names,
                subtitles=face.subtitles,
                type=face.type,
                traits=face.traits,
                stats=face.stats,
                texts=[_text_out(card.game, each) for each in face.texts],
            )
            for face in card.faces
        ],
        printings=[
            PrintingOut(**{**each._asdict(), "date": each.date or None}) for each in card.printings
        ],
        errata=[
            CardErratumOut(
                old=text(each.old),
                new=text(each.new),
                note=text(each.note),
                date=each.date or None,
            )
            for each in card.errata
        ],
        formats=card.formats,
        rules=[_rule_out(library, rule) for rule in card_rules(snapshot, card, language)],
        printed=[entry_with_text_out(library, entry) for entry in printed],
        rulings=[
            loaded_ruling_out(ruling)
            for ruling in snapshot.index.rulings.of_card(card.game, card.id)
        ],
    )


def _text_out(game: str, text: CardText) -> CardTextOut:
    quoted = text.quoted
    return CardTextOut(
        kind=text.kind,
        language=quoted.language,
        text=quoted.text,
        display=text.display,
        symbols=[
            SymbolOut(span=(start, end), sign=symbol.sign or None, names=symbol.names)
            for start, end, symbol in symbol_places(quoted.text, game)
        ],
        source=string_source_out(quoted, Span(0, len(quoted.text))),
    )


def _rule_out(library: Library, rule: CardRule) -> CardRuleOut:
    entry = library.entry[rule.entry]
    return CardRuleOut(
        entry=entry.id,
        title=entry.title,
        url=entry_url(entry),
        concept=rule.concept,
        term=rule.term,
        source=string_source_out(rule.text, rule.span) if rule.text else None,
    )
