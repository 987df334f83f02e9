"""The HTTP interface for programs, version 1: what the contract names, as JSON, each call with its
shapes.
"""

from service.web.api import ask, cards, comparisons, entries, exports, status
from service.web.api.blueprints import api, health

__all__ = ["api", "ask", "cards", "comparisons", "entries", "exports", "health", "status"]
