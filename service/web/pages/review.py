"""Reviewing what a model drafted: kept, edited or dropped, the worst first; works without script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.errors import RegulaError
from corpus.model import Edition, Entry, Lines, Passage
from corpus.workspace import PHRASINGS
from glossary.concepts.loading import read_concepts
from glossary.query_variants import load_query_variants
from service.answers.citations import edition_name
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.draft_review import (
    KINDS,
    LONGEST,
    REASONS,
    TERM_KINDS,
    Outdated,
    PassageReview,
    ReviewTerm,
    ReviewText,
    confirmed,
    confirmed_term,
    is_reviewed,
    review_items,
    review_terms,
    review_texts,
    term_texts,
)
from service.editions.yaml_edits import FileBlock, find_block
from service.ops.workspace import NotKept, WorkspaceDataFile
from service.web.editing import (
    KEY_COOKIE,
    check_same_origin,
    editable_workspace,
    may_edit,
)
from service.web.headers import private_page
from service.web.pages.layout import (
    address_with,
    games_with_editions,
    local_address,
    page,
    pages,
    requested_page,
)
from service.web.request_context import current_snapshot, settings


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
        return confirmed(text, name, version, texts)


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


LENGTH = 20  # forms on one page


class _Row(NamedTuple):
    """What can be reviewed, and how much of it is."""

    subject: ReviewSubject
    reviewed: int
    total: int


@pages.get("/review")
def review_overview() -> Response:
    """The editions and games of which something can be reviewed."""
    home = editable_workspace()
    snapshot = current_snapshot()
    subjects: list[ReviewSubject] = [
        EditionReview(snapshot, home, edition) for edition in snapshot.library.editions
    ]
    subjects += [TermReview(snapshot, home, game) for game in snapshot.library.games]
    rows = [_Row(subject, *_read(subject.progress)) for subject in subjects]
    return private_page(page("reviews.html", snapshot, rows=[row for row in rows if row.total]))


@pages.get("/review/<edition_id>")
def review(edition_id: str) -> Response:
    """The passages of an edition with drafts, by pages, the worst first."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _review_page(snapshot, home, EditionReview(snapshot, home, snapshot.edition(edition_id)))


@pages.get("/review/terms/<game>")
def review_game_terms(game: str) -> Response:
    """The terms of a game with drafted aliases, by pages."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _review_page(snapshot, home, TermReview(snapshot, home, _known(snapshot, game)))


@pages.post("/review/<edition_id>/<fingerprint>")
def keep_review(edition_id: str, fingerprint: str) -> BaseResponse:
    """Write what was decided on one passage, and show what is to be reviewed then; 409 where it was
    changed since it was shown.
    """
    home = editable_workspace()
    snapshot = current_snapshot()
    return _keep(
        snapshot, home, EditionReview(snapshot, home, snapshot.edition(edition_id)), fingerprint
    )


@pages.post("/review/terms/<game>/<concept>")
def keep_term_review(game: str, concept: str) -> BaseResponse:
    """Write what was decided on one term, as `keep_review` does."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _keep(snapshot, home, TermReview(snapshot, home, _known(snapshot, game)), concept)


@pages.post("/review/key")
def keep_key() -> BaseResponse:
    """Keep the key of an editor in the browser, and go back."""
    check_same_origin()
    response = redirect(local_address(request.form.get("next", "")), 303)
    token = request.form.get("key", "").strip()
    if token:
        response.set_cookie(
            KEY_COOKIE, token[:200], httponly=True, samesite="Strict", secure=request.is_secure
        )
    else:
        response.delete_cookie(KEY_COOKIE, httponly=True, samesite="Strict")
    return response


@pages.app_context_processor
def _editing() -> dict[str, object]:
    home = settings().home
    return {
        "editing": home is not None and may_edit(),
        "editor_keys": home is not None and settings().keys is not None,
    }


def _known(snapshot: Snapshot, game: str) -> str:
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    return game


def _read(read: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    try:
        return read()
    except RegulaError as fault:
        raise _faulty(fault) from fault


def _faulty(fault: RegulaError) -> Problem:
    return Problem(409, str(fault), page=(N_("Nothing was written"), str(fault)))


def _keep(snapshot: Snapshot, home: Path, subject: ReviewSubject, name: str) -> BaseResponse:
    check_same_origin()
    version = request.form.get("version", "")
    texts = None if request.form.get("do") == "drop" else _texts()
    try:
        subject.file.change(lambda text: subject.changed(text, name, version, texts))
    except Outdated as fault:
        form = subject.form_of(fault.block) if fault.block else None
        if form is None:
            raise Problem.unknown("There is nothing to review under this name any more.") from fault
        mine = [each for each in _texts().values() if each.strip()] if texts is not None else []
        return _shown(snapshot, home, subject, "review_conflict.html", 409, form=form, mine=mine)
    except NotKept as fault:
        raise _faulty(fault) from fault
    return redirect(local_address(request.form.get("next", "")), 303)


def _texts() -> dict[str, str]:
    return {
        name.removeprefix("text."): ""
        if f"drop.{name.removeprefix('text.')}" in request.form
        else value
        for name, value in request.form.items()
        if name.startswith("text.")
    }


def _review_page(snapshot: Snapshot, home: Path, subject: ReviewSubject) -> Response:
    reviewed, total = _read(subject.progress)
    listed = requested_page(subject.names(), LENGTH)
    return _shown(
        snapshot,
        home,
        subject,
        "review.html",
        listed=listed,
        forms=subject.forms(listed.items),
        reviewed=reviewed,
        total=total,
    )


def _shown(
    snapshot: Snapshot,
    home: Path,
    subject: ReviewSubject,
    template: str,
    status: int = 200,
    **values: object,
) -> Response:
    return private_page(
        page(
            template,
            snapshot,
            status,
            scope=subject.scope,
            subject=subject,
            edition_name=edition_name,
            kinds={**KINDS, **TERM_KINDS},
            reasons=REASONS,
            longest=LONGEST,
            command=f"regula build --home {home}",
            back=local_address(request.form.get("next", ""))
            if request.method == "POST"
            else address_with(),
            address_with=address_with,
            action=f"{quote(subject.address)}/",
            **values,
        )
    )
