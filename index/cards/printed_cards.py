"""Find cards that a question names as rulebooks and products do: by a rulebook's name for a card,
by code, or by product and number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from string import ascii_letters

from corpus.cards.model import Card
from corpus.data_files import DataFileError
from corpus.languages import words_of
from corpus.titles import key, plain_slug
from glossary.card_names import name_words
from glossary.concepts.product_names import ProductName, card_numbers, load_products
from glossary.normalization import tokenize
from glossary.word_tables import WordTables
from index.cards.card_names import codes_in
from index.cards.card_store import CardNamed, CardStore
from index.library.library import Library
from index.questions.question_parser import ParsedQuestion

_WHOLE = 1.0  # certainty that a whole name without a typo names a card
_ORDINARY = 0.5  # certainty of a name that is an ordinary word with a capital
_MOST_MEANT = 3  # cards that one code may mean
# The code of a printing, "51038a", or a number out of the number of cards in a product, "33/204".
_CODE = re.compile(r"\d{5,}[a-z]?|\d+/\w+")
_NUMBER = re.compile(r"\d{1,3}[a-z]?")
_ENDS = re.compile(r"\s*(?:[^\w\s]|$)")  # behind a number that counts nothing: no "5 cards"
_SEVERAL = re.compile(r"(?<!\s)\s++/\s++")  # "Star-Lord / Nebula" are two products
_CACHED_ENTRIES = 500
_BEFORE_NUMBERS = {
    word for name in ("card", "cards", "number") for word in words_of(f"questions.{name}")
}


class PrintedCards:
    """Finds ``cards`` that questions name otherwise than the card database does.

    A rulebook may use a name for a card that the database lacks; product and number identify the
    card.
    """

    def __init__(self, cards: CardStore, library: Library, tables: WordTables):
        self._cards, self._tables = cards, tables
        # This function does not refer to ``self``: a reference cycle would keep the object alive.
        self.of_entry = lru_cache(maxsize=_CACHED_ENTRIES)(partial(_cards_of, cards, library))

    def named(self, question: ParsedQuestion, games: Iterable[str]) -> list[CardNamed]:
        """Return the places where ``question`` names cards of ``games`` by a rulebook's name, by
        code, or by product and number.
        """
        found: list[CardNamed] = []
        for game in (game for game in games if game in self._cards.games):
            numbered = [*self._by_code(question.text, game), *self._by_product(question.text, game)]
            found += numbered
            for mention in question.cards.get(game, ()):
                if any(each.start < mention.end and each.end > mention.start for each in numbered):
                    continue  # the name of a product
                word = question.text[mention.start : mention.end]
                if mention.certainty == _WHOLE or (
                    mention.certainty == _ORDINARY and self._is_raised(word, question.language)
                ):
                    ids = (id for entry in mention.entries for id in self.of_entry(entry))
                    if cards := tuple(dict.fromkeys(ids)):
                        place = mention.start, mention.end
                        found.append(CardNamed(*place, cards, mention.certainty, game))
        return found

    def _is_raised(self, word: str, language: str) -> bool:
        """Return whether ``word`` has a capital letter that the language does not require."""
        tables = self._tables[language]
        return word[0].isupper() and (tables.has(word.lower()) or not tables.has(word.capitalize()))

    def _by_code(self, text: str, game: str) -> Iterator[CardNamed]:
        for code in filter(_CODE.fullmatch, codes_in(text)):
            cards = tuple(card.id for card in self._cards.numbered(game, code))
            if 0 < len(cards) <= _MOST_MEANT:
                start = text.lower().find(code)
                yield CardNamed(start, start + len(code), cards, 1.0, game)

    def _by_product(self, text: str, game: str) -> Iterator[CardNamed]:
        """Yield the cards that ``text`` names by product and number: "Core Set 33"."""
        if not codes_in(text):
            return
        tokens = tokenize(text)
        words = [" ".join(name_words(token.text)) for token in tokens]
        for place, word in enumerate(words):
            if not _NUMBER.fullmatch(word):
                continue
            last = place
            while last and words[last - 1] in _BEFORE_NUMBERS:
                last -= 1
            between = text[tokens[last - 1].end : tokens[place].start]
            if not last or not (between.strip() or _ENDS.match(text[tokens[place].end :])):
                continue
            for card in self._cards.numbered(game, word):
                names = (
                    [each for part in name_words(name) for each in part.split()]
                    for name in _products(card, word)
                )
                named = [name for name in names if name and words[:last][-len(name) :] == name]
                if named:
                    start = tokens[last - max(map(len, named))].start
                    yield CardNamed(start, tokens[place].end, (card.id,), 1.0, game)


def _products(card: Card, number: str) -> Iterator[str]:
    """Yield the names of the products in which ``card`` has this ``number``."""
    for printing in card.printings:
        if printing.number.lower().partition("/")[0].lstrip("0") == number.lstrip("0"):
            yield from printing.products.values()


def _cards_of(cards: CardStore, library: Library, id: str) -> tuple[str, ...]:
    """Return the ids of the ``cards`` with the product and number that entry ``id`` states."""
    entry = library.entry[id]
    edition = library.edition[entry.edition]
    products = set(_product_names(edition.game, entry.product or "", edition.language))
    found: dict[str, None] = {}
    for number in card_numbers(entry.number) if products else ():
        digits = number.rstrip(ascii_letters)
        # As printed, without the letter of a side, and the first side of a card.
        for spelt in (number.lower(), digits, f"{digits}a"):
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
    """Yield the names of the products that a rulebook in ``language`` calls ``printed``: that name
    and, if known, the English one, both shortened by `_bare`.
    """
    try:
        known = load_products(game)
    except DataFileError:  # the build reports the error
        known = {}
    for name in dict.fromkeys((printed, *_SEVERAL.split(printed))):
        if name:
            yield _bare(name)
            yield _bare(known.get(ProductName(language, key(name)), name))


def _bare(product: str) -> str:
    """Return the common form of all spellings of a product: "madtitansshadow" for "The Mad Titan's
    Shadow" and "mad-titans-shadow".
    """
    return plain_slug(product).removeprefix("the-").replace("-", "")
