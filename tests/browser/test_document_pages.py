"""The page of a PDF in Chromium: the passage is in sight and marked, also on a phone, in the dark, without a network, and by PDF.js."""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from service.web.server.http_server import serve
from tests import paged
from tests.service.harbour import Indexes
from tests.service.serving import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Visit

ASKED = f"/?q=Leuchtturm&edition={paged.EDITION}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a server over the PDF of `paged`; its thread ends with the tests."""
    found = paged.snapshot(tmp_path_factory.mktemp("indexes") / "20310517-moewen")
    settings = Settings(port=free_port(), rate_limit="none")
    Thread(target=serve, args=(create_app(Indexes(found), settings), settings), daemon=True).start()
    address, end = f"http://127.0.0.1:{settings.port}", time.monotonic() + 20
    while True:
        with suppress(URLError), urlopen(f"{address}/healthz"):
            return address
        assert time.monotonic() < end
        time.sleep(0.05)


def in_sight(page: Page) -> bool:
    """Whether the first mark is within the window."""
    return bool(
        page.evaluate("(({top, bottom}) => top > 0 && bottom < innerHeight)(document.querySelector('#passage').getBoundingClientRect())")
    )


def drawn(page: Page) -> None:
    page.wait_for_function("() => document.querySelector('.sheet img').naturalWidth > 0")


def test_a_link_leads_to_the_passage_marked_on_its_page(visit: Visit) -> None:
    page = visit(ASKED, language="de")
    page.get_by_role("link", name="Seite 1").first.click()
    drawn(page)
    assert in_sight(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_pages_that_were_read_are_there_without_a_network(visit: Visit) -> None:
    page = visit("/", language="de")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(ASKED)
    link = page.get_by_role("link", name="Seite 1").first
    kept = "async (address) => Boolean(await caches.match(address, {ignoreVary: true}))"
    for address in (link.get_attribute("data-sheet"), (link.get_attribute("href") or "").partition("#")[0]):
        page.wait_for_function(kept, arg=address)
    page.context.set_offline(True)
    link.click()
    drawn(page)
    assert in_sight(page)


def test_the_page_itself_is_shown_when_it_is_asked_for(visit: Visit) -> None:
    page = visit(ASKED, language="de")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("link", name="Seite 1").first.click()
    drawn(page)
    assert not [url for url in asked if ".mjs" in url]
    page.get_by_role("button", name="Schärfer").click()
    page.wait_for_function("() => document.querySelector('.sheet canvas')")
    assert page.locator(".words span").first.text_content() == "FLUG"
    assert page.locator("#passage").count() == 1
