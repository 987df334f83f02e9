"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.pages import about, ask, browse, cards, choices, compare, entry, offline, state, terms
from service.pages.layout import pages

__all__ = ["about", "ask", "browse", "cards", "choices", "compare", "entry", "offline", "pages", "state", "terms"]
