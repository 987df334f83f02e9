"""The names of cards in files mapped into memory: by their words, n-grams, initials and codes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.cards.model import Card
from glossary.string_trie import UNKNOWN, StringTrie
from index.cards.name_forms import (
    card_codes,
    card_names,
    compared_words,
    context_words,
    grams,
    initials,
)
from index.files.name_tables import NameIndex
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray
from index.files.records import MappedRecords, write_records

_CACHED = 1_000  # names that are kept decoded
_FEWEST_INITIALS = 2


class NameForm(NamedTuple):
    """A name as it is printed in ``language``, its ``words`` as they are compared, and the numbers
    of the cards called so.
    """

    name: str
    language: str
    words: tuple[str, ...]
    cards: tuple[int, ...]


class CardNameTables(NamedTuple):
    """Look-ups among names: ``forms`` by number; ``grams``, ``joined`` and ``initials`` give
    numbers of forms, ``codes`` of cards.

    ``lengths`` has, for each form, the length of the vector of its n-grams, each weighed by
    `gram_weight`; ``words`` numbers the words of all names, and ``weights`` has a weight for each.
    ``context`` has for each card the numbers of its ``context_words``.
    """

    forms: MappedRecords[NameForm]
    grams: NameIndex
    joined: NameIndex
    initials: NameIndex
    codes: NameIndex
    lengths: NDArray[np.float32]
    words: StringTrie
    weights: NDArray[np.float32]
    context_words: StringTrie
    context: RaggedArray

    def word_weight(self, word: str) -> float:
        """What ``word`` counts in a comparison: the more, the fewer names have it."""
        number = self.words.number(word)
        return (
            self.weights.max(initial=1.0).item() if number == UNKNOWN else self.weights.item(number)
        )

    def gram_weight(self, count: int) -> float:
        """What an n-gram that ``count`` names have counts."""
        return gram_weight(count, len(self.forms))

    @classmethod
    def load(cls, folder: Path) -> CardNameTables:
        """What `save_name_tables` wrote into ``folder``. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        return cls(
            forms=MappedRecords.load(folder / "forms", _form, _CACHED),
            grams=NameIndex.load(folder / "grams"),
            joined=NameIndex.load(folder / "joined"),
            initials=NameIndex.load(folder / "initials"),
            codes=NameIndex.load(folder / "codes"),
            lengths=load_mapped(folder / "lengths.npy"),
            words=StringTrie.load(folder / "words.marisa"),
            weights=load_mapped(folder / "weights.npy"),
            context_words=StringTrie.load(folder / "context_words.marisa"),
            context=RaggedArray.load(folder / "context"),
        )


def gram_weight(count: int, forms: int) -> float:
    """The inverse document frequency of an n-gram that ``count`` of so many ``forms`` have."""
    return float(np.log((forms + 1) / (count + 0.5)))


def save_name_tables(
    folder: Path, cards: Sequence[Card], types_of: Callable[[Card], Iterable[str]]
) -> None:
    """Write into ``folder`` how ``cards`` are found by name; ``types_of`` gives the names of a
    card's types in all languages.
    """
    forms = _forms(cards)
    write_records(folder / "forms", forms)
    by_gram = _grouped(enumerate(grams(form.words) for form in forms))
    NameIndex.from_groups(by_gram).save(folder / "grams")
    squares = np.zeros(len(forms), dtype=np.float64)
    for numbers in by_gram.values():
        squares[numbers] += gram_weight(len(numbers), len(forms)) ** 2
    np.save(folder / "lengths.npy", np.sqrt(squares).astype(np.float32))
    NameIndex.from_groups(
        _grouped((n, ("".join(form.words),)) for n, form in enumerate(forms))
    ).save(folder / "joined")
    several = (
        (n, form.words) for n, form in enumerate(forms) if len(form.words) >= _FEWEST_INITIALS
    )
    NameIndex.from_groups(_grouped((n, (initials(words),)) for n, words in several)).save(
        folder / "initials"
    )
    NameIndex.from_groups(_grouped((n, card_codes(card)) for n, card in enumerate(cards))).save(
        folder / "codes"
    )
    _save_weights(folder, [form.words for form in forms])
    _save_context(folder, [context_words(card, types_of(card)) for card in cards])


def _forms(cards: Sequence[Card]) -> list[NameForm]:
    found: dict[tuple[tuple[str, ...], str], tuple[str, list[int]]] = {}
    for number, card in enumerate(cards):
        for name, language in card_names(card):
            if words := compared_words(name):
                owners = found.setdefault((words, language), (name, []))[1]
                if not owners or owners[-1] != number:
                    owners.append(number)
    return [
        NameForm(name, language, words, tuple(owners))
        for (words, language), (name, owners) in found.items()
    ]


def _form(record: Any) -> NameForm:
    name, language, words, cards = record
    return NameForm(name, language, tuple(words), tuple(cards))


def _grouped(named: Iterable[tuple[int, Iterable[str]]]) -> dict[str, list[int]]:
    """The numbers that have each name."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, names in named:
        for name in names:
            groups[name].append(number)
    return groups


def _save_weights(folder: Path, names: Sequence[Sequence[str]]) -> None:
    counts: Mapping[str, list[int]] = _grouped(
        (number, set(words)) for number, words in enumerate(names)
    )
    words = StringTrie(counts)
    words.save(folder / "words.marisa")
    weights = np.ones(len(words), dtype=np.float32)
    for word, numbers in counts.items():
        weights[words.number(word)] = 1 + np.log((len(names) + 1) / len(numbers))
    np.save(folder / "weights.npy", weights)


def _save_context(folder: Path, contexts: Sequence[set[str]]) -> None:
    words = StringTrie(set().union(*contexts))
    words.save(folder / "context_words.marisa")
    owners = np.repeat(np.arange(len(contexts)), [len(context) for context in contexts])
    numbers = np.fromiter(
        (words.number(word) for context in contexts for word in sorted(context)), dtype=np.int32
    )
    RaggedArray.from_owners(owners, numbers, len(contexts)).save(folder / "context")
