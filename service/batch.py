"""Many questions at once: one response for each, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from index.model import Query
from index.search import Index
from service.answer import answer


def responses(index: Index, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """``{"id": …, "response": <body of POST /v1/ask>}`` for every row with ``id``, ``question`` and optional filters.

    Raises `index.search.NotFound` for an edition, game or document that is not here.
    """
    for row in rows:
        query = Query(
            question=row["question"],
            edition=row.get("edition"),
            game=row.get("game"),
            document=row.get("document"),
            language=row.get("language"),
            k=int(row.get("k") or 10),
        )
        yield {"id": row["id"], "response": answer(index, index.search(query))}
