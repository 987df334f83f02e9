from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import DUELL, WACHT, WACHT_OLD

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]


def summary(page, slug):
    return page.locator(f"[data-entry='{slug}'] > details > summary").first


def test_a_chapter_unfolds_in_place_and_is_open_again_after_going_back(visit):
    page = visit(f"/browse/{DUELL}", 360, 640, language="en", touch=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    summary(page, "4").tap()
    summary(page, "4.2").tap()
    rule = page.locator("[data-entry='4.2'] .unfolded")
    expect(rule).to_be_visible()
    assert [url for url in asked if "part=inside" in url]
    expect(page).to_have_url(re.compile("#open=4,4.2$"))
    page.locator("[data-entry='4.2'] .whole a").last.tap()
    expect(page.get_by_role("heading", level=1)).to_contain_text("4.2")
    page.go_back()
    expect(rule).to_be_visible()
    summary(page, "4").tap()
    expect(rule).to_be_hidden()
    expect(page).not_to_have_url(re.compile("#open"))


def test_what_cannot_be_loaded_is_told_with_a_link(visit):
    page = visit(f"/browse/{WACHT}", language="en", workers=False)
    page.route("**/*part=inside*", lambda route: route.abort())
    summary(page, "auftauchen").click()
    lost = page.locator("[data-entry='auftauchen'] .lost")
    expect(lost).to_contain_text("could not be loaded")
    page.unroute("**/*part=inside*")
    summary(page, "auftauchen").click()
    summary(page, "auftauchen").click()
    expect(page.locator("[data-entry='auftauchen'] .unfolded")).to_be_visible()
    expect(lost).to_have_count(0)


def test_words_are_found_in_a_rulebook_while_one_types_and_by_keys(visit):
    page = visit(f"/browse/{WACHT}", language="en")
    told = page.locator("#matches")
    page.get_by_role("searchbox", name="Search in this rulebook").press_sequentially("gerat")
    expect(told).to_have_text(re.compile(r"^\d+ matches · \d+ entries$"))
    expect(page).to_have_url(re.compile("find=gerat$"))  # of "gera" there are matches too
    expect(page.locator("#contents mark").first).to_have_text("Gerät")
    page.keyboard.press("Enter")
    expect(told).to_have_text(re.compile("^Match 1 of"))
    page.keyboard.press("Shift+Enter")
    expect(told).to_have_text(re.compile(r"^Match (\d+) of \1$"))
    summary(page, "geraet").click()
    expect(page.locator("[data-entry='geraet'] .unfolded mark").first).to_be_visible()
    page.get_by_role("searchbox", name="Search in this rulebook").fill("")
    expect(page.get_by_role("region", name="Glossary")).to_be_visible()
    expect(page).not_to_have_url(re.compile("find="))


def test_words_are_marked_in_an_entry_over_links_and_umlauts(visit):
    page = visit(f"/e/{WACHT}/auftauchen?find=strudel", 360, 640, language="en", touch=True)
    words = page.locator("[data-within]")
    told = page.locator("#matches")
    marks = words.locator("mark")
    expect(told).to_have_text(re.compile("^Matches: [1-9]"))
    found = marks.count()
    blocks = words.locator("p, li")
    before = [text.split("Favourite")[0] for text in blocks.all_inner_texts()]
    page.get_by_role("searchbox", name="Search in this entry").fill("STRÜDEL")
    expect(told).to_have_text(f"Matches: {found}")
    assert set(map(str.lower, marks.all_inner_texts())) == {"strudel"}
    page.get_by_role("button", name="Next match").tap()
    expect(words.locator("mark.here").first).to_be_in_viewport()
    page.get_by_role("searchbox", name="Search in this entry").fill("xyzzy")
    expect(told).to_have_text("No match")
    expect(marks).to_have_count(0)
    assert [text.split("Favourite")[0] for text in blocks.all_inner_texts()] == before


def test_a_step_waits_for_the_matches_of_what_was_typed(visit):
    page = visit(f"/e/{WACHT}/auftauchen?find=strudel", language="en")
    page.evaluate(
        """() => {
          const given = window.fetch;
          window.asked = 0;
          window.fetch = async (...of) => {
            window.asked += 1;
            await new Promise((resolve) => setTimeout(resolve, 700));
            return given(...of);
          };
        }"""
    )
    page.get_by_role("searchbox", name="Search in this entry").fill("wrack")
    page.wait_for_function("() => window.asked")
    page.get_by_role("button", name="Next match").click()
    expect(page.locator("#matches")).to_have_text(re.compile("1 .*[1-9]"))
    expect(page.locator("[data-within] mark.here")).to_have_text(re.compile("^wrack$", re.I))


def test_a_step_right_after_typing_goes_to_what_was_typed(visit):
    page = visit(f"/e/{WACHT}/auftauchen?find=strudel", 360, 640, language="en", touch=True)
    page.clock.install(time=0)
    page.clock.pause_at(3600)  # timers run when the test says so
    page.get_by_role("searchbox", name="Search in this entry").fill("STRÜDEL")
    page.get_by_role("button", name="Next match").tap()
    page.clock.run_for(1000)
    expect(page.locator("[data-within] mark.here").first).to_be_in_viewport()


def test_a_rulebook_offers_to_go_on_where_one_was_reading(visit):
    page = visit(f"/e/{WACHT_OLD}/auftauchen", language="en")
    page.keyboard.press("j")
    page.wait_for_url(re.compile("(?<!/auftauchen)$"))  # keys work when the script has run
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Auftauchen")
    page.keyboard.press("k")
    page.wait_for_url("**/auftauchen")
    expect(page.get_by_role("heading", level=1)).to_have_text("Auftauchen")
    page.goto(f"/browse/{WACHT}")  # the next version, which has the entry too
    offer = page.locator("#resume")
    offer.get_by_role("link", name="Auftauchen").click()
    page.wait_for_url(re.compile(f"/e/{WACHT}/auftauchen"))
    page.goto(f"/browse/{WACHT}")
    offer.get_by_role("button", name=re.compile("^Forget")).click()
    expect(offer).to_be_hidden()
    page.evaluate(
        "key => localStorage.setItem(key, JSON.stringify({ entry: 'gezeitenwuerfel', title: 'x', "
        "document: 'other' }))",
        f"reading:{WACHT}",
    )
    with page.expect_response(re.compile("part=preview")) as answer:
        page.goto(f"/browse/{WACHT}")
    assert answer.value.status == 404
    expect(offer).to_be_hidden()


def test_a_device_that_keeps_nothing_reads_all_the_same(visit):
    page = visit("/about", language="en", workers=False)
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', "
        "'SecurityError'); } })"
    )
    page.goto(f"/e/{WACHT}/auftauchen")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Auftauchen")
    page.goto(f"/browse/{WACHT}")
    summary(page, "auftauchen").click()
    expect(page.locator("[data-entry='auftauchen'] .unfolded")).to_be_visible()
    expect(page.locator("#resume")).to_be_hidden()
