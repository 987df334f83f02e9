"""Cards as compact lists that JSON has, for keeping them in files: places in files are told once
for each file of a card.
"""

from __future__ import annotations

from typing import Any

from corpus.cards.model import Card, CardErratum, CardFace, CardText, Printing, TextKind
from corpus.sourced_text import SourcedText, StringSource

_KINDS = tuple(TextKind)


def card_record(card: Card) -> list[Any]:
    """``card`` as a list of strings, numbers, lists and objects; `card_from_record` makes the card
    of it again.
    """
    files: dict[tuple[str, str], int] = {}

    def text(each: CardText | None) -> list[Any] | None:
        if each is None:
            return None
        quoted = each.quoted
        file = files.setdefault((quoted.source.file, quoted.source.sha256), len(files))
        shown = None if each.display == quoted.text else each.display
        return [
            _KINDS.index(each.kind),
            quoted.text,
            quoted.language,
            file,
            quoted.source.pointer,
            shown,
        ]

    faces = [
        [
            face.names,
            face.subtitles,
            face.type,
            face.traits,
            face.stats,
            [text(each) for each in face.texts],
            face.code,
        ]
        for face in card.faces
    ]
    errata = [[text(each.old), text(each.new), each.date, text(each.note)] for each in card.errata]
    printings = [list(each) for each in card.printings]
    return [
        card.id,
        card.game,
        card.slug,
        faces,
        printings,
        errata,
        card.formats,
        card.unique,
        [list(file) for file in files],
    ]


def card_from_record(record: list[Any]) -> Card:
    """The card that `card_record` made ``record`` of."""
    id, game, slug, faces, printings, errata, formats, unique, files = record

    def text(each: list[Any] | None) -> CardText | None:
        if each is None:
            return None
        kind, quoted, language, file, pointer, shown = each
        name, sha256 = files[file]
        source = StringSource(name, sha256, pointer)
        return CardText(
            _KINDS[kind], SourcedText(quoted, language, source), quoted if shown is None else shown
        )

    return Card(
        id,
        game,
        slug,
        tuple(
            CardFace(
                names, subtitles, type, traits, stats, tuple(filter(None, map(text, texts))), code
            )
            for names, subtitles, type, traits, stats, texts, code in faces
        ),
        tuple(Printing(*each) for each in printings),
        tuple(
            CardErratum(text(old), text(new), date, text(note)) for old, new, date, note in errata
        ),
        formats,
        unique,
    )
