"""The search page: a question and what the rulebooks say to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.errors import NotFound
from corpus.model import Entry
from glossary.check import FINDING_TITLES
from index.layers.passages import Layer
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.citations import games_to_name, quoted_citation
from service.answers.notes import LACKING, undated_texts
from service.answers.pointers import MOST_POINTING
from service.assist.assistant import AssistedResult
from service.browse.entry_view import (
    Misprints,
    QuotedPassage,
    QuotedSequence,
    in_other_languages,
    known_misprints,
    quoted_passage,
    quoted_sequence,
    quoted_targets,
)
from service.browse.layer_view import QuotedLayer, quoted_layer
from service.browse.timing import StepLink, passage_step, step_link
from service.core import parameters
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.check_results import finished_findings
from service.schemas.fields import LONGEST_QUESTION, MOST_CONTEXT
from service.web.localization import ADDRESS_FIELD, addressed_language, language
from service.web.localization import gettext as _
from service.web.pages.feedback import FeedbackForms
from service.web.pages.layout import page, pages
from service.web.pages.preferences import (
    ASSIST,
    SCOPE,
    assist_wanted,
    remembered_scope,
    set_or_delete_cookie,
)
from service.web.request_context import ask as put
from service.web.request_context import ask_assisted as put_assisted
from service.web.request_context import current_snapshot, feedback
from service.web.same_origin import REFERRER_POLICY

FIRST, MORE = 5, 20  # passages shown at once, and when more are asked for
_ASKED = (
    "edition",
    "game",
    "document",
    "language",
    "prefer",
    "k",
    "layers",
    "as_of",
    "context",
    "step",
)  # in the address, beside the question
ELSEWHERE = 3  # passages shown of the rest of the rulebook where a step was asked from; see `rest` in ask.html
OF_EACH = 2  # passages shown of each of several questions


@dataclass(frozen=True)
class ShownAnswer:
    """A quotation with what one takes along from it: a citation to paste, the same rule in other
    languages.

    ``special`` is the format that it holds in alone, ``sequence`` what it is a step of, ``targets``
    are what it points at, ``misprints`` what is known to be misprinted in it, ``in_turn`` its place
    in the sequences of the game's time, None where it has none.
    """

    quote: QuotedPassage
    citation: str
    elsewhere: list[Entry]
    special: SpecialFormat | None
    sequence: QuotedSequence | None
    targets: list[QuotedPassage]
    misprints: Misprints | None
    in_turn: StepLink | None

    @property
    def game(self) -> str:
        """The game that the rulebook is of."""
        return self.quote.citation.edition.game


@dataclass(frozen=True)
class ShownPart:
    """One of several questions as it was asked, with its best passages; those shown for a question
    before it are not shown again.

    ``above`` is the best one where it was, and the number of that question, from 1.
    """

    question: str
    answered: bool
    settled: Settlement
    answers: list[ShownAnswer | QuotedLayer]
    above: tuple[int, ShownAnswer | QuotedLayer] | None


@pages.get("/")
def ask() -> Response:
    """The search page; with a question, its answer. The address says all that is shown."""
    response = _page()
    if feedback():
        response.headers["Referrer-Policy"] = REFERRER_POLICY
    return response


def _page() -> Response:
    snapshot = current_snapshot()
    library = snapshot.library
    if (
        "in" in request.args
    ):  # how the form names one edition or game; the address to keep names which of the two it is
        response = redirect(_canonical_address(library), 303)
        set_or_delete_cookie(
            response,
            SCOPE,
            request.args["in"] if request.args["in"] in (*library.edition, *library.games) else "",
        )
        set_or_delete_cookie(response, ASSIST, "on" if request.args.get("assist") else "")
        return response
    arguments = {name: request.args.get(name) or None for name in _ASKED}
    at_step = _at_step(library, arguments["step"])
    scope = arguments["edition"] or (arguments["step"] or "").partition("/")[0] or arguments["game"]
    question = request.args.get("q", "").strip()
    if not question:
        beside = {game: _beside(snapshot, game) for game in library.games}
        return page(
            "ask.html",
            snapshot,
            scope=scope or remembered_scope(library),
            as_of=arguments["as_of"],
            loaded_beside=beside,
            step=at_step,
        )
    arguments["k"] = arguments["k"] or str(FIRST)
    arguments["context"] = _before(question)
    try:
        query = replace(
            parameters.query_from({**arguments, "question": question}, library), reader=language()
        )
    except Problem as problem:
        shown_question = question[:LONGEST_QUESTION]
        return page(
            "ask.html",
            snapshot,
            problem.status,
            scope=scope,
            question=shown_question,
            trouble=_error_text(problem, question),
        )
    assisted = put_assisted(query) if assist_wanted() else AssistedResult(put(query), None)
    found = assisted.result
    parts = _parts(snapshot, found)
    in_parts = {_passage_id(answer) for part in parts for answer in part.answers}
    shown = request.args.to_dict()
    more = _address({**shown, "k": str(MORE)}) if len(found.hits) == query.k < MORE else None
    answers = [
        _shown(snapshot, found, hit, found.hits)
        for hit in found.ranked
        if hit.passage.id not in in_parts
    ]
    elsewhere = _elsewhere(snapshot, found)
    return page(
        "ask.html",
        snapshot,
        scope=scope,
        question=question,
        as_of=query.as_of,
        in_effect=found.in_effect,
        undated_texts=undated_texts(snapshot.library, found).values(),
        before=found.follow_up.before if found.follow_up else (),
        needless=bool(query.context) and not found.follow_up,
        alone=_address({**shown, "context": ""}),
        next_context="\n".join(
            (*(found.follow_up.before if found.follow_up else ()), " ".join(question.split()))[
                -MOST_CONTEXT:
            ]
        ),
        lacking=[LACKING[kind] for kind in found.lacking],
        missing_rule=found.missing_rule,
        unpreferred=_address({**shown, "prefer": ""}),
        undated=_address({**request.args.to_dict(), "as_of": ""}),
        answered=found.answered,
        settled=found.settled,
        assistance=assisted.assistance,
        language_asked=found.language,
        parts=parts,
        ruled=[
            answer
            for answer in answers
            if parts and isinstance(answer, QuotedLayer) and answer.settles
        ],
        answers=[
            answer
            for answer in answers
            if not (
                isinstance(answer, QuotedLayer)
                and (answer.other_card or (parts and answer.settles))
            )
        ],
        on_other_cards=[
            answer for answer in answers if isinstance(answer, QuotedLayer) and answer.other_card
        ],
        rulebook_alone=_address({**shown, "layers": Layer.RULEBOOK}) if found.layers else None,
        all_layers=_address({**shown, "layers": ""})
        if query.layers is not None and not found.layers
        else None,
        fallback=_answer(snapshot, found, Hit(found.fallback, 0.0, ()), len(found.hits))
        if found.fallback and not found.answered and not (elsewhere and elsewhere.answered)
        else None,
        more=more,
        games_to_name=games_to_name(library, query),
        finding_titles=FINDING_TITLES,
        feedback=FeedbackForms(
            snapshot,
            {**arguments, "question": question, "language": found.query.language},
            _asked_of(parts),
        )
        if feedback()
        else None,
        step=at_step,
        without_step=_address({**request.args.to_dict(), "step": ""}),
        elsewhere=elsewhere,
    )


def _before(question: str) -> str | None:
    """Return the questions before this one, one a line: those of the address, less this one, where
    it is put again somewhere else.
    """
    before = [line for line in request.args.get("context", "").splitlines() if line.strip()]
    if before and before[-1].split() == question.split():
        before.pop()
    return "\n".join(before) or None


def _beside(snapshot: Snapshot, game: str) -> dict[str, int]:
    """Return how much there is of ``game`` beside its rulebooks."""
    return {
        "cards": len(snapshot.index.cards.of_game(game)),
        "rulings": len(snapshot.index.rulings.of_game(game)),
    }


def _parts(snapshot: Snapshot, found: SearchResult) -> list[ShownPart]:
    """Return the questions of a text that asks for several things; none where none of them is
    settled.
    """
    if not (found.answered or any(part.answered for part in found.parts)):
        return []
    shown: dict[str, tuple[int, ShownAnswer | QuotedLayer]] = {}
    parts = []
    for number, part in enumerate(found.parts, 1):
        first = part.ranked[:OF_EACH]
        new = {
            hit.passage.id: _shown(snapshot, found, hit, part.hits)
            for hit in first
            if hit.passage.id not in shown
        }
        above = shown.get(first[0].passage.id) if first else None
        parts.append(
            ShownPart(part.question, part.answered, part.settled, list(new.values()), above)
        )
        shown |= {id: (number, answer) for id, answer in new.items()}
    return parts


def _elsewhere(snapshot: Snapshot, found: SearchResult) -> ShownPart | None:
    """Return what is shown of the rest of the rulebook where a step was asked from."""
    if (part := found.elsewhere) is None:
        return None
    answers = [_shown(snapshot, found, hit, part.hits) for hit in part.hits[:ELSEWHERE]]
    return ShownPart(part.question, part.answered, part.settled, answers, None)


def _at_step(library: Library, id: str | None) -> tuple[str, StepLink] | None:
    """Return the step called ``id`` with its place in the list of steps, None where there is
    none.
    """
    try:
        return (id, step_link(library, id)) if id else None
    except NotFound:
        return None


def _asked_of(parts: Sequence[ShownPart]) -> dict[str, str]:
    """The question that each passage answers, by its id."""
    return {_passage_id(answer): part.question for part in parts for answer in part.answers}


def _passage_id(answer: ShownAnswer | QuotedLayer) -> str:
    return answer.passage.id if isinstance(answer, QuotedLayer) else answer.quote.passage.id


def _shown(
    snapshot: Snapshot, result: SearchResult, hit: Hit, printed: Sequence[Hit]
) -> ShownAnswer | QuotedLayer:
    """Return what is shown of ``hit``, which, if it is of a rulebook, is one of those
    ``printed``.
    """
    return (
        quoted_layer(snapshot, hit, language())
        if isinstance(hit, (RulingHit, CardTextHit))
        else _answer(snapshot, result, hit, printed.index(hit))
    )


def _answer(snapshot: Snapshot, result: SearchResult, hit: Hit, rank: int) -> ShownAnswer:
    """Return what is shown of ``hit``, whose place in ``result`` is ``rank``, from 0."""
    library = snapshot.library
    quoted = quoted_passage(library, hit)
    return ShownAnswer(
        quote=quoted,
        citation=quoted_citation(library, hit.passage, hit.highlights),
        elsewhere=in_other_languages(snapshot, quoted.entry),
        special=library.format_of(hit.passage),
        sequence=quoted_sequence(library, hit.passage, result) if rank == 0 else None,
        targets=quoted_targets(library, hit) if rank < MOST_POINTING else [],
        misprints=known_misprints(
            library, hit.passage, finished_findings(snapshot) or {}
        ),  # an answer does not wait for a check
        in_turn=passage_step(library, hit.passage),
    )


def _canonical_address(library: Library) -> str:
    chosen = request.args["in"]
    kind = (
        "edition"
        if chosen in library.edition or chosen not in {e.game for e in library.editions}
        else "game"
    )
    assist = "1" if request.args.get("assist") else ""
    asked = {
        name: request.args.get(name, "").strip()
        for name in ("q", "context", "as_of", "prefer", "step")
    }
    if not asked["step"].startswith(f"{chosen}/"):  # that of a rulebook that was chosen before
        del asked["step"]
    return _address(
        {
            "q": asked.pop("q"),
            kind: chosen,
            **asked,
            "assist": assist,
            ADDRESS_FIELD: addressed_language() or "",
        }
    )


def _address(values: dict[str, str]) -> str:
    """Return the address of the search page that shows what ``values`` ask for."""
    return "/?" + urlencode({name: value for name, value in values.items() if value})


def _error_text(problem: Problem, question: str) -> str:
    if problem.field == "question" and len(question) <= LONGEST_QUESTION:
        return _("The question holds characters that cannot be shown. Please type it again.")
    if problem.field == "question":
        return _(
            "Please put this as a question of at most %(limit)s characters.", limit=LONGEST_QUESTION
        )
    if problem.field in ("edition", "game", "document"):
        return _("This rulebook is not loaded here. Please choose one of the list.")
    if problem.field == "step":
        return _("This step is not in the rulebook. Please choose it again.")
    if problem.field == "as_of":
        return _("This is no day. Please write it like this: 2025-06-01.")
    return _("The address asks for something that this page does not do.")
