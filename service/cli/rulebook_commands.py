"""Commands that read rulebooks: list and check their content, compare editions, import reviews,
export editions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from service.cli.common import (
    Function,
    cards_of_game,
    check_known,
    check_output,
    chosen_rulebooks,
    cli,
    edition_option,
    flag,
    json_option,
    library,
    location_options,
    locations_from_options,
    output_option,
    print_json,
    read_rulebooks,
    rulebook_folder,
    say,
    settings_from_options,
    source_options,
    text_option,
    workspace_from_options,
    write_output,
)


def _format_option(default: str, help: str) -> Callable[[Function], Function]:
    return click.option(
        "--format", "form", default=default, show_default=True, metavar="F", help=help
    )


@cli.command()
@location_options
@json_option("print a JSON list")
def editions(as_json: bool) -> None:
    """List the editions that the rulebooks are."""
    from service.browse.entries import edition_out

    read = library()
    bodies = [edition_out(read, e) for e in read.editions]
    if as_json:
        print_json([body.model_dump() for body in bodies], 1)
        return
    for body, edition in zip(bodies, read.editions, strict=True):
        effective = f", in effect from {body.effective}" if body.effective else ""
        click.echo(
            f"{body.id:32} {edition.full_title} ({body.language}){effective}: "
            f"{body.entries} entries, {body.passages} passages, from {body.source.file}"
        )


@cli.command()
@location_options
@edition_option()
@json_option("print one JSON object a line")
def entries(edition: str | None, as_json: bool) -> None:
    """List every entry in document order."""
    from service.browse.entries import entry_out

    read = library()
    check_known(edition, read.edition, "edition")
    for entry in read.entries:
        if edition not in (None, entry.edition):
            continue
        if as_json:
            print_json(entry_out(read, entry).model_dump())
        else:
            lines = f"{entry.lines.first:6}-{entry.lines.last:<6}"
            indent = "  " * (len(read.path(entry)) - 1)
            click.echo(f"{lines} {entry.kind:11} {indent}{entry.title}")


_ALL = "all"  # findings of any origin


@cli.command()
@location_options
@edition_option()
@text_option(
    "origin",
    "O",
    "only what most likely comes from: print, extraction (a scan or conversion), unclear; or all; "
    "all but extraction where not given",
)
@json_option("print one JSON list")
@flag("ids", "with what --ignore names findings by, which JSON has, too")
@flag("ignored", "also what is ignored, with the reasons", "with_ignored")
@text_option("ignore", "ID", "ignore a finding from now on, in every version with these words")
@text_option("because", "TEXT", "with --ignore: the reason", default="")
@text_option("by", "NAME", "with --ignore: who ignores it", default="")
@text_option("restore", "ID", "report a finding again that was ignored")
def check(
    edition: str | None,
    origin: str | None,
    as_json: bool,
    ids: bool,
    with_ignored: bool,
    ignore: str | None,
    because: str,
    by: str,
    restore: str | None,
) -> None:
    """Report what is wrong in the rulebooks themselves, but for what somebody ignores."""
    from corpus.cards.model import Card
    from corpus.cards.read import games_with_cards, read_cards
    from corpus.dates import today
    from corpus.workspace import workspace
    from glossary.check import Origin
    from glossary.comparison.reviews import Reviewer
    from service.editions.findings import check_editions, finding_out, findings_text
    from service.editions.ignored_findings import judged_findings, load_ignored, new_ignored
    from service.ops.comparison_reviews import drop_ignored, keep_ignored

    check_known(origin, [*Origin, _ALL], "origin")
    read = rulebook_folder().rulebooks
    check_known(edition, [r.edition.id for r in read], "edition")
    wanted = set(Origin) if origin == _ALL else set(Origin) - {Origin.EXTRACTION}
    if ignore and not (because.strip() and by.strip()):
        raise click.UsageError("--ignore goes with --because and --by: say why, and who does")
    games = sorted({r.edition.game for r in read})
    if restore:
        _, kept = workspace_from_options()
        if True not in [drop_ignored(kept, game, restore) for game in games]:
            raise click.UsageError(f"no finding {restore!r} is ignored")
        click.echo(f"{restore} is reported again")
        return
    home = settings_from_options().home
    ignored = {game: load_ignored(home, game) for game in games}
    folders = games_with_cards(workspace())

    def cards(game: str) -> Sequence[Card]:
        return read_cards(folders[game], game).cards if game in folders else ()

    wanted = set(Origin) if ignore else {Origin(origin)} if origin in list(Origin) else wanted
    found = [
        (book, judged_findings(findings, book.edition, book.entries, ignored[book.edition.game]))
        for book, findings in check_editions(read, edition, wanted, cards)
    ]
    if ignore:
        for book, finding in (
            (b, e.finding) for b, judged in found for e in judged if e.key == ignore
        ):
            _, kept = workspace_from_options()
            said = new_ignored(
                ignore, book.edition.id, finding.kind, because, Reviewer(by, today())
            )
            keep_ignored(kept, book.edition.game, said)
            click.echo(f"{ignore} is ignored: {finding.printed}")
            return
        raise click.UsageError(f"no finding {ignore!r}; --ids shows what they are named by")
    if as_json:
        shown = [each for _, judged in found for each in judged]
        shown = [each for each in shown if with_ignored or not each.ignored]
        print_json([finding_out(e.finding, e).model_dump(mode="json") for e in shown], 1)
        return
    texts = []
    for book, judged in found:
        open_ones = [each.finding for each in judged if with_ignored or not each.ignored]
        texts.append(findings_text(book, open_ones, judged, ids))
    click.echo("\n\n".join(texts))


@cli.group(invoke_without_command=True)
@location_options
@text_option("game", "G")
@_format_option("csv", "json, csv, xlsx, tbx (ISO 30042:2008), tbx3 (ISO 30042:2019) or tmx")
@output_option
@flag("cards", "with the names of the game's cards, their traits and products")
@flag("slang", "in csv and xlsx, with what players say")
@flag(
    "check",
    "report what each edition calls every term, and what is wrong, instead of the list",
    "checked",
)
@json_option("with --check: print one JSON object")
@source_options
@click.pass_context
def terms(
    context: click.Context,
    game: str | None,
    form: str,
    output: Path | None,
    cards: bool,
    slang: bool,
    checked: bool,
    as_json: bool,
    source: str | None,
    regions: str | None,
) -> None:
    """Write the term list of a game for people and translation tools, or check how its terms are
    used.
    """
    if context.invoked_subcommand is not None:
        return
    from service.editions.comparison import game_source
    from service.editions.exported_files import TERM_FORMATS
    from service.editions.exports.formats import ExportOptions, json_file, parse_regions
    from service.editions.terms import (
        rulebook_terms,
        rulebooks_term_use,
        term_use_table,
        terms_check_out,
        with_card_names,
    )

    if game is None:
        raise click.UsageError("name the game with --game")
    check_known(form, TERM_FORMATS, "format")
    check_output(output, TERM_FORMATS[form].binary)
    read = rulebook_folder().rulebooks
    check_known(game, sorted({r.edition.game for r in read}), "game")
    if cards and checked:
        raise click.UsageError("--cards goes with the list; --check looks at rulebooks alone")
    if as_json and not checked:
        raise click.UsageError("--json goes with --check; for the list as JSON, use --format json")
    if checked:
        uses = rulebooks_term_use(read, game)
        as_text = f"{term_use_table(uses)}\n".encode()
        write_output(json_file(terms_check_out(game, uses)) if as_json else as_text, output)
        return
    options = ExportOptions(
        source=game_source([r.edition for r in read], game, source),
        slang=slang,
        regions=parse_regions(regions),
    )
    found = rulebook_terms(read, game, options.source)
    if cards:
        found = with_card_names(found, cards_of_game(game))
    write_output(TERM_FORMATS[form].write(found, options), output)


@cli.command("compare")
@location_options
@click.argument("left")
@click.argument("right")
@_format_option(
    "table", "table, json, csv, html, xlsx, tmx, tbx (2008), tbx3 (2019), xliff or review-xlsx"
)
@flag("doubtful", "with tmx: also sentences that may be no true translation, each with a note")
@flag("as-printed", "with tmx: keep the misprints that notes on the editions know of")
@text_option(
    "entry",
    "HEADING",
    "with the table: only the entry headed so, with the texts of both sides",
)
@text_option(
    "review",
    "R",
    "only what is open, reviewed, or reworded (reviewed before the wording changed)",
    default="",
)
@output_option
@source_options
def compare_editions(
    left: str,
    right: str,
    form: str,
    doubtful: bool,
    as_printed: bool,
    entry: str | None,
    review: str,
    output: Path | None,
    source: str | None,
    regions: str | None,
) -> None:
    """Put the editions LEFT and RIGHT side by side: what only one has, what differs."""
    from glossary.comparison.reviews import ReviewStatus
    from service.editions.comparison import compare_in_library, comparison_table, source_edition
    from service.editions.exported_files import COMPARISON_FORMATS
    from service.editions.exports.formats import ExportOptions, NothingToExport, parse_regions
    from service.ops.comparison_reviews import load_reviews

    if review and (review not in list(ReviewStatus) or form == "table"):
        raise click.UsageError(
            f"--review takes one of {', '.join(ReviewStatus)}, "
            "and goes with a --format other than the table"
        )
    check_known(form, ["table", *COMPARISON_FORMATS], "format")
    if entry is not None and form != "table":
        raise click.UsageError("--entry goes with the table; other formats hold everything")
    check_output(output, binary=form != "table" and COMPARISON_FORMATS[form].binary)
    read = library(left, right)
    options = ExportOptions(
        source=source_edition(read.editions, left, right, source), regions=parse_regions(regions)
    )
    comparison = compare_in_library(read, left, right, options.source)
    aligned = any(pair.left and pair.right for pair in comparison.pairs)
    if not comparison.same_language and not aligned:
        say(
            "nothing says which entries of the two are the same: "
            "'regula concepts propose --write' finds out, in a workspace"
        )
    reviews = load_reviews(settings_from_options().home, comparison.left.game)
    if form == "table":
        written = f"{comparison_table(comparison, entry, reviews)}\n".encode()
    else:
        options = replace(
            options, doubtful=doubtful, as_printed=as_printed, reviews=reviews, review=review
        )
        try:
            written = COMPARISON_FORMATS[form].write(comparison, read, options)
        except NothingToExport as fault:
            raise click.UsageError(str(fault)) from fault
    write_output(written, output)


@cli.command("concordance")
@location_options
@click.argument("words", metavar="WORD")
@text_option("game", "G", "only editions of this game")
@json_option("print one JSON object a line")
def concordance_of(words: str, game: str | None, as_json: bool) -> None:
    """Show the aligned sentences of editions in two languages that have WORD, in any form of its
    capitals, on either side.
    """
    from service.editions.concordance import find_concordance

    read = library()
    check_known(game, sorted({edition.game for edition in read.editions}), "game")
    found = 0
    for line in find_concordance(read, words, game):
        found += 1
        if as_json:
            print_json(line._asdict())
        else:
            click.echo(
                f"{line.left}\n    {line.right}\n    ({line.left_place} | {line.right_place})"
            )
    if not found:
        say(f"no aligned sentence has {words!r}")


@cli.command("changes")
@location_options
@click.argument("name", required=False, metavar="[EDITION|FILE]")
@text_option("against", "EDITION|FILE", "the older version; the last one where not given")
@flag(
    "check",
    "with what 'regula check' finds in the new version and not in the old; takes longer",
    "checked",
)
@json_option("print a JSON object, a list of them where nothing is named")
@flag("draft", "print the YAML that describes the new edition instead")
def changes_since(
    name: str | None, against: str | None, checked: bool, as_json: bool, draft: bool
) -> None:
    """Report what changed in a new version: entries, passages, and what needs a human eye."""
    from index.building.snapshots import Snapshots
    from index.building.version_lookup import compare_versions, rulebooks_of_snapshots
    from service.editions.edition_changes import (
        changes_out,
        changes_text,
        find_rulebook,
        find_version_pairs,
    )
    from service.editions.recognised_rulebook import edition_draft

    if name is None and (against or draft):
        raise click.UsageError("name the new version: an edition or a file")
    here = locations_from_options()
    read = read_rulebooks(here).rulebooks
    others = rulebooks_of_snapshots(Snapshots(here.index), read)
    if draft:
        click.echo(edition_draft(find_rulebook(str(name), read, others)), nl=False)
        return
    found = [
        compare_versions(left, right, read, checked)
        for left, right in find_version_pairs(name, against, read, others)
    ]
    if as_json:
        bodies = [changes_out(version).model_dump(mode="json") for version in found]
        print_json(bodies if name is None else bodies[0], 1)
    else:
        click.echo("\n\n".join(map(changes_text, found)))


@cli.group()
def phrasings() -> None:
    """Query variants, what players type for each passage: where they are missing, where they have
    lost their passage.
    """


@phrasings.command()
@location_options
@edition_option()
@json_option("print one JSON object a line, with the text to write query variants for")
def missing(edition: str | None, as_json: bool) -> None:
    """List the passages without query variants, with the fingerprint to write them under."""
    from service.editions.phrasing_edits import missing_json, missing_line, missing_phrasings

    for passage in missing_phrasings(chosen_rulebooks(edition)):
        if as_json:
            print_json(missing_json(passage))
        else:
            click.echo(missing_line(passage))


@phrasings.command()
@location_options
@edition_option()
@text_option(
    "against",
    "EDITION|FILE",
    "a document that has the old texts, beside those here and in the last indexes",
)
@json_option("print one JSON object a line, with both texts and all query variants")
def changed(edition: str | None, against: str | None, as_json: bool) -> None:
    """List the query variants whose passage was reworded, old and new text side by side, those
    first where the rule may have changed.
    """
    from glossary.comparison.rewording import changed_phrasings
    from index.building.snapshots import Snapshots
    from index.building.version_lookup import rulebooks_of_snapshots
    from service.editions.edition_changes import find_rulebook
    from service.editions.phrasing_edits import changed_json, changed_text

    here = locations_from_options()
    read = read_rulebooks(here).rulebooks
    check_known(edition, [rulebook.edition.id for rulebook in read], "edition")
    others = [*rulebooks_of_snapshots(Snapshots(here.index), read), *read]
    if against:
        others.append(find_rulebook(against, read, others))
    chosen = [rulebook for rulebook in read if edition in (None, rulebook.edition.id)]
    for each in changed_phrasings(chosen, others):
        if as_json:
            print_json(changed_json(each))
        else:
            click.echo(changed_text(each))


@phrasings.command()
@location_options
@edition_option()
@json_option("print one JSON object a line, with the query variants")
def orphaned(edition: str | None, as_json: bool) -> None:
    """List the query variants whose passage is no longer there, and where it was."""
    from service.editions.phrasing_edits import orphaned_json, orphaned_line, orphaned_phrasings

    for edition_id, lost in orphaned_phrasings(chosen_rulebooks(edition)):
        if as_json:
            print_json(orphaned_json(edition_id, lost))
        else:
            click.echo(orphaned_line(edition_id, lost))


@cli.group()
def review() -> None:
    """Differences between editions that people review in translation tools and spreadsheets."""


@review.command("import")
@location_options
@click.argument(
    "file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.argument("editions", metavar="[LEFT RIGHT]", nargs=-1)
@text_option(
    "reviewer",
    "NAME",
    "who has reviewed, where FILE does not say so; of XLIFF always",
    default="",
)
def import_reviews(file: Path, editions: tuple[str, ...], reviewer: str) -> int:
    """Take states, reviewers and notes of FILE (XLIFF or XLSX of 'regula compare') into the
    workspace, reviews/<game>.jsonl.

    LEFT and RIGHT are the editions to read it against, where they are other versions than FILE
    names. What rulebooks say is never changed: another translation in an XLIFF becomes a note. A
    line for each that was not taken says why; exit status 1 then.
    """
    from glossary.comparison.reviews import facing_rows
    from service.editions.comparison import compare_in_library
    from service.editions.review_import import LARGEST, ComparedEditions, read_review_file
    from service.ops.comparison_reviews import take_in_reviews

    if len(editions) not in (0, 2):
        raise click.UsageError("name two editions, or none")
    _, home = workspace_from_options()
    with file.open("rb") as opened:
        found = read_review_file(opened.read(LARGEST + 1))
    left, right = editions or found.editions
    if not left or not right:
        raise click.UsageError(
            f"{file} does not say which editions it is about; "
            f"name them: regula review import {file} LEFT RIGHT"
        )
    comparison = compare_in_library(library(left, right), left, right)
    compared = ComparedEditions(comparison.left, comparison.right, facing_rows(comparison))
    taken = take_in_reviews(home, comparison.left.game, found, compared, reviewer.strip())
    for fault in taken.faults:
        say(f"{fault.place}: {fault.why}")
    click.echo(
        f"{left} | {right}: {len(taken.reviews)} taken, {taken.unchanged} say nothing new, "
        f"{len(taken.faults)} to look at"
    )
    return 1 if taken.faults else 0


@cli.command("export")
@location_options
@edition_option("only this edition")
@text_option(
    "output",
    "FOLDER",
    "write a file EDITION.jsonl.gz for each edition, and SHA256SUMS, into FOLDER",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
)
def export_editions(edition: str | None, output: Path | None) -> None:
    """Write editions as JSON Lines, an entry a line with its passages, spans, references and
    citations.

    The lines go to standard output; with --output into files, the same to the byte that GET
    /v1/export/EDITION.jsonl.gz gives.
    """
    from service.editions.exported_files import (
        EXTENSION,
        EditionFile,
        compressed,
        entry_lines,
    )

    read = library(*([edition] if edition else []))
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
