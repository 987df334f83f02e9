from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)

from playwright.sync_api import expect

from tests.browser.addresses import WACHT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]


def sequence(page, title):
    """The sequence called ``title``, unfolded."""
    found = page.locator("details", has=page.get_by_role("heading", name=title, exact=True))
    if found.get_attribute("open") is None:
        found.locator("summary").click()
    return found


def test_a_step_is_chosen_in_its_list_asked_from_and_taken_off_in_one_tap(visit):
    page = visit(f"/timing/{WACHT}", 360, 640, language="en", touch=True)
    sequence(page, "Flutphase").get_by_role("link", name="We are here").first.tap()
    expect(page.locator("#step")).to_be_visible()
    expect(page.locator("[aria-current=step]")).to_be_in_viewport()  # unfolded, and in sight
    field = page.get_by_label("Your question", exact=True)
    field.fill("Wann steigt der Pegel?")
    field.press("Enter")
    expect(page.locator("[data-answer]").first).to_be_visible()
    expect(page).to_have_url(re.compile("step=pegelwacht"))
    expect(
        page.get_by_text("What the rulebook says at this step").or_(
            page.get_by_text("Nearest passages of the step")
        )
    ).to_be_visible()
    page.get_by_role("link", name="Ask without the step").first.tap()
    expect(page.locator("#step")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("step="))


def test_a_step_leads_to_its_rule_by_keyboard(visit):
    page = visit(f"/timing/{WACHT}", language="en")
    sequence(page, "Flutphase").locator("li a").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/e/{WACHT}/"))


def test_folded_sequences_are_printed_too(visit):
    page = visit(f"/timing/{WACHT}", language="en")
    words = page.locator(".fold:not([open]) li a").first
    expect(words).to_be_hidden()
    page.emulate_media(media="print")
    expect(words).to_be_visible()
