"""The schema of a language file: one `Language`, with its words grouped by use.

`Words` are plain words, compared as they are. `Patterns` are regular expressions, mostly plain
words too; a blank matches any white space. They have their usual capitals, though most uses ignore
case.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict

from corpus.data_files import Fields

Pattern = str
Words = tuple[str, ...]
Patterns = tuple[Pattern, ...]


class LanguageFields(Fields):
    """Base class: instances are immutable, and lists in YAML become tuples."""

    model_config = ConfigDict(frozen=True, strict=False)


class CitationWords(LanguageFields):
    """The words of citations, and of answers on the command line."""

    line: str  # "Z."
    page: str  # "S."
    sheet: str = "sheet"  # "Blatt": before the number of a page without a printed number
    also: str  # "auch", before further places with the same text
    quotes: tuple[str, str]  # the opening and the closing mark
    unsettled: str  # the answer if no passage settles the question
    fallback: str  # the same, before the game's own rule for unsettled questions
    nearest: str  # the same, before the nearest passages


class ReferenceWords(LanguageFields):
    """Words that refer to another place in a text."""

    see: Patterns = ()  # "siehe"
    also: Patterns = ()  # "auch", as in "siehe auch"
    related: Patterns = ()  # "Related", before a colon: heads a list of references
    compare: Patterns = ()  # "vgl."
    by: Patterns = ()  # "according to": before a number or quoted title
    by_law: Patterns = ()  # the same in statutes, before a number: "abweichend von"
    between: Patterns = ()  # may come between these words and the name: "unter", "bei"
    details: Patterns = ()  # "Näheres", with a preposition and a name after it
    details_at: Patterns = ()  # the prepositions: "Näheres bei"
    heed: Patterns = ()  # "beachten", after a name
    rule_names: Patterns = ()  # endings of one-word names of rules: "-verbot" in "Rückzugsverbot"
    rule_name_endings: Patterns = ()  # inflectional endings of such a name
    above: Patterns = ()
    below: Patterns = ()
    section: Patterns = ()  # before the number or the quoted title of a section
    rule: Patterns = ()  # before the number of a rule
    rules: Patterns = ()  # before the numbers of several rules, never in a heading: "articoli"
    places: Patterns = ()  # further words before the number of a rule, never in a heading: "Punkt"
    appendices: Patterns = ()  # further words before the number or letter of an appendix
    numero: Patterns = ()  # between such a word and the number: "Nr."
    since: Patterns = ()  # before the first number of a range: "von"
    parts: Patterns = ()  # before the number of a part of a rule: "Abs."
    sentences: Patterns = ()  # before the number of a sentence of a rule: "Satz"
    of: Patterns = ()  # between a part and its rule: "comma 2 dell'art. 5"
    books: Patterns = ()  # nouns that name a whole document: "Satzung"
    laws: Patterns = ()  # nouns and abbreviations that name laws, which are not rulebooks: "BGB"
    following: Patterns = ()  # after a number: "ff."
    especially: Patterns = ()  # between the name of a law and its articles: "insbesondere"
    own: Patterns = ()  # before a noun for this document itself: "dieser Satzung"
    entry: Patterns = ()  # before the quoted title of an entry
    until: Patterns = ()  # between the first and the last number of a range
    page: Patterns = ()  # before a page number
    of_pages: Patterns = ()  # between a page number and the number of all pages


class DocumentWords(LanguageFields):
    """Words in the titles of documents."""

    rules: Patterns = ()  # the last word for rules: "bylaws"
    clubs: Patterns = ()  # in the name of a club or federation
    gazettes: Patterns = ()  # in the name of a gazette or a site with the rules of others
    policy: Patterns = ()  # in the title of a document on tournaments and penalties
    formats: Patterns = ()  # in the title of a document on formats and the cards legal in them


class SectionWords(LanguageFields):
    """Headings of sections. A pattern matches the whole heading unless noted."""

    glossary: Patterns = ()
    questions: Patterns = ()
    errata: Patterns = ()  # also within a longer heading
    corrections: Patterns = ()  # other headings of errata
    misprints: Patterns = ()  # within the heading of a section on misprinted cards
    contents: Patterns = ()
    preface: Patterns = ()  # heads a text, but is not its title
    components: Patterns = ()  # heads a table of contents or a list of what is in the box
    index: Patterns = ()
    changes: Patterns = ()  # the beginning of a heading of a change log
    appendix: Patterns = ()  # before the number or the letter of an appendix
    general_questions: Patterns = ()  # within a heading of questions on no card in particular


class LabelWords(LanguageFields):
    """Labels at the beginning of a line or paragraph."""

    question: Patterns = ()  # before a colon
    answer: Patterns = ()  # before a colon
    example: Patterns = ()
    for_example: Patterns = ()
    example_abbreviation: Patterns = ()
    old_wording: Patterns = ()  # before a colon, with more words between
    old_text: Patterns = ()  # right before a colon
    new_text: Patterns = ()  # right before a colon
    change: Patterns = ()  # what was changed, or why: right before a colon
    note: Patterns = ()  # heads a remark
    warning: Patterns = ()  # opens a remark and heads nothing
    version: Patterns = ()  # before the number of a version
    revision: Patterns = ()  # before the number of a revision, if no version is printed
    edition: Patterns = ()  # further words before the number of a version
    as_of: Patterns = ()  # before the date of a version
    effective: Patterns = ()  # before the date from which a text is valid
    adopted: Patterns = ()  # some words before the date on which a text was adopted
    dated: Patterns = ()  # before the date of a text in its title: "of"
    laws: Patterns = ()  # in a sentence that names the laws on which a text is based
    others: Patterns = ()  # before a version: it is that of another document
    itself: Patterns = ()  # begin a sentence on the document itself: "This …"
    credits: Patterns = ()  # before the version of a licence or a program
    authors: Patterns = ()  # before the names of authors
    numbering: Patterns = ()  # before a number in a heading: "Art. 5", "Chapter 3"
    dropped: Patterns = ()  # in place of the text of a deleted rule: "repealed"
    articles: Patterns = ()  # those of `numbering` that number rules within chapters: "Art. 5"
    counted: Patterns = ()  # after a number with a full stop in a heading: "2. Abschnitt"
    ordinals: Patterns = ()  # ordinals before or after such a label: "first", "second", …
    figures: Patterns = ()  # before the number of a figure, in its caption
    back_to_top: Patterns = ()  # a link to the beginning of an online rulebook
    page_controls: Patterns = ()  # controls of a web page: "Skip to content"
    link_texts: Patterns = ()  # the same, if the whole text is a link: "Print"


class SentenceWords(LanguageFields):
    """Words that show where sentences, names and compounds begin and end."""

    indefinites: Patterns = ()  # begin a sentence that defines nothing: "Some cards …"
    definers: Patterns = ()  # after a name, begin its definition: "denotes"
    conjunctions: Patterns = ()  # "und": between names
    alternatives: Patterns = ()  # "oder": between names
    further: Patterns = ()  # "sowie": between names
    articles: Patterns = ()  # before a name in the nominative
    all_articles: Patterns = ()  # before a name in any case
    article_elisions: Patterns = ()  # articles before an apostrophe: "l'"
    joined_articles: Patterns = ()  # prepositions with an article that lead to a name: "zum"
    other_joined_articles: Patterns = ()  # other prepositions with an article: "beim"
    elisions: Words = ()  # words before an apostrophe: "dell'"
    clippings: Words = ()  # words that an apostrophe shortens at the beginning: "'ne"
    abbreviations: Patterns = ()  # a full stop after these ends no sentence
    numbering_abbreviations: Patterns = ()  # the same, but only before a number: "No. 5"
    initials: Patterns = ()  # letters that begin an abbreviation of two: "z. B."
    never_last: Patterns = ()  # no sentence ends with these
    binding: Patterns = ()  # no paragraph ends with these; some may end sentences, as particles
    openers: Patterns = ()  # begin sentences: capitals where a heading ran into its text
    opener_elisions: Patterns = ()  # the same, before an apostrophe
    finite_verbs: Patterns = ()  # a line with one of these is no heading
    not_verbs: Patterns = ()  # words with `verb_endings` that are not verbs
    verb_endings: Patterns = ()  # words with the endings of finite verbs
    exceptions: Patterns = ()  # words that make an exception
    conditions: Patterns = ()  # begin a conditional clause: "wenn"
    limitations: Patterns = ()  # begin a clause that limits the one before it: "aber nur"
    denials: Patterns = ()  # words that deny, inflected: "keinen"
    idle_denials: Patterns = ()  # phrases in which such a word denies nothing: "oder nicht"
    denying: Patterns = ()  # express a denial without such a word: "other than", "lacks", "remains"
    permissions: Patterns = ()  # say what may be done
    duties: Patterns = ()  # say what must be done
    cannot_end: Words = ()  # no sentence ends with these, except those in `can_end`
    can_end: Words = ()
    clause_openers: Words = ()  # no sentence ends with one of these before a word of `can_end`
    noun_follows: Words = ()  # no sentence ends with one of these before a word in small letters
    repeatable: Words = ()  # may be repeated: ", die die Spieler"
    set_phrases: Words = ()  # phrases that do not name the terms in them: "in der Regel"


class DecisiveWords(LanguageFields):
    """Whole words that change the meaning of a quotation if they are left out."""

    negations: Patterns = ()
    exceptions: Patterns = ()  # make an exception or limit: "nur"
    conditions: Patterns = ()  # begin conditions, or make a rule optional
    numbers: Patterns = ()  # beside the words in `NumberWords`: "twice", "at most"


class FunctionWords(LanguageFields):
    """Function words that are ignored in comparisons of names, by the kind of comparison."""

    in_titles: Words = ()  # in small letters in title case
    in_references: Words = ()  # ignored when references are matched to headings
    in_card_names: Words = ()  # ignored when card names are recognised
    in_translations: Words = ()  # ignored when titles in two languages are compared
    telling: Words = ()  # identify the language if spaCy has no stop words for it


class LookUpWords(LanguageFields):
    """Words around a name that somebody looks up ("how does … work?"), folded."""

    asking: Patterns = ()  # a look-up has at least one of these words, unless it is only the name
    beside: Patterns = ()  # the only other words that a look-up may have
    articles: Words = ()  # before a name, without asking anything
    steps: Patterns = ()  # ask for the steps of the named thing, and may be a name themselves
    pointing: Patterns = ()  # refer to something without naming it: "the game", "this card"


class QuestionWords(LanguageFields):
    """Words of players' questions, folded: lower case without accents, "ae" for "ä"."""

    words: Words = ()  # only mark a question; ignored in a search
    negations: Words = ()  # decide rulings; never ignored
    definition: Patterns = ()  # ask what something means; {thing} is one or two words at the end
    look_ups: LookUpWords = LookUpWords()
    openings: Patterns = ()  # not folded: greet or ask for an answer before a question
    announcements: Patterns = ()  # the same, before a colon, comma or full stop: "Eine Frage:"
    closings: Patterns = ()  # the same, after a question
    stories: Patterns = ()  # in a clause that tells how a question came up: "we argued about this"
    fillers: Patterns = ()  # clauses without a question of their own: "what do you think?"
    means: Words = ()  # beside a word whose meaning is asked: "means"
    amounts: Patterns = ()  # a question for a number: "how many"
    price_questions: Patterns = ()  # a question for a price
    price_words: Patterns = ()  # beside a price
    age_questions: Patterns = ()  # a question for an age
    age_words: Patterns = ()  # beside an age
    duration_questions: Patterns = ()  # a question for how long something takes
    duration_words: Patterns = ()  # beside a time
    timing: Patterns = ()  # a question for when something happens
    differences: Patterns = ()  # not folded: before the names of two things, "difference between"
    kinds: Patterns = ()  # ask which things of a kind exist, folded
    ruling: Patterns = ()  # a question for rulings
    errata: Patterns = ()  # a question for the erratum of a card: "was wurde an … geändert?"
    beginnings: Patterns = ()  # may precede the verb that begins a question
    verbs: Patterns = ()  # begin questions that are answered with yes or no
    first_step: Patterns = ()  # ask for the first step of something: "what happens first?"
    step: Patterns = ()  # before the number of a step
    ordinal: Patterns = ()  # after the number of a step
    card: Patterns = ()  # before the number of a card
    cards: Patterns = ()  # before "number" and the number of a card
    number: Patterns = ()  # "number"
    card_types: Words = ()  # before the name of a card
    interrogatives: Patterns = ()  # begin questions that are not answered with yes or no
    states: Patterns = ()  # begin questions on what something is or has: "is", "has"
    subjects: Words = ()  # follow the verb only in questions
    conditions: Words = ()  # begin a clause that says when
    leaning: Words = ()  # refer back to earlier text
    onward: Patterns = ()  # begin a follow-up question
    pronouns: Patterns = ()  # refer to something before them
    determiners: Words = ()  # before a noun to which a pronoun may refer
    expletives: Patterns = ()  # phrases in which a pronoun has no referent: "it is allowed"
    rewordings: Patterns = ()  # begin the same question in other words
    first_person: Words = ()  # first person, which card text never has
    card_text: Patterns = ()  # typical of card text
    card_labels: Patterns = ()  # before a colon and card text
    confirmations: Words = ()  # ask whether something is right, or where it is printed
    policy: Patterns = ()  # penalties and procedure of tournaments
    formats: Patterns = ()  # what is legal in a format, banned, or rotates out of it


