"""Version 1 of the HTTP API: calls that take and return JSON, described by models."""

from service.web.api import ask, comparisons, entries, status
from service.web.api.blueprints import api, health

__all__ = ["api", "ask", "comparisons", "entries", "health", "status"]
