"""The HTTP interface for programs, version 1, as JSON, each call with its models."""

from service.web.api import ask, comparisons, entries, status
from service.web.api.blueprints import api, health

__all__ = ["api", "ask", "comparisons", "entries", "health", "status"]
