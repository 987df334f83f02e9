"""Commands that ask: one question, many, and how well they are answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from service.cli.common import cli, index_manager_from_options, location_options, locations_from_options, say

if TYPE_CHECKING:
    from service.answers.batch import BatchResponse, BatchRow
    from service.core.problems import Problem
    from service.core.snapshot import Snapshot

_USUAL = 5  # passages of an answer on the terminal


@cli.command()
@location_options
@click.argument("question", required=False)
@click.option("--batch", metavar="FILE", help="questions, one JSON object a line; - for standard input")
@click.option("--edition", metavar="E", help="only this edition")
@click.option("--game", metavar="G", help="only this game")
@click.option("--language", metavar="L", help="of the question, such as de or it-CH; detected where not given")
@click.option("-k", metavar="N", type=click.IntRange(1, 50), help=f"number of passages  [default: {_USUAL}, 10 with --batch]")
@click.option("--json", "as_json", is_flag=True, help="print the body of POST /v1/ask")
def ask(
    rulebooks: str | None,
    index: str | None,
    question: str | None,
    batch: str | None,
    edition: str | None,
    game: str | None,
    language: str | None,
    k: int | None,
    as_json: bool,
) -> int:
    """Answer QUESTION with the passages that settle it, each with its citation.

    With --batch, the other options hold for the questions that do not say. A question that cannot be put is told, and the next one
    answered; exit status 1 where there was one.
    """
    given = {"edition": edition, "game": game, "language": language, "k": k}
    options = {name: value for name, value in given.items() if value is not None}
    if (question is None) == (batch is None):
        raise click.UsageError("give either a QUESTION or --batch FILE")
    if batch is not None:
        return _batch(batch, options, rulebooks, index)

    from service.answers.answer import answer_out, as_text
    from service.core.ask import ask as put
    from service.core.parameters import query_from
    from service.core.parameters import question as checked
    from service.core.problems import Problem

    fields = {"k": _USUAL, **options, "question": question}
    try:
        checked(question)  # before an index is opened, or even built
        snapshot = index_manager_from_options(rulebooks, index).ready()
        found = put(snapshot, query_from(fields, snapshot.library))
    except Problem as problem:
        raise _usage_error(problem, fields) from problem
    click.echo(json.dumps(answer_out(snapshot, found).model_dump(), ensure_ascii=False) if as_json else as_text(snapshot, found))
    return 0


def _batch(file: str, options: Mapping[str, object], rulebooks: str | None, index: str | None) -> int:
    from service.answers.batch import read_rows
    from service.core.parameters import query_within
    from service.core.problems import Problem

    lines = _lines(file)
    snapshot = index_manager_from_options(rulebooks, index).ready()
    try:
        query_within(options, snapshot.library, "")
    except Problem as problem:
        raise _usage_error(problem, options) from problem
    failed = False
    for response in _responses(file, snapshot, read_rows(lines, options)):
        failed = failed or response.problem is not None
        # In JSON, a lone surrogate is written as Python writes it with a backslash; UTF-8 has no bytes for it.
        click.echo(json.dumps(response.as_json(), ensure_ascii=False).encode("utf-8", "backslashreplace"))
    return 1 if failed else 0


@cli.command()
@location_options
@click.argument("questions")
@click.option("--as-new", metavar="GAME", help="on an index that knows of GAME only its text; builds it beside the published one")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead of the table")
def evaluate(rulebooks: str | None, index: str | None, questions: str, as_new: str | None, as_json: bool) -> int:
    """Ask every question of the file QUESTIONS and print how well they are answered.

    A question that cannot be put is told and counts as not answered; exit status 1 where there was one. With --as-new, the questions that
    are put to documents of GAME are asked, of an index without the phrasings, concepts and products that the program has for it; what the
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
        snapshot = index_manager_from_options(rulebooks, index).ready()
    else:
        snapshot = _snapshot_as_new(rulebooks, index, as_new)
        asked = [row for row in valid if put_to(snapshot.library, as_new, row.fields)]
        if not asked:
            raise click.UsageError(f"{questions}: none of its questions is put to a document of {as_new}")
        say(f"{len(asked)} of {len(valid)} questions are put to documents of {as_new}; the others are left out")
        valid = asked
    responses = list(_responses(questions, snapshot, valid))
    failed = failed or any(response.problem for response in responses)
    result = evaluate(snapshot.library, [row.fields for row in valid], [response.answer for response in responses])
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else as_table(result))
    return 1 if failed else 0


def _snapshot_as_new(rulebooks: str | None, index: str | None, game: str) -> Snapshot:
    from service.ops.as_new import snapshot_as_new

    return snapshot_as_new(locations_from_options(rulebooks, index), game, say)


def _lines(file: str) -> list[bytes]:
    """Return the lines of ``file``. Raises `click.UsageError` where it cannot be read."""
    try:
        with click.open_file(file, "rb") as lines:
            return list(lines)
    except OSError as fault:
        raise click.UsageError(f"{file}: cannot be read ({fault.strerror})") from fault


def _responses(file: str, snapshot: Snapshot, rows: Iterable[BatchRow]) -> Iterator[BatchResponse]:
    """Answer the rows of ``file``; a line says what is wrong with one."""
    from service.answers.batch import responses, row_fault

    for response in responses(snapshot, rows):
        if response.problem:
            say(row_fault(file, response.row, response.problem))
        yield response


def _usage_error(problem: Problem, fields: Mapping[str, object]) -> click.UsageError:
    from service.answers.batch import describe_problem

    return click.UsageError(describe_problem(problem, fields).rstrip("."))
