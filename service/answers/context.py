"""Select passages for a language model's prompt: within a budget of tokens, without repetitions,
each with a permanent marker; also in providers' own formats for search results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from corpus.display import display
from corpus.languages import words_of
from corpus.model import Entry, Passage
from glossary.normalization import fold, stem, tokenize
from glossary.references.printed_numbers import number_key
from index.library.library import Library
from index.library.passage_lookup import forms
from index.model import Hit, SearchResult
from index.ranking.confidence import Settlement
from service.answers.answer import answer_head
from service.answers.chat_messages import CitedPassages
from service.answers.citations import entry_name
from service.answers.notes import notes_out
from service.answers.pointers import pointed_passages
from service.answers.sources import marker_table
from service.answers.verify.text_index import tokens
from service.core.displayed import repaired_display
from service.core.snapshot import Snapshot
from service.schemas.fields import USUAL_BUDGET
from service.schemas.grounding import ContextOut, ContextPassageOut, Provider

_INSTRUCTIONS = (
    "Answer from these passages of the rulebook alone. Quote word for word in quotation marks and "
    "put the marker of the passage behind "
    "each quotation. Show with […] what you leave out of one. Where no passage settles the "
    "question, say so."
)
_SHORT_INSTRUCTIONS = (
    "Answer from these passages alone: quote word for word, marker behind it; say so where none "
    "settles it."
)
_ROOM_FOR_ALL = 700  # budget in tokens from which the instructions are given in full
_AS_OF = "They are what held on"
_NOTHING = (
    "No passage of the rulebook is at hand. Do not answer from memory; say that the rulebook could "
    "not be quoted."
)
_UNSETTLED = (
    "The rulebook may not settle this question. The passages are the nearest; say so where none of "
    "them decides it."
)
_SHORT_UNSETTLED = "The rulebook may not settle this; the nearest:"
_ASKED_FOR = "What was asked for stands first; say so where it does not decide the question."
# For models that cite search results themselves
_CITED_INSTRUCTIONS = (
    "Answer from the search results alone, passages of the rulebook, and quote them word for word. "
    "Where none settles the question, say so."
)
_LIKELY = "One of the first three passages likely settles this question; read whether it does."
_FALLBACK = "What holds where the rulebook settles nothing, by the game's own rule:"
_BEFORE = "printed before"
_RULED_ON = "what was asked"
_FORMAT = "only in the format"
_POINTED = "what is pointed at in"
_MEANT = "with what the document has lost or misread, not to be quoted"
_MOST_POINTED = 2  # most passages that the best one refers to
_TOO_LONG = "The best passage is too long for this budget:"
_ASKED = "Several things are asked:"
_NOT_SETTLED = "not settled"
_ASKED_CHARACTERS = 80  # most characters of each of several questions in the prompt
# Characters of the question that count for the budget: a long question would leave no room
_QUESTION = 200

_TOKEN = re.compile(r"(?P<word>[^\W\d_]+)|(?P<number>\d{1,3})|(?P<sign>[^\w\s]|_)")
_MARGIN = 1.1
_SHORT_WORD = 5  # letters of a word that is one token

ContextSize = Callable[[ContextOut], int]


@dataclass
class _ContextCandidate:
    """A hit that may be quoted, and the passages whose words it contains, the best first."""

    hit: Hit
    contained: list[Passage]


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of ``text``: one per word and per four letters of a
    word after the fifth, 5/3 per number of up to three digits, 2/3 per sign, plus a tenth.

    Every model has its own tokenizer. For 90 prompts of German and Italian rules, OpenAI's o200k
    gives 0.82 to 1.0 times as many tokens; tokenizers with smaller vocabularies give more.
    """
    words, letters, numbers, signs = 0, 0, 0, 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "word":
            words += 1
            letters += max(0, match.end() - match.start() - _SHORT_WORD)
        elif match.lastgroup == "number":
            numbers += 1
        else:
            signs += 1
    return math.ceil(_MARGIN * (words + letters / 4 + numbers * 5 / 3 + signs * 2 / 3))


def prompt_size(context: ContextOut) -> int:
    """Return the tokens of ``context``: its prompt and search results."""
    return context.tokens


