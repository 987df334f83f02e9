"""The small answer for bots and assistants: only the fields that they show; callers can add groups
of other fields of `AnswerOut`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from corpus.display import display
from corpus.model import Role
from index.model import CardTextHit, Hit, RulingHit, SearchResult
from service.answers.answer import page_of, shown_confidence
from service.answers.below import is_comparison, read_with, shown_of, shown_text
from service.answers.chat_messages import CitedPassages
from service.answers.notes import notes_out
from service.answers.sources import marker_table
from service.core.displayed import display_spans, repaired_display, telling_spans
from service.core.snapshot import Snapshot
from service.schemas.answer import AnswerOut, SmallAnswerOut
from service.schemas.fields import FieldGroup
from service.schemas.passage import SmallPassageOut

# The fields of `AnswerOut` and of its passages by group. `answered` and `settled`, which repeat
# `verdict`, are in no group but `FieldGroup.ALL`.
_OF_ANSWER = {
    FieldGroup.EVIDENCE: {"question", "index"},
    FieldGroup.LINKS: {"next_offset"},
    FieldGroup.CONTEXT: {
        *("fallback", "reading", "parts", "assisted", "as_of", "context", "step", "elsewhere"),
    },
}
_LINKS = {"see_also", "also", "sequence", "points_to"}
_CONTEXT = {"context", "repaired", "applies_to"}


# Most bytes of an answer of three passages with the text after the first one: 700 tokens
# (`tests/service/test_small_answer.py`); and bytes that any answer has for that text.
_MOST_BYTES, _LEAST_BYTES = 2_380, 800


def small_answer_out(
    snapshot: Snapshot, result: SearchResult, base: str | None, alone: bool = False
) -> SmallAnswerOut:
    """Return ``result`` as a small answer; links begin with ``base``, or are paths without it.

    ``alone``: no other fields of passages are requested, so passages that the first one already
    shows in ``after`` are left out.
    """
    cited = CitedPassages(snapshot.library, result, base or "")
    fallback = result.fallback if not result.answered else None
    hits = [each.hit for each in page_of(result)]
    passages = [small_passage_out(snapshot, cited, hit) for hit in hits]
    if is_comparison(result):
        for place, hit in enumerate(hits[: len(result.parts)]):
            below, most = read_with(snapshot.library, result, hit.passage, _LEAST_BYTES // 2)
            after = shown_text(below, shown_of(below, most)) or None
            passages[place] = passages[place].model_copy(update={"after": after})
    elif hits and cited.is_printed(hits[0].passage):
        announced, most = read_with(snapshot.library, result, hits[0].passage)
        places = {each.id: n for n, each in enumerate(announced)}
        # A hit is left out if more than this number of announced passages are shown.
        ranked = [places.get(hit.passage.id, len(announced)) for hit in hits]
        others = sum(
            len(each.to_json().encode())
            for each, place in zip(passages[:3], ranked, strict=False)
            if place == len(announced)
        )
        shown = shown_of(announced, min(most, max(_MOST_BYTES - others, _LEAST_BYTES)))
        if announced:
            after = shown_text(announced, shown)
            passages[0] = passages[0].model_copy(update={"after": after})
        if alone:
            passages = [
                each for each, place in zip(passages, ranked, strict=True) if place >= len(shown)
            ]
    return SmallAnswerOut(
        verdict=result.settled,
        confidence=shown_confidence(result.confidence),
        language=result.language,
        notes=notes_out(snapshot.library, result),
        passages=passages,
        fallback=small_passage_out(snapshot, cited, Hit(fallback, 0.0, ())) if fallback else None,
    )


def small_passage_out(snapshot: Snapshot, cited: CitedPassages, hit: Hit) -> SmallPassageOut:
    """Return ``hit``, of any layer, as a passage of a small answer."""
    passage, printed = hit.passage, cited.is_printed(hit.passage)
    special = snapshot.library.format_of(passage) if printed else None
    before = display(passage.announced)
    layer = "rulebook"
    if isinstance(hit, CardTextHit):
        layer = "card"
    elif isinstance(hit, RulingHit):
        layer, before = "ruling", hit.ruling.asked.text if hit.ruling.asked else ""
    marks = telling_spans(passage.display, display_spans(passage, hit.highlights))
    return SmallPassageOut(
        label=cited.label(passage),
        url=cited.address(passage) or "",
        display=passage.display,
        marked=_marked(passage.display, marks) if marks else None,
        marks=[[start, end] for start, end in marks],
        layer=layer,
        language=cited.language(passage),
        marker=marker_table(snapshot).marker_of(passage),
        before=before or None,
        only_in=special.name if special else None,
        repaired=repaired_display(snapshot.library, passage) if printed else None,
        superseded=passage.role is Role.VOID,
    )


def _marked(text: str, spans: Collection[tuple[int, int]]) -> str:
    """Return ``text`` with its ``spans`` in ``<mark>`` tags."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], "<mark>", text[start:end], "</mark>"]
        last = end
    return "".join([*parts, text[last:]])


def with_fields(
    small: SmallAnswerOut, whole: AnswerOut, groups: Collection[FieldGroup]
) -> dict[str, Any]:
    """Return the JSON object of ``small`` with the fields of ``groups`` from ``whole``, the full
    form of the same answer; `FieldGroup.ALL` includes all groups.
    """
    everything = FieldGroup.ALL in groups
    answer, more = small.model_dump(mode="json"), whole.model_dump(mode="json")
    passages = [
        {**shown, **_of_groups(passage, groups)}
        for shown, passage in zip(answer["passages"], more["passages"], strict=True)
    ]
    if fallback := more["fallback"]:
        more["fallback"] = {**answer.pop("fallback"), **_of_groups(fallback, groups)}
    named = set(more) if everything else {n for each in groups for n in _OF_ANSWER.get(each, ())}
    return {**answer, **{n: v for n, v in more.items() if n in named}, "passages": passages}


def _of_groups(passage: Mapping[str, Any], groups: Collection[FieldGroup]) -> dict[str, Any]:
    def group(name: str) -> FieldGroup:
        if name in _LINKS:
            return FieldGroup.LINKS
        return FieldGroup.CONTEXT if name in _CONTEXT else FieldGroup.EVIDENCE

    return {
        name: value
        for name, value in passage.items()
        if FieldGroup.ALL in groups or group(name) in groups
    }
