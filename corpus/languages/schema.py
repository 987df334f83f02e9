"""The schema of a language file: one `Language`, with its words grouped by use.

`Words` are plain words in the form in which they are compared. `Patterns` are regular expressions,
mostly plain words too; a blank in one stands for any white space. They are written with their usual
capitals, though most uses ignore case.
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
    """The wording of citations and answers on the terminal."""

    line: str  # "Z."
    page: str  # "S."
    sheet: str = "sheet"  # "Blatt": before the number of a page on which none is printed
    also: str  # "auch", before further places with the same text
    quotes: tuple[str, str]  # the opening and the closing mark
    unsettled: str  # what is said where no passage settles the question
    fallback: str  # what is said before the game's own rule for that
    nearest: str  # what is said before the nearest passages


class ReferenceWords(LanguageFields):
    """Words that refer to another place in a text."""

    see: Patterns = ()  # "siehe"
    also: Patterns = ()  # "auch", as in "siehe auch"
    related: Patterns = ()  # "Related", before a colon: heads a list of references
    compare: Patterns = ()  # "vgl."
    by: Patterns = ()  # "according to": before a number or quoted title
    by_law: Patterns = ()  # the same in statutes, before a number: "abweichend von"
    between: Patterns = ()  # what may stand between these words and the name: "unter", "bei"
    details: Patterns = ()  # "Näheres", with a preposition and a name after it
    details_at: Patterns = ()  # the prepositions: "Näheres bei"
    heed: Patterns = ()  # "beachten", after a name
    rule_names: Patterns = ()  # what the name of a rule in one word ends with: "Rückzugsverbot"
    rule_name_endings: Patterns = ()  # of such a name in another case
    above: Patterns = ()
    below: Patterns = ()
    section: Patterns = ()  # what stands before the number or the quoted title of a section
    rule: Patterns = ()  # what stands before the number of a rule
    rules: Patterns = ()  # before the numbers of several, and heads none: "articoli"
    places: Patterns = ()  # further words before the number of a rule that head none: "Punkt"
    appendices: Patterns = ()  # further words before the number or letter of an appendix
    numero: Patterns = ()  # between such a word and the number: "Nr."
    since: Patterns = ()  # before the first number of a range: "von"
    parts: Patterns = ()  # before the number of a part of a rule: "Abs."
    sentences: Patterns = ()  # before the number of a sentence of one: "Satz"
    of: Patterns = ()  # between a part and its rule: "comma 2 dell'art. 5"
    books: Patterns = ()  # nouns that name a whole document: "Satzung"
    laws: Patterns = ()  # the same of laws, which no rulebook is, and short for them: "BGB"
    following: Patterns = ()  # behind a number: "ff."
    especially: Patterns = ()  # between the name of a law and its articles: "insbesondere"
    own: Patterns = ()  # before such a noun where it is this document: "dieser"
    entry: Patterns = ()  # what stands before the quoted title of an entry
    until: Patterns = ()  # between the first and the last number of a range
    page: Patterns = ()  # before a page number
    of_pages: Patterns = ()  # between a page number and the number of all pages


class DocumentWords(LanguageFields):
    """Words in the titles of documents."""

    rules: Patterns = ()  # the last word for rules: "bylaws"
    clubs: Patterns = ()  # in the name of a club or federation
    gazettes: Patterns = ()  # in the name of a gazette or a site with the rules of others
    policy: Patterns = ()  # on tournaments and penalties
    formats: Patterns = ()  # on formats, and the cards and sets that are legal in them


class SectionWords(LanguageFields):
    """Headings of sections. A pattern matches the whole heading unless noted."""

    glossary: Patterns = ()
    questions: Patterns = ()
    errata: Patterns = ()  # also within a longer heading
    corrections: Patterns = ()  # other headings of errata
    misprints: Patterns = ()  # within the heading of a section on misprinted cards
    contents: Patterns = ()
    components: Patterns = ()  # can be a table of contents or a list of what is in the box
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
    revision: Patterns = ()  # before that of a revision, where no version is printed
    edition: Patterns = ()  # further words before the number of a version
    as_of: Patterns = ()  # before the date of a version
    effective: Patterns = ()  # before the date from which a text holds
    adopted: Patterns = ()  # some words before the date on which a text was adopted
    dated: Patterns = ()  # before the date of a text in its title: "of"
    laws: Patterns = ()  # in a sentence that names the laws on which a text is based
    others: Patterns = ()  # before a version: it is that of another document
    itself: Patterns = ()  # begin a sentence on the document itself: "This …"
    credits: Patterns = ()  # before the version of a licence or a program
    authors: Patterns = ()  # before the names of authors
    numbering: Patterns = ()  # before a number in a heading: "Art. 5", "Chapter 3"
    dropped: Patterns = ()  # in place of the text of a rule that is no longer there: "repealed"
    articles: Patterns = ()  # those of them that number what stands in chapters: "Art. 5"
    counted: Patterns = ()  # behind a number with a full stop in a heading: "2. Abschnitt"
    ordinals: Patterns = ()  # before or behind such a label: for first, second, third and so on
    figures: Patterns = ()  # before the number of a figure, in its caption
    back_to_top: Patterns = ()  # a link to the beginning of an online rulebook
    page_controls: Patterns = ()  # of a page on the web, and nothing of its text: "Skip to content"
    link_texts: Patterns = ()  # the same, where it is a link: "Print"


class SentenceWords(LanguageFields):
    """Words that show where sentences, names and compounds begin and end."""

    indefinites: Patterns = ()  # begin a sentence that defines nothing: "Some cards …"
    definers: Patterns = ()  # behind a name at the beginning of a text that explains it: "denotes"
    conjunctions: Patterns = ()  # "und": between names
    alternatives: Patterns = ()  # "oder": between names
    further: Patterns = ()  # "sowie": between names
    articles: Patterns = ()  # before a name in the nominative
    all_articles: Patterns = ()  # before a name in any case
    article_elisions: Patterns = ()  # articles before an apostrophe: "l'"
    joined_articles: Patterns = ()  # prepositions with an article that lead to a name: "zum"
    other_joined_articles: Patterns = ()  # other prepositions with an article: "beim"
    elisions: Words = ()  # words before an apostrophe: "dell'"
    clippings: Words = ()  # words behind an apostrophe that stands for their beginning: "'ne"
    abbreviations: Patterns = ()  # a full stop after these ends no sentence
    numbering_abbreviations: Patterns = ()  # the same, before a number alone: "No. 5"
    initials: Patterns = ()  # letters that begin an abbreviation of two: "z. B."
    never_last: Patterns = ()  # no sentence ends with these
    binding: Patterns = ()  # no paragraph ends with these; some end sentences, as parts of verbs
    openers: Patterns = ()  # begin sentences: capitals where a heading ran into its text
    opener_elisions: Patterns = ()  # the same, before an apostrophe
    finite_verbs: Patterns = ()  # a line with one of these is no heading
    not_verbs: Patterns = ()  # words of `verb_endings` that are no verbs
    verb_endings: Patterns = ()  # words that end as finite verbs do
    exceptions: Patterns = ()  # words that make an exception
    conditions: Patterns = ()  # begin a clause that says when something holds: "wenn"
    limitations: Patterns = ()  # begin a clause that limits the one before it: "aber nur"
    denials: Patterns = ()  # words that deny, inflected: "keinen"
    idle_denials: Patterns = ()  # where such a word denies nothing: "oder nicht"
    denying: Patterns = ()  # may say what others deny: "other than", "lacks", "remains"
    permissions: Patterns = ()  # say what may be done
    duties: Patterns = ()  # say what must be done
    cannot_end: Words = ()  # no sentence ends with these, but for those in `can_end`
    can_end: Words = ()
    clause_openers: Words = ()  # no sentence ends with one of these and a word of `can_end`
    noun_follows: Words = ()  # no sentence ends with one of these and a word in small letters
    repeatable: Words = ()  # may stand twice in succession: ", die die Spieler"
    set_phrases: Words = ()  # words that are no names of terms together: "in der Regel"


class DecisiveWords(LanguageFields):
    """Whole words without which a quotation would mean something else."""

    negations: Patterns = ()
    exceptions: Patterns = ()  # make an exception or limit: "nur"
    conditions: Patterns = ()  # say when something holds, or whether it has to
    numbers: Patterns = ()  # beside the words in `NumberWords`: "twice", "at most"


class FunctionWords(LanguageFields):
    """Function words that are ignored when names are compared, by comparison."""

    in_titles: Words = ()  # small letters in title case
    in_references: Words = ()  # passed over where references are tied to headings
    in_card_names: Words = ()  # passed over where cards are recognised
    in_translations: Words = ()  # passed over where titles in two languages are compared
    telling: Words = ()  # tell the language, where spaCy has no stop words for it


class LookUpWords(LanguageFields):
    """Words, folded, around a name that somebody looks up: "how does … work?"."""

    asking: Patterns = ()  # at least one of these words is there, unless the name is all there is
    beside: Patterns = ()  # and none but these
    articles: Words = ()  # stand before a name and ask nothing
    steps: Patterns = ()  # ask for the steps of what is named, and may be a name themselves
    pointing: Patterns = ()  # point at something without naming it: "the game", "this card"


class QuestionWords(LanguageFields):
    """Words of players' questions, folded: lower case without accents, "ae" for "ä"."""

    words: Words = ()  # ask and mean nothing else; passed over in a search
    negations: Words = ()  # decide rulings; never passed over
    definition: Patterns = ()  # what something means; {thing} is one or two words at the end
    look_ups: LookUpWords = LookUpWords()
    openings: Patterns = ()  # not folded: greet or ask for an answer before a question
    announcements: Patterns = ()  # the same, before a colon, comma or full stop: "Eine Frage:"
    closings: Patterns = ()  # the same, behind a question
    stories: Patterns = ()  # in a clause that tells how it came up: "we argued about this"
    fillers: Patterns = ()  # make a clause that asks nothing by itself: "what do you think?"
    means: Words = ()  # beside a word that is asked about as a word
    amounts: Patterns = ()  # a question for a number: "how many"
    price_questions: Patterns = ()  # a question for a price
    price_words: Patterns = ()  # one of them stands beside a price
    age_questions: Patterns = ()  # a question for an age
    age_words: Patterns = ()  # one of them stands beside an age
    duration_questions: Patterns = ()  # a question for how long something takes
    duration_words: Patterns = ()  # one of them stands beside a time
    timing: Patterns = ()  # a question for when something happens
    differences: Patterns = ()  # not folded: before the names of two things, "difference between"
    kinds: Patterns = ()  # a question for the things of a kind that there are, folded
    ruling: Patterns = ()  # a question for rulings
    errata: Patterns = ()  # a question for the erratum of a card: "was wurde an … geändert?"
    beginnings: Patterns = ()  # may stand before the verb that begins a question
    verbs: Patterns = ()  # begin questions that are answered with yes or no
    first_step: Patterns = ()  # ask for the first step of something: "what happens first?"
    step: Patterns = ()  # before the number of a step
    ordinal: Patterns = ()  # after the number of a step
    card: Patterns = ()  # before the number of a card
    cards: Patterns = ()  # before "number" and the number of a card
    number: Patterns = ()  # "number"
    card_types: Words = ()  # before the name of a card
    interrogatives: Patterns = ()  # begin questions that are not answered with yes or no
    subjects: Words = ()  # stand behind the verb in questions only
    conditions: Words = ()  # begin a clause that says when
    leaning: Words = ()  # point back to what was said before
    onward: Patterns = ()  # begin a question that goes on from the one before it
    pronouns: Patterns = ()  # words that stand for something before them
    determiners: Words = ()  # before a noun that a pronoun may stand for
    expletives: Patterns = ()  # where a pronoun stands for nothing
    rewordings: Patterns = ()  # begin the same question in other words
    first_person: Words = ()  # tell of a game that is played, as card text never does
    card_text: Patterns = ()  # card text has these
    card_labels: Patterns = ()  # before a colon and card text
    confirmations: Words = ()  # of a question whether one is right, or where that is printed
    policy: Patterns = ()  # penalties and procedure of tournaments
    formats: Patterns = ()  # what is legal in a format, banned, or rotates out of it


