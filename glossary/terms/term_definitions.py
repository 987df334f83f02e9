"""What the glossaries of a game's editions say first of a term: a quotation, with the passage it
stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.model import Entry, Kind, Passage, Role, version_key
from corpus.sentences import sentences
from glossary.model import RulebookView

_LEAST_WORDS = 4  # of a sentence that says something
_BULLETS = "•-–➤▶✦ "
_DEFINING = (
    Kind.TERM,
    Kind.SUBSECTION,
)  # entries that are about their heading; a section is about much


@dataclass(frozen=True, slots=True)
class TermDefinition:
    """The first sentence of an entry as its passage displays it, and where it stands."""

    text: str
    entry: Entry
    passage: Passage


def first_sentences(rulebooks: Iterable[RulebookView]) -> Mapping[str, TermDefinition]:
    """Return by entry id what the entries of ``rulebooks`` say first, those of the oldest version
    first.

    A lead-in, a question and what is too short to say something are passed over: then an entry has
    none.
    """
    found: dict[str, TermDefinition] = {}
    for rulebook in sorted(rulebooks, key=lambda book: version_key(book.edition.version)):
        entries = {entry.id: entry for entry in rulebook.entries if entry.kind in _DEFINING}
        seen: set[str] = set()
        for passage in rulebook.passages:
            if passage.role is not Role.TEXT or passage.entry in seen:
                continue
            seen.add(passage.entry)
            if passage.entry in entries and (text := _first_sentence(passage.display)):
                found[passage.entry] = TermDefinition(text, entries[passage.entry], passage)
    return found


def _first_sentence(text: str) -> str:
    """Return the first sentence of ``text`` without the sign of a bullet; empty where it defines
    nothing.
    """
    start, end = next(iter(sentences(text)), (0, 0))
    sentence = " ".join(text[start:end].lstrip(_BULLETS).split())
    return (
        sentence
        if len(sentence.split()) >= _LEAST_WORDS and not sentence.endswith((":", "?"))
        else ""
    )
