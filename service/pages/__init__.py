"""The pages for people, in the language of the browser; asking and reading work without script."""

from service.pages import ask, entry
from service.pages.layout import pages

__all__ = ["ask", "entry", "pages"]
