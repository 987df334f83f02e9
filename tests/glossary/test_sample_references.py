from collections import Counter

import pytest

from corpus.model import Rulebook
from glossary.references import find
from tests import sample_truth

TRUTHS = {name: truth for name, truth in sample_truth.truths().items() if truth.get("references")}
_Seen = tuple[int, str, str | None, int | None, str | None]


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


def _found(book, sample):
    """Line, name, heading and line of the target, problem of every reference. What leads outside
    has no target here.
    """
    entries = {e.id: e for e in book.entries}
    found: list[_Seen] = []
    for reference in find(book, sample.rulebooks):
        target = entries.get(reference.target or "")
        heading, line = (target.heading, target.lines.first) if target else (None, None)
        found.append(
            (
                reference.line,
                reference.raw,
                heading,
                line,
                reference.problem and reference.problem.value,
            )
        )
    return found


def _wanted(truth, optional):
    return [
        (r["line"], r["raw"], r["target"], r["target_line"], r.get("problem"))
        for r in truth["references"]
        if optional or not r.get("optional")
    ]


def test_references_lead_to_the_entry_that_is_meant(truth, book, sample):
    missing = Counter(_wanted(truth, optional=False)) - Counter(_found(book, sample))
    assert missing == Counter()


def test_nothing_else_is_taken_for_a_reference(truth, book, sample):
    if not truth.get("all_references", True):
        pytest.skip("only some references of this document are listed")
    found = Counter(_found(book, sample))
    assert found - Counter(_wanted(truth, optional=True)) == Counter()


def test_references_are_named_after_the_way_they_are_printed(truth, book, sample):
    kinds = {(r.line, r.raw): r.kind.value for r in find(book, sample.rulebooks)}
    wanted = {
        (r["line"], r["raw"]): r["kind"]
        for r in truth["references"]
        if "kind" in r and not r.get("optional")
    }
    assert {k: kinds.get(k) for k in wanted} == wanted


def test_a_reference_stands_where_it_says(book, sample):
    for reference in find(book, sample.rulebooks):
        printed = book.document.text[reference.span.start : reference.span.end]
        assert reference.raw.replace("*", "").split() == printed.replace("*", "").split()
        assert book.document.line_at(reference.span.start) == reference.line
