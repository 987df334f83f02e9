from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from tests.browser.test_accessible import NARROW, axe, in_both_themes
from tests.service.harbour import Harbour, Indexes, library
from tests.service.model_server import ModelServer, completion, model_server
from tests.service.scripted_model import lookup_reply, number_of
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

__all__ = ["axe"]

CARD = "zieht eine Karte"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A model that always chooses one passage."""
    with model_server(
        lambda body, _: completion(lookup_reply([number_of(body["messages"][1]["content"], CARD)]))
    ) as running:
        yield running


@pytest.fixture(scope="module")
def server(model) -> str:
    settings = Settings(port=free_port(), rate_limit="none", model_url=model.url, model_name="toy")
    return answering(create_app(Indexes(Harbour(library(), id="assisted")), settings), settings)


def ask(page, question):
    page.fill("#q", question)
    page.keyboard.press("Enter")
    page.locator("[data-answer]").first.wait_for()


def test_the_switch_decides_whether_the_model_is_asked_and_is_kept(visit, model):
    model.requests.clear()  # a second try begins anew
    page = visit("/")
    ask(page, "Wer ankert, zieht der eine Karte?")
    assert not model.requests
    assert page.locator(".assisted").count() == 0
    page.get_by_label("Von einem Sprachmodell nachschlagen lassen").check()
    page.get_by_text("Ein Sprachmodell (toy) hat die erste Stelle ausgewählt.").wait_for()
    assert CARD in page.locator("[data-answer]").first.inner_text()
    assert len(model.requests) == 1
    assert page.url.endswith("&assist=1")
    page.goto("/")
    assert page.locator("#assist").is_checked()
    page.locator("#assist").uncheck()
    page.goto("/")
    assert not page.locator("#assist").is_checked()


def test_axe_finds_no_violation_and_nothing_is_scrolled_sideways(visit, axe):
    page = visit("/?q=Wer+ankert%3F&assist=1", *NARROW)
    assert in_both_themes(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
