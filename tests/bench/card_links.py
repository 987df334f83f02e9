"""How often the rules that the page of a card links are those that its text speaks of, by verdicts of readers.

    python -m tests.bench.card_links INDEX [--seed N [--show]]

INDEX is a folder of snapshots or a snapshot with the cards and rulebooks of Marvel Champions and Lorcana. Without ``--seed`` every draw
that was judged is scored: what precision its verdicts had when all its links were made, how many of them are made no more, and the
precision of those that still are. With ``--seed`` 200 links are drawn, spread over games and languages, at most three of a card and four
of an entry; those without a verdict are printed as lines for `card_links.jsonl`, with ``--show`` each after its text.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from corpus.cards.model import Card
from glossary.concepts import load_concepts
from index.cards.rule_links import CardRule, RuleLinker
from index.search import Index
from tests.bench.verdicts import Facts, by_seed, draw, lines_of, load_verdicts, rank, score, unjudged_line

VERDICTS = Path(__file__).parent / "card_links.jsonl"
GROUPS = {"marvel-champions": ("de", "it", "en"), "lorcana": ("de", "en")}  # languages of readers
_COUNT = 200
_CARDS = 400  # that are looked at of each group
_OF_A_CARD, _OF_AN_ENTRY = 3, 4


class Link(NamedTuple):
    """A rule that a card touches, for a reader of ``language``."""

    card: Card
    language: str
    rule: CardRule

    @property
    def facts(self) -> Facts:
        """What a verdict is given on: the card, the reader's language, the word, symbol or type, and the entry."""
        fields = {"game": self.card.game, "card": self.card.id, "language": self.language, "word": self.rule.term, "entry": self.rule.entry}
        return tuple(fields.items())

    @property
    def shown(self) -> str:
        """The text with the place that is linked in brackets, and the names of the card."""
        name = f"{self.card.name('en')} = {self.card.name(self.language)} ({self.card.faces[0].type})"
        if self.rule.text is None:
            return name
        text, (start, end) = self.rule.text.text, self.rule.span
        return f"{name}: {text[:start]}⟦{text[start:end]}⟧{text[end:]}".replace("\n", " / ")


def links_of(linker: RuleLinker, card: Card, language: str) -> Iterator[Link]:
    """The links of ``card`` for a reader of ``language``."""
    for rule in linker.rules(card, language):
        yield Link(card, language, rule)


def linkers(index: Index) -> dict[str, RuleLinker]:
    """What links the cards of each game."""
    return {game: RuleLinker(index.library, game, load_concepts(game), index.cards) for game in GROUPS if game in index.cards.games}


def drawn_links(index: Index, seed: int) -> list[Link]:
    """The links that ``seed`` draws, as many from each game and language."""
    found: list[Link] = []
    for game, linker in linkers(index).items():
        cards = sorted(index.cards.of_game(game), key=lambda card: rank(seed, card.id))[:_CARDS]
        found += [link for card in cards for language in GROUPS[game] for link in links_of(linker, card, language)]
    share = _COUNT // sum(map(len, GROUPS.values()))
    return draw(
        found,
        seed,
        lambda link: link.facts,
        lambda link: {f"{link.card.game} {link.language}": share, link.card.id: _OF_A_CARD, link.rule.entry: _OF_AN_ENTRY},
    )


def _groups(facts: Facts) -> Iterator[str]:
    fields = dict(facts)
    yield f"{fields['game']} {fields['language']}"


def report(index: Index) -> Iterator[str]:
    """Lines on each draw that was judged: its precision when it was judged, how much of it is still linked, and the precision of that."""
    judged = by_seed(load_verdicts(VERDICTS))
    by_game = linkers(index)
    for seed, verdicts in judged.items():
        cards = {(each["game"], each["card"], each["language"]) for each in (dict(verdict.facts) for verdict in verdicts)}
        made = {
            link.facts
            for game, id, language in cards
            if game in by_game and (card := index.cards.get(game, id)) is not None
            for link in links_of(by_game[game], card, language)
        }
        yield f"seed {seed}: {len(verdicts)} links, {len({card for _, card, _ in cards})} cards"
        yield from lines_of(score((verdict.facts for verdict in verdicts), verdicts, _groups))
        still = [verdict.facts for verdict in verdicts if verdict.facts in made]
        yield f"  gone since: {len(verdicts) - len(still)}; still made:"
        yield from lines_of(score(still, verdicts, lambda facts: iter(())))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.card_links")
    parser.add_argument("index", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    index = Index.load(options.index)
    if options.seed is None:
        print("\n".join(report(index)))
        return
    drawn = drawn_links(index, options.seed)
    scored = score((link.facts for link in drawn), load_verdicts(VERDICTS), _groups)
    print("\n".join(lines_of(scored)))
    print(f"{len(drawn)} links of {len({link.card.id for link in drawn})} cards; without a verdict: {len(scored.unjudged)}")
    unjudged = set(scored.unjudged)
    for link in drawn:
        if link.facts in unjudged:
            print(*([link.shown] if options.show else []), unjudged_line(link.facts, options.seed), sep="\n")


if __name__ == "__main__":
    main()
