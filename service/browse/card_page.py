"""The page of a card: its faces in the reader's language, then in the others, errata, rulings, and
the rules it touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpus.cards.model import Card, CardErratum, CardFace, CardText, TextKind
from corpus.cards.symbols import symbol_places
from corpus.model import Edition, Entry
from corpus.rulings.model import Ruling
from glossary.concepts import load_concepts
from glossary.normalization import fold
from index.cards.rule_links import CardRule
from service.answers.citations import (
    ruling_title,
    ruling_url,
)
from service.browse.cards import card_rules, ruling_rules
from service.core.i18n import DEFAULT, N_, translate
from service.core.snapshot import Snapshot

# In the order in which they are shown; what databases have beside them follows.
STAT_NAMES = {
    "color": N_("Ink"),
    "faction": N_("Aspect"),
    "stage": N_("Stage"),
    "cost": N_("Cost"),
    "resources": N_("Resources"),
    "inkwell": N_("Inkwell symbol"),
    "attack": N_("Attack"),
    "attack_cost": N_("Consequential damage of an attack"),
    "thwart": N_("Thwart"),
    "thwart_cost": N_("Consequential damage of a thwart"),
    "defense": N_("Defense"),
    "recover": N_("Recovery"),
    "scheme": N_("Scheme value"),
    "health": N_("Hit points"),
    "hand_size": N_("Hand size"),
    "strength": N_("Strength"),
    "willpower": N_("Willpower"),
    "lore": N_("Lore"),
    "moveCost": N_("Move cost"),
    "base_threat": N_("Starting threat"),
    "threat": N_("Target threat"),
    "escalation_threat": N_("Threat added each round"),
    "scheme_acceleration": N_("Acceleration symbols"),
    "scheme_amplify": N_("Amplify symbols"),
    "scheme_crisis": N_("Crisis symbols"),
    "scheme_hazard": N_("Hazard symbols"),
    "boost": N_("Boost symbols"),
    "permanent": N_("Permanent"),
    "deck_limit": N_("At most in a deck"),
}
_VALUES = {
    "faction": {
        "aggression": N_("Aggression"),
        "basic": N_("Basic"),
        "justice": N_("Justice"),
        "leadership": N_("Leadership"),
        "pool": N_("’Pool"),
        "protection": N_("Protection"),
    },
    "color": {
        "Amber": N_("Amber"),
        "Amethyst": N_("Amethyst"),
        "Emerald": N_("Emerald"),
        "Ruby": N_("Ruby"),
        "Sapphire": N_("Sapphire"),
        "Steel": N_("Steel"),
    },
}
_FLAGS = {"yes": N_("yes"), "no": N_("no")}
_OF_THE_DATABASE = frozenset(
    {"quantity", "set"}
)  # how many of it a product has, and a code: neither is printed on the card
_CLOSED = frozenset(
    {"faction"}
)  # of these only the values above are shown: others say no more than the type does


@dataclass(frozen=True)
class CardTextRun:
    """A piece of a text; ``symbol`` is what the symbol that it stands for is called, "" where it is
    plain text.
    """

    text: str
    symbol: str = ""


@dataclass(frozen=True)
class ShownWords:
    """Words and the language that they are in."""

    text: str
    language: str


@dataclass(frozen=True)
class ShownValue:
    """A printed value and what it is called."""

    name: ShownWords
    value: tuple[CardTextRun, ...]


def type_name(snapshot: Snapshot, game: str, type: str, language: str) -> ShownWords:
    """Return what ``type`` of a card is called in ``language``: as its database says, else as the
    game's glossary does, else in English.
    """
    name = snapshot.index.cards.type_names(game, type).get(language)
    return (
        ShownWords(_capitalised(name), language) if name else _term(snapshot, game, type, language)
    )


def printed_values(
    snapshot: Snapshot, game: str, face: CardFace, language: str
) -> tuple[ShownValue, ...]:
    """Return the values printed on ``face`` for who reads ``language``, the usual ones first."""
    names = (
        *(name for name in STAT_NAMES if name in face.stats),
        *(name for name in face.stats if name not in STAT_NAMES),
    )
    shown = (_shown_value(snapshot, game, name, face.stats[name], language) for name in names)
    return tuple(value for value in shown if value is not None)


def symbol_runs(text: str, game: str, language: str) -> tuple[CardTextRun, ...]:
    """Return ``text`` of a card of ``game`` cut into runs, its symbols as signs, or as their names
    where no character stands for them.
    """
    return tuple(_symbol_runs(text, game, language))


def _symbol_runs(text: str, game: str, language: str) -> Iterator[CardTextRun]:
    at = 0
    for place in symbol_places(text, game):
        if place.start > at:
            yield CardTextRun(text[at : place.start])
        name = place.symbol.name(language)
        yield CardTextRun(place.symbol.sign or name, name)
        at = place.end
    if text[at:]:
        yield CardTextRun(text[at:])


def _shown_value(
    snapshot: Snapshot, game: str, name: str, value: str, language: str
) -> ShownValue | None:
    if name in _OF_THE_DATABASE or (name in _CLOSED and value not in _VALUES[name]):
        return None
    called = (
        ShownWords(translate(language, STAT_NAMES[name]), language)
        if name in STAT_NAMES
        else _term(snapshot, game, name, language)
    )
    known: Mapping[str, str] = _VALUES.get(name, _FLAGS)
    words = "/".join(
        translate(language, known[each]) if each in known else each
        for each in (value.split("-") if name == "color" else [value])
    )
    return ShownValue(called, symbol_runs(words, game, language))


def _term(snapshot: Snapshot, game: str, code: str, language: str) -> ShownWords:
    words = code.replace("_", " ")
    terms = snapshot.cache.get(("terms of cards", game), lambda: _terms(game))
    names = terms.get(fold(words), {}).get(language, ())
    name = names[0] if names else ""
    return (
        ShownWords(_capitalised(name), language)
        if name
        else ShownWords(_capitalised(words), DEFAULT)
    )


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _terms(game: str) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Return the names of the terms of ``game`` in all languages, by their English ones."""
    found: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for concept in load_concepts(game):
        for name in concept.names.get("en", ()):
            found.setdefault(fold(name), concept.names)
    return found


