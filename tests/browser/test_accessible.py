from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from tests.browser.addresses import PAGES, STATES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

# All of axe's own rules, and the size of targets, which it asks for only when told to.
OPTIONS: dict[str, object] = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},
}
COLOURS: dict[str, object] = {
    "resultTypes": ["violations"],
    "runOnly": ["color-contrast", "link-in-text-block"],
}
NARROW, PHONE, WIDE = (320, 640), (360, 640), (1440, 900)
LANGUAGES = ("de", "it", "en")
# Every page on a phone in one language, and each third on a wide screen in the next; the other
# combinations are a trial.
SEEN = {
    (name, LANGUAGES[(at + wide) % 3], wide)
    for at, name in enumerate(PAGES)
    for wide in (False, True)
    if not (wide and at % 3)
}
COMBINATIONS = [
    pytest.param(
        *each,
        marks=() if each in SEEN else pytest.mark.trial,
        id=f"{each[0]}-{each[1]}-{'wide' if each[2] else 'phone'}",
    )
    for each in product(PAGES, LANGUAGES, (False, True))
] + [pytest.param(name, "de", False, id=name) for name in STATES]


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    module = pytest.importorskip(
        "axe_playwright_python.base", reason="axe-core is not installed (make test installs it)"
    )
    return str(module.AXE_FILE_PATH.read_text(encoding="utf-8"))


def in_both_themes(page, axe):
    """What axe objects to in light and in dark. In the dark only what colours can change is looked
    at again.
    """
    page.emulate_media(color_scheme="light")
    found = violations(page, axe, OPTIONS)
    page.emulate_media(color_scheme="dark")
    return found + [f"dark: {each}" for each in violations(page, axe, COLOURS)]


def violations(page, axe, options):
    """What axe objects to on the page as it is: rule, element and why, a line each."""
    page.evaluate(axe)
    found: dict[str, Any] = page.evaluate(f"axe.run(document, {json.dumps(options)})")
    return [
        f"{v['id']} {' '.join(map(str, n['target']))}: {n['failureSummary']}"
        for v in found["violations"]
        for n in v["nodes"]
    ]


@pytest.fixture(scope="session")
def ready(server):
    """Waits for what the server works out behind the scenes: comparisons and the check."""
    for address in (
        PAGES["compare"],
        PAGES["facing"],
        PAGES["compare-cards"],
        PAGES["findings"],
        PAGES["news"],
    ):
        for _ in range(120):
            with urlopen(server + address) as response:
                if "Refresh" not in response.headers:
                    break
            sleep(0.5)
        else:
            pytest.fail(f"{address} does not get ready")


@pytest.mark.parametrize(("name", "language", "wide"), COMBINATIONS)
def test_axe_finds_no_violation_on_any_page_in_either_theme_and_none_is_wider_than_the_screen(
    visit, axe, ready, name, language, wide
):
    page = visit({**PAGES, **STATES}[name], *(WIDE if wide else PHONE), language=language)
    assert in_both_themes(page, axe) == []
    for width, height in (WIDE,) if wide else (WIDE, PHONE, NARROW):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_axe_finds_no_violation_in_what_opens(visit, axe):
    page = visit(PAGES["entry"], language="en")
    page.get_by_label("Your question", exact=True).press_sequentially("anker")
    page.get_by_role("listbox", name="Suggestions").wait_for()
    page.keyboard.press("ArrowDown")
    assert in_both_themes(page, axe) == []
    page.keyboard.press("Escape")
    page.get_by_role("main").locator("a.ref").first.focus()
    page.get_by_role("main").locator("a.ref").first.hover()
    page.locator(".preview").wait_for()
    assert in_both_themes(page, axe) == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.get_by_text("Menu", exact=True).click()
    assert in_both_themes(page, axe) == []
