"""Parse questions: their kind, their question sentences, and the terms, cards and rules that they
name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corpus.blocks import Span
from corpus.languages import FALLBACK, LANGUAGES, detect
from corpus.model import Edition, Entry, Kind
from glossary.card_names import CardMention, CardRecogniser
from glossary.concepts import Concept, load_concepts
from glossary.normalization import cuts, fold, stem, tokenize
from glossary.recognition import MISSPELT, TermMention, TermRecogniser
from glossary.references.cited_rules import CitedRule, cited_item, cited_rules
from glossary.word_tables import WordTables
from index import analysis
from index.library.library import IndexedRulebook, Library
from index.library.passage_lookup import EntryNames, called_just, forms
from index.questions.asking_sentences import (
    QuestionPatterns,
    asking_spans,
    asking_text,
    card_text_spans,
    question_patterns,
    quoted_spans,
)
from index.questions.follow_up import FollowUp, follow_up
from index.questions.look_up import (
    CLAUSE,
    COMPARING,
    LookUp,
    Sense,
    asking_start,
    asks_nothing,
    asks_nothing_else,
    framed_names,
    is_courtesy,
    look_up,
    named_game,
    other_game,
    without_courtesies,
    without_pointing,
    without_story_words,
)
from index.questions.question_parts import QuestionPart, question_parts
from index.questions.spelling import QuestionSpelling

_DIGIT = re.compile(r"\d")
_FEW = 2  # most words beside the name of a card in a question about nothing but the card
# Share of stop words of its language in a question from which all its words count as known
_TELLING = 0.4
_NAME_WORDS = 3  # most words of a question that may be nothing but a name
_STARTING = 2  # least words before a name that tell the language of a question
_NAMED = 0.85  # certainty from which a text names a term
_STRANGE_WORDS = 3
_FEW_WORDS = 4  # different words; in a shorter question most may be names and typos
_SURE = 0.75  # certainty from which a question looks up a term by its name
_ORDER = {
    kind: place
    for place, kind in enumerate(
        (Kind.TERM, Kind.REDIRECT, Kind.SUBSECTION, Kind.RULE, Kind.SECTION)
    )
}
# Share of known words; with fewer, a question may be in a language that is not supported
MOST_WORDS = 0.7


class Asks(StrEnum):
    """The kind of answer that a question asks for."""

    DEFINITION = "definition"
    RULE = "rule"
    CARD = "card"
    TIMING = "timing"
    YES_NO = "yes-no"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed question.

    Attributes:
        folded: Its folded words.
        asking_sentences: Its question sentences without long quotations; the whole text if there
            are none.
        quotations: The spans of card text, quoted or not.
        short_quotations: The texts of short quotations, such as names.
        rules: The rules that it asks for by number.
        steps: The numbers of steps that it asks for.
        card_numbers: The printed numbers of cards that it asks for.
        asks_for_rulings: Whether it asks for a ruling or an erratum.
        asks_for_errata: Whether it asks for an erratum: "What was changed on …?".
        only_card: Whether it is about a card and nothing else.
        mentions, cards: The terms and the cards that it mentions, by game.
        known_words: The share of its different words that one language has; languages are tried
            until it is `MOST_WORDS`.
        parts: The questions in it, if there are several.
        look_up: The name that it looks up, None if it asks for anything else.
        strange: Its few words if none is in any word table; single letters and digits count too.
        only_rules: Whether it asks for ``rules`` and nothing else.
        listed: The heading of a list, with the number of the item that it looks up.
    """

    text: str
    folded: tuple[str, ...]
    language: str
    asks: Asks
    asking_sentences: tuple[str, ...]
    quotations: tuple[Span, ...]
    short_quotations: tuple[str, ...]
    rules: tuple[CitedRule, ...]
    steps: frozenset[int]
    card_numbers: frozenset[str]
    asks_for_rulings: bool
    asks_for_errata: bool
    only_card: bool
    mentions: Mapping[str, tuple[TermMention, ...]]
    cards: Mapping[str, tuple[CardMention, ...]]
    known_words: float = 1.0
    parts: tuple[QuestionPart, ...] = ()
    look_up: LookUp | None = None
    strange: tuple[str, ...] = ()
    only_rules: bool = False
    listed: LookUp | None = None

    @property
    def compares(self) -> bool:
        """Whether it asks for the difference between two things, which are its ``parts``."""
        return any(part.compared for part in self.parts)


