"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.web.pages import (
    about,
    ask,
    browse,
    cards,
    compare,
    compare_cards,
    compare_reviews,
    documents,
    embed,
    entry,
    feedback,
    house_ruling,
    keys,
    memory,
    offline,
    preferences,
    review,
    rulings,
    screen,
    sheet,
    state,
    terms,
    timing,
)
from service.web.pages.layout import pages

__all__ = [
    "about", "ask", "browse", "cards", "compare", "compare_cards", "compare_reviews", "documents", "embed", "entry", "feedback",
    "house_ruling", "keys", "memory",
    "offline", "pages", "preferences", "review", "rulings", "screen", "sheet", "state", "terms",
    "timing",
]  # fmt: skip
