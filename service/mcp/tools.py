"""The tools of the MCP server, one method each: name, docstring and annotations are what assistants see of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from corpus.errors import RegulaError
from corpus.model import Entry
from corpus.titles import key
from glossary.comparison import ComparisonStatus, EntryPair
from index.layers.model import Layer
from index.model import Query, SearchResult
from index.store.protocol import StoreUnreachable
from service.answers.context import context_out
from service.answers.verify import checked_text, verification_out
from service.browse.lookup import name_index
from service.core import parameters
from service.core.ask import ask as ask_snapshot
from service.core.paging import ListPage, list_page
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions import comparison
from service.mcp import comparison_results, context_results, results, section_results
from service.ops.feedback.feedback_recording import FeedbackRecorder
from service.ops.feedback.feedback_records import FeedbackOrigin
from service.schemas.fields import LEAST_BUDGET, MOST_BUDGET, MOST_CONTEXT, MOST_PASSAGES, USUAL_BUDGET
from service.schemas.grounding import VerificationOut

PAGE = 20  # entries on one page: an assistant reads them all
USUAL = 5  # passages of an answer
MOST = 20

QuestionArgument = Annotated[str, Field(description="The question in plain words, in German, Italian or English.")]
GameArgument = Annotated[str | None, Field(description="Only this game; list_editions names them.")]
EditionArgument = Annotated[str | None, Field(description="Only this edition, by its id from list_editions.")]
LanguageArgument = Annotated[str | None, Field(description="Language of the question (BCP 47); detected if not given.")]
DayArgument = Annotated[str | None, Field(description="Answer with what held on this day, such as 2025-06-01; all editions if not given.")]
LayersArgument = Annotated[
    list[Layer] | None,
    Field(description="What to quote from: rulebook, rulings, cards; all that are loaded if not given.", min_length=1),
]
ContextArgument = Annotated[
    list[str] | None,
    Field(
        description="The questions before it, the oldest first; one that cannot be understood alone is read with those that it needs.",
        max_length=MOST_CONTEXT,
    ),
]
PageArgument = Annotated[int, Field(ge=1, description="Which page, from 1.")]

T = TypeVar("T")


@contextmanager
def tool_errors() -> Iterator[None]:
    """Raise problems as errors of a tool, which an assistant can read and act on."""
    try:
        yield
    except Problem as problem:
        raise ToolError(problem.detail) from problem
    except StoreUnreachable as fault:
        raise ToolError(Problem.no_store().detail) from fault
    except RegulaError as fault:
        raise ToolError(str(fault)) from fault


class RulebookTools:
    """The tools over whatever index ``snapshot`` returns, which may raise `Problem`.

    At most ``answers_kept`` answers are kept ready for each index. Questions that nothing answers go to ``recorder``, where there is one.
    """

    def __init__(self, snapshot: Callable[[], Snapshot], answers_kept: int, recorder: FeedbackRecorder | None = None):
        self.snapshot = snapshot
        self._answers_kept = answers_kept
        self._recorder = recorder

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
        """Find the passages of the rulebooks that settle a question, quoted word for word, each with its citation.

        From a story with cards, ask for the general rule behind it, in the rulebook's language and words; where no passage settles it,
        ask again in other words, up to four times. Cite only what is returned.
        """
        with tool_errors():
            snapshot = self.snapshot()
            where = {"game": game, "edition": edition, "as_of": as_of}
            fields = {"question": question, **where, "language": language, "k": k, "layers": layers, "context": context}
            return results.answer_result(snapshot, self._ask(snapshot, parameters.query_from(fields, snapshot.library)))

    def read_entry(
        self,
        entry: Annotated[str, Field(description="Id of an entry, as citations have it: edition/name.")],
        page: Annotated[int, Field(ge=1, description="Of a chapter, which page of its contents, from 1.")] = 1,
    ) -> section_results.WholeEntryResult:
        """Read one entry of a rulebook whole; a chapter with all rules in it, by pages. Also names what it refers to."""
        with tool_errors():
            snapshot = self.snapshot()
            return section_results.whole_entry_result(snapshot, find_entry(snapshot, entry), page)

    def card_rulings(
        self,
        card: Annotated[str | None, Field(description="Name of the card, or words of it.")] = None,
        number: Annotated[str | None, Field(description="Number printed on the card.")] = None,
        product: Annotated[str | None, Field(description="Product it is from.")] = None,
        game: GameArgument = None,
        page: PageArgument = 1,
    ) -> results.RulingsResult:
        """List rulings (FAQ) and errata of a card, in every edition."""
        with tool_errors():
            snapshot = self.snapshot()
            if not (card or number or product):
                raise ToolError("Name a card, a card number or a product.")
            parameters.one_of(game, "game", snapshot.library.games)
            shown = page_of(name_index(snapshot).rulings(card, number, product, game), page)
            rulings = [results.entry_text_result(snapshot, each) for each in shown.items]
            return results.RulingsResult(total=shown.total, page=page, pages=shown.pages, rulings=rulings)

    def compare_editions(
        self,
        left: Annotated[str, Field(description="Id of an edition.")],
        right: Annotated[str, Field(description="Id of another edition of the same game.")],
        entry: Annotated[str | None, Field(description="Id or heading of one entry, to get its words on both sides.")] = None,
        page: PageArgument = 1,
    ) -> comparison_results.ComparedResult:
        """Put two editions side by side, entries that differ first: versions of one language, or translations."""
        with tool_errors():
            snapshot = self.snapshot()
            compared = comparison.snapshot_comparison(snapshot, left, right)
            pairs: list[EntryPair] = sorted(compared.pairs, key=lambda pair: pair.status is ComparisonStatus.SAME)
            if entry is not None:
                pairs = [pair for pair in pairs if any(_is_called(each, entry) for each in (*pair.left, *pair.right))]
                if not pairs:
                    raise ToolError(f"There is no entry {entry!r} in {left} or {right}.")
            shown = page_of(pairs, page)
            return comparison_results.ComparedResult(
                left=left,
                right=right,
                summary={status.value: count for status, count in compared.counts.items()},
                total=shown.total,
                page=page,
                pages=shown.pages,
                entries=[comparison_results.compared_entry_result(snapshot, pair, texts=entry is not None) for pair in shown.items],
            )

    def list_editions(self) -> results.EditionsResult:
        """List the rulebooks that are loaded: games, languages, versions."""
        with tool_errors():
            return results.editions_result(self.snapshot())

    def context(
        self,
        question: QuestionArgument,
        budget: Annotated[int, Field(ge=LEAST_BUDGET, le=MOST_BUDGET, description="The most tokens.")] = USUAL_BUDGET,
        game: GameArgument = None,
        edition: EditionArgument = None,
        language: LanguageArgument = None,
        as_of: DayArgument = None,
    ) -> context_results.ContextResult:
        """Get the best passages for a question as one text within a budget of tokens, each under a marker to cite it by.

        All of the result is within the budget. Ask for the general rule behind a story, in the rulebook's words.
        """
        with tool_errors():
            snapshot = self.snapshot()
            fields = {"question": question, "game": game, "edition": edition, "language": language, "as_of": as_of}
            query = parameters.query_from(fields, snapshot.library)
            found = self._ask(snapshot, replace(query, k=MOST_PASSAGES))
            return context_results.context_result(context_out(snapshot, found, budget, size=context_results.context_result_size))

    def verify(
        self,
        text: Annotated[str, Field(description="The text, with its quotation marks and markers such as [r:3076c5a6].")],
        game: GameArgument = None,
        edition: EditionArgument = None,
    ) -> VerificationOut:
        """Check which quotations in a text are exact, altered or unsupported by the rulebooks, and whether their markers are right."""
        with tool_errors():
            return verification_out(self.snapshot(), checked_text(text), game, edition)

    def _ask(self, snapshot: Snapshot, query: Query) -> SearchResult:
        found = ask_snapshot(snapshot, query, cached=self._answers_kept)
        if self._recorder:
            self._recorder.note_unanswered(snapshot, found, FeedbackOrigin.MCP)
        return found


def find_entry(snapshot: Snapshot, id: str) -> Entry:
    """Return the entry called ``id``, which may be an address of its page or resource. Raises `Problem` 404 where there is none."""
    found = snapshot.library.entry.get(id.removeprefix("regula://entry/").removeprefix("/e/"))
    if found is None:
        raise Problem.unknown(f"There is no entry {id!r} here. Take the id from a citation, or ask for it.", "entry")
    return found


def _is_called(entry: Entry, name: str) -> bool:
    return entry.id == name or key(name) in (key(entry.heading), key(entry.title))


def page_of(items: Sequence[T], number: int) -> ListPage[T]:
    """Return page ``number`` of ``items``. Raises `Problem` 422 for one behind the last."""
    found = list_page(items, number, PAGE)
    if number > found.pages:
        raise Problem.out_of_range(f"The last page is {found.pages}.", "page")
    return found
