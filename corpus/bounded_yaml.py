"""Reads YAML that anybody may have written: bounded depth and no aliases, which can stand for more
than a memory holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

DEEPEST = 30  # the parser's own recursion ends the process, so deeper nesting must not reach it


def load_bounded(text: str) -> Any:
    """What the YAML ``text`` stands for, with dates as `datetime.date`.

    Raises `ValueError` in one line: not YAML, nested more than `DEEPEST` deep, with aliases, or
    with a name twice in a mapping.
    """
    import yaml  # imported here because answering from an index needs no data files

    try:
        _check(yaml.parse(text, Loader=yaml.CSafeLoader))
        try:
            return yaml.load(text, Loader=yaml.CSafeLoader)
        except ValueError as fault:  # of a day or number that there is not
            raise ValueError(f"not YAML: {fault}") from fault
    except yaml.MarkedYAMLError as fault:
        raise ValueError(f"{_line(fault.problem_mark)}not YAML: {fault.problem}") from fault
    except (yaml.YAMLError, UnicodeError, TypeError) as fault:
        raise ValueError(f"not YAML: {str(fault).splitlines()[0]}") from fault


def _check(events: Iterator[Any]) -> None:
    """Raise `ValueError` for what data does not need, and what would do harm or lose something."""
    import yaml

    inside: list[_Mapping | None] = []  # what is open, None for a list
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"{_line(event.start_mark)}aliases are not read")
        if (
            isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)
            and inside
            and (mapping := inside[-1])
        ):
            mapping.at_name = not mapping.at_name
            if not mapping.at_name:  # it was at one
                name = event.value if isinstance(event, yaml.ScalarEvent) else None
                if name is None or name in mapping.names:
                    raise ValueError(
                        f"{_line(event.start_mark)}{'a name that is no text' if name is None else f'{name[:80]!r} twice'}"
                    )
                mapping.names.add(name)
        if isinstance(event, yaml.CollectionStartEvent):
            inside.append(_Mapping() if isinstance(event, yaml.MappingStartEvent) else None)
            if len(inside) > DEEPEST:
                raise ValueError(f"{_line(event.start_mark)}nested more than {DEEPEST} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            inside.pop()


class _Mapping:
    """A mapping that is being read: its names so far, and whether another one is next."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.at_name = True


def _line(mark: yaml.error.Mark | yaml._yaml.Mark | None) -> str:
    return f"line {mark.line + 1}: " if mark else ""
