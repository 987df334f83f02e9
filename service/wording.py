"""The words of the pages: English in the code, German and Italian here, chosen by what the browser asks for."""

from __future__ import annotations

from flask import has_request_context, request

LANGUAGES = ("de", "it", "en")
DEFAULT = "en"

# English wording → German, Italian. The rulebooks' own wording is never translated and never stands here.
CATALOGUE: dict[str, tuple[str, str]] = {
    "Ask the rulebook": ("Frag das Regelwerk", "Chiedi al regolamento"),
    "Rulings for card games, in the rulebook's own words": (
        "Regelauskunft für Kartenspiele im Wortlaut der Regelwerke",
        "Risposte sulle regole dei giochi di carte, con le parole del regolamento",
    ),
    "Regula, to the start page": ("Regula, zur Startseite", "Regula, alla pagina iniziale"),
    "Skip to the answer": ("Zur Antwort springen", "Vai alla risposta"),
    "Skip to the text": ("Zum Text springen", "Vai al testo"),
    "Your question": ("Deine Frage", "La tua domanda"),
    "Question, card or rule number": ("Frage, Karte oder Regelnummer", "Domanda, carta o numero di regola"),
    "Ask": ("Fragen", "Chiedi"),
    "Search in": ("Suchen in", "Cerca in"),
    "All rulebooks": ("Alle Regelwerke", "Tutti i regolamenti"),
    "all editions": ("alle Ausgaben", "tutte le edizioni"),
    "Answer to: %(question)s": ("Antwort auf: %(question)s", "Risposta a: %(question)s"),
    "What the rulebook says": ("Das sagt das Regelwerk", "Cosa dice il regolamento"),
    "Further passages": ("Weitere Stellen", "Altri passi"),
    "Show more passages": ("Mehr Stellen zeigen", "Mostra altri passi"),
    "The rulebook does not settle this": ("Das Regelwerk klärt das nicht", "Il regolamento non lo chiarisce"),
    "No passage decides this question. The nearest ones are listed below; none of them is an answer.": (
        "Keine Stelle entscheidet diese Frage. Unten stehen die nächstliegenden; eine Antwort ist keine davon.",
        "Nessun passo decide questa domanda. Sotto ci sono i più vicini; nessuno di essi è una risposta.",
    ),
    "No passage has anything to do with these words. Try other words, or search in all rulebooks.": (
        "Keine Stelle hat mit diesen Worten zu tun. Versuche es mit anderen Worten oder in allen Regelwerken.",
        "Nessun passo riguarda queste parole. Prova con altre parole o in tutti i regolamenti.",
    ),
    "What holds then": ("Was dann gilt", "Che cosa vale allora"),
    "The game's own rule for what its rulebook leaves open": (
        "Die Regel des Spiels für alles, was sein Regelwerk offenlässt",
        "La regola del gioco per ciò che il regolamento lascia aperto",
    ),
    "Nearest passages": ("Nächstliegende Stellen", "Passi più vicini"),
    "Whole entry": ("Ganzer Eintrag", "Voce completa"),
    "Printed again": ("Ebenso gedruckt", "Stampato anche"),
    "See also": ("Siehe auch", "Vedi anche"),
    "p. %(page)s": ("S. %(page)s", "p. %(page)s"),
    "Section": ("Abschnitt", "Sezione"),
    "Term": ("Begriff", "Termine"),
    "Pointer": ("Verweis", "Rimando"),
    "Rule": ("Regel", "Regola"),
    "Ruling": ("FAQ", "FAQ"),
    "Correction": ("Errata", "Errata"),
    "Subsection": ("Unterabschnitt", "Sottosezione"),
    "German": ("Deutsch", "Tedesco"),
    "Italian": ("Italienisch", "Italiano"),
    "English": ("Englisch", "Inglese"),
    "You are here": ("Du bist hier", "Sei qui"),
    "Place": ("Stelle", "Posizione"),
    "Edition": ("Ausgabe", "Edizione"),
    "Printed page": ("Gedruckte Seite", "Pagina stampata"),
    "Lines": ("Zeilen", "Righe"),
    "Line": ("Zeile", "Riga"),
    "Document": ("Dokument", "Documento"),
    "Card number": ("Kartennummer", "Numero della carta"),
    "Product": ("Produkt", "Prodotto"),
    "For programs (JSON)": ("Für Programme (JSON)", "Per programmi (JSON)"),
    "In this section": ("In diesem Abschnitt", "In questa sezione"),
    "References": ("Verweise", "Rimandi"),
    "Referred to by": ("Wird genannt in", "Citata in"),
    "Previous": ("Zurück", "Precedente"),
    "Next": ("Weiter", "Successiva"),
    "Previous and next entry": ("Voriger und nächster Eintrag", "Voce precedente e successiva"),
    "Replaced wording, no longer valid": ("Ersetzter Wortlaut, gilt nicht mehr", "Testo sostituito, non più valido"),
    "and %(count)s more": ("und %(count)s weitere", "e altre %(count)s"),
    "printed without a target": ("Ziel fehlt im Regelwerk", "la destinazione manca nel regolamento"),
    "wrong number in print": ("Nummer falsch gedruckt", "numero stampato errato"),
    "other title in print": ("Titel anders gedruckt", "titolo stampato diverso"),
    "ambiguous in print": ("im Druck mehrdeutig", "ambiguo nella stampa"),
    "leads out of this document": ("führt aus diesem Dokument hinaus", "porta fuori da questo documento"),
    "Rulebooks loaded": ("Geladene Regelwerke", "Regolamenti caricati"),
    "version %(version)s": ("Version %(version)s", "versione %(version)s"),
    "1 entry": ("1 Eintrag", "1 voce"),
    "%(count)s entries": ("%(count)s Einträge", "%(count)s voci"),
    "Every answer is a quotation with its place in the rulebook. Nothing is paraphrased.": (
        "Jede Antwort ist ein Zitat mit seiner Stelle im Regelwerk. Nichts wird umschrieben.",
        "Ogni risposta è una citazione con il suo posto nel regolamento. Nulla è parafrasato.",
    ),
    "Index %(id)s, built %(built)s UTC": ("Index %(id)s, erstellt %(built)s UTC", "Indice %(id)s, creato %(built)s UTC"),
    "Back to the start page": ("Zur Startseite", "Alla pagina iniziale"),
    "Try again": ("Erneut versuchen", "Riprova"),
    "This page does not exist": ("Diese Seite gibt es nicht", "Questa pagina non esiste"),
    "The address may be mistyped, or the entry belongs to a rulebook that is not loaded here.": (
        "Vielleicht ist die Adresse vertippt, oder der Eintrag gehört zu einem Regelwerk, das hier nicht geladen ist.",
        "Forse l'indirizzo è sbagliato, o la voce appartiene a un regolamento che qui non è caricato.",
    ),
    "The rulebooks are still being read": ("Die Regelwerke werden noch gelesen", "I regolamenti sono ancora in lettura"),
    "There is no index yet. Building one takes a few minutes at most; then this page works.": (
        "Es gibt noch keinen Index. Ihn zu bauen dauert höchstens ein paar Minuten; dann geht es hier weiter.",
        "Non c'è ancora un indice. Costruirlo richiede al massimo qualche minuto; poi questa pagina funziona.",
    ),
    "Something went wrong here": ("Hier ist etwas schiefgegangen", "Qui qualcosa è andato storto"),
    "It was not your question. The fault has been written to the log.": (
        "An deiner Frage lag es nicht. Der Fehler steht im Protokoll.",
        "Non dipende dalla tua domanda. L'errore è stato registrato.",
    ),
    "This request cannot be answered": ("Diese Anfrage lässt sich nicht beantworten", "A questa richiesta non si può rispondere"),
    "The address asks for something that this page does not do.": (
        "Die Adresse verlangt etwas, das diese Seite nicht tut.",
        "L'indirizzo chiede qualcosa che questa pagina non fa.",
    ),
    "Please put this as a question of at most %(limit)s characters.": (
        "Bitte stell eine Frage mit höchstens %(limit)s Zeichen.",
        "Fai una domanda di al massimo %(limit)s caratteri.",
    ),
    "The question holds characters that cannot be shown. Please type it again.": (
        "Die Frage enthält Zeichen, die sich nicht anzeigen lassen. Bitte tippe sie neu.",
        "La domanda contiene caratteri che non si possono mostrare. Riscrivila, per favore.",
    ),
    "This rulebook is not loaded here. Please choose one of the list.": (
        "Dieses Regelwerk ist hier nicht geladen. Bitte wähle eines aus der Liste.",
        "Questo regolamento non è caricato qui. Scegline uno dall'elenco.",
    ),
    "only in %(edition)s": ("nur in %(edition)s", "solo in %(edition)s"),
    "not alike": ("verschieden", "diverso"),
    "alike": ("gleich", "uguale"),
    "1 entry is alike": ("1 Eintrag ist gleich", "1 voce è uguale"),
    "%(count)s entries are alike": ("%(count)s Einträge sind gleich", "%(count)s voci sono uguali"),
    "Number": ("Zahl", "Numero"),
    "Symbol": ("Symbol", "Simbolo"),
    "Reference": ("Verweis", "Rimando"),
    "Renamed": ("Umbenannt", "Rinominato"),
    "Moved": ("Verschoben", "Spostato"),
    "Divided differently": ("Anders aufgeteilt", "Diviso diversamente"),
    "Words that only the left edition has are struck through, words that only the right one has are underlined.": (
        "Wörter, die nur die linke Ausgabe hat, sind durchgestrichen; Wörter, die nur die rechte hat, unterstrichen.",
        "Le parole che ha solo l'edizione a sinistra sono barrate; quelle che ha solo l'edizione a destra, sottolineate.",
    ),
    "Named is what should survive a translation and only one side has: numbers, symbols, terms, references.": (
        "Genannt ist, was eine Übersetzung überstehen sollte und nur eine Seite hat: Zahlen, Symbole, Begriffe, Verweise.",
        "È indicato ciò che una traduzione dovrebbe conservare e che ha solo un lato: numeri, simboli, termini, rimandi.",
    ),
    "A term that was put freely is named too: a hint where to look, not a verdict.": (
        "Auch ein frei übersetzter Begriff ist genannt: ein Hinweis, wo man nachsehen sollte, kein Urteil.",
        "Anche un termine tradotto liberamente è indicato: un suggerimento su dove guardare, non un verdetto.",
    ),
}


def language() -> str:
    """The language of the pages for this request."""
    if not has_request_context():
        return DEFAULT
    return request.accept_languages.best_match(LANGUAGES, DEFAULT) or DEFAULT


def gettext(message: str, **values: object) -> str:
    """``message`` in the language of this request, ``%(name)s`` filled in; the English itself where it has no translation."""
    spoken = language()
    if spoken != "en" and message in CATALOGUE:
        message = CATALOGUE[message][("de", "it").index(spoken)]
    return message % values if values else message
