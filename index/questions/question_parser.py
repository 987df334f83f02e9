"""Questions read before they are searched: what is asked, about which terms, cards and rules, and what is only the story."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from corpus.languages import LANGUAGES, any_of, detect
from corpus.sentences import sentences
from glossary.card_names import CardMention, CardRecogniser
from glossary.concepts import Concept, load_concepts
from glossary.normalization import fold, tokenize
from glossary.recognition import TermMention, TermRecogniser
from glossary.word_tables import WordTables
from index import analysis
from index.library.library import IndexedRulebook, Library

_NAME = re.compile(r"[\"„“”«»‚‘](?P<inside>[^\"„“”«»‚‘’\n]{2,29})[\"“”«»‘’]")
_QUOTED = re.compile(r"[\"„“”«»](?P<inside>[^\"„“”«»\n]{30,}?)[\"“”«»]")  # shorter ones are names
_DIGIT = re.compile(r"\d")
_RULE = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?![\w]|\.\d)")
_NUMBER_WORD = any_of("questions.number")
_STEP = re.compile(
    rf"\b{any_of('questions.step')}\s+(?:{_NUMBER_WORD}\.?\s*)?(?P<number>\d{{1,2}})\b"
    rf"|\b(?P<ordinal>\d{{1,2}})\.\s+{any_of('questions.ordinal')}\b"
)
_CARD_NUMBER = re.compile(  # not "auf der Karte 4 Marker"
    rf"\b{any_of('questions.card')}\s+{_NUMBER_WORD}?[.°#]?\s*(?P<number>\d{{1,3}}[a-d]?)(?=\W*$)"
    rf"|\b{any_of('questions.cards', 'questions.card')}\s*{_NUMBER_WORD}[.°#]?\s*(?P<told>\d{{1,3}}[a-d]?)\b"
)
_THING = r"(?: \w+){1,2}\s*\??$"  # "what is <one or two words>?" asks for a definition, a longer sentence for more
_DEFINITION = re.compile(rf"\b{any_of('questions.definition').replace('{thing}', _THING)}")
_TIMING = re.compile(rf"\b{any_of('questions.timing')}\b")
_RULING = re.compile(rf"\b{any_of('questions.ruling')}\b")
_FEW = 2  # words beside the name of a card, at most, in a question about nothing but the card
_YES_NO = re.compile(rf"^(?:{any_of('questions.beginnings')} )?{any_of('questions.verbs')}\b")


class Asks(StrEnum):
    """What a question wants to know."""

    DEFINITION = "definition"
    RULE = "rule"
    CARD = "card"
    TIMING = "timing"
    YES_NO = "yes-no"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as read, ``folded`` its folded words.

    ``asking`` are its asking sentences without long quotations, each a question of its own; the whole text where nothing in
    it asks. ``quoted`` are spans of quoted card text, ``names`` are short quotations. ``rules`` are rule numbers, ``steps``
    numbers of steps asked for, ``card_numbers`` printed numbers of cards. ``of_card`` says that it is about a named card and
    nothing else: its rulings, its errata. ``mentions`` and ``cards`` are by game.
    """

    text: str
    folded: tuple[str, ...]
    language: str
    asks: Asks
    asking_sentences: tuple[str, ...]
    quotations: tuple[tuple[int, int], ...]
    short_quotations: tuple[str, ...]
    rules: frozenset[str]
    steps: frozenset[int]
    card_numbers: frozenset[str]
    only_card: bool
    mentions: Mapping[str, tuple[TermMention, ...]]
    cards: Mapping[str, tuple[CardMention, ...]]


