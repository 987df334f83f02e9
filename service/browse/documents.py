"""The documents of an index: the files, their texts, and the places of passages on their pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from corpus.blocks import Box, PageNumbers
from corpus.model import Edition, Entry, Passage
from index.building.snapshots import Damaged, Snapshots
from index.library.document_texts import text_file
from index.library.former_entries import document_address
from index.library.library import Library
from service.answers.citations import (
    Citation,
    cite,
    edition_name,
    entry_url,
    marked_page_url,
    marked_thing,
)
from service.browse.entry_view import passage_url
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.core.snapshot import SnapshotContents

_MARGIN = 18.0  # points around the marks on a page, in an excerpt
_NARROWEST = 300.0  # points; a column of an A4 page has some 230
_PDF = b"%PDF-"  # within the first 1,024 bytes of every PDF


@dataclass(frozen=True)
class MarkedPage:
    """A page of a document, with boxes around the entry or passage ``shown``; sizes in points.

    Attributes:
        numbers: The numbers printed on the pages of the document.
        counts_otherwise: Whether printed numbers differ from the numbers of the sheets.
        address: The address of the entry or passage shown.
        words: Its words on this page.
        places: The pages that it is on, each with its address.
    """

    edition: Edition
    edition_name: str
    sha256: str
    number: int
    count: int
    width: float
    height: float
    numbers: PageNumbers = ()
    counts_otherwise: bool = False
    boxes: tuple[Box, ...] = ()
    shown: Citation | None = None
    address: str = ""
    words: str = ""
    query: str = ""
    places: tuple[tuple[int, str], ...] = ()

    def printed(self, sheet: int) -> str:
        """Return the printed number of the page or pages of a ``sheet``: "2–3"."""
        numbers = self.numbers[sheet - 1] if sheet <= len(self.numbers) else ()
        return "–".join(number.text for number in numbers)

    @property
    def excerpt(self) -> Box:
        """The part of the page around the boxes, a column wide or more; all if there are none."""
        if not self.boxes:
            return Box(0, 0, self.width, self.height)
        left, right = (
            min(box.left for box in self.boxes) - _MARGIN,
            max(box.right for box in self.boxes) + _MARGIN,
        )
        wider = max(_NARROWEST - (right - left), 0) / 2
        return Box(
            left=max(left - wider, 0),
            top=max(min(box.top for box in self.boxes) - _MARGIN, 0),
            right=min(right + wider, self.width),
            bottom=min(max(box.bottom for box in self.boxes) + _MARGIN, self.height),
        )

    @property
    def elsewhere(self) -> list[tuple[int, str]]:
        """The other pages that the thing shown is on, each with its address."""
        return [(number, address) for number, address in self.places if number != self.number]


def following_edition(snapshot: SnapshotContents, sha256: str) -> Edition | None:
    """Return the edition that replaced a removed document; None if unknown, or if the document is
    still loaded.
    """
    here = any(source.sha256 == sha256 for source in snapshot.library.sources.values())
    return None if here else snapshot.following_edition(document_address(sha256))


def document_text(snapshot: SnapshotContents, sha256: str) -> tuple[str, bytes]:
    """Return the name of a document and its text in UTF-8. Raises `Problem` 404."""
    if following := following_edition(snapshot, sha256):
        new = snapshot.library.sources[following.id].sha256
        text = N_(
            "This document has been replaced by that of %(edition)s; GET "
            "/v1/documents/%(sha256)s/text has its text."
        )
        raise Problem.unknown(TranslatableText(text, {"edition": following.id, "sha256": new}))
    source = snapshot.library.sources[_edition(snapshot.library, sha256).id]
    return source.file, _read(snapshot, text_file(source.sha256, source.text_sha256))


def pdf_document(snapshot: SnapshotContents, sha256: str) -> tuple[str, bytes]:
    """Return the name of a PDF and its bytes. Raises `Problem` 404 if the document is no PDF."""
    source = snapshot.library.sources[_edition(snapshot.library, sha256).id]
    raw = _read(snapshot, f"documents/{sha256}") if source.page_sizes else b""
    if _PDF not in raw[:1024]:
        raise Problem.unknown(
            N_("This document is no PDF; GET /v1/documents/{sha256}/text has its text.")
        )
    return source.file, raw


def marked_page(
    library: Library, sha256: str, number: int, entry_id: str = "", ordinal: str = ""
) -> MarkedPage:
    """Return page ``number`` of a document, with an entry, or its passage ``ordinal``, marked if
    it is on that page. Raises `Problem` 404 for an unknown document or page.
    """
    edition = _edition(library, sha256)
    source = library.sources[edition.id]
    sizes = source.page_sizes
    if not 1 <= number <= len(sizes):
        raise Problem.unknown(N_("This document has no such page."))
    page = MarkedPage(
        edition,
        edition_name(edition),
        sha256,
        number,
        len(sizes),
        *sizes[number - 1],
        numbers=source.page_numbers,
        counts_otherwise=source.counts_otherwise,
    )
    thing = _thing(library, entry_id, ordinal)
    if thing is None or library.entry[entry_id].edition != edition.id:
        return page
    parts: list[Entry | Passage] = [thing]
    if isinstance(thing, Entry):
        parts += library.passages_of.get(entry_id, ())
    placed = [(part, place) for part in parts for place in library.places_of(part)]
    here = [(part, place.boxes) for part, place in placed if place.page == number]
    return replace(
        page,
        boxes=tuple(dict.fromkeys(box for _, boxes in here for box in boxes)),
        shown=cite(library, thing),
        address=_address(library, thing),
        words="\n".join(
            dict.fromkeys(
                part.display if isinstance(part, Passage) else part.title for part, _ in here
            )
        ),
        query=marked_thing(thing),
        places=tuple(
            (each, marked_page_url(library, thing, each))
            for each in sorted({place.page for _, place in placed})
        ),
    )


def thing_url(library: Library, entry_id: str, ordinal: str = "") -> str | None:
    """Return the address of the passage ``ordinal`` of an entry, or of the entry, if it exists."""
    thing = _thing(library, entry_id, ordinal)
    return None if thing is None else _address(library, thing)


def page_url(library: Library, thing: Entry | Passage) -> str | None:
    """Return the address of the page on which ``thing`` begins, None if it has no pages."""
    places = library.places_of(thing)
    return marked_page_url(library, thing, places[0].page) if places else None


def _thing(library: Library, entry_id: str, ordinal: str) -> Entry | Passage | None:
    entry = library.entry.get(entry_id)
    if entry is None or not ordinal:
        return entry
    return next(
        (p for p in library.passages_of.get(entry_id, ()) if str(p.ordinal) == ordinal), None
    )


def _address(library: Library, thing: Entry | Passage) -> str:
    return (
        passage_url(library.entry[thing.entry], thing)
        if isinstance(thing, Passage)
        else entry_url(thing)
    )


def _edition(library: Library, sha256: str) -> Edition:
    for edition in library.editions:
        if library.sources[edition.id].sha256 == sha256:
            return edition
    raise Problem.unknown(
        N_("There is no such document here; GET /v1/editions lists those there are.")
    )


def _read(snapshot: SnapshotContents, name: str) -> bytes:
    """Return the file ``name`` of the index, checked against its hash.

    Raises `Problem` 404 if the index is not on a disk, 503 if the file is damaged.
    """
    if snapshot.folder is None:
        raise Problem.unknown(N_("The documents of this index are not kept on a disk."))
    try:
        return Snapshots(snapshot.folder.parent).read(snapshot.folder.name, name)
    except Damaged as fault:
        raise Problem(
            503, N_("The files of this index are gone or damaged. Ask again in a few seconds.")
        ) from fault
