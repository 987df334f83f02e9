"""The passages of two editions that correspond, as a translation memory: TMX 1.4b (LISA OSCAR, 26 April 2005)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from lxml import etree

from corpus.model import Edition, Passage
from glossary.comparison import AlignedPassages, EditionComparison, EntryPair
from index.library.library import Library
from service.answers.citations import citation_label, edition_name
from service.editions.exports import NothingToExport
from service.editions.exports.csv_tables import strip_unprintable
from service.editions.exports.options import ExportOptions

TMX_MIMETYPE = "application/x-tmx"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


def comparison_tmx(comparison: EditionComparison, library: Library, options: ExportOptions) -> bytes:
    """Return a translation memory with one unit for each row that both editions have.

    Several passages of one side are joined by newlines. ``tuid`` is made of the ids of the passages, so it stays the same as long as the
    rulebooks do. A source edition in a third language is the source of all units, and a third variant of those that both sides agree on.
    Raises what `check_translation` raises.
    """
    check_translation(comparison.left, comparison.right)
    left, right = comparison.left, comparison.right
    source = memory_source(comparison)
    notes = [f"{edition.id}: {edition_name(edition)}" for edition in (left, right, source) if edition]
    root = new_memory(left.game, options.tag((source or left).language), "paragraph", notes)
    body = etree.SubElement(root, "body")
    for pair in comparison.pairs:
        for row in pair.rows:
            if row.left and row.right:
                _add_unit(body, comparison, pair, row, library, options)
    return memory_file(root)


def check_translation(left: Edition, right: Edition) -> None:
    """Raise `NothingToExport` where ``left`` and ``right`` are in one language.

    Most tools refuse units with two variants in one language, and others would propose them as translations in every project.
    """
    if left.language == right.language:
        raise NothingToExport(
            f"{left.id} and {right.id} are in one language, and a translation memory holds translations; "
            "html, xlsx and csv show what changed between versions"
        )


def new_memory(game: str, source_language: str, segments: str, notes: Iterable[str]) -> Any:
    """Return the root of a translation memory with its header; ``segments`` says what its units are, "paragraph" or "phrase"."""
    root = etree.Element("tmx", {"version": "1.4"})
    attributes = {
        "creationtool": "Regula",
        "creationtoolversion": version("regula"),
        "segtype": segments,
        "o-tmf": "Regula",
        "adminlang": "en",
        "srclang": source_language,
        "datatype": "plaintext",
    }
    header = etree.SubElement(root, "header", attributes)
    for note in notes:
        etree.SubElement(header, "note").text = strip_unprintable(note)
    add_property(header, "x-game", game)
    return root


def memory_file(root: Any) -> bytes:
    """Return a translation memory as a file."""
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True, doctype=_DOCTYPE)
    return written


def memory_source(comparison: EditionComparison) -> Edition | None:
    """Return the source edition of ``comparison`` where it is in a third language: a memory holds no unit with one language twice."""
    source = comparison.source
    return source if source and source.language not in (comparison.left.language, comparison.right.language) else None


def _add_unit(
    body: Any, comparison: EditionComparison, pair: EntryPair, row: AlignedPassages, library: Library, options: ExportOptions
) -> None:
    tuid = "=".join("+".join(p.id for p in side) for side in (row.left, row.right))
    unit = etree.SubElement(body, "tu", {"tuid": tuid})
    if pair.concept:
        add_property(unit, "x-concept", pair.concept)
    if len(row.left) > 1 or len(row.right) > 1:
        add_property(unit, "x-joined", f"{len(row.left)}:{len(row.right)}")
    for edition, passages, text in zip((comparison.left, comparison.right), (row.left, row.right), row.texts, strict=True):
        _add_variant(unit, edition, passages, text, library, options)
    if (source := memory_source(comparison)) and row.source_agreed:
        _add_variant(unit, source, row.source, row.source_text, library, options)


def _add_variant(unit: Any, edition: Edition, passages: Sequence[Passage], text: str, library: Library, options: ExportOptions) -> None:
    variant = etree.SubElement(unit, "tuv", {LANG: options.tag(edition.language)})
    add_property(variant, "x-edition", edition.id)
    for entry in dict.fromkeys(p.entry for p in passages):
        add_property(variant, "x-entry", entry)
        add_property(variant, "x-heading", library.entry[entry].heading)
    for passage in passages:
        add_property(variant, "x-lines", "-".join(map(str, dict.fromkeys(passage.lines))))
        add_property(variant, "x-citation", citation_label(library, passage))
    etree.SubElement(variant, "seg").text = strip_unprintable(text)


def add_property(parent: Any, type: str, text: str) -> None:
    """Add a property of ``type`` to a header, a unit or a variant."""
    etree.SubElement(parent, "prop", {"type": type}).text = strip_unprintable(text)
