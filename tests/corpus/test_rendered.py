import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import cycle

import pypdfium2 as pdfium
import pytest

from corpus.model import Kind
from tests.conftest import SAMPLE
from tests.corpus.printed import FORMS, printed
from tests.corpus.reading import book as rulebook

LEAST = 0.98  # of the entries, by title, kind and parent
COVERED = 0.95  # of a passage's letters must be in its boxes


def letters(text):
    """``text`` in small letters and digits only, words that were divided at the end of a line
    joined.
    """
    return "".join(
        sign for sign in re.sub(r"(?<=\w)-\n(?=\w)", "", text).casefold() if sign.isalnum()
    )


def entry_keys(book):
    """For each entry its kind, its number or title, and the number or title of its parent."""
    names = {"": ""}
    for entry in book.entries:
        names[entry.id] = (
            entry.number.strip(".")
            if entry.kind is Kind.RULE and entry.number
            else letters(entry.title)
        )
    return [
        (entry.kind.value, names[entry.id], names[entry.parent or ""]) for entry in book.entries
    ]


def headings_on_their_page(book, pdf):
    """The share of entries whose heading stands on the page that they name."""
    document = pdfium.PdfDocument(pdf)
    pages = [
        letters(
            page.get_textpage().get_text_bounded().replace("\ufffe", "-\n").replace("\x02", "-\n")
        )
        for page in document
    ]
    document.close()
    assert book.document.pages is not None
    right = []
    for start, end in (entry.heading_spans[0] for entry in book.entries if entry.heading_spans):
        page = book.document.pages.page_at(start)
        right.append(
            0 < page <= len(pages) and letters(book.document.text[start:end]) in pages[page - 1]
        )
    return sum(right) / len(right)


def covered(book, pdf):
    """The share of passages whose letters are what pypdfium2 extracts from their boxes."""
    assert book.document.pages is not None
    document = pdfium.PdfDocument(pdf)
    texts = {
        number: (page.get_height(), page.get_textpage()) for number, page in enumerate(document, 1)
    }
    good = sum(in_its_boxes(passage, book.document.pages, texts) for passage in book.passages)
    document.close()
    return good / len(book.passages)


def in_its_boxes(passage, pages, texts):
    found = ""
    for page, boxes in pages.boxes(passage.spans):
        height, text = texts[page]
        for box in boxes:
            found += text.get_text_bounded(
                box.left - 0.5, height - box.bottom, box.right + 0.5, height - box.top
            )
    one, other = (re.sub(r"[\W_]", "", each.casefold()) for each in (passage.text, found))
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= COVERED


@pytest.mark.parametrize(
    ("path", "form"), list(zip(sorted(SAMPLE.glob("*.txt")), cycle(FORMS), strict=False))
)
def test_a_printed_rulebook_is_read_as_its_text(path, form):
    text = rulebook(path.name, path.read_bytes())
    pdf = printed(text, form)
    found = rulebook(path.with_suffix(".pdf").name, pdf)
    assert found.edition.id == text.edition.id
    assert found.edition.known
    wanted, got = Counter(entry_keys(text)), Counter(entry_keys(found))
    misread = sorted(wanted.keys() ^ got.keys())
    f1 = 2 * (wanted & got).total() / (wanted.total() + got.total())
    assert f1 >= LEAST or len(misread) <= 4, misread
    assert headings_on_their_page(found, pdf) >= 0.99
    assert covered(found, pdf) >= 0.99


def test_hyphens_at_line_ends_leave_no_trace_in_headings():
    path = SAMPLE / "pegelwacht-it-1.1.txt"
    text = rulebook(path.name, path.read_bytes())
    found = rulebook("printed.pdf", printed(text, "two-busy"))
    assert {entry.heading for entry in found.entries} >= {
        entry.heading for entry in text.entries if entry.kind.value == "redirect"
    }
    assert not any(sign in entry.heading for entry in found.entries for sign in "\u00ad\n")