class FormatKind(LanguageFields):
    """The names of one kind of game format."""

    headings: Patterns = ()  # in a heading, with no other word than `FormatWords.settings`
    questions: Words = ()  # in a question, folded: beginnings of words, or words before a blank


class FormatWords(LanguageFields):
    """Names of game formats (variants, modes) to which some rules are limited."""

    settings: Patterns = ()  # beside the name of a format: "mode", "play", "rules"
    modes: Patterns = ()  # heads a section on ways to play, including the usual one
    variants: Patterns = ()  # heads a section of rules that apply only in variants
    usual: Patterns = ()  # begins the name of the usual way to play
    multiplayer: FormatKind = FormatKind()
    team: FormatKind = FormatKind()
    limited: FormatKind = FormatKind()
    campaign: FormatKind = FormatKind()
    solo: FormatKind = FormatKind()
    expert: FormatKind = FormatKind()


class SequenceWords(LanguageFields):
    """Words for consecutive steps."""

    first: Patterns = ()  # begins the first step: "first"
    following: Patterns = ()  # begins a later step: "second", "then"
    step: Patterns = ()  # before the number of a step in its heading: "phase"
    announced: Patterns = ()  # says that steps follow
    below: Patterns = ()  # refers to the next text: "the following", "listed here"
    order: Patterns = ()  # asks for the order of steps, in a question, folded
    time: Patterns = ()  # in a heading: a period of the game, or the order of events
    spans: Patterns = ()  # the last word of the name of a period, the longest period first: "turn"
    ordered: Patterns = ()  # before a list whose items happen one after another
    begins: Patterns = ()  # a period begins
    ends: Patterns = ()  # a period ends
    again: Patterns = ()  # play continues with a numbered step
    repeated: Patterns = ()  # the previous steps are repeated
    earlier: Patterns = ()  # always introduces a later event: "before"
    later: Patterns = ()  # always introduces an earlier event: "after"


