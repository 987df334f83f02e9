"""Read documents whose edition nobody has described."""

from __future__ import annotations

from pathlib import Path

from corpus import Document, Rulebook, identify, read
from corpus.model import Correction

SMALL = Path(__file__).parent / "small"


def book(name: str, raw: str | bytes) -> Rulebook:
    document = Document.from_bytes(name, raw.encode() if isinstance(raw, str) else raw)
    return read(document, identify(document))


def small(name: str) -> Rulebook:
    return book(name, (SMALL / name).read_bytes())


def shown(rulebook: Rulebook, heading: str) -> list[str]:
    """Return the displayed passages of the entry with that heading."""
    ids = {entry.id for entry in rulebook.entries if entry.heading == heading}
    return [passage.display for passage in rulebook.passages if passage.entry in ids]


def correct(line, fault, printed, meant=None, through=None) -> Correction:
    return Correction(line, fault, printed, meant, "invented", through or line)


def outline(rulebook: Rulebook) -> list[str]:
    """Return number and title of every numbered entry, indented by its depth."""
    depth: dict[str | None, int] = {None: 0}
    rows = []
    for entry in rulebook.entries:
        depth[entry.id] = depth[entry.parent] + bool(entry.number)
        if entry.number:
            rows.append("  " * depth[entry.parent] + f"{entry.number} | {entry.title}")
    return rows


def numbers(rulebook: Rulebook) -> list[str]:
    return [row.partition(" |")[0] for row in outline(rulebook)]
