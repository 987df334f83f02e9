"""The search page: a question, the passages that answer it, and readers' feedback on answers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.errors import NotFound
from corpus.model import Entry, Passage
from index.layers.passages import Layer
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from index.model import CardTextHit, Hit, PartResult, RulingHit, SearchResult
from index.ranking.confidence import Settlement
from index.timing.announced import announced_by
from service.answers.citations import edition_name, games_to_name, quoted_citation
from service.answers.notes import LACKING, undated_texts
from service.answers.pointers import MOST_POINTING
from service.answers.sources import marker_table
from service.assist.assistant import AssistedResult
from service.browse.entry_view import (
    LINES,
    Misprint,
    QuotedLayer,
    QuotedPassage,
    QuotedSequence,
    in_other_languages,
    known_misprints,
    quoted_layer,
    quoted_passage,
    quoted_sequence,
    quoted_targets,
    title_entry,
)
from service.browse.landing import finds_nothing, landing, meant
from service.browse.text_blocks import TextRemark
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
from service.schemas.answer import NoteCode
from service.schemas.fields import LONGEST_QUESTION, MOST_CONTEXT
from service.web.editing import check_same_origin
from service.web.headers import REFERRER_POLICY
from service.web.localization import ADDRESS_FIELD, addressed_language, language
from service.web.localization import gettext as _
from service.web.pages.home import home_page
from service.web.pages.layout import (
    ASSIST,
    SCOPE,
    assist_wanted,
    local_address,
    page,
    pages,
    reading_language,
    set_or_delete_cookie,
)
from service.web.request_context import ask as put
from service.web.request_context import ask_assisted as put_assisted
from service.web.request_context import current_snapshot, feedback, feedback_of_service, settings

GIVEN = "given"  # cookie with this browser's latest feedback, so that it can be undone
_GIVEN = re.compile(rf"([0-9a-f]{{16}})\.(hit|miss)\.({RECORD_ID})")
# Names of the question and its filters: in the feedback form, and in an address besides the
# question.
FIELDS = ("question", "edition", "game", "document", "language", "prefer", "as_of", "context")
ASKED = (*FIELDS[1:6], "k", "layers", "as_of", "context", "step")
FIRST, MORE = 5, 20  # passages shown at once, and when more are asked for
# Lines on a phone: for one more passage under the same title, for all of the first card, and for
# all of another card. The first has fewer, so that the next one begins on the first screen.
AGAIN, AT_FIRST, TOGETHER = 3, 7, 10
ELSEWHERE = 3  # passages from the rest of the rulebook after a question at a step; see ask.html
OF_EACH = 2  # passages shown of each of several questions
LISTED = 12  # passages of a list, shown below the one that announces it


@pages.post("/feedback")
def keep_feedback() -> Response:
    """Save a reader's verdict on a passage, or withdraw it, and go back. Raises `Problem`."""
    check_same_origin(others=True)
    recorder, snapshot = feedback_of_service(), current_snapshot()
    form = request.form
    marker, given = form.get("passage", ""), _given()
    if undone := form.get("undo"):
        if not re.fullmatch(RECORD_ID, undone):
            raise Problem.unknown("There is no such feedback.", "undo")
        recorder.undo(undone, FeedbackOrigin.PAGE)
        given = {key: said for key, said in given.items() if said[1] != undone}
    else:
        verdict = form.get("verdict", "")
        if verdict not in (Verdict.HIT, Verdict.MISS):
            raise Problem.out_of_range("There is no such verdict.", "verdict")
        asked = {name: form.get(name) or None for name in FIELDS}
        key = _key(asked, marker)
        if key not in given:  # pressed twice, it counts once
            record = recorder.judge(
                snapshot,
                asked,
                Verdict(verdict),
                PassageReference(marker),
                FeedbackOrigin.PAGE,
                settings().answers_kept,
            )
            given[key] = (verdict, record.id)
    last = list(given.items())[-10:]
    said = "~".join(f"{key}.{verdict}.{id}" for key, (verdict, id) in last)
    to = local_address(form.get("next", "")).partition("#")[0]
    back = redirect(f"{to}#{_name(marker)}", 303)
    back.set_cookie(GIVEN, said, max_age=3600 if said else 0, samesite="Strict", httponly=True)
    return back


