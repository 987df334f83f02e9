"""Two editions as a translation memory: the passages that correspond, as TMX 1.4b (LISA OSCAR, 26 April 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from lxml import etree

from corpus.model import Edition, Passage
from glossary.comparison import Comparison, Pair, Row
from index.library.library import Library
from service.answers.answer import edition_name, label
from service.editions.exports import NothingToExport
from service.editions.exports.csv_tables import printable

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


def tmx(comparison: Comparison, library: Library) -> bytes:
    """One unit for each row that both editions have; passages that one side divides are joined by newlines.

    ``tuid`` is made of the passages' ids and so stays the same as long as the rulebooks do. Raises `NothingToExport` for
    two versions of one language: a unit with two variants in one language is an error to most tools, and a memory that
    "translates" German into German would be offered as a translation in every German project.
    """
    check_translation(comparison.left, comparison.right)
    root = etree.Element("tmx", {"version": "1.4"})
    _header(root, comparison)
    body = etree.SubElement(root, "body")
    for pair in comparison.pairs:
        for row in pair.rows:
            if row.left and row.right:
                _unit(body, comparison, pair, row, library)
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True, doctype=_DOCTYPE)
    return written


def check_translation(left: Edition, right: Edition) -> None:
    """Raises `NothingToExport` where ``left`` and ``right`` are in one language."""
    if left.language == right.language:
        raise NothingToExport(
            f"{left.id} and {right.id} are in one language, and a translation memory holds translations; "
            "html, xlsx and csv show what changed between versions"
        )


def _header(root: Any, comparison: Comparison) -> None:
    attributes = {
        "creationtool": "Regula",
        "creationtoolversion": version("regula"),
        "segtype": "paragraph",
        "o-tmf": "Regula",
        "adminlang": "en",
        "srclang": comparison.left.language,
        "datatype": "plaintext",
    }
    header = etree.SubElement(root, "header", attributes)
    for edition in (comparison.left, comparison.right):
        etree.SubElement(header, "note").text = printable(f"{edition.id}: {edition_name(edition)}")
    _prop(header, "x-game", comparison.left.game)


def _unit(body: Any, comparison: Comparison, pair: Pair, row: Row, library: Library) -> None:
    name = "=".join("+".join(p.id for p in side) for side in (row.left, row.right))
    unit = etree.SubElement(body, "tu", {"tuid": name})
    if pair.concept:
        _prop(unit, "x-concept", pair.concept)
    if len(row.left) > 1 or len(row.right) > 1:
        _prop(unit, "x-joined", f"{len(row.left)}:{len(row.right)}")
    for edition, passages, text in zip((comparison.left, comparison.right), (row.left, row.right), row.texts, strict=True):
        _variant(unit, edition, passages, text, library)


def _variant(unit: Any, edition: Edition, passages: Sequence[Passage], text: str, library: Library) -> None:
    variant = etree.SubElement(unit, "tuv", {_LANG: edition.language})
    _prop(variant, "x-edition", edition.id)
    for entry in dict.fromkeys(p.entry for p in passages):
        _prop(variant, "x-entry", entry)
        _prop(variant, "x-heading", library.entry[entry].heading)
    for passage in passages:
        _prop(variant, "x-lines", "-".join(map(str, dict.fromkeys(passage.lines))))
        _prop(variant, "x-citation", label(library, passage))
    etree.SubElement(variant, "seg").text = printable(text)


def _prop(parent: Any, type: str, text: str) -> None:
    etree.SubElement(parent, "prop", {"type": type}).text = printable(text)
