"""The names of cards and of their abilities in files mapped into memory, to find cards by words,
n-grams, initials and codes, and to find their names in questions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.cards.model import Card, CardFace, TextKind
from glossary import normalization
from glossary.card_names import name_words, names_of
from glossary.normalization import SpellingCorrector
from glossary.string_trie import UNKNOWN, StringTrie
from index.files.arrays import RaggedArray, load_mapped
from index.files.records import MappedRecords, NameIndex, write_records

_CODE = re.compile(r"(?<![\w/.\-])[\w/.\-]*\d[\w/.\-]*")
# The name of an ability at the start of a line: "SNOWFALL Whenever …", "SNOWFALL ⟳ — …", or
# "Snowfall — Response: …".
_ABILITY = re.compile(
    r"^(?:(?P<capitals>[A-ZÀ-Þ0-9…][A-ZÀ-Þ0-9 ,.'’‘!?&…-]{2,50}?)"
    r"(?= (?:[A-ZÀ-Þ][’']?[a-zß-ÿ]|[AI] [a-z]|\d+ [^\w\s]|[^\w\s'’‘&]))"
    r"|[\"“„«]?(?P<name>\w[^\n:—–\"”“«»()\[\].]{1,50})[\"”“»]? — )",
    re.M,
)
_GRAM_SIZES = (2, 3)
_CACHED = 1_000  # names that are kept decoded
# Names that may share a part that still identifies them; more make it an ordinary word.
_MOST_OF_A_PART = 6


class CardName(NamedTuple):
    """A name of a card as it is printed, and its language."""

    text: str
    language: str


def card_names(card: Card) -> Iterator[CardName]:
    """Yield the names of all faces of ``card`` in every language, with and without subtitle."""
    return chain.from_iterable(map(_face_names, card.faces))


def _face_names(face: CardFace) -> Iterator[CardName]:
    for language, name in face.names.items():
        yield CardName(name, language)
        if subtitle := face.subtitles.get(language):
            yield CardName(f"{name} - {subtitle}", language)


def ability_names(text: str) -> Iterator[str]:
    """Yield the names of the abilities in the ``text`` of a card, as it is displayed."""
    for found in _ABILITY.finditer(text):
        yield found["capitals"] or found["name"]


def compared_words(text: str) -> tuple[str, ...]:
    """Return the folded words of ``text``; single letters in a row become one: "S.H.I.E.L.D."."""
    joined: list[str] = []
    letters = False
    for word in name_words(text):
        alone = len(word) == 1 and word.isalpha()
        if alone and letters:
            joined[-1] += word
        else:
            joined.append(word)
        letters = alone
    return tuple(joined)


def grams(words: Iterable[str]) -> set[str]:
    """Return the n-grams of two and three characters of ``words``, each framed by blanks."""
    framed = [f" {word} " for word in words]
    return {
        word[i : i + n] for word in framed for n in _GRAM_SIZES for i in range(len(word) - n + 1)
    }


def codes_in(text: str) -> tuple[str, ...]:
    """Return the parts of ``text`` that look like a card's code or number: "01001a", "12/204"."""
    found = (match.group().strip("./-") for match in _CODE.finditer(text.lower()))
    return tuple(dict.fromkeys(found))


def _card_codes(card: Card) -> set[str]:
    """Return the id of ``card``, and the codes and numbers that it is printed with."""
    printed = chain.from_iterable(
        (each.number, each.number.partition("/")[0], each.code) for each in card.printings
    )
    texts = (card.id, *printed, *(face.code for face in card.faces))
    return {code for text in texts for code in codes_in(text)} | {card.id.lower()}


def _context_words(card: Card, types: Iterable[str]) -> set[str]:
    """Return the context words of ``card``, by which people tell it from others of its name:
    ``types``, traits, products, codes, words of some faces' names only.
    """
    texts = chain(
        types,
        (face.type.replace("_", " ") for face in card.faces),
        (trait for face in card.faces for trait in face.traits.values()),
        (text for each in card.printings for text in (each.code, *each.products.values())),
        _card_codes(card),
    )
    named = [
        {word for name in _face_names(face) for word in compared_words(name.text)}
        for face in card.faces
    ]
    other_faces = set[str]().union(*named) - named[0].intersection(*named)
    return {word for text in texts for word in compared_words(text)} | other_faces


