"""Reads a file of reviews that comes back, XLIFF, XLSX or DOCX, whatever somebody has put into it."""

from __future__ import annotations

import re
from collections import Counter

from corpus.formats.format import UnreadableFile
from corpus.formats.shared.zip_package import MAGIC, ZipPackage, parse_xml
from service.editions.reviewed.review_file import ReviewFile, UnreadableReviews, table_file
from service.editions.reviewed.tables import read_docx, read_xlsx
from service.editions.reviewed.xliff_units import read_xliff

LARGEST = 16_000_000  # bytes of a file; that of Marvel Champions, 1,200 units, has 1.8 million as XLIFF
LARGEST_UNPACKED = 64_000_000  # bytes of all its parts

_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def read_review_file(raw: bytes) -> ReviewFile:
    """Return what ``raw`` has, whichever of the three formats it is in. Raises `UnreadableReviews`."""
    if len(raw) > LARGEST:
        raise UnreadableReviews(f"the file has {len(raw):,} bytes, more than a file of reviews can have ({LARGEST:,}); nothing was taken")
    try:
        if not raw.startswith(MAGIC):
            if not _XML_START.match(raw):
                raise UnreadableReviews("the file is neither XLIFF nor XLSX nor DOCX; nothing was taken")
            found = read_xliff(parse_xml(raw))
        else:
            package = _checked(ZipPackage(raw))
            if "xl/workbook.xml" in package:
                found = table_file(read_xlsx(raw))
            elif "word/document.xml" in package:
                found = table_file(read_docx(package))
            else:
                raise UnreadableReviews("the file is neither XLIFF nor XLSX nor DOCX; nothing was taken")
    except UnreadableFile as fault:
        raise UnreadableReviews(f"the file cannot be read: {fault}; nothing was taken") from fault
    return _without_repeated_ids(found)


def _checked(package: ZipPackage) -> ZipPackage:
    """Return ``package`` if no part of it is a macro, defines entities or is written otherwise than office programs do."""
    total = 0
    for name in package.names():
        if name.lower().endswith("vbaproject.bin") or "/macros/" in f"/{name.lower()}":
            raise UnreadableReviews("the file has macros; save it without them, as .xlsx or .docx. Nothing was taken")
        raw = package.read(name)
        total += len(raw)
        if total > LARGEST_UNPACKED:
            raise UnreadableReviews(f"the file unpacks to more than {LARGEST_UNPACKED:,} bytes; nothing was taken")
        if name.lower().endswith((".xml", ".rels")) and (not _XML_START.match(raw) or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw):
            raise UnreadableReviews("the file has XML that no office program writes; open it and save it again. Nothing was taken")
    return package


def _without_repeated_ids(found: ReviewFile) -> ReviewFile:
    repeated = [id for id, count in Counter(line.id for line in found.lines).items() if count > 1]
    if repeated:
        places = ", ".join(line.place for line in found.lines if line.id == repeated[0])
        more = f" and {len(repeated) - 1} more ids" if len(repeated) > 1 else ""
        raise UnreadableReviews(f"the id {repeated[0]} stands in several places ({places}){more}; nothing was taken")
    return found
