"""How much of what the text of a rulebook says is read from its printed form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher

import pypdfium2 as pdfium

from corpus.blocks import PageMap
from corpus.model import Entry, Kind, Passage, Rulebook

_COVERED = 0.95  # of a passage's letters must be in its boxes
_HYPHEN = re.compile(r"(?<=\w)-\n(?=\w)")


def letters(text: str) -> str:
    """``text`` in small letters and digits only, words that were divided at the end of a line joined."""
    return "".join(sign for sign in _HYPHEN.sub("", text).casefold() if sign.isalnum())


def f1(wanted: Iterable[Hashable], found: Iterable[Hashable]) -> float:
    """The harmonic mean of precision and recall of ``found``, both with repetitions."""
    one, other = Counter(wanted), Counter(found)
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def entry_keys(rulebook: Rulebook) -> list[tuple[str, str, str]]:
    """For each entry its kind, its number or title, and the number or title of its parent."""
    by_id = {entry.id: entry for entry in rulebook.entries}
    names = {"": "", **{id: _name(entry) for id, entry in by_id.items()}}
    return [(entry.kind.value, names[entry.id], names[entry.parent or ""]) for entry in rulebook.entries]


def _name(entry: Entry) -> str:
    if entry.kind is Kind.RULE and entry.number:
        return entry.number.strip(".")
    return letters(entry.title)


def passage_keys(rulebook: Rulebook) -> list[str]:
    """The letters of each passage."""
    return [letters(passage.text) for passage in rulebook.passages]


def heading_pages(rulebook: Rulebook, printed: Sequence[str]) -> float:
    """The share of entries whose heading stands on the page that they name; ``printed`` are the letters of each page."""
    pages = rulebook.document.pages
    right = total = 0
    for entry in rulebook.entries:
        if pages is None or not entry.heading_spans:
            continue
        page = pages.page_at(entry.heading_spans[0].start)
        text = letters("".join(rulebook.document.text[a:b] for a, b in entry.heading_spans[:1]))
        total += 1
        right += 0 < page <= len(printed) and text in printed[page - 1]
    return right / max(total, 1)


def page_letters(pdf: bytes) -> list[str]:
    """The letters of each page of ``pdf``, as pypdfium2 extracts them."""
    document = pdfium.PdfDocument(pdf)
    found = [letters(page.get_textpage().get_text_bounded().replace("\ufffe", "-\n").replace("\x02", "-\n")) for page in document]
    document.close()
    return found


def covered(rulebook: Rulebook, pdf: bytes) -> float:
    """The share of passages whose letters are what pypdfium2 extracts from their boxes."""
    if rulebook.document.pages is None:
        return 0.0
    document = pdfium.PdfDocument(pdf)
    texts = {at: (page.get_height(), page.get_textpage()) for at, page in enumerate(document, 1)}
    good = sum(_boxed(passage, rulebook.document.pages, texts) for passage in rulebook.passages)
    document.close()
    return good / max(len(rulebook.passages), 1)


def _boxed(passage: Passage, pages: PageMap, texts: Mapping[int, tuple[float, pdfium.PdfTextPage]]) -> bool:
    found = ""
    for page, boxes in pages.boxes(passage.spans):
        height, text = texts[page]
        for box in boxes:
            found += text.get_text_bounded(box.left - 0.5, height - box.bottom, box.right + 0.5, height - box.top)
    one, other = (re.sub(r"[\W_]", "", each.casefold()) for each in (passage.text, found))
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _COVERED
