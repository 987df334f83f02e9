"""The list of the files of all editions: `ExportsOut`, of a service and of a folder alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from corpus.model import Edition
from index.library.library import Library
from service.editions.exports.edition_lines import EditionFile
from service.schemas.entries import ExportedEditionOut, ExportsOut

LINE = "/openapi.json#/components/schemas/WholeEntry"


def exports_out(
    library: Library, index: str, built: datetime, address: Callable[[Edition], str], described: Callable[[str], EditionFile]
) -> ExportsOut:
    """Return the list of the files of all editions of ``library``.

    ``index`` was ``built`` when it was; ``address`` gives the address of an edition's file, ``described`` what is known of it.
    """
    built = built if built.tzinfo else built.replace(tzinfo=UTC)
    return ExportsOut(
        index=index,
        updated=built.astimezone(UTC).replace(microsecond=0).isoformat(),
        line=LINE,
        exports=[_exported(edition, address(edition), described(edition.id)) for edition in library.editions],
    )


def _exported(edition: Edition, url: str, file: EditionFile) -> ExportedEditionOut:
    return ExportedEditionOut(
        edition=edition.id,
        game=edition.game,
        language=edition.language,
        version=edition.version,
        title=edition.title,
        effective=edition.effective or None,
        url=url,
        bytes=file.size,
        lines=file.lines,
        sha256=file.sha256,
    )
