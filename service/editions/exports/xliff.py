"""A comparison of two languages as XLIFF 2.1 (OASIS, 13 February 2018) for translation tools, and
the reading of such files when they return with reviews.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from lxml import etree

from corpus.formats import UnreadableFile
from corpus.model import Edition
from glossary.comparison import EditionComparison
from glossary.comparison.model import Segment
from glossary.comparison.reviews import KEY_DIGITS, ReviewState, ReviewStatus, flat_text
from index.library.library import Library
from service.answers.citations import edition_name
from service.editions.exports.formats import ExportOptions, NothingToExport, strip_unprintable
from service.editions.review_units import (
    STATES,
    FileLine,
    ReviewFile,
    ReviewUnit,
    read_fields,
    review_units,
)

XLIFF = "urn:oasis:names:tc:xliff:document:2.0"  # also of 2.1
METADATA = "urn:oasis:names:tc:xliff:metadata:2.0"
GLOSSARY = "urn:oasis:names:tc:xliff:glossary:2.0"
OWN = "regula"  # prefix of our sub-states and of the categories of our notes and metadata
MOST_LINES = 20_000
HARDLY_A_TRANSLATION = 0.5  # score below which sentences may say different things
ID_PATTERN = re.compile(rf"(?P<id>[0-9a-f]{{{KEY_DIGITS}}}(?:-[1-9]\d{{0,3}})?)")
_REVIEW_NOTE = "review"  # category of the note that a reviewer wrote
_UNIT_PREFIX = "u"  # an id begins with a letter, which some tools ask for
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def text_hash(texts: Iterable[str]) -> str:
    """Return a hash of the ``texts`` of segments, ignoring white space, that tells if they were
    edited in a returned unit.
    """
    return hashlib.sha256(flat_text(" ".join(texts)).encode()).hexdigest()[:16]


def comparison_xliff(
    comparison: EditionComparison, library: Library, options: ExportOptions
) -> bytes:
    """Return a document with a group for each pair of entries, a unit for each row of passages and
    a segment for each sentence. The left edition is the source.

    The sub-state of a segment says how far both sides of its row agree or, if that is unknown, is
    the status of the row. A segment found only on the left is ``initial`` and has no target; a
    sentence found only on the right is a note of the unit; a unit found only on the right is in the
    document with both editions swapped. Raises what `check_bilingual` raises, and `NothingToExport`
    if no unit has the review status asked for.
    """
    left, right = comparison.left, comparison.right
    check_bilingual(left, right)
    units = list(review_units(comparison, library, options.reviews, options.review))
    ours = [unit for unit in units if unit.row.texts[0]]
    if not ours:
        raise NothingToExport(
            f"nothing in {left.id} fits, so there is nothing to translate from it"
        )
    root = etree.Element(
        _tag("xliff"),
        {"version": "2.1", "srcLang": left.language, "trgLang": right.language},
        nsmap={None: XLIFF, "mda": METADATA, "gls": GLOSSARY},
    )
    file = _add(root, "file", id="f1", original=left.id)
    file.set(_SPACE, "preserve")
    _add_metadata(file, "editions", {"left": left.id, "right": right.id})
    notes = [f"{edition.id}: {edition_name(edition)}" for edition in (left, right)]
    if others := len(units) - len(ours):
        only = f"{others} passages that only {right.id} has are not in here"
        notes.append(f"{only}; compare the two the other way round for them")
    _add_notes(file, [(f"{OWN}:editions", note) for note in notes])
    for number, (_, members) in enumerate(groupby(ours, lambda unit: id(unit.pair)), 1):
        here = list(members)
        names = [" | ".join(filter(None, {unit.entries[n]: 0 for unit in here})) for n in (0, 1)]
        group = _add(file, "group", id=f"g{number}", name=" – ".join(filter(None, names)))
        for unit in here:
            _add_unit(group, unit, list(_sentence_pairs(unit.passages.segments)))
    written: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return written


def check_bilingual(left: Edition, right: Edition) -> None:
    """Raise `NothingToExport` if ``left`` and ``right`` are in one language: XLIFF holds
    translations.
    """
    if left.language == right.language:
        raise NothingToExport(
            f"{left.id} and {right.id} are in one language, and XLIFF holds translations; "
            "review-xlsx can be reviewed between versions, too"
        )


def _tag(name: str, namespace: str = XLIFF) -> str:
    return f"{{{namespace}}}{name}"


def _add(parent: Any, tag: str, text: str = "", namespace: str = XLIFF, **attributes: str) -> Any:
    element = etree.SubElement(parent, _tag(tag, namespace))
    for attribute, value in attributes.items():
        element.set(attribute, strip_unprintable(value))
    if text:
        element.text = strip_unprintable(text)
    return element


class _SentencePair(NamedTuple):
    """Aligned sentences; "" if one side has none. ``score`` (0.0 to 1.0) says how sure the
    alignment is.
    """

    left: str
    right: str
    score: float


def _sentence_pairs(segments: Sequence[Segment]) -> Iterator[_SentencePair]:
    """Yield the sentences of a row, aligned as for translation memories.

    A sentence found only on the left is joined with uncertain neighbours, which may hold its
    translation: hardly aligned sentences, or sentences found only on the right. An aside in
    brackets stays alone.
    """
    for uncertain, group in groupby(segments, _is_uncertain):
        own = list(group)
        lacking = uncertain and any(not each.right for each in own)
        joined = lacking and any(each.right for each in own)
        for part in [own] if joined else [[each] for each in own]:
            left, right = (
                strip_unprintable(" ".join(filter(None, (each.texts[side] for each in part))))
                for side in (0, 1)
            )
            yield _SentencePair(left, right, max(each.score for each in part))


def _is_uncertain(segment: Segment) -> bool:
    if segment.aligned:
        return segment.score < HARDLY_A_TRANSLATION
    return not "".join(segment.texts).startswith("(")


def _add_unit(group: Any, unit: ReviewUnit, sentences: Sequence[_SentencePair]) -> None:
    element = _add(group, "unit", id=f"{_UNIT_PREFIX}{unit.row.id}")
    if known := [term for term in unit.terms if all(term)]:
        glossary = _add(element, "glossary", namespace=GLOSSARY)
        for left, right in known:
            entry = _add(glossary, "glossEntry", namespace=GLOSSARY)
            _add(entry, "term", left, GLOSSARY)
            _add(entry, "translation", right, GLOSSARY)
    ours = [pair for pair in sentences if pair.left]
    fields = {
        "left-entry": unit.entries[0],
        "right-entry": unit.entries[1],
        "left-citation": unit.citations[0],
        "right-citation": unit.citations[1],
        "concept": unit.pair.concept or "",
        "status": unit.row.status.value,
        "scores": " ".join(f"{pair.score:.2f}" for pair in ours),
        "state": unit.fields.state.value,
        "reviewer": unit.fields.reviewer,
        "stamp": unit.fields.stamp,
        "source-hash": text_hash(pair.left for pair in ours),
        "target-hash": text_hash(pair.right for pair in ours),
    }
    _add_metadata(element, "unit", fields)
    notes = [(f"{OWN}:{kind}", text) for kind, text in unit.findings]
    # A segment needs a source: sentences found only on the right become notes.
    notes += [(f"{OWN}:only-right", pair.right) for pair in sentences if not pair.left]
    _add_notes(element, [*notes, *[(_REVIEW_NOTE, unit.fields.note)] * bool(unit.fields.note)])
    reworded = unit.status is ReviewStatus.REWORDED
    agreement = unit.passages.agreement or unit.row.status
    sub_state = f"{OWN}:{unit.status if reworded else agreement}"
    for number, (source, target, _) in enumerate(ours, 1):
        state = unit.fields.state if target else ReviewState.INITIAL
        if target and not unit.row.texts[1] and state is ReviewState.INITIAL:
            state = ReviewState.TRANSLATED  # the right edition says it in another entry
        segment = _add(element, "segment", id=f"s{number}", state=state, subState=sub_state)
        _add(segment, "source", source)
        if target:
            _add(segment, "target", target)


def _add_metadata(parent: Any, category: str, fields: Mapping[str, str]) -> None:
    metadata = _add(parent, "metadata", namespace=METADATA)
    group = _add(metadata, "metaGroup", namespace=METADATA, category=f"{OWN}-{category}")
    for name, text in fields.items():
        if text:
            _add(group, "meta", text, METADATA, type=name)


def _add_notes(parent: Any, notes: Sequence[tuple[str, str]]) -> None:
    """Add notes, pairs of a category and a text, with ids that are unique within ``parent``."""
    if notes:
        element = _add(parent, "notes")
        for number, (category, text) in enumerate(notes, 1):
            _add(element, "note", text, id=f"n{number}", category=category)


def read_xliff(root: Any) -> ReviewFile:
    """Return the units below ``root``. Raises `UnreadableFile` if it is no XLIFF 2."""
    if root.tag != _tag("xliff") or not (root.get("version") or "").startswith("2."):
        raise UnreadableFile("is XML, but not XLIFF 2")
    units = list(root.iter(_tag("unit")))
    if len(units) > MOST_LINES:
        raise UnreadableFile(f"has more than {MOST_LINES:,} units")
    file = root.find(_tag("file"))
    named = _metadata(file, "editions") if file is not None else {}
    found = []
    for unit in units:
        place = f"unit {(unit.get('id') or '')[:40]}"
        found.append((place, _read_unit(place, unit)))
    return ReviewFile.of((named.get("left", ""), named.get("right", "")), found)


def _read_unit(place: str, unit: Any) -> FileLine | str:
    """Return the content of ``unit``, or the fault in it."""
    id = ID_PATTERN.fullmatch((unit.get("id") or "").removeprefix(_UNIT_PREFIX))
    written = _metadata(unit, "unit")
    if id is None or "stamp" not in written:
        return "was not written here: it has another id, or its metadata is gone"
    sides = {side: _texts(unit, side) for side in ("source", "target")}
    altered = tuple(
        side
        for side, texts in sides.items()
        if text_hash(texts) != written.get(f"{side}-hash", text_hash(texts))
    )
    texts = "\n".join(sides["source"]), "\n".join(sides["target"])
    notes = "\n".join(
        text
        for note in unit.iter(_tag("note"))
        if (text := "".join(note.itertext()).strip())
        and not (note.get("category") or "").startswith(f"{OWN}:")
    )
    state = _state(unit, written.get("state", ""))
    fields = read_fields(state, written.get("reviewer", ""), notes)
    if isinstance(fields, str):
        return fields
    proposal = flat_text(texts[1]) if "target" in altered else ""
    return FileLine(place, id["id"], written["stamp"], texts, fields, altered, proposal)


def _texts(unit: Any, side: str) -> list[str]:
    """Return the source or target texts of the segments of ``unit`` and of the text between them,
    without marks.
    """
    parts = unit.iter(_tag("segment"), _tag("ignorable"))
    elements = (part.find(_tag(side)) for part in parts)
    found = ("".join(element.itertext()) for element in elements if element is not None)
    return [text for text in found if text.strip()]


def _state(unit: Any, written: str) -> str:
    """Return the least advanced state of the translated segments. If none is translated, return the
    state that was ``written``: such segments have to be in the initial state, whatever a reviewer
    said.
    """
    segments = list(unit.iter(_tag("segment")))
    translated = [
        each
        for each in segments
        if "".join(each.xpath("string(x:target)", namespaces={"x": XLIFF})).strip()
    ]
    initial = ReviewState.INITIAL.value
    states = [each.get("state") or initial for each in translated or segments]
    first = min(
        states, key=lambda state: STATES.index(state) if state in STATES else -1, default=initial
    )
    return written if written and not translated and first == initial else first


def _metadata(parent: Any, category: str) -> Mapping[str, str]:
    """Return the metadata that this program wrote for ``parent``, by type."""
    path = f"{_tag('metadata', METADATA)}/{_tag('metaGroup', METADATA)}"
    group = parent.find(f"{path}[@category='{OWN}-{category}']")
    found = () if group is None else group
    return {meta.get("type") or "": (meta.text or "").strip() for meta in found}
