"""What the page of a card shows: its faces in the reader's language, then in the others, errata, rulings, and the rules it touches."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.cards.model import Card, CardErratum, CardFace, CardText, TextKind
from corpus.model import Edition, Entry
from corpus.rulings.model import Ruling
from index.cards.rule_links import CardRule, text_language
from service.answers.layer_citations import ruling_title, ruling_url
from service.browse.card_lookup import card_rules, ruling_rules
from service.browse.card_values import CardTextRun, ShownValue, ShownWords, printed_values, symbol_runs, type_name
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class ShownText:
    """A text of a card in lines of runs, with the place it is quoted from."""

    language: str
    flavour: bool
    lines: tuple[tuple[CardTextRun, ...], ...]
    place: str


@dataclass(frozen=True)
class ShownFace:
    """One face of a card: its texts and traits in one language, its type and values in that of the reader."""

    name: str
    subtitle: str
    type: ShownWords
    traits: str
    values: tuple[ShownValue, ...]
    texts: tuple[ShownText, ...]


@dataclass(frozen=True)
class ShownErratum:
    """An erratum in one language: what was printed, what holds now, and what is said of it, each None where it is not known."""

    old: ShownText | None
    new: ShownText | None
    note: ShownText | None
    date: str

    @property
    def language(self) -> str:
        """The language of its texts, "" where it has none."""
        return next((text.language for text in (self.new, self.old, self.note) if text), "")


@dataclass(frozen=True)
class ShownRuling:
    """A ruling about a card beside the rulebooks: what it is, where it was published, "" where that is not known, its page."""

    ruling: Ruling
    label: str
    publication: str
    url: str


@dataclass(frozen=True)
class ShownRule:
    """A rule that a card touches or a ruling names: the ``term`` that does, and the entry of the rulebook."""

    term: ShownWords
    entry: Entry
    edition: Edition


@dataclass(frozen=True)
class CardPage:
    """A card for a reader; ``language`` is that of the texts shown first, ``others`` has the faces in each other language.

    ``place`` is where the first text stands, "" for a card without any.
    """

    card: Card
    name: str
    language: str
    name_language: str
    faces: tuple[ShownFace, ...]
    place: str
    others: tuple[tuple[str, tuple[ShownFace, ...]], ...]
    errata: tuple[ShownErratum, ...]
    rulings: tuple[ShownRuling, ...]
    rules: tuple[ShownRule, ...]


def card_page(snapshot: Snapshot, card: Card, language: str, reading: str | None = None) -> CardPage:
    """Return what the page of ``card`` shows to who reads ``language``, its texts first in ``reading`` where that is another language."""
    reading = reading or language
    spoken = text_language(card, reading)
    known = [each for each in card.languages if each != spoken]
    faces = _faces(snapshot, card, spoken, language)
    return CardPage(
        card=card,
        name=card.name(reading),
        language=spoken,
        name_language=reading if reading in card.languages else "en" if "en" in card.languages else next(iter(card.languages), ""),
        faces=faces,
        place=next((text.place for face in faces for text in face.texts), ""),
        others=tuple((each, _faces(snapshot, card, each, language)) for each in known),
        errata=tuple(sorted((_erratum(card.game, erratum) for erratum in card.errata), key=lambda erratum: erratum.language != spoken)),
        rulings=tuple(
            ShownRuling(ruling, ruling_title(ruling, language), ruling.source, ruling_url(ruling))
            for ruling in snapshot.index.rulings.of_card(card.game, card.id)
        ),
        rules=tuple(_shown_rule(snapshot, card.game, rule, language) for rule in card_rules(snapshot, card, reading)),
    )


def _faces(snapshot: Snapshot, card: Card, language: str, reader: str) -> tuple[ShownFace, ...]:
    return tuple(_face(snapshot, card.game, face, language, reader) for face in card.faces)


def _face(snapshot: Snapshot, game: str, face: CardFace, language: str, reader: str) -> ShownFace:
    return ShownFace(
        name=face.names.get(language) or face.names.get("en") or next(iter(face.names.values()), ""),
        subtitle=face.subtitles.get(language) or face.subtitles.get("en", ""),
        type=type_name(snapshot, game, face.type, reader),
        traits=face.traits.get(language) or face.traits.get("en", ""),
        values=printed_values(snapshot, game, face, reader),
        texts=tuple(shown_text(game, text) for text in face.texts if text.quoted.language == language),
    )


def rules_of_ruling(snapshot: Snapshot, ruling: Ruling, language: str) -> tuple[ShownRule, ...]:
    """Return the rules that ``ruling`` names, for who reads ``language``."""
    return tuple(_shown_rule(snapshot, ruling.game, rule, language) for rule in ruling_rules(snapshot, ruling, language))


def _shown_rule(snapshot: Snapshot, game: str, rule: CardRule, language: str) -> ShownRule:
    """A rule with what it is called: in a text, or where that is None by the type of the card."""
    term = ShownWords(rule.term, rule.text.language) if rule.text else type_name(snapshot, game, rule.term, language)
    entry = snapshot.library.entry[rule.entry]
    return ShownRule(term, entry, snapshot.library.edition[entry.edition])


def _erratum(game: str, erratum: CardErratum) -> ShownErratum:
    old, new, note = (shown_text(game, text) if text else None for text in (erratum.old, erratum.new, erratum.note))
    return ShownErratum(old, new, note, erratum.date)


def shown_text(game: str, text: CardText) -> ShownText:
    """Return a text of a card for readers, its symbols as runs with a name."""
    language, source = text.quoted.language, text.quoted.source
    lines = tuple(symbol_runs(line, game, language) for line in text.display.split("\n") if line.strip())
    return ShownText(language, text.kind is TextKind.FLAVOUR, lines, f"{source.file}#{source.pointer}")
