"""Editions: which rulebook a document is, told from its content, and what is special about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from corpus import anchors, facts, kinship, language
from corpus.document import Document
from corpus.layouts import LAYOUTS, recognise
from corpus.model import Correction, Edition, Fault
from corpus.versions import version_key

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
        "sketch": {"type": "string", "pattern": r"^[0-9a-f]{8}( [0-9a-f]{8})*$"},
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
                    "anchor": {"type": "string", "pattern": anchors.PATTERN},
                },
            },
        },
    },
}


@dataclass(frozen=True)
class _Known:
    edition: Edition
    recognise: tuple[str, ...]
    sketch: tuple[str, ...]


@cache
def known(folder: Path = FOLDER) -> tuple[_Known, ...]:
    """The editions described in ``folder``, in order of file names. Raises `facts.FactsFault` where a file is faulty."""
    return tuple(_load(path) for path in sorted(folder.glob("*.yaml")))


def _load(path: Path) -> _Known:
    data = facts.load(path, SCHEMA)
    corrections = tuple(
        Correction(c["line"], Fault(c["fault"]), c["printed"], c.get("meant"), c["why"], c.get("through", c["line"]), c.get("anchor", ""))
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
    return _Known(edition, tuple(_plain(line) for line in data["recognise"]), tuple(data.get("sketch", "").split()))


def _plain(line: str) -> str:
    return " ".join(re.sub(r"[*_#]", "", line).split()).casefold()


def identify(document: Document, folder: Path = FOLDER) -> Edition | None:
    """The edition of ``document``: the described one whose every `recognise` line stands among its first lines.

    A document that none describes, but that has most of the text of one, gets an edition like that one's: it is taken
    for a newer version (see `relation`). Any other whose layout is known gets a generic edition, its language detected
    from its text. None where it has no layout that we can read.
    """
    head = _head(document)
    fitting = [k for k in known(folder) if all(line in head for line in k.recognise)]
    if fitting:
        return max(fitting, key=lambda k: len(k.recognise)).edition
    layout = recognise(document)
    if kin := _nearest(document, folder):
        return _newer(document, kin[0], layout, {k.edition.id for k in known(folder)})
    if layout is None:
        return None
    return _generic(document, layout)


def relation(document: Document, folder: Path = FOLDER) -> tuple[Edition, float] | None:
    """The described edition that most of the text of ``document`` is of, and how much of that edition's text it has (0.0 to 1.0).

    None where it has less of each than `kinship.LEAST`.
    """
    found = _nearest(document, folder)
    return (found[0].edition, found[1]) if found else None


def _nearest(document: Document, folder: Path) -> tuple[_Known, float] | None:
    found = kinship.runs(document.text)
    shares = [(k, kinship.share(k.sketch, found)) for k in known(folder)]
    most = max((share for _, share in shares), default=0.0)
    if most < kinship.LEAST:
        return None
    # An older version may be in it as a whole, and of the last some words not: that one is meant all the same.
    near = [pair for pair in shares if pair[1] >= max(kinship.LEAST, most - kinship.NEAR)]
    return max(near, key=lambda pair: (version_key(pair[0].edition.version), pair[1]))


def recognised_by(document: Document, edition: str, folder: Path = FOLDER) -> tuple[str, ...]:
    """Lines of ``document`` that stand where those do that the described ``edition`` is recognised by, its version bumped."""
    kin = next((k for k in known(folder) if k.edition.id == edition), None)
    if kin is None:
        return ()
    patterns = [re.compile(_bumped(line, kin.edition.version.casefold())) for line in kin.recognise]
    head = [line.text for line in document.lines if _plain(line.text)][:HEAD]
    found = (next((text for text in head if pattern.fullmatch(_plain(text))), None) for pattern in patterns)
    return tuple(" ".join(re.sub(r"[*_#]", "", text).split()) for text in found if text)


def _bumped(line: str, version: str) -> str:
    """A pattern for ``line`` with any other version in it than its own."""
    before, there, after = line.partition(version) if version else (line, "", "")
    return re.escape(before) + (r"(\d[\w.]*?)" + re.escape(after) if there else "")


def _head(document: Document) -> list[str]:
    return [plain for line in document.lines if (plain := _plain(line.text))][:HEAD]


def _newer(document: Document, kin: _Known, layout: str | None, taken: set[str]) -> Edition:
    """The edition of a ``document`` that is a newer version of ``kin``: what is known of that one, as far as it can be found again."""
    older = kin.edition
    version = _version(document, kin)
    stem = older.id.removesuffix(older.version).rstrip("-.")
    id = f"{stem}-{re.sub(r'[^a-z0-9.]', '', version.lower())}" if version else stem
    if not version or id in taken:
        id += f"-{document.sha256[:8]}"
    return replace(
        older,
        id=id,
        version=version or "?",
        layout=layout or older.layout,
        corrections=tuple(c for c in older.corrections if c.anchor),  # others may fit a line by chance
        known=False,
        succeeds=older.id,
    )


def _version(document: Document, kin: _Known) -> str:
    """The version that ``document`` prints where ``kin`` prints its own, else the first that it calls so; empty where there is none."""
    printed = kin.edition.version.casefold()
    for line in (line for line in kin.recognise if printed and printed in line):
        for other in _head(document):
            if found := re.fullmatch(_bumped(line, printed), other):
                return found.group(1)
    return _first_version(document)


def _first_version(document: Document) -> str:
    return next((m.group(1) for line in document.lines[:200] if (m := _VERSION.search(line.text))), "")


def _generic(document: Document, layout: str) -> Edition:
    spoken = language.detect(document.text[:20_000]) or "de"
    name = f"unknown-{spoken}-{document.sha256[:8]}"
    return Edition(
        id=name,
        game=name,
        language=spoken,
        version=_first_version(document),
        title={"de": "Unbekanntes Regelwerk", "it": "Regolamento sconosciuto"}.get(spoken, "Unknown rulebook"),
        layout=layout,
        known=False,
    )


_VERSION = re.compile(r"\b[Vv](?:ERSION|ersion|ERSIONE|ersione)\W+(\d+(?:\.\d+)*\w*)")
