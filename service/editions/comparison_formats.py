"""The formats of a comparison of two editions: for reading, spreadsheets, translation tools and programs."""

from __future__ import annotations

from functools import partial

from glossary.comparison import EditionComparison
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.core.jobs.stored_works import Work, made
from service.editions.comparison import check_comparable, comparison_out, segments_work, snapshot_comparison
from service.editions.exports import Format, json_file
from service.editions.exports.csv_tables import CSV_MIMETYPE, XLSX_MIMETYPE
from service.editions.exports.difference_table import comparison_csv
from service.editions.exports.html_page import comparison_html
from service.editions.exports.options import ExportOptions
from service.editions.exports.tbx import TBX_2008, TBX_2019, TBX_MIMETYPE, TbxDialect, terms_tbx
from service.editions.exports.translation_memory import TMX_MIMETYPE, check_translation, comparison_tmx
from service.editions.exports.xliff import XLIFF_MIMETYPE, check_bilingual, comparison_xliff
from service.editions.library_terms import edition_pair_terms, edition_pair_terms_work
from service.editions.reviewed.units import review_units


def _xlsx(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    from service.editions.exports.difference_workbook import comparison_xlsx  # loads openpyxl, which takes 0.1 s and is needed here alone

    return comparison_xlsx(comparison, options.reviews, options.review)


def _review_xlsx(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    from service.editions.exports.review_workbook import review_xlsx  # the same

    return review_xlsx(comparison.left, comparison.right, review_units(comparison, library, options.reviews, options.review))


def _xliff(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    return comparison_xliff(comparison, library, options.reviews, options.review)


def _json(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    return json_file(comparison_out(comparison, options.reviews, options.review))


def _tbx(comparison: EditionComparison, library: Library, options: ExportOptions, dialect: TbxDialect) -> bytes:
    return terms_tbx(edition_pair_terms(library, comparison.left, comparison.right, comparison.source), dialect, options)


FORMATS: dict[str, Format[[EditionComparison, Library, ExportOptions]]] = {
    "json": Format("json", "application/json", _json),
    "csv": Format("csv", CSV_MIMETYPE, lambda comparison, library, options: comparison_csv(comparison, options.reviews, options.review)),
    "html": Format("html", "text/html; charset=utf-8", lambda comparison, library, options: comparison_html(comparison, options)),
    "xlsx": Format("xlsx", XLSX_MIMETYPE, _xlsx, binary=True),
    "tbx": Format("tbx", TBX_MIMETYPE, partial(_tbx, dialect=TBX_2008)),
    "tbx3": Format("tbx", TBX_MIMETYPE, partial(_tbx, dialect=TBX_2019)),
    "tmx": Format("tmx", TMX_MIMETYPE, lambda comparison, library, options: comparison_tmx(comparison, library, options)),
    "xliff": Format("xlf", XLIFF_MIMETYPE, _xliff),
    "review-xlsx": Format("xlsx", XLSX_MIMETYPE, _review_xlsx, binary=True),
}


_TERM_BASES = {"tbx": TBX_2008, "tbx3": TBX_2019}
_OF_SENTENCES = ("tmx", "xliff")


def check_format(library: Library, left: str, right: str, name: str) -> None:
    """Raise at once what `render` would raise for two editions that cannot be compared, or not in the format called ``name``."""
    check_comparable(library, left, right)
    if name == "tmx":
        check_translation(library.edition[left], library.edition[right])
    if name == "xliff":
        check_bilingual(library.edition[left], library.edition[right])


def comparison_file_work(left: str, right: str, name: str, options: ExportOptions) -> Work[bytes]:
    """Return the work of writing a comparison of two editions in the format called ``name``."""
    return Work(("comparison", left, right, name, *options.key), _render, (left, right, name, options))


def _render(snapshot: SnapshotContents, left: str, right: str, name: str, options: ExportOptions) -> bytes:
    if name in _TERM_BASES:
        terms = made(snapshot, edition_pair_terms_work(left, right, options.source))
        return terms_tbx(terms, _TERM_BASES[name], options)
    if name in _OF_SENTENCES:
        comparison: EditionComparison = made(snapshot, segments_work(left, right, options.source))
    else:
        comparison = snapshot_comparison(snapshot, left, right, options.source)
    return FORMATS[name].write(comparison, snapshot.library, options)
