import pytest

from index.analysis import Analyzer, folded
from index.building.build import NothingToRead, build
from index.building.snapshots import Snapshots
from index.model import Query
from index.ranking.amounts import lacks_measure, states_amount
from index.ranking.confidence import Settlement
from index.search import Index
from tests.conftest import TESTS, built_once

SMALL = TESTS / "corpus" / "small"
CUP = """# Kahnpokal

## Vorrunde

### Strafen

Wer zu spät ablegt, zahlt eine Laterne.

### Aufbau

Jede Mannschaft stellt zwei Kähne auf.

## Halbfinale

### Strafen

Wer zu spät ablegt, setzt eine Fahrt aus.

### Aufbau

#### Allein

Ein Kahn steht am Steg.

#### Zu zweit

Die Kähne stehen Bug an Bug.

## Finale

### Strafen

Wer zu spät ablegt, fährt nicht mehr mit.
"""
CRANE = """# Kran

## Karten

Jeder erhält:

| Spieler | Karten |
|--|--|
| 2 | 10 |
| 3 | 8 |
| 4 | 7 |

## Punkte

| Ware | Kahn | Lager |
|--|--|--|
| Hering | 2 | 1 |
| Sandstein | 3 | 2 |
| Bernstein | 5 | 4 |
"""
COPPA = """# Coppa

## Squadre

### Iscrizione

Il capitano consegna il modulo entro maggio.

### Ritiro

Chi si ritira perde la cauzione.

## Arbitri

### Iscrizione

L'arbitro scrive alla federazione.
"""

FLEET = """# Flottenfahrt

## Mannschaft

Eine Mannschaft meldet ihre Lotsen vor der ersten Fahrt dem Hafenmeister.

Zu einer Mannschaft gehören drei bis fünf Lotsen.

Wer nicht mehr mitfahren will, scheidet nach der Fahrt aus.

## Fahrt

Die Dauer einer Fahrt sagt der Hafenmeister an, bevor sie beginnt.

Jede Fahrt endet nach 20 Minuten am Steg.

Fahnen kosten Geld, das die Mannschaft selbst bezahlt.

Eine Fahne gibt es beim Hafenmeister für 7 Taler.

## Kähne

| Mannschaften | Kähne | Fahnen |
|---|---|---|
| 2 | 8 | 4 |
| 3 | 11 | 6 |
| 4 | 15 | 9 |
| 5 | 17 | 10 |

Kähne ohne Fahne bleiben am Steg.
"""

DICE = """# Würfelpass

## Wörter

Anwurf (oder „Auftakt“) bezeichnet den ersten Wurf einer Runde.

Fuchs: ein Wurf mit drei gleichen Augen.

Der Fuchs darf im Anwurf nicht zählen.

"Max. X je Becher" beschränkt die Steine, die ein Becher während einer Runde im Ganzen aufnimmt.

"Max. X je Spieler" beschränkt die Steine, die vor einem Spieler liegen.

## Anwurf

Vor dem Anwurf:

- Jeder legt zwei Steine in die Mitte, und der Älteste mischt die Becher.
- Der Jüngste bestimmt, wer den Anwurf macht.

## Passen

2. Der Becher

Wer passt, stellt den Becher umgedreht vor sich, und der nächste Wurf zählt doppelt.
"""


@pytest.fixture(scope="module")
def index(shared, tmp_path_factory) -> Index:
    folder = tmp_path_factory.mktemp("small-search") / "rulebooks"
    folder.mkdir()
    for name in ("doppelt.md", "sprache.md"):
        (folder / name).write_bytes((SMALL / name).read_bytes())
    (folder / "pokal.md").write_text(CUP, encoding="utf-8")
    (folder / "coppa.md").write_text(COPPA, encoding="utf-8")
    (folder / "flotte.md").write_text(FLEET, encoding="utf-8")
    (folder / "wuerfel.md").write_text(DICE, encoding="utf-8")
    snapshots = built_once(folder, shared, "small-search")
    current = snapshots.current()
    assert current is not None
    return Index.load(snapshots.path(current))


def _asked(index, question, document):
    return index.search(Query(question, document=document))


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        ("doppelt.md", "Ablauf der Verteidigung", "Der Verteidiger"),
        ("doppelt.md", "Kosten Verteidigung", "Eine Verteidigung"),
        ("doppelt.md", "Was kostet eine Verteidigung?", "Eine Verteidigung"),
        ("doppelt.md", "Angriff Kosten", "Ein Angriff"),
        ("pokal.md", "Strafen im Halbfinale", "Wer zu spät ablegt, setzt"),
        ("pokal.md", "Welche Strafe droht im Finale?", "Wer zu spät ablegt, fährt"),
        ("pokal.md", "Aufbau zu zweit", "Die Kähne"),
        ("coppa.md", "iscrizione delle squadre", "Il capitano"),
        ("coppa.md", "Come funziona l'iscrizione degli arbitri?", "L'arbitro"),
    ],
)
def test_a_heading_and_the_one_around_it_are_found(index, document, question, answer):
    first = _asked(index, question, document).hits[0]
    assert first.passage.text.startswith(answer)


