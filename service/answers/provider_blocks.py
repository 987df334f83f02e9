"""Passages in the forms in which providers of language models take search results, so that their
models cite them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from service.schemas.grounding import Provider


class SearchPassage(NamedTuple):
    """A passage as a search result: its ``words`` as displayed, with remarks ``before`` and
    ``after`` them, which are no part of it.
    """

    marker: str
    address: str
    label: str
    words: str
    before: str
    after: str


def provider_blocks(provider: Provider, passages: Sequence[SearchPassage]) -> list[dict[str, Any]]:
    """Return ``passages``, the best first, as content blocks of a message (Anthropic), or as the
    results of a file search (OpenAI).
    """
    if provider == "anthropic":
        return [_search_result(each) for each in passages]
    return [_file_result(each, 1 / rank) for rank, each in enumerate(passages, 1)]


def _search_result(passage: SearchPassage) -> dict[str, Any]:
    texts = filter(None, (passage.before, passage.words, passage.after))
    return {
        "type": "search_result",
        "source": passage.address,
        "title": passage.label,
        "content": [{"type": "text", "text": text} for text in texts],
        "citations": {"enabled": True},
    }


def _file_result(passage: SearchPassage, score: float) -> dict[str, Any]:
    texts = filter(None, (passage.before, passage.words, passage.after))
    return {
        "file_id": passage.marker,
        "filename": passage.label,
        "score": round(score, 4),
        "text": "\n".join(texts),
        "attributes": {"url": passage.address},
    }
