"""Find the code quoted in the documents for users and contributors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conftest import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"(?ms)^```[a-z]*\n(.*?)^```$")
SPAN = re.compile(r"`([^`\n]+)`")
_BEHIND = re.compile(r" [|>#]|[;&]")


@dataclass(frozen=True)
class Quoted:
    """A piece of code in a document: a line of a code block, or a code span."""

    document: str
    code: str


def quoted() -> Iterator[Quoted]:
    """Yield all code of all documents."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for block in FENCE.findall(text):
            yield from (Quoted(path.name, line) for line in block.replace("\\\n", " ").splitlines())
        yield from (Quoted(path.name, span) for span in SPAN.findall(FENCE.sub("", text)))


def commands() -> Iterator[Quoted]:
    """Yield each call of `regula` in the documents, without the rest of its line."""
    for each in quoted():
        for part in re.split(r"\bregula (?=[a-z-])", _without_paths(each.code))[1:]:
            yield Quoted(each.document, _BEHIND.split(part)[0].strip())


def _without_paths(code: str) -> str:
    return code.replace(".venv/bin/regula", "regula")
