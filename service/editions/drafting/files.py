"""Files of phrasings and concepts changed in place: blocks, fields and drafts put in beside what
their owner wrote.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import yaml

from corpus.errors import RegulaError
from corpus.model import Passage
from glossary.query_variants import fingerprint, wording

_ENDLESS = 1_000_000  # characters of a line

Changes = Mapping[str, Mapping[str, Any]]
"""New values by the names of block and field; an empty one takes the field out."""

_Edit = tuple[int, int, str]  # start and end of what is replaced, and by what
PHRASING_FIELDS = ("players", "situations", "gist", "situations_en", "others")  # that have texts
_OUTER = re.compile(r"^[^\s#]", re.MULTILINE)
CONCEPTS_HEADER = """\
# What the editions of this game call the same thing: names by language, and under 'entries' the headings by edition.
# 'proposed' says how sure the program was, from 0 to 1, of an entry that it found by itself. Delete that line where it is right; correct
# the heading where it is wrong. Entries that are not the same thing: give each a concept of its own, without 'proposed'.
# 'drafted' names the model that proposed other names, 'abbreviations' or 'slang': take out what nobody says.
"""
PHRASINGS_HEADER = """\
# What players type when a passage is what they need, keyed by the fingerprint of the passage; `at` says where it stood.
# `drafted` names the model that proposed it: correct what is wrong, take out what is bad. `review` has the texts that somebody should
# look at, each with the reason.
# A passage with nothing but its place says nothing that one could ask about.
"""


class CannotEdit(RegulaError):
    """A file that is written in a way that its fields cannot be changed in place; it has to be done
    in an editor.
    """


def changed_fields(text: str, changes: Changes) -> str:
    """Return ``text``, the content of a YAML file, with ``changes`` in blocks that it has. Raises
    `CannotEdit`.
    """
    before = yaml.load(text, Loader=yaml.CSafeLoader) or {}
    wanted = {
        name: {k: v for k, v in (fields | changes.get(name, {})).items() if not _empty(v)}
        for name, fields in before.items()
    }
    if wanted == before:
        return text
    edits = sorted(
        _edits(
            text, {name: changes[name] for name in changes if before.get(name) != wanted.get(name)}
        ),
        reverse=True,
    )
    for start, end, replacement in edits:
        text = text[:start] + replacement + text[end:]
    try:
        if yaml.load(text, Loader=yaml.CSafeLoader) == wanted:
            return text
    except yaml.YAMLError:
        pass
    raise CannotEdit(
        f"{', '.join(changes)}: written in a way that can only be changed in an editor"
    )


def inline(value: Any) -> str:
    """Return ``value`` as YAML in one line, that may stand in braces too."""
    return str(
        yaml.safe_dump(
            [value], allow_unicode=True, default_flow_style=True, width=_ENDLESS, sort_keys=False
        )
    ).strip()[1:-1]


def inserted_pairs(mapping: yaml.MappingNode, pairs: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield where in the file ``pairs`` ("name: value") are put at the beginning of ``mapping``,
    and as what; nothing without any.
    """
    if pairs and mapping.flow_style:
        yield mapping.start_mark.index + 1, ", ".join(pairs) + (", " if mapping.value else "")
    elif pairs:
        yield (
            mapping.start_mark.index,
            "".join(f"{pair}\n{' ' * mapping.start_mark.column}" for pair in pairs),
        )


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
    """Return the edit of a block that is written in braces: it is written anew."""
    there = _data(fields)
    whole = {name: value for name, value in {**there, **new}.items() if not _empty(value)}
    return fields.start_mark.index, fields.end_mark.index, inline(whole)


def _of_block(text: str, fields: yaml.MappingNode, new: Mapping[str, Any]) -> Iterator[_Edit]:
    """Yield the edits of a block with a line for each field: those that change are replaced, new
    ones follow the last.
    """
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
        place = (
            len(text.rstrip("\r\n")) if line_end < 0 else line_end - (text[line_end - 1] == "\r")
        )
        yield place, place, "".join(added)


def _field(name: str, value: Any, indent: str) -> str:
    """Return a field as the lines of a block, without indentation in front of the first."""
    dumped = yaml.dump(
        {name: value}, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS
    )
    return f"\n{indent}".join(str(dumped).rstrip("\n").split("\n"))


