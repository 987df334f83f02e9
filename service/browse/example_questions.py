"""Sample questions: two for each game, in the reader's language if there are any."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.model import Kind
from service.core.i18n import N_, TranslatableText
from service.core.snapshot import Snapshot

MOST = 2
_MEANING = N_("What does “%(term)s” mean?")
_QUESTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "behind": {
        "de": (
            "Wie weit darf ein Charakter gehen?",
            "Was passiert, wenn ein Charakter regeneriert?",
        )
    },
    "lorcana": {
        "de": ("Wie gewinnt man?", "Wann darf ich ein Lied singen?"),
        "en": ("What does Bodyguard do?", "What does Rush do?"),
        "it": ("Come si vince?", "Che cosa fa Guardia del corpo?"),
    },
    "marvel-champions": {
        "de": ("Kann ein erschöpfter Verbündeter verteidigen?", "Was, wenn mein Deck leer ist?"),
        "en": ("Can an exhausted ally defend?", "What happens when my deck is empty?"),
        "it": ("Un alleato esausto può difendere?", "Cosa succede se il mio mazzo è vuoto?"),
    },
}


def example_questions(snapshot: Snapshot, game: str, language: str) -> tuple[str, ...]:
    """Return two questions on ``game``: prepared ones, or on the terms its rules refer to most.

    They are in ``language`` if possible, else in the language of a rulebook.
    """
    library = snapshot.library
    spoken = {each.language for each in library.editions if each.game == game}
    written = _QUESTIONS.get(game, {})
    for code in (language, *sorted(spoken)):
        if code in written:
            return written[code]
    own = language if language in spoken else min(spoken)
    editions = {e.id for e in library.editions if e.game == game and e.language == own}
    terms = [e for e in library.entries if e.kind is Kind.TERM and e.edition in editions]
    terms.sort(key=lambda entry: -len(library.referring_to.get(entry.id, ())))
    titles = list(dict.fromkeys(entry.title for entry in terms))[:MOST]
    return tuple(TranslatableText(_MEANING, {"term": t}).in_language(language) for t in titles)
