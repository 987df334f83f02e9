"""The search page: a question and what the rulebooks say to it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.model import Entry
from index.library.library import Library
from index.model import Hit
from service.answers.citations import quoted_citation
from service.assist.assistant import AssistedResult
from service.browse.entry_view import QuotedPassage, quoted_passage
from service.browse.translations import in_other_languages
from service.core import parameters
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.schemas.limits import LONGEST_QUESTION
from service.web.localization import gettext as _
from service.web.pages.feedback import FeedbackForms
from service.web.pages.layout import page, pages
from service.web.pages.preferences import ASSIST, SCOPE, assist_wanted, remembered_scope, set_or_delete_cookie
from service.web.request_context import ask as put
from service.web.request_context import ask_assisted as put_assisted
from service.web.request_context import current_snapshot, feedback
from service.web.same_origin import REFERRER_POLICY

FIRST, MORE = 5, 20  # passages shown at once, and when more are asked for


@dataclass(frozen=True)
class ShownAnswer:
    """A quotation with what one takes along from it: a citation to paste, the same rule in other languages."""

    quote: QuotedPassage
    citation: str
    elsewhere: list[Entry]


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
    if "in" in request.args:  # how the form names one edition or game; the address to keep names which of the two it is
        response = redirect(_canonical_address(library), 303)
        set_or_delete_cookie(response, SCOPE, request.args["in"] if request.args["in"] in (*library.edition, *library.games) else "")
        set_or_delete_cookie(response, ASSIST, "on" if request.args.get("assist") else "")
        return response
    arguments = {name: request.args.get(name) or None for name in ("edition", "game", "document", "language", "k")}
    scope = arguments["edition"] or arguments["game"]
    question = request.args.get("q", "").strip()
    if not question:
        return page("ask.html", snapshot, scope=scope or remembered_scope(library))
    arguments["k"] = arguments["k"] or str(FIRST)
    try:
        query = parameters.query_from({**arguments, "question": question}, library)
    except Problem as problem:
        shown_question = question[:LONGEST_QUESTION]
        return page("ask.html", snapshot, problem.status, scope=scope, question=shown_question, trouble=_error_text(problem, question))
    assisted = put_assisted(query) if assist_wanted() else AssistedResult(put(query), None)
    found = assisted.result
    more = _address({**request.args.to_dict(), "k": str(MORE)}) if len(found.hits) == query.k < MORE else None
    return page(
        "ask.html",
        snapshot,
        scope=scope,
        question=question,
        answered=found.answered,
        settled=found.settled,
        assistance=assisted.assistance,
        answers=[_answer(snapshot, hit) for hit in found.hits],
        fallback=_answer(snapshot, Hit(found.fallback, 0.0, ())) if found.fallback and not found.answered else None,
        more=more,
        feedback=FeedbackForms(snapshot, {**arguments, "question": question}) if feedback() else None,
    )


def _answer(snapshot: Snapshot, hit: Hit) -> ShownAnswer:
    quoted = quoted_passage(snapshot.library, hit)
    return ShownAnswer(quoted, quoted_citation(snapshot.library, hit.passage, hit.highlights), in_other_languages(snapshot, quoted.entry))


def _canonical_address(library: Library) -> str:
    chosen = request.args["in"]
    kind = "edition" if chosen in library.edition or chosen not in {e.game for e in library.editions} else "game"
    return _address({"q": request.args.get("q", "").strip(), kind: chosen, "assist": "1" if request.args.get("assist") else ""})


def _address(values: dict[str, str]) -> str:
    """Return the address of the search page that shows what ``values`` ask for."""
    return "/?" + urlencode({name: value for name, value in values.items() if value})


def _error_text(problem: Problem, question: str) -> str:
    if problem.field == "question" and len(question) <= LONGEST_QUESTION:
        return _("The question holds characters that cannot be shown. Please type it again.")
    if problem.field == "question":
        return _("Please put this as a question of at most %(limit)s characters.", limit=f"{LONGEST_QUESTION:,}")
    if problem.field in ("edition", "game", "document"):
        return _("This rulebook is not loaded here. Please choose one of the list.")
    return _("The address asks for something that this page does not do.")
