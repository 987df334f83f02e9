"""Fields of a YAML file of named blocks, changed in place: what is not changed stays as it is, letter by letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from corpus.errors import RegulaError

_ENDLESS = 1_000_000  # characters of a line

Changes = Mapping[str, Mapping[str, Any]]
"""New values by the names of block and field; an empty one takes the field out."""

_Edit = tuple[int, int, str]  # start and end of what is replaced, and by what


class CannotEdit(RegulaError):
    """A file that is written in a way that its fields cannot be changed in place; it has to be done in an editor."""


def changed_fields(text: str, changes: Changes) -> str:
    """``text``, the content of a YAML file, with ``changes`` in blocks that it has. Raises `CannotEdit`."""
    before = yaml.load(text, Loader=yaml.CSafeLoader) or {}
    wanted = {name: {k: v for k, v in (fields | changes.get(name, {})).items() if not _empty(v)} for name, fields in before.items()}
    if wanted == before:
        return text
    edits = sorted(_edits(text, {name: changes[name] for name in changes if before.get(name) != wanted.get(name)}), reverse=True)
    for start, end, replacement in edits:
        text = text[:start] + replacement + text[end:]
    try:
        if yaml.load(text, Loader=yaml.CSafeLoader) == wanted:
            return text
    except yaml.YAMLError:
        pass
    raise CannotEdit(f"{', '.join(changes)}: written in a way that can only be changed in an editor")


def inline(value: Any) -> str:
    """Return ``value`` as YAML in one line, that may stand in braces too."""
    return str(yaml.safe_dump([value], allow_unicode=True, default_flow_style=True, width=_ENDLESS, sort_keys=False)).strip()[1:-1]


def _empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [], {})


def _edits(text: str, changes: Changes) -> Iterator[_Edit]:
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, fields in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value in changes and isinstance(fields, yaml.MappingNode):
            new = changes[key.value]
            if fields.flow_style:
                yield _of_braces(fields, new)
            else:
                yield from _of_block(text, fields, new)


def _of_braces(fields: yaml.MappingNode, new: Mapping[str, Any]) -> _Edit:
    """The edit of a block that is written in braces: it is written anew."""
    there = _data(fields)
    whole = {name: value for name, value in {**there, **new}.items() if not _empty(value)}
    return fields.start_mark.index, fields.end_mark.index, inline(whole)


def _of_block(text: str, fields: yaml.MappingNode, new: Mapping[str, Any]) -> Iterator[_Edit]:
    """The edits of a block with a line for each field: those that change are replaced, new ones follow the last."""
    there = {name.value: (name, value) for name, value in fields.value}
    old = _data(fields)
    indent = " " * fields.start_mark.column
    added = []
    for name, value in new.items():
        if name in there:
            key, node = there[name]
            start, end = key.start_mark.index, _end(text, node)
            if _empty(value):
                line_end = text.find("\n", end)
                yield start - len(indent), len(text) if line_end < 0 else line_end + 1, ""
            elif value != old[name]:
                yield start, end, _field(name, value, indent)
        elif not _empty(value):
            added.append(f"\n{indent}{_field(name, value, indent)}")
    if added:
        end = _end(text, fields.value[-1][1])
        line_end = text.find("\n", end)
        place = len(text.rstrip("\r\n")) if line_end < 0 else line_end - (text[line_end - 1] == "\r")
        yield place, place, "".join(added)


def _field(name: str, value: Any, indent: str) -> str:
    """A field as the lines of a block, without indentation in front of the first."""
    dumped = yaml.dump({name: value}, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS)
    return f"\n{indent}".join(str(dumped).rstrip("\n").split("\n"))


def _end(text: str, node: yaml.Node) -> int:
    """Where a node in ``text`` ends; that of lines in a block is said to be where the next one begins."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end = int(node.end_mark.index)
    return len(text[:end].rstrip()) if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">") else end


def _data(fields: yaml.MappingNode) -> dict[str, Any]:
    """What a mapping says."""
    loaded: dict[str, Any] = yaml.load(yaml.serialize(fields, Dumper=yaml.CSafeDumper, allow_unicode=True), Loader=yaml.CSafeLoader)
    return loaded
