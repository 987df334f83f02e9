"""A known edition whose owner has it as PDF: the sample, printed in several forms, is read as its text is."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from corpus import editions
from corpus.document import Document
from corpus.model import Rulebook
from corpus.read import read
from tests.bench.rendered import comparison
from tests.bench.rendered.forms import chosen
from tests.bench.rendered.manuscript import manuscript
from tests.bench.rendered.typesetting import typeset
from tests.conftest import SAMPLE

FORMS = ("two", "one-bold", "two-busy", "one-dense")
LEAST = 0.98  # of the entries, by title, kind and parent


def rulebook(file: str, raw: bytes) -> Rulebook:
    document = Document.from_bytes(file, raw)
    return read(document, editions.identify(document))


@pytest.mark.parametrize(("path", "form"), list(zip(sorted(SAMPLE.glob("*.txt")), cycle(FORMS), strict=False)))
def test_a_printed_rulebook_is_read_as_its_text(path: Path, form: str) -> None:
    text = rulebook(path.name, path.read_bytes())
    (printed_form,) = chosen(form)
    pdf = typeset(manuscript(text), printed_form, text.edition.title)
    found = rulebook(path.with_suffix(".pdf").name, pdf)
    assert found.edition.id == text.edition.id
    assert found.edition.known
    wanted, got = comparison.entry_keys(text), comparison.entry_keys(found)
    misread = sorted(set(wanted) ^ set(got))
    assert comparison.f1(wanted, got) >= LEAST or len(misread) <= 4, misread
    assert comparison.heading_pages(found, comparison.page_letters(pdf)) >= 0.99
    assert comparison.covered(found, pdf) >= 0.99


def test_hyphens_at_line_ends_leave_no_trace_in_headings() -> None:
    path = SAMPLE / "pegelwacht-it-1.1.txt"
    text = rulebook(path.name, path.read_bytes())
    (form,) = chosen("two-busy")
    found = rulebook("printed.pdf", typeset(manuscript(text), form, text.edition.title))
    assert {entry.heading for entry in found.entries} >= {entry.heading for entry in text.entries if entry.kind.value == "redirect"}
    assert not any(sign in entry.heading for entry in found.entries for sign in "\u00ad\n")
