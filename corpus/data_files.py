"""Reads YAML files: those of the project (validated with pydantic; errors name file, line and
field) and those from untrusted sources (with limits). Also caches parsed text files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from corpus.errors import RegulaError

if TYPE_CHECKING:  # elsewhere in functions, because answering from an index needs no data files
    import yaml

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
DEEPEST = 30  # the parser's own recursion ends the process, so deeper nesting must not reach it


class DataFileError(RegulaError, ValueError):
    """A data file that is unreadable or does not fit its schema; the message names the place."""


class Fields(BaseModel):
    """Base class for mappings in data files: no type conversion, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


def load(path: Path, schema: TypeAdapter[T]) -> T:
    """Return the content of the YAML file at ``path``, validated by ``schema``.

    Raises `DataFileError` with "file:line: field: what is wrong" if the file cannot be read or does
    not fit ``schema``.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        number = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataFileError(f"{path.name}:{number}: not YAML: {error.problem}") from error
    except (OSError, ValueError, yaml.YAMLError) as error:  # not UTF-8, or an impossible date
        raise DataFileError(f"{path.name}: cannot be read: {error}") from error
    try:
        return schema.validate_python({} if data is None else data)  # empty, or only comments
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Only this second, slower parse has line numbers, so it is done only after an error.
        number, field = _place(yaml.compose(text, Loader=yaml.CSafeLoader), first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise DataFileError(f"{path.name}:{number}: {field or 'file'}: {message}") from error


def parsed_file(path: Path, parse: Callable[[str], T]) -> T | None:
    """Return the result of ``parse`` for the text of the file at ``path``, cached until the file
    changes, or None if there is no file.

    Raises `DataFileError` with the path if the file cannot be read or ``parse`` raises it.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    parsed: T = _parsed(path, parse, found.st_mtime_ns, found.st_size)
    return parsed


@lru_cache(maxsize=16)
def _parsed(path: Path, parse: Callable[[str], Any], changed: int, size: int) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise DataFileError(f"{path}: cannot be read ({fault})") from fault
    except DataFileError as fault:
        raise DataFileError(f"{path}: {fault}") from fault


def parsed_lines(text: str, model: type[M], called: str) -> Iterator[M]:
    """Yield the records of the JSON Lines ``text`` as ``model``.

    Raises `DataFileError` at the first invalid line; its message calls a record ``called``.
    """
    for number, line in enumerate(text.split("\n"), 1):  # JSON may contain other line breaks
        if line.strip():
            try:
                record = model.model_validate(json.loads(line))
            except (ValueError, RecursionError) as fault:  # ValidationError is one
                why = fault_reason(fault)
                raise DataFileError(f"line {number} is no {called}: {why}") from fault
            yield record


def written_lines(records: Iterable[BaseModel]) -> str:
    """Return ``records`` in JSON Lines, one per line."""
    return "".join(f"{each.model_dump_json()}\n" for each in records)


def fault_reason(fault: Exception) -> str:
    """Return in one line why a record is invalid: "field: message" for a pydantic error."""
    if isinstance(fault, ValidationError):
        first = fault.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(fault)


def stamped(folder: Path) -> list[tuple[Path, int]]:
    """Return the YAML files of ``folder``, sorted, each with its modification time in nanoseconds;
    empty if ``folder`` does not exist.
    """
    return [(path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.yaml"))]


def _place(node: yaml.Node | None, steps: Sequence[str | int]) -> tuple[int, str]:
    """Return the line (from 1) and the path of the value below ``node`` that the location ``steps``
    of a pydantic error name; a value with a key is on the key's line.

    Steps that pydantic adds for members of a union and for keys are ignored.
    """
    import yaml

    line, field = node.start_mark.line + 1 if node is not None else 1, ""
    for step in steps:
        if isinstance(node, yaml.MappingNode) and step != "[key]":
            pairs = [(key, value) for key, value in node.value if key.value == str(step)]
            key, node = pairs[0] if pairs else (node, None)
            line = key.start_mark.line + 1
            field += f".{step}"
        elif isinstance(node, yaml.SequenceNode) and step in range(len(node.value)):
            node = node.value[int(step)]
            line = node.start_mark.line + 1
            field += f"[{step}]"
    return line, field.lstrip(".")


def load_bounded(text: str) -> Any:
    """Parse the YAML ``text``, with dates as `datetime.date`.

    Raises `ValueError` with a message of one line if it is not YAML, nested more than `DEEPEST`
    deep, has aliases (they can expand beyond the memory) or a duplicate name in a mapping.
    """
    import yaml

    try:
        _check(yaml.parse(text, Loader=yaml.CSafeLoader))
        try:
            return yaml.load(text, Loader=yaml.CSafeLoader)
        except ValueError as fault:  # an impossible date or number
            raise ValueError(f"not YAML: {fault}") from fault
    except yaml.MarkedYAMLError as fault:
        raise ValueError(f"{_line(fault.problem_mark)}not YAML: {fault.problem}") from fault
    except (yaml.YAMLError, UnicodeError, TypeError) as fault:
        raise ValueError(f"not YAML: {str(fault).splitlines()[0]}") from fault


def _check(events: Iterator[Any]) -> None:
    import yaml

    names: list[set[str] | None] = []  # of the enclosing mappings; None for a list
    at_value: list[bool] = []
    for event in events:
        fault = ""
        known = names[-1] if names else None
        if isinstance(event, yaml.AliasEvent):
            fault = "aliases are not read"
        elif known is not None and not isinstance(event, yaml.CollectionEndEvent):
            if not at_value[-1]:
                name = event.value if isinstance(event, yaml.ScalarEvent) else None
                if name is None:
                    fault = "a name that is no text"
                elif name in known:
                    fault = f"{name[:80]!r} twice"
                else:
                    known.add(name)
            at_value[-1] = not at_value[-1]
        if isinstance(event, yaml.CollectionStartEvent):
            names.append(set() if isinstance(event, yaml.MappingStartEvent) else None)
            at_value.append(False)
            if len(names) > DEEPEST:
                fault = fault or f"nested more than {DEEPEST} deep"
        elif isinstance(event, yaml.CollectionEndEvent):
            names.pop()
            at_value.pop()
        if fault:
            raise ValueError(_line(event.start_mark) + fault)


def _line(mark: yaml.error.Mark | yaml._yaml.Mark | None) -> str:
    return f"line {mark.line + 1}: " if mark else ""
