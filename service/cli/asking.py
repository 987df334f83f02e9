"""Commands that ask: one question, many, and how well they are answered."""

from __future__ import annotations

import json
from typing import Any

import click

from service.cli.common import cli, places, told_indexes


@cli.command()
@places
@click.argument("question", required=False)
@click.option("--batch", metavar="FILE", help="questions, one JSON object a line; - for standard input")
@click.option("--edition", metavar="E")
@click.option("--game", metavar="G")
@click.option("--language", type=click.Choice(["de", "it", "en"]), help="of the question; detected where not given")
@click.option("-k", default=5, show_default=True, type=click.IntRange(1, 50), help="number of passages")
@click.option("--json", "as_json", is_flag=True, help="print the body of POST /v1/ask")
def ask(
    rulebooks: str | None,
    index: str | None,
    question: str | None,
    batch: str | None,
    edition: str | None,
    game: str | None,
    language: str | None,
    k: int,
    as_json: bool,
) -> None:
    """Answer QUESTION with the passages that settle it, each with its citation."""
    from index.model import Query

    if (question is None) == (batch is None):
        raise click.UsageError("give either a QUESTION or --batch FILE")
    if question is not None and not question.strip():
        raise click.UsageError("the QUESTION is empty")
    rows = _rows(batch) if batch else []
    answering = told_indexes(rulebooks, index).ready()
    if question is not None:
        from service.answer import answer, as_text

        found = answering.search(Query(question, edition, game, None, language, k))
        click.echo(json.dumps(answer(answering, found), ensure_ascii=False) if as_json else as_text(answering, found))
        return
    from service.batch import responses

    for row in responses(answering, rows):
        click.echo(json.dumps(row, ensure_ascii=False))


def _rows(file: str) -> list[dict[str, Any]]:
    """The JSON objects of ``file``, one a line. Raises `click.UsageError` naming the line that is none."""
    rows = []
    try:
        with click.open_file(file, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or "id" not in row:
                        raise click.UsageError(f"{file}:{number}: not an object with id and question")
                    rows.append(row)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: cannot be read ({error})") from error
    except json.JSONDecodeError as error:
        raise click.UsageError(f"{file}:{number}: not JSON ({error.msg})") from error
    return rows


@cli.command()
@places
@click.argument("questions")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead of the table")
def evaluate(rulebooks: str | None, index: str | None, questions: str, as_json: bool) -> None:
    """Ask every question of the file QUESTIONS and print how well they are answered."""
    from service.batch import responses
    from service.evaluate import figures, table

    rows = _rows(questions)
    answering = told_indexes(rulebooks, index).ready()
    result = figures(answering.library, rows, responses(answering, rows))
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else table(result))
