"""Test the pages in Chromium: a server over the sample rulebooks, and visitors with any screen,
language and preferences.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from index.building.snapshots import Snapshots
from index.model import Query
from service.core.jobs.queue import IDLE, NICE, JobQueue
from service.ops.indexes import IndexManager
from service.ops.settings import Locations, Settings
from service.web.app import create_app
from tests.browser.flags import FLAGS
from tests.conftest import SAMPLE
from tests.service.serving import answering, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

    Visit = Callable[..., Page]

# Helper processes have the lowest priority, so a comparison of the sample can take longer on a busy
# machine.
JOBS = 600.0  # seconds
PATIENCE = 60_000  # milliseconds: tests share their processors with others
LOCALES = {"de": "de-AT", "it": "it-IT", "en": "en-GB"}


@pytest.fixture(scope="session", autouse=True)
def _patient_jobs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobQueue.__init__, "__defaults__", (JOBS, IDLE, NICE))
        yield


@pytest.fixture(scope="session")
def server(sample_snapshots: Snapshots) -> str:
    """Return the address of a server over the sample; its thread ends with the tests."""
    indexes = IndexManager(Locations(SAMPLE, sample_snapshots.folder, is_sample=True))
    indexes.load().search(
        Query("Wann steigt der Pegel?")
    )  # loads everything that is loaded on first use
    settings = Settings(port=free_port(), rate_limit="none")
    return answering(create_app(indexes, settings), settings)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, started once."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
    )
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


class Watch:
    """Records forbidden behaviour of pages: requests to another host, script errors, violations of
    their security policy.
    """

    def __init__(self, server: str, context: BrowserContext) -> None:
        self.host = urlsplit(server).netloc
        self.wrong: list[str] = []
        context.on("request", lambda request: self._address(request.url))
        context.on("weberror", lambda error: self.wrong.append(f"script: {error.error}"))
        context.on("console", self._said)

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.wrong.append(f"another host: {url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.wrong.append(message.text)


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Visit]:
    """Return a function that opens the page of a new visitor: ``visit("/", width=360, height=640,
    scheme="dark", language="it", script=False)``.
    """
    watched: list[tuple[BrowserContext, Watch]] = []

    def make(
        address: str = "/",
        width: int = 1440,
        height: int = 900,
        scheme: str = "light",
        language: str = "de",
        script: bool = True,
        workers: bool = True,
        touch: bool = False,
    ) -> Page:
        context = browser.new_context(
            base_url=server,
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]
            locale=LOCALES[language],
            java_script_enabled=script,
            has_touch=touch,
            is_mobile=touch,
            reduced_motion="reduce",
            service_workers="allow"
            if workers
            else "block",  # page.route does not see requests that a service worker handles
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(PATIENCE)
        watched.append((context, Watch(server, context)))
        page = context.new_page()
        page.goto(address)
        return page

    yield make
    for context, _ in watched:
        context.close()
    assert [fault for _, watch in watched for fault in watch.wrong] == []