def context_out(
    snapshot: Snapshot,
    result: SearchResult,
    budget: int = USUAL_BUDGET,
    details: bool = False,
    size: ContextSize | None = None,
    provider: Provider | None = None,
    base: str | None = None,
) -> ContextOut:
    """Return the best passages of ``result`` within ``budget`` tokens, as a prompt to put before a
    question.

    Passages are never cut. A passage that does not fit is left out and counted in ``left_out``, and
    a shorter one after it may be taken. Text printed in several places, or within another passage,
    is taken once; ``also`` has the other places. If nothing fits or was found, there are no
    passages, and the prompt tells the model not to answer; it names the best passage, if there is
    room.

    Args:
        size: Computes the size that the budget limits; by default that of the prompt and results.
        details: Whether to add text, display, highlights and citations of each passage.
        provider: The provider in whose format for search results the passages are returned.
        base: The beginning of addresses in this format.
    """
    size = size or prompt_size
    fallback = result.fallback if not result.answered else None
    instructions, unsettled = (
        (_INSTRUCTIONS, _UNSETTLED)
        if budget >= _ROOM_FOR_ALL
        else (_SHORT_INSTRUCTIONS, _SHORT_UNSETTLED)
    )
    head = [_CITED_INSTRUCTIONS if provider else instructions]
    if result.query.as_of:
        head[0] += f" {_AS_OF} {result.query.as_of}."
    if not result.answered and asks_for_first(snapshot.library, result):
        head.append(_ASKED_FOR)
        fallback = None
    elif not result.answered:
        head.append(unsettled)
    elif result.settled is Settlement.LIKELY and budget >= _ROOM_FOR_ALL:
        head.append(_LIKELY)
    asked = _asked_parts(snapshot, result)
    beginnings = [(head, fallback), (head, None), (head[:1], None)]
    for beginning in [([*head, asked], fallback), *beginnings] if asked else beginnings:
        composer = _ContextComposer(
            snapshot, result, budget, details, *beginning, provider=provider, base=base
        )
        if composer.fits([], size):
            break
    taken = composer.choose(size)
    if not taken and not composer.fallback:
        return composer.without_passages(size)
    return composer.compose(taken)


