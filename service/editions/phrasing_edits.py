"""Query variants: lists of passages that lack them, and single ones put into a file beside what
stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from corpus.errors import RegulaError
from corpus.model import Passage, Rulebook
from glossary.comparison.rewording import ChangedPhrasings, TextRun, diff_words
from glossary.query_variants import (
    PassageVariants,
    attach_query_variants,
    fingerprint,
    load_query_variants,
    load_with_sister_editions,
)
from glossary.query_variants.model import AlignmentEvidence
from service.editions.drafting.files import Draft, inserted_pairs, with_drafts

_ENDLESS = 1_000_000  # characters of a line
_Edit = tuple[int, str]  # where in the file, and what is put there
_SHOWN_CHARACTERS = 60  # characters of a passage in a line
_SHOWN_PHRASINGS = 3  # of a passage, on a terminal


class PhrasingsNotFit(RegulaError, ValueError):
    """A file of phrasings that nothing can be added to without changing what it says; the message
    is one line.
    """


@dataclass(frozen=True)
class AddedPhrasings:
    """Texts to add to the phrasings of ``passage``: ``players`` in the rulebook's language,
    ``others`` by language, ``review`` by text.
    """

    passage: Passage
    players: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]
    review: Mapping[str, str]

    def draft(self) -> Draft:
        """Return what a file that has nothing for the passage gets."""
        return Draft(self.passage, self.players, (), "", self.others, "", self.review)


def with_phrasings(text: str, additions: Sequence[AddedPhrasings]) -> str:
    """Return ``text``, the content of a file of phrasings, with ``additions``, one for each
    passage.

    Raises `PhrasingsNotFit` where the file is written in a way that this cannot be done in.
    """
    wanted = _content(text)
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    blocks = (
        {key.value: fields for key, fields in root.value}
        if isinstance(root, yaml.MappingNode)
        else {}
    )
    edits: list[_Edit] = []
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
        raise PhrasingsNotFit(
            f"nothing was added: not YAML ({' '.join(str(fault).split())})"
        ) from fault


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


def _block_edits(text: str, fields: yaml.MappingNode, each: AddedPhrasings) -> Iterator[_Edit]:
    """Yield the edits that add to a block what it lacks: items to lists, pairs to mappings, and
    whole fields behind `at`.
    """
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
            yield from (
                _items(text, known[language], texts)
                for language, texts in each.others.items()
                if language in known
            )
            yield from inserted_pairs(
                there["others"],
                [
                    p
                    for p, language in zip(pairs, each.others, strict=True)
                    if language not in known
                ],
            )
        else:
            missing.append(f"others: {{{', '.join(pairs)}}}")
    if each.review:
        doubted = {name.value for name, _ in there["review"].value} if "review" in there else set()
        pairs = [
            f"{_quoted(about)}: {_quoted(reason)}"
            for about, reason in each.review.items()
            if about not in doubted
        ]
        if "review" in there:
            yield from inserted_pairs(there["review"], pairs)
        else:
            missing.append(f"review: {{{', '.join(pairs)}}}")
    if missing and fields.flow_style:
        yield (there["at"].end_mark.index, "".join(f", {field}" for field in missing))
    elif missing:
        yield _behind(text, there["at"], fields.start_mark.column, missing)


def _items(text: str, node: yaml.SequenceNode, items: Iterable[str]) -> _Edit:
    """Return the edit that puts ``items`` at the end of a list."""
    if not node.flow_style:
        return _behind(
            text, node.value[-1], node.start_mark.column, [f"- {_quoted(item)}" for item in items]
        )
    written = ", ".join(map(_quoted, items))
    return (
        (node.value[-1].end_mark.index, f", {written}")
        if node.value
        else (node.start_mark.index + 1, written)
    )


def _behind(text: str, node: yaml.Node, column: int, lines: Iterable[str]) -> _Edit:
    """Return the edit that puts ``lines`` behind that which ``node`` ends in, and behind the
    comment there.
    """
    end = node.end_mark.index
    written = [" " * column + line for line in lines]
    if text[:end].endswith("\n"):  # a text over several lines, which ends with the last of them
        return (end, "".join(f"{line}\n" for line in written))
    newline = text.find("\n", end)
    end = len(text) if newline < 0 else newline - text[:newline].endswith("\r")
    return (end, "".join(f"\n{line}" for line in written))


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    """Return ``text`` as YAML writes it on one line, between quotation marks."""
    written: str = yaml.dump(
        text, Dumper=yaml.CSafeDumper, default_style='"', allow_unicode=True, width=_ENDLESS
    )
    return written.strip()


def missing_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[Passage]:
    """Yield the passages of ``rulebooks`` that can settle a question and have no phrasings, in
    document order.
    """
    for rulebook in rulebooks:
        yield from attach_query_variants(
            load_with_sister_editions(rulebook.edition), rulebook.passages
        ).missing


def missing_line(passage: Passage) -> str:
    """Return a passage in one line: fingerprint, line, id, its first words."""
    return f'"{fingerprint(passage.text)}"  {passage.lines.first:>6}  {passage.id}  {" ".join(passage.display[:_SHOWN_CHARACTERS].split())}'


def missing_json(passage: Passage) -> dict[str, Any]:
    """Return a passage for programs that write phrasings; ``fingerprint`` and ``at`` are what the
    YAML file needs.
    """
    return {
        "fingerprint": fingerprint(passage.text),
        "at": passage.id.partition("/")[2],
        "edition": passage.entry.partition("/")[0],
        "lines": list(passage.lines),
        "display": passage.display,
    }


def orphaned_phrasings(rulebooks: Iterable[Rulebook]) -> Iterator[tuple[str, PassageVariants]]:
    """Yield the phrasings of the editions of ``rulebooks`` that fit no passage, each with the id of
    its edition.
    """
    for rulebook in rulebooks:
        if rulebook.edition.known:
            for phrasings in attach_query_variants(
                load_query_variants(rulebook.edition.id), rulebook.passages
            ).orphaned:
                yield rulebook.edition.id, phrasings


def orphaned_line(edition: str, phrasings: PassageVariants) -> str:
    """Return phrasings in one line: fingerprint, where their passage stood, the first of them."""
    first = next(iter((*phrasings.players, *phrasings.situations, phrasings.gist)), "")
    return f'"{phrasings.fingerprint}"  {edition}/{phrasings.at}  {first}'


def orphaned_json(edition: str, phrasings: PassageVariants) -> dict[str, Any]:
    """Return phrasings with all their fields."""
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": edition,
        "players": list(phrasings.players),
        "situations": list(phrasings.situations),
        "gist": phrasings.gist,
        "situations_en": list(phrasings.situations_en),
    }


def changed_json(each: ChangedPhrasings) -> dict[str, Any]:
    """Return it with both texts and all phrasings."""
    phrasings = each.tie.variants
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": each.edition.id,
        "passage": each.passage.id,
        "lines": list(each.passage.lines),
        "evidence": each.tie.evidence.value,
        "share": each.tie.share,
        "changes": [kind.value for kind in each.changes],
        "old": each.old.display if each.old else None,
        "new": each.passage.display,
        "new_fingerprint": fingerprint(each.passage.text),
        "phrasings": [
            {"text": text, "language": language}
            for text, language in phrasings.all(each.edition.language)
        ],
    }


def changed_text(each: ChangedPhrasings) -> str:
    """Return it for a terminal: where, what changed, the old text above the new one with changed
    words in brackets, some phrasings.
    """
    phrasings = each.tie.variants
    if each.old is None:
        what = "the old text is not here"
        texts = [("new", each.passage.display)]
    else:
        what = ", ".join(kind.value for kind in each.changes) or "reworded"
        texts = list(
            zip(
                ("old", "new"),
                map(_bracketed, diff_words(each.old.display, each.passage.display)),
                strict=True,
            )
        )
    if each.tie.evidence is AlignmentEvidence.PLACE:
        what += "; tied by its place alone"
    lines = [
        f'"{phrasings.fingerprint}"  {each.passage.lines.first:>6}  {each.passage.id} (was {phrasings.at}): {what}'
    ]
    lines += [f"    {name}  {' '.join(text.split())}" for name, text in texts]
    said = [text for text, _ in phrasings.all(each.edition.language)]
    lines += [f"         ? {text}" for text in said[:_SHOWN_PHRASINGS]]
    return "\n".join(
        lines
        + (
            [f"         … and {len(said) - _SHOWN_PHRASINGS} more"]
            if len(said) > _SHOWN_PHRASINGS
            else []
        )
    )


def _bracketed(runs: Sequence[TextRun]) -> str:
    return "".join(f"[{run.text}]" if run.changed else run.text for run in runs)
