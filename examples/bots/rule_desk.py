"""Handle questions for bots of every platform: limits per user, follow-up questions, errors in
words, and feedback.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from bot_sentences import say
from bot_settings import BotSettings
from cachetools import TTLCache
from limits import parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from regula_calls import Refused, RegulaClient, Ruling, ServiceDown, TooManyQuestions

log = logging.getLogger(__name__)

MOST_CONTEXT = 4  # questions that Regula takes as context
LONGEST_IN_CONTEXT = 300  # characters of one
REMEMBERED = 10_000  # conversations, and answers open for feedback
FEEDBACK_SECONDS = 24 * 3600.0
LISTS_SECONDS = 600.0  # that lists of games and suggestions are cached
TYPED = 6  # suggestion calls for each question of a user's limit


@dataclass(frozen=True)
class Asked:
    """A question of ``user``, who has the ``locale``; ``places`` are the ids of where it was asked,
    the narrowest first.
    """

    question: str
    user: str
    places: tuple[str, ...]
    locale: str | None
    game: str | None = None


@dataclass(frozen=True)
class Reply:
    """A message to send. With ``ruling`` it is Regula's, in the requested format, else plain text;
    ``ballot`` identifies it for feedback.
    """

    text: str
    ruling: Ruling | None = None
    ballot: str | None = None


@dataclass
class Ballot:
    """An answer open for feedback: how it was asked for, and each user's feedback on it."""

    asked: dict[str, Any]
    ruling: Ruling
    given: dict[str, str]


class RuleDesk:
    """Answers users' questions through ``regula``."""

    def __init__(self, settings: BotSettings, regula: RegulaClient) -> None:
        self._settings, self._regula = settings, regula
        self._limit, self._limiter = (
            parse(settings.user_limit),
            MovingWindowRateLimiter(MemoryStorage()),
        )
        self._typing_limit = type(self._limit)(
            self._limit.amount * TYPED, self._limit.multiples, "typing"
        )
        self._conversations: TTLCache[tuple[str, ...], tuple[str, ...]] = TTLCache(
            REMEMBERED, settings.follow_up or 1
        )
        self._ballots: TTLCache[str, Ballot] = TTLCache(REMEMBERED, FEEDBACK_SECONDS)
        self._games: TTLCache[str, list[str]] = TTLCache(1, LISTS_SECONDS)
        self._suggested: TTLCache[tuple[str, ...], list[str]] = TTLCache(REMEMBERED, LISTS_SECONDS)
        self._feedback = settings.feedback

    async def refusal(self, user: str, locale: str | None) -> str | None:
        """Count a question of ``user``. If it exceeds the limit, return the message to send instead
        of an answer.
        """
        if await self._limiter.hit(self._limit, user):
            return None
        window = await self._limiter.get_window_stats(self._limit, user)
        return say("busy", locale, seconds=max(1, math.ceil(window.reset_time - time.time())))

    async def answer(
        self, asked: Asked, format: str, limit: int | None = None, quick: bool = False
    ) -> Reply:
        """Return the answer to a question, or a sentence that says why there is none. A ``quick``
        question has no retry and no context.
        """
        scope = self._settings.scope(asked.places, asked.game)
        conversation = (*asked.places, asked.user, *scope.where.values())
        context = (
            ()
            if quick or not self._settings.follow_up
            else self._conversations.get(conversation, ())
        )
        try:
            ruling = await self._regula.ask(
                asked.question,
                format,
                scope.where,
                context,
                asked.locale or "en",
                limit,
                **({"attempts": 1} if quick else {}),
            )
        except TooManyQuestions as busy:
            return Reply(say("busy", asked.locale, seconds=max(1, math.ceil(busy.retry_after))))
        except ServiceDown:
            return Reply(say("down", asked.locale))
        except Refused as refused:
            return Reply(await self._explanation(asked, refused))
        if quick:
            return Reply(ruling.text, ruling)
        self._conversations[conversation] = (*context, asked.question[:LONGEST_IN_CONTEXT])[
            -MOST_CONTEXT:
        ]
        return Reply(
            ruling.text,
            ruling,
            self._new_ballot(
                {"question": asked.question, "context": list(context), **scope.where}, ruling
            ),
        )

    async def admits_typing(self, user: str) -> bool:
        """Count a call made while ``user`` is typing, and return whether it is allowed."""
        return bool(await self._limiter.hit(self._typing_limit, user))

    async def suggestions(
        self, typed: str, user: str, places: tuple[str, ...], game: str | None
    ) -> list[str]:
        """Return suggestions for what ``user`` types; none where Regula does not answer."""
        where, typed = self._settings.scope(places, game).where, typed.strip()
        key = (typed, *where.values())
        if key not in self._suggested:
            if not typed or not await self.admits_typing(user):
                return []
            try:
                self._suggested[key] = await self._regula.suggest(typed, where)
            except (ServiceDown, TooManyQuestions, Refused):
                return []
        return self._suggested[key]

    async def games(self) -> list[str]:
        """Return the games that can be asked about; none where Regula does not answer."""
        if "all" not in self._games:
            try:
                self._games["all"] = await self._regula.games()
            except (ServiceDown, TooManyQuestions, Refused):
                return []
        return self._games["all"]

    async def give_feedback(self, ballot: str, verdict: str, user: str, locale: str | None) -> str:
        """Send the feedback of ``user`` on an answer, replacing that user's earlier feedback, and
        return the reply to show.
        """
        found = self._ballots.get(ballot)
        if found is None or verdict not in ("hit", "miss"):
            return say("too-late", locale)
        try:
            if before := found.given.pop(user, None):
                await self._regula.take_back(before)
            found.given[user] = await self._regula.give_feedback(verdict, found.asked, found.ruling)
        except TooManyQuestions as busy:
            return say("busy", locale, seconds=max(1, math.ceil(busy.retry_after)))
        except ServiceDown:
            return say("down", locale)
        except Refused as refused:
            if refused.status == 404 and refused.field is None:
                log.warning(
                    "Regula keeps no feedback, so answers have no buttons from now on: %s",
                    refused.detail,
                )
                self._feedback = False
                self._ballots.clear()
            return say("too-late", locale)
        return say("thanks", locale)

    def _new_ballot(self, asked: dict[str, Any], ruling: Ruling) -> str | None:
        if not self._feedback or ruling.passage is None:
            return None
        self._ballots[name := token_hex(8)] = Ballot(asked, ruling, {})
        return name

    async def _explanation(self, asked: Asked, refused: Refused) -> str:
        """Return an explanation of a refused question that says whether the user or the bot's owner
        must change something.
        """
        if refused.field == "game" and asked.game:
            return say(
                "no-game", asked.locale, game=asked.game, games=", ".join(await self.games())
            )
        if refused.field in ("question", "context"):
            return refused.detail
        log.error(
            "Regula refuses what the settings of this bot say (%s, field %s)",
            refused,
            refused.field,
        )
        return say("setup", asked.locale)
