"""The units of an XLIFF 2 document that comes back from a translation tool: their states, notes and proposed translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.formats.format import UnreadableFile
from glossary.comparison.reviews import ReviewState, flat_text
from service.editions.reviewed.review_file import ID_PATTERN, MOST_LINES, FileLine, ReviewFile, checked_line
from service.editions.reviewed.review_table import NOTE, REVIEWER, STATE
from service.editions.reviewed.units import ReviewFields
from service.editions.reviewed.xliff_names import METADATA, OWN, REVIEW_NOTE, UNIT_PREFIX, XLIFF, text_hash

_STATES = tuple(state.value for state in ReviewState)  # from the first to the last


def read_xliff(root: Any) -> ReviewFile:
    """Return the units below ``root``. Raises `UnreadableFile` where it is no XLIFF 2."""
    if root.tag != f"{{{XLIFF}}}xliff" or not (root.get("version") or "").startswith("2."):
        raise UnreadableFile("is XML, but not XLIFF 2")
    units = list(root.iter(f"{{{XLIFF}}}unit"))
    if len(units) > MOST_LINES:
        raise UnreadableFile(f"has more than {MOST_LINES:,} units")
    file = root.find(f"{{{XLIFF}}}file")
    named = _metadata(file, "editions") if file is not None else {}
    lines, faults = [], []
    for unit in units:
        place = f"unit {(unit.get('id') or '')[:40]}"
        line = _line(place, unit)
        if isinstance(line, FileLine):
            lines.append(line)
        else:
            faults.append((place, line))
    return ReviewFile((named.get("left", ""), named.get("right", "")), tuple(lines), tuple(faults))


def _line(place: str, unit: Any) -> FileLine | str:
    """Return what ``unit`` says, or what is wrong with it."""
    id = ID_PATTERN.fullmatch((unit.get("id") or "").removeprefix(UNIT_PREFIX))
    fields = _metadata(unit, "unit")
    if id is None or "stamp" not in fields:
        return "was not written here: it has another id, or its metadata is gone"
    source, target = (_texts(unit, side) for side in ("source", "target"))
    altered = tuple(
        side for side, texts in (("source", source), ("target", target)) if text_hash(texts) != fields.get(f"{side}-hash", text_hash(texts))
    )
    texts = "\n".join(source), "\n".join(target)
    proposal = flat_text(texts[1]) if "target" in altered else ""
    line = FileLine(place, id["id"], fields["stamp"], texts, ReviewFields(ReviewState.INITIAL), altered, proposal)
    return checked_line(
        line, {STATE: _state(unit, fields.get("state", "")), REVIEWER: fields.get("reviewer", ""), NOTE: "\n".join(_notes(unit))}
    )


def _texts(unit: Any, side: str) -> list[str]:
    """Return the source or target texts of the segments of ``unit`` and of what stands between them, without marks."""
    elements = (part.find(f"{{{XLIFF}}}{side}") for part in unit.iter(f"{{{XLIFF}}}segment", f"{{{XLIFF}}}ignorable"))
    found = ("".join(element.itertext()) for element in elements if element is not None)
    return [text for text in found if text.strip()]


def _state(unit: Any, written: str) -> str:
    """Return the state of the translated segment that is least far; what was ``written`` where none is translated.

    Without a translation, a segment has to be in its initial state, whatever a reviewer said of that.
    """
    segments = list(unit.iter(f"{{{XLIFF}}}segment"))
    translated = [each for each in segments if "".join(each.xpath("string(x:target)", namespaces={"x": XLIFF})).strip()]
    states = [each.get("state") or ReviewState.INITIAL.value for each in translated or segments]
    first = min(states, key=lambda state: _STATES.index(state) if state in _STATES else -1, default=ReviewState.INITIAL.value)
    return written if written and not translated and first == ReviewState.INITIAL else first


def _notes(unit: Any) -> Iterator[str]:
    """Yield the notes of a reviewer: the one that was written here, and those that a tool has added."""
    for note in unit.iter(f"{{{XLIFF}}}note"):
        text, category = "".join(note.itertext()).strip(), note.get("category") or REVIEW_NOTE
        if text and not category.startswith(f"{OWN}:"):
            yield text


def _metadata(parent: Any, category: str) -> Mapping[str, str]:
    """Return the metadata that was written for ``parent`` here, by its types."""
    group = parent.find(f"{{{METADATA}}}metadata/{{{METADATA}}}metaGroup[@category='{OWN}-{category}']")
    return {meta.get("type") or "": (meta.text or "").strip() for meta in group} if group is not None else {}