class NameForm(NamedTuple):
    """A ``name`` as printed, its ``words`` as compared, and the numbers of ``cards`` that have
    it.
    """

    name: str
    language: str
    words: tuple[str, ...]
    cards: tuple[int, ...]


class CardNameTables(NamedTuple):
    """Look-up tables of names.

    Attributes:
        forms: The names, by number.
        grams, joined, initials: The forms by n-gram, by all words joined, and by initials.
        codes, abilities: The cards with a code or number, or with an ability of that name.
        lengths: For each form the length of its vector of n-grams, weighted by `gram_weight`.
        words: The words of all names, numbered.
        weights: The weight of each of these words.
        context_words: Words besides names (types, traits, products, codes), numbered.
        context: For each card the numbers of its context words.
    """

    forms: MappedRecords[NameForm]
    grams: NameIndex
    joined: NameIndex
    initials: NameIndex
    codes: NameIndex
    abilities: NameIndex
    lengths: NDArray[np.float32]
    words: StringTrie
    weights: NDArray[np.float32]
    context_words: StringTrie
    context: RaggedArray

    def word_weight(self, word: str) -> float:
        """Return the weight of ``word`` in a comparison: higher if fewer names have the word."""
        number = self.words.number(word)
        return self.weights.max(initial=1.0).item() if number < 0 else self.weights.item(number)

    @classmethod
    def load(cls, folder: Path) -> CardNameTables:
        """Map the files of `save_name_tables` into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` if they are damaged.
        """
        return cls(
            forms=MappedRecords.load(
                folder / "forms",
                lambda kept: NameForm(kept[0], kept[1], tuple(kept[2]), tuple(kept[3])),
                _CACHED,
            ),
            grams=NameIndex.load(folder / "grams"),
            joined=NameIndex.load(folder / "joined"),
            initials=NameIndex.load(folder / "initials"),
            codes=NameIndex.load(folder / "codes"),
            abilities=NameIndex.load(folder / "abilities")
            if (folder / "abilities.npy").exists()
            else NameIndex.from_groups({}),  # of an index that 1.0 built
            lengths=load_mapped(folder / "lengths.npy"),
            words=StringTrie.load(folder / "words.marisa"),
            weights=load_mapped(folder / "weights.npy"),
            context_words=StringTrie.load(folder / "context_words.marisa"),
            context=RaggedArray.load(folder / "context"),
        )


def gram_weight(count: int, forms: int) -> float:
    """Return the inverse document frequency of an n-gram that occurs in ``count`` of ``forms``."""
    return float(np.log((forms + 1) / (count + 0.5)))


def save_name_tables(
    folder: Path, cards: Sequence[Card], types_of: Callable[[Card], Iterable[str]]
) -> None:
    """Write the `CardNameTables` of ``cards``; ``types_of`` returns the names of a card's types."""
    owners: dict[tuple[tuple[str, ...], str], tuple[str, dict[int, None]]] = {}
    for number, card in enumerate(cards):
        for name, language in card_names(card):
            if words := compared_words(name):
                owners.setdefault((words, language), (name, {}))[1][number] = None
    forms = [
        NameForm(name, language, words, tuple(numbers))
        for (words, language), (name, numbers) in owners.items()
    ]
    write_records(folder / "forms", forms)
    by_gram = _grouped(grams(form.words) for form in forms)
    squares = np.zeros(len(forms), dtype=np.float64)
    for numbers in by_gram.values():
        squares[numbers] += gram_weight(len(numbers), len(forms)) ** 2
    np.save(folder / "lengths.npy", np.sqrt(squares).astype(np.float32))
    groups = {
        "grams": by_gram,
        "joined": _grouped(("".join(form.words),) for form in forms),
        "initials": _grouped(
            ("".join(word[0] for word in form.words),) if len(form.words) > 1 else ()
            for form in forms
        ),
        "codes": _grouped(map(_card_codes, cards)),
        "abilities": _grouped(
            {
                "".join(compared_words(name))
                for text in card.texts()
                if text.kind is TextKind.RULES
                for name in ability_names(text.display)
            }
            for card in cards
        ),
    }
    for name, group in groups.items():
        NameIndex.from_groups(group).save(folder / name)

    counts = _grouped(set(form.words) for form in forms)
    known = StringTrie(counts)
    known.save(folder / "words.marisa")
    weights = np.ones(len(known), dtype=np.float32)
    for word, numbers in counts.items():
        weights[known.number(word)] = 1 + np.log((len(forms) + 1) / len(numbers))
    np.save(folder / "weights.npy", weights)

    contexts = [_context_words(card, types_of(card)) for card in cards]
    beside = StringTrie(set().union(*contexts))
    beside.save(folder / "context_words.marisa")
    RaggedArray.from_owners(
        [number for number, context in enumerate(contexts) for _ in context],
        [beside.number(word) for context in contexts for word in sorted(context)],
        len(contexts),
    ).save(folder / "context")


