"""What is printed on a card beside its text, for readers: its type and values, called as the game calls them in their language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpus.cards.model import CardFace
from corpus.cards.symbols import symbol_places
from glossary.concepts import load_concepts
from glossary.normalization import fold
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
_OF_THE_DATABASE = frozenset({"quantity", "set"})  # how many of it a product has, and a code: neither is printed on the card
_CLOSED = frozenset({"faction"})  # of these only the values above are shown: others say no more than the type does


@dataclass(frozen=True)
class CardTextRun:
    """A piece of a text; ``symbol`` is what the symbol that it stands for is called, "" where it is plain text."""

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
    """Return what ``type`` of a card is called in ``language``: as its database says, else as the game's glossary does, else in English."""
    name = snapshot.index.cards.type_names(game, type).get(language)
    return ShownWords(_capitalised(name), language) if name else _term(snapshot, game, type, language)


def printed_values(snapshot: Snapshot, game: str, face: CardFace, language: str) -> tuple[ShownValue, ...]:
    """Return the values printed on ``face`` for who reads ``language``, the usual ones first."""
    names = (*(name for name in STAT_NAMES if name in face.stats), *(name for name in face.stats if name not in STAT_NAMES))
    shown = (_shown_value(snapshot, game, name, face.stats[name], language) for name in names)
    return tuple(value for value in shown if value is not None)


def symbol_runs(text: str, game: str, language: str) -> tuple[CardTextRun, ...]:
    """Return ``text`` of a card of ``game`` cut into runs, its symbols as signs, or as their names where no character stands for them."""
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


def _shown_value(snapshot: Snapshot, game: str, name: str, value: str, language: str) -> ShownValue | None:
    if name in _OF_THE_DATABASE or (name in _CLOSED and value not in _VALUES[name]):
        return None
    called = ShownWords(translate(language, STAT_NAMES[name]), language) if name in STAT_NAMES else _term(snapshot, game, name, language)
    known: Mapping[str, str] = _VALUES.get(name, _FLAGS)
    words = "/".join(translate(language, known[each]) if each in known else each for each in _parts(name, value))
    return ShownValue(called, symbol_runs(words, game, language))


def _parts(name: str, value: str) -> list[str]:
    return value.split("-") if name == "color" else [value]


def _term(snapshot: Snapshot, game: str, code: str, language: str) -> ShownWords:
    words = code.replace("_", " ")
    terms = snapshot.cache.get(("terms of cards", game), lambda: _terms(game))
    names = terms.get(fold(words), {}).get(language, ())
    name = names[0] if names else ""
    return ShownWords(_capitalised(name), language) if name else ShownWords(_capitalised(words), DEFAULT)


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _terms(game: str) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """The names of the terms of ``game`` in all languages, by their English ones."""
    found: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for concept in load_concepts(game):
        for name in concept.names.get("en", ()):
            found.setdefault(fold(name), concept.names)
    return found
