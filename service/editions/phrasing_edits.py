"""Single phrasings put into a file of phrasings beside what stands there: comments and all other lines stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import yaml

from corpus.errors import RegulaError
from corpus.model import Passage
from service.editions.drafting.draft_file import Draft, with_drafts

_ENDLESS = 1_000_000  # characters of a line


class PhrasingsNotFit(RegulaError, ValueError):
    """A file of phrasings that nothing can be added to without changing what it says; the message is one line."""


@dataclass(frozen=True)
class AddedPhrasings:
    """Texts to add to the phrasings of ``passage``: ``players`` in the rulebook's language, ``others`` by language, ``review`` by text."""

    passage: Passage
    players: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]
    review: Mapping[str, str]

    def draft(self) -> Draft:
        """What a file that has nothing for the passage gets."""
        return Draft(self.passage, self.players, (), "", self.others, "", self.review)


class TextEdit(NamedTuple):
    """Something to write at a place of a text."""

    at: int
    text: str


def with_phrasings(text: str, additions: Sequence[AddedPhrasings]) -> str:
    """``text``, the content of a file of phrasings, with ``additions``, one for each passage.

    Raises `PhrasingsNotFit` where the file is written in a way that this cannot be done in.
    """
    wanted = _content(text)
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    blocks = {key.value: fields for key, fields in root.value} if isinstance(root, yaml.MappingNode) else {}
    edits: list[TextEdit] = []
    new: list[Draft] = []
    for each in additions:
        draft = each.draft()
        if fields := blocks.get(draft.fingerprint):
            edits += _block_edits(text, fields, each)
            _add(wanted[draft.fingerprint], each)
        else:
            new.append(draft)
            wanted[draft.fingerprint] = draft.fields()
    changed = text
    for at, inserted in sorted(edits, reverse=True):
        changed = changed[:at] + inserted + changed[at:]
    changed = with_drafts(changed, new)
    if _content(changed) != wanted:
        raise PhrasingsNotFit(
            "nothing was added: the file is written in a way that only its author can add to (anchors, braces around all)"
        )
    return changed


def _content(text: str) -> dict[str, Any]:
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader) or {}
    except yaml.YAMLError as fault:
        raise PhrasingsNotFit(f"nothing was added: not YAML ({' '.join(str(fault).split())})") from fault


def _add(fields: dict[str, Any], each: AddedPhrasings) -> None:
    """Do to the content of a block what the edits do to its text."""
    if each.players:
        fields["players"] = [*fields.get("players", ()), *each.players]
    for name, added in (("others", each.others), ("review", each.review)):
        if added:
            fields[name] = dict(fields.get(name, {}))
    for language, texts in each.others.items():
        fields["others"][language] = [*fields["others"].get(language, ()), *texts]
    if each.review:
        fields["review"] |= each.review


def _block_edits(text: str, fields: yaml.MappingNode, each: AddedPhrasings) -> Iterator[TextEdit]:
    """The edits that add to a block what it lacks: items to lists, pairs to mappings, and whole fields behind `at`."""
    there = {name.value: value for name, value in fields.value}
    missing = []
    if each.players:
        if "players" in there:
            yield _items(text, there["players"], each.players)
        else:
            missing.append(f"players: {_list(each.players)}")
    if each.others:
        pairs = [f"{language}: {_list(texts)}" for language, texts in each.others.items()]
        if "others" in there:
            known = {name.value: value for name, value in there["others"].value}
            yield from (_items(text, known[language], texts) for language, texts in each.others.items() if language in known)
            yield from _pairs(there["others"], [p for p, language in zip(pairs, each.others, strict=True) if language not in known])
        else:
            missing.append(f"others: {{{', '.join(pairs)}}}")
    if each.review:
        doubted = {name.value for name, _ in there["review"].value} if "review" in there else set()
        pairs = [f"{_quoted(about)}: {_quoted(reason)}" for about, reason in each.review.items() if about not in doubted]
        if "review" in there:
            yield from _pairs(there["review"], pairs)
        else:
            missing.append(f"review: {{{', '.join(pairs)}}}")
    if missing and fields.flow_style:
        yield TextEdit(there["at"].end_mark.index, "".join(f", {field}" for field in missing))
    elif missing:
        yield _behind(text, there["at"], fields.start_mark.column, missing)


def _items(text: str, node: yaml.SequenceNode, items: Iterable[str]) -> TextEdit:
    """The edit that puts ``items`` at the end of a list."""
    if not node.flow_style:
        return _behind(text, node.value[-1], node.start_mark.column, [f"- {_quoted(item)}" for item in items])
    written = ", ".join(map(_quoted, items))
    return TextEdit(node.value[-1].end_mark.index, f", {written}") if node.value else TextEdit(node.start_mark.index + 1, written)


def _pairs(node: yaml.MappingNode, pairs: Sequence[str]) -> Iterator[TextEdit]:
    """The edit that puts ``pairs`` at the beginning of a mapping, where nothing that spans lines is in the way."""
    if pairs and node.flow_style:
        yield TextEdit(node.start_mark.index + 1, ", ".join(pairs) + (", " if node.value else ""))
    elif pairs:
        yield TextEdit(node.start_mark.index, "".join(f"{pair}\n{' ' * node.start_mark.column}" for pair in pairs))


def _behind(text: str, node: yaml.Node, column: int, lines: Iterable[str]) -> TextEdit:
    """The edit that puts ``lines`` behind that which ``node`` ends in, and behind the comment there."""
    end = node.end_mark.index
    written = [" " * column + line for line in lines]
    if text[:end].endswith("\n"):  # a text over several lines, which ends with the last of them
        return TextEdit(end, "".join(f"{line}\n" for line in written))
    newline = text.find("\n", end)
    end = len(text) if newline < 0 else newline - text[:newline].endswith("\r")
    return TextEdit(end, "".join(f"\n{line}" for line in written))


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    """``text`` as YAML writes it on one line, between quotation marks."""
    written: str = yaml.dump(text, Dumper=yaml.CSafeDumper, default_style='"', allow_unicode=True, width=_ENDLESS)
    return written.strip()
