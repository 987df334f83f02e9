"""How often a card that is meant is found first, and among three, by what people type of its name.

    python -m tests.bench.card_recall [SNAPSHOT] [--misses]

SNAPSHOT is a snapshot folder of an index with cards; without one the real card databases are read, where they are found. Asked are
300 questions for each game that `tests.bench.card_names` makes, and those of `card_name_questions.jsonl`, written by hand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from corpus.cards.read import read_cards
from glossary.concepts import load_concepts
from glossary.word_tables import WordTables
from index.cards.card_store import FOLDER, CardStore, save_cards
from tests.bench.card_names import CardQuestion, card_folders, questions

WRITTEN = Path(__file__).parent / "card_name_questions.jsonl"
QUESTIONS = 300
_FIRST_FEW = 3


class CardRecall(NamedTuple):
    """How many of ``asked`` questions had a card that is meant first, and among three; those without it first; by kind (first, asked)."""

    first: int
    among_three: int
    asked: int
    missed: tuple[CardQuestion, ...]
    by_kind: dict[str, tuple[int, int]]

    @property
    def share(self) -> float:
        """The share that was found first."""
        return self.first / self.asked

    @property
    def share_of_three(self) -> float:
        """The share that was found among three."""
        return self.among_three / self.asked


def written(game: str) -> list[CardQuestion]:
    """The questions on cards of ``game`` that were written by hand."""
    rows = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    return [CardQuestion(r["question"], r["kind"], frozenset(r["cards"]), r["language"]) for r in rows if r["game"] == game]


def recall(store: CardStore, game: str, asked: Sequence[CardQuestion]) -> CardRecall:
    """Put the questions to ``store``."""
    missed, among_three = [], 0
    for question in asked:
        right = [hit.card.id in question.meant for hit in store.find(question.text, game, question.language, k=_FIRST_FEW)]
        among_three += any(right)
        if not any(right[:1]):
            missed.append(question)
    all_of, missed_of = Counter(q.kind for q in asked), Counter(q.kind for q in missed)
    by_kind = {kind: (all_of[kind] - missed_of[kind], all_of[kind]) for kind in all_of}
    return CardRecall(len(asked) - len(missed), among_three, len(asked), tuple(missed), by_kind)


def real_cards(folders: Mapping[str, Path], place: Path, tables: WordTables | None = None) -> CardStore:
    """The cards of the databases in ``folders``, by game, saved in ``place``; without ``tables`` of words these are compiled."""
    read = {game: read_cards(folder, game) for game, folder in folders.items()}
    types = {game: {t.code: t.names for t in found.terms if t.kind == "type"} for game, found in read.items()}
    save_cards(place, {game: found.cards for game, found in read.items()}, {game: load_concepts(game) for game in read}, types)
    return CardStore.load(place, tables or WordTables.compile())


def report(store: CardStore, misses: bool = False) -> str:
    """The figures of each game that there are cards of, made questions and written ones apart."""
    lines = []
    for game in store.games:
        for name, asked in (("made", questions(store.of_game(game), QUESTIONS)), ("written", written(game))):
            if asked:
                found = recall(store, game, asked)
                lines.append(f"{game:18}{name:9}{found.asked:5}: first {found.share:.3f}, among three {found.share_of_three:.3f}")
                lines.append("    " + ", ".join(f"{kind} {first}/{of}" for kind, (first, of) in found.by_kind.items()))
                lines += [f"    {each.kind}: {each.text}: {' '.join(sorted(each.meant))}" for each in found.missed if misses]
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.card_recall")
    parser.add_argument("snapshot", type=Path, nargs="?")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    if options.snapshot:
        print(report(CardStore.load(options.snapshot / FOLDER, WordTables.compile()), options.misses))
        return
    with tempfile.TemporaryDirectory() as place:
        print(report(real_cards(card_folders(), Path(place) / FOLDER), options.misses))


if __name__ == "__main__":
    main()
