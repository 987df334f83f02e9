"""A term list as a table with a row for each term, and as CSV and a workbook."""

from __future__ import annotations

from collections.abc import Iterator

from glossary.terms.term_list import Term, TermKind, TermList, TermWording
from service.editions.exports.csv_tables import csv_file

NAME_SEPARATOR = " | "  # between several names in one cell; no name contains it
_NO_WORDING = TermWording(None)
_KIND_COLUMNS = ("sort", "cards")


def has_card_names(terms: TermList) -> bool:
    """Return whether there are names of cards among ``terms``: only then the table says of each term what it names."""
    return any(term.kind is not TermKind.RULES for term in terms.terms)


def term_columns(terms: TermList) -> tuple[str, ...]:
    """Return the headings of the table: those of each language, then those of each edition."""
    by_language = ("", " further", " abbreviations", " slang", " part of speech")
    return (
        *_KIND_COLUMNS * has_card_names(terms),
        "concept",
        *(language + column for language in terms.languages for column in by_language),
        "symbols",
        *(f"{column} {edition.id}" for edition in terms.editions for column in ("entry", "heading")),
    )


def term_rows(terms: TermList) -> Iterator[tuple[str, ...]]:
    """Yield a row for each term; several values in one cell are divided by `NAME_SEPARATOR`."""
    with_kinds = has_card_names(terms)
    for term in terms.terms:
        row = [term.kind.value, NAME_SEPARATOR.join(term.cards)] if with_kinds else []
        row.append(concept_id(terms.game, term) or "")
        for language in terms.languages:
            wording = term.wordings.get(language, _NO_WORDING)
            several = (wording.variants, wording.abbreviations, wording.slang)
            row += [wording.name or "", *(NAME_SEPARATOR.join(names) for names in several), wording.part_of_speech]
        row.append(NAME_SEPARATOR.join(term.symbols))
        for edition in terms.editions:
            sources = [source for source in term.sources if source.edition == edition.id]
            row += [NAME_SEPARATOR.join(source.entry for source in sources), NAME_SEPARATOR.join(source.heading for source in sources)]
        yield tuple(row)


def concept_id(game: str, term: Term) -> str | None:
    """Return the id of the concept of ``term``, game first, as the API gives it; None where it has none."""
    return f"{game}/{term.concept}" if term.concept is not None else None


def terms_csv(terms: TermList) -> bytes:
    """Return a term list as CSV."""
    return csv_file([term_columns(terms), *term_rows(terms)])


def terms_xlsx(terms: TermList) -> bytes:
    """Return a term list as a workbook (XLSX)."""
    from service.editions.exports.xlsx import Sheet, write_workbook  # loads openpyxl, which takes 0.1 s and is needed here alone

    return write_workbook(f"Terms of {terms.game}", [Sheet("Terms", term_columns(terms), list(term_rows(terms)))])
