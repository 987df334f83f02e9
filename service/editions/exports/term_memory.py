"""The official names of a term list as a translation memory (TMX 1.4b), for tools that read no TBX."""

from __future__ import annotations

from lxml import etree

from glossary.term_list import TermKind, TermList
from service.core.i18n import N_, TranslatableText
from service.editions.exports import NothingToExport
from service.editions.exports.options import ExportOptions
from service.editions.exports.tbx import preferred_name, terms_with_ids
from service.editions.exports.translation_memory import ANY_LANGUAGE, LANG, add_property, memory_file, new_memory


def terms_tmx(terms: TermList, options: ExportOptions) -> bytes:
    """Return a translation memory with one unit for each term that has an official name in two languages or more.

    ``tuid`` is the id that the term has as TBX. Raises `NothingToExport` where no term has such names.
    """
    notes = [f"{edition.id}: {edition.full_title} ({edition.language})" for edition in terms.editions]
    root = new_memory(terms.game, ANY_LANGUAGE, "phrase", notes)
    body = etree.SubElement(root, "body")
    for id, term in terms_with_ids(terms):
        spoken = sorted(term.wordings, key=terms.languages.index)
        names = {language: name for language in spoken if (name := preferred_name(term, language))}
        if len(names) < 2:
            continue
        unit = etree.SubElement(body, "tu", {"tuid": id})
        if term.kind is not TermKind.RULES:
            add_property(unit, "x-sort", term.kind)
        for card in term.cards:
            add_property(unit, "x-card", card)
        for language, name in names.items():
            etree.SubElement(etree.SubElement(unit, "tuv", {LANG: options.tag(language)}), "seg").text = name
    if not len(body):
        raise NothingToExport(TranslatableText(N_("%(game)s has no terms in two languages"), {"game": terms.game}))
    return memory_file(root)
