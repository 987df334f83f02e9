"""Commands on feedback: list it, put confirmed questions to use, judge what is left."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    check_edition,
    cli,
    home_option,
    index_manager_from_options,
    location_options,
    say,
    settings_from_options,
)
from service.ops.settings import SettingError

if TYPE_CHECKING:
    from index.library.library import Library
    from service.ops.feedback.records import FeedbackRecord
    from service.ops.feedback.store import FeedbackQueue, FeedbackStore

_LEAST = click.option(
    "--hits",
    "least",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="users who say so, and none says no",
)


@cli.group(invoke_without_command=True)
@home_option
@click.option("--edition", metavar="E", help="only what is about this edition")
@click.option(
    "--unanswered", is_flag=True, help="questions that nothing settled, alike ones together"
)
@click.option("--json", "as_json", is_flag=True, help="print one JSON object a line")
@click.pass_context
def feedback(context: click.Context, edition: str | None, unanswered: bool, as_json: bool) -> None:
    """List what users said of answers, and put it to use; the setting 'feedback' has it kept in the
    workspace.
    """
    if context.invoked_subcommand:
        if edition or unanswered or as_json:
            raise click.UsageError(
                f"options go behind the command: regula feedback {context.invoked_subcommand} …"
            )
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
    if unanswered:
        groups = question_groups(open_questions(records))
        text = group_table(groups)
        rows = [group_json(group) for group in groups]
    else:
        text = record_table(records) if records else ""
        rows = [record_json(record) for record in records]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
    else:
        click.echo(
            text or "nothing is kept yet; REGULA_FEEDBACK=true has it kept"
            if not records
            else text or "every question was settled"
        )


@feedback.command("phrasings")
@location_options
@click.option("--edition", metavar="E", help="only those of this edition")
@_LEAST
@click.option("--json", "as_json", is_flag=True, help="print one JSON object for each edition")
def write_phrasings(edition: str | None, least: int, as_json: bool) -> None:
    """Put questions that users called answered among the phrasings of the workspace, marked for
    review; used at the next build.

    What was put there before, or is phrased already, is not put there again.
    """
    from service.ops.feedback.confirmed import proposed_phrasings
    from service.ops.feedback.confirmed import write_phrasings as write
    from service.ops.feedback.records import phrased_record

    store, home = _store(), _home()
    library = _library()
    check_edition(edition, [known.id for known in library.editions])
    found = proposed_phrasings(library, _records(store), least, edition)
    for proposed in found:
        if proposed.gone:
            say(
                f"{proposed.edition}: {proposed.gone} of the passages that were judged are there no more"
            )
        if not proposed.count:
            continue
        path = write(home, proposed, library.edition[proposed.edition].language)
        for judged in (judged for questions in proposed.questions.values() for judged in questions):
            store.append(phrased_record(judged.question, judged.language, judged.passage))
        if as_json:
            click.echo(
                json.dumps(
                    {"edition": proposed.edition, "file": str(path), "questions": proposed.count},
                    ensure_ascii=False,
                )
            )
        else:
            click.echo(
                f"{path}: {proposed.count} questions added, marked for review; the next 'regula build' uses them"
            )
            for judged in (
                judged for questions in proposed.questions.values() for judged in questions
            ):
                click.echo(f"  {' '.join(judged.question.split())}  ->  {judged.passage.label}")
    if not any(proposed.count for proposed in found) and not as_json:
        click.echo("no confirmed question is new")


@feedback.command()
@location_options
@_LEAST
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="write to FILE instead of printing",
)
def questions(least: int, output: Path | None) -> None:
    """Make a question file for 'regula evaluate' of what users confirmed, and of what 'regula
    feedback open' did.

    Their kind is "phrased" where they are phrasings already: those measure only that they were
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
@click.argument("ids", metavar="ID…", nargs=-1, required=True)
def confirm_open(ids: tuple[str, ...]) -> None:
    """Confirm that the rulebook leaves the questions of the records ID open, as 'regula feedback
    --unanswered' lists them.
    """
    from service.ops.feedback.records import (
        FeedbackOrigin,
        Verdict,
        today,
    )

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
@click.argument("ids", metavar="ID…", nargs=-1, required=True)
def drop(ids: tuple[str, ...]) -> None:
    """Take back the records ID: they count no more."""
    from service.ops.feedback.records import (
        FeedbackOrigin,
        undone_record,
    )

    store = _store()
    for record in _named(store, ids):
        store.append(undone_record(record.id, FeedbackOrigin.CLI))
        click.echo(f"dropped: {record.question}")


def _home() -> Path:
    from service.ops.workspace import opened_workspace

    return opened_workspace(settings_from_options().home)


def _store() -> FeedbackStore:
    """The feedback of the workspace, with all that waited elsewhere; a line says so where that
    cannot be collected.
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

    return FeedbackStore(_home())


def _queue() -> FeedbackQueue | None:
    from service.ops.feedback.recording import feedback_queue

    return feedback_queue(settings_from_options())


def _records(store: FeedbackStore) -> list[FeedbackRecord]:
    """The records that stand; a line says where there are lines that are none."""
    read = store.read()
    for note in read.notes:
        say(note)
    return read.standing()


def _named(store: FeedbackStore, ids: tuple[str, ...]) -> list[FeedbackRecord]:
    """The records that ``ids``, or their beginnings, name. Raises `click.UsageError` where one
    names none or several.
    """
    records = _records(store)
    found = []
    for id in ids:
        named = [record for record in records if record.id.startswith(id)]
        if len(named) != 1:
            raise click.UsageError(
                f"{id!r} names {len(named) or 'no'} record{'s' if named else ''}; 'regula feedback' lists those there are"
            )
        found += named
    return found


def _library() -> Library:
    """The library of the index that is published, whether or not it has the phrasings of today."""
    return index_manager_from_options().load().library
