import pytest

from corpus.languages import LANGUAGES
from index.questions.question_parser import QuestionParser

ASKED = {
    "de": [
        "Darf mein nasser Lotse noch rudern?",
        "handlimit am ende der runde",
        "Wer entscheidet, wenn mehrere Effekte gleichzeitig passieren?",
        "Mein Kahn hat zwei Löcher. Sinkt er am Ende der Runde?",
        "Verfällt Öl, das ich nicht ausgebe?",
        "combo mit zwei wracks legal?",
        "Was macht Be Our Guest?",  # names of cards are often in another language
        "Was ist Behind?",
    ],
    "it": [
        "Il mio pilota bagnato può ancora remare?",
        "limite di carte in mano a fine turno",
        "Chi decide se ci sono più effetti insieme?",
        "La mia barca ha due falle, affonda alla fine del turno?",
        "L'olio che non spendo va perso?",
        "se il relitto attacca posso difendere con un marinaio?",
        "Cosa fa Under the Sea?",
    ],
    "en": [
        "May my soaked pilot still row?",
        "hand limit at the end of the round",
        "Who decides when several effects happen at once?",
        "My boat has two leaks, does it sink at the end of the round?",
        "Is oil lost that I do not spend?",
        "How many cards do I draw?",
        "What does Die drei Lotsen do?",
        "Was an ally exhausted?",
        "Was that legal?",
    ],
    "fr": [
        "Mon pilote mouillé peut-il encore ramer ?",
        "Combien de cartes ai-je le droit de garder en main ?",
        "Qui décide quand plusieurs effets ont lieu en même temps ?",
        "Ma barque a deux fuites, est-ce qu'elle coule à la fin du tour ?",
        "est-ce que l'huile non dépensée est perdue",
        "L'épave attaque, je peux défendre avec un marin épuisé ?",
    ],
    "es": [
        "¿Puede remar todavía mi piloto mojado?",
        "cuántas cartas puedo tener en la mano",
        "¿Quién decide si hay varios efectos a la vez?",
        "Mi barca tiene dos vías de agua, ¿se hunde al final de la ronda?",
        "¿Se pierde el aceite que no gasto?",
        "Si el pecio me ataca, ¿puedo defender con un marinero agotado?",
    ],
    "pt": [
        "O meu piloto molhado ainda pode remar?",
        "Quantas cartas posso manter na mão no fim da rodada?",
        "Quem decide quando há vários efeitos ao mesmo tempo?",
        "O meu barco tem dois furos, ele afunda no fim da rodada?",
        "O óleo que não gasto fica perdido?",
        "Se o destroço me ataca, posso defender com um marinheiro exausto?",
    ],
    "nl": [
        "Mag mijn natte loods nog roeien?",
        "hoeveel kaarten mag ik in mijn hand houden",
        "Wie beslist er als meerdere effecten tegelijk gebeuren?",
        "Mijn boot heeft twee lekken, zinkt hij aan het einde van de ronde?",
        "Raak ik olie kwijt die ik niet uitgeef?",
        "Het wrak valt aan, kan ik verdedigen met een uitgeputte matroos?",
    ],
    "pl": [
        "Czy mój przemoczony pilot może jeszcze wiosłować?",
        "ile kart mogę mieć na ręce",
        "Kto decyduje, gdy kilka efektów dzieje się naraz?",
        "Moja łódź ma dwa przecieki, czy zatonie na koniec rundy?",
        "Czy tracę olej, którego nie wydam?",
        "Wrak atakuje, mogę bronić wyczerpanym marynarzem?",
    ],
}


@pytest.fixture(scope="module")
def reader(sample_index) -> QuestionParser:
    return QuestionParser(sample_index.library, sample_index.analyzer.tables)


def test_every_language_has_questions():
    assert set(ASKED) == set(LANGUAGES)


@pytest.mark.parametrize("language", ASKED)
def test_the_language_of_a_question_is_told(reader, language):
    assert [(text, reader.parse(text).language) for text in ASKED[language]] == [
        (text, language) for text in ASKED[language]
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I giocatori possono parlare?", "it"),
        ("I punti valgono doppio?", "it"),
        ("i gettoni avanzati", "it"),
        ("I token di Power Up si rimuovono?", "it"),
        ("I draw two cards, then what?", "en"),
        ("i lost my token what now", "en"),
    ],
)
def test_the_italian_article_i_is_no_english_word(reader, text, language):
    assert reader.parse(text).language == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("challenge damage beide simultan", "de"),
        ("wreck und minion combo", "de"),
        ("combinare skirmish con expert", "it"),
        ("hazard icon in breve", "it"),
        ("no te lo fa fare?", "it"),
        ("total damage or per pilot", "en"),
    ],
)
def test_short_questions_with_terms_of_another_language_are_in_none_that_no_rulebook_is_in(
    reader, text, language
):
    assert reader.parse(text).language in ("de", "it", "en"), language


@pytest.mark.parametrize(
    ("text", "language", "concept"),
    [
        ("Mon pilote est trempé.", "fr", "soaked"),
        ("¿Cuánto daño hace?", "es", "damage"),
        ("O piloto está exausto?", "pt", "exhausted"),
        ("Gaat mijn olie verloren?", "nl", "oil"),
        ("Czy wrak atakuje?", "pl", "wreck"),
        ("Mon Mana est perdu ?", "fr", "oil"),
    ],
)
def test_terms_are_read_in_the_question_s_language_and_in_those_of_the_game(
    reader, text, language, concept
):
    assert concept in {
        mention.concept for mention in reader.parse(text, language).mentions["pegelwacht"]
    }
