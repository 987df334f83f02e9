from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from index.model import Query
from service.ops.indexes import IndexManager
from service.ops.settings import Locations, Settings
from service.web.app import create_app
from tests.browser.test_accessible import axe, in_both_themes
from tests.conftest import ROOT, SAMPLE
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    Embed = Callable[..., Page]

__all__ = ["axe"]
PATIENCE = 60_000
# As docs/embed.md has it: a version, and the hash of its file.
_EMBED = (ROOT / "docs" / "embed.md").read_text(encoding="utf-8")
PINNED = re.sub(
    r"\s+",
    " ",
    re.findall(r'crossorigin\s(\s*src="https://regula\.example/embed/\d[^>]*)>', _EMBED)[0],
)
PAGE = {"html": "", "policy": ""}
QUESTION = "Wer entscheidet bei gleichzeitigen Effekten?"


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The origin of a fan site; what its page has is said by each test. It is served, not made up:
    browsers ask where a page is from.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            for name, value in (
                ("Content-Type", "text/html"),
                ("Content-Security-Policy", PAGE["policy"]),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(PAGE["html"].encode())

        def log_message(self, *_):
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_address[1]}"
    served.shutdown()
    served.server_close()


@pytest.fixture(scope="module")
def service(sample_snapshots, site) -> str:
    """The address of a service over the sample that lets the pages of the site call it."""
    indexes = IndexManager(Locations(SAMPLE, sample_snapshots.folder, is_sample=True))
    indexes.load().search(
        Query("Wann steigt der Pegel?")
    )  # the first question loads what later ones find loaded
    settings = Settings(port=free_port(), rate_limit="none", cors_origins=(site,))
    return answering(create_app(indexes, settings), settings)


@pytest.fixture
def embed(browser, service, site) -> Iterator[Embed]:
    """Opens a page of the site with ``body``, under a policy that allows nothing but the
    service.
    """
    contexts, wrong = [], []

    def make(
        body,
        lang="de",
        width=800,
        script="src=https://regula.example/embed/regula-ask.js",
    ):
        PAGE["policy"] = (
            f"default-src 'none'; script-src {service}; connect-src {service}; form-action 'none'; "
            "base-uri 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        )
        PAGE["html"] = (
            f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width">'
            f'<meta name="color-scheme" content="light dark"><title>Fan</title>'
            '<script type="module" crossorigin '
            f"{script.replace('https://regula.example', service)}></script>"
            f"<main><h1>Fan</h1>{body}</main></html>"
        )
        context = browser.new_context(
            viewport={"width": width, "height": 900}, locale="de-AT", reduced_motion="reduce"
        )
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda error: wrong.append(str(error.error)))
        context.on(
            "console",
            lambda said: (
                wrong.append(said.text) if "Content Security Policy" in said.text else None
            ),
        )
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(
            "window.heard = []; for (const name of ['regula-answer', 'regula-error'])"
            "addEventListener(name, (event) => heard.push([name, event.target.id, "
            "event.detail.reason || event.detail.answer.verdict]))"
        )
        page.goto(site)
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []


def passages(**values):
    """An answer with one passage."""
    passage = {
        "label": "Buch, Z. 1",
        "url": "/e/buch/eintrag",
        "display": "Ja.",
        "marked": None,
        "marks": [],
        "layer": "rulebook",
        "language": "de",
        **values,
    }
    return {"verdict": "settled", "passages": [passage], "fallback": None, "notes": []}


def answer_with(page, service, answer, status=200, **headers):
    """Have the service answer questions with ``answer``."""
    body = answer if isinstance(answer, str) else json.dumps(answer)
    allowed = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Retry-After",
        **headers,
    }
    page.route(
        f"{service}/v1/ask**",
        lambda route: route.fulfill(
            status=status, body=body, headers=allowed, content_type="application/json"
        ),
    )


def ask(page, question, at="regula-ask"):
    page.locator(at).get_by_role("searchbox").fill(question)
    page.locator(at).get_by_role("searchbox").press("Enter")


def test_a_question_is_answered_on_another_site_by_keyboard_alone(embed, service):
    page = embed('<regula-ask id="a" edition="pegelwacht-de-1.1"></regula-ask>', script=PINNED)
    page.get_by_label("Frage zu den Regeln").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.type("Wann steigt der Pegel?")
    page.keyboard.press("Enter")
    page.get_by_text("Geklärt", exact=True).wait_for()
    assert "steigt" in page.locator("blockquote").first.inner_text()
    assert page.locator("blockquote").first.get_attribute("lang") == "de"
    link = page.locator("figcaption a").first
    assert link.inner_text().startswith("Pegelwacht Regelbuch 1.1 (de), Pegel")
    assert str(link.get_attribute("href")).startswith(f"{service}/e/pegelwacht-de-1.1/pegel")
    assert page.get_by_role("status").inner_text().startswith("Geklärt. Stellen: ")
    assert page.evaluate("heard") == [["regula-answer", "a", "settled"]]
    assert page.locator("figure").count() >= 3


def test_an_open_question_is_called_open_with_the_rule_of_the_game(embed):
    page = embed(
        '<regula-ask edition="pegelwacht-de-1.1" lang="it" question="Darf mein Hund mitspielen?" '
        'k="2"></regula-ask>'
    )
    page.get_by_text("Questione aperta", exact=True).wait_for()
    page.get_by_text("Passi più vicini").wait_for()
    assert page.locator("figure").count() >= 2
    assert page.get_by_role("button", name="Chiedi").count() == 1
    page.locator("regula-ask").evaluate("(each) => each.setAttribute('lang', 'en-GB')")
    page.get_by_role("button", name="Ask", exact=True).wait_for()


