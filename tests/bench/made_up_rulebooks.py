"""Make up any number of rulebooks, with words and word sequences of the sample rulebooks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from corpus import Kind, Role, read_folder
from corpus.model import Edition, Entry, Lines, Passage, Span
from index.library.library import Library, SourceDocument

SAMPLE = Path(__file__).resolve().parents[2] / "corpus" / "sample" / "rulebooks"
PASSAGES = 1_000  # of an edition; the real five have 6 to 1,200
ENTRY = 4  # passages of an entry, at most
LONG = 45  # words of a sentence, at most
OWN = 0.5  # share of a language's long words that a game replaces by words of its own

_LINES = Lines(1, 1)
_PLAIN = re.compile(r"[^\W\d_]{6,}")
_ENDS = re.compile(r"[.!?]$")
# Not "Vedi:", which begins no sentence, nor the label of an example, which belongs to the previous
# passage.
_STARTS = re.compile(r"(?!Beispiel|Esempio)[A-ZÄÖÜ][^\W\d_]*$")


@dataclass(frozen=True)
class MadeEntry:
    """A term with the paragraphs that explain it."""

    title: str
    passages: tuple[str, ...]


@dataclass(frozen=True)
class MadeBook:
    """An edition with its entries in order, their titles all different."""

    edition: Edition
    entries: tuple[MadeEntry, ...]


def books(passages: int, seed: int = 1) -> Iterator[MadeBook]:
    """Yield editions of `PASSAGES` passages each (the last has the rest), of games in German and
    Italian in turn.
    """
    for number, start in enumerate(range(0, passages, PASSAGES)):
        yield book(number, min(PASSAGES, passages - start), seed)


def book(number: int, passages: int, seed: int = 1) -> MadeBook:
    """Return edition ``number`` with this many passages, always the same. Each game has a German
    and an Italian edition and some words of its own.
    """
    language = ("de", "it")[number % 2]
    chance = random.Random(f"{seed}/{number}")
    speech = _speech(language)
    own = speech.own(chance)
    entries: dict[str, MadeEntry] = {}
    while passages > 0:
        title = speech.title(chance, own)
        if title not in entries:
            texts = tuple(
                speech.paragraph(chance, own)
                for _ in range(min(chance.randint(1, ENTRY), passages))
            )
            entries[title] = MadeEntry(title, texts)
            passages -= len(texts)
    game = f"game{number // 2}"
    edition = Edition(
        f"{game}-{language}-1.0",
        game,
        language,
        "1.0",
        f"Game {number // 2}",
        "capitals",
        known=False,
    )
    return MadeBook(edition, tuple(entries.values()))


def document(made: MadeBook) -> str:
    """Return a rulebook as a document of the capitals layout, with its entries as the terms of a
    glossary.
    """
    words = {
        "de": ("REGELBUCH", "ÜBER DIESES HEFT", "Dieses Heft ist zum Nachschlagen da.", "GLOSSAR"),
        "it": (
            "REGOLAMENTO",
            "SU QUESTO LIBRETTO",
            "Questo libretto serve a consultare le regole.",
            "GLOSSARIO",
        ),
    }[made.edition.language]
    name, about, purpose, glossary = words
    blocks = [
        f"{made.edition.game.upper()} {name}\nVERSION {made.edition.version}",
        about,
        purpose,
        glossary,
        purpose,
    ]
    for entry in made.entries:
        blocks += [entry.title.upper(), *entry.passages]
    return "\n\n".join(blocks) + "\n"


def gathered(books: Iterable[MadeBook]) -> Library:
    """Return the library of ``books``, without references, cards, concepts and fallbacks."""
    editions: list[Edition] = []
    entries: list[Entry] = []
    passages: list[Passage] = []
    for each in books:
        editions.append(each.edition)
        for number, made in enumerate(each.entries):
            id = f"{each.edition.id}/{number}"
            entries.append(
                Entry(
                    id,
                    each.edition.id,
                    Kind.TERM,
                    made.title,
                    made.title,
                    None,
                    None,
                    None,
                    None,
                    (),
                    (),
                    _LINES,
                )
            )
            passages += [
                Passage(
                    f"{id}#{ordinal}",
                    id,
                    ordinal,
                    Role.TEXT,
                    0,
                    (Span(0, len(text)),),
                    _LINES,
                    text,
                    text,
                )
                for ordinal, text in enumerate(made.passages)
            ]
    sources = {edition.id: SourceDocument(f"{edition.id}.txt", "0" * 64) for edition in editions}
    return Library(tuple(editions), sources, entries, passages, (), {})


class _Speech:
    """The word sequences of a language in the sample, and the words long enough to be replaced by a
    game's own.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._follow: dict[str, list[str]] = {}
        self._starts: list[str] = []
        for text in texts:
            words = text.split()
            self._starts += [
                w
                for before, w in zip([".", *words], words, strict=False)
                if _ENDS.search(before) and _STARTS.match(w)
            ]
            for word, after in pairwise(words):
                self._follow.setdefault(word, []).append(after)
        self._long = sorted({w for text in texts for w in _PLAIN.findall(text)})
        self._nouns = [w for w in self._long if w[0].isupper()]

    def own(self, chance: random.Random) -> dict[str, str]:
        """Return a game's replacements for some long words, each the beginning of one word with the
        end of another.
        """
        own = {}
        for word in self._long:
            if chance.random() < OWN:
                other = chance.choice(self._long).lower()
                own[word] = (
                    word[: chance.randint(3, len(word) - 2)]
                    + other[-chance.randint(3, len(other) - 2) :]
                )
        return own

    def title(self, chance: random.Random, own: dict[str, str]) -> str:
        """Return one to three nouns."""
        nouns = chance.choices(self._nouns, k=chance.choice((1, 2, 2, 3)))
        return " ".join(own.get(noun, noun) for noun in nouns)

    def paragraph(self, chance: random.Random, own: dict[str, str]) -> str:
        """Return two to five sentences, about 230 characters as in the real rulebooks."""
        return " ".join(self._sentence(chance, own) for _ in range(chance.randint(2, 5)))

    def _sentence(self, chance: random.Random, own: dict[str, str]) -> str:
        word = chance.choice(self._starts)
        said = [word]
        while not _ENDS.search(word) and len(said) < LONG and word in self._follow:
            word = chance.choice(self._follow[word])
            said.append(word)
        text = _PLAIN.sub(lambda m: own.get(m[0], m[0]), " ".join(said))
        return text if _ENDS.search(text) else text.rstrip(",;:–(") + "."


@cache
def _speech(language: str) -> _Speech:
    found = [r for r in read_folder(SAMPLE).rulebooks if r.edition.language == language]
    texts = (" ".join(p.display.split()) for r in found for p in r.passages if p.role is Role.TEXT)
    return _Speech(
        [text for text in dict.fromkeys(texts) if not re.search(r"[^\w\s.,;:!?'’„“\"()–-]", text)]
    )
