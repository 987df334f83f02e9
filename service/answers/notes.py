"""What a caller should know of an answer beside its passages: that the question is in a language that nothing here is read in."""

from __future__ import annotations

from corpus.languages import FALLBACK, LANGUAGES, foreign_language, foreign_script, get_language
from index.library.library import Library
from index.model import SearchResult
from index.questions.question_parser import MOST_WORDS
from service.schemas.answer import NoteCode, NoteOut


def notes_out(library: Library, result: SearchResult) -> list[NoteOut]:
    """Return what should be known of the answer ``result``; mostly nothing."""
    read = languages_read(library, result)
    if (language := _unread_language(result, frozenset(read))) is None:
        return []
    names = [get_language(code).name for code in read]
    text = (
        f"The question seems to be in {language}, which is not read here: the passages may be wrong. "
        f"Ask again in {', '.join(names[:-1])} or {names[-1]}."
    )
    return [NoteOut(code=NoteCode.LANGUAGE_NOT_READ, text=text)]


def languages_read(library: Library, result: SearchResult) -> list[str]:
    """Return the languages that questions are read in: of the rulebooks that were searched, then those of the project's phrasings.

    The latter are English and the languages ranked before it.
    """
    query = result.query
    searched = sorted({edition.language for edition in library.filter_editions(query.edition, query.game, query.document)})
    return list(dict.fromkeys((*searched, *LANGUAGES[: LANGUAGES.index(FALLBACK) + 1])))


def _unread_language(result: SearchResult, read: frozenset[str]) -> str | None:
    """Return what the language or the script of the question is called, if it is none that is ``read``; None where it may be."""
    if result.language not in read:
        return get_language(result.language).name
    if result.parsed is None or result.query.language == result.language:  # the caller says so
        return None
    if script := foreign_script(result.query.question, read):
        return f"a language in {script} letters"
    if result.parsed.known_words >= MOST_WORDS:
        return None
    code = foreign_language(result.query.question, read)
    return code and (get_language(code).name if code in LANGUAGES else f"another language ({code})")