class NumberWords(LanguageFields):
    """Numbers in words, folded."""

    zero: Words = ()
    none: Words = ()  # means 0: "no"
    one: Words = ()  # also the indefinite article
    from_two: Words = ()  # two, three, four and so on
    groups: Words = ()  # groups of people, from two on: "zu viert"
    ordinals: Words = ()  # first, second, third and so on
    both: Words = ()  # means 2: "both"
    double: Patterns = ()  # means times 2: "twice"
    half: Words = ()
    ambiguous: Words = ()  # number words that are mostly another word: "sei" (six, and "are")
    idioms: Patterns = ()  # in which a number word does not count: "due punti" (a colon)
    times: Words = ()  # endings of number words: "dreimal", "dreifach"
    counted_before: Patterns = ()  # show that the article after them is a number: "at least"
    counted_after: Patterns = ()  # show that the article before them is a number: "or more"
    several: Patterns = ()  # mean several, after 1 or 2: "or more"
    below: Patterns = ()  # before a number that is not reached: "fewer than"
    above: Patterns = ()  # before a number that is exceeded: "more than"


class WordForms(LanguageFields):
    """Data on the inflection, derivation and compounding of words."""

    families: tuple[Words, ...] = ()  # words of one root with different stems
    endings: Pattern | None = None  # endings in which two forms of a word may differ, folded
    # Pairs of endings of words that are not forms of one word.
    derivations: tuple[Words, ...] = ()
    verb_endings: Words = ()  # names with these endings have forms beyond `endings`
    verb_name_endings: Words = ()  # of verbs and adjectives, with a capital only in headings
    declension: Words = ()  # endings of nouns, without a stemmer, the longest first
    participle: str = ""  # an ending that the stemmer does not remove
    links: Words = ()  # linking letters between the parts of a compound
    compounds_with: Words = ()  # other languages whose words may be part of a compound
    particles: Words = ()  # of separable verbs, the longest first
    particle_endings: Words = ()  # of the finite forms of separable verbs
    infinitives: Words = ()  # endings of infinitives
    pronouns: Words = ()  # appended to the verb before them
    infinitive_vowel: str = ""  # the vowel that an infinitive drops before a pronoun: "assegnarlo"
    pronoun_infinitives: Words = ()  # infinitive endings for imperatives like "assegnalo"
    gerund: str = ""


