"""The blueprints that the calls are registered on: version 1 of the API, and what watches over the service."""

from __future__ import annotations

from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

ASK = Tag(name="Ask", description="Put a question, get the passages that settle it, word for word.")
READ = Tag(name="Read", description="Editions, entries, cards, and names while one types.")
COMPARE = Tag(name="Compare", description="Editions side by side, terms, new versions.")
GROUND = Tag(name="Ground", description="Passages for a language model's prompt, and a check of what it quotes.")
RUN = Tag(name="Run", description="Health, readiness, metrics, and which index serves.")


def _name(*, name: str, path: str, method: str) -> str:
    """Operations are called as their functions: a client generated from the description has readable names."""
    return name


api = APIBlueprint("api", __name__, url_prefix="/v1", operation_id_callback=_name)
health = APIBlueprint("health", __name__, operation_id_callback=_name)
