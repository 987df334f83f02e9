"""Passages for a language model's prompt: within a budget of tokens, no words twice, each under a marker that stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Passage
from index.library.library import Library
from index.model import Hit, SearchResult
from service.answers.answer import answer_head, citation_out
from service.answers.citations import citation_label
from service.answers.markers import MarkerTable, marker_table
from service.answers.verify.tokens import tokens
from service.core.snapshot import Snapshot
from service.schemas.context import ContextOut, ContextPassageOut
from service.schemas.limits import USUAL_BUDGET

_INSTRUCTIONS = (
    "Answer from these passages of the rulebook alone. Quote word for word in quotation marks and put the marker of the passage behind "
    "each quotation. Show with […] what you leave out of one. Where no passage settles the question, say so."
)
_NOTHING = "No passage of the rulebook is at hand. Do not answer from memory; say that the rulebook could not be quoted."
_UNSETTLED = "The rulebook does not settle this question. The passages are the nearest, none of them is an answer."
_FALLBACK = "What holds then, by the game's own rule:"


@dataclass
class _ContextCandidate:
    """A passage that may be taken, and the other passages whose words it contains, the best first."""

    hit: Hit
    contained: list[Passage]


def estimate_tokens(text: str) -> int:
    """Return how many tokens ``text`` has at most, as an estimate: one for every 2.5 bytes in UTF-8, rounded up.

    No model's own tokenizer is asked, since each has another. A small English one (30,000 word pieces) makes a token of
    2.6 to 3.0 bytes of German and Italian rules, and so no more than this estimate; larger vocabularies make fewer.
    """
    return -(-2 * len(text.encode("utf-8", "surrogatepass")) // 5)


def context_out(snapshot: Snapshot, result: SearchResult, budget: int = USUAL_BUDGET) -> ContextOut:
    """Return the best passages of ``result`` whose prompt has at most ``budget`` tokens, ready to be put before a question.

    No passage is cut. One that does not fit is left out and counted in ``left_out``, and a shorter one behind it may be
    taken. Words that are printed in several places, or within another passage, are taken once; ``also`` says where else.
    Where nothing fits, or nothing was found, there are no passages, and the prompt tells the model not to answer.
    """
    library, table = snapshot.library, marker_table(snapshot)
    fallback = result.fallback if not result.answered else None
    head = [_INSTRUCTIONS] if result.answered else [_INSTRUCTIONS, _UNSETTLED]
    if fallback:
        head.append(f"{_FALLBACK}\n{_prompt_block(library, table, fallback)}")
    prompt = "\n\n".join(head)
    if estimate_tokens(prompt) > budget:
        fallback, prompt = None, head[0]
    candidates = list(_without_repetitions(result.hits, fallback))
    taken: list[_ContextCandidate] = []
    for candidate in candidates:
        longer = f"{prompt}\n\n{_prompt_block(library, table, candidate.hit.passage)}"
        if estimate_tokens(longer) <= budget:
            prompt, taken = longer, [*taken, candidate]
    if not taken and not fallback:
        prompt = _NOTHING
    return ContextOut(
        **answer_head(snapshot, result),
        budget=budget,
        tokens=estimate_tokens(prompt),
        passages=[
            _passage_out(library, table, each.hit.passage, each.hit.highlights, (*each.hit.duplicates, *each.contained)) for each in taken
        ],
        left_out=len(candidates) - len(taken),
        fallback=_passage_out(library, table, fallback) if fallback else None,
        prompt=prompt,
    )


def _without_repetitions(hits: Sequence[Hit], fallback: Passage | None) -> Iterator[_ContextCandidate]:
    """Yield the hits in order without those whose words another one, or the ``fallback``, has.

    A longer passage that contains a better one takes its rank.
    """
    found: list[tuple[str, _ContextCandidate]] = [(_words(fallback), _ContextCandidate(Hit(fallback, 0.0, ()), []))] if fallback else []
    for hit in hits:
        words = _words(hit.passage)
        for place, (other_words, other) in enumerate(found):
            if words in other_words:
                other.contained.append(hit.passage)
                break
            if other_words in words and other.hit.passage is not fallback:
                found[place] = (words, _ContextCandidate(hit, [other.hit.passage, *other.hit.duplicates, *other.contained]))
                break
        else:
            found.append((words, _ContextCandidate(hit, [])))
    return (candidate for _, candidate in found if candidate.hit.passage is not fallback)


def _words(passage: Passage) -> str:
    """Return the words and signs of ``passage`` in a form that one passage can be found in another by, however they are set."""
    return f" {' '.join(token.text for token in tokens(passage.display))} "


def _prompt_block(library: Library, table: MarkerTable, passage: Passage) -> str:
    """Return ``passage`` as the prompt has it: marker and label, then the words as a block quote."""
    quoted = "\n".join(f"> {line}" for line in passage.display.splitlines())
    return f"[{table.marker_of(passage)}] {citation_label(library, passage)}\n{quoted}"


def _passage_out(
    library: Library,
    table: MarkerTable,
    passage: Passage,
    highlights: Sequence[tuple[int, int]] = (),
    also: Sequence[Passage] = (),
) -> ContextPassageOut:
    return ContextPassageOut(
        marker=table.marker_of(passage),
        text=passage.text,
        display=passage.display,
        tokens=estimate_tokens(_prompt_block(library, table, passage)),
        highlights=[(start, end) for start, end in highlights],
        citation=citation_out(library, passage),
        also=[citation_out(library, other) for other in also],
    )
