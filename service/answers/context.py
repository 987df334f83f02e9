"""Passages for a language model's prompt: within a budget of tokens, no words twice, each under a marker that stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Passage
from index.library.library import Library
from index.model import Found, Hit
from service.answers.answer import Json, citation_json, judgement_json, label
from service.answers.markers import Markers, markers
from service.answers.verify.tokens import tokens as words_of
from service.core.snapshot import Snapshot
from service.schemas.limits import USUAL_BUDGET

_INSTRUCTIONS = (
    "Answer from these passages of the rulebook alone. Quote word for word in quotation marks and put the marker of the passage behind "
    "each quotation. Show with […] what you leave out of one. Where no passage settles the question, say so."
)
_NOTHING = "No passage of the rulebook is at hand. Do not answer from memory; say that the rulebook could not be quoted."
_UNSETTLED = "The rulebook does not settle this question. The passages are the nearest, none of them is an answer."
_FALLBACK = "What holds then, by the game's own rule:"


@dataclass
class _Chosen:
    """A passage that could be taken, and the others whose words it has, the best first."""

    hit: Hit
    holds: list[Passage]


def tokens(text: str) -> int:
    """How many tokens ``text`` has at most, as an estimate: one for every 2.5 bytes in UTF-8, rounded up.

    No model's own tokenizer is asked, since each has another. A small English one (30,000 word pieces) makes a token of
    2.6 to 3.0 bytes of German and Italian rules, and so at most as many as said here; larger vocabularies make fewer.
    """
    return -(-2 * len(text.encode("utf-8", "surrogatepass")) // 5)


def context(snapshot: Snapshot, found: Found, budget: int = USUAL_BUDGET) -> Json:
    """The best passages of ``found`` whose prompt has at most ``budget`` `tokens`, ready to be put before a question.

    No passage is cut. One that does not fit is left out and counted in ``left_out``, and a shorter one behind it may be
    taken. Words that are printed in several places, or within another passage, are taken once; ``also`` says where else.
    Where nothing fits, or nothing was found, there are no passages, and the prompt tells the model not to answer.
    """
    library, known = snapshot.library, markers(snapshot)
    fallback = found.fallback if not found.answered else None
    head = [_INSTRUCTIONS] if found.answered else [_INSTRUCTIONS, _UNSETTLED]
    if fallback:
        head.append(f"{_FALLBACK}\n{_block(library, known, fallback)}")
    prompt = "\n\n".join(head)
    taken: list[_Chosen] = []
    if tokens(prompt) > budget:
        fallback, prompt = None, head[0]
    chosen = list(_distinct(found.hits, fallback))
    for each in chosen:
        longer = f"{prompt}\n\n{_block(library, known, each.hit.passage)}"
        if tokens(longer) <= budget:
            prompt, taken = longer, [*taken, each]
    if not taken and not fallback:
        prompt = _NOTHING
    return {
        **judgement_json(snapshot, found),
        "budget": budget,
        "tokens": tokens(prompt),
        "passages": [_passage(library, known, each.hit.passage, each.hit.highlights, (*each.hit.also, *each.holds)) for each in taken],
        "left_out": len(chosen) - len(taken),
        "fallback": _passage(library, known, fallback) if fallback else None,
        "prompt": prompt,
    }


def _distinct(hits: Sequence[Hit], fallback: Passage | None) -> Iterator[_Chosen]:
    """The hits in order, without those whose words another one, or the ``fallback``, has; a longer one takes the better rank."""
    found: list[tuple[str, _Chosen]] = [(_words(fallback), _Chosen(Hit(fallback, 0.0, ()), []))] if fallback else []
    for hit in hits:
        said = _words(hit.passage)
        for place, (other, chosen) in enumerate(found):
            if said in other:
                chosen.holds.append(hit.passage)
                break
            if other in said and chosen.hit.passage is not fallback:
                found[place] = (said, _Chosen(hit, [chosen.hit.passage, *chosen.hit.also, *chosen.holds]))
                break
        else:
            found.append((said, _Chosen(hit, [])))
    return (chosen for _, chosen in found if chosen.hit.passage is not fallback)


def _words(passage: Passage) -> str:
    """What a passage says, however it is set: its words and signs in a form that one passage can be found in another by."""
    return f" {' '.join(token.text for token in words_of(passage.display))} "


def _block(library: Library, known: Markers, passage: Passage) -> str:
    quoted = "\n".join(f"> {line}" for line in passage.display.splitlines())
    return f"[{known.of(passage)}] {label(library, passage)}\n{quoted}"


def _passage(
    library: Library, known: Markers, passage: Passage, highlights: Sequence[tuple[int, int]] = (), also: Sequence[Passage] = ()
) -> Json:
    return {
        "marker": known.of(passage),
        "text": passage.text,
        "display": passage.display,
        "tokens": tokens(_block(library, known, passage)),
        "highlights": [[a, b] for a, b in highlights],
        "citation": citation_json(library, passage),
        "also": [citation_json(library, other) for other in also],
    }
