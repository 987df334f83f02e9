"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.web.pages import (
    about,
    ask,
    cards,
    compare,
    device,
    documents,
    review,
    rulebooks,
    rulings,
    screen,
)
from service.web.pages.layout import pages

__all__ = [
    "about", "ask", "cards", "compare", "device", "documents", "pages", "review", "rulebooks",
    "rulings", "screen",
]  # fmt: skip
