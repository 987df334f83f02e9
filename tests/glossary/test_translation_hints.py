import pytest

from corpus.document import Document
from corpus.read import read
from glossary.comparison import (
    DifferenceKind,
    EditionComparison,
    compare_editions,
)
from glossary.comparison.numbers import unmatched_numbers
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.comparison.term_usage import TermUsage
from glossary.concepts import load_concepts
from glossary.name_finder import NameFinder
from glossary.normalization import tokenize
from service.editions.comparison import compare_in_library, comparison_table
from tests.conftest import ROOT, SAMPLE
from tests.glossary.planted import plant
from tests.glossary.read_hints import hint_keys, judgements
from tests.glossary.test_joined_sentences import WORDS

CHAMPIONS = "marvel-champions-de-1.5", "marvel-champions-it-1.7"


def numbers(german, italian):
    """The likely differences, as figures."""
    left, right = unmatched_numbers(german, "de", italian, "it").likely
    return [use.value for use in left], [use.value for use in right]


@pytest.mark.parametrize(
    ("german", "italian", "left", "right"),
    [
        ("Wähle einen der vier Pegel.", "Scegli 1 dei 5 livelli.", ["4"], ["5"]),
        ("Ziehe drei Karten.", "Pesca 3 carte.", [], []),
        ("Der Pegel sinkt auf null.", "Il livello scende a 0.", [], []),
        ("Ziehe eine Karte.", "Pesca la carta.", [], []),
        ("Wirf zweimal beide Würfel.", "Tira due volte entrambi i dadi.", [], []),
        ("Nimm doppelt so viele Marker.", "Prendi il doppio dei segnalini, cioè 2 volte.", [], []),
        ("die Hälfte des Decks", "metà del mazzo", [], []),
        ("Wirf 2W6 und zähle 2–4 Punkte.", "Tira 2d6 e conta 2-4 punti.", [], []),
        ("Wirf 2W6.", "Tira 3d6.", ["2d6"], ["3d6"]),
        ("Mehr als 8 Karten", "9 o più carte", [], []),
        ("Nicht mehr als vier Anker", "Non più di 3 ancore", ["4"], ["3"]),
        (
            "Nicht mehr als zwei Anker. Zwei Anker halten.",
            "Non più di 1. Due ancore.",
            ["2"],
            ["1"],
        ),
        (
            "Der zweite Spieler beginnt in Schritt 3.",
            "Il secondo giocatore inizia nel passo Marea.",
            [],
            [],
        ),
        ("In Schritt 3 steigt der Pegel.", "Al passo 4 il livello sale.", ["3"], ["4"]),
        ("Spiele Anker (Hafenpack, 32).", "Gioca Ancora.", [], []),
        ("1. Ziehe Karten.\n2. Decke auf.", "• Pesca carte.\n• Rivela.", [], []),
        ("Siehe Seite 12 und 13.", "Vedi sopra.", [], []),
        ("Du bist betäubt: drei Karten.", "Sei stordito seguito da due punti: 3 carte.", [], []),
        ("Zwei oder mehr Karten", "Più carte", [], []),
        ("Lege keine Karte ab.", "Scarta 0 carte.", [], []),
        ("Lege X Karten je Spieler ab.", "Scarta X carte per giocatore.", [], []),
    ],
)
def test_numbers_are_the_same_however_they_are_put(german, italian, left, right):
    assert numbers(german, italian) == (left, right)


def hints(comparison):
    return [
        (row, each)
        for pair in comparison.pairs
        for row in pair.rows
        for each in (*row.differences, *row.doubtful)
    ]


@pytest.mark.parametrize(
    ("old", "new", "number"),
    [
        ("stanno al massimo tre attrezzi", "stanno al massimo dodici attrezzi", "12"),
        ("stanno al massimo tre marinai", "stanno al massimo 14 marinai", "14"),
        ("Ognuno mette tre segnalini", "Ognuno mette 21 segnalini", "21"),
    ],
)
def test_a_changed_number_is_a_likely_difference(altered, old, new, number):
    likely = [d for _, d in hints(altered((old, new))) if not d.doubtful]
    assert [d for d in likely if d.kind is DifferenceKind.NUMBERS and number in d.right]


def test_a_word_that_looks_like_a_term_is_a_false_friend(altered):
    comparison = altered(("Un pilota o un marinaio attacca", "Un pilota o un matroso attacca"))
    [difference] = [d for _, d in hints(comparison) if d.kind is DifferenceKind.FALSE_FRIENDS]
    assert difference.left == ("sailor",)
    assert [e.words for e in difference.evidence[1]] == ["matroso"]


def test_every_hint_says_where_its_words_stand(altered):
    comparison = altered()
    passages = {
        p.id: p for pair in comparison.pairs for row in pair.rows for p in (*row.left, *row.right)
    }
    evidence = [
        each for _, difference in hints(comparison) for side in difference.evidence for each in side
    ]
    assert {"Fünf"} <= {each.words for each in evidence}
    assert all(
        passages[each.passage].display[each.start : each.end] == each.words for each in evidence
    )


def test_doubtful_hints_make_no_difference(altered):
    rows = [row for pair in altered().pairs for row in pair.rows]
    assert any(row.doubtful for row in rows)
    assert all(not d.doubtful for row in rows for d in row.differences)
    assert any(row.doubtful and row.status == "same" for row in rows)


@pytest.fixture(scope="module")
def champions(real_library) -> EditionComparison:
    return compare_in_library(real_library, *CHAMPIONS)


