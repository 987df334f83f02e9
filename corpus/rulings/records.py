"""Rulings as lists that JSON can hold, for the files of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpus.rulings.model import Authority, Basis, Ruling
from corpus.sourced_text import SourcedText, StringSource


def ruling_record(ruling: Ruling) -> list[Any]:
    """The record of ``ruling``; `ruling_from_record` makes an equal ruling of it."""
    question = None if ruling.question is None else _text_record(ruling.question)
    bases = [list(each) for each in ruling.bases]
    return [
        ruling.id, ruling.game, ruling.authority.value, ruling.date, list(ruling.cards), question, _text_record(ruling.answer),
        ruling.source, ruling.url, bases, ruling.superseded_by, ruling.author,
    ]  # fmt: skip


def ruling_from_record(record: Sequence[Any]) -> Ruling:
    """The ruling of a ``record``."""
    (
        id,
        game,
        authority,
        date,
        cards,
        question,
        answer,
        source,
        url,
        bases,
        superseded_by,
        author,
    ) = record
    return Ruling(
        id=id,
        game=game,
        authority=Authority(authority),
        date=date,
        cards=tuple(cards),
        question=None if question is None else _text(question),
        answer=_text(answer),
        source=source,
        url=url,
        bases=tuple(Basis(*each) for each in bases),
        superseded_by=superseded_by,
        author=author,
    )


def _text_record(text: SourcedText) -> list[str]:
    return [text.text, text.language, *text.source]


def _text(record: Sequence[str]) -> SourcedText:
    text, language, file, sha256, pointer = record
    return SourcedText(text, language, StringSource(file, sha256, pointer))
