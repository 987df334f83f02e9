"""Names and attributes of WordprocessingML (ECMA-376, part 1), which DOCX consists of."""

from __future__ import annotations

import re
from typing import Any

from corpus.formats.format import UnreadableFile
from corpus.formats.shared.zip_package import ZipPackage, parse_xml, relative

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MAIN = "word/document.xml"
_STRICT = re.compile(
    rb"http://purl\.oclc\.org/ooxml/(wordprocessingml/main|officeDocument/relationships)"
)
_TRANSITIONAL = {
    b"wordprocessingml/main": W[1:-1].encode(),
    b"officeDocument/relationships": R[1:-1].encode(),
}
_OFF = frozenset({"0", "false", "off", "none"})


def value(parent: Any, path: str, attribute: str = "val") -> str | None:
    """The attribute of the element at ``path`` below ``parent`` ("pPr/pStyle"); None where there is
    none.
    """
    found = child(parent, path)
    return None if found is None else found.get(f"{W}{attribute}")


def child(parent: Any, path: str) -> Any:
    """The element at ``path`` below ``parent``, None where there is none."""
    return (
        None if parent is None else parent.find("/".join(f"{W}{name}" for name in path.split("/")))
    )


def switched(properties: Any, name: str) -> bool | None:
    """Whether the property ``name`` is on; None where nothing is said."""
    found = child(properties, name)
    return None if found is None else found.get(f"{W}val", "on") not in _OFF


def number(text: str | None, default: int = 0) -> int:
    """``text`` as a whole number, ``default`` where it is none."""
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text) else default


class DocxParts:
    """The parts of a DOCX package by what they are for. Raises `UnreadableFile`."""

    def __init__(self, raw: bytes):
        self._package = ZipPackage(raw)
        self.main = self._main()

    def _main(self) -> str:
        if "_rels/.rels" in self._package:
            for relation in parse_xml(self._package.read("_rels/.rels")):
                if (
                    relation.get("Type", "").endswith("/officeDocument")
                    and (name := relative("x", relation.get("Target", ""))) in self._package
                ):
                    return name
        if MAIN not in self._package:
            raise UnreadableFile("damaged: it has no text of a document; open it and save it again")
        return MAIN

    def xml(self, name: str) -> Any:
        """The root of the part ``name``, with the names of the transitional schema."""
        return parse_xml(
            _STRICT.sub(lambda match: _TRANSITIONAL[match[1]], self._package.read(name))
        )

    def relations(self) -> dict[str, tuple[str, str]]:
        """What the main part refers to: by id the last word of its type, and the name of the part
        or the address.
        """
        folder, _, file = self.main.rpartition("/")
        name = f"{folder}/_rels/{file}.rels".lstrip("/")
        if name not in self._package:
            return {}
        found = {}
        for relation in parse_xml(self._package.read(name)):
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = relative(self.main, target)
            found[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
        return found

    def related(self, relations: dict[str, tuple[str, str]], kind: str) -> list[Any]:
        """The roots of all parts of a ``kind`` ("styles", "header") that are there."""
        return [
            self.xml(target)
            for each, target in relations.values()
            if each == kind and target in self._package
        ]

    def title(self) -> str:
        """The title in the properties of the document."""
        if "docProps/core.xml" not in self._package:
            return ""
        return str(
            parse_xml(self._package.read("docProps/core.xml")).findtext(
                "{http://purl.org/dc/elements/1.1/}title"
            )
            or ""
        )
