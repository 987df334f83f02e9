"""Which passages still want player phrasings, and which phrasings have lost their passage, as lists for an owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from corpus.model import Passage, Rulebook
from glossary.phrasings import Phrasings, attach, fingerprint, kept, load

_SEEN = 60  # characters of a passage in a line


def missing(rulebooks: Iterable[Rulebook]) -> Iterator[Passage]:
    """The passages of ``rulebooks`` that could settle a question and have no phrasings, in document order."""
    for rulebook in rulebooks:
        yield from attach(kept(rulebook.edition), rulebook.passages).missing


def missing_line(passage: Passage) -> str:
    """A passage in one line: fingerprint, line, id, how it begins."""
    return f'"{fingerprint(passage.text)}"  {passage.lines.first:>6}  {passage.id}  {" ".join(passage.display[:_SEEN].split())}'


def missing_json(passage: Passage) -> dict[str, Any]:
    """A passage as a programme that writes phrasings would want it; ``at`` and ``fingerprint`` are what the YAML needs."""
    return {
        "fingerprint": fingerprint(passage.text),
        "at": passage.id.partition("/")[2],
        "edition": passage.entry.partition("/")[0],
        "lines": list(passage.lines),
        "display": passage.display,
    }


def orphaned(rulebooks: Iterable[Rulebook]) -> Iterator[tuple[str, Phrasings]]:
    """The phrasings kept for the editions of ``rulebooks`` that fit none of their passages, with the id of the edition."""
    for rulebook in rulebooks:
        if rulebook.edition.known:
            for phrasings in attach(load(rulebook.edition.id), rulebook.passages).orphaned:
                yield rulebook.edition.id, phrasings


def orphaned_line(edition: str, phrasings: Phrasings) -> str:
    """Phrasings in one line: fingerprint, where their passage stood, the first of them."""
    first = next(iter((*phrasings.players, *phrasings.situations, phrasings.gist)), "")
    return f'"{phrasings.fingerprint}"  {edition}/{phrasings.at}  {first}'


def orphaned_json(edition: str, phrasings: Phrasings) -> dict[str, Any]:
    """Phrasings with all that is kept of them."""
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": edition,
        "players": list(phrasings.players),
        "situations": list(phrasings.situations),
        "gist": phrasings.gist,
        "situations_en": list(phrasings.situations_en),
    }
