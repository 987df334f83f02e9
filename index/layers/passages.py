"""Convert rulings and texts of cards to passages, which are quoted like passages of rulebooks.

Their spans are offsets in the string of a `corpus.sourced_text.StringSource`, not in lines. Their
entries have ids such as "rulings/pegelwacht/7" or "cards/pegelwacht/12".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from corpus.cards.model import Card, CardErratum, CardFace, CardText, TextKind, name_in
from corpus.model import Lines, Passage, Role, Span
from corpus.rulings.model import QuotedPart, Ruling
from corpus.sourced_text import SourcedText

QUESTION, ANSWER = 0, 1  # ordinals of the passages of a ruling


class Layer(StrEnum):
    """The kinds of sources that an answer may quote."""

    RULEBOOK = "rulebook"
    RULINGS = "rulings"
    CARDS = "cards"


class CardPassage(NamedTuple):
    """A text of a ``card``, printed or from an ``erratum``; ``replaced`` is the old text that an
    erratum quotes.
    """

    card: Card
    text: CardText
    ordinal: int
    erratum: CardErratum | None = None
    replaced: bool = False

    def name(self, language: str) -> str:
        """Return the name of the card in ``language``, with the name of the face if not the first,
        "Hulk – Bruce Banner", and its stage, "Rhino II".
        """
        first = self.card.faces[0]
        own = name_in(self.face.names, language)
        other = f" – {own}" if own != name_in(first.names, language) else ""
        return f"{self.card.name(language)}{other} {self.face.stats.get('stage', '')}".rstrip()

    @property
    def face(self) -> CardFace:
        """The face that this text is printed on; the first one if an erratum alone has it."""
        faces = self.card.faces
        return next((face for face in faces if self.text in face.texts), faces[0])

    @property
    def passage(self) -> Passage:
        """This text as a plain passage."""
        return _passage(
            f"{Layer.CARDS}/{self.card.game}/{self.card.id}",
            self.ordinal,
            self.text.quoted,
            Span(0, len(self.text.quoted.text)),
            self.text.display,
            self.replaced,
        )


def ruling_passages(ruling: Ruling) -> Iterator[Passage]:
    """Yield the question of ``ruling``, if it has one, and its answer."""
    asked = ruling.asked
    if asked:
        yield _ruling_part(ruling, asked, QUESTION)
    answer = _ruling_part(ruling, ruling.answered, ANSWER)
    yield replace(answer, lead_in=asked.text) if asked else answer


def ruling_passage(ruling: Ruling) -> Passage:
    """Return the answer of ``ruling`` as a passage; its question, if any, is the lead-in."""
    *_, answer = ruling_passages(ruling)
    return answer


def _ruling_part(ruling: Ruling, part: QuotedPart, ordinal: int) -> Passage:
    entry, replaced = f"{Layer.RULINGS}/{ruling.id}", bool(ruling.superseded_by)
    return _passage(entry, ordinal, part.quoted, part.span, part.text, replaced)


def card_passages(card: Card) -> Iterator[CardPassage]:
    """Yield the rules texts of ``card`` and of its errata, in all languages."""
    texts: list[tuple[CardText | None, CardErratum | None, bool]] = [
        (text, None, False) for text in card.texts()
    ]
    for erratum in card.errata:
        of_erratum = ((erratum.new, False), (erratum.note, False), (erratum.old, True))
        texts += [(text, erratum, replaced) for text, replaced in of_erratum if text]
    for ordinal, (text, of, replaced) in enumerate(texts):
        if text and text.kind is TextKind.RULES:
            yield CardPassage(card, text, ordinal, of, replaced)


def texts_in(card: Card, language: str, as_of: str | None = None) -> list[CardPassage]:
    """Return the rules texts of ``card`` in ``language``, otherwise in English or any language, and
    the valid texts of its errata dated up to the day ``as_of``.

    Errata of one day are returned in one language: before the card's texts if in the same language
    as these, otherwise after them. Identical texts are returned once.
    """
    printed: list[CardPassage] = []
    errata: dict[str, list[CardPassage]] = {}
    for text in card_passages(card):
        if text.replaced:
            continue
        if text.erratum is None:
            printed.append(text)
        elif as_of is None or text.erratum.date <= as_of:
            errata.setdefault(text.erratum.date or str(text.ordinal), []).append(text)
    printed = _spoken(printed, language)
    read = {text.text.quoted.language for text in printed}
    corrected = [text for some in errata.values() for text in _spoken(some, language)]
    before = [text for text in corrected if not read or text.text.quoted.language in read]
    behind = [text for text in corrected if text not in before]
    quoted: dict[str, CardPassage] = {}
    for text in (*before, *printed, *behind):
        quoted.setdefault(" ".join(text.text.display.split()), text)
    return list(quoted.values())


def _spoken(texts: Sequence[CardPassage], language: str) -> list[CardPassage]:
    """Return the texts in ``language``; if there are none, those in English, or in the language of
    the first text.
    """
    languages = [text.text.quoted.language for text in texts]
    wanted = next((code for code in (language, "en", *languages) if code in languages), "")
    return [text for text in texts if text.text.quoted.language == wanted]


def _passage(
    entry: str, ordinal: int, quoted: SourcedText, span: Span, display: str, replaced: bool
) -> Passage:
    return Passage(
        id=f"{entry}#{ordinal}",
        entry=entry,
        ordinal=ordinal,
        role=Role.VOID if replaced else Role.TEXT,
        depth=0,
        spans=(span,),
        lines=Lines(0, 0),
        text=quoted.text[span.start : span.end],
        display=display,
    )
