"""Commands that ask one or many questions, evaluate the answers, and check quotations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from service.cli.common import (
    cli,
    edition_option,
    flag,
    game_option,
    index_manager_from_options,
    json_option,
    location_options,
    locations_from_options,
    print_json,
    say,
    settings_from_options,
    text_option,
)

if TYPE_CHECKING:
    from service.answers.batch import BatchResponse, BatchRow
    from service.assist.assistant import Assistant
    from service.core.problems import Problem
    from service.core.snapshot import Snapshot

_USUAL = 5  # default number of passages in an answer on the terminal


@cli.command()
@location_options
@click.argument("question", required=False)
@text_option("batch", "FILE", "questions, one JSON object a line; - for standard input")
@edition_option("only this edition")
@game_option
@text_option("language", "L", "of the question, such as de or it-CH; detected where not given")
@text_option("as-of", "DAY", "answer with what held on this day, such as 2025-06-01")
@text_option(
    "context",
    "Q",
    'a question asked before, which one like "and if it is exhausted?" is read with',
    multiple=True,
)
@click.option(
    "-k",
    metavar="N",
    type=click.IntRange(1, 50),
    help=f"number of passages of rulebooks  [default: {_USUAL}, 10 with --batch]",
)
@text_option(
    "offset", "N", "leave out the first N passages of rulebooks", type=click.IntRange(0, 200)
)
@text_option("per-game", "N", "at most N passages of one game", type=click.IntRange(1, 50))
@text_option("per-language", "N", "at most N passages in one language", type=click.IntRange(1, 50))
@text_option(
    "prefer",
    "L",
    "language that passages come first in where a game has editions in several",
)
@text_option(
    "layers",
    "L,…",
    "quote only from these: rulebook, rulings, cards  [default: all that are loaded]",
)
@flag("assist", "let the model that the settings name look the question up")
@json_option("print the body of POST /v1/ask with fields=all")
def ask(
    question: str | None,
    batch: str | None,
    context: tuple[str, ...],
    assist: bool,
    as_json: bool,
    **where: object,
) -> int:
    """Answer QUESTION with the passages that settle it, each with its citation.

    With --batch, the other options hold for the questions that do not say. A question that cannot
    be put is told, and the next one answered; exit status 1 where there was one. With --assist, the
    model of REGULA_MODEL_URL may search in other words and choose among the passages found; exit
    status 1 where recorded calls answer instead (REGULA_MODEL_REPLAY) and lack some.
    """
    given = {**where, "context": list(context) or None}
    options = {name: value for name, value in given.items() if value is not None}
    if (question is None) == (batch is None):
        raise click.UsageError("give either a QUESTION or --batch FILE")
    from service.answers.answer import answer_out, as_text
    from service.assist.assistant import AssistedResult
    from service.core.ask import ask as put
    from service.core.parameters import query_from
    from service.core.parameters import question as checked
    from service.core.problems import Problem
    from service.ops.assistants import assistant_for_owner

    assistant = assistant_for_owner(settings_from_options())
    if assistant is None and assist:
        raise click.UsageError(
            "no model is set that could assist: name its server and itself "
            "(REGULA_MODEL_URL, REGULA_MODEL_NAME)"
        )
    if batch is not None:
        return _batch(batch, {**options, **({"assist": True} if assist else {})}, assistant)
    fields = {"k": _USUAL, **options, "question": question}
    try:
        checked(question or "")  # before an index is opened or built
        snapshot = index_manager_from_options().ready()
        query = query_from(fields, snapshot)
        if assistant and assist:
            found = assistant.ask(snapshot, query)
        else:
            found = AssistedResult(put(snapshot, query), None)
    except Problem as problem:
        raise _usage_error(problem, fields) from problem
    if as_json:
        print_json(answer_out(snapshot, found.result, found.assistance).model_dump())
    else:
        click.echo(as_text(snapshot, found.result))
    if found.assistance and found.assistance.note:
        say(f"answered without the model: {found.assistance.note}")
    return _status(assistant)


def _status(assistant: Assistant | None) -> int:
    """Return the exit status: 1 if recorded calls of the model are replayed and some are missing,
    which is reported.
    """
    if assistant is None or not assistant.client.lacked:
        return 0
    say(
        f"{assistant.client.lacked} calls of the model are not recorded; "
        f"they were appended to {assistant.client.endpoint.replay}.missing"
    )
    return 1


def _batch(file: str, options: Mapping[str, object], assistant: Assistant | None) -> int:
    from service.answers.batch import read_rows
    from service.core.parameters import query_from
    from service.core.problems import Problem

    lines = _lines(file)
    snapshot = index_manager_from_options().ready()
    try:
        query_from({**options, "question": "?"}, snapshot)
    except Problem as problem:
        raise _usage_error(problem, options) from problem
    failed = False
    for response in _responses(file, snapshot, read_rows(lines, options), assistant):
        failed = failed or response.problem is not None
        # JSON escapes a lone surrogate as Python does, with a backslash, because UTF-8 cannot
        # encode it.
        line = json.dumps(response.as_json(), ensure_ascii=False)
        click.echo(line.encode("utf-8", "backslashreplace"))
    return 1 if failed else _status(assistant)


@cli.command()
@location_options
@click.argument("questions")
@text_option(
    "as-new",
    "GAME",
    "on an index that knows of GAME only its text; builds it beside the published one",
)
@json_option("print one JSON object instead of the table")
def evaluate(questions: str, as_new: str | None, as_json: bool) -> int:
    """Ask every question of the file QUESTIONS and print how well they are answered.

    A question that cannot be put is told and counts as not answered; exit status 1 where there was
    one. With --as-new, the questions that are put to documents of GAME are asked, of an index
    without the query variants, concepts and products that the program has for it; what the
    workspace has for it counts.
    """
    from service.answers.batch import read_rows, row_fault
    from service.answers.evaluation import as_table, evaluate, expected_answers, put_to
    from service.core.problems import Problem

    failed = False
    valid: list[BatchRow] = []
    for row in read_rows(_lines(questions)):
        try:
            if row.problem:
                raise row.problem
            expected_answers(row.fields)
            valid.append(row)
        except Problem as problem:
            failed = True
            say(f"{row_fault(questions, row, problem)} Left out.")
    if as_new is None:
        snapshot = index_manager_from_options().ready()
    else:
        from service.ops.as_new import snapshot_as_new

        snapshot = snapshot_as_new(locations_from_options(), as_new, say)
        asked = [row for row in valid if put_to(snapshot.library, as_new, row.fields)]
        if not asked:
            raise click.UsageError(
                f"{questions}: none of its questions is put to a document of {as_new}"
            )
        say(
            f"{len(asked)} of {len(valid)} questions are put to documents of {as_new}; "
            "the others are left out"
        )
        valid = asked
    responses = list(_responses(questions, snapshot, valid))
    failed = failed or any(response.problem for response in responses)
    result = evaluate(
        snapshot.library, [row.fields for row in valid], [response.answer for response in responses]
    )
    if as_json:
        print_json(result)
    else:
        click.echo(as_table(result))
    return 1 if failed else 0


def _lines(file: str) -> list[bytes]:
    """Return the lines of ``file``. Raises `click.UsageError` if it cannot be read."""
    try:
        with click.open_file(file, "rb") as lines:
            return list(lines)
    except OSError as fault:
        raise click.UsageError(f"{file}: cannot be read ({fault.strerror})") from fault


def _responses(
    file: str, snapshot: Snapshot, rows: Iterable[BatchRow], assistant: Assistant | None = None
) -> Iterator[BatchResponse]:
    """Answer the rows of ``file``; a line reports each invalid row."""
    from service.answers.batch import responses, row_fault

    for response in responses(snapshot, rows, assistant):
        if response.problem:
            say(row_fault(file, response.row, response.problem))
        yield response


def _usage_error(problem: Problem, fields: Mapping[str, object]) -> click.UsageError:
    from service.answers.batch import describe_problem

    return click.UsageError(describe_problem(problem, fields).rstrip("."))


@cli.command()
@location_options
@click.argument("files", metavar="FILES…", nargs=-1, required=True)
@edition_option("only this edition counts")
@game_option
@json_option("print one JSON object a line")
def verify(files: tuple[str, ...], edition: str | None, game: str | None, as_json: bool) -> int:
    """Check what FILES quote and cite of the rulebooks; - is standard input.

    One line for each quotation that is not printed so, and for each rule or entry that does not
    exist or says something else, with file and line; exit status 1 where there is one. Of programs
    the comments are checked.
    """
    from service.answers.batch import describe_problem
    from service.answers.verify.files import findings
    from service.core.problems import Problem

    texts = {name: _text(name) for name in dict.fromkeys(files)}
    snapshot = index_manager_from_options().ready()
    wrong = False
    for name, text in texts.items():
        try:
            for found in findings(snapshot, name, text, game, edition):
                wrong = True
                if as_json:
                    print_json(found.as_json(name))
                else:
                    click.echo(
                        f"{name}:{found.line}:{found.column}: {found.problem}: "
                        f"{found.text}: {found.message}"
                    )
        except Problem as problem:
            given = {"game": game, "edition": edition}
            raise click.UsageError(describe_problem(problem, given).rstrip(".")) from problem
    return 1 if wrong else 0


def _text(file: str) -> str:
    """Return the text of ``file``. Raises `click.UsageError` if it is no UTF-8 text."""
    try:
        with click.open_file(file, "rb") as opened:
            text: str = opened.read().decode("utf-8-sig")
    except OSError as fault:
        raise click.UsageError(f"{file}: cannot be read ({fault.strerror})") from fault
    except UnicodeDecodeError as fault:
        raise click.UsageError(f"{file}: is no text in UTF-8") from fault
    if "\0" in text:
        raise click.UsageError(f"{file}: is no text")
    return text.replace("\r\n", " \n")
