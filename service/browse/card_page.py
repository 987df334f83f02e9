"""The page of a card: its faces in the reader's language and in the others, errata, rulings, and
the rules it mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from corpus.cards.model import Card, CardFace, CardText, TextKind, name_in
from corpus.cards.symbols import symbol_places
from corpus.model import Edition, Entry
from corpus.rulings.model import Ruling
from glossary.concepts import load_concepts
from glossary.normalization import fold
from index.cards.rule_links import CardRule
from service.answers.citations import ruling_title, ruling_url
from service.browse.cards import card_rules, rule_linker
from service.core.i18n import DEFAULT, N_, translate
from service.core.snapshot import Snapshot

# In the order in which they are shown; other values of the databases follow.
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
_PLACES = {name: place for place, name in enumerate(STAT_NAMES)}
# The copies in a product, and its code: neither is printed on the card.
_OF_THE_DATABASE = frozenset({"quantity", "set"})
# Only their values above are shown: others repeat the type.
_CLOSED = frozenset({"faction"})


class CardTextRun(NamedTuple):
    """A piece of a text; ``symbol`` is the name of the symbol it shows, "" for plain text."""

    text: str
    symbol: str = ""


class ShownWords(NamedTuple):
    """A text and the language that it is in."""

    text: str
    language: str


class ShownValue(NamedTuple):
    """A value printed on a card, with its label: "Cost", "3"."""

    name: ShownWords
    value: tuple[CardTextRun, ...]


class ShownText(NamedTuple):
    """A text of a card: its lines, each split into runs; ``flavour`` marks flavour text."""

    language: str
    flavour: bool
    lines: tuple[tuple[CardTextRun, ...], ...]


class ShownFace(NamedTuple):
    """One face of a card: its texts in one language, its type and values in that of the reader."""

    name: str
    subtitle: str
    type: ShownWords
    traits: str
    values: tuple[ShownValue, ...]
    texts: tuple[ShownText, ...]


class ShownErratum(NamedTuple):
    """An erratum in one language; unknown texts are None."""

    old: ShownText | None
    new: ShownText | None
    note: ShownText | None
    date: str

    @property
    def language(self) -> str:
        """The language of its texts, "" if it has none."""
        return next((text.language for text in (self.new, self.old, self.note) if text), "")


class ShownRuling(NamedTuple):
    """A ruling on a card, from outside the rulebooks, with its publication and its page."""

    ruling: Ruling
    label: str
    publication: str
    url: str


class ShownRule(NamedTuple):
    """A rule that a card mentions or a ruling names, and the ``term`` used there."""

    term: ShownWords
    entry: Entry
    edition: Edition


class CardPage(NamedTuple):
    """A card for a reader; ``language`` is the language of the texts shown first, ``others`` has
    the faces in each other language.
    """

    card: Card
    name: str
    language: str
    name_language: str
    faces: tuple[ShownFace, ...]
    others: tuple[tuple[str, tuple[ShownFace, ...]], ...]
    errata: tuple[ShownErratum, ...]
    rulings: tuple[ShownRuling, ...]
    rules: tuple[ShownRule, ...]


def card_page(snapshot: Snapshot, card: Card, language: str, reading: str | None) -> CardPage:
    """Return the content of the page of ``card`` for readers of ``language``; if ``reading`` is
    another language, the texts in it come first.
    """
    reading = reading or language
    spoken = card.text_language(reading)
    game, known = card.game, card.languages
    faces = _faces(snapshot, card, spoken, language)
    errata = [
        ShownErratum(
            _shown_text(game, each.old) if each.old else None,
            _shown_text(game, each.new) if each.new else None,
            _shown_text(game, each.note) if each.note else None,
            each.date,
        )
        for each in card.errata
    ]
    return CardPage(
        card=card,
        name=card.name(reading),
        language=spoken,
        name_language=next((each for each in (reading, "en", *known) if each in known), ""),
        faces=faces,
        others=tuple(
            (each, _faces(snapshot, card, each, language)) for each in known if each != spoken
        ),
        errata=tuple(sorted(errata, key=lambda erratum: erratum.language != spoken)),
        rulings=tuple(
            ShownRuling(ruling, ruling_title(ruling, language), ruling.source, ruling_url(ruling))
            for ruling in snapshot.index.rulings.of_card(game, card.id)
        ),
        rules=_shown_rules(snapshot, game, card_rules(snapshot, card, reading), language),
    )


def rules_of_ruling(snapshot: Snapshot, ruling: Ruling, language: str) -> tuple[ShownRule, ...]:
    """Return the rules that ``ruling`` names, for readers of ``language``."""
    rules = rule_linker(snapshot, ruling.game).rules_of_ruling(ruling, language)
    return _shown_rules(snapshot, ruling.game, rules, language)


def _shown_rules(
    snapshot: Snapshot, game: str, rules: Iterable[CardRule], language: str
) -> tuple[ShownRule, ...]:
    library = snapshot.library
    return tuple(
        ShownRule(
            ShownWords(rule.term, rule.text.language)
            if rule.text
            else type_name(snapshot, game, rule.term, language),
            entry := library.entry[rule.entry],
            library.edition[entry.edition],
        )
        for rule in rules
    )


def type_name(snapshot: Snapshot, game: str, type: str, language: str) -> ShownWords:
    """Return the name of a card ``type`` in ``language``: from its database, else from the game's
    glossary, else in English.
    """
    name = snapshot.index.cards.type_names(game, type).get(language)
    if not name:
        return _term(snapshot, game, type, language)
    return ShownWords(_capitalised(name), language)


def _faces(snapshot: Snapshot, card: Card, language: str, reader: str) -> tuple[ShownFace, ...]:
    return tuple(
        ShownFace(
            name=name_in(face.names, language),
            subtitle=face.subtitles.get(language) or face.subtitles.get("en", ""),
            type=type_name(snapshot, card.game, face.type, reader),
            traits=face.traits.get(language) or face.traits.get("en", ""),
            values=tuple(_shown_values(snapshot, card.game, face, reader)),
            texts=tuple(
                _shown_text(card.game, text)
                for text in face.texts
                if text.quoted.language == language
            ),
        )
        for face in card.faces
    )


def _shown_values(
    snapshot: Snapshot, game: str, face: CardFace, language: str
) -> Iterator[ShownValue]:
    """Yield the values printed on ``face`` for readers of ``language``, the usual ones first."""
    for name in sorted(face.stats, key=lambda name: _PLACES.get(name, len(_PLACES))):
        value = face.stats[name]
        if name in _OF_THE_DATABASE or (name in _CLOSED and value not in _VALUES[name]):
            continue
        known: Mapping[str, str] = _VALUES.get(name, _FLAGS)
        words = "/".join(
            translate(language, known[each]) if each in known else each
            for each in (value.split("-") if name == "color" else [value])
        )
        called = (
            ShownWords(translate(language, STAT_NAMES[name]), language)
            if name in STAT_NAMES
            else _term(snapshot, game, name, language)
        )
        yield ShownValue(called, symbol_runs(words, game, language))


def _term(snapshot: Snapshot, game: str, code: str, language: str) -> ShownWords:
    """Return the glossary's name for a ``code`` of the database, else the code as words."""

    def english_names() -> dict[str, Mapping[str, tuple[str, ...]]]:
        found: dict[str, Mapping[str, tuple[str, ...]]] = {}
        for concept in load_concepts(game):
            for name in concept.names.get("en", ()):
                found.setdefault(fold(name), concept.names)
        return found

    words = code.replace("_", " ")
    terms = snapshot.cache.get(("terms of cards", game), english_names)
    if names := terms.get(fold(words), {}).get(language, ()):
        return ShownWords(_capitalised(names[0]), language)
    return ShownWords(_capitalised(words), DEFAULT)


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _shown_text(game: str, text: CardText) -> ShownText:
    language = text.quoted.language
    lines = (symbol_runs(line, game, language) for line in text.display.split("\n") if line.strip())
    return ShownText(language, text.kind is TextKind.FLAVOUR, tuple(lines))


def symbol_runs(text: str, game: str, language: str) -> tuple[CardTextRun, ...]:
    """Return ``text`` of a card split into runs, its symbols as characters, or as names if no
    character fits.
    """
    runs: list[CardTextRun] = []
    at = 0
    for place in symbol_places(text, game):
        name = place.symbol.name(language)
        runs += [CardTextRun(text[at : place.start]), CardTextRun(place.symbol.sign or name, name)]
        at = place.end
    return tuple(run for run in (*runs, CardTextRun(text[at:])) if run.text)
