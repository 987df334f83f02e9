"""Run the pages' search in offline packs in Chromium, for tests and for the benchmark."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service.ops.settings import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

STATIC = ROOT / "service" / "web" / "static"
_HOST = "http://127.0.0.1:9"  # nothing listens there: every request is intercepted

_OPEN = """async (game) => {
  const {openPack} = await import("/static/offline-search.js");
  const {readPack} = await import("/static/offline-packs.js");
  const file = await (await fetch(`/packs/${game}`)).blob();
  const start = performance.now();
  (window.searches ??= {})[game] = openPack(await readPack(file));
  return performance.now() - start;
}"""

_ASK = """({game, asked}) => asked.map((each) => {
  const start = performance.now();
  const passages = window.searches[game](each);
  return {passages, milliseconds: performance.now() - start};
})"""


class OfflineEngine:
    """Searches ``packs``, by game, in a page of ``browser``; each is opened on first use.

    ``sizes`` has the bytes loaded for each pack, ``opened`` the milliseconds to open it.
    """

    def __init__(self, browser: Browser, packs: Mapping[str, Mapping[str, Any]]):
        self._files = {
            game: gzip.compress(json.dumps(pack, ensure_ascii=False).encode())
            for game, pack in packs.items()
        }
        self.sizes = {game: len(file) for game, file in self._files.items()}
        self.opened: dict[str, float] = {}
        self._context = browser.new_context()
        self.page = self._context.new_page()
        self.page.route("**/*", self._serve)
        self.page.goto(f"{_HOST}/")
        self._devtools = self._context.new_cdp_session(self.page)

    def ask(self, game: str, asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return for each question about ``game`` the ``passages`` found and the ``milliseconds``
        taken.
        """
        if game not in self.opened:
            self.opened[game] = self.page.evaluate(_OPEN, game)
        found: list[dict[str, Any]] = self.page.evaluate(_ASK, {"game": game, "asked": list(asked)})
        return found

    def close(self) -> None:
        """Close the page."""
        self._context.close()

    def _serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(_HOST)
        if path == "/":
            route.fulfill(content_type="text/html", body="<!doctype html><title>engine</title>")
        elif path.startswith("/static/"):
            route.fulfill(
                content_type="text/javascript",
                body=(STATIC / path.removeprefix("/static/")).read_bytes(),
            )
        else:
            route.fulfill(
                content_type="application/gzip", body=self._files[path.removeprefix("/packs/")]
            )
