"""The questions a benchmark asks: the sets in a folder, or, where there is none, a few made from headings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.model import Role
from glossary.phrasings import load_phrasings
from index.library.library import Library

WARMING = 2_000  # questions that are asked before those that are timed: what a process under load has had after some seconds
SETS = {"dev.jsonl": "hand-made", "forum.jsonl": "forum", "strangers.jsonl": "strangers"}
MADE = 60


@dataclass(frozen=True)
class Question:
    """A question put to one document; ``quotes`` are the words that settle it, none where the document leaves it open.

    ``kept`` is the name of the set it is from, ``document`` a file name.
    """

    id: str
    text: str
    document: str
    language: str
    kept: str
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Questions:
    """The questions to ask and, in ``notes``, what a reader of the figures has to know about them."""

    all: tuple[Question, ...]
    notes: tuple[str, ...] = ()


def gather(folder: Path, library: Library) -> Questions:
    """The question sets in ``folder`` that the documents of ``library`` can be asked; made from headings where there are none."""
    read = [question for name, kept in SETS.items() if (folder / name).is_file() for question in _read(folder / name, kept)]
    here = {source.file for source in library.sources.values()}
    asked = tuple(q for q in read if q.document in here)
    if not asked:
        made = from_headings(library)
        note = f"No questions were found for these rulebooks: {len(made)} of their headings are asked, which says nothing about quality."
        return Questions(made, (note,))
    left = len(read) - len(asked)
    return Questions(asked, (f"Questions left out because their document is not in the index: {left}.",) if left else ())


def from_headings(library: Library) -> tuple[Question, ...]:
    """Some headings as questions, settled by any passage of their entry: they show that everything runs, no more."""
    made = []
    for entry in library.entries:
        own = tuple(p.text for p in library.passages_of.get(entry.id, ()) if p.role is Role.TEXT)
        if own:
            edition = library.edition[entry.edition]
            made.append(Question(entry.id, entry.title, library.sources[edition.id].file, edition.language, "headings", own))
    return tuple(made[:: max(len(made) // MADE, 1)][:MADE])


def for_warming(library: Library, most: int = WARMING) -> tuple[Question, ...]:
    """So many other questions, as many for each document: what players may say, headings where nothing is kept of that."""
    made = []
    for edition in library.editions:
        said = [phrasing for those in load_phrasings(edition.id) for phrasing in those.all(edition.language)]
        file = library.sources[edition.id].file
        for text, language in said[:: max(len(said) * len(library.editions) // most, 1)]:
            made.append(Question("", text, file, language, "warming", ()))
    return tuple(made[:most]) or from_headings(library)


def _read(path: Path, kept: str) -> list[Question]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line), kept) for line in lines if line.strip()]


def _question(row: Mapping[str, Any], kept: str) -> Question:
    return Question(row["id"], row["question"], row["document"], row["language"], kept, tuple(a["quote"] for a in row["answers"]))
