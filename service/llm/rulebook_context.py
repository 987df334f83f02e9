"""What requests show of a rulebook beside its passages: names of its terms, and where a passage
stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from corpus.model import Entry, Kind

_TERMS = 300  # names; a glossary has some 200, and more would cost tokens for little


def term_names(entries: Iterable[Entry]) -> list[str]:
    """Return names of the game's terms, as the headings of ``entries`` have them, each once: at
    most as many as help.

    Where there is no glossary, the headings stand for them; those that are nothing but a number
    name nothing.
    """
    entries = list(entries)
    terms = [entry.title for entry in entries if entry.kind is Kind.TERM]
    headings = (
        entry.title
        for entry in entries
        if entry.card is None and any(sign.isalpha() for sign in entry.title)
    )
    return list(dict.fromkeys(terms or headings))[:_TERMS]


def entry_path(by_id: Mapping[str, Entry], id: str | None) -> list[Entry]:
    """Return the entry ``id`` and those above it, the topmost first."""
    found: list[Entry] = []
    while id is not None and id in by_id:
        found.append(by_id[id])
        id = by_id[id].parent
    return found[::-1]
