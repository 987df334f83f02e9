from pathlib import Path

import pytest

from corpus.document import Document
from corpus.draft import LONGEST
from corpus.editions import identify
from corpus.model import Role, Rulebook
from corpus.titles import key
from tests import sample_truth

SAMPLE = Path(__file__).resolve().parents[2] / "corpus" / "sample" / "rulebooks"
TRUTHS = sample_truth.truths()


@pytest.fixture(params=list(TRUTHS))
def name(request) -> str:
    return str(request.param)


@pytest.fixture
def truth(name):
    return TRUTHS[name]


@pytest.fixture
def book(name, sample) -> Rulebook:
    found = [b for b in sample.rulebooks if b.document.file == f"{name}.txt"]
    assert found, f"{name} was not read: {sample.left_out}"
    return found[0]


def _parent(book, entry):
    return next((e.heading for e in book.entries if e.id == entry.parent), None)


def _covering(book, first, last):
    """The passages that hold text of every line with text from ``first`` to ``last`` that is no
    furniture.
    """
    left_out = {book.document.line_at(f.span.start) for f in book.furniture}
    wanted = {n for n in range(first, last + 1) if book.document.line(n).text.strip()} - left_out
    found = []
    for passage in book.passages:
        held = {
            n
            for a, b in passage.spans
            for n in range(book.document.line_at(a), book.document.line_at(b - 1) + 1)
        }
        if wanted <= held:
            found.append(passage)
    return found


def test_every_sample_rulebook_has_a_truth_and_an_edition(sample):
    assert sorted(path.stem for path in SAMPLE.glob("*.txt")) == sorted(TRUTHS)
    assert sample.left_out == ()
    assert [b.document.file for b in sample.rulebooks if not b.edition.known] == []


def test_the_edition_is_told_from_the_content(name, book):
    edition = identify(Document("misnamed.txt", book.document.sha256, book.document.text))
    assert edition is not None
    assert edition.id == name
    assert edition.language == book.edition.id.split("-")[-2]


def test_what_an_edition_names_is_in_its_rulebook(book):
    named = {*book.edition.names.values(), *filter(None, [book.edition.fallback])}
    assert named - {e.heading for e in book.entries} == set()


def test_a_truth_speaks_of_lines_that_are_there(truth, book):
    for entry in truth["entries"]:
        first, last = entry["lines"]
        assert first <= last <= len(book.document.lines)
        if entry["kind"] != "ruling":  # the second question under a card begins at the question
            # Numbers of cards and rules stand beside the heading, names of the glossary are glued
            # to their text.
            printed = key(
                " ".join(book.document.line(n).text for n in range(first, min(first + 3, last) + 1))
            )
            assert key(entry["heading"]) in printed, entry
    for fault in truth["faults"]:
        assert book.document.line(fault["line"]).text.strip(), fault


def test_entries_are_found_with_kind_lines_and_parent(truth, book):
    wanted = [(e["kind"], e["heading"], *e["lines"], e["parent"]) for e in truth["entries"]]
    found = [(e.kind.value, e.heading, *e.lines, _parent(book, e)) for e in book.entries]
    assert [e for e in wanted if e not in found] == []
    assert [e for e in found if e not in wanted] == []
    assert found == wanted


@pytest.mark.parametrize("field", ["number", "card", "product", "title"])
def test_entries_carry_number_card_product_and_title(truth, book, field):
    at = {(e.heading, e.lines.first): e for e in book.entries}
    wanted = {(e["heading"], e["lines"][0]): e[field] for e in truth["entries"] if field in e}
    assert {k: getattr(at.get(k), field, "no such entry") for k in wanted} == wanted


def test_only_what_is_no_text_is_left_out(truth, book):
    found = set()  # lines without any other text; the sign of a false bullet alone does not count
    for line in book.document.lines:
        left = [at for at in range(line.start, line.end) if not book.document.text[at].isspace()]
        if left and all(
            any(f.span.start <= at < f.span.end for f in book.furniture) for at in left
        ):
            found.add(line.number)
    assert found == sample_truth.lines(truth["furniture"])


def test_torn_restored_and_escaped_text_is_read_as_it_is_meant(truth, book):
    wrong = []
    for wanted in truth.get("passages", []):
        found = _covering(book, *wanted["lines"])
        if "role" in wanted:
            found = [p for p in found if p.role is Role(wanted["role"])]
        if "spans_count" in wanted:
            found = [p for p in found if len(p.spans) == wanted["spans_count"]]
        if "depth" in wanted:
            found = [p for p in found if p.depth == wanted["depth"]]
        if "display_starts" in wanted:
            found = [p for p in found if p.display.startswith(wanted["display_starts"])]
        if "display_contains" in wanted:
            found = [p for p in found if wanted["display_contains"] in p.display]
        if not found:
            wrong.append(
                (
                    wanted,
                    [
                        (p.role.value, p.depth, len(p.spans), p.display)
                        for p in _covering(book, *wanted["lines"])
                    ],
                )
            )
    assert wrong == []


def test_lists_of_references_are_told_from_text(truth, book):
    found = {p.lines.first for p in book.passages if p.role is Role.SEE}
    assert [n for n in truth.get("see_lists", []) if n not in found] == []


def test_the_printed_index_is_read_item_by_item(truth, book):
    wanted = [(i["line"], key(i["name"]), tuple(i["pages"])) for i in truth.get("index", [])]
    found = [(i.line, key(i.name), i.pages) for i in book.index_items]
    assert [i for i in wanted if i not in found] == []
    assert [i for i in found if i not in wanted] == []


def test_nothing_strays_and_every_correction_fits(book):
    assert [
        (book.document.line_at(s.start), book.document.text[s.start : s.end]) for s in book.strays
    ] == []
    assert book.unfit == ()


def test_every_character_belongs_to_exactly_one_claim(book):
    text = book.document.text
    claimed = [0] * len(text)
    spans = (
        [s for p in book.passages for s in p.spans]
        + [s for e in book.entries for s in e.heading_spans]
        + [f.span for f in book.furniture]
    )
    for a, b in spans:
        for at in range(a, b):
            claimed[at] += 1
    assert [book.document.line_at(at) for at, n in enumerate(claimed) if n > 1] == []
    assert [
        book.document.line_at(at)
        for at, n in enumerate(claimed)
        if not n and not text[at].isspace()
    ] == []


def test_evidence_is_an_exact_copy_and_never_too_long(book):
    for passage in book.passages:
        assert passage.text == "\n".join(book.document.text[a:b] for a, b in passage.spans)
        assert len(passage.text) <= LONGEST
