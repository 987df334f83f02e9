"""The term list of a game in the formats that programs, spreadsheets and translation tools read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from lxml import etree

from corpus.model import Edition, Rulebook
from glossary.concepts import load_concepts, tie_entries
from glossary.term_list import Term, TermList, TermSource, TermWording, build_term_list
from index.analysis import plain
from index.library.library import Library
from service.core.contents import SnapshotContents
from service.editions.exports import Format, NothingToExport
from service.editions.exports.csv_tables import CSV, XLSX, csv_file, printable

Json = dict[str, Any]

TBX = "application/x-tbx"
BETWEEN = " | "  # several names in one cell; no name has this sign in it
_NOTHING = TermWording(None)
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_OUTSIDE_A_NAME = re.compile(r"[^a-z0-9._-]")


def terms_of(library: Library, game: str) -> TermList:
    """The term list of ``game`` in the editions of ``library``."""
    return build_term_list(game, library.rulebooks, _tied(library))


def terms_between(library: Library, left: Edition, right: Edition) -> TermList:
    """The terms that have an entry in one of two editions of a game, in the languages of these editions."""
    found = build_term_list(left.game, [book for book in library.rulebooks if book.edition.id in (left.id, right.id)], _tied(library))
    spoken = (left.language, right.language)
    return replace(
        found,
        terms=tuple(
            replace(term, wordings={language: wording for language, wording in term.wordings.items() if language in spoken})
            for term in found.terms
            if term.sources
        ),
    )


def _tied(library: Library) -> dict[str, str]:
    """The concept of each entry by entry id, without the game before it."""
    return {entry: concept.partition("/")[2] for entry, concept in library.concepts.items()}


def terms_in(rulebooks: Sequence[Rulebook], game: str) -> TermList:
    """The term list of ``game`` in rulebooks as read, for which no index has to be loaded."""
    return build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)


def terms_json(terms: TermList) -> Json:
    """The term list as the body of ``GET /v1/terms``."""
    return {
        "game": terms.game,
        "languages": list(terms.languages),
        "editions": [edition.id for edition in terms.editions],
        "terms": [_term_json(terms.game, term) for term in terms.terms],
    }


def _term_json(game: str, term: Term) -> Json:
    return {
        "concept": _concept(game, term),
        "names": {
            language: {
                "name": wording.name,
                "further": list(wording.variants),
                "abbreviations": list(wording.abbreviations),
                "slang": list(wording.slang),
                "part_of_speech": wording.part_of_speech or None,
            }
            for language, wording in term.wordings.items()
        },
        "symbols": list(term.symbols),
        "sources": [
            {"edition": s.edition, "entry": s.entry, "heading": s.heading, "kind": s.kind.value, "line": s.line} for s in term.sources
        ],
    }


def _concept(game: str, term: Term) -> str | None:
    """The concept's id as every answer of the API gives it, None where there is none."""
    return f"{game}/{term.concept}" if term.concept is not None else None


def columns(terms: TermList) -> tuple[str, ...]:
    """The headings of the table: those of each language, then those of each edition."""
    by_language = ("", " further", " abbreviations", " slang", " part of speech")
    return (
        "concept",
        *(language + column for language in terms.languages for column in by_language),
        "symbols",
        *(f"{column} {edition.id}" for edition in terms.editions for column in ("entry", "heading")),
    )


def rows(terms: TermList) -> Iterator[tuple[str, ...]]:
    """The table, one row a term; several values in one cell are divided by `BETWEEN`."""
    for term in terms.terms:
        row = [_concept(terms.game, term) or ""]
        for language in terms.languages:
            wording = term.wordings.get(language, _NOTHING)
            several = (wording.variants, wording.abbreviations, wording.slang)
            row += [wording.name or "", *(BETWEEN.join(names) for names in several), wording.part_of_speech]
        row.append(BETWEEN.join(term.symbols))
        for edition in terms.editions:
            here: list[TermSource] = [source for source in term.sources if source.edition == edition.id]
            row += [BETWEEN.join(s.entry for s in here), BETWEEN.join(s.heading for s in here)]
        yield tuple(row)


def _json(terms: TermList) -> bytes:
    return (json.dumps(terms_json(terms), ensure_ascii=False, indent=1) + "\n").encode()


def _csv(terms: TermList) -> bytes:
    return csv_file([columns(terms), *rows(terms)])


def _xlsx(terms: TermList) -> bytes:
    from service.editions.exports.xlsx import Sheet, workbook  # brings openpyxl, as in `service.editions.comparison_formats`

    return workbook(f"Terms of {terms.game}", [Sheet("Terms", columns(terms), list(rows(terms)))])


class Form(NamedTuple):
    """One form of TBX: how its elements are called."""

    namespace: str | None
    root: str
    attributes: dict[str, str]
    header: str
    concept: str
    language: str
    term: str
    constraints: str | None


# The form of 2008, which most tools read, and that of 2019, which replaces it: other names for the same things.
MARTIF = Form(
    namespace=None,
    root="martif",
    attributes={"type": "TBX-Basic"},
    header="martifHeader",
    concept="termEntry",
    language="langSet",
    term="tig",
    constraints="TBXBasicXCSV02.xcs",
)
DCA = Form(
    namespace="urn:iso:std:iso:30042:ed-2",
    root="tbx",
    attributes={"type": "TBX-Basic", "style": "dca"},
    header="tbxHeader",
    concept="conceptEntry",
    language="langSec",
    term="termSec",
    constraints=None,
)


