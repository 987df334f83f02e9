"""The formats of a comparison of two editions: for reading, for spreadsheets, for translation tools, for programs."""

from __future__ import annotations

import json

from glossary.comparison import EditionComparison
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.editions.comparison import check_comparable, comparison_json, snapshot_comparison
from service.editions.exports import Format
from service.editions.exports.csv_tables import CSV, XLSX
from service.editions.exports.difference_table import as_csv
from service.editions.exports.html_page import as_html
from service.editions.exports.translation_memory import check_translation, tmx
from service.editions.term_list import DCA, MARTIF, TBX, Form, tbx, terms_between


def _json(comparison: EditionComparison, library: Library) -> bytes:
    return (json.dumps(comparison_json(comparison), ensure_ascii=False, indent=1) + "\n").encode()


def _xlsx(comparison: EditionComparison, library: Library) -> bytes:
    from service.editions.exports.difference_workbook import (
        as_xlsx,  # brings openpyxl, which takes a tenth of a second that starting should not take
    )

    return as_xlsx(comparison)


def _tbx(comparison: EditionComparison, library: Library, form: Form) -> bytes:
    return tbx(terms_between(library, comparison.left, comparison.right), form)


FORMATS: dict[str, Format[[EditionComparison, Library]]] = {
    "json": Format("json", "application/json", _json),
    "csv": Format("csv", CSV, lambda comparison, library: as_csv(comparison)),
    "html": Format("html", "text/html; charset=utf-8", lambda comparison, library: as_html(comparison)),
    "xlsx": Format("xlsx", XLSX, _xlsx, binary=True),
    "tbx": Format("tbx", TBX, lambda comparison, library: _tbx(comparison, library, MARTIF)),
    "tbx3": Format("tbx", TBX, lambda comparison, library: _tbx(comparison, library, DCA)),
    "tmx": Format("tmx", "application/x-tmx", tmx),
}


def check_format(library: Library, left: str, right: str, name: str) -> None:
    """Raise at once what `render` would raise for two editions that cannot be compared, or not in the format called ``name``."""
    check_comparable(library, left, right)
    if name == "tmx":
        check_translation(library.edition[left], library.edition[right])


def render(snapshot: SnapshotContents, left: str, right: str, name: str, language: str) -> bytes:
    """Return the comparison of two editions in the format called ``name``; HTML speaks the ``language`` of the pages."""
    comparison = snapshot_comparison(snapshot, left, right)
    return as_html(comparison, language) if name == "html" else FORMATS[name].write(comparison, snapshot.library)