def _end(text: str, node: yaml.Node) -> int:
    """Return where a node in ``text`` ends; that of lines in a block is said to be where the next
    one begins.
    """
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end = int(node.end_mark.index)
    return (
        len(text[:end].rstrip())
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
        else end
    )


def _data(fields: yaml.MappingNode) -> dict[str, Any]:
    """Return what a mapping says."""
    loaded: dict[str, Any] = yaml.load(
        yaml.serialize(fields, Dumper=yaml.CSafeDumper, allow_unicode=True), Loader=yaml.CSafeLoader
    )
    return loaded


class FileBlock(NamedTuple):
    """The block called ``name``: where it stands in the file, and its ``fields``. ``version`` is
    another one after every change.
    """

    name: str
    start: int
    end: int
    fields: Mapping[str, Any]
    version: str


class TextSlot(NamedTuple):
    """A text of a block and where it stands there: the name of a field, maybe one within it, and
    maybe a place in a list.
    """

    path: tuple[str | int, ...]
    text: str

    @property
    def name(self) -> str:
        """The path in one word."""
        return ".".join(map(str, self.path))


def find_block(text: str, name: str) -> FileBlock | None:
    """Return the block called ``name`` in ``text``, the content of a file; None where it has none
    that begins a line.
    """
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
    """Return ``text`` with ``new`` values of fields in its ``block``; an empty one takes the field
    out. Raises `CannotEdit`.
    """
    lines = text[block.start : block.end]
    name = next(iter(yaml.load(lines, Loader=yaml.CSafeLoader)))
    if name != block.name:
        raise CannotEdit(f"{block.name}: is no text in the file; put it in quotation marks")
    return text[: block.start] + changed_fields(lines, {name: new}) + text[block.end :]


def text_slots(fields: Mapping[str, Any], names: Iterable[str]) -> Iterator[TextSlot]:
    """Yield the texts in those of ``fields`` that are called one of ``names``, in the order of
    these.
    """
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
    """Return the values of the ``fields`` called one of ``names`` with ``texts`` by the names of
    their slots; empty ones are taken out.
    """

    def of(path: tuple[str | int, ...], value: Any) -> Any:
        if isinstance(value, str):
            return texts.get(".".join(map(str, path)), value)
        if isinstance(value, list):
            return [new for n, each in enumerate(value) if (new := of((*path, n), each))]
        if isinstance(value, dict):
            return {key: new for key, each in value.items() if (new := of((*path, key), each))}
        return value

    return {name: of((name,), fields[name]) for name in names if name in fields}


@dataclass(frozen=True)
class Draft:
    """What a model drafted for ``passage``, checked: texts in the rulebook's language, the gist in
    English, others by language.
    """

    passage: Passage
    questions: tuple[str, ...]
    situations: tuple[str, ...]
    gist: str
    others: Mapping[str, tuple[str, ...]]
    drafted: str
    review: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        """What it stands under in the file."""
        return fingerprint(self.passage.text)

    def fields(self) -> dict[str, Any]:
        """Return the draft as the file has it."""
        fields = {
            "at": self.passage.id.partition("/")[2],
            "wording": wording.written(wording.wording(self.passage.text)),
            "drafted": self.drafted,
            "players": list(self.questions),
            "situations": list(self.situations),
            "gist": self.gist,
            "others": {language: list(texts) for language, texts in self.others.items() if texts},
            "review": dict(self.review),
        }
        return {name: value for name, value in fields.items() if value}


def with_drafts(text: str, drafts: Iterable[Draft]) -> str:
    """Return ``text``, the content of a file of phrasings, with ``drafts`` for passages that it has
    nothing of behind what is there.
    """
    there = yaml.load(text, Loader=yaml.CSafeLoader) or {}
    added = {
        draft.fingerprint: draft.fields() for draft in drafts if draft.fingerprint not in there
    }
    text = text or PHRASINGS_HEADER
    blocks = (
        yaml.dump(
            added, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS
        )
        if added
        else ""
    )
    return (text if text.endswith("\n") else f"{text}\n") + blocks
