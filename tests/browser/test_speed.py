from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)

from tests.browser.addresses import PAGES, WACHT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Visit = Callable[..., Page]

# A slow or busy machine slows all down, so each time is compared with one of something small that
# the same browser does at the same time; the best of some, since others disturb now and then.
TRIES = 5
PAINTED = 6  # times as long as to a few lines of plain text; 2 are usual
TYPED = 2  # times as long as what a page could do at least; equal is usual

LARGEST = """() => new Promise((resolve) => {
  const watch = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
  watch.observe({type: "largest-contentful-paint", buffered: true});
})"""
PLAIN = "/static/minisearch-LICENSE.txt"

# From a letter typed to what is shown for it, without the time between request and response.
MEASURE = """(shown) => {
  window.added = new Promise((resolve) => {
    addEventListener("input", () => {
      const typed = performance.now();
      new MutationObserver((_, observer) => {
        if (!document.querySelector(shown)) return;
        observer.disconnect();
        const now = performance.now();
        const asked = performance.getEntriesByType("resource").filter((e) => e.name.includes("/v1/suggest")).at(-1);
        resolve(now - typed - (asked.responseEnd - asked.startTime));
      }).observe(document.body, {childList: true, subtree: true});
    }, {once: true, capture: true});
  });
}"""

# A field that waits as long for the next letter, asks, and shows a line of what it is told.
LEAST = """(address) => {
  const field = document.createElement("input");
  field.setAttribute("aria-label", "Least");
  field.addEventListener("input", () => {
    document.querySelector("#least")?.remove();
    if (field.value) setTimeout(async () => {
      const line = document.createElement("p");
      line.id = "least";
      line.textContent = (await (await fetch(address)).json()).suggestions[0].title;
      document.body.append(line);
    }, 30);
  });
  document.body.append(field);
}"""


@pytest.mark.parametrize("name", ["start", "answer"])
def test_the_largest_paint_comes_early(visit, name):
    visit(PAGES[name])  # warms the index

    def painted(address):
        page = visit(address, 360, 640)
        seconds = page.evaluate(LARGEST)
        page.context.close()
        return seconds

    times = [(painted(PLAIN), painted(PAGES[name])) for _ in range(TRIES)]
    plain, page = map(min, zip(*times, strict=True))
    assert page < PAINTED * plain, times


def test_suggestions_are_there_at_once(visit):
    page = visit(f"/?edition={WACHT}", language="en")
    page.evaluate(LEAST, f"/v1/suggest?q=a&edition={WACHT}")

    def added(label, shown):
        field = page.get_by_label(label, exact=True)
        field.fill("")
        page.evaluate(MEASURE, shown)
        field.press("a")
        milliseconds = page.evaluate("window.added")
        field.press("Escape")
        return milliseconds

    times = [
        (added("Least", "#least"), added("Your question", "[role=listbox] [role=option]"))
        for _ in range(TRIES)
    ]
    least, shown = map(min, zip(*times, strict=True))
    assert shown < TYPED * least, times
