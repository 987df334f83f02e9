"""A term list as TBX-Basic (ISO 30042), which translation tools read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from glossary.term_list import Term, TermKind, TermList, TermWording
from service.core.i18n import N_, TranslatableText
from service.editions.exports import NothingToExport
from service.editions.exports.csv_tables import strip_unprintable

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


def terms_tbx(terms: TermList, dialect: TbxDialect) -> bytes:
    """Return a term list in one version of TBX-Basic, with a concept entry for each term.

    The official name is the preferred term, its variants and abbreviations are admitted. Slang is left out: TBX-Basic has no word for
    it, and tools would propose it or complain about it. Raises `NothingToExport` where no term has an official name.
    """
    if not any(_official_names(w) for term in terms.terms for w in term.wordings.values()):
        raise NothingToExport(TranslatableText(N_("%(game)s has no terms to export"), {"game": terms.game}))
    root = etree.Element(_tag(dialect, dialect.root), dialect.attributes, nsmap={None: dialect.namespace} if dialect.namespace else None)
    root.set(_LANG, "en")  # the language of the header and of notes
    _add_header(root, terms, dialect)
    body = _add(dialect, _add(dialect, root, "text"), "body")
    for id, term in terms_with_ids(terms):
        _add_concept(body, terms.game, id, term, dialect)
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
    """Yield the terms with an official name, each with a unique id that begins with a letter, as XML wants it."""
    seen: set[str] = set()
    for term in terms.terms:
        if not any(map(_official_names, term.wordings.values())):
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


def _official_names(wording: TermWording) -> tuple[str, ...]:
    """Return the name, its variants and the abbreviations, each once."""
    return tuple(dict.fromkeys(w for w in (wording.name, *wording.variants, *wording.abbreviations) if w and strip_unprintable(w)))


def _add_concept(body: Any, game: str, id: str, term: Term, dialect: TbxDialect) -> None:
    concept = _add(dialect, body, dialect.concept)
    concept.set("id", id)
    _add(dialect, concept, "descrip", game, "subjectField")
    if term.kind is not TermKind.RULES:
        _add(dialect, concept, "note", f"{_KIND_NOTES[term.kind]}{': ' if term.cards else ''}{', '.join(term.cards)}")
    for symbol in term.symbols:
        _add(dialect, concept, "note", f"Symbol: {symbol}")
    for language, wording in term.wordings.items():
        if names := _official_names(wording):
            section = _add(dialect, concept, dialect.language)
            section.set(_LANG, language)
            for name in names:
                _add_term(section, term, language, name, dialect)


def _add_term(section: Any, term: Term, language: str, name: str, dialect: TbxDialect) -> None:
    wording = term.wordings[language]
    element = _add(dialect, section, dialect.term)
    _add(dialect, element, "term", name)
    preferred = name == wording.name
    kind = "abbreviation" if name in wording.abbreviations else "fullForm" if preferred else "variant"
    _add(dialect, element, "termNote", kind, "termType")
    if preferred and wording.part_of_speech:
        _add(dialect, element, "termNote", wording.part_of_speech, "partOfSpeech")
    _add(dialect, element, "termNote", "preferredTerm-admn-sts" if preferred else "admittedTerm-admn-sts", "administrativeStatus")
    if preferred:
        for source in term.sources:
            if source.language == language:
                _add(dialect, element, "admin", f"{source.entry} ({source.heading}, line {source.line})", "source")
