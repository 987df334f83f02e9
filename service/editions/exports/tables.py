"""Comparisons and term lists as tables, a line for each row of passages or each term, and a
comparison as a page to print.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from corpus.model import Entry, Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, EditionComparison
from glossary.comparison.reviews import facing_rows, marked_rows
from glossary.terms.term_list import Term, TermKind, TermList, TermWording
from index.library.library import Library
from service.answers.citations import edition_name, line_range
from service.core.i18n import N_, day_in_words, translate
from service.editions.comparison import differences_text, doubtful_text, first_lines, reviewed_rows
from service.editions.comparison_view import comparison_view
from service.editions.exports.formats import ExportOptions, csv_file, strip_unprintable

DIFFERENCE_COLUMNS = (
    *(
        "concept",
        "status",
        "left heading",
        "left line",
        "left",
        "right heading",
        "right line",
        "right",
    ),
    *("differences", "doubtful"),
)
REVIEW_COLUMNS = ("review", "reviewer", "reviewed on", "review note")
_SOURCE_COLUMNS = ("source heading", "source line", "source")
NAME_SEPARATOR = " | "  # between several names in one cell; no name contains it
_NO_WORDING = TermWording(None)
_KIND_COLUMNS = ("sort", "cards")


def difference_columns(comparison: EditionComparison) -> tuple[str, ...]:
    """Return the headings of the table: `DIFFERENCE_COLUMNS`, `REVIEW_COLUMNS`, then those of the
    source edition where there is one.
    """
    return (*DIFFERENCE_COLUMNS, *REVIEW_COLUMNS, *(_SOURCE_COLUMNS if comparison.source else ()))


def difference_rows(
    comparison: EditionComparison, options: ExportOptions
) -> Iterator[tuple[AlignedPassages, tuple[str, ...]]]:
    """Yield each row of the comparison that ``options`` ask for with its line of the table: a text
    for each of `difference_columns`.
    """
    for pair, row, _, mark in reviewed_rows(comparison, options.reviews, options.review):
        left, right = row.texts
        review = (
            (mark.status.value, mark.review.reviewer, mark.review.date, mark.review.note)
            if mark
            else ("",) * len(REVIEW_COLUMNS)
        )
        line = (
            *(pair.concept or "", row.status.value),
            *(_heading(pair.left, row.left), first_lines(row.left), left),
            *(_heading(pair.right, row.right), first_lines(row.right), right),
            *(differences_text(row), doubtful_text(row)),
            *review,
            *(
                (_heading(pair.source, row.source), first_lines(row.source), row.source_text)
                if comparison.source
                else ()
            ),
        )
        yield row, line


def _heading(entries: tuple[Entry, ...], passages: tuple[Passage, ...]) -> str:
    """Return the headings of the entries that ``passages`` stand in; of all entries where there are
    no passages.
    """
    own = {p.entry for p in passages}
    return ", ".join(e.heading for e in entries if e.id in own or not own)


def comparison_csv(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return a comparison as CSV."""
    return csv_file(
        [
            difference_columns(comparison),
            *(line for _, line in difference_rows(comparison, options)),
        ]
    )


def has_card_names(terms: TermList) -> bool:
    """Return whether there are names of cards among ``terms``: only then the table says of each
    term what it names.
    """
    return any(term.kind is not TermKind.RULES for term in terms.terms)


def term_columns(terms: TermList) -> tuple[str, ...]:
    """Return the headings of the table: those of each language, then those of each edition."""
    by_language = ("", " further", " abbreviations", " slang", " part of speech")
    return (
        *_KIND_COLUMNS * has_card_names(terms),
        "concept",
        *(language + column for language in terms.languages for column in by_language),
        "symbols",
        *(
            f"{column} {edition.id}"
            for edition in terms.editions
            for column in ("entry", "heading")
        ),
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
            row += [
                wording.name or "",
                *(NAME_SEPARATOR.join(names) for names in several),
                wording.part_of_speech,
            ]
        row.append(NAME_SEPARATOR.join(term.symbols))
        for edition in terms.editions:
            sources = [source for source in term.sources if source.edition == edition.id]
            row += [
                NAME_SEPARATOR.join(source.entry for source in sources),
                NAME_SEPARATOR.join(source.heading for source in sources),
            ]
        yield tuple(row)


def concept_id(game: str, term: Term) -> str | None:
    """Return the id of the concept of ``term``, game first, as the API gives it; None where it has
    none.
    """
    return f"{game}/{term.concept}" if term.concept is not None else None


def terms_csv(terms: TermList, options: ExportOptions) -> bytes:
    """Return a term list as CSV."""
    return csv_file([term_columns(terms), *term_rows(terms)])


def comparison_html(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return the whole comparison as one HTML page in the language of ``options``; what has been
    reviewed is marked.
    """
    marks = marked_rows(facing_rows(comparison), comparison.left, comparison.right, options.reviews)
    template = _template_environment(options.language).get_template("comparison_export.html")
    page = template.render(view=comparison_view(comparison), marks=marks)
    return strip_unprintable(page).encode()


@cache
def _template_environment(language: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("service.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    static = files("service.web") / "static"
    style = "\n".join(
        (static / name).read_text(encoding="utf-8") for name in ("regula.css", "spread.css")
    )
    environment.globals.update(
        _=partial(_translate_message, language),
        N_=N_,
        language=lambda: language,
        edition_name=edition_name,
        line_range=line_range,
        day_in_words=day_in_words,
        Status=ComparisonStatus,
        style=Markup(style),
    )
    return environment


def _translate_message(language: str, message: str, **values: object) -> str:
    translated = translate(language, message)
    return translated % values if values else translated
