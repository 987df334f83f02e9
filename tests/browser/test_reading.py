from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)
from playwright.sync_api import expect

from tests.browser.addresses import GUARDIA, WACHT, WACHT_OLD

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

PATIENCE = 60_000  # milliseconds for what the server works out behind the scenes


def test_a_reference_shows_what_it_leads_to_and_leads_there(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en")
    reference = (
        page.get_by_role("main").get_by_role("article").get_by_role("link", name="Strudel").last
    )
    reference.hover()
    preview = page.locator(".preview")
    expect(preview).to_be_visible()
    expect(preview).to_contain_text("Strudel")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    reference.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Strudel")
    expect(
        page.get_by_role("region", name="Referred to by").get_by_role("link", name="Auftauchen")
    ).to_be_visible()


def test_an_entry_leads_to_its_neighbours_and_its_other_editions(visit):
    page = visit(f"/e/{WACHT}/auftauchen", language="en")
    page.get_by_role("region", name="In other editions").get_by_role(
        "link", name="Affiorare"
    ).click()
    expect(page).to_have_url(re.compile(f"/e/{GUARDIA}/affiorare"))
    neighbours = page.get_by_role("navigation", name="Previous and next entry")
    neighbours.get_by_role("link", name=re.compile("^Next")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Aggancio")


def test_a_difference_is_seen_without_colour(visit):
    page = visit(f"/compare/{WACHT_OLD}/{WACHT}", language="en")
    main = page.get_by_role("main")
    expect(main.locator("del").first).to_be_visible(timeout=PATIENCE)
    line = "(each) => getComputedStyle(each).textDecorationLine"
    assert main.locator("del").first.evaluate(line) == "line-through"
    assert main.locator("ins").first.evaluate(line) == "underline"


@pytest.mark.acceptance
def test_a_comparison_is_taken_along(visit):
    page = visit(f"/compare/{WACHT}/{GUARDIA}", language="en")
    main = page.get_by_role("main")
    endings = {"HTML": ".html", "Excel": ".xlsx", "CSV": ".csv", "TMX": ".tmx", "TBX": ".tbx"}
    for name, ending in endings.items():
        link = main.locator(f"a[href$='/{ending[1:]}']")
        expect(link).to_have_text(re.compile(f"^{name}"), timeout=PATIENCE)
        end = monotonic() + PATIENCE / 1000
        while (
            page.request.get(
                f"{page.url.partition('/compare')[0]}{link.get_attribute('href')}"
            ).status
            == 503
            and monotonic() < end
        ):
            sleep(0.5)  # it is still being prepared
        with page.expect_download() as started:
            link.click()
        assert started.value.suggested_filename.endswith(ending)
