"""Documents with pages: the original file, and its pages with a passage marked on them."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlencode

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.model import Entry, Passage
from service.answers.citations import entry_url, page_address
from service.browse import documents
from service.browse.former_entries import leads_to
from service.core.jobs.page_pictures import WIDTHS, page_picture
from service.core.problems import Problem
from service.web.headers import name_file
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot, settings

USUAL_WIDTH = WIDTHS[1]  # pixels: sharp on a phone, and on a screen at text width


class PageLink(NamedTuple):
    """A page of a document: its address, the address of its picture, and its marks."""

    address: str
    picture: str
    marked: documents.MarkedPage


class Picture(NamedTuple):
    """The ``address`` of the picture of a page, ``width`` pixels wide."""

    address: str
    width: int


@pages.get("/documents/<sha256>")
def document(sha256: str) -> BaseResponse:
    """Send a PDF unchanged, or the requested range of it; redirect from a replaced document to the
    edition that follows.
    """
    _check_shown()
    if following := documents.following_edition(current_snapshot(), sha256):
        return redirect(f"/browse/{following.id}")
    name, raw = documents.pdf_document(current_snapshot(), sha256)
    response = Response(raw, mimetype="application/pdf")
    name_file(response, name)
    response.set_etag(sha256)
    response.make_conditional(request, accept_ranges=True, complete_length=len(raw))
    return response


@pages.get("/documents/<sha256>/pages/<number>")
def document_page(sha256: str, number: str) -> BaseResponse:
    """Show a page of a PDF, with the ``entry`` or ``passage`` of the address marked.

    If the page cannot be shown, redirect to the text of these, to the entry that follows, or to
    the edition that follows: people keep citations for long.
    """
    snapshot = current_snapshot()
    named = request.args.get("entry", "")[:500], request.args.get("passage", "")[:20]
    try:
        _check_shown()
        marked = documents.marked_page(snapshot.library, sha256, _number(number), *named)
    except Problem:
        if address := documents.thing_url(snapshot.library, *named):
            return redirect(address)
        if now := leads_to(snapshot, named[0]):
            return redirect(f"{entry_url(now)}?{urlencode({'was': named[0]})}")
        if following := documents.following_edition(snapshot, sha256):
            return redirect(f"/browse/{following.id}")
        raise

    def turned(to: int) -> str:
        return page_address(sha256, to) + (f"?{marked.query}" if marked.query else "")

    widths = (USUAL_WIDTH, WIDTHS[-1])
    return page(
        "document_page.html",
        snapshot,
        scope=marked.edition.id,
        sheet=marked,
        pictures=[Picture(picture_address(sha256, marked.number, each), each) for each in widths],
        turned=turned,
    )


@pages.get("/documents/<sha256>/pages/<number>.png")
def document_page_picture(sha256: str, number: str) -> Response:
    """Give a page of a PDF as a picture, about ``width`` pixels wide."""
    _check_shown()
    snapshot = current_snapshot()
    drawn = documents.marked_page(snapshot.library, sha256, _number(number))
    if snapshot.folder is None:
        raise Problem.unknown("The documents of this index are not kept on a disk.")
    typed = request.args.get("width", "")
    width = int(typed) if re.fullmatch("[0-9]{1,4}", typed) else USUAL_WIDTH
    picture = page_picture(snapshot.folder, sha256, drawn.number, width)
    response = Response(picture, mimetype="image/png")
    response.headers["Regula-Index"] = snapshot.id  # tells apart pages kept for offline reading
    return response


def picture_address(sha256: str, number: int, width: int = USUAL_WIDTH) -> str:
    """Return the address of the picture of a page, ``width`` pixels wide."""
    return f"{page_address(sha256, number)}.png?width={width}"


def page_link(thing: Entry | Passage) -> PageLink | None:
    """Return the address of the page with an entry or passage; None if it must not be shown."""
    library = current_snapshot().library
    address = documents.page_url(library, thing) if settings().show_documents else None
    if address is None:
        return None
    entry = library.entry[thing.entry] if isinstance(thing, Passage) else thing
    ordinal = str(thing.ordinal) if isinstance(thing, Passage) else ""
    sha256, number = library.sources[entry.edition].sha256, library.places_of(thing)[0].page
    marked = documents.marked_page(library, sha256, number, entry.id, ordinal)
    return PageLink(address, picture_address(sha256, number), marked)


def _number(typed: str) -> int:
    """Return the typed number; 0 if it is invalid or far too large."""
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0


def _check_shown() -> None:
    if not settings().show_documents:
        raise Problem.unknown("This service does not show documents.")