@pytest.mark.parametrize(
    ("document", "question", "count"),
    [("doppelt.md", "Ablauf", 2), ("pokal.md", "Strafen", 3), ("coppa.md", "Iscrizione", 2)],
)
def test_a_heading_that_stands_at_several_places_settles_nothing(index, document, question, count):
    found = _asked(index, question, document)
    assert found.settled is Settlement.LIKELY
    titles = {index.library.entry[hit.passage.entry].title for hit in found.hits[:count]}
    assert titles == {question}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ["austreten", "Austritt", "ausgetreten"]),
        ("de", ["abstimmen", "Abstimmung"]),
        ("de", ["kündigen", "Kündigung"]),
        ("de", ["verlieren", "Verlust", "verloren"]),
        ("de", ["teilnehmen", "Teilnahme"]),
        ("it", ["iscriversi", "iscrizione", "iscritto"]),
        ("it", ["vincere", "vittoria", "vinto"]),
        ("it", ["punire", "punizione"]),
        ("it", ["scegliere", "scelta"]),
        ("it", ["squalificare", "squalifica"]),
        ("en", ["choose", "choice", "chosen"]),
        ("fr", ["perdre", "perte"]),
        ("es", ["elegir", "elección"]),
    ],
)
def test_words_of_one_family_have_one_term(word_tables, language, words):
    analyzer = Analyzer(word_tables)
    assert len({analyzer.term(word, language) for word in words}) == 1


def test_a_noun_is_found_by_its_verb(index):
    found = _asked(index, "Wie kann ich aus der Runde austreten?", "sprache.md")
    assert found.hits[0].passage.text.startswith("Der Austritt")


def test_a_question_on_one_thing_is_not_settled_by_what_is_said_of_another(index):
    question = "Legt man Schutz nach dem Kauf in den Ballon-Bereich?"
    found = _asked(index, question, "sprache.md")
    assert found.hits[0].passage.text.startswith("„Ausbau“")
    assert found.settled is not Settlement.SETTLED


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("Wie trete ich aus?", ["austreten"]),
        ("wie trete ich als Fördermitglied aus", ["austreten"]),
        ("Wer legt eine Karte ab und zieht nach?", ["ablegen", "nachziehen"]),
        ("Er gibt die Karte, die er hat, zurück.", ["zurückgeben"]),
        ("Sie nehmen daran teil.", ["teilnehmen"]),
        ("Er legt sie auf den Stapel und nimmt eine an sich.", []),
        ("Sobald er dran ist, muss er nach.", []),
    ],
)
def test_separated_verbs_are_one_word_too(word_tables, text, verbs):
    analyzer = Analyzer(word_tables)
    found = analyzer.terms(text, "de")
    apart = [term for word in text.split() if (term := analyzer.term(word.strip(",.?"), "de"))]
    assert found[len(apart) :] == [analyzer.term(verb, "de") for verb in verbs]


def test_a_separated_verb_finds_its_other_forms(index):
    found = _asked(index, "Darf jemand ausscheiden?", "flotte.md")
    assert found.hits[0].passage.text.startswith("Wer nicht mehr")


@pytest.mark.parametrize(
    ("language", "text", "figures"),
    [
        ("de", "zu viert", ["4"]),
        ("de", "zwei oder drei", ["2", "3"]),
        ("it", "in otto", ["8"]),
        ("it", "se sei qui", []),
        ("en", "four", ["4"]),
    ],
)
def test_number_words_are_figures(word_tables, language, text, figures):
    assert Analyzer(word_tables).terms(text, language) == figures


@pytest.mark.parametrize(
    ("question", "amount"),
    [
        ("Wie lange fährt man bis zum Steg?", 1.0),
        ("Wie hoch ist die Zahl der Lotsen einer Mannschaft?", 1.0),
        ("Was kostet eine Fahne?", -1.0),
        ("Wer sagt die Dauer einer Fahrt an?", 0.0),
    ],
)
def test_the_verdict_sees_whether_a_number_that_is_asked_for_is_there(index, question, amount):
    assert index.ranked(Query(question, document="flotte.md")).features["amount"] == amount


