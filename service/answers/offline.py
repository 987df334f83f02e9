"""The pack of a game for asking offline, with its passages and citations as answers of the contract have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from corpus.languages import get_language
from corpus.model import Passage
from index.library.phrasing_records import PHRASINGS, load_phrasings
from index.offline.build import build_pack as build
from index.offline.pack import NoPack, Pack
from index.offline.passage_groups import Rendered
from index.search import Index
from service.answers.answer import format_out, lead_in_out, link_out, placed_source_out, see_also
from service.answers.citations import cite, edition_name
from service.core.repaired import repaired_display
from service.core.snapshot import Snapshot

_USUAL: Mapping[str, Any] = {  # what the engine takes a passage for that says nothing else
    "display": None,
    "context": None,
    "repaired": None,
    "role": "text",
    "depth": 0,
    "number": None,
    "see_also": [],
    "applies_to": None,
    "shown": {},
}


def build_pack(snapshot: Snapshot, game: str, shown: Callable[[Passage], Mapping[str, Any]] = lambda _: {}) -> Pack:
    """Return the pack of ``game``, made from ``snapshot``: some seconds of a processor for a real game.

    ``shown`` returns what pages need to show a passage beside what answers have; it can be written as JSON.
    Raises `NotFound` for a game that is not there, `NoPack` where the index cannot be asked offline.
    """
    index = snapshot.index
    if not isinstance(index, Index) or snapshot.folder is None or not (snapshot.folder / PHRASINGS).is_dir():
        raise NoPack("this index has not what a pack is made of; build it anew with 'regula build --fresh'")
    library = index.library
    described: dict[str, dict[str, Any]] = {}
    for edition in library.editions:
        source = library.sources[edition.id]
        described[edition.id] = {
            "edition": edition.id,
            "name": edition_name(edition),
            "page": get_language(edition.language).citation.page,
            "line": get_language(edition.language).citation.line,
            "file": source.file,
            "sha256": source.sha256,
            "text_sha256": source.text_sha256,
        }
    return build(
        index, game, load_phrasings(snapshot.folder / PHRASINGS), lambda passage: _rendered(snapshot, passage, shown(passage)), described
    )


def _rendered(snapshot: Snapshot, passage: Passage, shown: Mapping[str, Any]) -> Rendered:
    """Return ``passage`` as an answer has it; what is as usual is left out, and ids have no edition before them."""
    library = snapshot.library
    citation = cite(library, passage)
    entry, prefix = citation.entry, f"{citation.edition.id}/"
    lead_in, special = lead_in_out(passage), format_out(library, passage)
    content: dict[str, Any] = {
        "text": passage.text,
        "display": passage.display if passage.display != passage.text else None,
        "context": {"text": lead_in.text, "display": lead_in.display} if lead_in else None,
        "repaired": repaired_display(library, passage),
        "role": passage.role,
        "depth": passage.depth,
        "first": passage.ordinal == 0,
        "entry": entry.id.removeprefix(prefix),
        "name": citation.entry_name,
        "title": entry.title,
        "heading": entry.heading,
        "kind": entry.kind,
        "number": entry.number,
        "see_also": [[link.entry.removeprefix(prefix), link.title] for link in map(link_out, see_also(library, entry))],
        "applies_to": [special.entry.removeprefix(prefix), special.title] if special else None,
        "shown": dict(shown),
    }
    source = placed_source_out(library, citation.edition.id, passage)
    pages = [page.model_dump(mode="json") for page in source.pages]
    place = [source.spans, source.lines, citation.page, list(passage.context) if passage.context else None, *([pages] if pages else [])]
    return Rendered({name: value for name, value in content.items() if name not in _USUAL or value != _USUAL[name]}, place)
