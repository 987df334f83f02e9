"""Which records a question touches: the look-ups in a library recorded while questions are answered, and done again."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from index.library.library import Library, load_library
from index.model import Query
from index.search import Index
from service.answers.answer import answer_out, passage_out
from service.core.snapshot import Snapshot
from service.ops.indexes import IndexManager
from service.ops.settings import ROOT, load, locations
from tests.bench.questions import Question, for_warming, gather

LookUp = tuple[str, Any]  # the attribute of a library, and the key or number that is looked up in it

ASKED = 1_000
USUAL, MANY = 10, 50  # passages of an answer: as many as usual, and the most that a client may ask for

QUESTIONS = ROOT.parent / "shared" / "questions"

_SEQUENCES = ("searchable", "passages")
_MAPPINGS = ("entry", "references_of", "pages")


class _RecordingSequence(Sequence[Any]):
    def __init__(self, name: str, things: Sequence[Any], log: list[LookUp]) -> None:
        self._name, self._things, self._log = name, things, log

    def __getitem__(self, number: Any) -> Any:
        self._log.append((self._name, int(number)))
        return self._things[number]

    def __len__(self) -> int:
        return len(self._things)


class _RecordingMapping(Mapping[str, Any]):
    def __init__(self, name: str, things: Mapping[str, Any], log: list[LookUp]) -> None:
        self._name, self._things, self._log = name, things, log

    def __getitem__(self, key: str) -> Any:
        self._log.append((self._name, key))
        return self._things[key]

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)


def _recording(library: Library) -> tuple[Library, list[LookUp]]:
    """A copy of ``library`` that writes every look-up that answering does into a list."""
    log: list[LookUp] = []
    found = copy.copy(library)
    for name in _SEQUENCES:
        vars(found)[name] = _RecordingSequence(name, getattr(library, name), log)
    for name in _MAPPINGS:
        vars(found)[name] = _RecordingMapping(name, getattr(library, name), log)
    return found, log


def of_questions(index: Index, questions: Sequence[Question], k: int) -> list[list[LookUp]]:
    """The look-ups of searching ``index`` for each question and writing the answer with ``k`` passages as JSON."""
    library = index.library
    index.library, log = _recording(library)
    snapshot = Snapshot(index)
    found = []
    for question in questions:
        log.clear()
        answer_out(snapshot, snapshot.search(Query(question.text, document=question.document, k=k)))
        found.append(list(log))
    index.library = library
    return found


def of_random_passages(library: Library, count: int, k: int, seed: int = 5) -> list[list[LookUp]]:
    """The look-ups of ``count`` answers with ``k`` passages from anywhere in ``library``."""
    chance = random.Random(seed)
    found = []
    recording, log = _recording(library)
    for _ in range(count):
        log.clear()
        for number in chance.sample(range(len(library.searchable)), k):
            passage_out(recording, recording.searchable[number])
        found.append(list(log))
    return found


def snapshot_folder(rulebooks: str | None, index: str | None) -> Path:
    """The folder of the index of the rulebooks, built where there is none. Raises `SettingFault` where a folder does not exist."""
    here = locations(load({"rulebooks": rulebooks, "index": index}))
    return here.index / IndexManager(here, lambda line: print(line, file=sys.stderr, flush=True)).ready().id


def record(folder: Path, sets: Path | None, target: Path) -> tuple[list[Question], Counter[str], Counter[str]]:
    """The questions put to the index in ``folder``, and how many look-ups of each kind all of them and those for many passages did.

    The look-ups are written to ``target``. Questions are from the folder ``sets``, the rest of `ASKED` what players may say.
    """
    index = Index.load(folder)
    asked = [*gather(sets or QUESTIONS, index.library).all, *for_warming(index.library, ASKED)][:ASKED]
    usual, many = of_questions(index, asked, USUAL), of_questions(index, asked, MANY)
    _write(target, usual, many)
    return asked, _counted(usual), _counted(many)


def record_made_up(folder: Path, target: Path) -> None:
    """Write the look-ups of as many questions to the made-up library in ``folder`` to ``target``."""
    library = load_library(folder)
    _write(target, of_random_passages(library, ASKED, USUAL), of_random_passages(library, ASKED, MANY))


def _write(target: Path, usual: Sequence[Sequence[LookUp]], many: Sequence[Sequence[LookUp]]) -> None:
    """A line for each question, with its look-ups for the usual number of passages and for many."""
    target.write_text("".join(f"{json.dumps(pair)}\n" for pair in zip(usual, many, strict=True)), encoding="utf-8")


def recorded(path: Path) -> Iterator[tuple[list[LookUp], list[LookUp]]]:
    """What was written to ``path``, question by question."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _counted(recorded: Sequence[Sequence[LookUp]]) -> Counter[str]:
    return Counter(name for each in recorded for name, _ in each)


class LookUps:
    """Does recorded look-ups in a library."""

    def __init__(self, library: Library) -> None:
        self._get = {name: getattr(library, name).__getitem__ for name in _SEQUENCES}
        self._get |= {name: getattr(library, name).get for name in _MAPPINGS}
        references = library.references_of
        self._get["references_of"] = lambda id: list(references.get(id, ()))  # answering reads them all

    def do(self, recorded: Sequence[LookUp]) -> None:
        """Do them one after the other."""
        for name, key in recorded:
            self._get[name](key)
