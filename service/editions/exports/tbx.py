"""A term list as TBX-Basic (ISO 30042), which translation tools read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from corpus.languages import get_language
from glossary.terms.term_list import Term, TermKind, TermList, TermStatus, TermWording
from glossary.terms.term_names import term_name
from service.core.i18n import N_, TranslatableText
from service.editions.exports.formats import ExportOptions, NothingToExport, strip_unprintable
from service.editions.exports.tables import definition_place

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_KIND_NOTES = {
    TermKind.CARD: "Name of a card",
    TermKind.TRAIT: "Trait of cards",
    TermKind.PRODUCT: "Name of a product",
}
_PREFERRED, _ADMITTED = "preferredTerm-admn-sts", "admittedTerm-admn-sts"
_NOT_IN_XML_NAME = re.compile(r"[^a-z0-9._-]")


class TbxDialect(NamedTuple):
    """The element names of one version of TBX; ``constraints`` is the file that describes them, if
    it has to be named.
    """

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


def terms_tbx(dialect: TbxDialect, terms: TermList, options: ExportOptions) -> bytes:
    """Return a term list in one version of TBX-Basic, with a concept entry for each term.

    The official name is the preferred term, in the form used in running text; other words for it
    and abbreviations are admitted, inflected forms are named in a note. A name found in no rulebook
    is admitted with a note; other words found in none are left out. So is slang: TBX-Basic has no
    category for it, and tools would propose it or complain about it. Raises `NothingToExport` if no
    term has an official name.
    """
    found = list(terms_with_ids(terms))
    if not found:
        raise NothingToExport(
            TranslatableText(N_("%(game)s has no terms to export"), {"game": terms.game})
        )
    writer = _Writer(terms, dialect, options)
    body = writer.begin()
    for id, term in found:
        writer.add_concept(body, id, term)
    written: bytes = etree.tostring(
        body.getroottree(), encoding="UTF-8", xml_declaration=True, pretty_print=True
    )
    return written


def terms_with_ids(terms: TermList) -> Iterator[tuple[str, Term]]:
    """Yield the terms with an official name, each with a unique id that begins with a letter, as
    XML requires. Headings that only divide a rulebook are no terms.
    """
    seen: set[str] = set()
    for term in terms.terms:
        if term.structural or term.kind is TermKind.CANDIDATE:
            continue
        if not any(map(admitted_names, term.wordings.values())):
            continue
        name = term.sense or term.concept or ""
        if not name:
            # The entry that it is from or, for names on cards, its kind and a card or name.
            if term.kind is TermKind.RULES:
                origin = f"entry.{term.sources[0].entry}"
            else:
                names = filter(None, (wording.name for wording in term.wordings.values()))
                origin = f"{term.kind}.{term.cards[0] if term.cards else next(names, '').lower()}"
            name = _NOT_IN_XML_NAME.sub("_", origin)
        id = unique = name if name[0].isalpha() else f"c.{name}"
        number = 1
        while unique in seen:
            number += 1
            unique = f"{id}.{number}"
        seen.add(unique)
        yield unique, term


def preferred_name(term: Term, language: str) -> str:
    """Return the official name of ``term`` in ``language`` in the form used in running text; "" if
    it has none that a file can hold.
    """
    name = strip_unprintable(term.wordings[language].name or "")
    return term_name(name) if name and term.kind is TermKind.RULES else name


def admitted_names(wording: TermWording) -> tuple[str, ...]:
    """Return the name with its attested synonyms and abbreviations, without inflected forms."""
    words = dict.fromkeys((wording.name, *wording.variants, *wording.abbreviations))
    left_out = {*wording.inflections, *wording.proposed} - {wording.name}
    return tuple(w for w in words if w and w not in left_out and strip_unprintable(w))


class _Writer:
    """Writes a term list in one dialect."""

    def __init__(self, terms: TermList, dialect: TbxDialect, options: ExportOptions):
        self._terms = terms
        self._editions = {edition.id: edition for edition in terms.editions}
        self._dialect = dialect
        self._options = options

    def _tag(self, name: str) -> str:
        return f"{{{self._dialect.namespace}}}{name}" if self._dialect.namespace else name

    def _add(self, parent: Any, name: str, text: str | None = None, type: str | None = None) -> Any:
        element = etree.SubElement(parent, self._tag(name), {"type": type} if type else {})
        if text is not None:
            element.text = strip_unprintable(text)
        return element

    def begin(self) -> Any:
        """Return the element to which concepts are added, in a document with its header."""
        dialect, terms = self._dialect, self._terms
        namespaces = {None: dialect.namespace} if dialect.namespace else None
        root = etree.Element(self._tag(dialect.root), dialect.attributes, nsmap=namespaces)
        root.set(LANG, "en")  # the language of the header and of notes
        header = self._add(root, dialect.header)
        file = self._add(header, "fileDesc")
        self._add(self._add(file, "titleStmt"), "title", f"Terms of {terms.game}")
        source = self._add(file, "sourceDesc")
        self._add(source, "p", "Written by Regula")
        for edition in terms.editions:
            self._add(source, "p", f"{edition.id}: {edition.full_title} ({edition.language})")
        if dialect.constraints:
            self._add(self._add(header, "encodingDesc"), "p", dialect.constraints, "XCSURI")
        return self._add(self._add(root, "text"), "body")

    def add_concept(self, body: Any, id: str, term: Term) -> None:
        """Add ``term`` with this ``id`` to the ``body``."""
        concept = self._add(body, self._dialect.concept)
        concept.set("id", id)
        self._add(concept, "descrip", self._terms.game, "subjectField")
        if term.kind is not TermKind.RULES:
            cards = f": {', '.join(term.cards)}" if term.cards else ""
            self._add(concept, "note", f"{_KIND_NOTES[term.kind]}{cards}")
        for symbol in term.symbols:
            self._add(concept, "note", f"Symbol: {symbol}")
        for language in sorted(term.wordings, key=self._terms.languages.index):
            if admitted_names(term.wordings[language]):
                self._add_language(concept, term, language)

    def _add_language(self, concept: Any, term: Term, language: str) -> None:
        wording = term.wordings[language]
        section = self._add(concept, self._dialect.language)
        section.set(LANG, self._options.tag(language))
        if wording.definition:
            group = self._add(section, "descripGrp")
            opening, closing = get_language(language).citation.quotes
            text = f"{opening}{wording.definition.text}{closing}"
            self._add(group, "descrip", text, "definition")
            place = definition_place(wording.definition, self._editions)
            self._add(group, "admin", f"{place} ({wording.definition.passage.id})", "source")
        preferred = preferred_name(term, language)
        if preferred:
            kind = "abbreviation" if wording.name in wording.abbreviations else "fullForm"
            attested = wording.status is TermStatus.ATTESTED
            status = _PREFERRED if attested or term.kind is not TermKind.RULES else _ADMITTED
            element = self._add_term(section, preferred, kind, status, wording.part_of_speech)
            for source in term.sources:
                if source.language == language:
                    place = f"{source.entry} ({source.heading}, line {source.line})"
                    self._add(element, "admin", place, "source")
            if status == _ADMITTED:
                self._add(element, "note", "Proposed: stands in no rulebook here")
            if inflected := [n for n in wording.inflections if n not in wording.proposed]:
                self._add(element, "note", f"Inflected: {', '.join(inflected)}")
        for name in admitted_names(wording):
            if name not in (preferred, wording.name):
                kind = "abbreviation" if name in wording.abbreviations else "variant"
                self._add_term(section, name, kind, _ADMITTED)

    def _add_term(
        self, section: Any, name: str, kind: str, status: str, part_of_speech: str = ""
    ) -> Any:
        element = self._add(section, self._dialect.term)
        self._add(element, "term", name)
        self._add(element, "termNote", kind, "termType")
        if part_of_speech:
            self._add(element, "termNote", part_of_speech, "partOfSpeech")
        self._add(element, "termNote", status, "administrativeStatus")
        return element
