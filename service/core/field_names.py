"""What a caller may have meant by a name that a call does not take: of an argument, a parameter or
the field of a body.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rapidfuzz import fuzz, process

from service.core.i18n import N_, TranslatableText

_NEAR = 60  # of 100: how alike two names have to be
_LONGEST = 100  # characters of a foreign name that are looked at and repeated
_KINDS = {"parameter": N_("parameter"), "field": N_("field"), "argument": N_("argument")}
_NONE = {
    "parameter": N_("This call takes no parameters."),
    "field": N_("This call takes no fields."),
    "argument": N_("This call takes no arguments."),
}
_UNKNOWN = N_("There is no %(kind)s %(name)s here. Known: %(known)s.")
_MEANT = N_("There is no %(kind)s %(name)s here. Known: %(known)s. Did you mean %(meant)s?")
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


def unknown_name(
    kind: str, name: str, known: Sequence[str], needed: Collection[str] = ()
) -> TranslatableText:
    """Say that a call takes no ``kind`` of thing called ``name``, what it takes, and which of that
    is meant.

    ``kind`` is "parameter", "field" or "argument"; ``needed`` are the names without which the call
    cannot do and that are missing.
    """
    if not known:
        return TranslatableText(_NONE[kind])
    meant = meant_name(name, known, needed)
    values = {
        "kind": TranslatableText(_KINDS[kind]),
        "name": repr(name[:_LONGEST]),
        "known": ", ".join(known),
        "meant": meant,
    }
    return TranslatableText(_MEANT if meant else _UNKNOWN, values)


def meant_name(name: str, known: Sequence[str], needed: Collection[str] = ()) -> str | None:
    """Return which of the ``known`` names is meant by ``name``, None where it is like none of them.

    One that other interfaces use in the same sense comes first, then one written much alike, then
    the only one that is ``needed``.
    """
    name = name[:_LONGEST].lower().replace("-", "_")
    for synonyms in _SYNONYMS:
        if name in synonyms and (meant := next((each for each in known if each in synonyms), None)):
            return meant
    if near := process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=_NEAR):
        return str(near[0])
    return next(iter(needed)) if len(needed) == 1 else None
