"""Call Regula from a bot: with time-outs, retries after growing pauses, and three kinds of failure
that a user can be told.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import uuid4

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

log = logging.getLogger(__name__)

ATTEMPTS = 3
TIMEOUT = httpx.Timeout(8.0, connect=3.0)  # seconds for one attempt
MOST_AT_ONCE = 8  # calls; more do not help a slow service
LONGEST_WAIT = 3600.0  # longest Retry-After that is obeyed, in seconds
_BUSY = 429
_TRIED_AGAIN = (500, 502, 503, 504)
_WAIT = wait_random_exponential(multiplier=0.5, max=4)


class ServiceDown(Exception):
    """Regula does not answer, or its answer is invalid."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class TooManyQuestions(Exception):
    """Regula asks for a pause of ``retry_after`` seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"too many questions, {retry_after:.0f} s")
        self.retry_after = retry_after


class Refused(Exception):
    """The question cannot be answered; ``detail`` is Regula's explanation for people, ``field`` the
    field at fault.
    """

    def __init__(self, status: int, detail: str, field: str | None) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail, self.field = status, detail, field


@dataclass(frozen=True)
class Ruling:
    """A message from Regula; ``passage`` identifies the quoted passage for feedback, None where no
    rulebook is quoted.
    """

    text: str
    title: str
    index: str
    passage: dict[str, Any] | None


class RegulaClient:
    """The service at ``address``, to use with ``async with``; ``patience`` limits the seconds for
    one question, with all retries.
    """

    def __init__(self, address: str, key: str = "", patience: float = 15.0) -> None:
        headers = {"User-Agent": "regula-example-bot", "Accept": "application/json"} | (
            {"Authorization": f"Bearer {key}"} if key else {}
        )
        limits = httpx.Limits(max_connections=MOST_AT_ONCE)
        self._http = httpx.AsyncClient(
            base_url=address, headers=headers, timeout=TIMEOUT, limits=limits
        )
        self._patience = patience
        self._busy_until = 0.0

    async def __aenter__(self) -> RegulaClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def ask(
        self,
        question: str,
        format: str,
        where: dict[str, str],
        context: Sequence[str] = (),
        language: str = "en",
        limit: int | None = None,
        attempts: int = ATTEMPTS,
    ) -> Ruling:
        """Return the message that answers ``question``; ``where`` has the game or edition,
        ``language`` is that of Regula's explanation of a refusal.

        Raises `ServiceDown`, `TooManyQuestions`, `Refused`.
        """
        body: dict[str, Any] = {
            "question": question,
            "format": format,
            "context": list(context),
            **where,
        }
        if limit is not None:
            body["limit"] = limit
        found = await self._call(
            "POST", "/v1/message", attempts, json=body, headers={"Accept-Language": language}
        )
        text, index, citations = found.get("message"), found.get("index"), found.get("citations")
        if (
            not isinstance(text, str)
            or not text
            or not isinstance(index, str)
            or not isinstance(citations, list)
        ):
            raise ServiceDown("an answer without a message")
        first = citations[0] if citations and isinstance(citations[0], dict) else {}
        entry, source = first.get("entry"), first.get("source")
        spans = source.get("spans") if isinstance(source, dict) else None
        passage = {"entry": entry, "spans": spans} if isinstance(entry, str) and spans else None
        return Ruling(text, str(first.get("label") or question), index, passage)

    async def suggest(self, typed: str, where: dict[str, str]) -> list[str]:
        """Return titles of entries for the text typed so far, each once. There is no retry, since
        the next letter asks again. Raises as `ask`.
        """
        found = await self._call("GET", "/v1/suggest", 1, params={"q": typed, **where})
        return list(
            dict.fromkeys(
                str(each["title"])
                for each in _objects(found.get("suggestions"))
                if each.get("title")
            )
        )

    async def games(self) -> list[str]:
        """Return the games that are loaded. Raises as `ask`."""
        found = await self._call("GET", "/v1/editions", 1)
        return sorted(
            {str(each["game"]) for each in _objects(found.get("editions")) if each.get("game")}
        )

    async def give_feedback(self, verdict: str, asked: dict[str, Any], ruling: Ruling) -> str:
        """Report that the passage of ``ruling`` settles the question ("hit") or does not ("miss"),
        and return the id that takes the report back. Raises as `ask`.
        """
        body = {"verdict": verdict, "passage": ruling.passage, "index": ruling.index, **asked}
        return str((await self._call("POST", "/v1/feedback", 1, json=body)).get("id"))

    async def take_back(self, feedback: str) -> None:
        """Take back the feedback with this id from `give_feedback`. Raises as `ask`."""
        await self._call("DELETE", f"/v1/feedback/{feedback}", 1)

    async def _call(self, method: str, path: str, attempts: int, **values: Any) -> dict[str, Any]:
        """Return the JSON object at ``path``, with up to ``attempts`` tries while a retry may help
        and the patience lasts.
        """
        if (left := self._busy_until - time.monotonic()) > 0:
            raise TooManyQuestions(left)  # without a call: Regula said when to come back
        tries = AsyncRetrying(
            retry=retry_if_exception_type((ServiceDown, TooManyQuestions)),
            stop=stop_after_attempt(attempts) | stop_before_delay(self._patience),
            wait=_seconds_until_next,
            reraise=True,
        )
        try:
            async with asyncio.timeout(self._patience):
                return await tries(self._call_once, method, path, **values)
        except TimeoutError:
            raise ServiceDown(f"no answer in {self._patience:.0f} s") from None
        except TooManyQuestions as busy:
            self._busy_until = time.monotonic() + busy.retry_after
            raise

    async def _call_once(self, method: str, path: str, **values: Any) -> dict[str, Any]:
        headers = {**values.pop("headers", {}), "X-Request-ID": (request := uuid4().hex)}
        try:
            response = await self._http.request(method, path, headers=headers, **values)
            found = response.json() if response.content else None
        except httpx.HTTPError as fault:
            raise _down(request, type(fault).__name__) from None
        except ValueError:
            found = None  # HTML from a proxy, or half an answer
        if response.status_code == _BUSY:
            raise TooManyQuestions(_retry_after(response) or 10.0)
        if response.is_success and isinstance(found, dict):
            if "Deprecation" in response.headers:
                log.warning(
                    "Regula deprecates %s %s: %s", method, path, response.headers.get("Link", "")
                )
            return found
        if response.status_code in _TRIED_AGAIN or not response.is_client_error:
            raise _down(request, f"status {response.status_code}", _retry_after(response))
        problem = found if isinstance(found, dict) else {}
        raise Refused(
            response.status_code,
            str(problem.get("detail") or response.reason_phrase),
            problem.get("field"),
        )


def _down(request: str, reason: str, retry_after: float = 0.0) -> ServiceDown:
    log.warning("Regula does not answer (%s); request %s", reason, request)
    return ServiceDown(reason, retry_after)


def _objects(found: object) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _seconds_until_next(state: RetryCallState) -> float:
    """Return the pause that the service asked for, plus a random fraction of a second to spread
    clients; else a random pause below a doubling bound.
    """
    fault = state.outcome.exception() if state.outcome else None
    asked_for = fault.retry_after if isinstance(fault, ServiceDown | TooManyQuestions) else 0.0
    return asked_for + random.uniform(0, 0.5) if asked_for else _WAIT(state)


def _retry_after(response: httpx.Response) -> float:
    """Return the seconds in the header Retry-After, a number or a date; 0 without it."""
    said = response.headers.get("Retry-After", "")
    try:
        seconds = (
            float(said)
            if said.strip().isdigit()
            else parsedate_to_datetime(said).timestamp() - time.time()
        )
    except (ValueError, TypeError):
        return 0.0
    return min(max(seconds, 0.0), LONGEST_WAIT)
