"""Editions: which rulebook a document is, told from its content, and what is special about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corpus import facts, language
from corpus.document import Document
from corpus.layouts import LAYOUTS, recognise
from corpus.model import Correction, Edition, Fault

FOLDER = Path(__file__).parent / "editions"
HEAD = 40  # lines with text in which a document's title and version stand

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "game", "language", "version", "title", "layout", "recognise"],
    "properties": {
        "id": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9.-]*$"},
        "game": {"type": "string", "pattern": r"^[a-z0-9-]+$"},
        "language": {"enum": ["de", "it"]},
        "version": {"type": "string"},
        "title": {"type": "string"},
        "layout": {"enum": sorted(LAYOUTS)},
        "fallback": {"type": "string"},
        "names": {"type": "object", "additionalProperties": {"type": "string"}},
        "recognise": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "corrections": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["line", "fault", "printed", "why"],
                "properties": {
                    "line": {"type": "integer", "minimum": 1},
                    "through": {"type": "integer", "minimum": 1},
                    "fault": {"enum": [fault.value for fault in Fault]},
                    "printed": {"type": "string"},
                    "meant": {"type": ["string", "integer", "null"]},
                    "why": {"type": "string", "minLength": 3},
                },
            },
        },
    },
}


@dataclass(frozen=True)
class _Known:
    edition: Edition
    recognise: tuple[str, ...]


@cache
def known(folder: Path = FOLDER) -> tuple[_Known, ...]:
    """The editions described in ``folder``, in order of file names. Raises `facts.FactsFault` where a file is faulty."""
    return tuple(_load(path) for path in sorted(folder.glob("*.yaml")))


def _load(path: Path) -> _Known:
    data = facts.load(path, SCHEMA)
    corrections = tuple(
        Correction(c["line"], Fault(c["fault"]), c["printed"], c.get("meant"), c["why"], c.get("through", c["line"]))
        for c in data.get("corrections", [])
    )
    edition = Edition(
        id=data["id"],
        game=data["game"],
        language=data["language"],
        version=data["version"],
        title=data["title"],
        layout=data["layout"],
        corrections=corrections,
        fallback=data.get("fallback"),
        names=data.get("names", {}),
    )
    return _Known(edition, tuple(_plain(line) for line in data["recognise"]))


def _plain(line: str) -> str:
    return " ".join(re.sub(r"[*_#]", "", line).split()).casefold()


def identify(document: Document, folder: Path = FOLDER) -> Edition | None:
    """The edition of ``document``: the described one whose every `recognise` line stands among its first lines.

    A document that none describes but whose layout is known gets a generic edition, its language detected from
    its text. None where it has no layout that we can read.
    """
    head = [plain for line in document.lines if (plain := _plain(line.text))][:HEAD]
    fitting = [k for k in known(folder) if all(line in head for line in k.recognise)]
    if fitting:
        return max(fitting, key=lambda k: len(k.recognise)).edition
    layout = recognise(document)
    if layout is None:
        return None
    return _generic(document, layout)


def _generic(document: Document, layout: str) -> Edition:
    spoken = language.detect(document.text[:20_000]) or "de"
    name = f"unknown-{spoken}-{document.sha256[:8]}"
    version = next((m.group(1) for line in document.lines[:200] if (m := _VERSION.search(line.text))), "")
    return Edition(
        id=name,
        game=name,
        language=spoken,
        version=version,
        title={"de": "Unbekanntes Regelwerk", "it": "Regolamento sconosciuto"}.get(spoken, "Unknown rulebook"),
        layout=layout,
        known=False,
    )


_VERSION = re.compile(r"\b[Vv](?:ERSION|ersion|ERSIONE|ersione)\W+(\d+(?:\.\d+)*\w*)")
