"""The prompt that tells an assistant how to rule on a question: from the story to the general rule,
and nothing but quotations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.prompts import Prompt
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import Field

from corpus.languages import LANGUAGES, get_language
from service.answers.citations import edition_name
from service.core import parameters
from service.core.parameters import unknown_name
from service.core.problems import Problem
from service.core.snapshot import Snapshot

NAME = "rule_on_question"

_TEXT = """\
A player asks:

{question}

Rule on it from these rulebooks alone: {rulebooks}.

1. Tell the story from the rule. Leave out cards, names, numbers and who did what: what remains is the general rule that the question \
is about, such as a timing, a cost, what a keyword or a state does, who decides, what happens when something is impossible.
2. Ask for that rule with the tool ask{filters}, in the language of the rulebook ({languages}) and in its words, as a heading or a \
sentence of a rulebook would put it. The first passages show which words it uses.
3. Where no passage settles the question, ask again with other words: the term for it, the keyword alone, the exception, the step of \
the turn. Ask up to four times; `answered` says what one wording found, not whether another finds more.
4. Where a passage is part of more, read what is around it with read_entry.
5. Answer{answer_language}: the ruling in a sentence or two, then the one or two passages that settle it, each quoted word for word \
with its citation label. Cite only what a tool has returned here, never from memory. Quote `words`; `before` and `repaired` are for \
understanding.
6. Where nothing settles it, say that the rulebook does not, and quote the fallback if there is one. Do not guess, and do not rule by \
analogy.
7. Check the finished text with the tool verify."""


class RulingPrompt(Prompt):
    """A prompt that says which argument is wrong; the SDK says only that rendering failed."""

    async def render(self, arguments: dict[str, Any] | None, context: Context[Any, Any]) -> Any:
        """Render the prompt. Raises `MCPError` for arguments that it cannot be rendered with."""
        given, known = arguments or {}, [argument.name for argument in self.arguments or ()]
        for name in given:
            if name not in known:
                raise MCPError(
                    code=INVALID_PARAMS,
                    message=str(unknown_name("argument", name, known, {"question"} - given.keys())),
                )
        return await super().render({"question": "", **given}, context)


def ruling_prompt(snapshot: Callable[[], Snapshot]) -> Prompt:
    """Return the prompt over whatever index ``snapshot`` returns, which may raise `Problem`."""

    def rule_on_question(
        question: Annotated[
            str, Field(description="The question as the player asked it, with its whole story.")
        ],
        game: Annotated[
            str | None, Field(description="Only this game; list_editions names them.")
        ] = None,
        edition: Annotated[
            str | None, Field(description="Only this edition, by its id from list_editions.")
        ] = None,
        language: Annotated[
            str | None,
            Field(
                description="The language to answer in (BCP 47); that of the question if not given."
            ),
        ] = None,
    ) -> str:
        """How to rule on a question: find the general rule behind the story, ask for it in the
        rulebook's words, quote, guess nothing.
        """
        try:
            return _text(
                snapshot(),
                {"question": question, "game": game, "edition": edition, "language": language},
            )
        except Problem as problem:
            raise MCPError(code=INVALID_PARAMS, message=problem.detail) from problem

    return RulingPrompt.from_function(rule_on_question, name=NAME, title="Rule on this question")


def _text(snapshot: Snapshot, fields: Mapping[str, str | None]) -> str:
    """Return the prompt for a question. Raises `Problem` where it cannot be put."""
    library = snapshot.library
    query = parameters.query_from(fields, library)
    language = fields["language"]
    editions = library.filter_editions(query.edition, query.game)
    filters = {"game": query.game, "edition": query.edition}
    given = ", ".join(f'{name} "{value}"' for name, value in filters.items() if value)
    codes = sorted({edition.language for edition in editions}, key=LANGUAGES.index)
    return _TEXT.format(
        question=query.question,
        rulebooks="; ".join(f"{edition_name(edition)} [{edition.id}]" for edition in editions),
        languages=" or ".join(get_language(code).name for code in codes),
        filters=f" ({given})" if given else "",
        answer_language=f" in the language {language}"
        if language
        else " in the language of the question",
    )
