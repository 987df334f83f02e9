"""The fields of the records of LorcanaJSON that are read."""

from __future__ import annotations

from pydantic import Field

from corpus.cards.folder import Day, FullName, Name, RecordFields, Text
from corpus.cards.lorcanajson_formats import Allowed


class LorcanaHistoric(RecordFields):
    """A wording that a card had, and the day until which it counted."""

    full_text: Text = Field(default="", alias="fullText")
    used_until: Day = Field(default="", alias="usedUntil")


class LorcanaPrinting(RecordFields):
    """A printing of a card in one language."""

    id: int = Field(ge=0, le=10**9)
    name: FullName
    version: Name | None = None
    full_text: Text = Field(default="", alias="fullText")
    sections: list[Text] = Field(default=[], alias="fullTextSections", max_length=100)
    flavour: Text | None = Field(default=None, alias="flavorText")
    full_identifier: Name = Field(default="", alias="fullIdentifier")
    set_code: Name = Field(default="", alias="setCode")
    type: Name = ""
    traits: Name = Field(default="", alias="subtypesText")
    rarity: Name = ""
    inkwell: bool = False
    errata: list[Text] = Field(default=[], max_length=100)
    historic: list[LorcanaHistoric] = Field(default=[], alias="historicData", max_length=100)
    formats: dict[Name, Allowed] = Field(default={}, alias="allowedInFormats", max_length=50)
    tournaments_from: Day | None = Field(default=None, alias="allowedInTournamentsFromDate")


class LorcanaSet(RecordFields):
    """A product."""

    name: FullName
    release: Day | None = Field(default=None, alias="releaseDate")
