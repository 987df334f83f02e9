"""``regula export``: whole editions for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.common import cli, library, location_options, say


@cli.command("export")
@location_options
@click.option("--edition", metavar="E", help="only this edition")
@click.option(
    "--output",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    metavar="FOLDER",
    help="write a file EDITION.jsonl.gz for each edition, and SHA256SUMS, into FOLDER",
)
def export_editions(rulebooks: str | None, index: str | None, edition: str | None, output: Path | None) -> None:
    """Write editions as JSON Lines, an entry a line with its passages, spans, references and citations.

    The lines go to standard output; with --output into files, the same to the byte that GET /v1/export/EDITION.jsonl.gz gives.
    """
    from service.editions.exports.edition_lines import EXTENSION, EditionFile, compressed, entry_lines

    read = library(rulebooks, index, *([edition] if edition else []))
    names = [each.id for each in read.editions if edition in (None, each.id)]
    if output is None:
        for name in names:
            for line in entry_lines(read, name):
                click.echo(line, nl=False)
        return
    output.mkdir(parents=True, exist_ok=True)
    sums = ""
    for name in names:
        raw = compressed(entry_lines(read, name))
        file = EditionFile.of(raw, len(read.entries_of(name)))
        (output / f"{name}.{EXTENSION}").write_bytes(raw)
        sums += f"{file.sha256}  {name}.{EXTENSION}\n"
        say(f"{output / name}.{EXTENSION}: {file.lines:,} lines, {file.size:,} bytes")
    (output / "SHA256SUMS").write_text(sums)
