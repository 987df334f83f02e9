"""What `regula check` finds in the rulebooks of a snapshot, worked out in the background and kept."""

from __future__ import annotations

from collections.abc import Mapping

from glossary.check import Finding
from service.snapshot import Snapshot


def faults_of(snapshot: Snapshot) -> Mapping[str, tuple[Finding, ...]] | None:
    """The findings of each edition of ``snapshot`` by its id; None while they are being worked out."""
    return None
