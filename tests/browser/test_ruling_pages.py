"""Rulings of the house written by hand, over the invented game of
`tests.service.harbour`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.test_accessible import NARROW, PHONE, axe, in_both_themes
from tests.service.harbour import Harbour, Indexes, library
from tests.service.serving import answering, free_port
from tests.service.test_ruling_pages import ANCHOR, GAME, LIST, NEW

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

__all__ = ["axe"]


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("workspace")
    (home / "rulebooks").mkdir()
    return home


@pytest.fixture(scope="session")
def server(home) -> str:
    """The address of a server of a workspace; its thread ends with the tests."""
    settings = Settings(port=free_port(), rate_limit="none", home=home)
    return answering(create_app(Indexes(Harbour(library(), settles=False)), settings), settings)


def test_an_open_answer_leads_to_a_ruling_that_rests_on_a_rule(visit, home):
    page = visit("/?q=Darf+mein+Hund+ankern%3F")
    page.get_by_role("link", name="Keine Antwort dabei? Hausentscheid schreiben").click()
    assert page.get_by_label("Frage", exact=True).input_value() == "Darf mein Hund ankern?"
    page.get_by_label("Spiel", exact=True).select_option(GAME)
    page.get_by_label("Antwort", exact=True).fill("Nein. Nur Schiffe ankern.")
    page.get_by_label("Karten, durch Strichpunkte getrennt").fill("Leuchtturm")
    page.get_by_role("button", name="Stellen zur Frage suchen").click()
    page.get_by_role("checkbox", name="Ankern", exact=True).first.check()
    page.get_by_role("button", name="Hausentscheid eintragen").click()
    page.get_by_text("noch nicht in den Antworten").wait_for()
    assert page.get_by_role("heading", level=1).inner_text() == "Darf mein Hund ankern?"
    written = yaml.safe_load((home / "rulings" / GAME / "house.yaml").read_text(encoding="utf-8"))[
        "rulings"
    ][-1]
    assert (written["answer"], written["cards"]) == ("Nein. Nur Schiffe ankern.", ["Leuchtturm"])
    assert [basis["entry"] for basis in written["rests_on"]] == [ANCHOR]


def test_axe_finds_no_violation_and_nothing_is_scrolled_sideways(visit, axe):
    for address in ("/rulings", LIST, f"{NEW}?q=Darf+mein+Hund+ankern%3F&entry={ANCHOR}"):
        page = visit(address, *NARROW)
        assert in_both_themes(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]


def test_axe_finds_no_violation_where_something_is_missing(visit, axe):
    page = visit(NEW, *PHONE, script=True)
    page.get_by_label("Spiel", exact=True).select_option(GAME)
    page.get_by_label("Frage", exact=True).fill("Darf mein Hund ankern?")
    page.get_by_role("button", name="Hausentscheid eintragen").click()
    page.get_by_role("alert").wait_for()
    assert in_both_themes(page, axe) == []
