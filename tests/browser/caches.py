"""Wait for what a service worker caches for use without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

# The loop runs within the page, because `wait_for_function` takes the promise of an asynchronous
# function for true.
_CACHED = """async (address) => {
    const end = Date.now() + 120_000;
    while (!(await caches.match(address, { ignoreVary: true }))) {
        if (Date.now() > end) throw new Error(`${address} is not kept`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}"""


def wait_until_cached(page: Page, *addresses: str) -> None:
    """Wait until all ``addresses`` are available offline. Raises an error of Playwright after two
    minutes.
    """
    for address in addresses:
        page.evaluate(_CACHED, address)
