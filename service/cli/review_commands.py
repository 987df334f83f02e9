"""Commands of reviewed differences: take in files that come back from translators and editors."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.common import check_edition, cli, library, location_options, say, settings_from_options


@cli.group()
def review() -> None:
    """Differences between editions that people review in translation tools and spreadsheets."""


@review.command("import")
@location_options
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("editions", metavar="[LEFT RIGHT]", nargs=-1)
@click.option("--reviewer", default="", metavar="NAME", help="who has reviewed, where FILE does not say so; of XLIFF always")
def import_reviews(rulebooks: str | None, index: str | None, file: Path, editions: tuple[str, ...], reviewer: str) -> int:
    """Take states, reviewers and notes of FILE (XLIFF or XLSX of 'regula compare') into the workspace, reviews/<game>.jsonl.

    LEFT and RIGHT are the editions to read it against, where they are other versions than FILE names. What rulebooks say is never changed:
    another translation in an XLIFF becomes a note. A line for each that was not taken says why; exit status 1 then.
    """
    from glossary.comparison.facing_rows import facing_rows
    from service.editions.comparison import compare_in_library
    from service.editions.reviewed.reading import LARGEST, read_review_file
    from service.editions.reviewed.taking_in import ComparedEditions
    from service.ops.comparison_reviews import take_in_reviews
    from service.ops.workspace_files import opened_workspace

    if len(editions) not in (0, 2):
        raise click.UsageError("name two editions, or none")
    home = opened_workspace(settings_from_options(rulebooks=rulebooks, index=index).home)
    with file.open("rb") as opened:
        found = read_review_file(opened.read(LARGEST + 1))
    left, right = editions or found.editions
    if not left or not right:
        raise click.UsageError(f"{file} does not say which editions it is about; name them: regula review import {file} LEFT RIGHT")
    tied = library(rulebooks, index, left, right)
    for edition in (left, right):
        check_edition(edition, list(tied.edition))
    comparison = compare_in_library(tied, left, right)
    compared = ComparedEditions(comparison.left, comparison.right, facing_rows(comparison))
    taken = take_in_reviews(home, comparison.left.game, found, compared, reviewer.strip())
    for fault in taken.faults:
        say(f"{fault.place}: {fault.why}")
    click.echo(f"{left} | {right}: {len(taken.reviews)} taken, {taken.unchanged} say nothing new, {len(taken.faults)} to look at")
    return 1 if taken.faults else 0
