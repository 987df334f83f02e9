"""The order of versions: which of two versions of a rulebook is the newer one."""

from __future__ import annotations

import re

VersionKey = tuple[bool, tuple[tuple[int, str], ...]]

_PART = re.compile(r"(\d+)([^\d.]*)")


def version_key(version: str) -> VersionKey:
    """A sort key for ``version``: ascending keys are older to newer versions.

    Numbers compare as numbers ("1.9" < "1.10"); letters follow the bare number ("4.15" < "4.15c").
    A version without any number ("online", "?") is newer than every numbered one: it names a text
    that is updated continually.
    """
    parts = tuple((int(number), suffix) for number, suffix in _PART.findall(version))
    return (not parts, parts)


def id_without_version(id: str, version: str) -> str:
    """The ``id`` of an edition without its ``version``; "" where it does not end in one. Versions
    of one rulebook have it in common.
    """
    stem = id.removesuffix(version)
    return stem if stem != id else ""


def is_numbered(version: str) -> bool:
    """Whether ``version`` contains a number, so that it has a definite place among other
    versions.
    """
    return any(c.isdigit() for c in version)
