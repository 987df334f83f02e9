from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import DUELL, WACHT
from tests.browser.caches import wait_until_cached

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

ANSWER = f"/?q=Wann+steigt+der+Pegel%3F&edition={WACHT}"
ENTRY = f"/e/{WACHT}/auftauchen"


@pytest.fixture
def offline(visit) -> Page:
    """A visitor who asked a question and read an entry before the network went away."""
    page = visit("/", language="en")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    for address in (ENTRY, ANSWER):
        page.goto(address)
        wait_until_cached(page, address, "/offline")
    page.context.set_offline(True)
    return page


def test_what_was_read_and_asked_is_there_without_a_network(offline):
    offline.goto(ENTRY)
    expect(offline.get_by_role("heading", level=1)).to_have_text("Auftauchen")
    expect(offline.get_by_text("Offline: saved page")).to_be_visible()
    styled = "[...document.styleSheets].reduce((rules, sheet) => rules + sheet.cssRules.length, 0)"
    assert offline.evaluate(styled) > 20
    offline.goto(ANSWER)
    expect(offline.get_by_role("article").first.locator("blockquote").first).to_be_visible()


def test_what_was_never_read_says_so_and_lists_what_can_be_read(offline):
    offline.goto(f"/e/{DUELL}/1.6")
    expect(offline.get_by_role("heading", level=1)).to_have_text("Use offline")
    expect(offline.get_by_role("link", name="Try again")).to_be_visible()
    expect(offline.get_by_role("link", name="Wann steigt der Pegel?")).to_be_visible()
    offline.get_by_role("link", name=re.compile("^Auftauchen")).click()
    expect(offline.get_by_role("heading", level=1)).to_have_text("Auftauchen")


def test_the_site_can_be_installed(visit):
    page = visit("/", language="de")
    manifest = page.evaluate(
        "fetch(document.querySelector('link[rel=manifest]').href).then((found) => found.json())"
    )
    assert manifest["start_url"] == "/"
    assert manifest["display"] == "standalone"
    assert manifest["lang"] == "de"
    for icon in manifest["icons"]:
        size = page.evaluate(
            "async (src) => { const image = new Image(); image.src = src; await image.decode(); "
            "return image.naturalWidth; }",
            icon["src"],
        )
        assert icon["sizes"] in ("any", f"{size}x{size}")
    told = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")
    assert [e for e in told["installabilityErrors"] if e["errorId"] != "in-incognito"] == []


def test_what_was_typed_and_chosen_stays_when_the_network_is_gone(visit):
    page = visit("/", language="en")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(ANSWER)
    wait_until_cached(page, ANSWER, "/offline")
    page.goto("/")
    wait_until_cached(page, "/")
    page.context.set_offline(True)
    chosen, typed = (
        page.get_by_label("Search in"),
        page.get_by_role("combobox", name="Your question"),
    )

    def held(question):
        expect(chosen).to_have_value(DUELL)
        expect(typed).to_have_value(question)

    chosen.select_option(DUELL)
    typed.fill("Wer beginnt?")
    typed.press("Enter")
    expect(page.locator("#lost")).to_be_visible()
    held("Wer beginnt?")
    page.reload()
    held("Wer beginnt?")
    page.goto("/")  # as it was kept, before the choice
    held("")
    page.goto(ENTRY)  # never read: shown instead is what can be read
    typed.fill("Und dann?")
    typed.press("Enter")
    held("Und dann?")
