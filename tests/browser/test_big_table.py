from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import PAGES, WACHT
from tests.browser.test_asking import answers, ask, field, open_more

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

# A browser that hears two parts of a question, or refuses to listen.
HEARING = """window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() {
    const heard = (words) => this.onresult({results: [[{transcript: words}]]});
    setTimeout(() => { heard("Wann steigt"); heard("Wann steigt der Pegel"); this.onend(); }, 20);
  }
};"""
REFUSING = """window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() { setTimeout(() => { this.onerror({error: "not-allowed"}); this.onend(); }, 20); }
};"""


def test_a_passage_fills_the_screen_and_keys_turn_to_the_next(visit):
    page = visit(PAGES["answer"], language="en")
    asked = page.url
    passages = [each.get_attribute("data-passage") for each in answers(page).all()[:2]]
    screens = [re.compile(re.escape(urlencode({"passage": each}))) for each in passages]
    open_more(answers(page).first)
    answers(page).first.get_by_role("link", name=re.compile("^Whole screen")).click()
    expect(page).to_have_url(screens[0])
    assert (
        page.locator("blockquote").evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        >= 24
    )
    expect(page.get_by_role("search")).to_have_count(0)
    page.wait_for_load_state()  # keys work when the script has run
    page.evaluate("window.same = true")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(screens[1])
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(screens[0])
    assert page.evaluate("window.same") is True  # a page load would end the filled screen
    page.keyboard.press("Escape")
    expect(page).to_have_url(asked)


def test_a_spoken_question_stands_in_the_field_to_be_asked(visit):
    page = visit("/about", language="en")
    page.add_init_script(HEARING)
    page.goto(f"/?edition={WACHT}")
    page.get_by_role("button", name="Speak the question").click()
    expect(field(page)).to_have_value("Wann steigt der Pegel")
    expect(field(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(answers(page).first).to_be_visible()


def test_a_browser_that_does_not_listen_says_so_or_offers_nothing(visit):
    page = visit("/about", language="en")
    page.add_init_script(REFUSING)
    page.goto("/")
    page.get_by_role("button", name="Speak the question").click()
    expect(page.get_by_role("status").filter(has_text="does not listen")).to_be_visible()
    page.add_init_script("delete window.webkitSpeechRecognition; delete window.SpeechRecognition")
    page.goto("/")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Speak the question")).to_have_count(0)


def test_the_keys_are_shown_over_the_page_and_leave_the_question_alone(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    ask(page)
    address = page.url
    answers(page).first.focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Copy the citation")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    assert page.url == address
    field(page).focus()
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()


def test_a_telephone_is_not_asked_about_keys(visit):
    for touch, shown in ((True, 0), (False, 1)):
        page = visit("/", width=390, height=700, language="en", touch=touch)
        page.locator("#menu > summary").click()
        expect(page.get_by_role("group", name="Language")).to_be_visible()
        expect(page.get_by_role("group", name="Keys / and c")).to_have_count(shown)
        expect(page.get_by_role("link", name="All keys")).to_have_count(shown)
