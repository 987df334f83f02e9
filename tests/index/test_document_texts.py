import hashlib

import pytest

import corpus.document
from corpus.blocks import NoteKind, ReadingNote
from corpus.document import Document
from corpus.formats import isolated
from index.building.fingerprints import combined, dependencies
from index.building.snapshots import Damaged, Snapshots
from index.building.version_lookup import documents_of_snapshot
from index.library.library import load_library, make_library
from tests import paged
from tests.service.harbour import german

ID = "20310517-moewen"


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory) -> Snapshots:
    """A snapshot with a PDF and a text file."""
    place = tmp_path_factory.mktemp("indexes")
    paged.snapshot(place / ID)
    return Snapshots(place)


def test_an_index_has_file_and_text_of_each_document(snapshots):
    paper, text = paged.document(), german().document
    source, plain = load_library(snapshots.path(ID)).sources.values()
    assert (source.sha256, source.text_sha256) == (
        paper.sha256,
        hashlib.sha256(paper.text.encode()).hexdigest(),
    )
    assert snapshots.read(ID, f"documents/{paper.sha256}") == paper.raw
    assert snapshots.read(ID, f"texts/{source.text_sha256}").decode() == paper.text
    assert plain.text_sha256 == plain.sha256 == text.sha256
    assert (source.page_sizes, plain.page_sizes) == (((paged.WIDTH, paged.HEIGHT),) * 2, ())
    assert [p.name for p in (snapshots.path(ID) / "texts").iterdir()] == [source.text_sha256]


def test_documents_come_back_as_they_were_extracted_without_extracting_again(
    snapshots, monkeypatch
):
    def refuse(*_):
        raise AssertionError("extracted again")

    monkeypatch.setattr(isolated, "extract", refuse)
    was = paged.document()
    again, text = documents_of_snapshot(snapshots, ID)
    assert (again, again.raw, again.body.text) == (was, was.raw, was.body.text)
    assert (again.blocks, again.bookmarks) == (was.blocks, was.bookmarks)
    assert text == german().document
    assert again.extracted
    assert again.pages
    assert was.pages
    assert (again.extracted.title, again.extracted.notes, again.extracted.body) == (
        "Möwenspiel",
        (ReadingNote(NoteKind.OVERLAPPING, (2,), 2),),
        len(was.text),
    )
    assert again.pages.sizes == was.pages.sizes
    for line, before in zip(again.pages.lines, was.pages.lines, strict=True):
        assert (line.span, line.page) == (before.span, before.page)
        assert (line.top, line.bottom, *line.edges) == pytest.approx(
            (before.top, before.bottom, *before.edges), abs=0.006
        )


def test_a_text_that_was_altered_is_noticed(snapshots):
    path = snapshots.path(ID) / "extracted" / f"{paged.document().sha256}.jsonl"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"page:2", b"page:1"))
    try:
        with pytest.raises(Damaged):
            documents_of_snapshot(snapshots, ID)
    finally:
        path.write_bytes(before)


def test_passages_and_headings_have_pages_and_boxes(snapshots):
    library = load_library(snapshots.path(ID))
    pages = paged.document().pages
    assert pages
    for passage in library.passages_in(paged.EDITION):
        exact = pages.boxes(passage.spans)
        found = library.places_of(passage)
        assert [place.page for place in found] == [place.page for place in exact]
        for kept, right in zip(
            (b for p in found for b in p.boxes), (b for p in exact for b in p.boxes), strict=True
        ):
            assert kept == pytest.approx(right, abs=0.006)
    flight, landing = library.entries_of(paged.EDITION)
    circling = library.passages_of[flight.id][1]
    assert [(place.page, len(place.boxes)) for place in library.places_of(circling)] == [
        (1, 1),
        (2, 1),
    ]
    assert [
        library.page(thing)
        for thing in (flight, landing, circling, library.passages_of[landing.id][0])
    ] == [1, 2, 1, 2]
    ((page, (box,)),) = library.places_of(landing)
    assert (page, box.left, box.top) == (2, paged.LEFT, 100.0)


def test_what_has_no_pages_has_no_boxes_and_keeps_its_printed_page(snapshots):
    library = make_library([german().rulebook()], [], {"sternenhafen-de-1.0/glossar": (3,)}, {})
    entry = library.entry["sternenhafen-de-1.0/ankern"]
    passage = library.passages_of[entry.id][0]
    assert (library.places_of(entry), library.places_of(passage)) == ((), ())
    assert (library.page(entry), library.page(passage)) == (3, 3)


def test_whether_an_index_fits_is_told_without_extracting(tmp_path, monkeypatch):
    class Slow:
        name = "slow"

    def recognise(raw):
        return Slow() if raw.startswith(b"%PDF") else None

    def refuse(*_):
        raise AssertionError("extracted")

    monkeypatch.setattr(corpus.document, "recognise_file", recognise)
    monkeypatch.setattr(isolated, "extract", refuse)
    (tmp_path / "a.pdf").write_bytes(paged.document().raw or b"")
    before = combined(dependencies(tmp_path))
    assert combined(dependencies(tmp_path)) == before
    (tmp_path / "a.pdf").write_bytes((paged.document().raw or b"") + b"\n")
    assert combined(dependencies(tmp_path)) != before
    assert Document.from_bytes("a.pdf", b"%PDF", extract=False).text == ""
