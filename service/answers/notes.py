"""Write the notes on an answer: that the question is in an unknown language, about another game, or
asks for a missing document or rule.
"""

from __future__ import annotations

from itertools import chain

from corpus.languages import FALLBACK, LANGUAGES, foreign_language, foreign_script, language_name
from corpus.model import DocumentKind
from index.library.library import Library
from index.model import RulingHit, SearchResult
from index.questions.question_parser import MOST_WORDS
from index.scopes import searched_editions
from service.core.i18n import N_, day_in_words, translate
from service.core.parameters import QueryInUnreadLanguage
from service.schemas.answer import NoteCode, NoteOut

NOT_IN_EFFECT = N_("No edition that was searched was in effect on %(day)s.")
_UNDATED = {
    NoteCode.UNDATED_EDITIONS: N_(
        "Some editions are undated: whether they held on %(day)s is not known."
    ),
    NoteCode.UNDATED_RULINGS: N_(
        "Some rulings are undated: whether they held on %(day)s is not known."
    ),
}
LACKING = {
    DocumentKind.POLICY: N_(
        "Penalties and tournament procedure are not a matter of these rules: no tournament policy "
        "is loaded"
    ),
    DocumentKind.FORMATS: N_(
        "What is legal in a format is not a matter of these rules: no document on formats is loaded"
    ),
}
NO_SUCH_RULE = N_("No rule has the number %(number)s. These have the nearest:")
NO_RULES_TEXT = N_("%(card)s has no rules text.")
OTHER_GAME = N_("None of the rulebooks searched is about %(game)s")
REPLACED = N_("%(edition)s has been replaced; this is the answer of %(following)s.")
_CODES = {DocumentKind.POLICY: NoteCode.NO_POLICY, DocumentKind.FORMATS: NoteCode.NO_FORMATS}


def notes_out(library: Library, result: SearchResult) -> list[NoteOut]:
    """Return the notes on the answer ``result``; mostly none."""
    found = []
    read = languages_read(library, result)
    if (language := _unread_language(result, frozenset(read))) is not None:
        names = [language_name(code) for code in read]
        text = (
            f"The question seems to be in {language}, which is not read here: the passages may be "
            "wrong. "
            f"Ask again in {', '.join(names[:-1])} or {names[-1]}."
        )
        found.append(NoteOut(code=NoteCode.LANGUAGE_NOT_READ, text=text))
    elif isinstance(result.query, QueryInUnreadLanguage):
        text = (
            f"Questions in {language_name(result.query.said)} are not read here; this one was "
            f"taken for {language_name(result.language)}."
        )
        found.append(NoteOut(code=NoteCode.LANGUAGE_NOT_READ, text=text))
    if result.query.replaced:
        found.append(NoteOut(code=NoteCode.EDITION_REPLACED, text=replaced_label(result)))
    if not result.in_effect:
        text = translate(result.language, NOT_IN_EFFECT) % {"day": result.query.as_of}
        found.append(NoteOut(code=NoteCode.NOT_IN_EFFECT, text=text))
    found += [
        NoteOut(code=code, text=translate(result.language, text) % {"day": result.query.as_of})
        for code, text in undated_texts(library, result).items()
    ]
    if result.missing_rule:
        found.append(NoteOut(code=NoteCode.NO_SUCH_RULE, text=missing_rule_label(result)))
    if result.textless:
        found.append(NoteOut(code=NoteCode.CARD_WITHOUT_TEXT, text=textless_label(result)))
    found += [
        NoteOut(code=_CODES[kind], text=f"{translate(result.language, LACKING[kind])}.")
        for kind in result.lacking
    ]
    if result.other_game:
        found.append(NoteOut(code=NoteCode.OTHER_GAME, text=f"{other_game_label(result)}."))
    return found


def not_in_effect_label(result: SearchResult) -> str:
    """Return the note, in the question's language, that no edition was in effect on the day."""
    assert result.query.as_of is not None
    return translate(result.language, NOT_IN_EFFECT) % {
        "day": day_in_words(result.language, result.query.as_of)
    }


def replaced_label(result: SearchResult) -> str:
    """Return the note, in the question's language, that another edition has replaced the one asked
    for, or "".
    """
    named = {"edition": result.query.replaced, "following": result.query.edition}
    return translate(result.language, REPLACED) % named if result.query.replaced else ""


def missing_rule_label(result: SearchResult) -> str:
    """Return the note, in the question's language, that no rule has the number asked for, or ""."""
    return (
        translate(result.language, NO_SUCH_RULE) % {"number": result.missing_rule}
        if result.missing_rule
        else ""
    )


def textless_label(result: SearchResult) -> str:
    """Return the note, in the question's language, that the card looked up has no rules text."""
    return translate(result.language, NO_RULES_TEXT) % {"card": result.textless}


def other_game_label(result: SearchResult) -> str:
    """Return the note, in the question's language, that no rulebook searched is for its game."""
    return translate(result.language, OTHER_GAME) % {"game": result.other_game}


def undated_texts(library: Library, result: SearchResult) -> dict[NoteCode, str]:
    """Return the notes for an answer as of a day that has undated editions or rulings, in English
    with a placeholder for the day.
    """
    if result.query.as_of is None:
        return {}
    hits = chain(result.hits, *(part.hits for part in result.parts))
    editions = {library.entry[hit.passage.entry].edition for hit in hits}
    undated = set()
    if any(not library.edition[edition].effective for edition in editions):
        undated.add(NoteCode.UNDATED_EDITIONS)
    beside = chain(result.beside, *(part.beside for part in result.parts))
    if any(isinstance(hit, RulingHit) and not hit.ruling.date for hit in beside):
        undated.add(NoteCode.UNDATED_RULINGS)
    return {code: text for code, text in _UNDATED.items() if code in undated}


def undated_labels(library: Library, result: SearchResult) -> list[str]:
    """Return the notes of `undated_texts` with the day, in the language of the question."""
    day = day_in_words(result.language, result.query.as_of) if result.query.as_of else ""
    return [
        translate(result.language, text) % {"day": day}
        for text in undated_texts(library, result).values()
    ]


def languages_read(library: Library, result: SearchResult) -> list[str]:
    """Return the languages in which questions are understood best: those of the rulebooks searched,
    then those of the project's query variants (English and the languages ranked before it).
    """
    searched = sorted({edition.language for edition in searched_editions(library, result.query)})
    return list(dict.fromkeys((*searched, *LANGUAGES[: LANGUAGES.index(FALLBACK) + 1])))


def _unread_language(result: SearchResult, read: frozenset[str]) -> str | None:
    """Return the name of the question's language or script if it was not understood, otherwise
    None.

    A question in a language that is not in ``read``, but has a file here, counts as understood if
    the general encoder was used or if it names a term.
    """
    language, said = result.language, result.query.language == result.language
    if result.parsed is not None and not said:  # the language given by the caller is believed
        if script := foreign_script(result.query.question, read):
            return f"a language in {script} letters"
        if result.parsed.known_words < MOST_WORDS:
            language = foreign_language(result.query.question, read) or language
    named = result.parsed is not None and any(result.parsed.mentions.values())
    return (
        None
        if language in read or (language in LANGUAGES and (named or result.generally))
        else language_name(language)
    )
