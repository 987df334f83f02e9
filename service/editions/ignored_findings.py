"""Findings of the check that people chose to ignore, with reasons. They are identified by content,
so that they stay ignored in every version with the same words.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from corpus.data_files import DataFileError, fault_reason, parsed_file, parsed_lines
from corpus.errors import WrongUse
from corpus.model import Edition, Entry
from corpus.workspace import IGNORED
from glossary.check.model import Finding, FindingKind
from glossary.comparison.reviews import KEY_DIGITS, LONGEST_NAME, LONGEST_NOTE, Reviewer

_LOG = logging.getLogger(__name__)


class IgnoredFinding(BaseModel):
    """A decision to ignore a finding, with its reason (``because``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{KEY_DIGITS}}}$")]
    edition: str
    sort: FindingKind
    because: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NOTE)
    ]
    by: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)
    ]
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]


IgnoredFindings = Mapping[str, IgnoredFinding]
"""The ignored findings of a game by their keys."""


class JudgedFinding(NamedTuple):
    """A finding, its key in every version, and the decision to ignore it, if any."""

    key: str
    finding: Finding
    ignored: IgnoredFinding | None


def judged_findings(
    findings: Iterable[Finding],
    edition: Edition,
    entries: Sequence[Entry],
    ignored: IgnoredFindings,
) -> list[JudgedFinding]:
    """Return ``findings`` in ``edition`` with their keys and decisions. Findings with the same
    content in one entry share a key: they are ignored together.
    """
    titles: dict[int, str] = {}
    # The longest come first and are overwritten by those inside them.
    for entry in sorted(entries, key=lambda e: e.lines.first - e.lines.last):
        titles.update(dict.fromkeys(range(entry.lines.first, entry.lines.last + 1), entry.title))
    found = []
    for each in findings:
        says = (each.kind, each.printed, each.meant or "", titles.get(each.line or 0, ""))
        text = "\n".join((edition.language, *(" ".join(part.split()) for part in says)))
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]
        found.append(JudgedFinding(key, each, ignored.get(key)))
    return found


class NotIgnored(WrongUse):
    """A finding cannot be ignored in this way; the message is one line that says why."""


def new_ignored(
    key: str, edition: str, kind: FindingKind, because: str, by: Reviewer
) -> IgnoredFinding:
    """Return a record that a finding in ``edition`` is ignored. Raises `NotIgnored`."""
    try:
        return IgnoredFinding(
            key=key, edition=edition, sort=kind, because=because, by=by.name, date=by.date
        )
    except ValidationError as fault:
        raise NotIgnored(fault_reason(fault)) from fault


def parse_ignored(text: str) -> IgnoredFindings:
    """Return the ignored findings of a file in JSON Lines; of several lines with one key the last
    counts. Raises `DataFileError` for the first invalid line.
    """
    return {each.key: each for each in parsed_lines(text, IgnoredFinding, "ignored finding")}


def ignored_path(home: Path, game: str) -> Path:
    """Return the path of the ignored findings of ``game`` in the workspace ``home``."""
    return home.expanduser() / IGNORED / f"{game}.jsonl"


def load_ignored(home: Path | None, game: str) -> IgnoredFindings:
    """Return the ignored findings of ``game`` in the workspace ``home``; none if there is no
    workspace or no file. Raises `DataFileError` if the file is faulty.
    """
    return (parsed_file(ignored_path(home, game), parse_ignored) if home else None) or {}


def usable_ignored(home: Path | None) -> Callable[[str], IgnoredFindings]:
    """Return `load_ignored` as a function of the game; faulty files are logged and ignored."""

    def load(game: str) -> IgnoredFindings:
        try:
            return load_ignored(home, game)
        except DataFileError as fault:
            _LOG.warning("%s; all findings are shown", fault)
            return {}

    return load
