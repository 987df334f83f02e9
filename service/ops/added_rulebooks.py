"""A rulebook put into the workspace with all that is said of it: the file of its edition, and what
it has in common with others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from corpus.edition_files import described_editions
from corpus.workspace import RULEBOOKS
from glossary.comparison.concept_proposals import ConceptProposal
from service.editions.concept_file import with_proposals
from service.editions.recognised_rulebook import RecognisedRulebook, commented_draft
from service.ops.workspace_data import WorkspaceDataFile
from service.ops.workspace_files import NotKept, changed_workspace


def rulebook_path(home: Path, game: str, name: str, raw: bytes) -> Path:
    """Where the file of a rulebook goes: the folder of its ``game``, under its own ``name`` or, if
    that is another file's, a longer one.
    """
    path = home / RULEBOOKS / game / name.lstrip(".")
    if path.exists() and not (
        path.is_file() and (path.read_bytes() == raw or interrupted_copy(path, raw))
    ):
        return path.with_name(f"{path.stem}-{hashlib.sha256(raw).hexdigest()[:8]}{path.suffix}")
    return path


def interrupted_copy(path: Path, raw: bytes) -> str:
    """The SHA-256 of the file ``path`` where it has only the beginning of ``raw``, as a copy that
    was interrupted leaves it; else "".

    One that an edition file names by its hash was added whole, whatever it has.
    """
    content = path.read_bytes() if path.is_file() else raw
    if len(content) >= len(raw) or not raw.startswith(content):
        return ""
    digest = hashlib.sha256(content).hexdigest()
    return digest if all(described.document != digest for described in described_editions()) else ""


def add_rulebook(
    home: Path,
    found: RecognisedRulebook,
    path: Path,
    raw: bytes,
    proposals: Sequence[ConceptProposal] = (),
) -> Path | None:
    """Put the rulebook that was ``found`` in ``raw`` into the workspace ``home``, as ``path``, with
    its edition file and ``proposals``.

    All are there in the end, or none. Returns the edition file, None where the edition is described
    already. Raises `NotKept`.
    """
    edition = found.rulebook.edition
    description = WorkspaceDataFile.of_edition(home, edition.id)
    with changed_workspace(home) as changes:
        if (
            not found.described
        ):  # before the rulebook, which without it would be taken for another edition
            description.stage(
                changes, partial(_described, description.path, commented_draft(found.rulebook))
            )
        if not path.exists() or interrupted_copy(path, raw):
            changes.write(path, raw)
        elif path.read_bytes() != raw:
            raise NotKept(f"{path}: was put there meanwhile; nothing was added")
        if proposals:
            WorkspaceDataFile.of_concepts(home, edition.game).stage(
                changes, partial(with_proposals, proposals=proposals)
            )
    return None if found.described else description.path


def _described(path: Path, draft: str, before: str) -> str:
    if path.exists():
        raise NotKept(
            f"{path}: describes an edition already; give the new one another --version, or take that file away first"
        )
    return draft
