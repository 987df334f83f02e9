"""Comparisons and term lists as tables, and a comparison as a page to print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from corpus.model import Edition, Entry, Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, EditionComparison
from glossary.comparison.reviews import facing_rows, marked_rows
from glossary.terms.term_list import Term, TermDefinition, TermKind, TermList, TermWording
from glossary.terms.term_names import readable_name
from index.library.library import Library
from service.answers.citations import edition_name, line_range
from service.core.i18n import N_, day_in_words, translate
from service.editions.comparison import differences_text, doubtful_text, first_lines, reviewed_rows
from service.editions.comparison_view import comparison_view
from service.editions.exports.formats import ExportOptions, csv_file, strip_unprintable

_COLUMNS = (
    *("concept", "status", "left heading", "left line", "left"),
    *("right heading", "right line", "right", "differences", "doubtful"),
    *("review", "reviewer", "reviewed on", "review note", "agreement"),
)
_SOURCE_COLUMNS = ("source heading", "source line", "source")
NAME_SEPARATOR = " | "  # between several names in one cell; no name contains it


def difference_columns(comparison: EditionComparison) -> tuple[str, ...]:
    """Return the headings of the table of differences."""
    return (*_COLUMNS, *_SOURCE_COLUMNS) if comparison.source else _COLUMNS


def difference_rows(
    comparison: EditionComparison, options: ExportOptions
) -> Iterator[tuple[AlignedPassages, list[str]]]:
    """Yield each row selected by ``options`` with its line of the table: a text for each of
    `difference_columns`.
    """
    for pair, row, _, mark in reviewed_rows(comparison, options.reviews, options.review):
        line = [pair.concept or "", row.status.value]
        for own, side, text in zip(
            (pair.left, pair.right), (row.left, row.right), row.texts, strict=True
        ):
            # Passages aligned by hand may be in an entry of another pair.
            further = [comparison.entries.get(p.entry) for p in side if row.by_hand]
            line += _side((*own, *(e for e in further if e and e not in own)), side, text)
        line += [differences_text(row), doubtful_text(row)]
        if mark:
            review = mark.review
            line += [mark.status.value, review.reviewer, review.date, review.note]
        else:
            line += [""] * 4
        line.append(row.agreement or "")
        if comparison.source:
            line += _side(pair.source, row.source, row.source_text)
        yield row, line


def _side(entries: tuple[Entry, ...], passages: tuple[Passage, ...], text: str) -> list[str]:
    """Return the headings of the entries of ``passages`` (of all entries if there are none), their
    lines and their text.
    """
    own = {passage.entry for passage in passages}
    headings = ", ".join(each.heading for each in entries if each.id in own or not own)
    return [headings, first_lines(passages), text]


def comparison_csv(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return a comparison as CSV."""
    lines = (line for _, line in difference_rows(comparison, options))
    return csv_file([difference_columns(comparison), *lines])


def _has_kinds(terms: TermList) -> bool:
    """Return whether some terms name cards, traits or products, which have columns of their own."""
    return any(term.kind is not TermKind.RULES for term in terms.terms)


def term_columns(terms: TermList, options: ExportOptions) -> tuple[str, ...]:
    """Return the headings of the table: those of each language, then those of each edition."""
    by_language = (
        *("", " status", " further", " inflections", " proposed", " abbreviations"),
        *(" part of speech", " definition", " source"),
        *[" players say"] * options.slang,
    )
    return (
        "concept",
        *("sort", "cards", "passages") * _has_kinds(terms),
        *(language + column for language in terms.languages for column in by_language),
        *(
            f"{column} {each.id}"
            for each in terms.editions
            for column in ("entry", "heading", "line")
        ),
    )


def term_rows(terms: TermList, options: ExportOptions) -> Iterator[list[str | int]]:
    """Yield a row for each term; several values in one cell are separated by `NAME_SEPARATOR`.

    Inflections, other names, and names found in no rulebook have separate cells.
    """
    joined = NAME_SEPARATOR.join
    with_kinds = _has_kinds(terms)
    editions = {edition.id: edition for edition in terms.editions}
    for term in terms.terms:
        row: list[str | int] = [term_label(term)]
        if with_kinds:
            row += [term.kind.value, joined(term.cards), term.passages or ""]
        for language in terms.languages:
            wording = term.wordings.get(language, TermWording(None))
            further = [n for n in wording.variants if n not in wording.inflections]
            name = wording.name or ""
            if name and term.kind is TermKind.RULES:
                name = readable_name(name)
            row.append(name)
            row.append(wording.status.value if wording.name else "")
            row += [
                joined(n for n in map(readable_name, names) if n not in (*wording.proposed, name))
                for names in (further, wording.inflections)
            ]
            row.append(joined(n for n in wording.proposed if n != wording.name))
            row.append(joined(n for n in wording.abbreviations if n not in wording.proposed))
            row.append(wording.part_of_speech)
            definition = wording.definition
            row.append(definition.text if definition else "")
            row.append(definition_place(definition, editions) if definition else "")
            if options.slang:
                row.append(joined(wording.slang))
        for edition in terms.editions:
            sources = [source for source in term.sources if source.edition == edition.id]
            row.append(joined(source.entry for source in sources))
            row.append(joined(readable_name(source.heading) for source in sources))
            row.append(sources[0].line if sources else "")
        yield row


def term_label(term: Term) -> str:
    """Return the label of a row: the English name of its sense, else its id in words."""
    english = term.wordings.get("en")
    name = english.name if english and english.name else (term.sense or "").replace("-", " ")
    return name


def definition_place(definition: TermDefinition, editions: Mapping[str, Edition]) -> str:
    """Return the citation of a ``definition``."""
    entry, passage = definition.entry, definition.passage
    edition = editions[entry.edition]
    lines = line_range(edition.language, *passage.lines)
    return f"{edition.full_title}, {entry.title}, {lines}"


def concept_id(game: str, term: Term) -> str | None:
    """Return the id of the concept of ``term``, beginning with the game as in the API; None if
    it has none.
    """
    return f"{game}/{term.concept}" if term.concept is not None else None


def terms_csv(terms: TermList, options: ExportOptions) -> bytes:
    """Return a term list as CSV."""
    return csv_file([term_columns(terms, options), *term_rows(terms, options)])


def comparison_html(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return the whole comparison as one HTML page in the language of ``options``."""
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
    styles = ((static / name).read_text("utf-8") for name in ("regula.css", "spread.css"))

    def translated(message: str, **values: object) -> str:
        found = translate(language, message)
        return found % values if values else found

    environment.globals.update(
        _=translated,
        N_=N_,
        language=lambda: language,
        edition_name=edition_name,
        line_range=line_range,
        day_in_words=day_in_words,
        Status=ComparisonStatus,
        style=Markup("\n".join(styles)),
    )
    return environment