@pytest.mark.parametrize(("kind", "least"), [("terms", 0.7), ("numbers", 0.9)])
def test_most_hints_are_right_to_a_reader_of_both_languages(champions, kind, least):
    known = judgements(*CHAMPIONS)
    listed = hint_keys(champions, kind)
    judged = [known[key] for key in listed if key in known]
    assert len(judged) >= 0.8 * len(listed)
    assert sum(judged) / len(judged) >= least


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (155, "terms"),  # "is not discarded" is "is kept"
        (308, "clauses"),  # "which means that it is not": few words that say something
        (493, "conditions"),  # "so lange …, wie"
        (523, "clauses"),  # only names the entry
        (1556, "order"),  # an aside stands elsewhere
        (2043, "conditions"),  # "finché … non" is "bis"
        (3120, "clauses"),  # one side says it twice
    ],
)
def test_what_both_sides_say_in_other_words_is_no_likely_warning(champions, line, kind):
    [row] = [
        row
        for pair in champions.pairs
        for row in pair.rows
        if row.right and any(p.lines.first == line for p in row.left)
    ]
    assert kind not in {each.kind for each in row.differences}


@pytest.mark.acceptance
def test_planted_differences_are_found(real_library, champions):
    found = plant(real_library, champions, number=40)
    assert found.planted == {"numbers": 40, "terms": 40, "conditions": 40}
    assert found.likely["numbers"] >= 34
    assert found.any["terms"] >= 16
    assert found.any["conditions"] >= 16


@pytest.mark.parametrize(
    "put",
    [
        lambda text: text.replace("ä", "\\u00e4").replace("ö", "\\u00f6"),
        lambda text: text.replace("ä", "&auml;").replace("ö", "&#246;"),
        lambda text: text.replace("Karte ", "Kar\u00adte\u00a0").replace("der ", "der&nbsp;"),
        lambda text: text.replace("Spiel", "Sp\u200biel").replace("ö", "o\u0308"),
    ],
)
def test_escapes_are_no_differences(put, altered, sample):
    text = (SAMPLE / "pegelwacht-de-1.1.txt").read_text(encoding="utf-8")
    books = []
    for made in (
        text,
        "".join(
            put(line) if line[:1] in "•-" or "." in line else line
            for line in text.splitlines(keepends=True)
        ),
    ):
        document = Document.from_bytes("some.txt", made.encode())
        books.append(
            read(
                document,
                next(r.edition for r in sample.rulebooks if r.edition.id == "pegelwacht-de-1.1"),
            )
        )
    same = compare_editions(books[0], books[1], {}, {}, ())
    assert [d for pair in same.pairs for row in pair.rows for d in row.differences] == []
    assert summary(altered(left=books[1])) == summary(altered())


def summary(comparison):
    return [(d.kind.value, d.left, d.right) for _, d in hints(comparison) if not d.doubtful]


def test_the_walk_of_the_manual_shows_what_the_command_prints(champions):
    manual = (ROOT / "docs" / "translators.md").read_text(encoding="utf-8")
    walk = manual.partition("≠ Anhang")[2].partition("```")[0].rstrip()
    assert walk.count("\n") == 3
    assert f"≠ Anhang{walk}\n\n" in comparison_table(champions)
    assert "perhaps " in comparison_table(champions, "ANGRIFF (GEGNER-AKTIVIERUNG)")


@pytest.mark.parametrize(
    ("old", "new", "actor"),
    [
        ("Quanto sopporta il relitto.", "Quanto sopporta il marinaio.", "sailor"),
        ("Di quanto il relitto alza", "Di quanto il marinaio alza", "sailor"),
    ],
)
def test_another_actor_is_a_likely_difference(altered, old, new, actor):
    likely = [d for _, d in hints(altered((old, new))) if not d.doubtful]
    assert [d for d in likely if d.kind is DifferenceKind.TERMS and actor in d.right]


@pytest.mark.parametrize(
    ("language", "concept", "phrase", "term"),
    [
        ("it", "response", "la risposta a un conflitto", "Innesca una risposta."),
        ("it", "choose-element", "nell'ordine a scelta del giocatore", "una scelta"),
    ],
)
def test_a_term_in_a_set_phrase_is_none(language, concept, phrase, term):
    finder = NameFinder(load_concepts("marvel-champions"), language)

    def named(text):
        return {each for use in finder.find(tokenize(text)) for each, _ in use.concepts}

    assert concept in named(term)
    assert concept not in named(phrase)


@pytest.mark.parametrize(
    ("german", "doubtful"), [("waserdicht", True), ("wasserdihct", True), ("rot", False)]
)
def test_a_term_with_a_typo_is_no_likely_difference(german, doubtful):
    texts = [
        (f"Der {a} ist {b}, {c} zählt nicht.", f"Il {x} è {y}, {z} non conta.")
        for a, x in WORDS
        for c, z in WORDS
        for b, y in (("wasserdicht", "impermeabile"), ("hier", "qui"))
        if a != c
    ]
    new = (
        f"Der Anker ist {german}, Bug zählt nicht.",
        "Il ancora è impermeabile, prua non conta.",
    )
    texts.append(new)
    aligner = SentenceAligner([([one], [other]) for one, other in texts], ("de", "it"))
    usage = TermUsage(("de", "it"), load_concepts("pegelwacht"), aligner, texts)
    [found], _ = usage.alone(new, 0.0, likely=True, sure=True)
    assert (found.right, found.doubtful) == (("waterproof",), doubtful)
