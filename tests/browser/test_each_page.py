"""One way through each page, for 'make test': what else is tried in Chromium waits for 'make
acceptance', but for `test_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import PAGES, WACHT
from tests.browser.test_asking import answers, ask, open_more

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]


@pytest.mark.parametrize("name", PAGES)
def test_each_page_is_there_with_its_script_and_fits_a_phone(visit, name):
    page = visit(
        PAGES[name], 360, 640, language="en"
    )  # fails at the end where a script has stumbled
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"\w{3}"))
    expect(page).to_have_title(re.compile("Regula"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_one_tap_opens_the_whole_entry_at_the_passage(visit):
    page = visit(f"/?edition={WACHT}", 360, 640, language="en")
    words = ask(page).locator("mark").first.inner_text()
    open_more(answers(page).first)
    answers(page).first.get_by_role("link", name=re.compile("^Whole entry")).click()
    expect(page).to_have_url(re.compile(r"/e/.+#.+"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Teerjacke")
    expect(page.get_by_role("main").get_by_text(words).first).to_be_in_viewport()
