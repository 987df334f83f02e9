"""ODT, by its XML. Macros, embedded objects, comments and deleted text are passed over."""

from __future__ import annotations

from corpus.blocks import ExtractedText
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.odt.odt_reader import OdtReader
from corpus.formats.odt.odt_styles import OdtStyles
from corpus.formats.odt.odt_xml import META, OFFICE
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.shared.text_assembler import TextAssembler, with_blocks
from corpus.formats.shared.zip_package import MAGIC, ZipPackage

_TYPE = b"mimetypeapplication/vnd.oasis.opendocument.text"
_TYPE_AT = 30  # the type is the first part of the archive, and not packed (ODF 1.3, part 2, 3.3)


def fits(raw: bytes) -> bool:
    """Whether ``raw`` is a ZIP archive that calls itself a text document."""
    return raw.startswith(MAGIC) and (raw.startswith(_TYPE, _TYPE_AT) or _TYPE in raw[:200])


def extract(raw: bytes) -> ExtractedText:
    """The text of the document ``raw``. Raises `UnreadableFile`."""
    package = ZipPackage(raw)
    if "META-INF/manifest.xml" in package and b"encryption-data" in package.read(
        "META-INF/manifest.xml"
    ):
        raise UnreadableFile("encrypted; save it without a password")
    content = package.xml("content.xml")
    common = package.xml("styles.xml") if "styles.xml" in package else None
    body = content.find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        raise UnreadableFile("damaged: it has no text of a document; open it and save it again")
    assembler = TextAssembler()
    OdtReader(OdtStyles(common, content), assembler).read(body, common)
    title = package.xml("meta.xml").findtext(f".//{META}title") if "meta.xml" in package else ""
    found = assembler.finished(title=title or "")
    if not found.text.strip():
        raise UnreadableFile(
            "a document without text; if its pages are images, save it as PDF and run OCR on it"
        )
    return with_blocks(found, mark_contents(found.blocks, found.text))


ODT = ExtractedFormat("odt", fits, extract)
