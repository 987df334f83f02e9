"""Review what a model drafted: keep, edit or drop it, the worst first, also without JavaScript."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
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
from service.ops.workspace import WorkspaceDataFile
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
    known_game,
    local_address,
    page,
    pages,
    requested_page,
)
from service.web.request_context import current_snapshot, settings

LENGTH = 20  # forms on one page


@dataclass(frozen=True)
class ReviewForm:
    """A block with its ``texts`` as a form; ``version`` identifies its state when the form was
    made.
    """

    name: str
    title: str
    language: str
    entry: Entry | None
    passage: Passage | None
    others: int
    drafted: str
    reviewed: bool
    texts: list[ReviewText]
    version: str

    @property
    def lines(self) -> Lines | None:
        """The lines of the passage."""
        return self.passage.lines if self.passage else None

    @property
    def quoted(self) -> str:
        """The words of the passage."""
        return self.passage.display if self.passage else ""

    @property
    def groups(self) -> list[tuple[str, list[ReviewText]]]:
        """The texts of each kind."""
        return [(kind, list(all)) for kind, all in groupby(self.texts, key=lambda each: each.kind)]


class ReviewSubject(ABC):
    """An edition or a game with drafts to review: the blocks `names` of a file, in order."""

    address: str
    title: str
    scope: str
    command: str  # the command that drafts for it
    file: WorkspaceDataFile
    names: Sequence[str]
    reviewed: int

    def forms(self, names: Sequence[str]) -> list[ReviewForm]:
        """Return the blocks called ``names`` as forms, except those that need a text editor."""
        text = self.file.read()
        blocks = [block for name in names if (block := find_block(text, name))]
        return [form for block in blocks if (form := self.form_of(block))]

    @abstractmethod
    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """Return a ``block`` as a form; None if its passage or term is gone."""

    @abstractmethod
    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """Return the text of the file with the decision on a block; without ``texts`` all its texts
        are dropped. Raises `Outdated`, `CannotEdit`.
        """


class EditionReview(ReviewSubject):
    """The query variants of an edition. Raises `Problem` if their file is faulty."""

    def __init__(self, snapshot: Snapshot, home: Path, edition: Edition):
        self.address = f"/review/{edition.id}"
        self.title = edition_name(edition)
        self.scope = edition.id
        self.command = f"regula phrasings draft --edition {edition.id}"
        self.file = WorkspaceDataFile.of_phrasings(home, edition.id)
        self._language = edition.language
        with _faults_as_problems():
            own = load_query_variants(edition.id, home / PHRASINGS)
            items = review_items(snapshot.library, edition.id, own)
        self._items = {item.fingerprint: item for item in items}
        self.names = list(self._items)
        self.reviewed = sum(is_reviewed(item.phrasings) for item in self._items.values())

    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """See `ReviewSubject`."""
        item = self._items.get(block.name)
        if item is None:
            return None
        return ReviewForm(
            block.name,
            item.entry.title,
            self._language,
            item.entry,
            item.passage,
            item.others,
            item.phrasings.drafted,
            is_reviewed(item.phrasings),
            review_texts(block, self._language),
            block.version,
        )

    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """See `ReviewSubject`."""
        return confirmed(text, name, version, texts)


class TermReview(ReviewSubject):
    """The terms of a game. Raises `Problem` if their file is faulty."""

    def __init__(self, snapshot: Snapshot, home: Path, game: str):
        named = next(each for each in games_with_editions(snapshot.library) if each.game == game)
        self.address = f"/review/terms/{game}"
        self.title = named.title
        self.scope = game
        self.command = "regula terms draft"
        self.file = WorkspaceDataFile.of_concepts(home, game)
        self._languages = tuple(dict.fromkeys(edition.language for edition in named.editions))
        with _faults_as_problems():
            own = read_concepts(self.file.path) if self.file.path.exists() else {}
            terms = review_terms(snapshot.library, game, own)
        self._terms = {term.id: term for term in terms}
        self.names = list(self._terms)
        self.reviewed = sum(is_reviewed(term.fields) for term in self._terms.values())

    def form_of(self, block: FileBlock) -> ReviewForm | None:
        """See `ReviewSubject`."""
        term = self._terms.get(block.name)
        if term is None:
            return None
        names = term.fields.names
        language = next((code for code in self._languages if code in names), next(iter(names)))
        return ReviewForm(
            block.name,
            names[language][0],
            language,
            term.entry,
            term.passage,
            0,
            term.fields.drafted,
            is_reviewed(term.fields),
            term_texts(block, self._languages),
            block.version,
        )

    def changed(self, text: str, name: str, version: str, texts: Mapping[str, str] | None) -> str:
        """See `ReviewSubject`."""
        return confirmed_term(text, name, version, texts, self._languages)


@pages.get("/review")
def review_overview() -> Response:
    """List the editions and games with drafts to review."""
    home, snapshot = editable_workspace(), current_snapshot()
    subjects = [
        *(EditionReview(snapshot, home, edition) for edition in snapshot.library.editions),
        *(TermReview(snapshot, home, game) for game in snapshot.library.games),
    ]
    subjects = [each for each in subjects if each.names]
    return private_page(page("reviews.html", snapshot, subjects=subjects))


@pages.get("/review/<edition_id>")
def review(edition_id: str) -> Response:
    """Show the passages of an edition with drafts, by pages, the worst first."""
    home, snapshot = editable_workspace(), current_snapshot()
    subject = EditionReview(snapshot, home, snapshot.edition(edition_id))
    return _review_page(snapshot, home, subject)


@pages.get("/review/terms/<game>")
def review_game_terms(game: str) -> Response:
    """Show the terms of a game with drafted aliases, by pages."""
    home, snapshot = editable_workspace(), current_snapshot()
    subject = TermReview(snapshot, home, known_game(snapshot, game))
    return _review_page(snapshot, home, subject)


@pages.post("/review/<edition_id>/<fingerprint>")
def keep_review(edition_id: str, fingerprint: str) -> BaseResponse:
    """Save the decision on a passage, and go back; 409 if it was changed meanwhile."""
    home, snapshot = editable_workspace(), current_snapshot()
    subject = EditionReview(snapshot, home, snapshot.edition(edition_id))
    return _keep(snapshot, home, subject, fingerprint)


@pages.post("/review/terms/<game>/<concept>")
def keep_term_review(game: str, concept: str) -> BaseResponse:
    """Save the decision on a term, as `keep_review` does."""
    home, snapshot = editable_workspace(), current_snapshot()
    return _keep(snapshot, home, TermReview(snapshot, home, known_game(snapshot, game)), concept)


@pages.post("/review/key")
def keep_key() -> BaseResponse:
    """Keep the key of an editor in the browser, and go back."""
    check_same_origin()
    response = redirect(local_address(request.form.get("next", "")), 303)
    token, secure = request.form.get("key", "").strip()[:200], request.is_secure
    if token:
        response.set_cookie(KEY_COOKIE, token, httponly=True, samesite="Strict", secure=secure)
    else:
        response.delete_cookie(KEY_COOKIE, httponly=True, samesite="Strict")
    return response


@pages.app_context_processor
def _editing() -> dict[str, object]:
    """Return template values: whether the reader may edit, and whether a key could allow it."""
    home = settings().home
    return {
        "editing": home is not None and may_edit(),
        "editor_keys": home is not None and settings().keys is not None,
    }


@contextmanager
def _faults_as_problems() -> Iterator[None]:
    # Editors are shown the fault of a file.
    try:
        yield
    except RegulaError as fault:
        page = (N_("Nothing was written"), str(fault))
        raise Problem(409, str(fault), page=page) from fault


def _keep(snapshot: Snapshot, home: Path, subject: ReviewSubject, name: str) -> BaseResponse:
    """Write the form's content to the block ``name``; if the block was changed, show both versions
    with 409.
    """
    check_same_origin()
    form = request.form
    version, texts = form.get("version", ""), None
    if form.get("do") != "drop":  # texts to drop become empty
        slots = [name.removeprefix("text.") for name in form if name.startswith("text.")]
        texts = {
            slot: "" if f"drop.{slot}" in form else form.get(f"text.{slot}", "") for slot in slots
        }
    try:
        with _faults_as_problems():
            subject.file.change(lambda text: subject.changed(text, name, version, texts))
    except Outdated as fault:
        block = subject.form_of(fault.block) if fault.block else None
        if block is None:
            raise Problem.unknown("There is nothing to review under this name any more.") from fault
        mine = [each for each in (texts or {}).values() if each.strip()]
        values = {"form": block, "mine": mine}
        return _shown(snapshot, home, subject, "review_conflict.html", 409, **values)
    return redirect(local_address(form.get("next", "")), 303)


def _review_page(snapshot: Snapshot, home: Path, subject: ReviewSubject) -> Response:
    listed = requested_page(subject.names, LENGTH)
    forms = subject.forms(listed.items)
    return _shown(snapshot, home, subject, "review.html", listed=listed, forms=forms)


def _shown(
    snapshot: Snapshot,
    home: Path,
    subject: ReviewSubject,
    template: str,
    status: int = 200,
    **values: object,
) -> Response:
    post = request.method == "POST"
    return private_page(
        page(
            template,
            snapshot,
            status,
            scope=subject.scope,
            subject=subject,
            total=len(subject.names),
            kinds={**KINDS, **TERM_KINDS},
            reasons=REASONS,
            longest=LONGEST,
            command=f"regula build --home {home}",
            back=local_address(request.form.get("next", "")) if post else address_with(),
            action=f"{quote(subject.address)}/",
            **values,
        )
    )
