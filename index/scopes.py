"""Choose the editions that a query searches: by its filters, and by the day on which they have to
be in effect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.errors import NotFound
from corpus.model import Edition, id_without_version, is_numbered, version_key
from index.library.library import Library
from index.model import Query

Line = tuple[str, ...]


def searched_editions(library: Library, query: Query) -> list[Edition]:
    """Return the editions of ``library`` that ``query`` searches; none if no edition that matches
    its filters was in effect on its day.

    Raises `NotFound` if the edition, game or document is not in the library, or if no edition
    matches all filters.
    """
    known = {
        "edition": list(library.edition),
        "game": list(library.games),
        "document": [source.file for source in library.sources.values()],
    }
    for name, wanted in (
        ("edition", query.edition),
        ("game", query.game),
        ("document", query.document),
    ):
        if wanted is not None and wanted not in known[name]:
            raise NotFound(f"no {name} {wanted!r} here; there are: {', '.join(known[name])}")
    editions = library.filter_editions(query.edition, query.game, query.document)
    if not editions:
        raise NotFound(
            "no edition here is all that was asked for; ask for an edition, a game or a document "
            "alone"
        )
    if query.as_of is None:
        return editions
    held = {edition.id for edition in editions_in_effect(library.editions, query.as_of)}
    return [edition for edition in editions if edition.id in held]


def editions_in_effect(editions: Sequence[Edition], day: str) -> list[Edition]:
    """Return the ``editions`` that were in effect on ``day``, given in ISO 8601.

    Of the versions of one rulebook, this is the newest one dated ``day`` or earlier; if there is
    none, all versions without a date.
    """
    found: set[str] = set()
    for versions in _lines(editions).values():
        dated = [edition for edition in versions if edition.effective and edition.effective <= day]
        newest = max(
            dated, key=lambda each: (each.effective, version_key(each.version)), default=None
        )
        found.update(
            [newest.id] if newest else [edition.id for edition in versions if not edition.effective]
        )
    return [edition for edition in editions if edition.id in found]


def superseded_editions(editions: Sequence[Edition]) -> dict[str, Edition]:
    """Map the id of each of ``editions`` that has a newer version to the newest version.

    Versions are ordered by date if all of them have a date, otherwise by number.
    """
    found: dict[str, Edition] = {}
    for versions in _lines(editions).values():
        if len(versions) > 1:
            dated = all(edition.effective for edition in versions)
            newest = max(
                versions,
                key=lambda each: (each.effective if dated else "", version_key(each.version)),
            )
            found |= {edition.id: newest for edition in versions if edition is not newest}
    return found


def _lines(editions: Sequence[Edition]) -> dict[Line, list[Edition]]:
    """Group ``editions`` by the rulebook that they are versions of."""
    lines: dict[Line, list[Edition]] = {}
    by_id = {edition.id: edition for edition in editions}
    for edition in editions:
        lines.setdefault(_line_of_descent(edition, by_id.get(edition.succeeds or "")), []).append(
            edition
        )
    return lines


def _line_of_descent(edition: Edition, predecessor: Edition | None) -> Line:
    """Return a key that only the versions of one rulebook share: game, language, kind, and id and
    title without version.

    An edition with a ``predecessor`` gets the predecessor's key. A text without a numbered version,
    such as one page of an online rulebook, has its own key.
    """
    edition = predecessor or edition
    stem = id_without_version(edition.id, edition.version) if is_numbered(edition.version) else ""
    title = "".join(re.findall(r"[^\W\d_]+", edition.title.casefold()))
    return edition.game, edition.language, edition.kind, stem or edition.id, title