class FeedbackForms:
    """Data for the feedback forms under the answers to one question.

    ``asked`` has the question and its filters. If the question asks for several things, ``parts``
    has the part that each passage answers, by passage id.
    """

    def __init__(
        self, snapshot: Snapshot, asked: Mapping[str, str | None], parts: Mapping[str, str]
    ):
        self._snapshot, self._parts, self._given = snapshot, parts, _given()
        self._asked = {name: value for name in FIELDS if (value := asked.get(name))}

    def asked(self, passage: Passage) -> dict[str, str]:
        """Return the question and filters that ``passage`` answers, by field name."""
        part = self._parts.get(passage.id)
        return {**self._asked, "question": part} if part else self._asked

    def marker(self, passage: Passage) -> str:
        """Return the marker of ``passage`` for the form."""
        return marker_table(self._snapshot).marker_of(passage)

    def name(self, passage: Passage) -> str:
        """Return the id of the form, which the browser is sent back to."""
        return _name(self.marker(passage))

    def given(self, passage: Passage) -> str | None:
        """Return the id of this browser's feedback on ``passage``, None if there is none."""
        said = self._given.get(_key(self.asked(passage), self.marker(passage)))
        return said[1] if said else None


def _given() -> dict[str, tuple[str, str]]:
    """Return this browser's latest feedback: verdict and id by question and passage."""
    found = (_GIVEN.fullmatch(each) for each in request.cookies.get(GIVEN, "")[:2000].split("~"))
    return {each[1]: (each[2], each[3]) for each in found if each}


def _key(asked: Mapping[str, str | None], marker: str) -> str:
    # A hash, since the cookie must not reveal the question. Blanks are normalised because forms
    # change line breaks.
    said = [marker, *(" ".join((asked.get(name) or "").split()) for name in FIELDS)]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _name(marker: str) -> str:
    return "feedback-" + re.sub("[^0-9a-f]", "", marker.removeprefix("r:"))[:64]


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    return {"feedback_kept": feedback() is not None}


@dataclass(frozen=True)
class ShownAnswer:
    """A quoted passage of an answer, with related data.

    Attributes:
        citation: the text to copy.
        elsewhere: the same rule in other languages.
        special: the only format in which it holds.
        sequence: the sequence that it is a step of.
        targets: the passages it refers to.
        misprints: its known misprints.
        in_turn: its place in the timing sequences of the game.
    """

    quote: QuotedPassage
    citation: str
    elsewhere: list[Entry]
    special: SpecialFormat | None
    sequence: QuotedSequence | None
    targets: list[QuotedPassage]
    misprints: list[Misprint]
    in_turn: StepLink | None

    @property
    def game(self) -> str:
        """The game of the rulebook."""
        return self.quote.citation.edition.game


Shown: TypeAlias = ShownAnswer | QuotedLayer


@dataclass(frozen=True)
class ShownCard:
    """Passages under one title. Those in ``more`` do not fit on a phone beside the others;
    ``translated`` are the same rules in another language.
    """

    answers: list[Shown]
    more: list[Shown] = field(default_factory=list)
    translated: list[Shown] = field(default_factory=list)


@dataclass(frozen=True)
class ShownPart:
    """One of several questions with its best passages, without those shown for an earlier question.

    ``above`` is its best passage if an earlier question shows it, with that question's number, from
    1.
    """

    question: str
    answered: bool
    settled: Settlement
    answers: list[Shown]
    cards: list[ShownCard]
    above: tuple[int, Shown] | None


@dataclass(frozen=True)
class Arrangement:
    """The passages of an answer, arranged as ask.html shows them.

    ``ruled`` are rulings that settle one of several questions. If the question was asked at a step
    of a sequence, ``elsewhere`` has passages from the rest of the rulebook; they come before all
    others if ``rest_first``.
    """

    parts: list[ShownPart]
    ruled: list[QuotedLayer]
    answers: list[Shown]
    cards: list[ShownCard]
    fallback: ShownAnswer | None
    on_other_cards: list[QuotedLayer]
    elsewhere: ShownPart | None
    rest_first: bool

    def in_order(self) -> list[Shown]:
        """Return the passages from top to bottom."""
        rest = self.elsewhere.cards[: 1 if self.rest_first else ELSEWHERE] if self.elsewhere else []
        cards = [card for part in self.parts for card in part.cards] + self.cards
        return [
            *(_stacked(rest) if self.rest_first else ()),
            *self.ruled,
            *_stacked(cards),
            *([self.fallback] if self.fallback else ()),
            *self.on_other_cards,
            *(() if self.rest_first else _stacked(rest)),
        ]


