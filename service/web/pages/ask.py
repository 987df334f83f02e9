"""The search page: a question, what the rulebooks say to it, and what readers say of answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.errors import NotFound
from corpus.model import Entry, Passage
from glossary.check import FINDING_TITLES
from index.layers.passages import Layer
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.citations import games_to_name, quoted_citation
from service.answers.notes import LACKING, undated_texts
from service.answers.pointers import MOST_POINTING
from service.answers.sources import marker_table
from service.assist.assistant import AssistedResult
from service.browse.entry_view import (
    Misprints,
    QuotedLayer,
    QuotedPassage,
    QuotedSequence,
    in_other_languages,
    known_misprints,
    quoted_layer,
    quoted_passage,
    quoted_sequence,
    quoted_targets,
)
from service.browse.timing import StepLink, passage_step, step_link
from service.core import parameters
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.findings import finished_findings
from service.ops.feedback.recording import PassageReference
from service.ops.feedback.records import (
    RECORD_ID,
    FeedbackOrigin,
    Verdict,
)
from service.schemas.fields import LONGEST_QUESTION, MOST_CONTEXT
from service.web.editing import check_same_origin
from service.web.headers import REFERRER_POLICY
from service.web.localization import ADDRESS_FIELD, addressed_language, language
from service.web.localization import gettext as _
from service.web.pages.layout import (
    ASSIST,
    SCOPE,
    assist_wanted,
    local_address,
    page,
    pages,
    remembered_scope,
    set_or_delete_cookie,
)
from service.web.request_context import ask as put
from service.web.request_context import ask_assisted as put_assisted
from service.web.request_context import current_snapshot, feedback, feedback_of_service, settings

GIVEN = "given"  # the cookie with what this browser has said last, so that it can be taken back
_HOUR = 3600
_REMEMBERED = 10  # verdicts in the cookie
_MARKER = 64  # digits of a marker at most
_KEY = 16  # hexadecimal digits
_GIVEN = re.compile(rf"([0-9a-f]{{{_KEY}}})\.(hit|miss)\.({RECORD_ID})")
FIELDS = (
    "question",
    "edition",
    "game",
    "document",
    "language",
    "prefer",
    "as_of",
    "context",
)  # of the form: what was asked, and where


@pages.post("/feedback")
def keep_feedback() -> Response:
    """Keep what a reader says of a passage, or take it back, and go back to the answer. Raises
    `Problem`.
    """
    check_same_origin(others=True)
    recorder, snapshot = feedback_of_service(), current_snapshot()
    marker = request.form.get("passage", "")
    given = _given()
    if undone := request.form.get("undo"):
        if not re.fullmatch(RECORD_ID, undone):
            raise Problem.unknown("There is no such feedback.", "undo")
        recorder.undo(undone, FeedbackOrigin.PAGE)
        given = {key: said for key, said in given.items() if said[1] != undone}
    else:
        verdict = request.form.get("verdict", "")
        if verdict not in (Verdict.HIT, Verdict.MISS):
            raise Problem.out_of_range("There is no such verdict.", "verdict")
        asked = {name: request.form.get(name) or None for name in FIELDS}
        key = _key(asked, marker)
        if key not in given:  # pressed twice, it is said once
            reference = PassageReference(marker)
            record = recorder.judge(
                snapshot,
                asked,
                Verdict(verdict),
                reference,
                FeedbackOrigin.PAGE,
                settings().answers_kept,
            )
            given[key] = (verdict, record.id)
    said = "~".join(
        f"{key}.{verdict}.{id}" for key, (verdict, id) in list(given.items())[-_REMEMBERED:]
    )
    back = redirect(
        f"{local_address(request.form.get('next', '')).partition('#')[0]}#{_name(marker)}", 303
    )
    back.set_cookie(GIVEN, said, max_age=_HOUR if said else 0, samesite="Strict", httponly=True)
    return back


class FeedbackForms:
    """What the forms under the answers to one question need.

    ``asked`` are the question and where to look for its answer; ``parts`` has the part of it, by
    the id of the passage, that a passage answers where it asks for several things.
    """

    def __init__(
        self, snapshot: Snapshot, asked: Mapping[str, str | None], parts: Mapping[str, str]
    ):
        self._snapshot = snapshot
        self._given = _given()
        self._asked = {name: value for name in FIELDS if (value := asked.get(name))}
        self._parts = parts

    def asked(self, passage: Passage) -> dict[str, str]:
        """What was asked where ``passage`` answers, by the names of the fields."""
        part = self._parts.get(passage.id)
        return {**self._asked, "question": part} if part else self._asked

    def marker(self, passage: Passage) -> str:
        """What names ``passage`` in the form."""
        return marker_table(self._snapshot).marker_of(passage)

    def name(self, passage: Passage) -> str:
        """The id of the form, where one is taken back to."""
        return _name(self.marker(passage))

    def given(self, passage: Passage) -> str | None:
        """The id of what this browser has said of ``passage``; None where it has said nothing."""
        said = self._given.get(_key(self.asked(passage), self.marker(passage)))
        return said[1] if said else None


def _given() -> dict[str, tuple[str, str]]:
    found = (_GIVEN.fullmatch(each) for each in request.cookies.get(GIVEN, "")[:2000].split("~"))
    return {each[1]: (each[2], each[3]) for each in found if each}


def _key(asked: Mapping[str, str | None], marker: str) -> str:
    said = [marker, *(" ".join((asked.get(name) or "").split()) for name in FIELDS)]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:_KEY]


def _name(marker: str) -> str:
    return "feedback-" + re.sub("[^0-9a-f]", "", marker.removeprefix("r:"))[:_MARKER]


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    return {"feedback_kept": feedback() is not None}


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
    before = [line for line in request.args.get("context", "").splitlines() if line.strip()]
    if before and before[-1].split() == question.split():
        before.pop()
    return "\n".join(before) or None


def _beside(snapshot: Snapshot, game: str) -> dict[str, int]:
    return {
        "cards": len(snapshot.index.cards.of_game(game)),
        "rulings": len(snapshot.index.rulings.of_game(game)),
    }


def _parts(snapshot: Snapshot, found: SearchResult) -> list[ShownPart]:
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
    if (part := found.elsewhere) is None:
        return None
    answers = [_shown(snapshot, found, hit, part.hits) for hit in part.hits[:ELSEWHERE]]
    return ShownPart(part.question, part.answered, part.settled, answers, None)


def _at_step(library: Library, id: str | None) -> tuple[str, StepLink] | None:
    try:
        return (id, step_link(library, id)) if id else None
    except NotFound:
        return None


def _asked_of(parts: Sequence[ShownPart]) -> dict[str, str]:
    return {_passage_id(answer): part.question for part in parts for answer in part.answers}


def _passage_id(answer: ShownAnswer | QuotedLayer) -> str:
    return answer.passage.id if isinstance(answer, QuotedLayer) else answer.quote.passage.id


def _shown(
    snapshot: Snapshot, result: SearchResult, hit: Hit, printed: Sequence[Hit]
) -> ShownAnswer | QuotedLayer:
    return (
        quoted_layer(snapshot, hit, language())
        if isinstance(hit, (RulingHit, CardTextHit))
        else _answer(snapshot, result, hit, printed.index(hit))
    )


def _answer(snapshot: Snapshot, result: SearchResult, hit: Hit, rank: int) -> ShownAnswer:
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