class FormatKind(LanguageFields):
    """The names of one kind of format."""

    headings: Patterns = ()  # in a heading, with nothing beside it but `FormatWords.settings`
    questions: Words = ()  # in a question, folded: beginnings of words; a blank ends the word


class FormatWords(LanguageFields):
    """Names of formats to which some rules are limited: variants, modes."""

    settings: Patterns = ()  # what goes with the name of a format: "mode", "play", "rules"
    modes: Patterns = ()  # heads a section on ways to play, the usual one among them
    variants: Patterns = ()  # heads a section of rules that hold in variants alone
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
    below: Patterns = ()  # says that what it speaks of comes next: "the following", "listed here"
    order: Patterns = ()  # asks for the order of steps, in a question, folded
    time: Patterns = ()  # in a heading: a stretch of the game, or the order of what happens
    spans: Patterns = ()  # the last word of the name of a stretch, the outermost first
    ordered: Patterns = ()  # before a list: its items happen one after another
    begins: Patterns = ()  # a stretch of time begins
    ends: Patterns = ()  # a stretch of time ends
    again: Patterns = ()  # one goes on with a step that is named by its number
    repeated: Patterns = ()  # the steps before are repeated
    earlier: Patterns = ()  # surely tells what something comes before: "before"
    later: Patterns = ()  # surely tells what something comes after: "after"


