"""Lists of passages without phrasings, and of phrasings whose passage is gone, for who maintains phrasings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from corpus.model import Passage, Rulebook
from glossary.phrasings import PassagePhrasings, attach_phrasings, fingerprint, load_phrasings, load_with_sister_editions

_SHOWN_CHARACTERS = 60  # characters of a passage in a line


def missing_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[Passage]:
    """Yield the passages of ``rulebooks`` that can settle a question and have no phrasings, in document order."""
    for rulebook in rulebooks:
        yield from attach_phrasings(load_with_sister_editions(rulebook.edition), rulebook.passages).missing


def missing_line(passage: Passage) -> str:
    """Return a passage in one line: fingerprint, line, id, its first words."""
    return f'"{fingerprint(passage.text)}"  {passage.lines.first:>6}  {passage.id}  {" ".join(passage.display[:_SHOWN_CHARACTERS].split())}'


def missing_json(passage: Passage) -> dict[str, Any]:
    """Return a passage for programs that write phrasings; ``fingerprint`` and ``at`` are what the YAML file needs."""
    return {
        "fingerprint": fingerprint(passage.text),
        "at": passage.id.partition("/")[2],
        "edition": passage.entry.partition("/")[0],
        "lines": list(passage.lines),
        "display": passage.display,
    }


def orphaned_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[tuple[str, PassagePhrasings]]:
    """Yield the phrasings of the editions of ``rulebooks`` that fit no passage, each with the id of its edition."""
    for rulebook in rulebooks:
        if rulebook.edition.known:
            for phrasings in attach_phrasings(load_phrasings(rulebook.edition.id), rulebook.passages).orphaned:
                yield rulebook.edition.id, phrasings


def orphaned_line(edition: str, phrasings: PassagePhrasings) -> str:
    """Return phrasings in one line: fingerprint, where their passage stood, the first of them."""
    first = next(iter((*phrasings.players, *phrasings.situations, phrasings.gist)), "")
    return f'"{phrasings.fingerprint}"  {edition}/{phrasings.at}  {first}'


def orphaned_json(edition: str, phrasings: PassagePhrasings) -> dict[str, Any]:
    """Return phrasings with all their fields."""
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": edition,
        "players": list(phrasings.players),
        "situations": list(phrasings.situations),
        "gist": phrasings.gist,
        "situations_en": list(phrasings.situations_en),
    }
