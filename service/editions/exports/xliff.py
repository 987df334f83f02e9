"""A comparison of two languages as XLIFF 2.1 (OASIS, 13 February 2018), for translation tools and
to be read back with reviews.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from lxml import etree

from corpus.model import Edition
from glossary.comparison import EditionComparison
from glossary.comparison.reviews import ReviewState, ReviewStatus
from index.library.library import Library
from service.answers.citations import edition_name
from service.editions.exports.formats import ExportOptions, NothingToExport, strip_unprintable
from service.editions.reviewed.reading import (
    GLOSSARY,
    METADATA,
    OWN,
    REVIEW_NOTE,
    UNIT_PREFIX,
    XLIFF,
    text_hash,
)
from service.editions.reviewed.units import ReviewUnit, SentencePair, review_units, sentence_pairs

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def comparison_xliff(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return an XLIFF document with a group for each pair of entries, a unit for each row of
    passages and a segment for each sentence.

    The left edition is the source. A segment that only it has is ``initial`` and has no target; a
    unit that only the right one has is in the document of the two the other way round. Raises what
    `check_bilingual` raises, and `NothingToExport` where no unit has the review status asked for.
    """
    check_bilingual(comparison.left, comparison.right)
    units = list(review_units(comparison, library, options.reviews, options.review))
    ours = [unit for unit in units if unit.row.texts[0]]
    if not ours:
        raise NothingToExport(
            f"nothing in {comparison.left.id} fits, so there is nothing to translate from it"
        )
    root = etree.Element(
        _tag("xliff"),
        {
            "version": "2.1",
            "srcLang": comparison.left.language,
            "trgLang": comparison.right.language,
        },
        nsmap={None: XLIFF, "mda": METADATA, "gls": GLOSSARY},
    )
    file = etree.SubElement(
        root, _tag("file"), {"id": "f1", "original": comparison.left.id, _SPACE: "preserve"}
    )
    _add_metadata(file, "editions", [("left", comparison.left.id), ("right", comparison.right.id)])
    notes = [
        f"{edition.id}: {edition_name(edition)}" for edition in (comparison.left, comparison.right)
    ]
    if others := len(units) - len(ours):
        notes.append(
            f"{others} passages that only {comparison.right.id} has are not in here; compare the two the other way round for them"
        )
    _add_notes(file, [(f"{OWN}:editions", note) for note in notes])
    sentences = sentence_pairs(comparison)
    for number, (_, members) in enumerate(groupby(ours, lambda unit: id(unit.pair)), 1):
        _add_group(file, number, [(unit, sentences[id(unit.passages)]) for unit in members])
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return written


def check_bilingual(left: Edition, right: Edition) -> None:
    """Raise `NothingToExport` where ``left`` and ``right`` are in one language: XLIFF is about
    translations.
    """
    if left.language == right.language:
        raise NothingToExport(
            f"{left.id} and {right.id} are in one language, and XLIFF holds translations; review-xlsx can be reviewed between versions, too"
        )


def _tag(name: str, namespace: str = XLIFF) -> str:
    return f"{{{namespace}}}{name}"


def _add_group(
    file: Any, number: int, units: Sequence[tuple[ReviewUnit, Sequence[SentencePair]]]
) -> None:
    entries = [
        strip_unprintable(" | ".join(filter(None, {unit.entries[n]: None for unit, _ in units})))
        for n in (0, 1)
    ]
    group = etree.SubElement(
        file, _tag("group"), {"id": f"g{number}", "name": " – ".join(filter(None, entries))}
    )
    for unit, sentences in units:
        _add_unit(group, unit, sentences)


def _add_unit(group: Any, unit: ReviewUnit, sentences: Sequence[SentencePair]) -> None:
    element = etree.SubElement(group, _tag("unit"), {"id": f"{UNIT_PREFIX}{unit.row.id}"})
    _add_glossary(element, unit)
    fields = [
        *(
            (f"{side}-entry", name)
            for side, name in zip(("left", "right"), unit.entries, strict=True)
        ),
        *(
            (f"{side}-citation", name)
            for side, name in zip(("left", "right"), unit.citations, strict=True)
        ),
        ("concept", unit.pair.concept or ""),
        ("status", unit.row.status.value),
        ("scores", " ".join(f"{pair.score:.2f}" for pair in sentences)),
        ("state", unit.fields.state.value),
        ("reviewer", unit.fields.reviewer),
        ("stamp", unit.fields.stamp),
        ("source-hash", text_hash(strip_unprintable(pair.left) for pair in sentences)),
        ("target-hash", text_hash(strip_unprintable(pair.right) for pair in sentences)),
    ]
    _add_metadata(element, "unit", fields)
    notes = [(f"{OWN}:{finding.kind}", finding.text) for finding in unit.findings]
    if unit.fields.note:
        notes.append((REVIEW_NOTE, unit.fields.note))
    _add_notes(element, notes)
    for number, pair in enumerate(sentences, 1):
        source, target = (strip_unprintable(text) for text in (pair.left, pair.right))
        state = unit.fields.state if target else ReviewState.INITIAL
        sub_state = unit.status if unit.status is ReviewStatus.REWORDED else unit.row.status
        attributes = {"id": f"s{number}", "state": state.value, "subState": f"{OWN}:{sub_state}"}
        segment = etree.SubElement(element, _tag("segment"), attributes)
        etree.SubElement(segment, _tag("source")).text = source
        if target:
            etree.SubElement(segment, _tag("target")).text = target


def _add_metadata(parent: Any, category: str, fields: Iterable[tuple[str, str]]) -> None:
    metadata = etree.SubElement(parent, _tag("metadata", METADATA))
    group = etree.SubElement(
        metadata, _tag("metaGroup", METADATA), {"category": f"{OWN}-{category}"}
    )
    for name, text in fields:
        if text:
            etree.SubElement(
                group, _tag("meta", METADATA), {"type": name}
            ).text = strip_unprintable(text)


def _add_notes(parent: Any, notes: list[tuple[str, str]]) -> None:
    """Add notes, pairs of a category and a text, with ids that are unique within ``parent``."""
    if notes:
        element = etree.SubElement(parent, _tag("notes"))
        for number, (category, text) in enumerate(notes, 1):
            etree.SubElement(
                element, _tag("note"), {"id": f"n{number}", "category": category}
            ).text = strip_unprintable(text)


def _add_glossary(parent: Any, unit: ReviewUnit) -> None:
    known = [term for term in unit.terms if term.left and term.right]
    if not known:
        return
    glossary = etree.SubElement(parent, _tag("glossary", GLOSSARY))
    for term in known:
        entry = etree.SubElement(glossary, _tag("glossEntry", GLOSSARY))
        etree.SubElement(entry, _tag("term", GLOSSARY)).text = strip_unprintable(term.left)
        etree.SubElement(entry, _tag("translation", GLOSSARY)).text = strip_unprintable(term.right)