@dataclass(frozen=True)
class ShownText:
    """A text of a card in lines of runs, with the place it is quoted from."""

    language: str
    flavour: bool
    lines: tuple[tuple[CardTextRun, ...], ...]
    place: str


@dataclass(frozen=True)
class ShownFace:
    """One face of a card: its texts and traits in one language, its type and values in that of the
    reader.
    """

    name: str
    subtitle: str
    type: ShownWords
    traits: str
    values: tuple[ShownValue, ...]
    texts: tuple[ShownText, ...]


@dataclass(frozen=True)
class ShownErratum:
    """An erratum in one language: what was printed, what holds now, and what is said of it, each
    None where it is not known.
    """

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
    """A ruling about a card beside the rulebooks: what it is, where it was published, "" where that
    is not known, its page.
    """

    ruling: Ruling
    label: str
    publication: str
    url: str


@dataclass(frozen=True)
class ShownRule:
    """A rule that a card touches or a ruling names: the ``term`` that does, and the entry of the
    rulebook.
    """

    term: ShownWords
    entry: Entry
    edition: Edition


@dataclass(frozen=True)
class CardPage:
    """A card for a reader; ``language`` is that of the texts shown first, ``others`` has the faces
    in each other language.

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


def card_page(
    snapshot: Snapshot, card: Card, language: str, reading: str | None = None
) -> CardPage:
    """Return what the page of ``card`` shows to who reads ``language``, its texts first in
    ``reading`` where that is another language.
    """
    reading = reading or language
    spoken = card.text_language(reading)
    known = [each for each in card.languages if each != spoken]
    faces = _faces(snapshot, card, spoken, language)
    return CardPage(
        card=card,
        name=card.name(reading),
        language=spoken,
        name_language=reading
        if reading in card.languages
        else "en"
        if "en" in card.languages
        else next(iter(card.languages), ""),
        faces=faces,
        place=next((text.place for face in faces for text in face.texts), ""),
        others=tuple((each, _faces(snapshot, card, each, language)) for each in known),
        errata=tuple(
            sorted(
                (_erratum(card.game, erratum) for erratum in card.errata),
                key=lambda erratum: erratum.language != spoken,
            )
        ),
        rulings=tuple(
            ShownRuling(ruling, ruling_title(ruling, language), ruling.source, ruling_url(ruling))
            for ruling in snapshot.index.rulings.of_card(card.game, card.id)
        ),
        rules=tuple(
            _shown_rule(snapshot, card.game, rule, language)
            for rule in card_rules(snapshot, card, reading)
        ),
    )


def _faces(snapshot: Snapshot, card: Card, language: str, reader: str) -> tuple[ShownFace, ...]:
    return tuple(
        ShownFace(
            name=face.names.get(language)
            or face.names.get("en")
            or next(iter(face.names.values()), ""),
            subtitle=face.subtitles.get(language) or face.subtitles.get("en", ""),
            type=type_name(snapshot, card.game, face.type, reader),
            traits=face.traits.get(language) or face.traits.get("en", ""),
            values=printed_values(snapshot, card.game, face, reader),
            texts=tuple(
                shown_text(card.game, text)
                for text in face.texts
                if text.quoted.language == language
            ),
        )
        for face in card.faces
    )


def rules_of_ruling(snapshot: Snapshot, ruling: Ruling, language: str) -> tuple[ShownRule, ...]:
    """Return the rules that ``ruling`` names, for who reads ``language``."""
    return tuple(
        _shown_rule(snapshot, ruling.game, rule, language)
        for rule in ruling_rules(snapshot, ruling, language)
    )


def _shown_rule(snapshot: Snapshot, game: str, rule: CardRule, language: str) -> ShownRule:
    """Return a rule with what it is called: in a text, or where that is None by the type of the
    card.
    """
    term = (
        ShownWords(rule.term, rule.text.language)
        if rule.text
        else type_name(snapshot, game, rule.term, language)
    )
    entry = snapshot.library.entry[rule.entry]
    return ShownRule(term, entry, snapshot.library.edition[entry.edition])


def _erratum(game: str, erratum: CardErratum) -> ShownErratum:
    old, new, note = (
        shown_text(game, text) if text else None
        for text in (erratum.old, erratum.new, erratum.note)
    )
    return ShownErratum(old, new, note, erratum.date)


def shown_text(game: str, text: CardText) -> ShownText:
    """Return a text of a card for readers, its symbols as runs with a name."""
    language, source = text.quoted.language, text.quoted.source
    lines = tuple(
        symbol_runs(line, game, language) for line in text.display.split("\n") if line.strip()
    )
    return ShownText(
        language, text.kind is TextKind.FLAVOUR, lines, f"{source.file}#{source.pointer}"
    )
