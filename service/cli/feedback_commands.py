"""Commands for feedback: list it, use confirmed questions, judge the rest."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    check_known,
    cli,
    edition_option,
    flag,
    home_option,
    index_manager_from_options,
    json_option,
    location_options,
    print_json,
    say,
    settings_from_options,
    text_option,
    workspace_from_options,
)
from service.ops.settings import SettingError

if TYPE_CHECKING:
    from index.library.library import Library
    from service.ops.feedback.records import FeedbackRecord
    from service.ops.feedback.store import FeedbackQueue, FeedbackStore

_least_option = click.option(
    "--hits",
    "least",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="users who say so, and none says no",
)
_ids_argument = click.argument("ids", metavar="ID…", nargs=-1, required=True)


@cli.group(invoke_without_command=True)
@home_option
@edition_option("only what is about this edition")
@flag("unanswered", "questions that nothing settled, alike ones together")
@json_option("print one JSON object a line")
@click.pass_context
def feedback(context: click.Context, edition: str | None, unanswered: bool, as_json: bool) -> None:
    """List what users said of answers, and put it to use; the setting 'feedback' has it kept in the
    workspace.
    """
    if command := context.invoked_subcommand:
        if edition or unanswered or as_json:
            raise click.UsageError(f"options go behind the command: regula feedback {command} …")
        return
    from service.ops.feedback.records import (
        concerns,
        group_json,
        group_table,
        open_questions,
        question_groups,
        record_json,
        record_table,
    )

    records = [record for record in _records(_store()) if concerns(record, edition)]
    groups = question_groups(open_questions(records)) if unanswered else []
    if as_json:
        rows = map(group_json, groups) if unanswered else map(record_json, records)
        for row in rows:
            print_json(row)
    elif not records:
        click.echo("nothing is kept yet; REGULA_FEEDBACK=true has it kept")
    elif unanswered:
        click.echo(group_table(groups) or "every question was settled")
    else:
        click.echo(record_table(records))


@feedback.command("phrasings")
@location_options
@edition_option("only those of this edition")
@_least_option
@json_option("print one JSON object for each edition")
def write_query_variants(edition: str | None, least: int, as_json: bool) -> None:
    """Put questions that users called answered among the query variants of the workspace, marked
    for review; used at the next build.

    What was put there before, or is a query variant already, is not put there again.
    """
    from service.ops.feedback.confirmed import proposed_phrasings, write_phrasings
    from service.ops.feedback.records import phrased_record

    store, (_, home) = _store(), workspace_from_options()
    library = _library()
    check_known(edition, [known.id for known in library.editions], "edition")
    found = proposed_phrasings(library, _records(store), least, edition)
    for proposed in found:
        name, count = proposed.edition, proposed.count
        if proposed.gone:
            say(f"{name}: {proposed.gone} of the passages that were judged are there no more")
        if not count:
            continue
        path = write_phrasings(home, proposed, library.edition[name].language)
        hits = [judged for questions in proposed.questions.values() for judged in questions]
        for judged in hits:
            store.append(phrased_record(judged.question, judged.language, judged.passage))
        if as_json:
            print_json({"edition": name, "file": str(path), "questions": count})
        else:
            click.echo(
                f"{path}: {count} questions added, marked for review; "
                "the next 'regula build' uses them"
            )
            for judged in hits:
                click.echo(f"  {' '.join(judged.question.split())}  ->  {judged.passage.label}")
    if not any(proposed.count for proposed in found) and not as_json:
        click.echo("no confirmed question is new")


@feedback.command()
@location_options
@_least_option
@text_option(
    "output",
    "FILE",
    "write to FILE instead of printing",
    type=click.Path(path_type=Path, dir_okay=False),
)
def questions(least: int, output: Path | None) -> None:
    """Make a question file for 'regula evaluate' of what users confirmed, and of what 'regula
    feedback open' did.

    Their kind is "phrased" where they are query variants already: those measure only that they were
    learned.
    """
    from service.ops.feedback.confirmed import evaluation_rows

    records = _records(_store())
    rows = list(evaluation_rows(_library(), records, least))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    say(f"{output}: {len(rows)} questions")


@feedback.command()
@home_option
def collect() -> None:
    """Take into the workspace what waits in Redis, where the setting 'feedback_storage' has several
    servers put it.

    Every other command on feedback does so first.
    """
    queue = _queue()
    if queue is None:
        raise SettingError("feedback_storage is not set: feedback goes into the workspace itself")
    click.echo(f"{queue.collect_into(_workspace_store())} records collected")


@feedback.command("open")
@home_option
@_ids_argument
def confirm_open(ids: tuple[str, ...]) -> None:
    """Confirm that the rulebook leaves the questions of the records ID open, as 'regula feedback
    --unanswered' lists them.
    """
    from corpus.dates import today
    from service.ops.feedback.records import FeedbackOrigin, Verdict

    store = _store()
    for record in _named(store, ids):
        said = {
            "id": secrets.token_hex(8),
            "verdict": Verdict.OPEN,
            "day": today(),
            "origin": FeedbackOrigin.CLI,
            "passage": None,
            "rank": None,
        }
        store.append(record.model_copy(update=said))
        click.echo(f"open: {record.question}")


@feedback.command()
@home_option
@_ids_argument
def drop(ids: tuple[str, ...]) -> None:
    """Withdraw the records ID, so that they no longer count."""
    from service.ops.feedback.records import FeedbackOrigin, undone_record

    store = _store()
    for record in _named(store, ids):
        store.append(undone_record(record.id, FeedbackOrigin.CLI))
        click.echo(f"dropped: {record.question}")


def _store() -> FeedbackStore:
    """Return the feedback of the workspace, after collecting what waits in Redis; a line reports
    if that fails.
    """
    from service.ops.feedback.store import FeedbackNotKept

    store, queue = _workspace_store(), _queue()
    if queue is not None:
        try:
            queue.collect_into(store)
        except FeedbackNotKept as fault:
            say(str(fault))
    return store


def _workspace_store() -> FeedbackStore:
    from service.ops.feedback.store import FeedbackStore

    return FeedbackStore(workspace_from_options()[1])


def _queue() -> FeedbackQueue | None:
    from service.ops.feedback.recording import feedback_queue

    return feedback_queue(settings_from_options())


def _records(store: FeedbackStore) -> list[FeedbackRecord]:
    """Return the records that were not withdrawn; report each invalid line."""
    read = store.read()
    for note in read.notes:
        say(note)
    return read.standing()


def _named(store: FeedbackStore, ids: tuple[str, ...]) -> list[FeedbackRecord]:
    """Return the records whose ids begin with ``ids``. Raises `click.UsageError` if one of these
    matches no record or several.
    """
    records = _records(store)
    found = []
    for id in ids:
        named = [record for record in records if record.id.startswith(id)]
        if len(named) != 1:
            count = f"{len(named)} records" if named else "no record"
            raise click.UsageError(f"{id!r} names {count}; 'regula feedback' lists those there are")
        found += named
    return found


def _library() -> Library:
    """Return the library of the published index, even if its query variants are outdated."""
    return index_manager_from_options().load().library