def _stacked(cards: Iterable[ShownCard]) -> list[Shown]:
    return [each for card in cards for each in (*card.answers, *card.more, *card.translated)]


@pages.get("/")
def ask() -> Response:
    """Show the search page; with a question, its answer. All options are in the address."""
    snapshot = current_snapshot()
    if "in" in request.args:  # the form's field for an edition or a game
        response = _canonical_redirect(snapshot.library)
    else:
        response = _page(snapshot)
    if feedback():
        response.headers["Referrer-Policy"] = REFERRER_POLICY
    return response


def _page(snapshot: Snapshot) -> Response:
    library = snapshot.library
    arguments = {name: request.args.get(name) or None for name in ASKED}
    at_step = _at_step(library, arguments["step"])
    scope = arguments["edition"] or (arguments["step"] or "").partition("/")[0] or arguments["game"]
    question = request.args.get("q", "").strip()
    if not question:
        return home_page(snapshot, scope, arguments["as_of"], at_step)
    # The earlier questions, without this one if it is asked again with other filters.
    before = [line for line in (arguments["context"] or "").splitlines() if line.strip()]
    if before and before[-1].split() == question.split():
        before.pop()
    arguments |= {"k": arguments["k"] or str(FIRST), "context": "\n".join(before) or None}
    asked = {**arguments, "question": question}
    try:
        query = replace(parameters.query_from(asked, snapshot), reader=language())
    except Problem as problem:
        return page(
            "ask.html",
            snapshot,
            problem.status,
            scope=scope,
            question=question[:LONGEST_QUESTION],
            trouble=_error_text(problem, question),
        )
    assisted = put_assisted(query) if assist_wanted() else AssistedResult(put(query), None)
    found = assisted.result
    game = library.edition[scope].game if scope in library.edition else scope
    if found.query.step is None and (to := landing(snapshot, found, game, reading_language())):
        return redirect(to, 303)
    arranged = arrange(snapshot, found)
    parts, answers = arranged.parts, arranged.answers
    before_this = found.follow_up.before if found.follow_up else ()
    texts = undated_texts(library, found)
    quoted = {library.entry[hit.passage.entry].edition for hit in found.hits} if texts else ()
    undated = [edition_name(e) for id in quoted if not (e := library.edition[id]).effective]
    following = (*before_this, " ".join(question.split()))[-MOST_CONTEXT:]
    more = len(found.hits) == query.k < MORE
    forms = None
    if feedback():
        fields = {**asked, "language": found.query.language}
        forms = FeedbackForms(snapshot, fields, _questions_of(parts))
    return page(
        "ask.html",
        snapshot,
        scope=scope,
        question=question,
        as_of=query.as_of,
        in_effect=found.in_effect,
        undated_editions=undated,
        undated_texts=[texts[code] for code in texts if code is NoteCode.UNDATED_RULINGS],
        before=before_this,
        needless=bool(query.context) and not found.follow_up,
        next_context="\n".join(following),
        nothing=finds_nothing(found),
        meant=meant(snapshot, found, game, reading_language()),
        lacking=[LACKING[kind] for kind in found.lacking],
        missing_rule=found.missing_rule,
        textless=found.textless,
        other_game=found.other_game,
        answered=found.answered,
        settled=Settlement.LIKELY if undated and found.answered else found.settled,
        assistance=assisted.assistance,
        language_asked=found.language,
        parts=parts,
        ruled=arranged.ruled,
        answers=answers,
        cards=arranged.cards,
        on_other_cards=arranged.on_other_cards,
        fallback=arranged.fallback,
        games_to_name={} if at_step else games_to_name(library, query),
        feedback=forms,
        step=at_step,
        elsewhere=arranged.elsewhere,
        rest_first=arranged.rest_first,
        alone=_this_address(context=""),
        unpreferred=_this_address(prefer=""),
        undated=_this_address(as_of=""),
        without_step=_this_address(step=""),
        more=_this_address(k=str(MORE)) if more else None,
        rulebook_alone=_this_address(layers=Layer.RULEBOOK)
        if found.layers and not finds_nothing(found)
        else None,
        all_layers=_this_address(layers="")
        if query.layers is not None and not found.layers
        else None,
    )


