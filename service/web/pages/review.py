"""Reviewing what a model drafted: kept, edited or dropped, the worst first. All of it works without script."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.data_files import DataFileError
from corpus.errors import RegulaError
from corpus.model import Edition
from corpus.workspace import PHRASINGS
from glossary.phrasings import load_phrasings
from service.answers.citations import edition_name
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.drafting.blocks import Block, find_block
from service.editions.drafting.review import (
    KINDS,
    LONGEST,
    REASONS,
    Outdated,
    ReviewItem,
    ReviewText,
    confirmed,
    dropped,
    review_items,
    review_texts,
)
from service.editions.drafting.yaml_edits import CannotEdit
from service.ops.workspace_data import WorkspaceDataFile
from service.ops.workspace_files import NotKept
from service.web.editing import KEY_COOKIE, check_same_origin, editable_workspace, may_edit
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, requested_page
from service.web.pages.preferences import local_address
from service.web.request_context import current_snapshot, settings

LENGTH = 20  # passages on one page


@dataclass(frozen=True)
class ReviewForm:
    """A passage with its texts as a form; ``version`` is what they were when it was made."""

    item: ReviewItem
    texts: list[ReviewText]
    version: str

    @property
    def groups(self) -> list[tuple[str, list[ReviewText]]]:
        """The texts of each kind."""
        return [(kind, list(texts)) for kind, texts in groupby(self.texts, key=lambda each: each.kind)]


@dataclass(frozen=True)
class ReviewProgress:
    """How much of an ``edition`` is reviewed, of how many passages."""

    edition: Edition
    reviewed: int
    total: int


@pages.get("/review")
def review_overview() -> Response:
    """The editions of which something can be reviewed."""
    home = editable_workspace()
    snapshot = current_snapshot()
    rows = [_progress(edition, _items(snapshot, home, edition)) for edition in snapshot.library.editions]
    shown = page("reviews.html", snapshot, rows=[row for row in rows if row.total], edition_name=edition_name)
    return _private(shown)


@pages.get("/review/<edition_id>")
def review(edition_id: str) -> Response:
    """The passages of an edition with drafts, by pages, the worst first."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _review_page(snapshot, home, snapshot.edition(edition_id))


@pages.post("/review/<edition_id>/<fingerprint>")
def keep_review(edition_id: str, fingerprint: str) -> BaseResponse:
    """Write what was decided on one passage, and show what is to be reviewed then.

    Where its texts were changed since they were shown, nothing is written: both are shown, with status 409.
    """
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    version, action = request.form.get("version", ""), request.form.get("do", "")
    texts = _texts()

    def changed(text: str) -> str:
        if action == "drop":
            return dropped(text, fingerprint, version)
        return confirmed(text, fingerprint, version, texts)

    try:
        WorkspaceDataFile.of_phrasings(home, edition.id).change(changed)
    except Outdated as fault:
        if fault.block is None:
            raise Problem.unknown("There are no phrasings of this passage any more.") from fault
        return _conflict(snapshot, home, edition, fault.block, texts)
    except (NotKept, CannotEdit) as fault:
        raise _faulty_file(fault) from fault
    return redirect(local_address(request.form.get("next", "")), 303)


@pages.post("/review-key")
def keep_key() -> BaseResponse:
    """Keep the key of an editor in the browser, and go back."""
    check_same_origin()
    response = redirect(local_address(request.form.get("next", "")), 303)
    token = request.form.get("key", "").strip()
    if token:
        response.set_cookie(KEY_COOKIE, token[:200], httponly=True, samesite="Strict", secure=request.is_secure)
    else:
        response.delete_cookie(KEY_COOKIE, httponly=True, samesite="Strict")
    return response


@pages.app_context_processor
def _editing() -> dict[str, object]:
    """For every template: whether the reader may edit, and whether a key could change that."""
    home = settings().home
    return {"editing": home is not None and may_edit(), "editor_keys": home is not None and settings().keys is not None}


def _items(snapshot: Snapshot, home: Path, edition: Edition) -> list[ReviewItem]:
    """What can be reviewed of ``edition``. Raises `Problem` where the file is faulty."""
    try:
        return review_items(snapshot.library, edition.id, load_phrasings(edition.id, home / PHRASINGS))
    except DataFileError as fault:
        raise _faulty_file(fault) from fault


def _faulty_file(fault: RegulaError) -> Problem:
    """A file of the workspace that cannot be read or written: who edits is told what is wrong with it."""
    return Problem(409, str(fault), page=(N_("Nothing was written"), str(fault)))


def _progress(edition: Edition, items: list[ReviewItem]) -> ReviewProgress:
    return ReviewProgress(edition, sum(item.phrasings.reviewed for item in items), len(items))


def _texts() -> dict[str, str]:
    """The texts of the form by their slots; those that are to be dropped are empty."""
    return {
        name.removeprefix("text."): "" if f"drop.{name.removeprefix('text.')}" in request.form else value
        for name, value in request.form.items()
        if name.startswith("text.")
    }


def _review_page(snapshot: Snapshot, home: Path, edition: Edition) -> Response:
    items = _items(snapshot, home, edition)
    listed = requested_page(items, LENGTH)
    text = WorkspaceDataFile.of_phrasings(home, edition.id).read()
    forms = [_form(text, item, edition) for item in listed.items]
    return _shown(
        snapshot, home, edition, "review.html", listed=listed, forms=list(filter(None, forms)), progress=_progress(edition, items)
    )


def _form(text: str, item: ReviewItem, edition: Edition) -> ReviewForm | None:
    """``item`` as a form; None where its block is written in a way that only an editor can change."""
    block = find_block(text, item.fingerprint)
    return ReviewForm(item, review_texts(block, edition.language), block.version) if block else None


def _conflict(snapshot: Snapshot, home: Path, edition: Edition, block: Block, sent: dict[str, str]) -> Response:
    """What the file has now of a passage, as a form, beside what was ``sent``."""
    item = next((each for each in _items(snapshot, home, edition) if each.fingerprint == block.name), None)
    if item is None:
        raise Problem.unknown("This passage is not in the rulebook any more.")
    form = ReviewForm(item, review_texts(block, edition.language), block.version)
    mine = [each for each in sent.values() if each.strip()]
    return _shown(snapshot, home, edition, "review_conflict.html", 409, form=form, mine=mine)


def _shown(snapshot: Snapshot, home: Path, edition: Edition, template: str, status: int = 200, **values: object) -> Response:
    return _private(
        page(
            template,
            snapshot,
            status,
            scope=edition.id,
            edition=edition,
            edition_name=edition_name(edition),
            kinds=KINDS,
            reasons=REASONS,
            longest=LONGEST,
            command=f"regula build --home {home}",
            back=local_address(request.form.get("next", "")) if request.method == "POST" else address_with(),
            address_with=address_with,
            action=f"/review/{quote(edition.id)}/",
            **values,
        )
    )


def _private(response: Response) -> Response:
    """Have no browser keep a page, and let it say to this site alone where a form came from."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.pop("Regula-Index", None)  # by it pages are kept for reading offline
    return response
