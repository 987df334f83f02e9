"""What the sample rulebooks really say: the files of `corpus/sample/truth`, held against their schema.

One file a document, of the same name. ``entries`` are all entries in document order; a field that stands there
(``number``, ``card``, ``product``, ``title``) is checked, one that does not is not. ``lines`` are first and last line
without figures behind the last text. ``references`` are all references of the document, unless
``all_references: false`` says that only some are listed; an ``optional`` one may be found or not, but not with
another target. ``problem`` is null where nothing is wrong. ``furniture`` are the lines that are no text, ``see_lists``
those that are lists of references. ``passages`` are the ones that are torn, restored or escaped: each must stand
in one passage that covers its ``lines``. ``faults`` say what is planted where, for people.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus import facts
from corpus.model import Kind, Role
from glossary.model import Problem, ReferenceKind

FOLDER = Path(__file__).resolve().parent.parent / "corpus" / "sample" / "truth"

_LINE = {"type": "integer", "minimum": 1}
_LINES = {"type": "array", "items": _LINE, "minItems": 2, "maxItems": 2}
_TEXT = {"type": "string", "minLength": 1}
_MAYBE = {"type": ["string", "null"], "minLength": 1}


def _each(required: list[str], **properties: Any) -> dict[str, Any]:
    item = {"type": "object", "additionalProperties": False, "required": required, "properties": properties}
    return {"type": "array", "items": item}


SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["entries", "furniture", "faults"],
    "properties": {
        "entries": _each(
            ["kind", "heading", "lines", "parent"],
            kind={"enum": list(Kind)},
            heading=_TEXT,
            lines=_LINES,
            parent=_MAYBE,
            number=_MAYBE,
            card=_MAYBE,
            product=_MAYBE,
            title=_TEXT,
        ),
        "all_references": {"type": "boolean"},
        "references": _each(
            ["line", "raw", "target", "target_line"],
            line=_LINE,
            raw=_TEXT,
            target=_MAYBE,
            target_line={"type": ["integer", "null"]},
            kind={"enum": list(ReferenceKind)},
            problem={"enum": [None, *Problem]},
            optional={"type": "boolean"},
        ),
        "furniture": {"type": "array", "items": {"anyOf": [_LINE, _LINES]}},
        "see_lists": {"type": "array", "items": _LINE},
        "passages": _each(
            ["lines"],
            lines=_LINES,
            spans_count=_LINE,
            display_starts=_TEXT,
            display_contains=_TEXT,
            role={"enum": list(Role)},
            depth={"type": "integer", "minimum": 0},
        ),
        "index": _each(["line", "name", "pages"], line=_LINE, name=_TEXT, pages={"type": "array", "items": _LINE}),
        "faults": _each(["line", "sort"], line=_LINE, sort=_TEXT, note=_TEXT),
    },
}


def truths() -> dict[str, Any]:
    """Every truth file by the name that it shares with its document. Raises `facts.FactsFault` where one is faulty."""
    return {path.stem: facts.load(path, SCHEMA) for path in sorted(FOLDER.glob("*.yaml"))}


def lines(ranges: list[Any]) -> set[int]:
    """Line numbers and ranges of them as a set."""
    return {n for r in ranges for n in (range(r[0], r[1] + 1) if isinstance(r, list) else (r,))}
