"""Check the sample rulebooks against the files of `corpus/sample/truth`, which state their true
content, and these files against their schema.

Each document has a file of the same name. ``entries`` are all entries in document order; a field
that is given (``number``, ``card``, ``product``, ``title``) is checked, others are not. ``lines``
are the first and last line, without figures after the last text. ``references`` are all references
of the document, unless ``all_references: false`` says that only some are listed; an ``optional``
one may be missing, but must not have another target. ``problem`` is null where nothing is wrong.
``furniture`` are the lines that are not text, ``see_lists`` the lines of lists of references.
``passages`` are those that are torn, restored or escaped: each must be in one passage that covers
its ``lines``. ``faults`` describe the planted faults for people.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from corpus import data_files
from corpus.model import Kind, Role
from glossary.model import ReferenceKind, ReferenceProblem

FOLDER = Path(__file__).resolve().parent.parent / "corpus" / "sample" / "truth"

_Line = Annotated[int, Field(ge=1)]
_Lines = Annotated[list[_Line], Field(min_length=2, max_length=2)]
_Text = Annotated[str, Field(min_length=1)]


class EntryTruth(data_files.Fields):
    kind: Annotated[Kind, Field(strict=False)]
    heading: _Text
    lines: _Lines
    parent: _Text | None
    number: _Text | None = None
    card: _Text | None = None
    product: _Text | None = None
    title: _Text | None = None


class ReferenceTruth(data_files.Fields):
    line: _Line
    raw: _Text
    target: _Text | None
    target_line: int | None
    kind: Annotated[ReferenceKind | None, Field(strict=False)] = None
    problem: Annotated[ReferenceProblem | None, Field(strict=False)] = None
    optional: bool = False


class PassageTruth(data_files.Fields):
    lines: _Lines
    spans_count: _Line | None = None
    display_starts: _Text | None = None
    display_contains: _Text | None = None
    role: Annotated[Role | None, Field(strict=False)] = None
    depth: Annotated[int, Field(ge=0)] | None = None


class IndexItemTruth(data_files.Fields):
    line: _Line
    name: _Text
    pages: list[_Line]


class PlantedFault(data_files.Fields):
    line: _Line
    sort: _Text
    note: _Text | None = None


class Truth(data_files.Fields):
    entries: list[EntryTruth]
    furniture: list[_Line | _Lines]
    faults: list[PlantedFault]
    all_references: bool = True
    references: list[ReferenceTruth] = Field(default_factory=list)
    see_lists: list[_Line] = Field(default_factory=list)
    passages: list[PassageTruth] = Field(default_factory=list)
    index: list[IndexItemTruth] = Field(default_factory=list)


def truths() -> dict[str, dict[str, Any]]:
    """Return the fields of each truth file, by the name that it shares with its document.

    Raises `DataFileError` where a file does not fit the classes above.
    """
    schema = TypeAdapter(Truth)
    files = sorted(FOLDER.glob("*.yaml"))
    return {
        path.stem: data_files.load(path, schema).model_dump(mode="json", exclude_unset=True)
        for path in files
    }


def lines(ranges: list[Any]) -> set[int]:
    """Return line numbers and ranges of them as a set."""
    return {n for r in ranges for n in (range(r[0], r[1] + 1) if isinstance(r, list) else (r,))}
