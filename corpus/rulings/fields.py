"""The fields of a ruling in the described form, which YAML and CSV have in common, and the ruling
that they make.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError

from corpus.cards.files import pointer
from corpus.data_files import Fields
from corpus.rulings.collection import RulingFault, short, shown_field
from corpus.rulings.model import Authority, Basis, Ruling
from corpus.rulings.source_files import SourceFile
from corpus.sourced_text import SourcedText, StringSource

LONGEST = 20_000  # characters of a question or an answer
MOST_CARDS = 50

_CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    if _CONTROL.search(text):
        raise ValueError("has control characters")
    return text


def _on_one_line(text: str) -> str:
    if _NAME.search(text):
        raise ValueError("has line ends or control characters")
    return text.strip()


def _day(value: Any) -> Any:
    return (
        value.isoformat()
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        else value
    )


def _real_day(text: str) -> str:
    if text:
        try:
            known = datetime.date.fromisoformat(text).isoformat() == text
        except ValueError:
            known = False
        if not known:
            raise ValueError("is no day such as 2025-03-02")
    return text


def _web_address(text: str) -> str:
    if text:
        try:
            parts = urlsplit(text)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"\s", text):
            raise ValueError("is no web address such as https://example.org/faq")
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


ID_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,99}$"
Id = Annotated[str, Field(pattern=ID_PATTERN)]
Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(_said)]
Line = Annotated[str, Field(max_length=300), AfterValidator(_on_one_line)]
Name = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_on_one_line)]
Day = Annotated[str, BeforeValidator(_day), AfterValidator(_real_day)]
Address = Annotated[
    str, Field(max_length=2_000), AfterValidator(_on_one_line), AfterValidator(_web_address)
]
WordingHash = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]


class BasisFields(Fields):
    """A rule that a ruling rests on. `corpus.rulings.model.Basis` explains the fields."""

    entry: Line = ""
    number: Line = ""
    wording: WordingHash = ""

    def basis(self) -> Basis:
        """What these fields say."""
        return Basis(self.entry, self.number, self.wording)


class RulingFields(Fields):
    """A ruling as a file has it. `corpus.rulings.model.Ruling` explains the fields; ``supersedes``
    are ids of rulings of the game.
    """

    id: Id
    question: Text | None = None
    answer: Text
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
    cards: Annotated[list[Name], Field(max_length=MOST_CARDS), BeforeValidator(_listed)] = Field(
        default_factory=list
    )
    date: Day = ""
    authority: Annotated[Authority, Field(strict=False)]
    source: Line = ""
    url: Address = ""
    rests_on: Annotated[list[BasisFields], Field(max_length=MOST_CARDS)] = Field(
        default_factory=list
    )
    superseded_by: Id | None = None
    supersedes: Annotated[list[Id], Field(max_length=MOST_CARDS), BeforeValidator(_listed)] = Field(
        default_factory=list
    )
    author: Line = ""

    def ruling(self, game: str, question: StringSource | None, answer: StringSource) -> Ruling:
        """The ruling of ``game`` that these fields are; its texts stand at ``question`` and
        ``answer``.
        """
        return Ruling(
            id=f"{game}/{self.id}",
            game=game,
            authority=self.authority,
            date=self.date,
            cards=tuple(dict.fromkeys(self.cards)),
            question=SourcedText(self.question, self.language, question)
            if self.question is not None and question
            else None,
            answer=SourcedText(self.answer, self.language, answer),
            source=self.source,
            url=self.url,
            bases=tuple(each.basis() for each in self.rests_on if each.entry or each.number),
            superseded_by=f"{game}/{self.superseded_by}" if self.superseded_by else "",
            author=self.author,
        )


RULING = TypeAdapter(RulingFields)


def fields_of(data: Any, file: SourceFile, at: tuple[str | int, ...]) -> RulingFields | RulingFault:
    """The fields that ``data``, the value at ``at`` in ``file``, has; a fault where it is no
    ruling.
    """
    if not isinstance(data, dict):
        return RulingFault(file.name, pointer(*at), "is no ruling: not a mapping")
    try:
        return RULING.validate_python(
            {name: value for name, value in data.items() if value is not None}
        )
    except (ValidationError, RecursionError) as fault:
        return RulingFault(file.name, pointer(*at), _message(fault))


def _message(fault: ValidationError | RecursionError) -> str:
    if isinstance(fault, RecursionError):
        return "is nested too deep; left out"
    first = fault.errors(include_url=False, include_input=False)[0]
    return f"{short(shown_field(first['loc']))}: {short(first['msg'].removeprefix('Value error, '))}; left out"
