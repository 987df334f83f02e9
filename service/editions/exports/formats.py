"""Common parts of all formats of exported files: options, regions of languages, CSV, JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Generic, ParamSpec

from corpus.errors import WrongUse
from glossary.comparison.pairings import NO_PAIRINGS, PairingBook
from glossary.comparison.reviews import NO_REVIEWS, ReviewBook
from service.core.i18n import N_, TranslatableText
from service.schemas.base import ResponseModel

P = ParamSpec("P")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Label, file extension, media type, and whether a format is binary.
FILE_TYPES = {
    "json": ("JSON", "json", "application/json", False),
    "html": ("HTML", "html", "text/html; charset=utf-8", False),
    "xlsx": ("Excel", "xlsx", _XLSX, True),
    "csv": ("CSV", "csv", "text/csv; charset=utf-8", False),
    "tbx": ("TBX", "tbx", "application/x-tbx", False),  # ISO 30042:2008
    "tbx3": ("TBX 3", "tbx", "application/x-tbx", False),  # ISO 30042:2019
    "tmx": ("TMX", "tmx", "application/x-tmx", False),
    "xliff": ("XLIFF", "xlf", "application/xliff+xml", False),
    "review-xlsx": ("Excel", "xlsx", _XLSX, True),
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A language of ISO 639-1 and a region of ISO 3166-1 or UN M.49, as BCP 47 writes them, with an
# optional script between them.
_PAIR = re.compile(
    r"(?P<language>[a-z]{2})=(?P<tag>(?P=language)(?:-[A-Z][a-z]{3})?-(?:[A-Z]{2}|[0-9]{3}))"
)


@dataclass(frozen=True)
class Format(Generic[P]):
    """A format of exported files; a ``binary`` one cannot be shown in a terminal."""

    label: str
    extension: str
    mimetype: str
    binary: bool
    write: Callable[P, bytes]


class NothingToExport(WrongUse, ValueError):
    """There is nothing to export in this format."""


def json_file(body: ResponseModel) -> bytes:
    """Return ``body`` as indented JSON."""
    return (body.model_dump_json(indent=1) + "\n").encode()


def strip_unprintable(text: str) -> str:
    """Return ``text`` without the control characters that XML and spreadsheets cannot hold."""
    return _UNPRINTABLE.sub("", text)


def csv_file(table: Iterable[Sequence[str | int]]) -> bytes:
    """Return a table as CSV, with a byte order mark by which spreadsheets recognise UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in table:
        cells = [strip_unprintable(str(cell)) for cell in row]
        # An apostrophe before it keeps a spreadsheet from running a heading as a formula.
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return text.getvalue().encode("utf-8-sig")


class WrongRegions(WrongUse, ValueError):
    """A choice of regions that cannot be read."""


def parse_regions(text: str | None) -> tuple[tuple[str, str], ...]:
    """Return the tags of languages that ``text`` names: ``de=de-DE,it=it-IT``. Raises
    `WrongRegions`.
    """
    found: dict[str, str] = {}
    for part in text.split(",") if text is not None else ():
        pair = _PAIR.fullmatch(part.strip())
        if pair is None or pair["language"] in found:
            text = N_(
                "%(part)s is not a language and its tag with a region; "
                "de=de-DE,it=it-IT would be two"
            )
            raise WrongRegions(TranslatableText(text, {"part": repr(part.strip())}))
        found[pair["language"]] = pair["tag"]
    return tuple(found.items())


@dataclass(frozen=True)
class ExportOptions:
    """Options of exports; a format ignores those that it does not know.

    Attributes:
        language: The language of a page for reading.
        doubtful: Whether to include segments that may be no true translation.
        pairings: Manual pairings.
        review: The value of a `ReviewStatus`.
        source: The id of the edition that the others were translated from.
        slang: Whether to add players' words to tables of terms.
        as_printed: Whether to keep known misprints in a translation memory.
        regions: Tags of languages for translation tools: ("de", "de-DE").
    """

    language: str = "en"
    doubtful: bool = False
    reviews: ReviewBook = NO_REVIEWS
    pairings: PairingBook = NO_PAIRINGS
    review: str = ""
    source: str | None = None
    slang: bool = False
    as_printed: bool = False
    regions: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """The options as texts, for the name of a stored file."""
        return tuple(str(getattr(self, each.name)) for each in fields(self))

    def tag(self, language: str) -> str:
        """Return the tag of ``language`` in files for translation tools."""
        return dict(self.regions).get(language, language)