def tbx(terms: TermList, form: Form) -> bytes:
    """The term list in one form of TBX-Basic; one concept entry a term. Raises `NothingToExport` where there is none.

    The official name is the preferred term, its other spellings and the abbreviations are admitted. What players call
    it is left out: TBX-Basic has no word for slang, and a tool would take it for wording to use or to complain about.
    """
    if not any(_official(w) for term in terms.terms for w in term.wordings.values()):
        raise NothingToExport(f"{terms.game} has no terms to export")
    root = etree.Element(_tag(form, form.root), form.attributes, nsmap={None: form.namespace} if form.namespace else None)
    root.set(_LANG, "en")  # of what we say in the header and in notes
    _header(root, terms, form)
    body = _add(form, _add(form, root, "text"), "body")
    for id, term in _identified(terms):
        _concept_entry(body, terms.game, id, term, form)
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return written


def _tag(form: Form, name: str) -> str:
    return f"{{{form.namespace}}}{name}" if form.namespace else name


def _add(form: Form, parent: Any, name: str, text: str | None = None, type: str | None = None) -> Any:
    element = etree.SubElement(parent, _tag(form, name), {"type": type} if type else {})
    if text is not None:
        element.text = printable(text)
    return element


def _header(root: Any, terms: TermList, form: Form) -> None:
    header = _add(form, root, form.header)
    file = _add(form, header, "fileDesc")
    _add(form, _add(form, file, "titleStmt"), "title", f"Terms of {terms.game}")
    source = _add(form, file, "sourceDesc")
    _add(form, source, "p", "Written by Regula")
    for edition in terms.editions:
        _add(form, source, "p", f"{edition.id}: {edition.title} {edition.version} ({edition.language})")
    if form.constraints:
        _add(form, _add(form, header, "encodingDesc"), "p", form.constraints, "XCSURI")


def _identified(terms: TermList) -> Iterator[tuple[str, Term]]:
    """The terms with an official name, each with an id that XML takes: it begins with a letter and is there once."""
    seen: set[str] = set()
    for term in terms.terms:
        if not any(map(_official, term.wordings.values())):
            continue
        name = term.concept or "entry." + _OUTSIDE_A_NAME.sub("_", term.sources[0].entry)
        id = unique = name if name[0].isalpha() else f"c.{name}"
        number = 1
        while unique in seen:
            number += 1
            unique = f"{id}.{number}"
        seen.add(unique)
        yield unique, term


def _official(wording: TermWording) -> tuple[str, ...]:
    """The name, its other spellings and the abbreviations, each once."""
    return tuple(dict.fromkeys(w for w in (wording.name, *wording.variants, *wording.abbreviations) if w and printable(w)))


def _concept_entry(body: Any, game: str, id: str, term: Term, form: Form) -> None:
    concept = _add(form, body, form.concept)
    concept.set("id", id)
    _add(form, concept, "descrip", game, "subjectField")
    for symbol in term.symbols:
        _add(form, concept, "note", f"Symbol: {symbol}")
    for language, wording in term.wordings.items():
        if names := _official(wording):
            section = _add(form, concept, form.language)
            section.set(_LANG, language)
            for name in names:
                _term(section, term, language, name, form)


def _term(section: Any, term: Term, language: str, name: str, form: Form) -> None:
    wording = term.wordings[language]
    element = _add(form, section, form.term)
    _add(form, element, "term", name)
    preferred = name == wording.name
    kind = "abbreviation" if name in wording.abbreviations else "fullForm" if preferred else "variant"
    _add(form, element, "termNote", kind, "termType")
    if preferred and wording.part_of_speech:
        _add(form, element, "termNote", wording.part_of_speech, "partOfSpeech")
    _add(form, element, "termNote", "preferredTerm-admn-sts" if preferred else "admittedTerm-admn-sts", "administrativeStatus")
    if preferred:
        for source in term.sources:
            if source.language == language:
                _add(form, element, "admin", f"{source.entry} ({source.heading}, line {source.line})", "source")


FORMATS: dict[str, Format[[TermList]]] = {
    "json": Format("json", "application/json", _json),
    "csv": Format("csv", CSV, _csv),
    "xlsx": Format("xlsx", XLSX, _xlsx, binary=True),
    "tbx": Format("tbx", TBX, lambda terms: tbx(terms, MARTIF)),
    "tbx3": Format("tbx", TBX, lambda terms: tbx(terms, DCA)),
}


def render(snapshot: SnapshotContents, game: str, name: str) -> bytes:
    """The term list of ``game`` in the format called ``name``."""
    return FORMATS[name].write(terms_of(snapshot.library, game))


@dataclass(frozen=True)
class Listed:
    """A term list to look names up in: ``names`` are all those of each term, as search compares them."""

    terms: TermList
    names: tuple[str, ...]


def listed(snapshot: SnapshotContents, game: str) -> Listed:
    """The term list of ``game``, made ready for looking names up."""
    found = terms_of(snapshot.library, game)
    return Listed(found, tuple(plain(" ".join(_names(term))) for term in found.terms))


def _names(term: Term) -> list[str]:
    wordings = term.wordings.values()
    names = [name for w in wordings for name in (w.name or "", *w.variants, *w.abbreviations, *w.slang)]
    return [*names, *term.symbols, *(source.heading for source in term.sources)]