class _ContextComposer:
    """Composes contexts from passages of one ``result``; ``head`` begins the prompt, and
    ``fallback``, the game's own rule for open questions, ends it.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        result: SearchResult,
        budget: int,
        details: bool,
        head: Sequence[str],
        fallback: Passage | None,
        provider: Provider | None,
        base: str | None,
    ):
        self._library, self._table = snapshot.library, marker_table(snapshot)
        self._cited = CitedPassages(snapshot.library, result, base)
        self._provider = provider
        self._budget = budget
        self._common = {
            **answer_head(snapshot, result),
            "budget": budget,
            "notes": notes_out(snapshot.library, result),
        }
        self._details = details
        self._blocks: dict[str, str] = {}  # by passage: computed once, used in every trial
        self._passages: dict[str, ContextPassageOut] = {}
        self._pointed_from: dict[
            str, Passage
        ] = {}  # passages that were not found themselves: the passage that refers to each
        self._head = list(head)
        self._tail = [f"{_FALLBACK}\n{self._block(fallback)}"] if fallback and not provider else []
        self.fallback = fallback
        self.candidates = list(
            _without_repetitions(self._with_pointed(result, _parts_first(result)), fallback)
        )

    def _with_pointed(self, result: SearchResult, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Return the ``hits`` of ``result``. Passages that the best hit refers to, and needs to
        settle the question, directly follow it.
        """
        first, *others = hits or (None,)
        if first is None or not result.answered or not self._cited.is_printed(first.passage):
            return hits
        pointed = [
            each.passage
            for each in pointed_passages(self._library, first.passage, first.highlights)[
                :_MOST_POINTED
            ]
        ]
        found = {hit.passage.id for hit in hits}
        self._pointed_from = {each.id: first.passage for each in pointed if each.id not in found}
        ids = {each.id for each in pointed}
        known = {hit.passage.id: hit for hit in others}
        ahead = [known.get(each.id, Hit(each, 0.0, ())) for each in pointed]
        return [first, *ahead, *(hit for hit in others if hit.passage.id not in ids)]

    def fits(self, taken: Sequence[_ContextCandidate], size: ContextSize) -> bool:
        """Return whether a context of the passages ``taken`` is within the budget; only the
        beginning of a long question counts.
        """
        return self._fits(self.compose(taken), size)

    def _fits(self, context: ContextOut, size: ContextSize) -> bool:
        return self._counted(context, size) <= self._budget

    def _counted(self, context: ContextOut, size: ContextSize) -> int:
        return size(context.model_copy(update={"question": context.question[:_QUESTION]}))

    def choose(self, size: ContextSize) -> list[_ContextCandidate]:
        """Take candidates in order, as far as each fits with those before it, and return them."""
        taken: list[_ContextCandidate] = []
        left = self._budget - self._counted(self.compose([]), size)
        for candidate in self.candidates:
            if self._candidate_out(candidate).tokens <= left and self.fits(
                [*taken, candidate], size
            ):
                taken.append(candidate)
                left -= self._candidate_out(candidate).tokens
        return taken

    def compose(self, taken: Sequence[_ContextCandidate]) -> ContextOut:
        """Return the context of the passages ``taken``."""
        if self._provider is None:
            quoted = [self._block(each.hit.passage) for each in taken]
            return self._with_prompt("\n\n".join([*self._head, *quoted, *self._tail]), taken)
        results = [self._result(each.hit.passage) for each in taken]
        results += [self._result(self.fallback, _FALLBACK)] if self.fallback else []
        return self._with_prompt("\n\n".join(self._head), taken, results)

    def without_passages(self, size: ContextSize) -> ContextOut:
        """Return a context without passages; it names the best passage found, and has notes, if
        there is room.
        """
        prompts = [_NOTHING]
        if self.candidates:
            best = self.candidates[0].hit.passage
            prompts.insert(
                0,
                f"{_NOTHING} {_TOO_LONG} [{self._table.marker_of(best)}] "
                f"{self._cited.label(best)}.",
            )
        for prompt in prompts:
            context = self._with_prompt(prompt)
            if self._fits(context, size):
                return context
        return context.model_copy(update={"notes": []})

    def _with_prompt(
        self,
        prompt: str,
        taken: Sequence[_ContextCandidate] = (),
        results: Sequence[SearchPassage] = (),
    ) -> ContextOut:
        has_fallback = _FALLBACK in prompt or (self._provider and results)
        return ContextOut(
            **self._common,
            tokens=estimate_tokens(prompt) + sum(self._result_tokens(each) for each in results),
            passages=[self._candidate_out(each) for each in taken],
            left_out=self._found(self.candidates) - self._found(taken),
            fallback=self._passage_out(self.fallback) if self.fallback and has_fallback else None,
            prompt=prompt,
            blocks=provider_blocks(self._provider, results) if self._provider else [],
        )

    def _result(self, passage: Passage, note: str = "") -> SearchPassage:
        before, after = self._around(passage)
        return SearchPassage(
            marker=self._table.marker_of(passage),
            address=self._cited.address(passage) or passage.entry,
            label=self._cited.label(passage),
            words=passage.display,
            before=" ".join(filter(None, (note, *before))),
            after=after,
        )

    def _result_tokens(self, result: SearchPassage) -> int:
        return estimate_tokens(" ".join(result))

    def _found(self, candidates: Sequence[_ContextCandidate]) -> int:
        """Return how many of ``candidates`` were found, not only referred to."""
        return sum(each.hit.passage.id not in self._pointed_from for each in candidates)

    def _block(self, passage: Passage) -> str:
        """Return ``passage`` as text for the prompt: remarks, marker and label, the words as a
        block quote, then a remark on lost or misread words (see `_around`).
        """
        if passage.id not in self._blocks:
            quoted = "\n".join(f"> {line}" for line in passage.display.splitlines())
            label = f"[{self._table.marker_of(passage)}] {self._cited.label(passage)}"
            before, after = self._around(passage)
            self._blocks[passage.id] = "\n".join(
                filter(None, (*before, f"{label}\n{quoted}", after))
            )
        return self._blocks[passage.id]

    def _around(self, passage: Passage) -> tuple[list[str], str]:
        """Return the remarks before ``passage`` (the passage that refers to it, its special format,
        its lead-in), and the remark after it (its words corrected, if misprinted), or "".
        """
        before = _BEFORE if self._cited.is_printed(passage) else _RULED_ON
        lead_in = (
            f"({before}: {' '.join(display(passage.announced).split())})"
            if passage.announced
            else ""
        )
        special = self._library.format_of(passage) if self._cited.is_printed(passage) else None
        only = f"({_FORMAT} {special.name})" if special else ""
        pointing = self._pointed_from.get(passage.id)
        pointed = (
            f"({_POINTED} {entry_name(self._library, self._library.entry[pointing.entry])})"
            if pointing
            else ""
        )
        repaired = repaired_display(self._library, passage)
        meant = f"({_MEANT}: {' '.join(repaired.split())})" if repaired else ""
        return [each for each in (pointed, only, lead_in) if each], meant

    def _candidate_out(self, candidate: _ContextCandidate) -> ContextPassageOut:
        hit = candidate.hit
        if hit.passage.id not in self._passages:
            also = (*hit.duplicates, *candidate.contained)
            self._passages[hit.passage.id] = self._passage_out(hit.passage, hit.highlights, also)
        return self._passages[hit.passage.id]

    def _passage_out(
        self,
        passage: Passage,
        highlights: Sequence[tuple[int, int]] = (),
        also: Sequence[Passage] = (),
    ) -> ContextPassageOut:
        brief = ContextPassageOut(
            marker=self._table.marker_of(passage),
            entry=passage.entry,
            tokens=estimate_tokens(self._block(passage)),
        )
        if not self._details:
            return brief
        return brief.model_copy(
            update={
                "text": passage.text,
                "display": passage.display,
                "highlights": [(start, end) for start, end in highlights],
                "citation": self._cited.out(passage),
                "also": [self._cited.out(other) for other in also],
            }
        )


