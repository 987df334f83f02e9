"""Cards that are named by where they are printed: by a rulebook that has rulings on them, or by
code, or by product and number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from string import ascii_letters

from corpus.cards.model import Card
from corpus.data_files import DataFileError
from corpus.languages import words_of
from corpus.titles import key, plain_slug
from glossary.card_name_forms import name_words
from glossary.concepts.product_names import ProductName, card_numbers, load_products
from glossary.normalization import tokenize
from glossary.word_tables import WordTables
from index.cards.card_store import CardStore
from index.cards.model import CardNamed
from index.cards.name_forms import codes_in
from index.library.library import Library
from index.questions.question_parser import ParsedQuestion

_WHOLE, _ORDINARY = (
    1.0,
    0.5,
)  # certainty that a whole name without a slip names a card, and one that is an ordinary word with a capital
_MOST_MEANT = 3  # cards that one code may mean
_CODE = re.compile(
    r"\d{5,}[a-z]?|\d+/\w+"
)  # of all printings, "51038a", or with that of its product, "33/204"
_NUMBER = re.compile(r"\d{1,3}[a-z]?")
_ENDS = re.compile(r"\s*(?:[^\w\s]|$)")  # behind a number that counts nothing: no "5 cards"
_SEVERAL = re.compile(r"(?<!\s)\s++/\s++")  # "Star-Lord / Nebula" are two products
_CACHED_ENTRIES = 500
_BEFORE_NUMBERS = {
    word for name in ("card", "cards", "number") for word in words_of(f"questions.{name}")
}


class PrintedCards:
    """Finds ``cards`` of databases that questions name otherwise than the databases do.

    A rulebook may call a card by a name that no database has; product and number tell which card it
    is.
    """

    def __init__(self, cards: CardStore, library: Library, tables: WordTables):
        self._cards, self._tables = cards, tables
        # A function that does not refer to this object, so that no cycle keeps it.
        self._of_entry = lru_cache(maxsize=_CACHED_ENTRIES)(partial(_cards_of, cards, library))

    def named(self, question: ParsedQuestion, games: Iterable[str]) -> list[CardNamed]:
        """The cards of ``games`` that ``question`` names by what a rulebook calls them, by code, or
        by product and number.
        """
        return [
            each
            for game in games
            if game in self._cards.games
            for each in self._of_game(question, game)
        ]

    def _of_game(self, question: ParsedQuestion, game: str) -> Iterator[CardNamed]:
        numbered = list(self._numbered(question.text, game))
        yield from numbered
        for mention in question.cards.get(game, ()):
            if any(each.start < mention.end and each.end > mention.start for each in numbered):
                continue  # the name of a product
            word = question.text[mention.start : mention.end]
            if mention.certainty == _WHOLE or (
                mention.certainty == _ORDINARY and self._is_raised(word, question.language)
            ):
                ids = tuple(
                    dict.fromkeys(id for entry in mention.entries for id in self._of_entry(entry))
                )
                yield from (
                    [CardNamed(mention.start, mention.end, ids, mention.certainty, game)]
                    if ids
                    else []
                )

    def _is_raised(self, word: str, language: str) -> bool:
        """Whether ``word`` has a capital letter that the language does not give it anyway."""
        tables = self._tables[language]
        return word[0].isupper() and (tables.has(word.lower()) or not tables.has(word.capitalize()))

    def _numbered(self, text: str, game: str) -> Iterator[CardNamed]:
        """The cards that ``text`` names by a code that is theirs alone, or by the name of a product
        with a number behind it.
        """
        if not (codes := codes_in(text)):
            return
        for code in codes:
            if (
                _CODE.fullmatch(code)
                and 0 < len(cards := self._cards.numbered(game, code)) <= _MOST_MEANT
            ):
                start = text.lower().find(code)
                yield CardNamed(
                    start, start + len(code), tuple(card.id for card in cards), 1.0, game
                )
        tokens = tokenize(text)
        words = [" ".join(name_words(token.text)) for token in tokens]
        for place, word in enumerate(words):
            if not _NUMBER.fullmatch(word):
                continue
            last = place
            while last and words[last - 1] in _BEFORE_NUMBERS:
                last -= 1
            between, behind = (
                text[tokens[last - 1].end : tokens[place].start],
                text[tokens[place].end :],
            )
            if last and (between.strip() or _ENDS.match(behind)):
                for card in self._cards.numbered(game, word):
                    length = max(
                        (_length(words[:last], name) for name in _products(card, word)), default=0
                    )
                    if length:
                        yield CardNamed(
                            tokens[last - length].start, tokens[place].end, (card.id,), 1.0, game
                        )


def _length(words: Sequence[str], name: str) -> int:
    """How many of the last ``words`` are the whole ``name``, 0 if they are not."""
    wanted = [word for part in name_words(name) for word in part.split()]
    return len(wanted) if wanted and list(words[-len(wanted) :]) == wanted else 0


def _products(card: Card, number: str) -> Iterator[str]:
    """The names of the products in which ``card`` has this ``number``."""
    for printing in card.printings:
        if printing.number.lower().partition("/")[0].lstrip("0") == number.lstrip("0"):
            yield from printing.products.values()


def _cards_of(cards: CardStore, library: Library, id: str) -> tuple[str, ...]:
    """The ids of the ``cards`` that have the product and number of the entry called ``id``."""
    entry = library.entry[id]
    edition = library.edition[entry.edition]
    products = set(_product_names(edition.game, entry.product or "", edition.language))
    found: dict[str, None] = {}
    for number in card_numbers(entry.number) if products else ():
        digits = number.rstrip(ascii_letters)
        for spelt in (
            number.lower(),
            digits,
            f"{digits}a",
        ):  # a side, a card that has one, the first side of a card
            printed = [
                card.id
                for card in cards.numbered(edition.game, spelt)
                if not products.isdisjoint(map(_bare, _products(card, spelt)))
            ]
            if printed:
                found |= dict.fromkeys(printed)
                break
    return tuple(found)


def _product_names(game: str, printed: str, language: str) -> Iterator[str]:
    """The names of the products that a rulebook in ``language`` calls ``printed``: as printed, and
    in English where that is known.
    """
    try:
        known = load_products(game)
    except DataFileError:  # the build says what is wrong in it
        known = {}
    for name in dict.fromkeys((printed, *_SEVERAL.split(printed))):
        if name:
            yield _bare(name)
            yield _bare(known.get(ProductName(language, key(name)), name))


def _bare(product: str) -> str:
    """What spellings of the name of a ``product`` have in common: "The Mad Titan's Shadow",
    "mad-titans-shadow".
    """
    return plain_slug(product).removeprefix("the-").replace("-", "")
