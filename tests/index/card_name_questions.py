"""Make questions with card names as people type them, to test whether the right card is found
first.

Names come in all languages of the database: with other capitals, without umlauts, with a typo, in
part, shortened, with the type or product that distinguishes cards of one name, or as the number of
the card.
"""

from __future__ import annotations

import json
import random
import string
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from corpus.cards.model import Card
from glossary.card_names import name_words
from glossary.normalization import fold, tokenize
from index.cards.card_names import CardName, card_names

WRITTEN = Path(__file__).parent / "card_name_questions.jsonl"
_SEED = 21
_LONG_ENOUGH = 5  # letters of a name to misspell; a typo in a shorter one may give another name


class CardQuestion(NamedTuple):
    """A typed question, its kind, and the ids of the expected cards: several where nothing
    distinguishes them.
    """

    text: str
    kind: str
    meant: frozenset[str]
    language: str | None = None


class _Names:
    """Index of a game's cards by the words of their names."""

    def __init__(self, cards: Sequence[Card]):
        self.cards = cards
        self.by_words: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self.with_word: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for card in cards:
            for name in card_names(card):
                words = name_words(name.text)
                self.by_words[words].add(card.id)
                for word in words:
                    self.with_word[word].add(words)

    def called(self, text: str) -> frozenset[str]:
        """Return the cards with exactly this name."""
        return frozenset(self.by_words[name_words(text)])

    def containing(self, words: Sequence[str]) -> frozenset[str]:
        """Return the cards with all ``words`` in a name."""
        names = set.intersection(*(self.with_word.get(word, set()) for word in words))
        return frozenset().union(*(self.by_words[name] for name in names)) if names else frozenset()


Maker = Callable[[_Names, Card, CardName, random.Random], CardQuestion | None]


def questions(cards: Sequence[Card], count: int) -> list[CardQuestion]:
    """Return ``count`` questions, the kinds in turn, about random cards; the result is always the
    same.
    """
    chance = random.Random(_SEED)
    names = _Names(cards)
    made: list[CardQuestion] = []
    kinds = list(_MAKERS)
    for kind in (kinds[number % len(kinds)] for number in range(count)):
        while True:
            card = chance.choice(cards)
            name = chance.choice(list(card_names(card)))
            if (
                name_words(name.text)
                and (question := _MAKERS[kind](names, card, name, chance)) is not None
                and question.meant
            ):
                made.append(question._replace(kind=kind))
                break
    return made


def written(game: str) -> list[CardQuestion]:
    """Return the handwritten questions on cards of ``game``."""
    rows = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    return [
        CardQuestion(row["question"], row["kind"], frozenset(row["cards"]), row["language"])
        for row in rows
        if row["game"] == game
    ]


def _plain(names: _Names, card: Card, name: CardName, chance: random.Random) -> CardQuestion:
    return CardQuestion(name.text, "", names.called(name.text))


def _capitals(names: _Names, card: Card, name: CardName, chance: random.Random) -> CardQuestion:
    return CardQuestion(
        chance.choice((name.text.lower(), name.text.upper())), "", names.called(name.text)
    )


def _no_umlauts(
    names: _Names, card: Card, name: CardName, chance: random.Random
) -> CardQuestion | None:
    if name.text.isascii():
        return None
    dropped = name.text.translate(
        str.maketrans("äöüÄÖÜàèéìòùÀÈÉÌÒÙ", "aouAOUaeeiouAEEIOU")
    ).replace("ß", "ss")
    return CardQuestion(chance.choice((fold(name.text), dropped)), "", names.called(name.text))


def _typo(names: _Names, card: Card, name: CardName, chance: random.Random) -> CardQuestion | None:
    letters = [place for place, sign in enumerate(name.text) if sign.isalpha() and place]
    if len(letters) < _LONG_ENOUGH:
        return None
    at = chance.choice(letters)
    other = chance.choice(string.ascii_lowercase)
    text = name.text
    mistyped = chance.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + other + text[at + 1 :],
            text[:at] + other + text[at:],
            text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :],
        )
    )
    if names.called(mistyped) - names.called(text):  # it is now the name of another card
        return None
    return CardQuestion(mistyped, "", names.called(text))


def _part(names: _Names, card: Card, name: CardName, chance: random.Random) -> CardQuestion | None:
    """Return some words of a name that only cards of that name have."""
    words = tokenize(name.text)
    if len(words) < 3:
        return None
    first = chance.randrange(len(words) - 1)
    last = chance.randrange(first + 1, len(words))
    if last - first + 1 == len(words):
        return None
    part = name.text[words[first].start : words[last].end]
    meant = names.containing(name_words(part))
    return (
        CardQuestion(part, "", meant)
        if len({c.name("en") for c in names.cards if c.id in meant}) == 1
        else None
    )


def _shortened(
    names: _Names, card: Card, name: CardName, chance: random.Random
) -> CardQuestion | None:
    """Return a name with its first word cut to a letter, if no other name can be cut to the
    same.
    """
    words = tokenize(name.text)
    if len(words) < 2 or len(words[0].text) < 2:
        return None
    first, rest = name_words(words[0].text)[0][0], name_words(name.text[words[1].start :])
    like = {
        each
        for each in names.with_word[rest[0]]
        if len(each) == len(words) and each[0][0] == first and each[1:] == rest
    }
    return (
        CardQuestion(
            f"{words[0].text[0]}. {name.text[words[1].start :]}", "", names.called(name.text)
        )
        if len(like) == 1
        else None
    )


def _number(
    names: _Names, card: Card, name: CardName, chance: random.Random
) -> CardQuestion | None:
    """Return a code that ends with the printed number, as "01071"; else the printed number with its
    product.
    """
    if not card.printings:
        return None
    printing = chance.choice(card.printings)
    if printing.code.endswith(printing.number):
        return CardQuestion(printing.code, "", frozenset({card.id}))
    product = chance.choice(sorted(printing.products.values()))
    number = chance.choice((printing.number, printing.number.partition("/")[0]))
    printed = (
        (c.id, p) for c in names.cards for p in c.printings if product in p.products.values()
    )
    meant = frozenset(id for id, p in printed if number in (p.number, p.number.partition("/")[0]))
    return CardQuestion(f"{product} {number}", "", meant)


def _with_product(
    names: _Names, card: Card, name: CardName, chance: random.Random
) -> CardQuestion | None:
    """Return a name that several cards have, with the product of one."""
    if len(names.called(name.text)) < 2 or not card.printings:
        return None
    printed = {product for printing in card.printings for product in printing.products.values()}
    if not (others := sorted(product for product in printed if product != name.text)):
        return None
    product = chance.choice(others)
    meant = {
        c.id
        for c in names.cards
        if c.id in names.called(name.text)
        and any(product in p.products.values() for p in c.printings)
    }
    return CardQuestion(f"{name.text} {product}", "", frozenset(meant))


_MAKERS: dict[str, Maker] = {
    "name": _plain,
    "capitals": _capitals,
    "umlauts": _no_umlauts,
    "typo": _typo,
    "part": _part,
    "shortened": _shortened,
    "number": _number,
    "product": _with_product,
}
