"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.pages import ask, choices, entry, offline
from service.pages.layout import pages

__all__ = ["ask", "choices", "entry", "offline", "pages"]