def arrange(snapshot: Snapshot, found: SearchResult) -> Arrangement:
    """Return the passages of ``found``, arranged for the page."""
    parts = _parts(snapshot, found)
    asked_of = _questions_of(parts)
    ranked = () if finds_nothing(found) else found.ranked
    further = [hit for hit in ranked if hit.passage.id not in asked_of]
    answers = _shown(snapshot, found, further, found.hits)
    layers = [answer for answer in answers if isinstance(answer, QuotedLayer)]
    ruled = [answer for answer in layers if parts and answer.settles]
    on_other_cards = [answer for answer in layers if answer.other_card]
    beside = [*ruled, *on_other_cards, *_steps_again(answers)]
    shown = [each for each in answers if each not in beside]
    elsewhere = _elsewhere(snapshot, found)
    fallback = None
    if found.fallback and not found.answered and not (elsewhere and elsewhere.answered):
        fallback = _answer(snapshot, found, Hit(found.fallback, 0.0, ()), len(found.hits))
    return Arrangement(
        parts=parts,
        ruled=ruled,
        answers=shown,
        cards=_cards(snapshot, found, shown),
        fallback=fallback,
        on_other_cards=on_other_cards,
        elsewhere=elsewhere,
        rest_first=bool(elsewhere and elsewhere.answered and not found.answered),
    )


def _questions_of(parts: Sequence[ShownPart]) -> dict[str, str]:
    """Return the part of the question that each passage answers, by passage id."""
    return {_passage_id(answer): part.question for part in parts for answer in part.answers}


def _parts(snapshot: Snapshot, found: SearchResult) -> list[ShownPart]:
    """Return the single questions in a text that asks for several things; none if none is
    settled.
    """
    if not (found.answered or any(part.answered for part in found.parts)):
        return []
    shown: dict[str, tuple[int, Shown]] = {}
    parts = []
    for number, part in enumerate(found.parts, 1):
        first = part.ranked[:OF_EACH]
        above = shown.get(first[0].passage.id) if first else None
        new = [hit for hit in first if hit.passage.id not in shown]
        answers = _shown(snapshot, found, new, part.hits)
        parts.append(_part(snapshot, found, part, answers, above))
        shown |= {_passage_id(answer): (number, answer) for answer in answers}
    return parts


def _elsewhere(snapshot: Snapshot, found: SearchResult) -> ShownPart | None:
    if (part := found.elsewhere) is None:
        return None
    answers = _shown(snapshot, found, part.hits[:ELSEWHERE], part.hits)
    return _part(snapshot, found, part, answers, None)


def _part(
    snapshot: Snapshot,
    found: SearchResult,
    part: PartResult,
    answers: list[Shown],
    above: tuple[int, Shown] | None,
) -> ShownPart:
    cards = _cards(snapshot, found, answers)
    return ShownPart(part.question, part.answered, part.settled, answers, cards, above)


def _cards(snapshot: Snapshot, found: SearchResult, answers: Sequence[Shown]) -> list[ShownCard]:
    """Group passages by title, at the place of the first one. The passages that the very first one
    announces follow it. A translation of a rule already shown in the language of the question is
    folded.
    """
    cards: dict[str, ShownCard] = {}
    listed = _listed(snapshot, found, answers)
    for answer in answers:
        if answer in listed:
            continue
        if isinstance(answer, QuotedLayer):
            cards[answer.passage.id] = ShownCard([answer])
            continue
        title = answer.quote.titled.id
        if translation := next((id for id in cards if _translates(found, cards[id], answer)), None):
            cards[translation].translated.append(answer)
        elif title not in cards:
            cards[title] = ShownCard([answer, *(() if cards else listed)])
        elif sum(map(_lines, (*cards[title].answers, answer))) <= (
            AT_FIRST if title == next(iter(cards)) else TOGETHER
        ):
            cards[title].answers.append(answer)
        else:
            cards[title].more.append(answer)
    return list(cards.values())


def _listed(snapshot: Snapshot, found: SearchResult, answers: Sequence[Shown]) -> Sequence[Shown]:
    """Return the passages that the first of ``answers`` announces, in the order of the rulebook;
    nothing if it belongs to a sequence that is shown completely.
    """
    first = next(iter(answers), None)
    if not isinstance(first, ShownAnswer) or (first.sequence and first.sequence.asked):
        return ()
    known = {_passage_id(answer): answer for answer in answers}
    return [
        known.get(passage.id) or _answer(snapshot, found, Hit(passage, 0.0, ()), len(found.hits))
        for passage in announced_by(snapshot.library, first.quote.passage)[:LISTED]
    ]


