"""Many calls of a model, several at once: what each brings is taken as soon as it is there, and what fails is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.llm.client import ModelClient
from service.llm.errors import BudgetSpent, ModelError, ModelUnreachable
from service.llm.model_request import ModelRequest, ReplyFields

_GIVEN_UP = 3  # calls in a row whose server could not be reached
_NOT_ASKED = "not asked for any more"

R = TypeVar("R", bound=ReplyFields)
Progress = Callable[[int, int], None]


@dataclass
class CallOutcome:
    """Why calls failed, and whether somebody ended them before all were made."""

    failures: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


def ask_all(client: ModelClient, requests: Sequence[ModelRequest[R]], take: Callable[[int, R], None], progress: Progress) -> CallOutcome:
    """Ask all ``requests`` and hand each reply, with the number of its request, to ``take``, in their order.

    ``progress`` gets how many calls are done, and how many there are. No more is asked where the budget is spent, the server cannot be
    reached, or Ctrl-C is pressed. What is being asked then is waited for and taken, unless Ctrl-C is pressed again.
    """
    outcome = CallOutcome()
    unreachable = 0
    with ThreadPoolExecutor(client.endpoint.parallel) as pool:
        calls = [pool.submit(client.ask, request) for request in requests]
        try:
            for number, call in enumerate(calls):
                outcome.interrupted = not _awaited(call, calls, outcome.interrupted) or outcome.interrupted
                try:
                    take(number, call.result())
                    unreachable = 0
                except CancelledError:
                    outcome.failures[_NOT_ASKED] += 1
                except ModelError as fault:
                    outcome.failures[str(fault)] += 1
                    unreachable = unreachable + 1 if isinstance(fault, ModelUnreachable) else 0
                    if isinstance(fault, BudgetSpent) or unreachable == _GIVEN_UP:
                        _cancel(calls)
                progress(number + 1, len(calls))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcome


def _awaited(call: Future[Any], calls: Iterable[Future[Any]], interrupted: bool) -> bool:
    """Wait for ``call``, and return whether nobody pressed Ctrl-C meanwhile; then those of ``calls`` that did not begin are left out."""
    try:
        wait([call])
        return True
    except KeyboardInterrupt:
        if interrupted:
            raise
    _cancel(calls)
    wait([call])
    return False


def _cancel(calls: Iterable[Future[Any]]) -> None:
    for call in calls:
        call.cancel()
