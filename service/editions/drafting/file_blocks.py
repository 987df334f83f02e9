"""One block of a file of phrasings or concepts: its lines, what they say, and its texts one by one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from service.editions.drafting.yaml_edits import CannotEdit, changed_fields

PHRASING_FIELDS = ("players", "situations", "gist", "situations_en", "others")  # that have texts
_OUTER = re.compile(r"^[^\s#]", re.MULTILINE)


class FileBlock(NamedTuple):
    """The block called ``name``: where it stands in the file, and its ``fields``. ``version`` is another one after every change."""

    name: str
    start: int
    end: int
    fields: Mapping[str, Any]
    version: str


class TextSlot(NamedTuple):
    """A text of a block and where it stands there: the name of a field, maybe one within it, and maybe a place in a list."""

    path: tuple[str | int, ...]
    text: str

    @property
    def name(self) -> str:
        """The path in one word."""
        return ".".join(map(str, self.path))


def find_block(text: str, name: str) -> FileBlock | None:
    """The block called ``name`` in ``text``, the content of a file; None where it has none that begins a line."""
    head = re.search(rf'^(["\']?){re.escape(name)}\1[ \t]*:', text, re.MULTILINE)
    if head is None:
        return None
    following = _OUTER.search(text, head.end())
    end = following.start() if following else len(text)
    try:
        fields = next(iter(yaml.load(text[head.start() : end], Loader=yaml.CSafeLoader).values()))
    except (yaml.YAMLError, AttributeError):
        return None
    version = hashlib.sha256(text[head.start() : end].encode()).hexdigest()[:16]
    return FileBlock(name, head.start(), end, fields, version) if isinstance(fields, dict) else None


def with_fields(text: str, block: FileBlock, new: Mapping[str, Any]) -> str:
    """``text`` with ``new`` values of fields in its ``block``; an empty one takes the field out. Raises `CannotEdit`."""
    lines = text[block.start : block.end]
    name = next(iter(yaml.load(lines, Loader=yaml.CSafeLoader)))
    if name != block.name:
        raise CannotEdit(f"{block.name}: is no text in the file; put it in quotation marks")
    return text[: block.start] + changed_fields(lines, {name: new}) + text[block.end :]


def text_slots(fields: Mapping[str, Any], names: Iterable[str]) -> Iterator[TextSlot]:
    """The texts in those of ``fields`` that are called one of ``names``, in the order of these."""
    for name in names:
        if name in fields:
            yield from _slots((name,), fields[name])


def _slots(path: tuple[str | int, ...], value: Any) -> Iterator[TextSlot]:
    if isinstance(value, str):
        yield TextSlot(path, value)
    elif isinstance(value, (list, dict)):
        for key, each in enumerate(value) if isinstance(value, list) else value.items():
            yield from _slots((*path, key), each)


def replaced(fields: Mapping[str, Any], names: Iterable[str], texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of the ``fields`` called one of ``names`` with ``texts`` by the names of their slots; empty ones are taken out."""

    def of(path: tuple[str | int, ...], value: Any) -> Any:
        if isinstance(value, str):
            return texts.get(".".join(map(str, path)), value)
        if isinstance(value, list):
            return [new for n, each in enumerate(value) if (new := of((*path, n), each))]
        if isinstance(value, dict):
            return {key: new for key, each in value.items() if (new := of((*path, key), each))}
        return value

    return {name: of((name,), fields[name]) for name in names if name in fields}
