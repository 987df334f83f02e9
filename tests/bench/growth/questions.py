"""Questions of which it is known what passage they were made from."""

from __future__ import annotations

import random
from dataclasses import dataclass

from index.library.library import Library

WINDOW = 14  # words of the passage, one after the other, of which some are asked with
DROPPED = 0.35
_OPENINGS = {"de": ("Was gilt, wenn", "Wie ist das:", "Darf ich,"), "it": ("Che cosa succede se", "Come funziona:", "Posso,")}


@dataclass(frozen=True)
class MadeQuestion:
    """A question, the id of the passage that it was made from, and the edition of that passage."""

    text: str
    passage: str
    edition: str


def questions(library: Library, count: int, seed: int = 2) -> list[MadeQuestion]:
    """So many questions, always the same: some words of a passage, one of them replaced, one misspelt, put as players put it."""
    chance = random.Random(seed)
    passages = library.searchable
    return [_question(library, chance.randrange(len(passages)), chance) for _ in range(count)]


def _question(library: Library, number: int, chance: random.Random) -> MadeQuestion:
    passage = library.searchable[number]
    edition = passage.entry.partition("/")[0]
    words = [w.strip('.,;:!?„“"()') for w in passage.text.split()]
    start = chance.randrange(max(len(words) - WINDOW, 1))
    kept = [w for w in words[start : start + WINDOW] if chance.random() >= DROPPED and w] or words[:3]
    kept[chance.randrange(len(kept))] = chance.choice(words)
    place = max(range(len(kept)), key=lambda n: len(kept[n]))
    long = kept[place]
    if len(long) > 5:
        at = chance.randrange(1, len(long) - 2)
        kept[place] = long[:at] + long[at + 1] + long[at] + long[at + 2 :]
    return MadeQuestion(f"{chance.choice(_OPENINGS[library.edition[edition].language])} {' '.join(kept)}?", passage.id, edition)
