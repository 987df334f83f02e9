"""The HTTP interface for programs, version 1: what the contract names, as JSON, each call with its shapes."""

from service.api import ask, editing, entries, watch
from service.api.blueprints import api, health

__all__ = ["api", "ask", "editing", "entries", "health", "watch"]
