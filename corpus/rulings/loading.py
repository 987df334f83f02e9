"""Loads the rulings of a game from its folder of rulings and from its card database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from corpus.rulings.card_databases import CLARIFICATIONS, json_rulings
from corpus.rulings.described import ReadRuling, csv_rulings, yaml_rulings
from corpus.rulings.model import Ruling
from corpus.rulings.source_files import (
    CONFIRMED,
    Confirmations,
    RulingCollection,
    RulingFault,
    SourceFile,
    UnreadableRulings,
    confirmed,
    read_confirmations,
    source_files,
)
from corpus.workspace import CARDS, RULINGS, game_as_new

HOUSE = "house.yaml"  # rulings written in the browser
SAMPLE = Path(__file__).parents[1] / "sample"

# The name of a file with answers, or of its folder.
_FAQ = re.compile(r"(^|/)faq\b[^/]*$|(^|/)faq/", re.IGNORECASE)
_READERS: dict[str, Callable[[SourceFile, str], Iterator[ReadRuling | RulingFault]]] = {
    ".yaml": yaml_rulings,
    ".yml": yaml_rulings,
    ".csv": csv_rulings,
    ".json": json_rulings,
}


def load_rulings(game: str, home: Path | None) -> RulingCollection:
    """Read the rulings of ``game`` in the workspace ``home``, or without one those of the sample.

    A game that is treated as new has none.
    """
    if not game or game == game_as_new():
        return RulingCollection((), ())
    folder = home if home is not None else SAMPLE
    return read_rulings(
        [*source_files(folder / RULINGS / game), *_of_cards(folder / CARDS / game)], game
    )


def games_with_rulings(home: Path | None) -> tuple[str, ...]:
    """Return the games with a folder of rulings or cards in ``home``, or in the sample if it is
    None, sorted.
    """
    folder = home if home is not None else SAMPLE
    places = (place for kind in (RULINGS, CARDS) for place in (folder / kind).glob("*"))
    names = {place.name for place in places if place.is_dir() and place.name[0] != "."}
    return tuple(sorted(names - {game_as_new()}))


def read_rulings(files: Iterable[SourceFile | RulingFault], game: str) -> RulingCollection:
    """Read the rulings in ``files``, and mark superseded ones. If an id occurs twice, the first
    ruling is kept. Everything left out is reported as a fault.
    """
    found: dict[str, ReadRuling] = {}
    faults: list[RulingFault] = []
    confirmations: Confirmations = {}
    for file in files:
        if isinstance(file, RulingFault):
            faults.append(file)
            continue
        try:
            if file.name == CONFIRMED:
                confirmations = read_confirmations(file)
                continue
            if file.suffix not in _READERS:
                raise UnreadableRulings(f"is none of {', '.join(_READERS)}")
            for each in _READERS[file.suffix](file, game):
                if isinstance(each, RulingFault):
                    faults.append(each)
                elif (id := each.ruling.id) in found:
                    first = found[id].ruling.answer.source
                    faults.append(
                        _at(each.ruling, f"{id} is already read from {first.file}; left out")
                    )
                else:
                    found[id] = each
        except UnreadableRulings as fault:
            faults.append(RulingFault(file.name, "", f"{fault}; left out"))
    rulings = {id: confirmed(each.ruling, confirmations) for id, each in found.items()}
    faults += _supersede(rulings, found.values())
    return RulingCollection(tuple(rulings.values()), tuple(faults))


def _of_cards(folder: Path) -> Iterator[SourceFile]:
    """Yield the files of a card database that contain rulings; faults in other files are reported
    when cards are read.
    """
    for file in source_files(folder, (".json",)):
        if isinstance(file, SourceFile) and (CLARIFICATIONS in file.raw or _FAQ.search(file.name)):
            yield file


def _supersede(rulings: dict[str, Ruling], read: Iterable[ReadRuling]) -> Iterator[RulingFault]:
    """Mark superseded rulings in ``rulings``; yield a fault for each missing ruling or cycle."""
    for each in read:
        for id in each.supersedes:
            if id not in rulings:
                yield _at(each.ruling, f"supersedes {id}, which is not there")
            elif (by := rulings[id].superseded_by) not in ("", each.ruling.id):
                yield _at(each.ruling, f"supersedes {id}, which {by} supersedes already")
            else:
                rulings[id] = rulings[id]._replace(superseded_by=each.ruling.id)
    done: set[str] = set()
    for id in list(rulings):
        walked: set[str] = set()
        last = next_id = id
        while next_id in rulings and next_id not in done and next_id not in walked:
            walked.add(last := next_id)
            next_id = rulings[last].superseded_by
        if next_id in walked:
            rulings[last] = rulings[last]._replace(superseded_by="")
            yield _at(
                rulings[last], f"is superseded in a circle; {next_id} is taken not to supersede it"
            )
        elif walked and next_id and next_id not in rulings:
            yield _at(rulings[last], f"is superseded by {next_id}, which is not there")
        done |= walked


def _at(ruling: Ruling, what: str) -> RulingFault:
    """Return a fault of ``ruling`` at its place in the file."""
    source = ruling.answer.source
    return RulingFault(source.file, source.pointer.rpartition("/")[0], what)
