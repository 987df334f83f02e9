"""The HTTP interface for programs, version 1: what the contract names, as JSON, each call with its shapes."""

from service.api import admin, ask, editing, entries, grounding, watch
from service.api.blueprints import api, health

__all__ = ["admin", "api", "ask", "editing", "entries", "grounding", "health", "watch"]
