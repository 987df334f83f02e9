"""Cards in Chromium: on the narrowest screen, without script, and chosen while one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (make test installs it)")
from playwright.sync_api import expect

from tests.browser.addresses import CARD

if TYPE_CHECKING:
    from tests.browser.conftest import Visit


@pytest.mark.parametrize("language", ["de", "it", "en"])
def test_a_card_fits_the_narrowest_screen(visit: Visit, language: str) -> None:
    page = visit(CARD, width=320, height=640, language=language)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for summary in page.get_by_role("main").locator("details > summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_other_languages_unfold_without_script(visit: Visit) -> None:
    page = visit(CARD, language="de", script=False)
    expect(page.get_by_role("main").locator("blockquote[lang=it]").first).to_be_hidden()
    page.get_by_role("main").locator("summary", has_text="Arpione").click()
    expect(page.get_by_role("main").locator("blockquote[lang=it]").first).to_be_visible()


def test_a_card_is_chosen_while_one_types(visit: Visit) -> None:
    page = visit("/", language="de")
    page.get_by_label("Deine Frage", exact=True).press_sequentially("kluge d")
    page.get_by_role("option", name="Kluge Dohle").click()
    expect(page.get_by_role("heading", name="Kluge Dohle", level=1)).to_be_visible()
