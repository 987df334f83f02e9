"""Questions for benchmarks and for learning weights: question files, and substitutes where there
are none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.languages import LANGUAGES
from corpus.model import Role
from glossary.query_variants import load_query_variants
from index.library.library import Library
from index.model import Query
from service.ops.settings import ROOT

FOLDER = ROOT.parent / "shared" / "questions"
SETS = {
    "dev": "hand-made",
    "forum": "forum",
    "strangers": "strangers",
}  # question files, and their names in tables
# Questions asked before the timed ones, as many as a process under load gets in some seconds
WARMING = 2_000
HEADINGS = 60


@dataclass(frozen=True)
class Question:
    """A question put to one document.

    Attributes:
        document: The name of a file.
        language: A language code, which may be one that Regula does not read.
        file: The name of the question file, without its ending.
        quotes: The words that settle the question; none where the document leaves it open.
    """

    id: str
    text: str
    document: str
    language: str
    file: str
    quotes: tuple[str, ...] = ()

    @property
    def query(self) -> Query:
        """The query, with the language if Regula reads it."""
        return Query(
            self.text,
            document=self.document,
            language=self.language if self.language in LANGUAGES else None,
        )

    @property
    def answers(self) -> list[dict[str, str]]:
        """The answers in the form that `service.answers.evaluation` takes."""
        return [{"quote": quote} for quote in self.quotes]

    @property
    def story(self) -> str:
        """The part of the id shared with translations and with copies put to other documents:
        "wild-002" of "wild-002-000-de".
        """
        return "-".join(self.id.split("-")[:2])


@dataclass(frozen=True)
class Questions:
    """The questions to ask, and ``notes`` for readers of the figures."""

    all: tuple[Question, ...]
    notes: tuple[str, ...] = ()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    return [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a question file."""
    return [
        Question(
            row["id"],
            row["question"],
            row["document"],
            row["language"],
            path.stem,
            tuple(answer["quote"] for answer in row["answers"]),
        )
        for row in read_rows(path)
    ]


def set_files(folder: Path) -> list[Path]:
    """Return the files of the `SETS` that ``folder`` has."""
    return [path for path in (folder / f"{name}.jsonl" for name in SETS) if path.is_file()]


def gather(folder: Path, library: Library) -> Questions:
    """Return the questions of the `SETS` in ``folder`` that are about documents of ``library``;
    headings where there are none.
    """
    read = [question for path in set_files(folder) for question in read_questions(path)]
    here = {source.file for source in library.sources.values()}
    asked = tuple(question for question in read if question.document in here)
    if not asked:
        made = from_headings(library)
        note = (
            f"No questions were found for these rulebooks: {len(made)} of their headings are "
            "asked, which says nothing about quality."
        )
        return Questions(made, (note,))
    left = len(read) - len(asked)
    return Questions(
        asked,
        (f"Questions left out because their document is not in the index: {left}.",)
        if left
        else (),
    )


def from_headings(library: Library) -> tuple[Question, ...]:
    """Return some headings as questions, settled by any passage of their entry. They only show that
    everything runs.
    """
    made = []
    for entry in library.entries:
        own = tuple(
            passage.text
            for passage in library.passages_of.get(entry.id, ())
            if passage.role is Role.TEXT
        )
        if own:
            edition = library.edition[entry.edition]
            made.append(
                Question(
                    entry.id,
                    entry.title,
                    library.sources[edition.id].file,
                    edition.language,
                    "headings",
                    own,
                )
            )
    return tuple(made[:: max(len(made) // HEADINGS, 1)][:HEADINGS])


def from_variants(library: Library, most: int) -> tuple[Question, ...]:
    """Return at most ``most`` query variants as questions, equally many of each document; headings
    where there are no variants.
    """
    made = []
    for edition in library.editions:
        variants = [
            variant
            for passage in load_query_variants(edition.id)
            for variant in passage.all(edition.language)
        ]
        file = library.sources[edition.id].file
        for text, language in variants[:: max(len(variants) * len(library.editions) // most, 1)]:
            made.append(Question("", text, file, language, "query variants"))
    return tuple(made[:most]) or from_headings(library)