def _grouped(names: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Map each name to the positions of the items of ``names`` that contain it."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, those in enumerate(names):
        for name in those:
            groups[name].append(number)
    return groups


class CardMentionTables:
    """The names by which questions mention cards. ``names`` maps each name to values of twice a
    card's number, plus 1 if it is the whole name.

    ``longest`` has for each of ``words``, the words of names, the length in words of the longest
    name that begins with it.
    """

    def __init__(self, names: NameIndex, words: StringTrie, longest: NDArray[np.int8]):
        self._names, self._words, self._longest = names, words, longest
        self._speller = SpellingCorrector([words.string(number) for number in range(len(words))])

    def longest(self, word: str) -> int:
        """Return the number of words of the longest name that begins with ``word``, 0 for none."""
        number = self._words.number(word)
        return 0 if number == UNKNOWN else self._longest.item(number)

    def cards(self, words: Sequence[str]) -> tuple[list[int], bool]:
        """Return the cards whose whole name is ``words``, and True; if there are none, the cards
        that ``words`` name in part, and False.
        """
        values = self._names.numbers(" ".join(words))
        whole = values[values % 2 == 1]
        return ((whole if len(whole) else values) // 2).tolist(), len(whole) > 0

    def written(self, word: str) -> str | None:
        """Return the word of names that ``word`` is, or is the genitive of ("Rhinos"); None if
        there is none.
        """
        plain = normalization.fold_umlauts(word)
        forms = (plain, plain.removesuffix("s"))
        return next((form for form in forms if self._words.number(form) != UNKNOWN), None)

    def nearest(self, word: str) -> str | None:
        """Return the word of names that ``word`` misspells, or None."""
        return self._speller.nearest(word)

    @classmethod
    def load(cls, folder: Path) -> CardMentionTables:
        """Map the files of `save_mention_tables` into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` if they are damaged.
        """
        words = StringTrie.load(folder / "mention_words.marisa")
        longest = load_mapped(folder / "mention_longest.npy")
        return cls(NameIndex.load(folder / "mentions"), words, longest)


def save_mention_tables(folder: Path, cards: Sequence[Card]) -> None:
    """Write the `CardMentionTables` of ``cards``."""
    wholes: dict[str, set[int]] = defaultdict(set)
    parts: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, card in enumerate(cards):
        for text, _ in card_names(card):
            for words, whole in names_of(text):
                name = " ".join(words)
                (wholes[name] if whole else parts[name][text]).add(number)
    groups = {name: [2 * number + 1 for number in numbers] for name, numbers in wholes.items()}
    for name, owners in parts.items():
        if name not in wholes and len(owners) <= _MOST_OF_A_PART:
            groups[name] = [2 * number for number in set().union(*owners.values())]
    NameIndex.from_groups(groups).save(folder / "mentions")
    longest: dict[str, int] = defaultdict(int)
    for name in groups:
        first, *further = words_of_name = name.split(" ")
        longest[first] = max(longest[first], len(words_of_name))
        for word in further:
            longest[word] += 0
    known = StringTrie(longest)
    known.save(folder / "mention_words.marisa")
    lengths = [min(longest[known.string(number)], 127) for number in range(len(known))]
    np.save(folder / "mention_longest.npy", np.array(lengths, dtype=np.int8))