class QuestionParser:
    """Reads questions about the games of a library.

    ``known`` are the concepts of its games, looked up where they are not given, and ``ordinary`` the everyday words among the
    words of their cards' names (see `Cards`), worked out where they are not given.
    """

    def __init__(
        self,
        library: Library,
        tables: WordTables,
        known: Mapping[str, Sequence[Concept]] | None = None,
        ordinary: Mapping[str, Iterable[str]] | None = None,
    ):
        self._tables = tables
        self._concepts = known if known is not None else {game: load_concepts(game) for game in library.games}
        self.recognisers = {game: TermRecogniser(self._concepts[game], tables) for game in library.games}
        self._nothing: dict[str, tuple[Any, ...]] = dict.fromkeys(library.games, ())
        books: dict[str, list[IndexedRulebook]] = {game: [] for game in library.games}
        for book in library.rulebooks:  # entries without a card tell no more than which words are ordinary
            books[book.edition.game].append(book if ordinary is None else book._replace(entries=library.card_entries(book.edition.id)))
        self._cards = {
            game: CardRecogniser(books[game], tables, ordinary[game] if ordinary is not None else None) for game in library.games
        }

    def save(self, folder: Path) -> None:
        """Keep in ``folder`` what takes time to work out."""
        folder.mkdir(parents=True)
        kept = {
            "concepts": {game: [asdict(concept) for concept in known] for game, known in self._concepts.items()},
            "ordinary": {game: sorted(cards.ordinary) for game, cards in self._cards.items()},
        }
        (folder / "reading.json").write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, library: Library, tables: WordTables) -> QuestionParser:
        """The reader kept in ``folder``, for the same library. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
        kept = json.loads((folder / "reading.json").read_text(encoding="utf-8"))
        known = {game: [_concept(fields) for fields in found] for game, found in kept["concepts"].items()}
        return cls(library, tables, known, kept["ordinary"])

    def parse(self, text: str, language: str | None = None, games: Iterable[str] | None = None) -> ParsedQuestion:
        """``text`` as a question, in ``language`` or in the one that it is detected to be in, about ``games`` or any game."""
        about = self._nothing if games is None else games
        folded = fold(text)
        spelt = analysis.folded(text)
        spoken = language or self._tables.language_of(spelt) or detect(text) or LANGUAGES[0]
        quoted = tuple(m.span("inside") for m in _QUOTED.finditer(text))
        asking = _asking(text, quoted)
        folded = " ".join(folded.split())
        numbered = folded if _DIGIT.search(text) else ""
        rules = frozenset(_RULE.findall(text) if numbered else ())
        cards = self._nothing | {game: known.mentions(text) for game in about if (known := self._cards[game])}
        return ParsedQuestion(
            text,
            spelt,
            spoken,
            _asks(folded, [" ".join(fold(a).split()) for a in asking], bool(rules), any(cards.values())),
            asking,
            quoted,
            tuple(dict.fromkeys(m["inside"] for m in _NAME.finditer(text))),
            rules,
            frozenset(int(m["number"] or m["ordinal"]) for m in _STEP.finditer(numbered)),
            frozenset(m["number"] or m["told"] for m in _CARD_NUMBER.finditer(numbered)),
            _of_card(text, folded, [named for here in cards.values() for named in here]),
            self._nothing | {game: self.recognisers[game].mentions(text, spoken) for game in about},
            cards,
        )


def _concept(fields: dict[str, Any]) -> Concept:
    """A concept from what JSON makes of its fields."""
    return Concept(**{name: _tuples(value) for name, value in fields.items()})


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(inner) for name, inner in value.items()}
    return tuple(value) if isinstance(value, list) else value


def _asking(text: str, quoted: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    found = []
    for a, b in sentences(text):
        if "?" in text[a:b]:
            kept, last = "", a
            for x, y in quoted:
                kept += text[last : max(min(x, b), last)]
                last = max(last, min(y, b))
            found.append((kept + text[last:b]).strip())
    return tuple(filter(None, found)) or (text,)


def _of_card(text: str, folded: str, cards: list[CardMention]) -> bool:
    if not cards:
        return False
    beside = [w for w in tokenize(text) if not any(n.start <= w.start < n.end for n in cards)]
    return len(beside) <= _FEW or bool(_RULING.search(folded))


def _asks(folded: str, asking: list[str], rules: bool, cards: bool) -> Asks:
    if rules:
        return Asks.RULE
    if any(_DEFINITION.search(sentence.replace("'", " ").replace("’", " ")) for sentence in asking):
        return Asks.DEFINITION
    if cards:
        return Asks.CARD
    if any(_TIMING.search(sentence) for sentence in asking):
        return Asks.TIMING
    if any(_YES_NO.search(sentence.split(", ")[-1]) or _YES_NO.search(sentence) for sentence in asking):
        return Asks.YES_NO
    return Asks.OPEN
