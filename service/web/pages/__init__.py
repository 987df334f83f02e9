"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.web.pages import (
    about,
    ask,
    browse,
    cards,
    compare,
    compare_cards,
    documents,
    entry,
    feedback,
    offline,
    preferences,
    review,
    state,
    terms,
)
from service.web.pages.layout import pages

__all__ = [
    "about", "ask", "browse", "cards", "compare", "compare_cards", "documents", "entry", "feedback", "offline", "pages", "preferences",
    "review", "state", "terms",
]  # fmt: skip