def _translates(found: SearchResult, card: ShownCard, answer: ShownAnswer) -> bool:
    """Return whether ``card`` shows a rule in the language of the question, and ``answer`` the same
    rule in another language.
    """
    first = card.answers[0]
    return (
        isinstance(first, ShownAnswer)
        and first.quote.citation.edition.language == found.language
        and answer.quote.entry in first.elsewhere
    )


def _steps_again(answers: Sequence[Shown]) -> list[Shown]:
    """Return the answers that repeat steps of the requested sequence, which is shown already."""
    first = answers[0] if answers else None
    if not isinstance(first, ShownAnswer) or not first.sequence or not first.sequence.asked:
        return []
    steps = [step.passage.id for step in first.sequence.steps]
    return [each for each in answers[1:] if _passage_id(each) in steps]


def _lines(answer: Shown) -> int:
    if isinstance(answer, QuotedLayer):
        return 1 + sum(block.lines for block in answer.blocks)
    beside = bool(answer.sequence and not answer.sequence.asked) + bool(answer.targets)
    return 1 + beside + sum(block.lines for block in answer.quote.blocks)


def _at_step(library: Library, id: str | None) -> tuple[str, StepLink] | None:
    try:
        return (id, step_link(library, id)) if id else None
    except NotFound:
        return None


def _passage_id(answer: Shown) -> str:
    return answer.passage.id if isinstance(answer, QuotedLayer) else answer.quote.passage.id


def _shown(
    snapshot: Snapshot, result: SearchResult, hits: Iterable[Hit], printed: Sequence[Hit]
) -> list[Shown]:
    """Return ``hits`` as shown answers; ``printed`` contains those from rulebooks."""
    titles: set[str] = set()
    answers: list[Shown] = []
    for hit in hits:
        if isinstance(hit, (RulingHit, CardTextHit)):
            answers.append(quoted_layer(snapshot, hit, language(), LINES))
            continue
        title = title_entry(snapshot.library, snapshot.library.entry[hit.passage.entry]).id
        lines = AGAIN if title in titles else LINES
        titles.add(title)
        answers.append(_answer(snapshot, result, hit, printed.index(hit), lines))
    return answers


def _answer(
    snapshot: Snapshot, result: SearchResult, hit: Hit, rank: int, lines: int = LINES
) -> ShownAnswer:
    library, passage = snapshot.library, hit.passage
    findings = finished_findings(snapshot) or {}  # an answer does not wait for the check
    misprints = known_misprints(library, passage, findings)
    quoted = quoted_passage(library, hit, [_remark(each) for each in misprints], lines)
    return ShownAnswer(
        quote=quoted,
        citation=quoted_citation(library, passage),
        elsewhere=in_other_languages(snapshot, quoted.entry),
        special=library.format_of(passage),
        sequence=quoted_sequence(library, passage, result) if rank == 0 else None,
        targets=quoted_targets(library, hit) if rank < MOST_POINTING else [],
        misprints=misprints,
        in_turn=passage_step(library, passage),
    )


def _remark(misprint: Misprint) -> TextRemark:
    told = f"{_(misprint.title)}: {misprint.printed or '[ ]'}"
    if misprint.meant:
        told += f" → {misprint.meant.strip()}"
    return TextRemark(misprint.span, misprint.meant if misprint.repaired else None, told)


def _canonical_redirect(library: Library) -> Response:
    """Redirect ``?in=…``, an edition or a game, to an address that says which of them it is."""
    args = request.args
    chosen = args["in"]
    known = chosen in library.edition or chosen in library.games
    kind = "game" if chosen in library.games and chosen not in library.edition else "edition"
    step = args.get("step", "").strip()
    to = _address(
        {
            "q": args.get("q", "").strip(),
            kind: chosen,
            **{name: args.get(name, "").strip() for name in ("context", "as_of", "prefer")},
            "step": step if step.startswith(f"{chosen}/") else "",  # of another rulebook
            "assist": "1" if args.get("assist") else "",
            ADDRESS_FIELD: addressed_language() or "",
        }
    )
    response = redirect(to, 303)
    set_or_delete_cookie(response, SCOPE, chosen if known else "")
    set_or_delete_cookie(response, ASSIST, "on" if args.get("assist") else "")
    return response


def _address(values: Mapping[str, str]) -> str:
    return "/?" + urlencode({name: value for name, value in values.items() if value})


def _this_address(**values: str) -> str:
    """Return the address of this page with ``values`` replaced."""
    return _address({**request.args.to_dict(), **values})


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