@pytest.mark.parametrize(
    ("language", "question", "text", "lacks"),
    [
        ("de", "Was kostet die Mitgliedschaft?", "Sie endet nach fünf Tagen.", True),
        ("de", "Was kostet eine Fahne?", "Eine Fahne gibt es für 7 Taler.", False),
        ("de", "Was kostet eine Fahne?", "Eine Fahne: 7 €", False),
        ("de", "Wie alt muss man sein?", "Mindestens zwei Karten bleiben auf der Hand.", True),
        ("de", "Wie alt muss man sein?", "Mitfahren darf man mit 16 Jahren.", False),
        ("it", "Quanto costa la tessera?", "Si rinnova cinque giorni prima.", True),
        ("it", "Quanto costa la tessera?", "La quota è di 20.", False),
        ("it", "Quanti anni bisogna avere?", "Ogni barca porta tre persone.", True),
        ("en", "How long is a round?", "Each boat has three sails.", True),
        ("en", "How long is a round?", "It lasts twenty minutes.", False),
        ("en", "How many sails are there?", "It lasts twenty minutes.", False),
        ("fr", "Quel est le prix ?", "Il dure cinq jours.", True),
        ("es", "¿Cuánto cuesta la bandera?", "Dura cinco días.", True),
    ],
)
def test_numbers_of_another_kind_do_not_answer(language, question, text, lacks):
    assert lacks_measure(folded(question), text, language) is lacks


def test_a_price_is_no_time(index):
    asked = Query("Wie teuer ist das Ende jeder Fahrt am Steg?", document="flotte.md")
    found = index.ranked(asked)
    assert index.library.searchable[found.groups[0][0]].text.startswith("Jede Fahrt endet")
    assert found.features["amount"] == -1.0


@pytest.mark.parametrize("question", ["Wie lange geht das?", "Das geht wie lange?"])
def test_passages_with_a_number_come_nearer_where_one_is_asked_for(index, question):
    asked, other = (
        index.ranked(Query(text, document="flotte.md"))
        for text in (question, question.replace("wie lange", "warum").replace("Wie lange", "Warum"))
    )
    gain = asked.scores - other.scores
    numbers = index.features.amounts[asked.scope.numbers]
    assert gain[numbers].mean() > gain[~numbers].mean() + 0.1


def test_of_a_table_only_the_best_row_competes(index):
    question = Query("Wie viele Kähne bei vier Mannschaften?", document="flotte.md")
    found = index.ranked(question)
    passages = [index.library.searchable[group[0]] for group in found.groups]
    assert passages[0].text.startswith("| 4")
    scores = found.scores[[group[0] - found.scope.numbers[0] for group in found.groups]]
    others = [score for score, each in zip(scores, passages, strict=True) if not each.row]
    assert found.features["lead"] == pytest.approx(scores[0] - others[1])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was bedeutet Anwurf?", "Anwurf (oder"),
        ("Was ist ein Fuchs?", "Fuchs: ein Wurf"),
        ("Was bedeutet „Max. 2 je Spieler“?", '"Max. X je Spieler"'),
    ],
)
def test_what_explains_a_name_comes_first_though_it_stands_below_another_heading(
    index, question, answer
):
    found = _asked(index, question, "wuerfel.md")
    assert found.hits[0].passage.text.startswith(answer)
    assert found.settled is Settlement.SETTLED


@pytest.mark.parametrize(
    ("text", "language", "states"),
    [
        ("Turm: 3x Holz, 2x Lehm", "de", True),
        ("Anträge stehen bis zum 1.12. aus.", "de", True),
        ("Torre: 2 x legno", "it", True),
        ("Karte x bleibt liegen.", "de", False),
    ],
)
def test_how_often_and_days_are_amounts(text, language, states):
    assert states_amount(text, language) is states


def test_the_row_of_a_table_answers(tmp_path):
    rulebooks = tmp_path / "rulebooks"
    rulebooks.mkdir()
    (rulebooks / "kran.md").write_text(CRANE, encoding="utf-8")
    snapshots = Snapshots(tmp_path / "index")
    index = Index.load(snapshots.path(build(rulebooks, snapshots).id))
    for question, row in (
        ("Wie viele Karten bekommt man bei 4 Spielern?", "Spieler 4: Karten 7"),
        ("Wie viele Punkte bringt Hering im Lager?", "Hering: Kahn 2, Lager 1"),
    ):
        assert index.search(Query(question, k=1)).hits[0].passage.display == row


def test_of_a_folder_without_a_rulebook_no_index_is_built(tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    with pytest.raises(NothingToRead, match="no rulebook in it"):
        build(tmp_path, snapshots)
    assert snapshots.current() is None
