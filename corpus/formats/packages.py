"""Reads documents that are ZIP archives of XML (DOCX, ODT, EPUB) safely, even malicious ones."""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib
from typing import Any

from lxml import etree

from corpus.formats import UnreadableFile

LARGEST_PART = 40_000_000  # bytes, unpacked
LARGEST_PACKAGE = 200_000_000  # bytes of all parts that are read, unpacked
MOST_PARTS = 20_000
DENSEST = 400  # unpacked bytes for one packed; rulebooks have 3 to 10, empty table cells up to 200
DENSE_FROM = 5_000_000  # bytes; the density of smaller parts does not matter

DAMAGED = "damaged: open it in the program that made it and save it again"
_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError),
    *(KeyError, IndexError, OverflowError, NotImplementedError),
)


class ZipPackage:
    """The parts of an archive by name. Raises `UnreadableFile` if it is damaged, encrypted or a
    decompression bomb.
    """

    def __init__(self, raw: bytes):
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(raw))
            members = self._archive.infolist()
        except _FAULTS as error:
            raise UnreadableFile(DAMAGED) from error
        if len(members) > MOST_PARTS:
            raise UnreadableFile(
                f"has {len(members):,} parts; no rulebook has more than {MOST_PARTS:,}"
            )
        self._members = {member.filename: member for member in members}
        self._left = LARGEST_PACKAGE

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> list[str]:
        """Return the names of all parts, in the order of the archive."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of the part ``name``. Raises `UnreadableFile`, also if it is
        missing.
        """
        member = self._members.get(name)
        if member is None:
            raise UnreadableFile(
                f"damaged: its part {_printable(name)} is missing; open it and save it again"
            )
        if member.flag_bits & 0x1:
            raise UnreadableFile("encrypted; save it without a password")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadableFile(
                "packed in a way that documents are not; open it and save it again"
            )
        try:
            with self._archive.open(member) as part:
                raw = part.read(LARGEST_PART + 1)
        except _FAULTS as error:
            raise UnreadableFile(DAMAGED) from error
        self._left -= len(raw)
        dense = len(raw) > DENSE_FROM and len(raw) > DENSEST * max(member.compress_size, 1)
        if len(raw) > LARGEST_PART or self._left < 0 or dense:
            raise UnreadableFile(
                f"unpacks to more than a rulebook can have ({LARGEST_PART:,} bytes in one part)"
            )
        return raw

    def xml(self, name: str) -> Any:
        """Return the root element of the XML part ``name``. Raises `UnreadableFile`."""
        return parse_xml(self.read(name))


def parse_xml(raw: bytes) -> Any:
    """Return the root element of ``raw``; nothing external is loaded. Raises `UnreadableFile` if it
    is not XML or defines entities.
    """
    if re.search(rb"<!\s*(?:ENTITY|DOCTYPE)", raw[:100_000]) and b"<!ENTITY" in raw:
        raise UnreadableFile(
            "its XML defines entities, which no office program writes; open it and save it again"
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFile(
            f"damaged XML ({_printable(str(error))[:80]}): open it and save it again"
        ) from error


def part_name(base: str, target: str) -> str:
    """Return the name of the part to which ``target`` in the part ``base`` refers."""
    path = target[1:] if target.startswith("/") else posixpath.join(posixpath.dirname(base), target)
    return posixpath.normpath(path).lstrip("./")


def whole_number(text: str | None, default: int = 0) -> int:
    """Return ``text`` as a whole number, or ``default`` if it is not one."""
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text) else default


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
