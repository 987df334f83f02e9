"""The permanent link of a ruling sheet: all that it shows is in its address, the passages by their ids and by hashes of their words.

Nothing is stored for a link, and no words are in it: those that a sheet shows come from an index, or from what an index has left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

import segno

FILTERS = ("edition", "game", "document", "language", "layers", "as_of", "context")  # what the question was asked with

_HASH = re.compile(r"[0-9a-f]{12}")
_LONGEST_ID = 500
MOST_BYTES = 700  # of an address: a QR code of more has modules too small for a telephone on 30 mm of paper
_QUIET = 4  # modules of white around the code, as ISO/IEC 18004 wants


class PassageKey(NamedTuple):
    """A passage by its id, and the `quotation_hash` of the words that are cited; "" for those that stand there now."""

    id: str
    hash: str = ""

    @classmethod
    def parse(cls, text: str) -> PassageKey:
        """What `written` made ``text`` of."""
        id, _, hash = text.rpartition("~")
        return cls(id[:_LONGEST_ID], hash) if id and _HASH.fullmatch(hash) else cls(text[:_LONGEST_ID])

    def written(self) -> str:
        """Both as a link has them: "pegelwacht-de-1.1/pegelflut#0~3f9a0c12d4e5"."""
        return f"{self.id}~{self.hash}" if self.hash else self.id


@dataclass(frozen=True)
class SheetLink:
    """What a link says: the question, "" for none, the `FILTERS` it was asked with, the passages, and the day it was made (ISO 8601)."""

    question: str
    filters: Mapping[str, str]
    passages: tuple[PassageKey, ...]
    made: str = ""

    def address(self) -> str:
        """The address of the sheet."""
        named = {"q": self.question, **{name: self.filters[name] for name in FILTERS if self.filters.get(name)}}
        told = [(name, value) for name, value in named.items() if value]
        told += [("passage", key.written()) for key in self.passages] + ([("made", self.made)] if self.made else [])
        return f"/sheet?{urlencode(told, safe='/~,')}"

    def qr_svg(self, base: str) -> str:
        """Return the QR code of the link on the service at ``base`` as an SVG element that takes the size of what is around it.

        It has the passages alone where the question makes the address too long to be read.
        """
        address = f"{base.rstrip('/')}{self.address()}"
        if len(address) > MOST_BYTES:
            address = f"{base.rstrip('/')}{SheetLink('', {}, self.passages, self.made).address()}"
        code = segno.make(address, error="l", micro=False)
        return code.svg_inline(omitsize=True, border=_QUIET, light="#ffffff", svgclass="qr", lineclass=None)
