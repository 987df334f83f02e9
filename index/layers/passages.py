"""Rulings and texts of cards as passages: what is quoted of them, as passages are of rulebooks.

The spans of such a passage count the characters of the string in its file that
`corpus.sourced_text.StringSource` points at. It has no lines. Its entry is named by the ruling,
"rulings/pegelwacht/7", or by the card, "cards/pegelwacht/12".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from corpus.cards.model import Card, CardErratum, CardText, TextKind
from corpus.model import Lines, Passage, Role, Span
from corpus.rulings.model import QuotedPart, Ruling
from corpus.sourced_text import SourcedText
from index.layers.model import Layer

QUESTION, ANSWER = 0, 1  # ordinals of the passages of a ruling
_NO_LINES = Lines(0, 0)


class CardPassage(NamedTuple):
    """A text of a ``card``, printed on it or part of an ``erratum``: its new text or what is said
    of it; ``replaced`` is the old text.
    """

    card: Card
    text: CardText
    ordinal: int
    erratum: CardErratum | None = None
    replaced: bool = False

    @property
    def passage(self) -> Passage:
        """The same as a passage."""
        entry = f"{Layer.CARDS}/{self.card.game}/{self.card.id}"
        whole = Span(0, len(self.text.quoted.text))
        return _passage(
            entry,
            self.ordinal,
            self.text.quoted,
            whole,
            self.text.display,
            Role.VOID if self.replaced else Role.TEXT,
        )


def ruling_passage(ruling: Ruling) -> Passage:
    """The answer of ``ruling`` as a passage; its question, if it has one, leads in to it."""
    passage = _ruling_part(ruling, ruling.answered, ANSWER)
    return replace(passage, lead_in=ruling.asked.text) if ruling.asked else passage


def ruling_passages(ruling: Ruling) -> Iterator[Passage]:
    """The question of ``ruling``, if it has one, and its answer."""
    if asked := ruling.asked:
        yield _ruling_part(ruling, asked, QUESTION)
    yield ruling_passage(ruling)


def card_passages(card: Card) -> Iterator[CardPassage]:
    """The rules texts of ``card`` and of its errata, in all languages; what is told beside them
    rules nothing.
    """
    texts: list[tuple[CardText, CardErratum | None, bool]] = [
        (text, None, False) for text in card.texts()
    ]
    for erratum in card.errata:
        of_erratum = ((erratum.new, False), (erratum.note, False), (erratum.old, True))
        texts += [(text, erratum, replaced) for text, replaced in of_erratum if text is not None]
    for ordinal, (text, of, replaced) in enumerate(texts):
        if text.kind is TextKind.RULES:
            yield CardPassage(card, text, ordinal, of, replaced)


def texts_in(card: Card, language: str, as_of: str | None = None) -> list[CardPassage]:
    """Return the rules texts of ``card`` in ``language``, else in English, else in any, and what
    holds of its errata.

    Errata of each day are in one language; they stand before the texts, those in another language
    than these behind them. Errata later than the day ``as_of`` are left out. The same words stand
    there once: a corrected text is often the one that is printed by now.
    """
    texts = [text for text in card_passages(card) if not text.replaced]
    errata: dict[str, list[CardPassage]] = {}
    for text in texts:
        if text.erratum is not None and (as_of is None or text.erratum.date <= as_of):
            errata.setdefault(text.erratum.date or str(text.ordinal), []).append(text)
    printed = _spoken([text for text in texts if text.erratum is None], language)
    read = {text.text.quoted.language for text in printed}
    before: list[CardPassage] = []
    behind: list[CardPassage] = []
    for some in errata.values():
        corrected = _spoken(some, language)
        (before if not read or corrected[0].text.quoted.language in read else behind).extend(
            corrected
        )
    quoted: dict[str, CardPassage] = {}
    for text in (*before, *printed, *behind):
        quoted.setdefault(" ".join(text.text.display.split()), text)
    return list(quoted.values())


def _spoken(texts: Sequence[CardPassage], language: str) -> list[CardPassage]:
    """Those of ``texts`` in ``language``, else in English, else in the language of the first."""
    languages = [text.text.quoted.language for text in texts]
    wanted = next((code for code in (language, "en", *languages) if code in languages), "")
    return [text for text in texts if text.text.quoted.language == wanted]


def _ruling_part(ruling: Ruling, part: QuotedPart, ordinal: int) -> Passage:
    entry = f"{Layer.RULINGS}/{ruling.id}"
    return _passage(
        entry,
        ordinal,
        part.quoted,
        part.span,
        part.text,
        Role.VOID if ruling.superseded_by else Role.TEXT,
    )


def _passage(
    entry: str, ordinal: int, quoted: SourcedText, span: Span, display: str, role: Role
) -> Passage:
    return Passage(
        id=f"{entry}#{ordinal}",
        entry=entry,
        ordinal=ordinal,
        role=role,
        depth=0,
        spans=(span,),
        lines=_NO_LINES,
        text=quoted.text[span.start : span.end],
        display=display,
    )