def test_nothing_hostile_becomes_markup_or_leads_elsewhere(embed, service):
    hostile = (
        "<img src=x "
        'onerror="document.title=1"></blockquote><script>document.title=2</script>{{7*7}}'
    )
    page = embed('<regula-ask id="a"></regula-ask>')
    bad = passages(
        display=hostile,
        marks=[[0, 4]],
        repaired=hostile,
        only_in=hostile,
        before=f"Asked: {hostile}",
        label=hostile,
        url="javascript:document.title=3",
        language='"><b>',
    )
    answer_with(page, service, bad | {"notes": [{"text": hostile}]})
    ask(page, hostile)
    page.get_by_text("Geklärt", exact=True).wait_for()
    assert page.locator("blockquote").inner_text() == hostile
    assert page.locator("mark").inner_text() == "<img"
    assert page.get_by_text(
        f"Asked: {hostile}", exact=True
    ).is_visible()  # what a ruling answers stands above it
    assert page.locator("img, script:not([src]), figcaption a").count() == 0
    assert page.title() == "Fan"
    for elsewhere in ("//elsewhere.example/e/x", "https://elsewhere.example/e/x"):
        page.unroute(f"{service}/v1/ask**")
        answer_with(page, service, passages(display=elsewhere, url=elsewhere))
        ask(page, "noch einmal")
        page.locator("blockquote", has_text=elsewhere).wait_for()
        assert page.locator("figcaption a").count() == 0


def test_a_service_that_fails_is_said_to(embed, service):
    page = embed('<regula-ask id="a"></regula-ask>')
    down = "Der Regeldienst antwortet nicht."
    cases: list[tuple[Any, int, str, str]] = [
        ({"detail": "no index"}, 503, down, "down"),
        ({"detail": "slowly"}, 429, "zu viele Fragen. Bitte versuch es in 40 Sekunden", "busy"),
        ("<html>", 200, down, "down"),
        ({"detail": "Die Frage ist zu lang."}, 422, "Die Frage ist zu lang.", "refused"),
        ({"passages": [{}]}, 200, down, "down"),
    ]
    for answer, status, said, reason in cases:
        answer_with(
            page, service, answer, status, **{"Retry-After": "40"}
        )  # what was said last holds
        ask(page, QUESTION)
        page.get_by_role("status").get_by_text(said).wait_for()
        assert page.evaluate("heard.pop()") == ["regula-error", "a", reason]
        assert page.locator("figure").count() == 0


def test_a_site_that_may_not_call_and_a_service_that_is_slow_are_said_to_get_no_answer(
    embed, service
):
    page = embed('<regula-ask id="a"></regula-ask>')
    page.route(
        f"{service}/v1/ask**",
        lambda route: route.fulfill(
            json=passages(), headers={"Access-Control-Allow-Origin": "null"}
        ),
    )
    with page.expect_console_message(lambda said: "cors_origins" in said.text):
        ask(page, QUESTION)
    page.get_by_text("Der Regeldienst antwortet nicht.").wait_for()
    page.clock.install()
    page.unroute(f"{service}/v1/ask**")
    page.route(f"{service}/v1/ask**", lambda route: None)  # no answer, ever
    ask(page, QUESTION)
    page.get_by_text("Wird nachgeschlagen").wait_for()
    page.clock.fast_forward(16_000)
    page.get_by_text("Der Regeldienst antwortet nicht.").wait_for()


def test_a_new_question_ends_the_one_before_and_components_do_not_disturb_each_other(
    embed, service
):
    page = embed(
        '<regula-ask id="a" game="pegelwacht"></regula-ask><regula-ask id="b" game="pegelduell" '
        'label="Zum Duell"></regula-ask>'
    )
    held: list[Route] = []
    page.route(re.compile("/v1/ask.*q=lange"), lambda route: held.append(route))
    with page.expect_event("requestfailed", lambda request: "lange" in request.url):
        ask(page, "lange", "#a")
        page.locator("#a").get_by_text("Wird nachgeschlagen").wait_for()
        ask(page, QUESTION, "#b")
        page.locator("#b blockquote").first.wait_for()
        assert page.locator("#a").get_by_role("status").inner_text() == "Wird nachgeschlagen …"
        ask(page, QUESTION, "#a")
    page.locator("#a blockquote").first.wait_for()
    assert "/e/pegelduell-" in str(page.locator("#b figcaption a").first.get_attribute("href"))
    assert "/e/pegelwacht-" in str(page.locator("#a figcaption a").first.get_attribute("href"))
    assert [name for name, *_ in page.evaluate("heard")] == ["regula-answer"] * 2
    assert page.get_by_label("Zum Duell").count() == 1


def test_it_is_accessible_and_no_wider_than_a_phone_in_both_themes(embed, axe):
    asked = f'question="{QUESTION}"'
    also = 'game="pegelwacht" label="Offen" question="Darf mein Hund mitspielen?"'
    page = embed(
        f'<regula-ask game="pegelwacht" {asked}></regula-ask><regula-ask {also}></regula-ask>',
        width=320,
    )
    page.locator("blockquote").nth(3).wait_for()
    page.get_by_text("Offene Frage", exact=True).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert (
        page.evaluate(
            "document.querySelector('regula-ask').shadowRoot.querySelectorAll('[style], "
            "style').length"
        )
        == 0
    )
    assert in_both_themes(page, axe) == []
    assert (
        page.locator("regula-ask").first.evaluate(
            "(each) => getComputedStyle(each).backgroundColor"
        )
        == "rgb(28, 34, 36)"
    )
