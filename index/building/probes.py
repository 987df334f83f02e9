"""Probe questions: a new index must find its own headings, and a loaded one what it found when it
was built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.errors import RegulaError
from index.layers.passages import Layer
from index.library.library import Library
from index.model import Query
from index.search import Index

PROBES = 40  # headings that a new index is asked for
RECORDED = 8  # of these, evenly chosen, are asked again at every load


class CheckFailed(RegulaError, RuntimeError):
    """An index does not find what it should; it is not published, or not loaded."""


def choose_probes(index: Index) -> list[dict[str, str]]:
    """Ask a new index for its own headings; the questions to ask at every load, each with the entry
    to come first.

    Raises `CheckFailed` where fewer than half of the headings are found.
    """
    library = index.library
    own = [library.entry[p.entry] for p in library.searchable if p.ordinal == 0]
    probes = own[:: max(len(own) // PROBES, 1)]
    found, first = 0, []
    for entry in probes:
        hits = index.search(Query(entry.title, entry.edition, layers=(Layer.RULEBOOK,))).hits
        found += any(
            h.passage.entry == entry.id or library.entry[h.passage.entry].title == entry.title
            for h in hits
        )
        if hits and hits[0].passage.entry == entry.id:
            first.append({"question": entry.title, "edition": entry.edition, "entry": entry.id})
    if found * 2 < len(probes):
        raise CheckFailed(
            f"the new index finds only {found} of {len(probes)} of its own headings; it is not published"
        )
    return first[:: max(-(-len(first) // RECORDED), 1)]


def library_counts(library: Library) -> dict[str, int]:
    """The numbers of editions, entries and passages of a library, for the manifest of its index."""
    return {
        "editions": len(library.editions),
        "entries": len(library.entries),
        "passages": len(library.passages),
    }


def confirm_index(index: Index, manifest: Mapping[str, Any], compared: bool = True) -> None:
    """Raise `CheckFailed` where a loaded index does not contain or not find what its manifest says.

    Half of the probes must have their entry first: another processor may round differently, and
    swap hits that are equally good. They are asked and not ``compared`` where another version of
    the program built the index, which may have ranked otherwise: then they show that this one can
    read it. Asking also warms up what an index prepares for its first question.
    """
    held = library_counts(index.library)
    if manifest.get("counts", held) != held:
        raise CheckFailed(f"holds {held}, its manifest says {manifest['counts']}")
    probes: Sequence[Mapping[str, str]] = manifest.get("probes", ())
    found = 0
    for probe in probes:
        hits = index.search(
            Query(probe["question"], probe["edition"], k=1, layers=(Layer.RULEBOOK,))
        ).hits
        found += bool(hits) and hits[0].passage.entry == probe["entry"]
    if compared and found * 2 < len(probes):
        raise CheckFailed(
            f"finds only {found} of {len(probes)} entries that it found when it was built"
        )
