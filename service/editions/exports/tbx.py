"""A term list as TBX-Basic (ISO 30042), which translation tools read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from corpus.languages import get_language
from corpus.model import Edition
from glossary.terms.term_definitions import TermDefinition
from glossary.terms.term_list import Term, TermKind, TermList, TermWording
from glossary.terms.term_names import term_name
from service.answers.citations import line_range
from service.core.i18n import N_, TranslatableText
from service.editions.exports import NothingToExport
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.exports.options import ExportOptions

TBX_MIMETYPE = "application/x-tbx"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_KIND_NOTES = {TermKind.CARD: "Name of a card", TermKind.TRAIT: "Trait of cards", TermKind.PRODUCT: "Name of a product"}
_NOT_IN_XML_NAME = re.compile(r"[^a-z0-9._-]")


class TbxDialect(NamedTuple):
    """The names that one version of TBX gives its elements; ``constraints`` is the file that describes them, if they have to be named."""

    namespace: str | None
    root: str
    attributes: dict[str, str]
    header: str
    concept: str
    language: str
    term: str
    constraints: str | None


# The version of 2008, which most tools read, and that of 2019, which replaces it.
TBX_2008 = TbxDialect(
    namespace=None,
    root="martif",
    attributes={"type": "TBX-Basic"},
    header="martifHeader",
    concept="termEntry",
    language="langSet",
    term="tig",
    constraints="TBXBasicXCSV02.xcs",
)
TBX_2019 = TbxDialect(
    namespace="urn:iso:std:iso:30042:ed-2",
    root="tbx",
    attributes={"type": "TBX-Basic", "style": "dca"},
    header="tbxHeader",
    concept="conceptEntry",
    language="langSec",
    term="termSec",
    constraints=None,
)


def terms_tbx(terms: TermList, dialect: TbxDialect, options: ExportOptions) -> bytes:
    """Return a term list in one version of TBX-Basic, with a concept entry for each term.

    The official name is the preferred term, as it stands in running text; other words for it and abbreviations are admitted, inflected
    forms are named in a note. Slang is left out: TBX-Basic has no word for it, and tools would propose it or complain about it. What heads
    a part of a rulebook and names nothing is left out, too. Raises `NothingToExport` where no term has an official name.
    """
    if not any(True for _ in terms_with_ids(terms)):
        raise NothingToExport(TranslatableText(N_("%(game)s has no terms to export"), {"game": terms.game}))
    root = etree.Element(_tag(dialect, dialect.root), dialect.attributes, nsmap={None: dialect.namespace} if dialect.namespace else None)
    root.set(_LANG, "en")  # the language of the header and of notes
    _add_header(root, terms, dialect)
    body = _add(dialect, _add(dialect, root, "text"), "body")
    writer = _ConceptWriter(terms, dialect, options)
    for id, term in terms_with_ids(terms):
        writer.add_concept(body, id, term)
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return written


def _tag(dialect: TbxDialect, name: str) -> str:
    return f"{{{dialect.namespace}}}{name}" if dialect.namespace else name


def _add(dialect: TbxDialect, parent: Any, name: str, text: str | None = None, type: str | None = None) -> Any:
    element = etree.SubElement(parent, _tag(dialect, name), {"type": type} if type else {})
    if text is not None:
        element.text = strip_unprintable(text)
    return element


def _add_header(root: Any, terms: TermList, dialect: TbxDialect) -> None:
    header = _add(dialect, root, dialect.header)
    file = _add(dialect, header, "fileDesc")
    _add(dialect, _add(dialect, file, "titleStmt"), "title", f"Terms of {terms.game}")
    source = _add(dialect, file, "sourceDesc")
    _add(dialect, source, "p", "Written by Regula")
    for edition in terms.editions:
        _add(dialect, source, "p", f"{edition.id}: {edition.full_title} ({edition.language})")
    if dialect.constraints:
        _add(dialect, _add(dialect, header, "encodingDesc"), "p", dialect.constraints, "XCSURI")


def terms_with_ids(terms: TermList) -> Iterator[tuple[str, Term]]:
    """Yield the terms with an official name, each with a unique id that begins with a letter, as XML wants it.

    What heads a part of a rulebook and names nothing is no term.
    """
    seen: set[str] = set()
    for term in terms.terms:
        if term.structural or not any(map(admitted_names, term.wordings.values())):
            continue
        name = term.concept or _NOT_IN_XML_NAME.sub("_", _origin(term))
        id = unique = name if name[0].isalpha() else f"c.{name}"
        number = 1
        while unique in seen:
            number += 1
            unique = f"{id}.{number}"
        seen.add(unique)
        yield unique, term


def _origin(term: Term) -> str:
    """Return what tells a term without a concept: the entry that it is from, or what of a card it names, and one of its names."""
    if term.kind is TermKind.RULES:
        return f"entry.{term.sources[0].entry}"
    return f"{term.kind}.{term.cards[0] if term.cards else next(filter(None, (w.name for w in term.wordings.values())), '').lower()}"


def preferred_name(term: Term, language: str) -> str:
    """Return the official name of ``term`` in ``language`` as it stands in running text; empty where it has none that a file can hold."""
    name = strip_unprintable(term.wordings[language].name or "")
    return term_name(name) if name and term.kind is TermKind.RULES else name


def admitted_names(wording: TermWording) -> tuple[str, ...]:
    """Return the name, the other words for it and the abbreviations, each once; no inflected forms."""
    words = (wording.name, *wording.variants, *wording.abbreviations)
    return tuple(dict.fromkeys(w for w in words if w and w not in wording.inflections and strip_unprintable(w)))


class _ConceptWriter:
    """Adds the terms of one list to a document in one dialect."""

    def __init__(self, terms: TermList, dialect: TbxDialect, options: ExportOptions):
        self._game = terms.game
        self._editions = {edition.id: edition for edition in terms.editions}
        self._languages = terms.languages
        self._dialect = dialect
        self._options = options

    def _add(self, parent: Any, name: str, text: str | None = None, type: str | None = None) -> Any:
        return _add(self._dialect, parent, name, text, type)

    def add_concept(self, body: Any, id: str, term: Term) -> None:
        concept = self._add(body, self._dialect.concept)
        concept.set("id", id)
        self._add(concept, "descrip", self._game, "subjectField")
        if term.kind is not TermKind.RULES:
            self._add(concept, "note", f"{_KIND_NOTES[term.kind]}{': ' if term.cards else ''}{', '.join(term.cards)}")
        for symbol in term.symbols:
            self._add(concept, "note", f"Symbol: {symbol}")
        for language in sorted(term.wordings, key=self._languages.index):
            if admitted_names(term.wordings[language]):
                self._add_language(concept, term, language)

    def _add_language(self, concept: Any, term: Term, language: str) -> None:
        wording = term.wordings[language]
        section = self._add(concept, self._dialect.language)
        section.set(_LANG, self._options.tag(language))
        if wording.definition:
            group = self._add(section, "descripGrp")
            self._add(group, "descrip", _quoted(wording.definition.text, language), "definition")
            self._add(group, "admin", _citation(wording.definition, self._editions), "source")
        preferred = preferred_name(term, language)
        written = {preferred, wording.name}
        if preferred:
            kind = "abbreviation" if wording.name in wording.abbreviations else "fullForm"
            element = self._add_term(section, preferred, kind, "preferredTerm-admn-sts", wording.part_of_speech)
            for source in term.sources:
                if source.language == language:
                    self._add(element, "admin", f"{source.entry} ({source.heading}, line {source.line})", "source")
            if wording.inflections:
                self._add(element, "note", f"Inflected: {', '.join(wording.inflections)}")
        for name in admitted_names(wording):
            if name not in written:
                kind = "abbreviation" if name in wording.abbreviations else "variant"
                self._add_term(section, name, kind, "admittedTerm-admn-sts")

    def _add_term(self, section: Any, name: str, kind: str, status: str, part_of_speech: str = "") -> Any:
        element = self._add(section, self._dialect.term)
        self._add(element, "term", name)
        self._add(element, "termNote", kind, "termType")
        if part_of_speech:
            self._add(element, "termNote", part_of_speech, "partOfSpeech")
        self._add(element, "termNote", status, "administrativeStatus")
        return element


def _quoted(text: str, language: str) -> str:
    opening, closing = get_language(language).citation.quotes
    return f"{opening}{text}{closing}"


def _citation(definition: TermDefinition, editions: dict[str, Edition]) -> str:
    """Return where a definition stands: edition, entry, lines, and the id of its passage."""
    edition, passage = editions[definition.entry.edition], definition.passage
    return f"{edition.full_title}, {definition.entry.title}, {line_range(edition.language, *passage.lines)} ({passage.id})"
