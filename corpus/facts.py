"""Facts kept as YAML: read and held against a schema, every fault named with file, line and field."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import RegulaError

if TYPE_CHECKING:
    import yaml


class FactsFault(RegulaError, ValueError):
    """A YAML file that is not as its schema wants it; the message names file, line and fault."""


def load(path: Path, schema: dict[str, Any]) -> Any:
    """The content of the YAML file at ``path``, checked against the JSON Schema ``schema``.

    Raises `FactsFault` with ``file:line: field: what is wrong`` where it cannot be read or does not fit.
    """
    import jsonschema  # slow to load, as YAML is, and answering needs no facts beside those in its index
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise FactsFault(f"{path.name}:{line}: not YAML: {error.problem}") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FactsFault(f"{path.name}: cannot be read: {error}") from error
    fault = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(data))
    if fault is not None:
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.absolute_path).lstrip(".")
        node = yaml.compose(text, Loader=yaml.CSafeLoader)  # knows lines; needed only where there is something to complain of
        raise FactsFault(f"{path.name}:{_line(node, list(fault.absolute_path))}: {where or 'file'}: {fault.message}")
    return data


def _line(node: yaml.Node | None, path: list[str | int]) -> int:
    """The line of the value at ``path`` below ``node``, counted from 1."""
    import yaml

    for step in path:
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == step), node)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
    return node.start_mark.line + 1 if node is not None else 1
