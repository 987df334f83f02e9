"""How long, how many and in which format: the bounds of what is sent and answered."""

from __future__ import annotations

from enum import StrEnum

LONGEST_QUESTION = 2000  # characters
MOST_PASSAGES = 50  # of an answer
USUAL_PASSAGES = 10
MOST_BEFORE = 200  # passages that an answer may leave out since the caller has them
MOST_CITED = 6  # passages on a ruling sheet, which is to fit on a page
MOST_QUESTIONS = 100  # in one batch
MOST_CONTEXT = 4  # questions before one that it may be read with

LANGUAGE_TAG = "[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*"  # what every tag of BCP 47 is made of

LEAST_BUDGET = 200  # tokens of a context
USUAL_BUDGET = 1500
MOST_BUDGET = 32_000

LONGEST_TEXT = 20_000  # characters of a text whose quotations are verified


class MessageFormat(StrEnum):
    """What a message is written in.

    ``MARKDOWN`` is CommonMark and at the same time Telegram's MarkdownV2: only what means much the same in both is used.
    ``DISCORD`` is Discord's own Markdown, ``PLAIN`` has no markup at all.
    """

    MARKDOWN = "markdown"
    PLAIN = "plain"
    DISCORD = "discord"


MESSAGE_LIMITS = {MessageFormat.MARKDOWN: 4096, MessageFormat.PLAIN: 4096, MessageFormat.DISCORD: 2000}  # UTF-16 code units
LEAST_MESSAGE = 300  # of a limit: less may not hold a sentence with its citation and link
