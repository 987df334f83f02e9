"""The file of an edition's phrasings in the workspace, with drafts put in beside what its owner wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from corpus.model import Passage
from glossary.phrasings import fingerprint, wording

HEADER = """\
# What players type when a passage is what they need, keyed by the fingerprint of the passage; `at` says where it stood.
# `drafted` names the model that proposed it: correct what is wrong, take out what is bad. `review` has the texts that somebody should
# look at, each with the reason.
# A passage with nothing but its place says nothing that one could ask about.
"""
_ENDLESS = 1_000_000  # characters of a line


@dataclass(frozen=True)
class Draft:
    """What a model drafted for ``passage``, checked: texts in the rulebook's language, the gist in English, others by language."""

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
        """The draft as the file has it."""
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
    """``text``, the content of a file of phrasings, with ``drafts`` for passages that it has nothing of behind what is there."""
    there = yaml.load(text, Loader=yaml.CSafeLoader) or {}
    added = {draft.fingerprint: draft.fields() for draft in drafts if draft.fingerprint not in there}
    text = text or HEADER
    blocks = yaml.dump(added, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS) if added else ""
    return (text if text.endswith("\n") else f"{text}\n") + blocks
