"""The engine of the pages that answers from packs, run in Chromium: for tests and for the bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from index.offline.pack import Pack
from service.ops.settings import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

STATIC = ROOT / "service" / "web" / "static"
_HOST = "http://127.0.0.1:9"  # nothing listens there: every request is answered here

_OPEN = """async ({game, manifest}) => {
  const {openPack} = await import("/static/offline-engine.js");
  const load = async ({sha256}) => (await fetch(`/fragments/${sha256}`)).arrayBuffer();
  const start = performance.now();
  const engine = await openPack(manifest, load);
  (window.engines ??= {})[game] = engine;
  const opened = performance.now() - start;
  while (!engine.warm(1000));
  return {opened, warmed: performance.now() - start - opened};
}"""

_ASK = """async ({game, asked}) => asked.map((each) => {
  const start = performance.now();
  const answer = window.engines[game].ask(each);
  return {answer, milliseconds: performance.now() - start};
})"""


class Timed(NamedTuple):
    """An answer of the engine, and the milliseconds that it took."""

    answer: dict[str, Any]
    milliseconds: float


class OfflineEngine:
    """The engine in a page of ``browser`` with ``packs`` by game, each opened when it is first asked."""

    def __init__(self, browser: Browser, packs: Mapping[str, Pack]):
        self._packs = packs
        self._context = browser.new_context()
        self._page = self._context.new_page()
        self._page.route("**/*", self._serve)
        self._page.goto(f"{_HOST}/")
        self._devtools = self._context.new_cdp_session(self._page)
        self._opened: set[str] = set()

    def ask(self, game: str, asked: Sequence[Mapping[str, Any]]) -> list[Timed]:
        """The answers to questions about ``game``, each given as the engine wants it."""
        if game not in self._opened:
            self._page.evaluate(_OPEN, {"game": game, "manifest": self._packs[game].manifest})
            self._opened.add(game)
        return [Timed(**each) for each in self._page.evaluate(_ASK, {"game": game, "asked": list(asked)})]

    def slow_down(self, times: float) -> None:
        """Have the page think its processor is so many times slower."""
        self._devtools.send("Emulation.setCPUThrottlingRate", {"rate": times})

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def _serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(_HOST)
        if path == "/":
            route.fulfill(content_type="text/html", body="<!doctype html><title>engine</title>")
        elif path.startswith("/static/"):
            route.fulfill(content_type="text/javascript", body=(STATIC / path.removeprefix("/static/")).read_bytes())
        else:
            digest = path.removeprefix("/fragments/")
            route.fulfill(body=next(pack.fragments[digest] for pack in self._packs.values() if digest in pack.fragments))
