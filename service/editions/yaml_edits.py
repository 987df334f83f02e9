"""Edit YAML files in place: everything that is not added or replaced stays the same to the byte."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from corpus.errors import RegulaError

_ENDLESS = 1_000_000  # characters of a line
_Edit = tuple[int, int, str]  # start and end of the replaced text, and the new text
_OUTER = re.compile(r"^[^\s#]", re.MULTILINE)


class CannotEdit(RegulaError):
    """A file can only be changed in an editor because of the way it is written."""


def loaded(text: str) -> Any:
    """Return the content of ``text``, parsed. Raises `CannotEdit` if it is no YAML."""
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as fault:
        raise CannotEdit(f"the file is no YAML: {' '.join(str(fault).split())}") from fault


def dumped(data: Any, flow: bool | None = False) -> str:
    """Return ``data`` as YAML without broken lines; ``flow`` is pyyaml's ``default_flow_style``."""
    return str(
        yaml.dump(
            data,
            Dumper=yaml.CSafeDumper,
            allow_unicode=True,
            sort_keys=False,
            width=_ENDLESS,
            default_flow_style=flow,
        )
    )


def inline(value: Any) -> str:
    """Return ``value`` as YAML in one line that is also valid in braces."""
    return dumped([value], flow=True).strip()[1:-1]


def extended(
    text: str,
    added: Mapping[str, Any] | list[Any],
    header: str = "",
    flow: bool | None = False,
) -> str:
    """Return ``text``, the content of a file, with ``added``: items are appended to lists, missing
    pairs added to mappings, new blocks put at the end. Other values are unchanged.

    A new file begins with ``header``; ``flow`` is the style of new blocks, as for `dumped`. Raises
    `CannotEdit`.
    """
    if not added:
        return text
    before = loaded(text)
    new: Any = added
    if before is not None:
        if isinstance(before, dict) and isinstance(added, Mapping):
            new = {name: value for name, value in added.items() if name not in before}
        else:
            new = None
        root: Any = yaml.compose(text, Loader=yaml.CSafeLoader)
        text = _edited(text, _additions(text, root, added, outermost=True))
    text = text or header
    if new:
        text += ("" if text.endswith("\n") or not text else "\n") + dumped(new, flow)
    return _checked(text, _merged(before, added))


def _merged(there: Any, added: Any) -> Any:
    """Return ``there`` merged with ``added``."""
    if isinstance(there, dict) and isinstance(added, Mapping):
        return there | {
            name: _merged(there[name], value) if name in there else value
            for name, value in added.items()
        }
    if isinstance(there, list) and isinstance(added, list):
        return there + added
    return added if there is None or isinstance(added, (dict, list)) else there


def _additions(
    text: str, node: yaml.Node, added: Any, *, outermost: bool = False
) -> Iterator[_Edit]:
    start, column = node.start_mark.index, node.start_mark.column
    if isinstance(node, yaml.MappingNode) and isinstance(added, Mapping):
        there = {key.value: value for key, value in node.value}
        for name, value in added.items():
            if name in there:
                yield from _additions(text, there[name], value)
        pairs = [f"{inline(n)}: {inline(value)}" for n, value in added.items() if n not in there]
        if pairs and node.flow_style and not outermost:
            yield start + 1, start + 1, ", ".join(pairs) + (", " if node.value else "")
        elif pairs and not outermost:
            yield start, start, "".join(f"{pair}\n{' ' * column}" for pair in pairs)
    elif isinstance(node, yaml.SequenceNode) and isinstance(added, list) and added:
        if node.flow_style:
            at = node.value[-1].end_mark.index if node.value else start + 1
            yield at, at, (", " if node.value else "") + ", ".join(map(inline, added))
        else:
            at = _line_end(text, _end(text, node))
            lines = dumped(added).rstrip("\n").split("\n")
            yield at, at, "".join(f"\n{' ' * column}{line}" if line else "\n" for line in lines)


