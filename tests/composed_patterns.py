"""Call the functions that compose regular expressions from their arguments, so that
`tests.found_patterns` sees the results.
"""

from __future__ import annotations

from unittest.mock import Mock

from corpus import anchors, editions, imprint, restored_signs
from corpus.cards import symbols
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.languages import LANGUAGES, get_language
from corpus.languages.registry import check_patterns
from corpus.layouts.outline import printed_numbers, remarks
from corpus.torn_words import TornWords
from glossary.aliases import Alias, AliasKind
from glossary.check import spelling
from glossary.comparison import card_texts, rewording, segments, sentence_text
from glossary.recognition import AliasIndex
from glossary.references import anywhere, cited_rules, section_titles, spelled_numbers
from glossary.terms import opposites, term_description, term_names
from glossary.tokenizer import RuleTokenizer
from glossary.word_tables import spacy_pipeline
from index.cards import rule_links
from index.layers import layer_search, ruling_matching
from index.questions import asking_sentences, look_up
from index.ranking import amounts, boosts
from index.search import Index
from index.timing import announced, sequences
from service.answers.verify import citation_reports
from service.answers.verify.citations import CitationFinder
from service.browse import entry_view, lookup
from service.editions import concordance, yaml_edits
from service.ops.settings import Settings
from service.web import headers

SOME = "Öl an Bord (2)"  # sample text that patterns are composed from


def compose() -> None:
    """Compose every pattern that is made from text of a document, a data file or a user."""
    document = Document.from_bytes("some.txt", f"{SOME}\n".encode())
    for each in described_editions():
        editions.recognition_lines(document, each.edition.id)
        editions._printed_version(document, each)
        for place in (place for places in each.edition.lost_signs.values() for place in places):
            restored_signs._pattern(place)
    for game in symbols._described():
        symbols._notation(game)
    anchors._patterns(SOME)
    TornWords("fl ache")
    printed_numbers.parse_number("Zwölfter Teil")
    anywhere._AnyReferenceFinder._is_lost(Mock(), SOME.lower())
    AliasIndex([Alias(SOME, "★", "de", AliasKind.SYMBOL, False, ("★",))], Mock())
    spelling._small("fläche")
    for counted in (cited_rules._RULE, cited_rules._PART, cited_rules._ITEM_WORD):
        spelled_numbers._patterns(counted)
    spelled_numbers._value("zweite")
    sentence_text._unmarked("4.2 an", "4.2")
    term_description.PrintedForms([SOME]).have(SOME)
    edition = Mock(id="some", title=SOME)
    assert CitationFinder(Mock(editions=[edition]))._titles
    citation_reports.numbers_differ(SOME, SOME, "de")
    list(concordance.find_concordance(Mock(editions=()), SOME))
    term_names.mentions([SOME], [SOME])
    rule_links._described()
    card = Mock(texts=lambda: [Mock(display="Nasses Holz — Ziehe 1 Karte.")])
    search = Mock(cards=Mock(get=lambda game, id: card))
    list(layer_search.LayerSearch._abilities_of(search, Mock(cards=("1",)), SOME))
    ruling_matching._whole_name(SOME)
    lookup.sought_pattern(SOME)
    entry_view._place(SOME, SOME)
    yaml_edits.find_block(SOME, SOME)
    headers.depends_on_origin("/", Settings(cors_origins=("https://a.example",)))
    sequences._stem(SOME)
    lookup_of_one = Mock(edition_number=lambda number: 0, bounds=(0, 0))
    other = Mock(other_game=lambda parsed, games: SOME)
    Index._other_game(Mock(parser=other, lookup=lookup_of_one), Mock(), (), 0)
    step = Mock(number="2", words=SOME, entries=(), targets=())
    asking_sentences.question_patterns(LANGUAGES)
    look_up.named_game("some-game")
    look_up.named_game("behind", is_word=True)
    for language in LANGUAGES:
        check_patterns(language, get_language(language))
        card_texts.CardTextReader("", language).read(SOME, [SOME])
        sentence_text.SegmentText((), language)
        segments._Judge((language, language), (), Mock(), ())
        section_titles._Patterns(language).rule_mention([SOME])
        asking_sentences.question_patterns((language,))
        RuleTokenizer.from_spacy(spacy_pipeline(language).tokenizer).prepare()
        library = Mock(edition={"some": Mock(language=language)})
        sequences.Timing(library)._names(Mock(entry=Mock(edition="some", title=SOME)), step)
        for kind in boosts._DOCUMENT_WORDS:
            boosts.document_pattern(kind, language)
        for labels in ("labels.effective", "labels.as_of", "labels.adopted"):
            imprint._label_pattern(labels, language)
        remarks._labels(language)
        for measure in ("price", "age", "duration"):
            amounts._asking(language, measure)
            amounts._beside(language, measure)
        amounts._asking(language)
        for compose_of in (
            spelling._bare_ordinal,
            spelling._article_and_noun,
            rewording._conditions,
            term_description._indefinite,
            announced._following,
            announced._several,
            citation_reports._examples,
            citation_reports._limits,
            citation_reports._condition,
        ):
            compose_of(language)
        rewording._is_reference((tuple(SOME.split()), ()), language)
        rewording._is_alternative(tuple(SOME.split()), language)
        opposite = get_language(language).opposites
        opposites._antonyms("an", "bord", opposite, language, set())
        for words in ("questions.interrogatives", "sentences.finite_verbs"):
            term_names._patterns(words, language)
