"""Citations fit for a chat: the words in the quotation marks of their language, the rulebook, the entry, the page."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.model import Passage
from index.library.library import Library
from service.answers.answer import lines_name, name
from service.answers.highlighting import shown

SHORT = 400  # characters of a passage that is quoted whole; of a longer one, what answers

MARKS = {"de": ("„", "“"), "it": ("«", "»"), "en": ("“", "”")}
_PAGE = {"de": "S.", "it": "p.", "en": "p."}


def citation(library: Library, passage: Passage, highlights: Sequence[tuple[int, int]] = ()) -> str:
    """A line to paste: „…“ – Marvel Champions Referenzhandbuch 1.5, Aktivierung, S. 3.

    ``highlights`` are spans of ``passage.text``. Of a passage longer than `SHORT` only they are quoted, what stands
    between them left out with […]; nothing else is altered but line breaks and the sign of a
    bullet at the beginning. Without a printed page, its lines.
    """
    entry = library.entry[passage.entry]
    edition = library.edition[entry.edition]
    page = library.page(entry)
    opening, closing = MARKS.get(edition.language, MARKS["en"])
    where = f"{_PAGE.get(edition.language, _PAGE['en'])} {page}" if page else lines_name(edition.language, *passage.lines)
    title = " ".join(filter(None, (edition.title, edition.version)))
    return f"{opening}{_words(passage, highlights)}{closing} – {title}, {name(library, entry)}, {where}"


def _words(passage: Passage, highlights: Sequence[tuple[int, int]]) -> str:
    whole = passage.display
    marked = shown(passage, highlights) if len(whole) > SHORT else []
    if not marked:
        return " ".join(whole.split()).removeprefix("• ")
    words, last = "", marked[0].start
    for start, end in marked:
        words += (" […] " if whole[last:start].strip() else " ") if words else ""
        words += whole[start:end]
        last = end
    return " ".join(words.split())