def _asked_parts(snapshot: Snapshot, result: SearchResult) -> str:
    """Return a list of the questions in the text, each with the marker of the passage that answers
    it; "" if there is only one.
    """
    table = marker_table(snapshot)
    asked = []
    for part in result.parts:
        words = " ".join(part.question.split())
        words = (
            words
            if len(words) <= _ASKED_CHARACTERS
            else f"{words[: _ASKED_CHARACTERS - 1].rstrip()}…"
        )
        answer = (
            f"[{table.marker_of(part.ranked[0].passage)}]"
            if part.ranked and part.answered
            else _NOT_SETTLED
        )
        asked.append(f"- {words} {answer}")
    return "\n".join([_ASKED, *asked]) if asked else ""


def _parts_first(result: SearchResult) -> list[Hit]:
    """Return the hits of ``result``: the first, then the best hit for each of several questions,
    then the rest.
    """
    if not result.parts:
        return list(result.ranked)
    best = [part.ranked[0] for part in result.parts if part.ranked]
    hits: dict[str, Hit] = {}
    for hit in (*result.ranked[:1], *best, *result.ranked[1:]):
        hits.setdefault(hit.passage.id, hit)
    return list(hits.values())


def _without_repetitions(
    hits: Sequence[Hit], fallback: Passage | None
) -> Iterator[_ContextCandidate]:
    """Yield ``hits`` in order, except those whose words are in another hit or in ``fallback``.

    A longer passage that contains a better one replaces it at its rank.
    """
    found: list[tuple[str, _ContextCandidate]] = (
        [(_words(fallback), _ContextCandidate(Hit(fallback, 0.0, ()), []))] if fallback else []
    )
    for hit in hits:
        words = _words(hit.passage)
        for place, (other_words, other) in enumerate(found):
            if words in other_words:
                other.contained.append(hit.passage)
                break
            if other_words in words and other.hit.passage is not fallback:
                found[place] = (
                    words,
                    _ContextCandidate(
                        hit, [other.hit.passage, *other.hit.duplicates, *other.contained]
                    ),
                )
                break
        else:
            found.append((words, _ContextCandidate(hit, [])))
    return (candidate for _, candidate in found if candidate.hit.passage is not fallback)


def _words(passage: Passage) -> str:
    """Return the words and signs of ``passage`` joined by blanks, to test regardless of layout
    whether another passage contains them.
    """
    return f" {' '.join(token.text for token in tokens(passage.display))} "


class SearchPassage(NamedTuple):
    """A passage as a search result: its ``words`` as displayed, and the remarks ``before`` and
    ``after`` them.
    """

    marker: str
    address: str
    label: str
    words: str
    before: str
    after: str


def provider_blocks(provider: Provider, passages: Sequence[SearchPassage]) -> list[dict[str, Any]]:
    """Return ``passages``, the best first, as search result blocks (Anthropic) or as results of a
    file search (OpenAI).
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


_ASKED_WORD = 4  # least letters of a word that tells what the question is about
_MOST_BESIDE = 1  # most of these words besides the name


def asks_for_first(library: Library, result: SearchResult) -> bool:
    """Return whether the first passage of ``result`` is from a rule that the question asks for by
    number, or from an entry that it asks for by name and nothing else.
    """
    first = next(iter(result.ranked), None)
    if first is None or result.missing_rule or first.passage.entry not in library.entry:
        return False
    entry = library.entry[first.passage.entry]
    numbers = {number_key(each.number or "").parts for each in library.path(entry)}
    rules = result.parsed.rules if result.parsed else ()
    return any(rule.rule in numbers for rule in rules) or _is_named(entry, result)


def _is_named(entry: Entry, result: SearchResult) -> bool:
    small = words_of("questions.words")
    asked = {
        stem(word.text, result.language)
        for word in tokenize(result.query.question)
        if len(word.text) >= _ASKED_WORD and fold(word.text) not in small
    }
    for name in forms(entry):
        named = {stem(word.text, result.language) for word in tokenize(name)}
        if named and named <= asked and len(asked - named) <= _MOST_BESIDE:
            return True
    return False
