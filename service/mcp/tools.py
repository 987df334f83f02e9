"""The tools of the MCP server, one method each. Assistants see the names, docstrings and
annotations of the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from corpus.cards.model import Card
from corpus.errors import RegulaError
from corpus.languages import FALLBACK
from corpus.model import Entry
from corpus.titles import key
from glossary.comparison import ComparisonStatus, EntryPair
from index.layers.passages import Layer
from index.model import Query, SearchResult
from index.store.protocol import StoreUnreachable
from service.answers.context import context_out
from service.answers.verify import checked_text, verification_out
from service.browse.lookup import name_index
from service.core import parameters
from service.core.ask import ask as ask_snapshot
from service.core.parameters import ListPage, list_page, unknown_name
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions import comparison
from service.mcp import results
from service.ops.feedback.recording import (
    FeedbackRecorder,
    PassageReference,
)
from service.ops.feedback.records import (
    FeedbackOrigin,
    Verdict,
)
from service.schemas.base import compact_json
from service.schemas.entries import CardsParams
from service.schemas.fields import (
    AS_TEXT,
    LEAST_BUDGET,
    MOST_BUDGET,
    MOST_CONTEXT,
    MOST_PASSAGES,
    USUAL_BUDGET,
)
from service.schemas.grounding import VerificationOut

PAGE = 20  # entries on one page; an assistant reads them all
USUAL = 3  # default number of passages in an answer
MOST = 20
MOST_CARDS = 5
LEAST_CERTAINTY = 0.6  # least certainty of a card found by name to list its rulings
REPORTING = (
    " When the player says whether a passage settled the question,"
    " pass that on with the tool report_answer."
)

QuestionArgument = Annotated[
    str, Field(description="The question in plain words, in German, Italian or English.")
]
GameArgument = Annotated[str | None, Field(description="Only this game; list_editions names them.")]
EditionArgument = Annotated[
    str | None, Field(description="Only this edition, by its id from list_editions.")
]
LanguageArgument = Annotated[
    str | None, Field(description="Language of the question (BCP 47); detected if not given.")
]
DayArgument = Annotated[
    str | None,
    Field(
        description=(
            "Answer with what held on this day, such as 2025-06-01; all editions if not given."
        )
    ),
]
LayersArgument = Annotated[
    list[Layer] | None,
    Field(
        description=(
            "What to quote from: rulebook, rulings, cards; all that are loaded if not given."
        ),
        min_length=1,
    ),
]
ContextArgument = Annotated[
    list[str] | None,
    Field(
        description=(
            "The questions before it, the oldest first; one that cannot be understood alone is "
            "read with those that it needs."
        ),
        max_length=MOST_CONTEXT,
    ),
]
PageArgument = Annotated[int, Field(ge=1, description="Which page, from 1.")]
NameArgument = Annotated[
    str,
    Field(
        description=(
            "Name of a card in any language, whole or in part, perhaps misspelt, with type or "
            "product; or its number."
        )
    ),
]
TextLanguageArgument = Annotated[
    str | None, Field(description="Language of the texts (BCP 47); that of the name if not given.")
]

T = TypeVar("T")


@contextmanager
def tool_errors() -> Iterator[None]:
    """Convert problems to tool errors, which an assistant can read and react to."""
    try:
        yield
    except Problem as problem:
        raise ToolError(problem.detail) from problem
    except StoreUnreachable as fault:
        raise ToolError(Problem.no_store().detail) from fault
    except RegulaError as fault:
        raise ToolError(str(fault)) from fault


class RulebookTools:
    """The tools; ``snapshot`` is called for each request and returns the index to answer from, or
    raises `Problem`.

    At most ``answers_kept`` answers are cached for each index. ``recorder``, if any, stores
    feedback and unanswered questions.
    """

    def __init__(
        self,
        snapshot: Callable[[], Snapshot],
        answers_kept: int,
        recorder: FeedbackRecorder | None,
    ):
        self.snapshot = snapshot
        self._answers_kept = answers_kept
        self._recorder = recorder

    @tool_errors()
    def ask(
        self,
        question: QuestionArgument,
        game: GameArgument = None,
        edition: EditionArgument = None,
        language: LanguageArgument = None,
        k: Annotated[int, Field(ge=1, le=MOST, description="How many passages.")] = USUAL,
        as_of: DayArgument = None,
        layers: LayersArgument = None,
        context: ContextArgument = None,
    ) -> results.AnswerResult:
        """Find the passages of the rulebooks that settle a question, quoted word for word, each
        with its citation.

        From a story with cards, ask for the general rule behind it, in the rulebook's language and
        words; where no passage settles it, ask again in other words, up to four times. Cite only
        what is returned.
        """
        snapshot = self.snapshot()
        where = {"game": game, "edition": edition, "as_of": as_of}
        fields = {
            "question": question,
            **where,
            "language": language,
            "k": k,
            "layers": layers,
            "context": context,
        }
        return results.answer_result(
            snapshot, self._ask(snapshot, parameters.query_from(fields, snapshot))
        )

    @tool_errors()
    def read_entry(
        self,
        entry: Annotated[
            str, Field(description="Id of an entry, as citations have it: edition/name.")
        ],
        page: Annotated[
            int, Field(ge=1, description="Of a chapter, which page of its contents, from 1.")
        ] = 1,
    ) -> results.WholeEntryResult:
        """Read one entry of a rulebook whole; a chapter with all rules in it, by pages. Also names
        what it refers to.
        """
        snapshot = self.snapshot()
        return results.whole_entry_result(snapshot, find_entry(snapshot, entry), page)

    @tool_errors()
    def card_rulings(
        self,
        card: Annotated[str | None, Field(description="Name of the card, or words of it.")] = None,
        number: Annotated[str | None, Field(description="Number printed on the card.")] = None,
        product: Annotated[str | None, Field(description="Product it is from.")] = None,
        game: GameArgument = None,
        page: PageArgument = 1,
    ) -> results.RulingsResult:
        """List rulings (FAQ) and errata of a card, in every edition."""
        snapshot = self.snapshot()
        if not (card or number or product):
            raise ToolError("Name a card, a card number or a product.")
        parameters.one_of(game, "game", snapshot.library.games)
        shown = page_of(name_index(snapshot).rulings(card, number, product, game), page)
        rulings = [results.entry_text_result(snapshot, each) for each in shown.items]
        return results.RulingsResult(
            total=shown.total, page=page, pages=shown.pages, rulings=rulings
        )

    @tool_errors()
    def compare_editions(
        self,
        left: Annotated[str, Field(description="Id of an edition.")],
        right: Annotated[str, Field(description="Id of another edition of the same game.")],
        entry: Annotated[
            str | None,
            Field(description="Id or heading of one entry, to get its words on both sides."),
        ] = None,
        page: PageArgument = 1,
    ) -> results.ComparedResult:
        """Put two editions side by side, entries that differ first: versions of one language, or
        translations.
        """
        snapshot = self.snapshot()
        compared = comparison.snapshot_comparison(snapshot, left, right)
        pairs: list[EntryPair] = sorted(
            compared.pairs, key=lambda pair: pair.status is ComparisonStatus.SAME
        )
        if entry is not None:
            pairs = [
                pair
                for pair in pairs
                if any(_is_called(each, entry) for each in (*pair.left, *pair.right))
            ]
            if not pairs:
                raise ToolError(f"There is no entry {entry!r} in {left} or {right}.")
        shown = page_of(pairs, page)
        return results.ComparedResult(
            left=left,
            right=right,
            summary={status.value: count for status, count in compared.counts.items()},
            total=shown.total,
            page=page,
            pages=shown.pages,
            entries=[
                results.compared_entry_result(snapshot, pair, texts=entry is not None)
                for pair in shown.items
            ],
        )

    @tool_errors()
    def list_editions(self) -> results.EditionsResult:
        """List the rulebooks that are loaded: games, languages, versions."""
        return results.editions_result(self.snapshot())

    @tool_errors()
    def context(
        self,
        question: QuestionArgument,
        budget: Annotated[
            int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET, description="The most tokens.")
        ] = USUAL_BUDGET,
        game: GameArgument = None,
        edition: EditionArgument = None,
        language: LanguageArgument = None,
        as_of: DayArgument = None,
    ) -> results.ContextResult:
        """Get the best passages for a question as one text within a budget of tokens, each under a
        marker to cite it by.

        All of the result is within the budget. Ask for the general rule behind a story, in the
        rulebook's words.
        """
        snapshot = self.snapshot()
        fields = {
            "question": question,
            "game": game,
            "edition": edition,
            "language": language,
            "as_of": as_of,
        }
        query = parameters.query_from(fields, snapshot)
        found = self._ask(snapshot, replace(query, k=MOST_PASSAGES))
        return results.context_result(
            context_out(snapshot, found, budget, size=results.context_result_size)
        )

    @tool_errors()
    def verify(
        self,
        text: Annotated[
            str,
            Field(
                description="The text, with its quotation marks and markers such as [r:3076c5a6]."
            ),
        ],
        game: GameArgument = None,
        edition: EditionArgument = None,
    ) -> VerificationOut:
        """Check which quotations in a text are exact, altered or unsupported by the rulebooks, and
        whether their markers are right.
        """
        return verification_out(self.snapshot(), checked_text(text), game, edition)

    @tool_errors()
    def find_card(
        self, name: NameArgument, game: GameArgument = None, language: TextLanguageArgument = None
    ) -> results.CardsFoundResult:
        """Find cards by a name in any language and spelling, with their texts and errata word for
        word, each with its citation.

        Cards of one name are told apart by type or product beside it. Rulings on a card:
        rulings_of.
        """
        snapshot = self.snapshot()
        asked = parameters.validated(
            CardsParams, {"q": name, "game": game, "language": language}, AS_TEXT
        )
        parameters.one_of(game, "game", snapshot.library.games)
        found = snapshot.index.cards.find(asked.q, game, asked.language, MOST_CARDS)
        return results.CardsFoundResult(
            cards=[
                results.found_card_result(snapshot, hit, asked.language or hit.language or FALLBACK)
                for hit in found
            ]
        )

    @tool_errors()
    def rulings_of(
        self,
        card: Annotated[
            str, Field(description="The id of a card from find_card, or its name in any language.")
        ],
        game: GameArgument = None,
        page: PageArgument = 1,
    ) -> results.CardRulingsResult:
        """List rulings on a card that were published beside the rulebooks, and house rulings, the
        newest first, each with its citation.

        Those printed in the rulebooks: card_rulings.
        """
        snapshot = self.snapshot()
        asked = parameters.question(card, "card")
        parameters.one_of(game, "game", snapshot.library.games)
        meant, language = _meant(snapshot, asked, game)
        store = snapshot.index.rulings
        rulings = [ruling for each in meant for ruling in store.of_card(each.game, each.id)]
        games = snapshot.library.games if game is None else [game]
        if not meant:
            rulings = [ruling for each in games for ruling in store.of_card(each, asked)]
        if not meant and not rulings:
            raise ToolError(f"There is no card {asked!r} here. Find it with find_card.")
        unique = sorted(
            {ruling.id: ruling for ruling in rulings}.values(),
            key=lambda ruling: ruling.date,
            reverse=True,
        )
        shown = page_of(unique, page)
        return results.CardRulingsResult(
            cards=[results.named_card_result(each, language) for each in meant],
            total=shown.total,
            page=page,
            pages=shown.pages,
            rulings=[
                results.ruling_quotation(snapshot, ruling, language) for ruling in shown.items
            ],
        )

    @tool_errors()
    def report_answer(
        self,
        question: Annotated[str, Field(description="The question as it was asked.")],
        verdict: Annotated[
            Literal["hit", "miss"],
            Field(
                description=(
                    "hit: the passage settles the question. miss: it does not; without marker, "
                    "none does."
                )
            ),
        ],
        marker: Annotated[
            str | None,
            Field(
                max_length=80,
                description="The marker of the passage, such as r:3076c5a6; needed for a hit.",
            ),
        ] = None,
        game: GameArgument = None,
        edition: EditionArgument = None,
    ) -> results.KeptFeedbackResult:
        """Report whether a passage settled the player's question, after the player has said so.
        Nothing on the player is kept.
        """
        snapshot = self.snapshot()
        reference = PassageReference(marker) if marker else None
        fields = {"question": question, "game": game, "edition": edition}
        if self._recorder is None:
            raise ToolError("This service keeps no feedback.")
        record = self._recorder.judge(
            snapshot, fields, Verdict(verdict), reference, FeedbackOrigin.MCP, self._answers_kept
        )
        return results.KeptFeedbackResult(
            verdict=verdict,
            citation=record.passage.label if record.passage else None,
            rank=record.rank,
        )

    def _ask(self, snapshot: Snapshot, query: Query) -> SearchResult:
        found = ask_snapshot(snapshot, query, cached=self._answers_kept)
        if self._recorder:
            self._recorder.note_unanswered(snapshot, found, FeedbackOrigin.MCP)
        return found


def find_entry(snapshot: Snapshot, id: str) -> Entry:
    """Return the entry ``id``, which may also be the address of its page or resource. Raises
    `Problem` 404 if there is none.
    """
    found = snapshot.library.entry.get(id.removeprefix("regula://entry/").removeprefix("/e/"))
    if found is None:
        raise Problem.unknown(
            f"There is no entry {id!r} here. Take the id from a citation, or ask for it.", "entry"
        )
    return found


def _is_called(entry: Entry, name: str) -> bool:
    return entry.id == name or key(name) in (key(entry.heading), key(entry.title))


def page_of(items: Sequence[T], number: int) -> ListPage[T]:
    """Return page ``number`` of ``items``. Raises `Problem` 422 if there are fewer pages."""
    found = list_page(items, number, PAGE)
    if number > found.pages:
        raise Problem.out_of_range(f"The last page is {found.pages}.", "page")
    return found


def _meant(snapshot: Snapshot, asked: str, game: str | None) -> tuple[list[Card], str]:
    """Return the card that ``asked`` means by id or name, or several if equally likely, and the
    language of the name.
    """
    cards = snapshot.index.cards
    known = [
        card
        for each in ([game] if game else cards.games)
        if (card := cards.get(each, asked)) is not None
    ]
    if known:
        return known, FALLBACK
    found = [
        hit for hit in cards.find(asked, game, None, MOST_CARDS) if hit.score >= LEAST_CERTAINTY
    ]
    alike = [hit for hit in found if hit.score == found[0].score]
    return [hit.card for hit in alike], (alike[0].language if alike else "") or FALLBACK


class StrictTool(Tool):
    """A tool of the SDK with stricter arguments and shorter results.

    The SDK ignores unknown arguments: an assistant that calls the edition ``rulebook`` would get
    passages of every edition. This class names the argument that was probably meant, and explains
    invalid values in plain words.

    Results have no empty fields, no indentation, and no places in files, which assistants cannot
    look up. They have no schema, which would make lists of tools five times as long.
    """

    @cached_property
    def output_schema(self) -> None:
        """None, although results are structured."""
        return None

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool. Raises `ToolError` for an unknown argument or an invalid value."""
        known, needed = (
            list(self.parameters.get("properties", {})),
            self.parameters.get("required", []),
        )
        for name in arguments:
            if name not in known:
                missing = [each for each in needed if each not in arguments]
                raise ToolError(str(unknown_name("argument", name, known, missing)))
        try:
            parameters.validated(self.fn_metadata.arg_model, arguments)
        except Problem as problem:
            raise ToolError(f"{problem.field}: {problem.detail}") from problem
        result = await super().run(arguments, context, convert_result)
        if isinstance(result, CallToolResult) and result.structured_content is not None:
            said = without_empty(result.structured_content)
            text = TextContent(type="text", text=compact_json(said))
            return result.model_copy(update={"structured_content": said, "content": [text]})
        return result


def without_empty(part: Any) -> Any:
    """Return ``part`` of a result without empty fields and places in files."""
    if isinstance(part, dict):
        inside = {n: without_empty(v) for n, v in part.items() if n not in ("source", "spans")}
        return {n: v for n, v in inside.items() if v not in (None, "", [], {})}
    return [without_empty(each) for each in part] if isinstance(part, list) else part


def plain_schema(part: Any) -> Any:
    """Return ``part`` of a JSON schema without titles, null defaults and the type null, which
    assistants do not need.
    """
    if isinstance(part, list):
        return [plain_schema(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {
        name: plain_schema(value)
        for name, value in part.items()
        if not (name == "title" and isinstance(value, str)) and (name, value) != ("default", None)
    }
    choices = [each for each in found.pop("anyOf", []) if each != {"type": "null"}]
    if len(choices) == 1:
        return {**choices[0], **found}
    return {**found, "anyOf": choices} if choices else found
