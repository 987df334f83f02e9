from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.test_asking import open_more
from tests.service.harbour import Harbour, Indexes, library
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

THANKS = "Thank you, this is kept."


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(home) -> str:
    """The address of a server that keeps feedback; its thread ends with the tests."""
    settings = Settings(port=free_port(), rate_limit="none", feedback=True, home=home)
    app = create_app(Indexes(Harbour(library(), id="judged")), settings)
    return answering(app, settings)


@pytest.fixture
def said(home) -> Callable[[], list[tuple[str, str]]]:
    """Verdicts and questions that were kept since the test began."""

    def read():
        return [
            json.loads(line)
            for file in (home / "feedback").glob("*.jsonl")
            for line in file.read_text("utf-8").splitlines()
        ]

    before = len(read())
    return lambda: [(each["verdict"], each["question"]) for each in read()[before:]]


def answers(page):
    return page.get_by_role("main").get_by_role("article")


def test_a_tap_is_enough_and_the_page_stays(visit, said):
    page = visit("/", language="en", workers=False)
    page.get_by_label("Your question", exact=True).fill("Flaute")
    page.keyboard.press("Enter")
    first, second = answers(page).nth(0), answers(page).nth(1)
    page.evaluate("window.same = true")
    open_more(first)
    open_more(second)
    first.get_by_role("button", name="This helped").click()
    expect(first.get_by_text(THANKS)).to_be_visible()
    expect(page.get_by_role("status")).to_have_text(THANKS)
    second.get_by_role("button", name="Wrong").click()
    expect(second.get_by_text(THANKS)).to_be_visible()
    expect(first.get_by_text(THANKS)).to_be_visible()
    assert said() == [("hit", "Flaute"), ("miss", "Flaute")]
    first.get_by_role("button", name="Undo").click()
    expect(first.get_by_role("button", name="This helped")).to_be_focused()
    assert [verdict for verdict, _ in said()] == ["hit", "miss", "undone"]
    assert page.evaluate("window.same")
    page.reload()
    expect(answers(page).nth(1).get_by_text(THANKS)).to_be_visible()


def test_without_a_network_it_is_said_that_nothing_was_kept(visit, said):
    page = visit("/?q=Flaute", language="en", workers=False)
    page.route("**/feedback", lambda route: route.abort())
    first = answers(page).first
    open_more(first)
    first.get_by_role("button", name="This helped").click()
    expect(page.get_by_role("status")).to_have_text("No answer: the network cannot be reached.")
    expect(first.get_by_role("button", name="This helped")).to_be_enabled()
    assert said() == []


def test_the_buttons_are_accessible_and_fit_a_phone(visit):
    page = visit("/?q=Flaute", width=320, height=640, workers=False)
    for answer in answers(page).all()[:2]:
        open_more(answer)
    answers(page).first.get_by_role("button", name="Hat geholfen").click()
    expect(answers(page).first.get_by_role("button", name="Zurücknehmen")).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for button in answers(page).nth(1).get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 24
