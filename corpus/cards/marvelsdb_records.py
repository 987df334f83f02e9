"""The fields of the records of marvelsdb-json-data that are read, as its README describes them."""

from __future__ import annotations

from pydantic import Field

from corpus.cards.folder import Code, Day, FullName, Name, RecordFields, Text


class MarvelName(RecordFields):
    """A record of packs, types or whatever else has names."""

    code: Code
    name: FullName
    date_release: Day | None = None
    position: int | None = None


class MarvelTexts(RecordFields):
    """What a record has in every language."""

    code: Code
    name: Name | None = None
    subname: Name | None = None
    traits: Name | None = None
    text: Text | None = None
    scheme_text: Text | None = Field(default=None, alias="scheme text")
    flavor: Text | None = None
    back_name: Name | None = None
    back_text: Text | None = None
    back_flavor: Text | None = None


class MarvelCard(MarvelTexts):
    """A record of a card in English."""

    pack_code: Code
    position: int | None = None
    type_code: Name = ""
    duplicate_of: Code | None = None
    back_link: Code | None = None
    double_sided: bool | None = None
    is_unique: bool | None = None
    errata: Text | None = None
