"""What the page of a card shows: its faces in the reader's language, then in the others, errata, rulings, and the rules it touches."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.cards.model import Card, CardErratum, CardFace, CardText, TextKind
from corpus.cards.symbols import symbol_places
from corpus.model import Edition, Entry
from corpus.rulings.model import Ruling
from index.cards.rule_links import text_language
from service.answers.layer_citations import ruling_label, ruling_url
from service.browse.card_lookup import card_rules
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class TextRun:
    """A piece of a text; ``symbol`` is what the symbol that it stands for is called, "" where it is plain text."""

    text: str
    symbol: str = ""


@dataclass(frozen=True)
class ShownText:
    """A text of a card in lines of runs, with the place it is quoted from."""

    language: str
    flavour: bool
    lines: tuple[tuple[TextRun, ...], ...]
    place: str


@dataclass(frozen=True)
class ShownFace:
    """One face of a card in one language."""

    name: str
    subtitle: str
    type: str
    traits: str
    stats: tuple[tuple[str, str], ...]
    texts: tuple[ShownText, ...]


@dataclass(frozen=True)
class ShownErratum:
    """An erratum in one language: what was printed, what holds now, and what is said of it, each None where it is not known."""

    old: ShownText | None
    new: ShownText | None
    note: ShownText | None
    date: str


@dataclass(frozen=True)
class ShownRuling:
    """A ruling about a card beside the rulebooks."""

    ruling: Ruling
    label: str
    url: str


@dataclass(frozen=True)
class ShownRule:
    """A rule that a card touches: the ``term`` on the card, and the entry of the rulebook."""

    term: str
    entry: Entry
    edition: Edition


@dataclass(frozen=True)
class CardPage:
    """A card for a reader; ``language`` is that of the texts shown first, ``others`` has the faces in each other language."""

    card: Card
    name: str
    language: str
    name_language: str
    faces: tuple[ShownFace, ...]
    others: tuple[tuple[str, tuple[ShownFace, ...]], ...]
    errata: tuple[ShownErratum, ...]
    rulings: tuple[ShownRuling, ...]
    rules: tuple[ShownRule, ...]


def card_page(snapshot: Snapshot, card: Card, language: str) -> CardPage:
    """Return what the page of ``card`` shows to who reads ``language``."""
    spoken = text_language(card, language)
    library = snapshot.library
    known = [each for each in card.languages if each != spoken]
    return CardPage(
        card=card,
        name=card.name(language),
        language=spoken,
        name_language=language if language in card.languages else "en" if "en" in card.languages else next(iter(card.languages), ""),
        faces=_faces(card, spoken),
        others=tuple((each, _faces(card, each)) for each in known),
        errata=tuple(_erratum(card.game, erratum) for erratum in card.errata),
        rulings=tuple(
            ShownRuling(ruling, ruling_label(ruling, language), ruling_url(ruling))
            for ruling in snapshot.index.rulings.of_card(card.game, card.id)
        ),
        rules=tuple(
            ShownRule(rule.term, entry := library.entry[rule.entry], library.edition[entry.edition])
            for rule in card_rules(snapshot, card, language)
        ),
    )


def _faces(card: Card, language: str) -> tuple[ShownFace, ...]:
    return tuple(_face(card.game, face, language) for face in card.faces)


def _face(game: str, face: CardFace, language: str) -> ShownFace:
    return ShownFace(
        name=face.names.get(language) or face.names.get("en") or next(iter(face.names.values()), ""),
        subtitle=face.subtitles.get(language) or face.subtitles.get("en", ""),
        type=face.type.replace("_", " "),
        traits=face.traits.get(language) or face.traits.get("en", ""),
        stats=tuple((name.replace("_", " "), value) for name, value in face.stats.items()),
        texts=tuple(shown_text(game, text) for text in face.texts if text.quoted.language == language),
    )


def _erratum(game: str, erratum: CardErratum) -> ShownErratum:
    old, new, note = (shown_text(game, text) if text else None for text in (erratum.old, erratum.new, erratum.note))
    return ShownErratum(old, new, note, erratum.date)


def shown_text(game: str, text: CardText) -> ShownText:
    """Return a text of a card for readers, its symbols as runs with a name."""
    language, source = text.quoted.language, text.quoted.source
    lines = tuple(tuple(_runs(game, line, language)) for line in text.display.split("\n") if line.strip())
    return ShownText(language, text.kind is TextKind.FLAVOUR, lines, f"{source.file}#{source.pointer}")


def _runs(game: str, line: str, language: str) -> list[TextRun]:
    runs, at = [], 0
    for place in symbol_places(line, game):
        if place.start > at:
            runs.append(TextRun(line[at : place.start]))
        name = place.symbol.name(language)
        runs.append(TextRun(place.symbol.sign or name, name))
        at = place.end
    return [*runs, TextRun(line[at:])] if line[at:] else runs
