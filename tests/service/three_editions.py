"""A small invented game in German, Italian and English; the English edition is the source of the
others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.model import Edition, Kind
from index.library.library import Library, make_library
from tests.service.harbour import Book

GAME = "nebelpost"
GERMAN, ITALIAN, ENGLISH, OLDER_ENGLISH = (
    "nebelpost-de-1.0",
    "nebelpost-it-1.0",
    "nebelpost-en-1.0",
    "nebelpost-en-0.9",
)
_TITLES = {"de": "Nebelpost Regelbuch", "it": "Posta di Nebbia Regolamento", "en": "Fog Mail Rules"}

# By concept: for each language the heading and its passages, in the book's order.
ENTRIES: dict[str, dict[str, tuple[str, ...]]] = {
    "balloon": {
        "de": (
            "BALLON",
            "Ein Ballon von Ada Quill trägt 3 Briefe.",
            "Ohne Gas sinkt ein Ballon um 7 Meter nach Port Mire.",
        ),
        "it": (
            "PALLONE",
            "Un pallone di Ada Quill porta 3 lettere.",
            "Senza gas un pallone scende di 7 metri verso Port Mire.",
        ),
        "en": (
            "BALLOON",
            "A balloon of Ada Quill carries 3 letters.",
            "Without gas a balloon sinks by 7 metres towards Port Mire.",
        ),
    },
    "letter": {
        "de": ("BRIEF", "Ein Brief an Gus Tarn zählt 20 Punkte."),
        "it": ("LETTERA", "Una lettera a Gus Tarn vale 20 punti."),
        "en": ("LETTER", "A letter to Gus Tarn is worth 20 points."),
    },
    "storm": {
        "de": ("STURM", "Im Sturm verliert jeder Ballon 1 Brief."),
        "it": ("TEMPESTA", "Nella tempesta ogni pallone perde 1 lettera."),
    },
    "tower": {
        "de": ("TURM", "Der Turm von Old Fenn nimmt 55 Briefe auf."),
        "en": ("TOWER", "The tower of Old Fenn holds 55 letters."),
    },
}


def three_editions(editions: Sequence[str] = (GERMAN, ITALIAN, ENGLISH)) -> Library:
    """Return the library of some editions of the game."""
    books = [_book(edition) for edition in editions]
    concepts = {
        f"{edition}/{concept}": f"{GAME}/{concept}"
        for edition in editions
        for concept in _concepts(edition)
    }
    return make_library([book.rulebook() for book in books], [], {}, concepts)


def _concepts(edition: str) -> Iterable[str]:
    return (concept for concept, texts in ENTRIES.items() if _language(edition) in texts)


def _language(edition: str) -> str:
    return edition.split("-")[1]


def _book(edition: str) -> Book:
    language = _language(edition)
    texts = {concept: ENTRIES[concept][language] for concept in _concepts(edition)}
    described = Edition(
        edition, GAME, language, edition.rpartition("-")[2], _TITLES[language], "capitals"
    )
    book = Book(
        f"{edition}.txt", "\n\n".join("\n\n".join(parts) for parts in texts.values()), described
    )
    for concept, (heading, *passages) in texts.items():
        book.entry(Kind.TERM, concept, heading, title=heading.title())
        for passage in passages:
            book.passage(passage)
    return book