class OppositeWords(LanguageFields):
    """Words that make two names opposites of each other, folded."""

    denials: Words = ()  # whole words that deny: "not"
    beside: Words = ()  # small words beside only one of two opposites: "out of play", "in play"
    prefixes: Words = ()  # that negate the rest of the word
    pairs: tuple[tuple[str, str], ...] = ()  # words, or beginnings of words with the same end
    acting: Pattern | None = None  # an active participle, with its <stem>: "challenging"
    acted_on: Pattern | None = None  # a passive participle, with <before> and <stem>: "challenged"


class SpellingFacts(LanguageFields):
    """Data for the spelling check."""

    shortest: int = 6  # letters; shorter words are not checked
    inflection: Pattern | None = None  # endings in which forms of one word differ
    endings: Words = ()  # of words that dictionaries do not list
    prefixes: Words = ()
    base_endings: Words = ()  # turn a word without its ending into one that dictionaries list
    compound_links: Words = ()
    infixes: Words = ()  # within a verb: "herauszufordern"
    quotes: tuple[str, str] = ("“", "”")  # the opening mark and all closing marks, in print
    opposites: Words = ()  # texts differ in meaning if only one of them has these
    feminine_articles: Words = ()  # only before feminine nouns
    other_gender: Mapping[str, str] = {}  # the right article for one with the wrong gender


