"""What a caller should know of an answer beside its passages: that its question could not be read."""

from __future__ import annotations

from corpus.languages import FALLBACK, LANGUAGES, foreign_language, foreign_script, language_name
from index.library.library import Library
from index.model import SearchResult
from index.questions.question_parser import MOST_WORDS
from service.schemas.answer import NoteCode, NoteOut


def notes_out(library: Library, result: SearchResult) -> list[NoteOut]:
    """Return what should be known of the answer ``result``; mostly nothing."""
    read = languages_read(library, result)
    if (language := _unread_language(result, frozenset(read))) is None:
        return []
    names = [language_name(code) for code in read]
    text = (
        f"The question seems to be in {language}, which is not read here: the passages may be wrong. "
        f"Ask again in {', '.join(names[:-1])} or {names[-1]}."
    )
    return [NoteOut(code=NoteCode.LANGUAGE_NOT_READ, text=text)]


def languages_read(library: Library, result: SearchResult) -> list[str]:
    """Return the languages that questions are read best in: of the rulebooks that were searched, then those of the project's phrasings.

    The latter are English and the languages ranked before it.
    """
    query = result.query
    searched = sorted({edition.language for edition in library.filter_editions(query.edition, query.game, query.document)})
    return list(dict.fromkeys((*searched, *LANGUAGES[: LANGUAGES.index(FALLBACK) + 1])))


def _unread_language(result: SearchResult, read: frozenset[str]) -> str | None:
    """Return what the language or the script of the question is called, if the question could not be read; None where it may be.

    A question in a language that is not ``read``, but has a file, is read by the general encoder where there is one, and by the terms
    that it names, whatever language they are in.
    """
    language, said = result.language, result.query.language == result.language
    if result.parsed is not None and not said:  # what the caller says of the language is believed
        if script := foreign_script(result.query.question, read):
            return f"a language in {script} letters"
        if result.parsed.known_words < MOST_WORDS:
            language = foreign_language(result.query.question, read) or language
    named = result.parsed is not None and any(result.parsed.mentions.values())
    return None if language in read or (language in LANGUAGES and (named or result.generally)) else language_name(language)
