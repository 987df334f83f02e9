import pytest

from corpus import identify, read_folder
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.editions import predecessor, recognition_lines
from corpus.similarity import MIN_CONTAINMENT, containment, shingles, sketch
from tests.altering import Altered
from tests.conftest import rulebook_of


def copy(book, version, seed=1):
    altered = Altered(book, seed)
    for _ in range(2):
        altered.delete()
        altered.reword()
    altered.bump(version)
    return altered.document(top=2)


@pytest.mark.parametrize("edition", ["pegelwacht-de-1.1", "pegelduell-de-2.0", "pegelwacht-it-1.1"])
def test_a_newer_version_takes_over_what_is_known_of_the_last(sample, edition):
    last = rulebook_of(sample, edition).edition
    new = identify(copy(rulebook_of(sample, edition), "3.7"))
    assert new is not None
    assert (new.id, new.version, new.succeeds) == (
        edition.rpartition("-")[0] + "-3.7",
        "3.7",
        edition,
    )
    assert (new.game, new.language, new.layout, new.title, new.names) == (
        last.game,
        last.language,
        last.layout,
        last.title,
        last.names,
    )
    assert new.corrections == last.corrections
    assert new.fallback == last.fallback
    assert not new.known


def test_of_two_versions_the_newer_one_is_the_last(sample):
    assert predecessor(copy(rulebook_of(sample, "pegelwacht-de-1.0"), "1.05")) is not None
    new = identify(copy(rulebook_of(sample, "pegelwacht-de-1.0"), "1.05"))
    assert new is not None
    assert new.succeeds == "pegelwacht-de-1.1"


def test_a_text_that_changed_keeps_its_id_and_both_are_read(sample, tmp_path):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    text = book.document.text.replace(
        "PEGELWACHT-REGELBUCH", "PEGELWACHT"
    )  # no longer recognised by its lines
    changed = tmp_path / "neu.txt"
    changed.write_text(text, encoding="utf-8")
    (alone,) = read_folder(tmp_path).rulebooks
    assert (alone.edition.id, alone.edition.version) == ("pegelwacht-de-1.1", "1.1")
    assert "whose text has changed" in read_folder(tmp_path).notes[0]
    (tmp_path / "zuvor.txt").write_text(book.document.text, encoding="utf-8")
    assert {each.edition.id for each in read_folder(tmp_path).rulebooks} == {
        "pegelwacht-de-1.1",
        "pegelwacht-de-1.1-neu",
    }
    bare = identify(Document.from_bytes("a.txt", text.replace("VERSION 1.1DE", "").encode()))
    assert (bare.id, bare.version) == ("pegelwacht-de", "?")


def test_the_shelf_says_what_it_took_for_a_newer_version(sample, tmp_path):
    book = rulebook_of(sample, "pegelwacht-de-1.1")
    (tmp_path / "neu.txt").write_text(copy(book, "1.2").text, encoding="utf-8")
    rulebook_folder = read_folder(tmp_path)
    (line,) = rulebook_folder.notes
    assert line.startswith("neu.txt: taken for a newer version of pegelwacht-de-1.1 (")
    assert "regula changes pegelwacht-de-1.2 --draft" in line
    assert sample.notes == ()


def _strangers(rulebook_folder):
    for book in rulebook_folder.rulebooks:
        found = shingles(book.document.text)
        for other in described_editions():
            same = (
                other.edition.id.rpartition("-")[0] == book.edition.id.rpartition("-")[0]
                and "online" not in other.edition.version
            )
            if other.edition.id != book.edition.id and not same:
                assert containment(other.sketch, found) < MIN_CONTAINMENT / 5, (
                    book.edition.id,
                    other.edition.id,
                )


def test_no_rulebook_of_the_sample_is_taken_for_another(sample):
    _strangers(sample)


def test_no_real_rulebook_is_taken_for_another_game_language_or_fragment(real):
    _strangers(real)


@pytest.mark.parametrize("edition", ["pegelwacht-de-1.1", "pegelduell-de-2.0"])
def test_a_fragment_is_no_newer_version(sample, edition):
    lines = rulebook_of(sample, edition).document.text.splitlines()
    fragment = "\n".join(lines[len(lines) // 3 : len(lines) // 2])
    assert predecessor(Document.from_bytes("teil.txt", fragment.encode())) is None


def test_half_of_the_text_makes_a_version_and_a_fifth_does_not():
    words = [f"wort{i}" for i in range(2000)]
    kept = sketch(" ".join(words))
    assert containment(kept, shingles(" ".join(words))) == 1.0
    assert containment(kept, shingles(" ".join(words[:1400]))) == pytest.approx(0.7, abs=0.15)
    assert containment(kept, shingles(" ".join(words[:400]))) < MIN_CONTAINMENT
    assert (
        containment(kept, shingles(" ".join(words * 1 + [f"neu{i}" for i in range(9000)]))) == 0.0
    ), "a far longer text that has it inside"
    assert containment((), shingles("a b c d e f g")) == 0.0


def test_lines_broken_elsewhere_change_nothing():
    assert sketch("Ein Kahn sinkt,\nwenn er leckt und niemand ihn flickt.") == sketch(
        "Ein Kahn sinkt, wenn er leckt\nund niemand ihn flickt."
    )


def test_the_lines_a_new_version_is_recognised_by(sample):
    new = copy(rulebook_of(sample, "pegelwacht-de-1.1"), "1.2")
    assert recognition_lines(new, "pegelwacht-de-1.1") == ("PEGELWACHT-REGELBUCH", "VERSION 1.2DE")
