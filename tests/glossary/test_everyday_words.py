import pytest

from glossary.concepts import load_concepts
from glossary.recognition import TermRecogniser


def test_terms_of_another_language_are_no_words_of_this_one(word_tables):
    recogniser = TermRecogniser(load_concepts("pegelwacht"), word_tables, ("de", "it", "en"))
    assert "hand-size" in {
        mention.concept for mention in recogniser.mentions("Que fait ma main ?", "fr")
    }
    assert "hand-size" not in {
        mention.concept
        for mention in recogniser.mentions("What happens in the main channel?", "en")
    }


def test_french_words_are_no_inflected_italian_ones_but_names_as_they_are_written_count(
    word_tables,
):
    recogniser = TermRecogniser(load_concepts("marvel-champions"), word_tables, ("de", "it", "en"))

    def named(question):
        return {mention.name for mention in recogniser.mentions(question, "fr")}

    assert named("Que se passe-t-il ?") == set()
    assert "Verbündeter" in named("Que fait un Verbündeter ?")
    assert "villain" in named("Les villains attaquent-ils ?")


@pytest.mark.parametrize(
    ("game", "text", "language", "concept"),
    [
        ("lorcana", "Die Figur habe ich diesen Zug ausgespielt.", "de", "drying"),
        ("lorcana", "Da ist noch Summoning Sickness drauf.", "de", "drying"),
        ("lorcana", "È appena entrato in gioco.", "it", "drying"),
        ("lorcana", "She came in this turn.", "en", "drying"),
        ("lorcana", "Kann ich damit blocken?", "de", "bodyguard"),
        ("lorcana", "Muss ich den geopfert haben?", "de", "banish"),
        ("lorcana", "Va al cimitero?", "it", "banish"),
        ("lorcana", "Il est épuisé.", "fr", "exert"),
        ("marvel-champions", "Der Minion greift an.", "de", "attack-enemy"),
        ("marvel-champions", "El villano ataca.", "es", "villain"),
        ("marvel-champions", "sojusznikiem", "pl", "ally"),
        ("marvel-champions", "Calo un altro alleato.", "it", "play-put-into-play"),
    ],
)
def test_what_players_say_is_tied_to_terms(word_tables, game, text, language, concept):
    recogniser = TermRecogniser(load_concepts(game), word_tables, ("de", "it", "en"))
    assert concept in {mention.concept for mention in recogniser.mentions(text, language)}


@pytest.mark.parametrize(
    ("game", "text", "language", "concept"),
    [
        ("lorcana", "Wer greift Mickey gleich an?", "de", "rush"),
        ("lorcana", "Er spielt eine Karte aus.", "de", "triggered-ability"),
        ("lorcana", "Will er eine volle Runde?", "de", "evasive"),
        ("marvel-champions", "Mi pare poco, meno di tre.", "it", "attack-player"),
        ("marvel-champions", "Can I fill the rest of my deck?", "en", "recovery"),
        ("marvel-champions", "Potato", "it", "may"),
        ("marvel-champions", "Cos'è un tram?", "it", "scheme-card"),
        ("marvel-champions", "Che cos'è una mazza?", "it", "deck"),
        ("marvel-champions", "Tocca alle carte.", "it", "ally"),
        ("marvel-champions", "La mia mano è piena.", "it", "resource"),
        ("marvel-champions", "Does Iron Man hold more cards?", "en", "resource"),
        ("lorcana", "Geht es jetzt los?", "de", "win-the-game"),
    ],
)
def test_everyday_words_are_not_tied_to_terms(word_tables, game, text, language, concept):
    recogniser = TermRecogniser(load_concepts(game), word_tables, ("de", "it", "en"))
    assert concept not in {mention.concept for mention in recogniser.mentions(text, language)}
