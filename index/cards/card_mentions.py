"""What cards of whole databases are called in questions: whole names and parts of them, in files
mapped into memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.cards.model import Card
from glossary import normalization
from glossary.card_name_forms import names_of
from glossary.fuzzy import SpellingCorrector
from glossary.string_trie import UNKNOWN, StringTrie
from index.cards.name_forms import card_names
from index.files.name_tables import NameIndex
from index.files.quantized import load_mapped

_MOST_OF_A_PART = (
    6  # names that may share a part that is recognised; more make it an ordinary word of the game
)


class CardMentionTables:
    """The names that cards are mentioned by: ``names`` gives twice the number of a card, and 1 more
    where the name is whole.

    ``longest`` has for each of the ``words`` of names how many words a name that it begins has at
    most.
    """

    def __init__(self, names: NameIndex, words: StringTrie, longest: NDArray[np.int8]):
        self._names, self._words, self._longest = names, words, longest
        known = [words.string(number) for number in range(len(words))]
        self._speller = SpellingCorrector(known)

    def longest(self, word: str) -> int:
        """The words of the longest name that ``word`` begins, 0 for none."""
        number = self._words.number(word)
        return 0 if number == UNKNOWN else self._longest.item(number)

    def cards(self, words: Sequence[str]) -> tuple[list[int], bool]:
        """The numbers of the cards that ``words`` are the whole name of, else of those that they
        are a part of, and which it is.
        """
        values = self._names.numbers(" ".join(words))
        whole = values[values % 2 == 1]
        return ((whole if len(whole) else values) // 2).tolist(), len(whole) > 0

    def written(self, word: str) -> str | None:
        """The word of names that ``word`` is, None where it is none."""
        plain = normalization.fold_umlauts(word)
        genitive = plain.removesuffix("s")  # as German has it
        return next(
            (known for known in (plain, genitive) if self._words.number(known) != UNKNOWN), None
        )

    def nearest(self, word: str) -> str | None:
        """The word of names that the misspelt ``word`` is meant for, None where none is near."""
        return self._speller.nearest(word)

    @classmethod
    def load(cls, folder: Path) -> CardMentionTables:
        """What `save_mention_tables` wrote into ``folder``. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        words = StringTrie.load(folder / "mention_words.marisa")
        return cls(
            NameIndex.load(folder / "mentions"), words, load_mapped(folder / "mention_longest.npy")
        )


def save_mention_tables(folder: Path, cards: Sequence[Card]) -> None:
    """Write into ``folder`` what ``cards`` are mentioned by."""
    wholes: dict[tuple[str, ...], set[int]] = defaultdict(set)
    parts: dict[tuple[str, ...], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, card in enumerate(cards):
        for text, _ in card_names(card):
            for words, whole in names_of(text):
                if whole:
                    wholes[words].add(number)
                else:
                    parts[words][text].add(number)
    groups = {
        " ".join(words): [2 * number + 1 for number in numbers] for words, numbers in wholes.items()
    }
    for words, owners in parts.items():
        if words not in wholes and len(owners) <= _MOST_OF_A_PART:
            groups[" ".join(words)] = [2 * number for number in set().union(*owners.values())]
    NameIndex.from_groups(groups).save(folder / "mentions")
    longest: dict[str, int] = defaultdict(int)
    for name in groups:
        words_of_name = name.split(" ")
        longest[words_of_name[0]] = max(longest[words_of_name[0]], len(words_of_name))
        for word in words_of_name[1:]:
            longest[word] = max(longest[word], 0)
    known = StringTrie(longest)
    known.save(folder / "mention_words.marisa")
    numbers = [
        min(longest[known.string(number)], np.iinfo(np.int8).max) for number in range(len(known))
    ]
    np.save(folder / "mention_longest.npy", np.array(numbers, dtype=np.int8))
