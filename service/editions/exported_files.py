"""The formats of exported files, from which routes, commands and links of pages are made, and the
works that write them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from glossary.comparison import EditionComparison
from glossary.comparison.card_texts import CardTextComparison
from glossary.terms.term_list import TermList
from index.library.library import Library
from service.core.jobs.stored_works import Work, made, stored
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.card_comparison import card_comparison_csv, card_comparison_out, compare_cards
from service.editions.comparison import (
    check_comparable,
    comparison_out,
    segments_work,
    snapshot_comparison,
)
from service.editions.exports.formats import FILE_TYPES, ExportOptions, Format, P, json_file
from service.editions.exports.tables import comparison_csv, comparison_html, terms_csv
from service.editions.exports.tbx import TBX_2008, TBX_2019, TbxDialect, terms_tbx
from service.editions.exports.tmx import check_translation, comparison_tmx, terms_tmx
from service.editions.exports.xliff import check_bilingual, comparison_xliff
from service.editions.terms import (
    edition_pair_terms,
    edition_pair_terms_work,
    terms_out,
    terms_work,
    with_card_names,
)
from service.schemas.comparisons import CardComparisonOut


def _workbooks() -> Any:
    from service.editions.exports import workbooks  # loads openpyxl, which takes 0.1 s

    return workbooks


def _comparison_tbx(
    dialect: TbxDialect, comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    sides = comparison.left, comparison.right, comparison.source
    return terms_tbx(dialect, edition_pair_terms(library, *sides), options)


def _formats(**writers: Callable[P, bytes]) -> dict[str, Format[P]]:
    """Return the formats that have a writer, in the order of `FILE_TYPES`."""
    named = {name.replace("_", "-"): write for name, write in writers.items()}
    return {name: Format(*FILE_TYPES[name], named[name]) for name in FILE_TYPES if name in named}


COMPARISON_FORMATS: dict[str, Format[[EditionComparison, Library, ExportOptions]]] = _formats(
    json=lambda comparison, library, options: json_file(
        comparison_out(comparison, options.reviews, options.review)
    ),
    csv=comparison_csv,
    html=comparison_html,
    xlsx=lambda comparison, library, options: _workbooks().comparison_xlsx(comparison, options),
    tbx=partial(_comparison_tbx, TBX_2008),
    tbx3=partial(_comparison_tbx, TBX_2019),
    tmx=comparison_tmx,
    xliff=comparison_xliff,
    review_xlsx=lambda comparison, library, options: _workbooks().review_xlsx(
        comparison, library, options
    ),
)
TERM_FORMATS: dict[str, Format[[TermList, ExportOptions]]] = _formats(
    json=lambda terms, options: json_file(terms_out(terms)),
    csv=terms_csv,
    xlsx=lambda terms, options: _workbooks().terms_xlsx(terms),
    tbx=partial(terms_tbx, TBX_2008),
    tbx3=partial(terms_tbx, TBX_2019),
    tmx=terms_tmx,
)
CARD_FORMATS: dict[str, Format[[CardTextComparison]]] = _formats(
    json=lambda comparison: json_file(card_comparison_out(comparison)),
    csv=card_comparison_csv,
)


def check_format(library: Library, left: str, right: str, name: str) -> None:
    """Raise what writing two editions in the format called ``name`` would raise at once."""
    check_comparable(library, left, right)
    check = {"tmx": check_translation, "xliff": check_bilingual}.get(name)
    if check:
        check(library.edition[left], library.edition[right])


def comparison_file_work(left: str, right: str, name: str, options: ExportOptions) -> Work[bytes]:
    """Return the work of writing a comparison of two editions in the format called ``name``."""
    named = ("comparison", left, right, name, *options.key)
    return Work(named, _write_comparison, (left, right, name, options))


def _write_comparison(
    snapshot: SnapshotContents, left: str, right: str, name: str, options: ExportOptions
) -> bytes:
    if name in ("tbx", "tbx3"):
        terms = made(snapshot, edition_pair_terms_work(left, right, options.source))
        return TERM_FORMATS[name].write(terms, options)
    comparison: EditionComparison
    if name in ("tmx", "xliff"):
        comparison = made(snapshot, segments_work(left, right, options.source))
    else:
        comparison = snapshot_comparison(snapshot, left, right, options.source)
    return COMPARISON_FORMATS[name].write(comparison, snapshot.library, options)


def terms_file_work(
    game: str, name: str, options: ExportOptions, cards: bool = False
) -> Work[bytes]:
    """Return the work of writing the term list of ``game`` in the format called ``name``, with or
    without the names of its ``cards``.
    """
    named = ("terms", game, name, *["cards"] * cards, *options.key)
    return Work(named, _write_terms, (game, name, options, cards))


def _write_terms(
    snapshot: SnapshotContents, game: str, name: str, options: ExportOptions, cards: bool
) -> bytes:
    terms = made(snapshot, terms_work(game, options.source))
    if cards:
        terms = with_card_names(terms, snapshot.cards.of_game(game))
    return TERM_FORMATS[name].write(terms, options)


def compared_cards_work(game: str, language: str, name: str) -> Work[bytes]:
    """Return the work of writing the cards of ``game`` compared in the format called ``name``."""
    return Work(("cards", game, language, name), _write_cards, (game, language, name))


def _write_cards(snapshot: SnapshotContents, game: str, language: str, name: str) -> bytes:
    return CARD_FORMATS[name].write(compare_cards(game, snapshot.cards.of_game(game), language))


def compared_cards(snapshot: Snapshot, game: str, language: str) -> CardComparisonOut:
    """Return the cards of ``game`` compared. Raises what `compare_cards` and `stored` raise."""
    return snapshot.cache.get(
        ("card comparisons", game, language),
        lambda: CardComparisonOut.model_validate_json(
            stored(snapshot, compared_cards_work(game, language, "json"))
        ),
        most=2,
    )