class QuestionParser:
    """Parses questions about the games of a library.

    ``known``, ``ordinary`` and ``names`` are computed if they are not given; without ``words``
    (`index.questions.spelling`) no typo is corrected. ``is_card`` returns whether a game has a card
    with exactly this name.

    Attributes:
        likely: The likely languages: of the library, English, and those ranked before English.
        concepts: The concepts of each game (``known``).
        recognisers: Finders of terms, by game.
        sides: The side ("players", "opponents") of concepts, by game and concept.
        card_recognisers: Finders of names of cards, by game; ``ordinary`` are the everyday words in
            these names.
        titles: The folded names of games and titles of editions.
    """

    def __init__(
        self,
        library: Library,
        tables: WordTables,
        known: Mapping[str, Sequence[Concept]] | None = None,
        ordinary: Mapping[str, Iterable[str]] | None = None,
        names: EntryNames | None = None,
        words: Mapping[str, Sequence[str]] | None = None,
        is_card: Callable[[str, str], object] = lambda game, name: False,
    ):
        self._tables = tables
        self._is_card = is_card
        self._library = library
        self._names = names or EntryNames.build(library)
        likely = {
            *LANGUAGES[: LANGUAGES.index(FALLBACK) + 1],
            *(edition.language for edition in library.editions),
        }
        self.likely = tuple(language for language in LANGUAGES if language in likely)
        self.concepts = (
            known if known is not None else {game: load_concepts(game) for game in library.games}
        )
        self.recognisers = {
            game: TermRecogniser(self.concepts[game], tables, self.likely) for game in library.games
        }
        self.sides = {
            game: {each.id: each.side for each in found if each.side}
            for game, found in self.concepts.items()
        }
        self._spelling = QuestionSpelling(words or {}, tables, self.likely)
        self._none: dict[str, tuple[Any, ...]] = dict.fromkeys(library.games, ())
        titles = (edition.title for edition in library.editions)
        self.titles = fold(" ".join((*titles, *library.games))).replace("-", " ")
        stop_words = [tables[language].folded_stop_words for language in self.likely]
        self._games = {
            game: named_game(game, any(game in words for words in stop_words))
            for game in library.games
        }
        rulebooks: dict[str, list[IndexedRulebook]] = {game: [] for game in library.games}
        for rulebook in library.rulebooks:
            if ordinary is not None:  # other entries only tell which words are ordinary
                rulebook = rulebook._replace(entries=library.card_entries(rulebook.edition.id))
            rulebooks[rulebook.edition.game].append(rulebook)
        self.card_recognisers = {
            game: CardRecogniser(
                rulebooks[game], tables, ordinary[game] if ordinary is not None else None
            )
            for game in library.games
        }

    def save(self, folder: Path) -> None:
        """Write to ``folder`` the data that takes time to compute."""
        folder.mkdir(parents=True)
        data = {
            "concepts": {
                game: [asdict(concept) for concept in known]
                for game, known in self.concepts.items()
            },
            "ordinary": {
                game: sorted(cards.everyday_words) for game, cards in self.card_recognisers.items()
            },
            "words": self._spelling.words,
        }
        (folder / "reading.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        self._names.save(folder)

    @classmethod
    def load(
        cls,
        folder: Path,
        library: Library,
        tables: WordTables,
        is_card: Callable[[str, str], object],
    ) -> QuestionParser:
        """Return the parser saved in ``folder``, for the same library. Raises `OSError`,
        `ValueError` or `KeyError` if it is damaged.
        """
        data = json.loads((folder / "reading.json").read_text(encoding="utf-8"))
        known = {
            game: [_concept(fields) for fields in concepts]
            for game, concepts in data["concepts"].items()
        }
        return cls(
            library,
            tables,
            known,
            data["ordinary"],
            EntryNames.load(folder),
            data.get("words"),  # an index of an earlier version has none
            is_card,
        )

    def sides_of(self, mentions: Iterable[TermMention], game: str) -> frozenset[str]:
        """Return the sides of ``game`` that the concepts of sure ``mentions`` belong to."""
        sides = self.sides[game]
        return frozenset(
            sides[each.concept]
            for each in mentions
            if each.certainty >= _NAMED and each.concept in sides
        )

    def sides_in(self, text: str, edition: Edition) -> frozenset[str]:
        """Return the sides that the terms in ``text``, from ``edition``, belong to."""
        return self.sides_of(
            self.recognisers[edition.game].mentions(text, edition.language), edition.game
        )

    def knows_terms(self, games: Iterable[str]) -> bool:
        """Whether any of ``games`` has concepts."""
        return any(self.concepts[game] for game in games)

    def is_name(self, text: str) -> bool:
        """Whether ``text`` is likely a name: few words, none of which reveals a language. A
        capitalised word after the first reveals none: "Aunt May".
        """
        text = without_courtesies(text, self.likely)
        words = analysis.folded(text)
        telling = [
            fold(token.text)
            for n, token in enumerate(tokenize(text))
            if not (n and token.text[0].isupper())
        ]
        return (
            0 < len(words) <= _NAME_WORDS
            and self._language_of_start(text) is None
            and self._tables.language_of(" ".join(telling), telling, self.likely) is None
        )

    def parse(
        self, text: str, language: str | None = None, games: Iterable[str] | None = None
    ) -> ParsedQuestion:
        """Parse ``text`` as a question about ``games``, or any game, in ``language``, or in the
        detected language.

        A language that is not `likely` is detected only if the words leave no doubt. Courtesies are
        ignored.
        """
        games = tuple(self._none if games is None else games)
        told, language = language, language or self._language_of(text)
        looked_up = self._look_up(text, language, games)
        if looked_up is None and (plain := without_courtesies(text, self.likely)) != text:
            text, language = plain, told or self._language_of(plain)
            looked_up = self._look_up(text, language, games)
        if looked_up is None and (plain := self._without_story(text, language, games)) != text:
            text = plain
            looked_up = self._look_up(text, language, games)
        written = text
        if looked_up is None:
            text = written = self._blank_game(text, language, games)
            text = self._corrected(text, language)
            if text != written:
                looked_up = self._look_up(text, language, games)
        words = analysis.folded(text)
        titles = {e.title for e in self._library.editions if e.game in games}
        rules, rest = cited_rules(text, titles)
        only_rules = bool(rules) and self._asks_nothing_else(rest, language)
        item = cited_item(text)
        listed = self._look_up(item.rest, language, games) if item else None
        if only_rules:
            looked_up = None
        else:  # "Wir teilen 3 Karten aus"
            rules = tuple(rule for rule in rules if rule.is_sure)
        if looked_up and not told:
            language = looked_up.language or self._language_of_name(looked_up, language)
        patterns = question_patterns(
            self.likely if language in self.likely else (*self.likely, language)
        )
        quotations, names = quoted_spans(text)
        spans = asking_spans(text, quotations, patterns.asking)
        asking = tuple(asking_text(text, span, quotations) for span in spans) or (text,)
        whole = [
            span for span in spans if text[slice(*span)].strip() in asking
        ]  # sentences that ask about their quotation
        quotations = tuple(
            each
            for each in quotations
            if not any(each.start < span.end and each.end > span.start for span in whole)
        )
        quotations = tuple(
            sorted((*quotations, *card_text_spans(text, spans, quotations, language)))
        )
        folded = " ".join(fold(text).split())
        numbered = folded if _DIGIT.search(text) else ""
        cards = self._none | {
            game: known.mentions(text) for game in games if (known := self.card_recognisers[game])
        }
        mentions = self._none | {
            game: self.recognisers[game].mentions(text, language) for game in games
        }
        numbers = frozenset(
            m["number"] or m["numbered"] for m in patterns.card_number.finditer(numbered)
        )
        asks_for_errata = patterns.errata.search(folded) is not None
        asks_for_rulings = asks_for_errata or patterns.ruling.search(folded) is not None
        names_something = (
            looked_up or rules or numbers or names or any(cards.values()) or any(mentions.values())
        )
        return ParsedQuestion(
            text=text,
            folded=words,
            language=language,
            asks=_asks(
                patterns,
                [" ".join(fold(sentence).split()) for sentence in asking],
                bool(rules),
                any(cards.values()),
            ),
            asking_sentences=asking,
            quotations=quotations,
            short_quotations=names,
            rules=rules,
            steps=frozenset(
                int(m["number"] or m["ordinal"]) for m in patterns.step.finditer(numbered)
            )
            or frozenset(
                patterns.spelled[m["ordinal"]] for m in patterns.spelled_step.finditer(folded)
            )
            or frozenset(
                {1}
                if any(patterns.first_step.search(fold(sentence)) for sentence in asking)
                else ()
            ),
            card_numbers=numbers,
            asks_for_rulings=asks_for_rulings,
            asks_for_errata=asks_for_errata,
            only_card=_only_card(
                text, asks_for_rulings, [card for of_game in cards.values() for card in of_game]
            ),
            mentions=mentions,
            cards=cards,
            known_words=self._known_words(words, language),
            parts=self._parts(written, language, patterns.asking),
            look_up=looked_up,
            only_rules=only_rules,
            listed=listed and replace(listed, item=item.marks if item else ()),
            strange=() if names_something else self._strange(text, (language, *self.likely)),
        )

    def _corrected(self, text: str, language: str) -> str:
        """Return ``text`` with its typos corrected. A mere name and a single word looked up stay
        unchanged: the look-up finds misspelt names itself.
        """
        if self._spelling.corrected(text, language) == text or self.is_name(text):
            return text
        framed = framed_names(text, (language, *self.likely))
        asked = (each.name for each in framed if not each.bare and " " not in each.name)
        return self._spelling.corrected(text, language, next(asked, ""))

    def _parts(self, text: str, language: str, asking: re.Pattern[str]) -> tuple[QuestionPart, ...]:
        """Return the questions in ``text``, given as typed: their spans are offsets there."""
        spans = asking_spans(text, quoted_spans(text)[0], asking)
        stop_words = self._tables[language].folded_stop_words
        return question_parts(text, language, spans, set(analysis.folded(text)), stop_words)

    def _look_up(self, text: str, language: str, games: Sequence[str]) -> LookUp | None:
        """Return the name that ``text``, in ``language``, looks up in ``games``, or in the game
        that it names: "What is Tough in Marvel Champions?".
        """
        found = self._look_up_in(text, language, games)
        rest, named = self.without_game(text, games)
        if found or rest == text:
            return found
        # "What does Lorcana cost?" looks up no cost.
        for each in (language, *self.likely):
            words = without_pointing(rest, each, of_game=True)
            asks_price = words != without_pointing(rest, each)
            if asks_price and self._asks_nothing_else(words, language):
                return None
        return self._look_up_in(rest, language, named)

    def without_game(self, text: str, games: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Return ``text`` without the name of its game ("in Lorcana"), and only that game; both
        unchanged if it names none of ``games``.
        """
        for game in games:
            if found := self._game_named(text, game):
                rest = f"{text[: found.start()]} {text[found.end() :]}".strip()
                if tokenize(rest):
                    return rest, (game,)
        return text, games

    def game_of(self, text: str) -> str | None:
        """Return the game that ``text`` names as its subject: "in Lorcana"; None if it names none
        or several.
        """
        named = [game for game in self._games if self._game_named(text, game)]
        return named[0] if len(named) == 1 else None

    def _game_named(self, text: str, game: str) -> re.Match[str] | None:
        """Return the match for ``game`` as the subject of ``text``: "in Lorcana"; None if there is
        none or only a comparison: "as in Lorcana".
        """
        found = self._games[game].search(text)
        return None if found is None or COMPARING.search(text[: found.start()]) else found

    def _blank_game(self, text: str, language: str, games: Sequence[str]) -> str:
        """Return ``text`` with blanks for the name of its game ("in Lorcana"), whose words may
        resemble a card's name; unchanged if nothing else is asked.
        """
        game = self.game_of(text)
        found = self._game_named(text, game) if game in games and game else None
        if found is None or not (found["in"] or found["behind"]):
            return text
        rest = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
        nothing = self._asks_nothing_else(without_pointing(rest, language, True), language)
        return text if nothing else rest

    def _look_up_in(self, text: str, language: str, games: Sequence[str]) -> LookUp | None:
        """Return the name that ``text`` looks up in ``games``; a courtesy is looked up only if it
        is exactly a name.
        """
        if is_courtesy(text, self.likely):
            return look_up(text, (), [partial(self._called, games=games)])
        ways = (
            self._called,
            partial(self._mentioned, language=language),
            self._inflected,
            self._misspelt,
        )
        return look_up(
            text, (language, *self.likely), [partial(find, games=games) for find in ways]
        )

    def _asks_nothing_else(self, text: str, language: str) -> bool:
        stop_words = self._tables[language].folded_stop_words
        telling = (word for word in analysis.folded(text) if word not in stop_words)
        return asks_nothing_else(" ".join(telling), (language, *self.likely))

    def other_game(self, parsed: ParsedQuestion, games: Collection[str]) -> str | None:
        """Return the name of the game that ``parsed`` is about if it is not one of ``games``:
        another loaded game, or a well-known game unless a card is surely named. None otherwise.
        """
        game = self.game_of(parsed.text)
        found = self._game_named(parsed.text, game) if game else None
        if found and game not in games and (found["in"] or found["behind"]):
            return found["name"]
        named = (each.certainty for cards in parsed.cards.values() for each in cards)
        return None if 1.0 in named else other_game(parsed.text, self.titles)

    def asks_for_no_rule(self, parsed: ParsedQuestion) -> bool:
        """Whether ``parsed`` asks for no particular rule: it has only function words of questions
        and the name of a game ("Wie geht das Spiel?", "Was ist Lorcana?"), or only courtesies.
        """
        words = f" {without_pointing(parsed.text, parsed.language)} "
        rest = words
        for game in self._none:
            rest = rest.replace(f" {game.replace('-', ' ')} ", " ")
        # The name of a game may be part of a card's.
        cards = parsed.cards.values() if rest == words else ()
        if not parsed.look_up and is_courtesy(parsed.text, self.likely):
            return True
        named = (parsed.look_up, parsed.listed, *cards, *parsed.short_quotations)
        if any((*named, parsed.rules, parsed.steps, parsed.card_numbers)):
            return False
        rest = without_pointing(rest, parsed.language, rest != words)
        return self._asks_nothing_else(rest, parsed.language)

    def _without_story(self, text: str, language: str, games: Sequence[str]) -> str:
        """Return ``text`` with blanks for clauses at its ends that tell how the question came up
        and name no number and no term or card of ``games``.
        """
        cuts = [(clause.start(), clause.end()) for clause in CLAUSE.finditer(text)]
        start, end = 0, len(text)
        while cuts and self._is_story(text[start : cuts[0][0]], language, games):
            start = cuts.pop(0)[1]
        while cuts and self._is_story(text[cuts[-1][1] : end], language, games):
            end = cuts.pop()[0]
        return " " * start + text[start:end] + " " * (len(text) - end)

    def _is_story(self, clause: str, language: str, games: Sequence[str]) -> bool:
        if "?" in clause or _DIGIT.search(clause):
            return False
        others = without_story_words(clause, self.likely)
        return others != clause and not self._names_anything(others, language, games)

    def _names_anything(self, text: str, language: str, games: Sequence[str]) -> bool:
        return any(
            self.recognisers[game].mentions(text, language)
            or self.card_recognisers[game].mentions(text)
            for game in games
        )

    def _language_of_name(self, looked_up: LookUp, language: str) -> str:
        """Return the language of a bare name: that of the entries with the name if all are in the
        same language, otherwise ``language``.
        """
        entries = (
            self._library.entries[number] for sense in looked_up.senses for number in sense.entries
        )
        printed = {self._library.edition[entry.edition].language for entry in entries}
        return printed.pop() if len(printed) == 1 else language

    def _called(self, name: str, games: Sequence[str]) -> tuple[Sense, ...]:
        return tuple(
            sense
            for game in games
            for sense in self._senses(game, self._names.called(game, name), name)
        )

    def _inflected(self, name: str, games: Sequence[str]) -> tuple[Sense, ...]:
        """Return the senses of the entries of ``games`` whose name is an inflected or derived form
        of ``name``.
        """
        entries = self._library.entries
        return tuple(
            sense
            for game in games
            for sense in self._senses(
                game,
                [
                    number
                    for number in self._names.inflected(game, name, self.likely)
                    if self._is_form(name, entries[number])
                ],
            )
        )

    def _is_form(self, name: str, entry: Entry) -> bool:
        """Return whether the words of ``name`` are pairwise inflected or derived forms of the words
        in a name of ``entry``.
        """
        language = self._library.edition[entry.edition].language
        words = [token.text for token in tokenize(name)]
        stems = [stem(word, language) for word in words]
        for form in forms(entry):
            own = [token.text for token in tokenize(form)]
            if [stem(word, language) for word in own] == stems and all(
                self._tables.are_related(*pair, language) for pair in zip(words, own, strict=True)
            ):
                return True
        return False

    def _misspelt(self, name: str, games: Sequence[str]) -> tuple[Sense, ...]:
        """Return the senses of the entries of ``games`` whose name ``name`` misspells. Words of a
        likely language are not misspelt; the name of a card misspells only entries about cards.
        """
        words = [token.text for token in tokenize(name)]
        if any(all(map(self._tables[each].knows, words)) for each in self.likely):
            return ()
        entries = self._library.entries
        is_card = any(self._is_card(game, name) for game in games)
        return tuple(
            sense
            for game in games
            for sense in self._senses(
                game,
                [n for n in self._names.misspelt(game, name) if entries[n].card or not is_card],
            )
        )

    def _mentioned(self, name: str, games: Sequence[str], language: str) -> tuple[Sense, ...]:
        """Return the concepts of which the whole ``name`` is a name, in any language. If some have
        exactly this name, others are left out: "obbligo", not "obbligato".
        """
        found = []
        for game in games:
            whole = [
                mention
                for mention in self.recognisers[game].mentions(name, language)
                if (mention.start, mention.end) == (0, len(name)) and mention.certainty >= _SURE
            ]
            so_called = [each for each in whole if fold(each.name) == fold(name)]
            if not so_called and self._is_card(game, name):  # a card's name is no misspelt term
                whole = [each for each in whole if each.certainty > MISSPELT]
            found += [Sense(game, f"{game}/{each.concept}") for each in so_called or whole]
        return tuple(found)

    def _senses(self, game: str, numbers: Sequence[int], name: str = "") -> list[Sense]:
        """Return the senses of entries of ``game`` that share a name: each concept once, those
        called only ``name`` first, then terms before other kinds.
        """
        entries = {number: self._library.entries[number] for number in numbers}
        found: dict[tuple[str | None, int], list[int]] = {}
        for number, entry in sorted(
            entries.items(),
            key=lambda each: (
                not called_just(each[1], name),
                _ORDER.get(each[1].kind, len(_ORDER)),
                each[0],
            ),
        ):
            concept = self._library.concepts.get(entry.id)
            found.setdefault((concept, 0 if concept else number), []).append(number)
        return [Sense(game, concept, tuple(own)) for (concept, _), own in found.items()]

    def reading_by_terms(self, parsed: ParsedQuestion, languages: Iterable[str]) -> str:
        """Return the text of ``parsed`` to encode for a search in ``languages``.

        If its language is not `likely`, the encoder does not know its words: the official names of
        its terms precede the text.
        """
        if parsed.language in self.likely:
            return parsed.text
        names = [
            name
            for language in languages
            for game, mentions in parsed.mentions.items()
            for name in self.recognisers[game].expansion(mentions, language)
        ]
        return " ".join((*dict.fromkeys(names), parsed.text))

    def asked_beside_story(self, parsed: ParsedQuestion, games: Sequence[str]) -> str:
        """Return the question sentences of ``parsed`` if its other sentences name no term or card
        of ``games``; "" if they do or there are none.
        """
        told = parsed.text
        for sentence in parsed.asking_sentences:
            told = told.replace(sentence, " ")
        if (
            not any(map(str.isalnum, told))
            or parsed.quotations
            or self._names_anything(told, parsed.language, games)
        ):
            return ""
        return " ".join(parsed.asking_sentences)

    def follow_up(
        self, question: str, before: Sequence[str], language: str | None = None
    ) -> FollowUp | None:
        """Return ``question`` with the earlier questions, out of ``before``, that it needs; None if
        it needs none.

        If no ``language`` is given, it is detected from all of them together, for the question may
        be short.
        """
        if not before:
            return None
        question, before = (
            without_courtesies(question, self.likely),
            [without_courtesies(each, self.likely) for each in before],
        )
        language = language or self._language_of(" ".join((*before, question)))
        return follow_up(question, before, language, self._tables[language].folded_stop_words)

    def _language_of(self, text: str) -> str:
        return (
            self._language_of_start(text)
            or self._tables.language_of(text, analysis.folded(text), self.likely)
            or detect(text, self.likely)
            or self.likely[0]
        )

    def _language_of_start(self, text: str) -> str | None:
        """Return the language of the words before the name that ``text`` looks up: German for "Was
        macht Be Our Guest?"; None if these leave doubt.
        """
        found = []
        for language in self.likely:
            words = set(start := asking_start(text, language))
            for other in self.likely:
                if other != language:
                    words -= self._tables[other].folded_stop_words
            if words and len(start) >= _STARTING:
                found.append(language)
        return found[0] if len(found) == 1 else None

    def _strange(self, text: str, languages: Sequence[str]) -> tuple[str, ...]:
        """Return the words of ``text`` except fillers if they are few and none is a word of any of
        ``languages``; otherwise ().
        """
        others = (
            token.text.lower()
            for token in tokenize(text)
            if not asks_nothing([fold(token.text)], languages)
        )
        telling = tuple(islice(others, _STRANGE_WORDS + 1))
        if len(telling) > _STRANGE_WORDS:
            return ()
        words = (word for word in telling if len(word) > 1 and not word.isdigit())
        return (
            ()
            if any(self._is_word(word, language) for word in words for language in languages)
            else telling
        )

    def _is_word(self, word: str, language: str) -> bool:
        """Whether the tables of ``language`` have ``word``, or both parts if it is a compound."""

        def known(word: str) -> bool:
            return self._tables.analyse(word, language).known

        if known(word):
            return True
        return any(
            known(word[cut.place :]) and any(map(known, (word[: cut.place], *cut.heads)))
            for cut in cuts(word, language)
        )

    def _known_words(self, folded_words: Sequence[str], language: str) -> float:
        """Return the share of different words that are known in ``language`` or a likely language,
        whichever knows the most; 1 for few words or many stop words of ``language``.
        """
        words = [word for word in dict.fromkeys(folded_words) if not word.isdigit()]
        stop_words = self._tables[language].folded_stop_words
        if len(words) < _FEW_WORDS or sum(word in stop_words for word in words) >= _TELLING * len(
            words
        ):
            return 1.0
        most = 0
        for each in dict.fromkeys((language, *self.likely)):
            most = max(
                most,
                sum(
                    found.known or found.stop_word
                    for found in (self._tables.analyse(word, each) for word in words)
                ),
            )
            if most >= MOST_WORDS * len(words):
                break
        return most / len(words)


def _concept(fields: dict[str, Any]) -> Concept:
    """Return the concept with ``fields`` read from JSON, lists turned into tuples."""
    return Concept(**{name: _tuples(value) for name, value in fields.items()})


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(inner) for name, inner in value.items()}
    return tuple(value) if isinstance(value, list) else value


def _only_card(text: str, ruling: bool, cards: list[CardMention]) -> bool:
    """Whether a question is about ``cards`` and nothing else: it has few other words, or asks for a
    ``ruling``.
    """
    if not cards:
        return False
    others = [
        word
        for word in tokenize(text)
        if not any(card.start <= word.start < card.end for card in cards)
    ]
    return len(others) <= _FEW or ruling


def _asks(patterns: QuestionPatterns, asking: list[str], rules: bool, cards: bool) -> Asks:
    """Return the kind of a question with the folded question sentences ``asking``; ``rules`` and
    ``cards`` say whether it names any.
    """
    if rules:
        return Asks.RULE
    if any(
        patterns.definition.search(sentence.replace("'", " ").replace("’", " "))
        for sentence in asking
    ):
        return Asks.DEFINITION
    if cards:
        return Asks.CARD
    if any(patterns.timing.search(sentence) for sentence in asking):
        return Asks.TIMING
    if any(
        patterns.yes_no.search(sentence.split(", ")[-1]) or patterns.yes_no.search(sentence)
        for sentence in asking
    ):
        return Asks.YES_NO
    return Asks.OPEN
