"""The HTTP interface for programs, version 1: what the contract names, as JSON, each call with its shapes."""

from service.web.api import (
    admin,
    ask,
    cards,
    comparisons,
    documents,
    entries,
    exports,
    feedback,
    grounding,
    sheets,
    status,
    timing,
)
from service.web.api.blueprints import api, health

__all__ = [
    "admin",
    "api",
    "ask",
    "cards",
    "comparisons",
    "documents",
    "entries",
    "exports",
    "feedback",
    "grounding",
    "health",
    "sheets",
    "status",
    "timing",
]
