"""Compare the cards of a game with their English print, for programs, terminals and as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpus.blocks import Span
from corpus.cards.model import Card
from corpus.errors import NotFound
from glossary.comparison.card_texts import (
    ORIGINAL,
    CardDifference,
    CardFinding,
    CardTextComparison,
    TextSide,
    translated_languages,
)
from glossary.concepts import load_concepts
from service.answers.sources import string_source_out
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.exports.formats import csv_file
from service.schemas.comparisons import (
    CardComparisonOut,
    CardDifferenceOut,
    ComparedCardTextOut,
)

_COLUMNS = (
    *("card", "face", "English name", "name", "difference", "only English", "only here"),
    *("English text", "text", "English file", "English pointer", "file", "pointer"),
)
_NOT_TRANSLATED = N_(
    "the cards of %(game)s have no texts in %(language)s beside English ones; there are: %(known)s"
)
_ONE_LANGUAGE = N_(
    "the cards of %(game)s have no texts in %(language)s beside English ones; they have texts in "
    "one language alone"
)
_SEPARATOR = " | "


def compare_cards(game: str, cards: Sequence[Card], language: str) -> CardTextComparison:
    """Return the ``cards`` of ``game`` in ``language``, aligned with the English ones. Raises
    `NotFound` if they have no texts in it.
    """
    known = translated_languages(cards)
    if language not in known:
        values = {"game": game, "language": repr(language), "known": ", ".join(known)}
        raise NotFound(TranslatableText(_NOT_TRANSLATED if known else _ONE_LANGUAGE, values))
    return CardTextComparison(game, cards, language, load_concepts(game))


def count_by_kind(findings: Sequence[CardFinding]) -> dict[CardDifference, int]:
    """Return how many of ``findings`` there are of each kind, for all kinds."""
    counts = Counter(finding.kind for finding in findings)
    return {kind: counts[kind] for kind in CardDifference}


def card_comparison_out(comparison: CardTextComparison) -> CardComparisonOut:
    """Return a comparison of cards with the number of differences of each kind first."""
    return CardComparisonOut(
        game=comparison.game,
        language=comparison.language,
        cards=len(comparison.cards),
        summary={kind.value: count for kind, count in count_by_kind(comparison.findings).items()},
        differences=[
            CardDifferenceOut(
                card=finding.card.id,
                slug=finding.card.slug,
                face=finding.face + 1,
                name=finding.name,
                translated_name=finding.translated_name,
                sort=finding.kind,
                english=_text_out(finding.original),
                translation=_text_out(finding.translation),
            )
            for finding in comparison.findings
        ],
    )


def _text_out(side: TextSide | None) -> ComparedCardTextOut | None:
    if side is None:
        return None
    return ComparedCardTextOut(
        text=side.quoted.text,
        spans=[[start, end] for start, end in side.spans],
        words=list(side.words),
        source=string_source_out(side.quoted, Span(0, len(side.quoted.text))),
    )


def card_comparison_table(comparison: CardTextComparison) -> str:
    """Return a comparison of cards for a terminal: the summary, then one line for each
    difference.
    """
    sides = f"{ORIGINAL}  |  {comparison.language}, {len(comparison.cards)} cards"
    lines = [f"{comparison.game}: {sides}"]
    for kind, count in count_by_kind(comparison.findings).items():
        lines.append(f"  {kind.value:13}{count:5}")
    lines.append("")
    for each in comparison.findings:
        names = " = ".join(dict.fromkeys(filter(None, (each.name, each.translated_name))))
        words = [
            ", ".join(side.words) if side else "" for side in (each.original, each.translation)
        ]
        differing = f": {words[0] or '–'}  |  {words[1] or '–'}" if any(words) else ""
        lines.append(f"{each.kind.value:13} {each.card.id:8} {names}{differing}")
    return "\n".join(lines).rstrip()


def card_comparison_csv(comparison: CardTextComparison) -> bytes:
    """Return a comparison of cards as CSV."""
    rows = []
    for finding in comparison.findings:
        sides = finding.original, finding.translation
        names = finding.name, finding.translated_name or ""
        row = [finding.card.id, str(finding.face + 1), *names, finding.kind.value]
        row += [_SEPARATOR.join(side.words) if side else "" for side in sides]
        row += [side.quoted.text if side else "" for side in sides]
        for side in sides:
            source = side.quoted.source if side else None
            row += [source.file, source.pointer] if source else ["", ""]
        rows.append(row)
    return csv_file([_COLUMNS, *rows])


def translated_games(snapshot: SnapshotContents) -> dict[str, tuple[str, ...]]:
    """Return the languages of cards that can be compared with English, by game."""
    found = {
        game: translated_languages(snapshot.cards.of_game(game)) for game in snapshot.cards.games
    }
    return {game: languages for game, languages in found.items() if languages}


CARD_LANGUAGES: Work[dict[str, tuple[str, ...]]] = Work(
    ("card languages",), translated_games, kept=True
)


def card_languages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """Return the stored result of `translated_games`. Raises what `stored` raises."""
    return stored(snapshot, CARD_LANGUAGES) if snapshot.cards.games else {}
