"""Reviewing drafts by keys and by hand, over the invented game of
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
from tests.browser.test_accessible import NARROW, axe, in_both_themes
from tests.service.harbour import Harbour, Indexes, library
from tests.service.serving import answering, free_port
from tests.service.test_review_page import COIN, DE, FILE, REVIEW

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

__all__ = ["axe"]


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("workspace")
    for name in ("rulebooks", "phrasings"):
        (home / name).mkdir()
    return home


@pytest.fixture(scope="session")
def server(home) -> str:
    """The address of a server of a workspace; its thread ends with the tests."""
    settings = Settings(port=free_port(), rate_limit="none", home=home)
    return answering(create_app(Indexes(Harbour(library())), settings), settings)


@pytest.fixture
def drafts(home) -> Callable[[], dict[str, dict[str, object]]]:
    """A file of drafts as it is at the start, and what is in it later."""
    file = home / "phrasings" / f"{DE}.yaml"
    file.write_text(FILE, encoding="utf-8")
    return lambda: dict(yaml.safe_load(file.read_text(encoding="utf-8")))


def test_keys_drop_edit_and_keep(visit, drafts):
    page = visit(REVIEW)
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" dann")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.get_by_text("1 von 2 durchgesehen").wait_for()
    assert drafts()[COIN] == {
        "at": "ankern#1",
        "drafted": "toy, 2031-01-01",
        "players": ["wo bleiben dann"],
        "reviewed": True,
    }


def test_axe_finds_no_violation_and_nothing_is_scrolled_sideways(visit, axe, drafts):
    assert drafts()
    for address in ("/review", REVIEW):
        page = visit(address, *NARROW)
        assert in_both_themes(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
