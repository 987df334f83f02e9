"""The two things that are reviewed, the phrasings of an edition and the terms of a game, as forms
that one page shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Protocol

from corpus.model import Edition, Entry, Lines, Passage
from corpus.workspace import PHRASINGS
from glossary.concepts.loading import read_concepts
from glossary.query_variants import load_query_variants
from service.answers.citations import edition_name
from service.core.snapshot import Snapshot
from service.editions.drafting.files import FileBlock, find_block
from service.editions.drafting.review import (
    PassageReview,
    ReviewTerm,
    ReviewText,
    confirmed,
    confirmed_term,
    dropped,
    is_reviewed,
    review_items,
    review_terms,
    review_texts,
    term_texts,
)
from service.ops.workspace_data import WorkspaceDataFile
from service.web.pages.layout import games_with_editions


@dataclass(frozen=True)
class ReviewForm:
    """A block with its ``texts`` as a form; ``version`` is what it was when the form was made."""

    name: str
    title: str
    language: str
    entry: Entry | None
    lines: Lines | None
    quoted: str
    others: int
    drafted: str
    reviewed: bool
    texts: list[ReviewText]
    version: str

    @property
    def groups(self) -> list[tuple[str, list[ReviewText]]]:
        """The texts of each kind."""
        return [
            (kind, list(texts)) for kind, texts in groupby(self.texts, key=lambda each: each.kind)
        ]


class ReviewSubject(Protocol):
    """Something whose blocks are reviewed."""

    address: str
    title: str
    scope: str
    command: str  # that drafts for it
    file: WorkspaceDataFile

    def progress(self) -> tuple[int, int]:
        """How much is reviewed, and how much there is. Raises `corpus.data_files.DataFileError`
        where the file is faulty.
        """

    def names(self) -> Sequence[str]:
        """The names of the blocks, in the order in which they are shown."""

    def forms(self, names: Sequence[str]) -> list[ReviewForm]:
        """The blocks called ``names`` as forms, but those that are written in a way that only an
        editor can change.
        """

    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """A ``block`` as a form; None where what it is about is gone."""

    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """The text of the file with what was decided on a block; without ``texts`` all are dropped.
        Raises `Outdated`, `CannotEdit`.
        """


class EditionReview:
    """The phrasings of an edition."""

    def __init__(self, snapshot: Snapshot, home: Path, edition: Edition):
        self.address = f"/review/{edition.id}"
        self.title = edition_name(edition)
        self.scope = edition.id
        self.command = f"regula phrasings draft --edition {edition.id}"
        self.file = WorkspaceDataFile.of_phrasings(home, edition.id)
        self._snapshot, self._folder, self._edition = snapshot, home / PHRASINGS, edition

    @cached_property
    def _items(self) -> dict[str, PassageReview]:
        own = load_query_variants(self._edition.id, self._folder)
        return {
            item.fingerprint: item
            for item in review_items(self._snapshot.library, self._edition.id, own)
        }

    def progress(self) -> tuple[int, int]:
        """See `ReviewSubject`."""
        return sum(is_reviewed(item.phrasings) for item in self._items.values()), len(self._items)

    def names(self) -> Sequence[str]:
        """See `ReviewSubject`."""
        return list(self._items)

    def forms(self, names: Sequence[str]) -> list[ReviewForm]:
        """See `ReviewSubject`."""
        text = self.file.read()
        return [
            form
            for name in names
            if (block := find_block(text, name)) and (form := self.form_of(block))
        ]

    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """See `ReviewSubject`."""
        item = self._items.get(block.name)
        if item is None:
            return None
        return ReviewForm(
            block.name,
            item.entry.title,
            self._edition.language,
            item.entry,
            item.passage.lines,
            item.passage.display,
            item.others,
            item.phrasings.drafted,
            is_reviewed(item.phrasings),
            review_texts(block, self._edition.language),
            block.version,
        )

    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """See `ReviewSubject`."""
        return (
            dropped(text, name, version) if texts is None else confirmed(text, name, version, texts)
        )


class TermReview:
    """The terms of a game."""

    def __init__(self, snapshot: Snapshot, home: Path, game: str):
        named = next(each for each in games_with_editions(snapshot.library) if each.game == game)
        self.address = f"/review/terms/{game}"
        self.title = named.title
        self.scope = game
        self.command = "regula terms draft"
        self.file = WorkspaceDataFile.of_concepts(home, game)
        self._snapshot, self._game = snapshot, game
        self._languages = tuple(dict.fromkeys(edition.language for edition in named.editions))

    @cached_property
    def _terms(self) -> dict[str, ReviewTerm]:
        own = read_concepts(self.file.path) if self.file.path.exists() else {}
        return {term.id: term for term in review_terms(self._snapshot.library, self._game, own)}

    def progress(self) -> tuple[int, int]:
        """See `ReviewSubject`."""
        return sum(is_reviewed(term.fields) for term in self._terms.values()), len(self._terms)

    def names(self) -> Sequence[str]:
        """See `ReviewSubject`."""
        return list(self._terms)

    def forms(self, names: Sequence[str]) -> list[ReviewForm]:
        """See `ReviewSubject`."""
        text = self.file.read()
        return [
            form
            for name in names
            if (block := find_block(text, name)) and (form := self.form_of(block))
        ]

    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """See `ReviewSubject`."""
        term = self._terms.get(block.name)
        if term is None:
            return None
        language = next(
            (code for code in self._languages if code in term.fields.names),
            next(iter(term.fields.names)),
        )
        passage: Passage | None = term.passage
        return ReviewForm(
            block.name,
            term.fields.names[language][0],
            language,
            term.entry,
            passage.lines if passage else None,
            passage.display if passage else "",
            0,
            term.fields.drafted,
            is_reviewed(term.fields),
            term_texts(block, self._languages),
            block.version,
        )

    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """See `ReviewSubject`."""
        return confirmed_term(text, name, version, texts, self._languages)
