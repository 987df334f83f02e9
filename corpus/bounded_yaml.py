"""Reads YAML that anybody may have written: bounded depth and no aliases, which can stand for more than a memory holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

DEEPEST = 30  # the parser's own recursion ends the process, so deeper nesting must not reach it


def load_bounded(text: str) -> Any:
    """What the YAML ``text`` stands for, with dates as `datetime.date`.

    Raises `ValueError` in one line: not YAML, nested more than `DEEPEST` deep, or with aliases.
    """
    import yaml  # imported here because answering from an index needs no data files

    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise ValueError(f"{_line(event.start_mark)}aliases are not read")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEEPEST:
                    raise ValueError(f"{_line(event.start_mark)}nested more than {DEEPEST} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as fault:
        raise ValueError(f"{_line(fault.problem_mark)}not YAML: {fault.problem}") from fault
    except (yaml.YAMLError, UnicodeError, TypeError) as fault:
        raise ValueError(f"not YAML: {str(fault).splitlines()[0]}") from fault


def _line(mark: yaml.error.Mark | yaml._yaml.Mark | None) -> str:
    return f"line {mark.line + 1}: " if mark else ""
