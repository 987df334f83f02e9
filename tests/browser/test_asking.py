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

from tests.browser.addresses import WACHT, WACHT_OLD

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    Visit = Callable[..., Page]

QUESTION = "Zählt die Teerjacke zum Gerätelimit?"


def field(page):
    """Where one asks: a text field, which the script makes a combobox."""
    return page.get_by_label("Your question", exact=True)


def suggestions(page):
    return page.get_by_role("listbox", name="Suggestions")


def answers(page):
    return page.get_by_role("main").get_by_role("article")


def ask(page, question=QUESTION):
    """Ask, and wait for the first passage."""
    field(page).fill(question)
    field(page).press("Enter")
    expect(page).to_have_title(re.compile(re.escape(question)))  # not of the answer before
    expect(answers(page).first.locator("blockquote").first).to_be_visible()
    return answers(page).first


def open_more(answer):
    """Open what stands behind the words of an answer."""
    answer.locator(".dots > summary").click()


def clipboard(page):
    return str(page.evaluate("navigator.clipboard.readText()"))


def focused_name(page):
    return str(
        page.evaluate(
            "document.activeElement.innerText || document.activeElement.name || "
            "document.activeElement.tagName"
        )
    )


def test_the_field_has_the_focus_and_the_answer_comes_without_a_page_load(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    expect(field(page)).to_be_focused()
    page.evaluate("window.same = true")
    first = ask(page)
    expect(first.get_by_role("heading")).to_contain_text("Teerjacke")
    assert page.evaluate("window.same") is True
    expect(page.get_by_role("status").first).to_contain_text("Teerjacke")


def test_the_address_reproduces_what_is_shown_and_back_goes_back(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    ask(page)
    # What the device adds, once its script is there.
    expect(page.locator("[data-star]").first).to_be_attached()
    shown, address = page.get_by_role("main").inner_text(), page.url
    ask(page, "Wann steigt der Pegel?")
    page.go_back()
    expect(page).to_have_url(address)
    expect(answers(page).first.get_by_role("heading")).to_contain_text("Teerjacke")
    expect(field(page)).to_have_value(QUESTION)
    anew = visit(address, language="en")
    expect(anew.locator("[data-star]").first).to_be_attached()
    assert anew.get_by_role("main").inner_text() == shown


def test_a_day_is_chosen_in_the_menu_and_asked_about_without_a_page_load(visit):
    page = visit("/?game=pegelwacht", language="en")
    day = page.get_by_label("Rules as of")
    expect(day).to_be_hidden()
    page.evaluate("window.same = true")
    ask(page)
    page.get_by_text("Menu", exact=True).click()
    for chosen, held in (("2024-12-31", WACHT_OLD), ("2025-12-31", WACHT)):
        day.fill(chosen)
        expect(page).to_have_url(re.compile(f"as_of={chosen}"))
        expect(page.get_by_role("note")).to_contain_text(chosen[:4])
        expect(answers(page).first.get_by_role("link", name="Teerjacke").first).to_have_attribute(
            "href", re.compile(f"^/e/{held}/")
        )
    page.go_back()
    expect(day).to_have_value("2024-12-31")
    assert page.evaluate("window.same") is True
    page.get_by_role("link", name="Ask without a day").click()
    expect(day).to_be_hidden()


def test_suggestions_appear_while_typing_and_open_what_they_name(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    field(page).press_sequentially("auftau")
    offered = suggestions(page).get_by_role("option", name=re.compile("^Auftauchen"))
    expect(offered).to_be_visible()
    expect(field(page)).to_have_attribute("aria-expanded", "true")
    offered.click()
    expect(page).to_have_url(re.compile(f"/e/{WACHT}/auftauchen"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Auftauchen")


def test_a_citation_is_copied_and_said_to_be(visit):
    page = visit(f"/?edition={WACHT}", 360, 640, language="en")
    first = ask(page)
    words = first.locator("mark").first.inner_text()
    first.locator("[data-cite]").click()
    expect(page.get_by_role("status").filter(has_text="Citation copied")).to_be_visible()
    copied = clipboard(page)
    assert copied.startswith("„")
    assert words in copied
    assert "[…]" not in copied
    assert re.search(r"“ – Pegelwacht.*1\.1 \(gültig ab 1\. März 2025\), Teerjacke", copied)


def test_where_the_clipboard_is_closed_the_citation_is_shown(visit):
    page = visit("/about", language="en")
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
    )  # as without https
    page.goto(f"/?edition={WACHT}")
    first = ask(page)
    first.locator("[data-cite]").click()
    expect(first.get_by_text(re.compile("“ – Pegelwacht"))).to_be_visible()


def test_the_permanent_link_is_copied_and_leads_to_the_passage(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    first = ask(page)
    words = first.locator("mark").first.inner_text()
    open_more(first)
    first.get_by_role("link", name=re.compile("^Link")).click()
    expect(page.get_by_role("status").filter(has_text="Link copied")).to_be_visible()
    page.goto(clipboard(page))
    expect(page.get_by_role("main").get_by_text(words).first).to_be_in_viewport()


def test_another_edition_answers_at_once_and_is_remembered(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    ask(page, "Wann steigt der Pegel?")
    page.get_by_label("Search in").select_option(WACHT_OLD)
    expect(page).to_have_url(re.compile(f"edition={WACHT_OLD}"))
    expect(answers(page).first.locator(".where")).to_contain_text("1.0")
    page.goto("/")
    expect(page.get_by_label("Search in")).to_have_value(WACHT_OLD)


def test_another_language_is_chosen_where_one_is_and_remembered(visit):
    page = visit(f"/?q=Wann+steigt+der+Pegel%3F&edition={WACHT}", 360, 640, language="en")
    address = page.url
    page.get_by_text("Menu", exact=True).click()
    page.get_by_role("button", name="Italiano").click()
    expect(page.locator("html")).to_have_attribute("lang", "it")
    assert page.url == address
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "it")


def test_light_and_dark_can_be_chosen_against_the_system(visit):
    page = visit("/", language="en")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_text("Menu", exact=True).click()
    page.get_by_role("button", name="Dark").click()
    expect(
        page.locator("html[data-theme=dark] main")
    ).to_be_visible()  # the page has come back, whole
    assert page.evaluate(background) != light


def test_what_is_not_settled_says_so_and_shows_the_rule_for_that(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    fallback = page.get_by_role("region", name="If none of them settles it")
    for question, is_about_rules in (
        ("Kann ein Lotse mitten in der Flutphase das Boot tauschen?", True),
        ("Darf mein Hund mitspielen?", False),
    ):
        field(page).fill(question)
        field(page).press("Enter")
        expect(field(page)).to_have_value(question)
        expect(page.get_by_role("heading", name="The rulebook may not settle this")).to_be_visible()
        if is_about_rules:
            expect(fallback.get_by_role("heading").last).to_contain_text("Die Laternenregel")
        else:
            expect(fallback).to_have_count(0)


def test_a_long_question_is_shown_whole_by_a_tap_and_on_paper_and_leaves_the_answer_on_the_first_screen(
    visit,
):
    question = (
        f"{'Mein Kahn liegt im Hafen und ein Lotse ist nass. ' * 4}Wann steigt der Pegel in der "
        "Flutphase?"
    )
    page = visit(
        f"/?{urlencode({'q': question, 'edition': WACHT})}",
        width=360,
        height=640,
        language="en",
        touch=True,
    )
    heading = page.get_by_role("main").locator("h1")
    expect(heading).to_contain_text(question)
    lines = (
        "(heading) => Math.round(heading.clientHeight / "
        "parseFloat(getComputedStyle(heading).lineHeight))"
    )
    hidden = "(heading) => heading.scrollHeight - heading.clientHeight > 4"
    assert (heading.evaluate(lines), heading.evaluate(hidden)) == (2, True)
    first = page.locator("blockquote").first.bounding_box()
    assert first is not None
    assert first["y"] < 600
    heading.tap()
    assert not heading.evaluate(hidden)
    heading.tap()
    assert heading.evaluate(hidden)
    page.emulate_media(media="print")
    expect(heading).to_be_visible()
    assert not heading.evaluate(hidden)


def test_everything_goes_by_keys(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en")
    page.keyboard.press("Tab")
    assert focused_name(page).startswith("Skip to")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("/")
    expect(field(page)).to_be_focused()
    expect(field(page)).to_have_value("")

    page.keyboard.type("anker")
    expect(suggestions(page).get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(suggestions(page)).to_be_hidden()
    page.keyboard.type(" ")
    page.keyboard.press("Backspace")
    expect(suggestions(page).get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    chosen = suggestions(page).get_by_role("option", selected=True)
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text("Anker X")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Anker X")

    page.wait_for_load_state()  # keys work when the script has run
    page.keyboard.press("/")
    page.keyboard.type("Wann steigt der Pegel?")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/\?q=Wann"))  # an entry has articles too
    expect(answers(page).first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(answers(page).first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(answers(page).nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(answers(page).first).to_be_focused()
    page.keyboard.press("c")
    expect(page.get_by_role("status").filter(has_text="Citation copied")).to_be_visible()
    assert "Teerjacke" in clipboard(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Teerjacke")


def test_suggestions_that_come_late_do_not_take_the_chosen_one_away(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en", workers=False)
    held: list[Route] = []
    page.route("**/v1/suggest?q=anker&*", lambda request: held.append(request))
    field(page).press_sequentially("anke")
    expect(suggestions(page).get_by_role("option").first).to_contain_text("Anker X")
    with page.expect_request("**/v1/suggest?q=anker&*"):
        field(page).press("r")
    field(page).press("ArrowDown")
    chosen = suggestions(page).get_by_role("option", selected=True)
    expect(chosen).to_contain_text("Anker X")
    for request in held:
        request.continue_()
    page.wait_for_timeout(300)
    expect(chosen).to_contain_text("Anker X")
    field(page).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Anker X")


@pytest.mark.parametrize("late", ["failed", "empty"])
def test_an_answer_to_what_was_typed_before_does_not_stop_the_next_look_up(visit, late):
    page = visit(f"/?edition={WACHT}", language="en", workers=False)
    page.clock.install(time=0)
    page.clock.pause_at(3600)  # timers run when the test says so, on a busy machine too
    held: list[Route] = []
    page.route("**/v1/suggest?q=anke&*", lambda request: held.append(request))
    with page.expect_request("**/v1/suggest?q=anke&*"):
        field(page).press_sequentially("anke")
        page.clock.run_for(100)
    field(page).press("r")
    with page.expect_event("requestfailed" if late == "failed" else "requestfinished"):
        held[0].abort() if late == "failed" else held[0].fulfill(json={"suggestions": []})
    with page.expect_request("**/v1/suggest?q=anker&*"):
        page.clock.run_for(100)
    expect(suggestions(page).get_by_role("option").first).to_contain_text("Anker X")


def test_typing_on_takes_the_choice_back(visit):
    page = visit(f"/?edition={WACHT}", language="en", workers=False)
    field(page).press_sequentially("anke")
    expect(suggestions(page).get_by_role("option").first).to_contain_text("Anker X")
    field(page).press("ArrowDown")
    expect(suggestions(page).get_by_role("option", selected=True)).to_have_count(1)
    page.route("**/v1/suggest?q=anker&*", lambda request: None)
    field(page).press("r")
    expect(suggestions(page).get_by_role("option", selected=True)).to_have_count(0)
    field(page).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer to: anker")


def test_the_focus_is_always_seen(visit):
    page = visit(f"/?q=Wann+steigt+der+Pegel%3F&edition={WACHT}", 360, 640, language="en")
    unseen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const at = document.activeElement;
              if (at === document.body) return "";
              const box = at.getBoundingClientRect(), drawn = getComputedStyle(at);
              const ringed = drawn.outlineStyle !== "none" && parseFloat(drawn.outlineWidth) > 0 || drawn.boxShadow !== "none";
              const there = box.bottom > 0 && box.top < innerHeight && box.width > 0;
              return ringed && there ? "" : at.outerHTML.slice(0, 120);
            }"""
        )
        unseen += [seen] if seen else []
    assert unseen == []


def test_asking_and_reading_work_without_script(visit):
    page = visit("/", 360, 640, language="en", script=False)
    page.get_by_label("Search in").select_option(WACHT)
    field(page).fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    first = answers(page).first
    expect(first.locator("mark").first).to_be_visible()
    assert f"edition={WACHT}" in page.url
    first.locator("[data-cite]").click()
    expect(first.get_by_text(re.compile("“ – Pegelwacht"))).to_be_visible()
    open_more(first)
    first.get_by_role("link", name=re.compile("^Whole entry")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Teerjacke")
    page.get_by_role("navigation", name="Previous and next entry").get_by_role("link").last.click()
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("xyzzy")


def test_a_lost_network_is_said_and_the_question_kept(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    page.context.set_offline(True)
    field(page).fill("Wer bekommt die Laterne?")
    field(page).press("Enter")
    expect(
        page.get_by_role("main").get_by_text("No answer: the network cannot be reached.")
    ).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(answers(page).first).to_be_visible()
    expect(field(page)).to_have_value("Wer bekommt die Laterne?")


def test_a_question_asked_further_is_read_with_the_one_before_it(visit):
    page = visit(f"/?edition={WACHT}", 360, 640)
    field = page.get_by_label("Deine Frage", exact=True)
    field.fill("Darf ein Lotse angreifen?")
    field.press("Enter")
    page.locator("[data-answer]").first.wait_for()
    field.fill("und wenn er durchnässt ist?")
    field.press("Enter")
    expect(page.locator("#before")).to_contain_text("Darf ein Lotse angreifen?")
    page.get_by_role("link", name="Nur diese Frage").click()
    expect(page.locator("#before")).to_have_count(0)
    field.fill("Was ist ein Gerät?")
    field.press("Enter")
    expect(page).to_have_url(
        re.compile(f"q=Was.*edition={WACHT}$")
    )  # without what it was not read with


def test_what_is_kept_of_an_answer_is_called_as_the_rulebook_calls_it(visit):
    page = visit("/?q=Wann+steigt+der+Pegel%3F", 360, 640, touch=True)
    assert page.locator(".of-game").count() > 0
    heading = page.locator("main article h3 a").first.inner_text()
    page.wait_for_function("() => document.querySelector('.star')")
    page.goto("/memory")
    first = page.locator("#asked-list .place a").first
    expect(first).to_be_visible()
    assert first.inner_text().startswith(f"{heading} (")
