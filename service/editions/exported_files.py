"""Exported files: the formats of comparisons, term lists and cards, which define routes, commands
and links of pages, and whole editions as gzip of JSON Lines.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any

from glossary.comparison import EditionComparison
from glossary.comparison.card_texts import CardTextComparison
from glossary.terms.term_list import TermList
from index.library.library import Library
from service.browse.entries import whole_entry_out
from service.core.jobs.stored_works import Work, made, stored
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.card_comparison import card_comparison_csv, card_comparison_out, compare_cards
from service.editions.comparison import (
    check_comparable,
    comparison_out,
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
from service.schemas.entries import ExportedEditionOut, ExportsOut

MIMETYPE = "application/gzip"
EXTENSION = "jsonl.gz"
_LEVEL = 6
_GZIP = 16 + zlib.MAX_WBITS  # with a header of RFC 1952 that has neither name nor time
LINE = "/openapi-translators.json#/components/schemas/WholeEntry"


@dataclass(frozen=True)
class EditionFile:
    """The file of one edition: its size in bytes, its SHA-256, its number of lines."""

    size: int
    sha256: str
    lines: int

    @classmethod
    def of(cls, raw: bytes, lines: int) -> EditionFile:
        """Describe ``raw``, which has ``lines`` lines."""
        return cls(len(raw), hashlib.sha256(raw).hexdigest(), lines)


def entry_lines(library: Library, edition: str) -> Iterator[bytes]:
    """Yield the entries of an ``edition`` in document order, each as a line of JSON in UTF-8."""
    for entry in library.entries_of(edition):
        yield whole_entry_out(library, entry).to_json().encode()


def compressed(lines: Iterable[bytes]) -> bytes:
    """Return ``lines`` as a gzip file; only one of them at a time is in memory."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    parts = [packer.compress(line) for line in lines]
    return b"".join([*parts, packer.flush()])


def _render_edition(snapshot: SnapshotContents, edition: str) -> bytes:
    return compressed(entry_lines(snapshot.library, edition))


def edition_file_work(edition: str) -> Work[bytes]:
    """Return the job that writes the file of an ``edition``."""
    return Work(("export", edition, EXTENSION), _render_edition, (edition,))


def edition_file(snapshot: SnapshotContents, edition: str) -> bytes:
    """Return the file of an ``edition``, made once for all processes. Raises what `stored`
    raises.
    """
    return stored(snapshot, edition_file_work(edition))


def described_file(snapshot: SnapshotContents, edition: str) -> EditionFile:
    """Return size, hash and length of the file of an ``edition``. Raises what `stored` raises."""

    def describe() -> EditionFile:
        lines = len(snapshot.library.entries_of(edition))
        return EditionFile.of(edition_file(snapshot, edition), lines)

    return snapshot.cache.get(("export", edition), describe, most=1000)


def exports_out(snapshot: Snapshot) -> ExportsOut:
    """Return the list of the files of all editions. Raises what `stored` raises."""
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    exports = []
    for edition in snapshot.library.editions:
        file = described_file(snapshot, edition.id)
        exports.append(
            ExportedEditionOut(
                edition=edition.id,
                game=edition.game,
                language=edition.language,
                version=edition.version,
                title=edition.title,
                effective=edition.effective or None,
                url=f"/v1/export/{edition.id}.{EXTENSION}",
                bytes=file.size,
                lines=file.lines,
                sha256=file.sha256,
            )
        )
    return ExportsOut(
        index=snapshot.id,
        updated=built.astimezone(UTC).replace(microsecond=0).isoformat(),
        line=LINE,
        exports=exports,
    )


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
    xlsx=lambda terms, options: _workbooks().terms_xlsx(terms, options),
    tbx=partial(terms_tbx, TBX_2008),
    tbx3=partial(terms_tbx, TBX_2019),
    tmx=terms_tmx,
)
CARD_FORMATS: dict[str, Format[[CardTextComparison]]] = _formats(
    json=lambda comparison: json_file(card_comparison_out(comparison)),
    csv=card_comparison_csv,
)


def check_format(library: Library, left: str, right: str, name: str) -> None:
    """Raise early any error that exporting two editions in the format ``name`` would raise."""
    check_comparable(library, left, right)
    check = {"tmx": check_translation, "xliff": check_bilingual}.get(name)
    if check:
        check(library.edition[left], library.edition[right])


def comparison_file_work(left: str, right: str, name: str, options: ExportOptions) -> Work[bytes]:
    """Return the job that writes a comparison of two editions in the format ``name``."""
    named = ("comparison", left, right, name, *options.key)
    return Work(named, _write_comparison, (left, right, name, options))


def _write_comparison(
    snapshot: SnapshotContents, left: str, right: str, name: str, options: ExportOptions
) -> bytes:
    if name in ("tbx", "tbx3"):
        terms = made(snapshot, edition_pair_terms_work(left, right, options.source))
        return TERM_FORMATS[name].write(terms, options)
    comparison = snapshot_comparison(snapshot, left, right, options.source, options.pairings)
    return COMPARISON_FORMATS[name].write(comparison, snapshot.library, options)


def terms_file_work(
    game: str, name: str, options: ExportOptions, cards: bool = False
) -> Work[bytes]:
    """Return the job that writes the term list of ``game`` in the format ``name``, with or without
    the names of its ``cards``.
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
    """Return the job that compares the cards of ``game`` with English, in the format ``name``."""
    return Work(("cards", game, language, name), _write_cards, (game, language, name))


def _write_cards(snapshot: SnapshotContents, game: str, language: str, name: str) -> bytes:
    return CARD_FORMATS[name].write(compare_cards(game, snapshot.cards.of_game(game), language))


def compared_cards(snapshot: Snapshot, game: str, language: str) -> CardComparisonOut:
    """Return the stored comparison of cards. Raises what `compare_cards` and `stored` raise."""
    return snapshot.cache.get(
        ("card comparisons", game, language),
        lambda: CardComparisonOut.model_validate_json(
            stored(snapshot, compared_cards_work(game, language, "json"))
        ),
        most=2,
    )
