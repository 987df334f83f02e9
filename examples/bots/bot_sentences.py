"""Sentences of the bots themselves, in their users' languages; all other text comes from Regula."""

from __future__ import annotations

LANGUAGES = ("de", "it", "en")

_SENTENCES = {
    "down": {
        "en": "The rules service does not answer at the moment. Please try again in a few minutes.",
        "de": "Der Regeldienst antwortet gerade nicht. Bitte versuch es in ein paar Minuten noch "
        "einmal.",
        "it": "Il servizio delle regole al momento non risponde. Riprova tra qualche minuto.",
    },
    "busy": {
        "en": "Too many questions just now. Please try again in {seconds} seconds.",
        "de": "Gerade sind es zu viele Fragen. Bitte versuch es in {seconds} Sekunden noch einmal.",
        "it": "Troppe domande in questo momento. Riprova tra {seconds} secondi.",
    },
    "setup": {
        "en": "This bot is not set up correctly. Please tell its owner.",
        "de": "Dieser Bot ist nicht richtig eingerichtet. Bitte sag es seinem Betreiber.",
        "it": "Questo bot non è configurato correttamente. Avvisa chi lo gestisce.",
    },
    "no-game": {
        "en": "There are no rules for “{game}” here. There are: {games}",
        "de": "Regeln für „{game}“ gibt es hier nicht. Es gibt: {games}",
        "it": "Qui non ci sono regole per «{game}». Ci sono: {games}",
    },
    "failed": {
        "en": "Something went wrong here. It was not your question.",
        "de": "Hier ist etwas schiefgegangen. An deiner Frage lag es nicht.",
        "it": "Qualcosa è andato storto. Non dipende dalla tua domanda.",
    },
    "usage": {
        "en": "Ask about the rules: {command} Who goes first? Every answer is a quotation from the "
        "rulebook, with its place.",
        "de": "Frag nach den Regeln: {command} Wer beginnt? Jede Antwort ist ein Zitat aus dem "
        "Regelwerk, mit Fundstelle.",
        "it": "Chiedi delle regole: {command} Chi inizia? Ogni risposta è una citazione del "
        "regolamento, con il punto in cui si trova.",
    },
    "hit": {"en": "This was it", "de": "Das war es", "it": "Era questo"},
    "miss": {"en": "Not it", "de": "Das war es nicht", "it": "Non era questo"},
    "thanks": {
        "en": "Thank you, this is kept.",
        "de": "Danke, das ist notiert.",
        "it": "Grazie, preso nota.",
    },
    "too-late": {
        "en": "This answer is too old to say something of it. Please ask again.",
        "de": "Diese Antwort ist zu alt, um etwas dazu zu sagen. Bitte frag noch einmal.",
        "it": "Questa risposta è troppo vecchia per dirne qualcosa. Chiedi di nuovo.",
    },
}


def known_language(locale: str | None) -> str:
    """Return the bots' language for ``locale`` ("de-AT"); English for all others."""
    language = (locale or "").replace("_", "-").partition("-")[0].lower()
    return language if language in LANGUAGES else "en"


def say(name: str, locale: str | None, **values: object) -> str:
    """Return the sentence ``name`` in the language of ``locale``."""
    return _SENTENCES[name][known_language(locale)].format(**values)
