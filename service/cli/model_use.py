"""What commands that ask the owner's model have in common: which model, what it will cost and has
cost, how it ended.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpus.errors import WrongUse
from service.cli.common import say, settings_from_options
from service.ops.settings import Settings, model_endpoint

if TYPE_CHECKING:
    from service.llm.client import ModelClient, Usage
    from service.llm.model_request import ModelEndpoint

_SPEED = 50  # tokens a second, of one reply: what a hosted model of middle size writes
_STEPS = 10  # lines of progress where there is no terminal
INTERRUPTED = 130  # exit status, as a shell has it for Ctrl-C


class NoModel(WrongUse):
    """No language model is set."""


def workspace_from_options(**given: object) -> tuple[Settings, Path]:
    """Return the settings and the workspace that options or settings name. Raises
    `service.ops.workspace_files.NoWorkspace`.
    """
    from service.ops.workspace import opened_workspace

    settings = settings_from_options(**given)
    return settings, opened_workspace(settings.home)


def named_model(settings: Settings) -> ModelEndpoint:
    """Return the model that ``settings`` name. Raises `NoModel`."""
    endpoint = model_endpoint(settings)
    if endpoint is None:
        raise NoModel(
            "no language model is set: say where one is with REGULA_MODEL_URL and REGULA_MODEL_NAME, such as http://localhost:11434/v1"
        )
    return endpoint


def origin(client: ModelClient) -> str:
    """Return what drafts say of where they come from: the model and the day."""
    return f"{client.name}, {datetime.now(UTC).date().isoformat()}"


def estimate_lines(endpoint: ModelEndpoint | None, estimated: Usage) -> list[str]:
    """Return lines on what calls will take: tokens, money where prices are set, time; and whether a
    budget ends them before.
    """
    tokens = f"about {estimated.request_tokens:,} tokens of requests and {estimated.reply_tokens:,} of replies"
    if endpoint is None:
        return [f"{estimated.calls} calls, {tokens}; no model is set"]
    lines = [f"{estimated.calls} calls of {endpoint.name or 'the recorded model'}, {tokens}"]
    cost = endpoint.prices.cost(estimated.request_tokens, estimated.reply_tokens)
    if cost:
        lines.append(f"about {cost:.2f} in the currency of the prices")
    if endpoint.replay:
        lines.append(f"nothing is asked of a model: {endpoint.replay} answers")
        return lines
    minutes = estimated.reply_tokens / _SPEED / endpoint.parallel / 60
    lines.append(
        f"about {max(1, round(minutes))} minutes where the model writes {_SPEED} tokens a second, {endpoint.parallel} calls at once"
    )
    if endpoint.most_tokens and estimated.tokens > endpoint.most_tokens:
        lines.append(
            f"the budget of {endpoint.most_tokens:,} tokens (model_tokens) will end it before; the next run goes on"
        )
    if endpoint.most_money and cost > endpoint.most_money:
        lines.append(
            f"the budget of {endpoint.most_money:g} (model_money) will end it before; the next run goes on"
        )
    return lines


def confirm(yes: bool, question: str = "Ask the model?") -> None:
    """Go on where ``yes``, or somebody at a terminal agrees. Raises `click.UsageError` where there
    is none.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was asked: there is no terminal to agree at; say --yes")
    click.confirm(question, abort=True)


def counted_calls(things: str = "calls") -> Callable[[int, int], None]:
    """Return a function that tells how many ``things`` of how many are done: in one line of a
    terminal, else now and then.
    """
    terminal = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if terminal:
            click.echo(f"\r{done} of {total} {things}", nl=done == total, err=True)
        elif done == total or done * _STEPS // total > (done - 1) * _STEPS // total:
            say(f"{done} of {total} {things}")

    return tell


def cost_line(client: ModelClient) -> str:
    """Return a line on what all calls of ``client`` took."""
    used = client.used
    cost = f", {client.cost:.2f} in the currency of the prices" if client.cost else ""
    return f"used: {used.calls} calls, {used.request_tokens:,} tokens of requests, {used.reply_tokens:,} of replies{cost}"


def counted(counts: Counter[str], most: int = 5) -> Iterable[str]:
    """Yield "number × what" for the most frequent of ``counts``."""
    for what, number in counts.most_common(most):
        yield f"{number} × {what}"


def ended(client: ModelClient, failures: Counter[str], interrupted: bool) -> int:
    """Say what is still to be asked, and return the exit status: 0 where nothing is."""
    endpoint = client.endpoint
    if client.lacked:
        say(
            f"{client.lacked} calls are not in {endpoint.replay}: they were appended to {endpoint.replay}.missing"
        )
    elif failures:
        for line in counted(failures):
            say(f"  {line}")
        say("the same command asks for what is missing")
    if interrupted:
        return INTERRUPTED
    return 1 if failures or client.lacked else 0
