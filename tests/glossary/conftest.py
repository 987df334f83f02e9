"""Fixtures: rulebooks of a few invented entries."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpus.document import Document
from corpus.editions import identify
from corpus.model import Correction, Edition, Entry, Kind, Lines, Passage, Role, Rulebook, Span
from corpus.read import read
from glossary.comparison import EditionComparison, compare_editions
from glossary.comparison.version_changes import references_by_entry
from glossary.concepts import load_concepts, tie_entries
from glossary.references import find
from tests.conftest import SAMPLE, rulebook_of

Altered = Callable[..., EditionComparison]


@pytest.fixture(scope="session")
def book() -> Callable[..., Rulebook]:
    """Return a function that makes a rulebook of (kind, heading, passage, …). Each passage is one
    line; a label marks a list of references.
    """

    def make(
        *entries: tuple[str, ...],
        language: str = "de",
        layout: str = "capitals",
        edition: str = "spiel-1",
        version: str = "1",
        names: dict[str, str] | None = None,
        corrections: tuple[Correction, ...] = (),
    ) -> Rulebook:
        text = ""
        made: list[Entry] = []
        passages: list[Passage] = []
        root: str | None = None
        for kind, heading, *parts in entries:
            start = len(text)
            text += heading + "\n"
            entry = f"{edition}/{len(made)}"
            for ordinal, part in enumerate(parts):
                span = Span(len(text), len(text) + len(part))
                text += part + "\n"
                role = Role.SEE if part.strip(" *").startswith(("Siehe", "Vedi")) else Role.TEXT
                at = Lines(text.count("\n", 0, span.start) + 1, text.count("\n", 0, span.end) + 1)
                passages.append(
                    Passage(f"{entry}#{ordinal}", entry, ordinal, role, 0, (span,), at, part, part)
                )
            whole = Span(start, len(text) - 1)
            lines = Lines(text.count("\n", 0, start) + 1, text.count("\n", 0, whole.end) + 1)
            parent = root if kind == "subsection" else None
            root = entry if kind != "subsection" else root
            headed = (Span(start, start + len(heading)),) if heading else ()
            made.append(
                Entry(
                    entry,
                    edition,
                    Kind(kind),
                    heading,
                    heading,
                    None,
                    None,
                    None,
                    parent,
                    headed,
                    (whole,),
                    lines,
                )
            )
        described = Edition(
            edition, "spiel", language, version, "Spiel", layout, corrections, names=names or {}
        )
        return Rulebook(
            Document.from_bytes("x.txt", text.encode()), described, tuple(made), tuple(passages)
        )

    return make


@pytest.fixture(scope="module")
def altered(sample) -> Altered:
    """Return a function that compares the German Pegelwacht with an altered copy of the Italian
    one; each change is made once.
    """
    german = rulebook_of(sample, "pegelwacht-de-1.1")
    text = (SAMPLE / "pegelwacht-it-1.1.txt").read_text(encoding="utf-8")

    def made(*changes, left=german):
        changed = text
        for old, new in changes:
            assert old in changed
            changed = changed.replace(old, new, 1)
        document = Document.from_bytes("new.txt", changed.encode())
        edition = identify(document)
        assert edition is not None
        books = [left, read(document, edition)]
        known = load_concepts("pegelwacht")
        references = references_by_entry(
            reference for book in books for reference in find(book, books)
        )
        return compare_editions(
            books[0], books[1], tie_entries(known, books).by_entry, references, known
        )

    return made
