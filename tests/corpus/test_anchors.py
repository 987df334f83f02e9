from dataclasses import replace

import pytest

from corpus import identify
from corpus.anchors import anchors, relocate
from corpus.document import Document
from corpus.edition_files import FOLDER, described_editions
from corpus.model import Correction, Corrections, Fault
from corpus.update_editions import OutdatedCorrections, updated
from tests.altering import Altered
from tests.conftest import rulebook_of, seeds

OLD = [
    "HAFEN",
    "",
    "Der Hafen ist tief und still.",
    "",
    "BILD",
    "",
    "Ein Kahn fährt",
    "ein und aus.",
    "",
    "BILD",
    "",
    "Ende der Fahrt heute.",
]


def document(lines):
    return Document.from_bytes("boot.txt", "\n".join(lines).encode())


def test_every_correction_of_a_line_is_applied():
    both = (correction(7, "Kahn", Fault.CHARACTER), correction(7, "fährt", Fault.CHARACTER))
    assert [c.printed for c in Corrections(document(OLD), both).of(Fault.CHARACTER)] == [
        "Kahn",
        "fährt",
    ]


def correction(line, printed, fault=Fault.FURNITURE, meant=None, through=0):
    return Correction(line, fault, printed, meant, "invented", through or line)


def anchored(*corrections):
    return [
        replace(c, anchor=mark)
        for c, mark in zip(corrections, anchors(document(OLD), corrections), strict=True)
    ]


STILL, LABEL, TORN, END = anchored(
    correction(3, "still"),
    correction(10, "BILD"),
    correction(8, "ein und", Fault.TORN, 7),
    correction(12, "Fahrt"),
)
RANGE = anchored(correction(7, "Kahn", Fault.BELONGS, "HAFEN", 10))[0]


def lines_of(found):
    return [c.line if c.placed else None for c in found]


def test_nothing_changes_in_the_document_they_were_written_for():
    assert relocate(document(OLD), [STILL, LABEL, TORN, END, RANGE]) == (
        STILL,
        LABEL,
        TORN,
        END,
        RANGE,
    )


def test_lines_inserted_above_move_them_all_with_the_lines_they_name():
    found = relocate(document(["", "", *OLD]), [STILL, LABEL, TORN, END, RANGE])
    assert lines_of(found) == [5, 12, 10, 14, 9]
    assert found[2].meant == 9
    assert found[4].through == 12


def test_a_range_grows_with_lines_inserted_inside():
    found = relocate(document([*OLD[:8], "Und mehr.", *OLD[8:]]), [STILL, RANGE, END])
    assert (found[1].line, found[1].through) == (7, 11)


def test_of_lines_alike_the_one_counts_that_moved_with_its_neighbours():
    assert lines_of(relocate(document(["BILD", "", *OLD]), [STILL, LABEL, END])) == [5, 12, 14]


def test_a_label_that_is_gone_does_not_become_another_one_further_up():
    found = relocate(document(OLD[:9] + OLD[11:]), [STILL, LABEL, END])
    assert lines_of(found)[1] is None
    assert not found[1].fits(document(OLD[:9] + OLD[11:]))


def test_a_line_that_was_reworded_is_found_by_what_is_printed_in_it():
    new = ["", *OLD]
    new[3] = "Der Hafen ist weit und still."
    assert lines_of(relocate(document(new), [STILL, TORN, END])) == [4, 9, 13]
    new[3] = "Der Hafen ist weit."
    assert not relocate(document(new), [STILL, TORN, END])[0].fits(document(new))


def test_a_correction_without_anchor_stays_where_it_is():
    plain = correction(3, "still")
    assert relocate(document(["", *OLD]), [plain, END])[0] == plain


@pytest.mark.parametrize("seed", seeds(3))
def test_every_correction_of_an_altered_copy_finds_its_line(sample, seed):
    for book in sample.rulebooks:
        altered = Altered(book, seed)
        if len(altered.terms) < 12:
            continue
        for _ in range(2):
            altered.reword()
            altered.delete()
        new = altered.document(top=4)
        for was, now in zip(
            book.edition.corrections, relocate(new, book.edition.corrections), strict=True
        ):
            assert now.fits(new)
            assert new.line(now.line).text == book.document.line(was.line).text


def _described(rulebook_folder, folder):
    for book in rulebook_folder.rulebooks:
        path = folder / f"{book.edition.id}.yaml"
        text = path.read_text(encoding="utf-8")
        assert updated(text, book.document, path.name) == text, (
            f"python -m corpus.update_editions: {path.name} lacks anchors or sketch"
        )


def test_the_anchors_of_the_sample_are_those_of_its_documents(sample):
    _described(sample, FOLDER)


def test_the_anchors_of_the_real_rulebooks_are_those_of_their_documents(real):
    _described(real, FOLDER)


def test_marking_writes_anchors_and_sketch_and_leaves_the_rest(sample):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    text = (FOLDER / "pegelwacht-de-1.1.yaml").read_text(encoding="utf-8")
    bare = (
        "\n".join(
            line.partition(", anchor:")[0] + "}" if ", anchor:" in line else line
            for line in text.splitlines()
        )
        + "\n"
    )
    start, end = bare.index("sketch:"), bare.index("corrections:")
    assert updated(bare[:start] + bare[end:], book.document, "x.yaml") == text


def test_anchors_are_not_written_from_another_version(sample):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    other = Document.from_bytes("neu.txt", ("\n" + book.document.text).encode())
    assert identify(other) == next(
        k.edition for k in described_editions() if k.edition.id == "pegelwacht-de-1.1"
    )
    with pytest.raises(OutdatedCorrections, match="another version"):
        updated((FOLDER / "pegelwacht-de-1.1.yaml").read_text(encoding="utf-8"), other, "x.yaml")