class NumberWords(LanguageFields):
    """Numbers in words, folded."""

    zero: Words = ()
    none: Words = ()  # says 0 without naming it: "no"
    one: Words = ()  # the indefinite article too
    from_two: Words = ()  # two, three, four and so on
    groups: Words = ()  # from two on, of people together: "zu viert"
    ordinals: Words = ()  # first, second, third and so on
    both: Words = ()  # says 2 without naming it: "both"
    double: Patterns = ()  # the same of a product: "twice"
    half: Words = ()
    ambiguous: Words = ()  # number words that are mostly another word: "sei" (six, and "are")
    idioms: Patterns = ()  # with a number word that counts nothing: "due punti" (a colon)
    times: Words = ()  # what a number word may end with: "dreimal", "dreifach"
    counted_before: Patterns = ()  # before an article that is a number: "at least"
    counted_after: Patterns = ()  # behind one: "or more"
    several: Patterns = ()  # makes a 1 or 2 before it the plural: "or more"
    below: Patterns = ()  # before a number that is not reached: "fewer than"
    above: Patterns = ()  # before a number that is exceeded: "more than"


class WordForms(LanguageFields):
    """How words are inflected, derived and compounded."""

    families: tuple[Words, ...] = ()  # words of one root whose stems do not tell so
    endings: Pattern | None = None  # what two forms of a word may end with, folded
    # Pairs of endings of words that are no forms of one another.
    derivations: tuple[Words, ...] = ()
    verb_endings: Words = ()  # names that end so have forms that `endings` does not tell
    verb_name_endings: Words = ()  # of verbs and adjectives, with a capital only in headings
    declension: Words = ()  # endings of nouns, without a stemmer, the longest first
    participle: str = ""  # an ending that the stemmer leaves
    links: Words = ()  # what links the parts of a compound
    compounds_with: Words = ()  # other languages whose words may be part of a compound
    particles: Words = ()  # of separable verbs, the longest first
    particle_endings: Words = ()  # of the finite forms of separable verbs
    infinitives: Words = ()  # endings of infinitives
    pronouns: Words = ()  # written in one word with the verb before them
    infinitive_vowel: str = ""  # what an infinitive loses before a pronoun: "assegnarlo"
    pronoun_infinitives: Words = ()  # endings of infinitives, of imperatives like "assegnalo"
    gerund: str = ""