def changed_fields(text: str, changes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return ``text``, the content of a file, with ``changes`` in existing blocks: new values, by
    the names of block and field; an empty value removes the field. Raises `CannotEdit`.
    """
    before = loaded(text) or {}
    wanted = {
        name: {
            field: value
            for field, value in (fields | changes.get(name, {})).items()
            if not _empty(value)
        }
        for name, fields in before.items()
    }
    if wanted == before:
        return text
    edits: list[_Edit] = []
    root: Any = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, fields in root.value:
        name = key.value
        if name not in changes or not isinstance(fields, yaml.MappingNode):
            continue
        if fields.flow_style:
            edits.append((fields.start_mark.index, fields.end_mark.index, inline(wanted[name])))
        else:
            edits += _replacements(text, fields, before[name], changes[name])
    return _checked(_edited(text, edits), wanted)


def _empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [], {})


def _replacements(
    text: str, fields: yaml.MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[_Edit]:
    """Yield the edits of a block with a line for each field: changed fields are replaced, new ones
    added after the last.
    """
    there = {name.value: (name, value) for name, value in fields.value}
    indent = " " * fields.start_mark.column
    added = ""
    for name, value in new.items():
        written = dumped({name: value}).rstrip("\n").replace("\n", f"\n{indent}")
        if name not in there:
            added += "" if _empty(value) else f"\n{indent}{written}"
            continue
        key, node = there[name]
        start, end = key.start_mark.index, _end(text, node)
        if _empty(value):
            line_end = text.find("\n", end)
            yield start - len(indent), len(text) if line_end < 0 else line_end + 1, ""
        elif value != old[name]:
            yield start, end, written
    if added:
        at = _line_end(text, _end(text, fields.value[-1][1]))
        yield at, at, added


def _end(text: str, node: yaml.Node) -> int:
    """Return the end of a node; for a node of several lines, pyyaml gives the beginning of the
    next line.
    """
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end = int(node.end_mark.index)
    literal = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    return len(text[:end].rstrip()) if literal else end


def _line_end(text: str, at: int) -> int:
    """Return the end of the line at ``at``, including its comment."""
    end = text.find("\n", at)
    return len(text.rstrip("\r\n")) if end < 0 else end - (text[end - 1] == "\r")


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _checked(text: str, wanted: Any) -> str:
    """Return ``text``. Raises `CannotEdit` if its content differs from ``wanted``."""
    try:
        if loaded(text) == wanted:
            return text
    except CannotEdit:
        pass
    raise CannotEdit("the file is written in a way that can only be changed in an editor")


class FileBlock(NamedTuple):
    """A top-level block of a file: place, ``fields``, and a hash of its text as ``version``."""

    name: str
    start: int
    end: int
    fields: Mapping[str, Any]
    version: str


def find_block(text: str, name: str) -> FileBlock | None:
    """Return the block called ``name`` in ``text``, the content of a file; None if no line begins
    with that name.
    """
    head = re.search(rf'^(["\']?){re.escape(name)}\1[ \t]*:', text, re.MULTILINE)
    if head is None:
        return None
    following = _OUTER.search(text, head.end())
    block = text[head.start() : following.start() if following else len(text)]
    try:
        fields = next(iter(yaml.load(block, Loader=yaml.CSafeLoader).values()))
    except (yaml.YAMLError, AttributeError):
        return None
    if not isinstance(fields, dict):
        return None
    version = hashlib.sha256(block.encode()).hexdigest()[:16]
    return FileBlock(name, head.start(), head.start() + len(block), fields, version)


def with_fields(text: str, block: FileBlock, new: Mapping[str, Any]) -> str:
    """Return ``text`` with ``new`` values of fields in its ``block``, like `changed_fields`."""
    lines = text[block.start : block.end]
    name = next(iter(loaded(lines)))
    if name != block.name:
        raise CannotEdit(f"{block.name}: is no text in the file; put it in quotation marks")
    return text[: block.start] + changed_fields(lines, {name: new}) + text[block.end :]


class TextSlot(NamedTuple):
    """A text of a block, with the path of names and numbers to it."""

    path: tuple[str | int, ...]
    text: str

    @property
    def name(self) -> str:
        """The path as a word: "others.en.0"."""
        return ".".join(map(str, self.path))


def text_slots(fields: Mapping[str, Any], names: Iterable[str]) -> Iterator[TextSlot]:
    """Yield the texts in the fields of a block called by one of ``names``."""
    for name in names:
        if name in fields:
            yield from _slots((name,), fields[name])


def _slots(path: tuple[str | int, ...], value: Any) -> Iterator[TextSlot]:
    if isinstance(value, str):
        yield TextSlot(path, value)
    elif isinstance(value, (list, dict)):
        for key, each in enumerate(value) if isinstance(value, list) else value.items():
            yield from _slots((*path, key), each)


def replaced(
    fields: Mapping[str, Any], names: Iterable[str], texts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the ``fields`` called ``names`` with ``texts`` in their slots, by slot name; empty
    texts are removed.
    """

    def of(path: tuple[str | int, ...], value: Any) -> Any:
        if isinstance(value, list):
            return [new for n, each in enumerate(value) if (new := of((*path, n), each))]
        if isinstance(value, dict):
            return {key: new for key, each in value.items() if (new := of((*path, key), each))}
        return texts.get(TextSlot(path, value).name, value) if isinstance(value, str) else value

    return {name: of((name,), fields[name]) for name in names if name in fields}