class Language(LanguageFields):
    """The data of one language: ``code`` is its ISO 639-1 code, ``name`` its English name.
    Languages are listed by ascending ``rank``.
    """

    code: str
    name: str
    citation: CitationWords
    unknown_rulebook: str  # title of a rulebook that no edition file describes
    rank: int = 100
    stemmer: str = ""  # of Snowball; without one, words are compared as they are
    letters: str = ""  # small letters beyond a to z
    transliteration: Mapping[str, str] = {}  # how letters are typed out: ä is ae
    capitalised_nouns: bool = False
    references: ReferenceWords = ReferenceWords()
    documents: DocumentWords = DocumentWords()
    sections: SectionWords = SectionWords()
    labels: LabelWords = LabelWords()
    sentences: SentenceWords = SentenceWords()
    decisive: DecisiveWords = DecisiveWords()
    function_words: FunctionWords = FunctionWords()
    questions: QuestionWords = QuestionWords()
    formats: FormatWords = FormatWords()
    sequences: SequenceWords = SequenceWords()
    numbers: NumberWords = NumberWords()
    # Words of card texts for when, how often and to whom an effect applies, by meaning; all
    # languages have the same keys.
    card_conditions: Mapping[str, Patterns] = {}
    forms: WordForms = WordForms()
    opposites: OppositeWords = OppositeWords()
    spelling: SpellingFacts = SpellingFacts()
