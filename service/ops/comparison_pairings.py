"""Add and remove manual pairings of passages, `pairings/<game>.jsonl` in the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from corpus.data_files import written_lines
from glossary.comparison.pairings import (
    PairedSide,
    Pairing,
    PairingBook,
    PairingsOfEditions,
    name_passages,
    pairings_path,
    parse_pairings,
)
from glossary.comparison.reviews import Reviewer
from glossary.model import RulebookView
from service.ops.workspace import change_lines

Sides = tuple[Sequence[str], Sequence[str]]


def keep_pairing(
    home: Path, left: RulebookView, right: RulebookView, passages: Sides, by: Reviewer
) -> Pairing:
    """Record that ``passages``, ids of the left and of the right edition, belong together; if one
    side is empty, that the other has no counterpart. Earlier pairings of these passages are
    dropped.

    Raises `NotKept`; nothing is written then.
    """
    sides = [
        PairedSide(
            edition=book.edition.id,
            language=book.edition.language,
            passages=tuple(names[id] for id in ids),
        )
        for book, ids in zip((left, right), passages, strict=True)
        for names in (name_passages(book),)
    ]
    said = Pairing(left=sides[0], right=sides[1], by=by.name, date=by.date)
    ids = {id for side in passages for id in side}

    def changed(book: PairingBook) -> Sequence[Pairing]:
        applied = PairingsOfEditions(left, right, book).by_passage
        dropped = [applied[id].pairing for id in ids if id in applied]
        return [*(each for each in book.pairings if each not in dropped), said]

    _change(home, left.edition.game, changed)
    return said


def drop_pairing(home: Path, game: str, key: str) -> bool:
    """Remove the pairing with this ``key``; returns whether there was one. Raises `NotKept`."""
    found: list[Pairing] = []

    def changed(book: PairingBook) -> Sequence[Pairing]:
        found[:] = [each for each in book.pairings if each.key == key]
        return [each for each in book.pairings if each not in found]

    _change(home, game, changed)
    return bool(found)


def _change(home: Path, game: str, changed: Callable[[PairingBook], Sequence[Pairing]]) -> None:
    """Change the pairings of ``game`` under a lock."""
    change_lines(
        home,
        pairings_path(home, game),
        parse_pairings,
        lambda book: written_lines(changed(book)),
    )
