from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING

import pypdfium2
import pytest
from playwright.sync_api import expect

from tests.browser.addresses import PAGES, WACHT
from tests.browser.test_asking import open_more

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

MANY = "/sheet?q=Wann+steigt+der+Pegel%3F&" + "&".join(
    f"passage={WACHT}/{entry}%230"
    for entry in (
        "flutphase",
        "gleichzeitige-effekte",
        "auftauchen",
        "pegel",
        "aktivierung",
        "strudel",
    )
)
SHARING = "navigator.share = (shared) => { window.shared = shared; return Promise.resolve(); };"
REFUSING = (
    "Object.defineProperty(Navigator.prototype, 'share', { value: undefined, configurable: true });"
)


def test_an_answer_becomes_a_sheet_whose_address_is_the_permanent_link(visit):
    page = visit(PAGES["answer"], language="en")
    first = page.locator("[data-answer]").first
    words = first.locator("blockquote").first.inner_text()
    open_more(first)
    first.get_by_role("link", name=re.compile("^Ruling sheet")).click()
    expect(page).to_have_url(re.compile(r"/sheet\?q=.*%23\d+~[0-9a-f]{12}&made=\d{4}-\d\d-\d\d$"))
    assert page.locator(".sheet blockquote").inner_text().strip() == words.strip()
    expect(page.locator("svg.qr")).to_be_visible()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_sheet_prints_on_one_page_with_words_and_citation(visit, paper):
    page = visit(MANY, language="de")
    document = pypdfium2.PdfDocument(BytesIO(page.pdf(format=paper)))
    text = " ".join(document[0].get_textpage().get_text_range().split())
    assert len(document) == 1
    assert "Regelauszug" in text
    assert re.search(r"Pegelwacht Regelbuch 1\.\d \(de\) · (S\. \d+ · )?Z\. \d+", text)
    assert "Drucken" not in text


def test_the_share_sheet_of_the_device_gets_words_and_link(visit):
    page = visit("/about", language="en", touch=True, width=360, height=640)
    page.add_init_script(SHARING)
    page.goto(PAGES["sheet"])
    page.get_by_role("button", name="Share").click()
    shared = page.wait_for_function("() => window.shared").json_value()
    assert shared["url"].endswith(PAGES["sheet"])
    assert "bestimmt der Wachhabende die Reihenfolge" in shared["text"]
    assert shared["url"] not in shared["text"]


def test_without_a_share_sheet_words_and_link_are_copied(visit):
    page = visit("/about", language="en")
    page.add_init_script(REFUSING)
    page.goto(PAGES["sheet"])
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("status").filter(has_text="copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "bestimmt der Wachhabende die Reihenfolge" in copied
    assert copied.endswith(PAGES["sheet"])
