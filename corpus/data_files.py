"""Reads YAML data files: validates them with pydantic and reports every error with file, line and
field.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from corpus.errors import RegulaError

if TYPE_CHECKING:
    import yaml

T = TypeVar("T")


class DataFileError(RegulaError, ValueError):
    """A YAML file that cannot be read or does not fit its schema; the message names file, line and
    field.
    """


class Fields(BaseModel):
    """Base class of the mappings in data files: no conversion between types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


def load(path: Path, schema: TypeAdapter[T]) -> T:
    """The content of the YAML file at ``path``, validated by ``schema``.

    Raises `DataFileError` with "file:line: field: what is wrong" if the file cannot be read or does
    not fit ``schema``.
    """
    import yaml  # imported here because answering from an index needs no data files

    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataFileError(f"{path.name}:{line}: not YAML: {error.problem}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:  # no UTF-8, or a date that there is not
        raise DataFileError(f"{path.name}: cannot be read: {error}") from error
    try:
        return schema.validate_python({} if data is None else data)  # nothing, or comments alone
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        location = _location(data, first["loc"])
        # Only this second, slower parse has line numbers, so it is done only for files with an
        # error.
        line = _line(yaml.compose(text, Loader=yaml.CSafeLoader), location)
        message = first["msg"].removeprefix("Value error, ")
        raise DataFileError(f"{path.name}:{line}: {_field(location)}: {message}") from error


def stamped(folder: Path) -> list[tuple[Path, int]]:
    """The YAML files of ``folder`` in order of names, each with the time of its last change in
    nanoseconds; none where it is no folder.
    """
    return [(path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.yaml"))]


def _location(data: Any, steps: Sequence[str | int]) -> list[str | int]:
    """The path ``steps`` of a pydantic error in ``data``, without the steps that pydantic adds for
    members of a union and for keys.
    """
    location: list[str | int] = []
    for step in steps:
        if isinstance(data, dict) and step != "[key]":
            location.append(step)
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            location.append(step)
            data = data[step]
    return location


def _field(location: Sequence[str | int]) -> str:
    return (
        "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).lstrip(
            "."
        )
        or "file"
    )


def _line(node: yaml.Node | None, location: Sequence[str | int]) -> int:
    """The line, counted from 1, of the value at ``location`` below ``node``; the line of its key
    where it has one.
    """
    import yaml

    line = node.start_mark.line + 1 if node is not None else 1
    for step in location:
        if isinstance(node, yaml.MappingNode):
            key, node = next(
                ((key, value) for key, value in node.value if key.value == str(step)), (node, node)
            )
            line = key.start_mark.line + 1
        elif (
            isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value)
        ):
            node = node.value[step]
            line = node.start_mark.line + 1
    return line
