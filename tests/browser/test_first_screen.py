from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import WACHT
from tests.browser.test_asking import answers, clipboard

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

QUESTIONS = [
    line.split("\t")
    for line in (Path(__file__).with_name("questions.txt")).read_text("utf-8").splitlines()
]
HIGHEST = 300  # pixels of the first card
SCREEN = 620  # pixels from the top that a passage begins above
LONG = f"/?{urlencode({'q': 'Zählt die Teerjacke zum Gerätelimit?', 'edition': WACHT})}"

# Height of the first card, and where the words of each passage begin that can be seen.
MEASURED = """() => {
  const seen = [...document.querySelectorAll("main [data-answer]")].filter((each) => each.checkVisibility());
  const card = seen[0].closest(".same") ?? seen[0];
  return [card.getBoundingClientRect().height, seen.map((each) => each.querySelector("blockquote").getBoundingClientRect().top)];
}"""


ORDER = f"/?{urlencode({'q': 'Was passiert der Reihe nach in der Flutphase?', 'edition': WACHT})}"


def address(edition, question):
    return f"/?{urlencode({'q': question, 'edition': edition})}"


def test_the_first_screen_has_several_passages(visit):
    page = visit("/keys", 360, 640, touch=True)
    begun = []
    for edition, question in QUESTIONS:
        page.goto(address(edition, question))
        height, tops = page.evaluate(MEASURED)
        begun.append(sum(top < SCREEN for top in tops))
        assert height <= HIGHEST, question
    assert min(begun) >= 2
    assert sum(each >= 3 for each in begun) > len(begun) / 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# What one types on the start page, what is tapped until one is there, and where that is.
WAYS: dict[str, tuple[str, list[str], str]] = {
    "card": ("Enterhacken", ["#q", ".go"], "/cards/pegelwacht/"),
    "ruling": (
        "Darf ich Signalfeuer spielen, wenn kein Wrack treibt?",
        [".go", ".of-ruling h3 a"],
        "/rulings/pegelwacht/",
    ),
    "rule": ("4.5.2", [".go"], "/e/pegelduell-de-2.0/4.5.2"),
    "rule of an answer": ("Wann steigt der Pegel?", [".go", ".first h3 a"], "/e/pegelwacht-de"),
    "rest of an answer": (
        "Wann steigt der Pegel?",
        [".go", ".first .dots > summary", ".first [data-open]"],
        "/e/pegelwacht-de",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_three_taps_lead_to_a_card_a_ruling_a_rule(visit, way):
    typed, taps, there = WAYS[way]
    page = visit("/", 360, 640, touch=True)
    page.locator("#q").fill(typed)
    assert len(taps) <= 3
    for each in taps:
        page.locator(f"main {each}, {each}").first.tap()
    page.wait_for_url(f"**{there}**")


def test_steps_that_are_asked_for_are_listed_once_below_the_first_card(visit):
    page = visit(ORDER, 360, 640, language="en", touch=True)
    steps = page.locator(".steps > li")
    expect(steps.first).to_be_visible()
    words = [each.inner_text() for each in steps.locator("blockquote").all()]
    below = [each.locator("blockquote").inner_text() for each in answers(page).all()[1:]]
    assert not {*words} & {*below}
    assert page.locator("details details .steps").count() == 0


def test_the_edition_is_named_where_it_changes(visit):
    page = visit("/?q=Wann+steigt+der+Pegel%3F&game=pegelwacht", 360, 640, touch=True)
    named = [each.inner_text() for each in page.locator(".where cite").all() if each.is_visible()]
    assert named
    assert all(one != other for one, other in pairwise(named))


@pytest.mark.parametrize(("edition", "question"), QUESTIONS[::10])
def test_a_passage_is_copied_as_it_is_printed(visit, edition, question):
    page = visit(address(edition, question), 360, 640, touch=True)
    asked = {"q": question, "edition": edition, "fields": "evidence"}
    found: dict[str, Any] = page.request.get(f"/v1/ask?{urlencode(asked)}").json()
    for article, passage in list(zip(answers(page).all(), found["passages"], strict=False))[:2]:
        page.locator("#said").evaluate("(each) => { each.textContent = ''; }")  # of the one before
        article.locator("[data-cite]").tap()
        expect(page.locator("#said")).to_contain_text("Zitat kopiert")
        if (article.get_attribute("data-answer") or "").startswith(
            str(passage["citation"]["entry"])
        ):
            assert passage["display"].strip() in clipboard(page)
        assert "[…]" not in clipboard(page)


@pytest.mark.parametrize("script", [True, False])
def test_what_is_left_out_of_a_long_passage_is_a_tap_away(visit, script):
    page = visit(LONG, 360, 640, language="en", touch=True, script=script)
    cut = answers(page).filter(has=page.locator(".uncut")).first
    hidden = cut.locator(".rest").first
    expect(hidden).to_be_hidden()
    cut.get_by_text("… more", exact=True).tap()
    expect(hidden).to_be_visible()
    page.set_viewport_size({"width": 1024, "height": 800})
    expect(answers(page).locator(".rest").last).to_be_visible()