class OppositeWords(LanguageFields):
    """How names say the opposite of each other; all words are folded."""

    denials: Words = ()  # whole words that deny: "not"
    beside: Words = ()  # small words that stand with one of them alone: "out of play", "in play"
    prefixes: Words = ()  # that negate the word behind them
    pairs: tuple[tuple[str, str], ...] = ()  # words, or beginnings of words with the same end
    acting: Pattern | None = None  # a participle that does, with its <stem>: "challenging"
    acted_on: Pattern | None = None  # one that is done to, with <before> and <stem>: "challenged"


class SpellingFacts(LanguageFields):
    """Data for the spelling check."""

    shortest: int = 6  # letters of a word that can be told to be misspelt
    inflection: Pattern | None = None  # endings by which forms of one word differ
    endings: Words = ()  # of words that dictionaries do not list
    prefixes: Words = ()
    base_endings: Words = ()  # make a word without its ending one that dictionaries list
    compound_links: Words = ()
    infixes: Words = ()  # within a verb: "herauszufordern"
    quotes: tuple[str, str] = ("“", "”")  # the opening mark and all closing marks, in print
    opposites: Words = ()  # two texts of which only one has these say different things
    feminine_articles: Words = ()  # stand before feminine nouns alone
    other_gender: Mapping[str, str] = {}  # what is meant where an article has the wrong gender


class Language(LanguageFields):
    """One language. ``code`` is its ISO 639-1 code, ``name`` its English name; languages are listed
    by ascending ``rank``.
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
    # Words of card texts that say when, how often and for whom something holds, by what they mean;
    # names are the same in every language.
    card_conditions: Mapping[str, Patterns] = {}
    forms: WordForms = WordForms()
    opposites: OppositeWords = OppositeWords()
    spelling: SpellingFacts = SpellingFacts()
