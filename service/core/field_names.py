"""What a caller may have meant by a name that a call does not take: of an argument, a parameter or the field of a body."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rapidfuzz import fuzz, process

_NEAR = 60  # of 100: how alike two names have to be
_LONGEST = 100  # characters of a foreign name that are looked at and repeated
# What this and other interfaces call the same.
_SYNONYMS = (
    frozenset({"q", "question", "query", "prompt", "input"}),
    frozenset({"text", "content", "answer"}),
    frozenset({"budget", "max_tokens", "token_limit", "token_budget", "tokens"}),
    frozenset({"k", "count", "limit", "n", "top_k", "max_results"}),
    frozenset({"entry", "id", "entry_id"}),
    frozenset({"edition", "edition_id", "rulebook"}),
    frozenset({"language", "lang", "locale"}),
)


def unknown_name(kind: str, name: str, known: Sequence[str], needed: Collection[str] = ()) -> str:
    """Say that a call takes no ``kind`` of thing called ``name``, what it takes, and which of that is meant.

    ``kind`` is "parameter", "field" or "argument"; ``needed`` are the names without which the call cannot do and that are missing.
    """
    if not known:
        return f"This call takes no {kind}s."
    meant = meant_name(name, known, needed)
    return f"There is no {kind} {name[:_LONGEST]!r} here. Known: {', '.join(known)}." + (f" Did you mean {meant}?" if meant else "")


def meant_name(name: str, known: Sequence[str], needed: Collection[str] = ()) -> str | None:
    """Return which of the ``known`` names is meant by ``name``, None where it is like none of them.

    One that other interfaces use in the same sense comes first, then one written much alike, then the only one that is ``needed``.
    """
    name = name[:_LONGEST].lower().replace("-", "_")
    for synonyms in _SYNONYMS:
        if name in synonyms and (meant := next((each for each in known if each in synonyms), None)):
            return meant
    if near := process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=_NEAR):
        return str(near[0])
    return next(iter(needed)) if len(needed) == 1 else None
