from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.test_accessible import NARROW, axe, in_both_themes
from tests.service.serving import answering, free_port
from tests.service.test_compared_cards import GAME, changed_workspace, indexed

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

__all__ = ["axe"]

ADDRESS = f"/compare/cards/{GAME}?language=de"


@pytest.fixture(scope="session")
def server(sample, word_tables, tmp_path_factory) -> str:
    """The address of a server of changed cards; its thread ends with the tests."""
    home, folder = (
        changed_workspace(tmp_path_factory.mktemp("workspace")),
        tmp_path_factory.mktemp("index"),
    )
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(indexed(home, sample, folder, word_tables), settings), settings)


def test_differences_are_accessible_fit_the_narrowest_screen_and_lead_to_their_card(visit, axe):
    page = visit(ADDRESS, *NARROW, language="de")
    page.get_by_role("heading", name="Oilskin").wait_for()
    assert page.locator("mark").all_text_contents().count("3") == 1
    assert in_both_themes(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("heading", name="Oilskin").get_by_role("link").click()
    page.get_by_role("heading", name="Teerjacke", level=1).wait_for()
