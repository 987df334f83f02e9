import pytest

from corpus.display import display
from corpus.errors import NotFound
from corpus.model import Kind
from index.timing.sequences import Timing, timing_of
from index.timing.steps import TimingStep, item_lines, item_runs, step_patterns

# Line of the first step, number of steps, and of all with those inside them.
SEQUENCES = {
    "pegelduell-de-2.0": [(148, 3, 3), (153, 2, 2), (175, 3, 6), (214, 3, 3), (226, 3, 3), (248, 3, 3)],
    "pegelduell-faq-de-3": [(99, 4, 4), (195, 2, 2)],
    "pegelwacht-de-1.0": [(31, 9, 9), (199, 7, 7), (215, 5, 5), (263, 6, 6), (599, 4, 4), (670, 8, 8)],
    "pegelwacht-de-1.1": [(31, 9, 9), (96, 4, 7), (226, 7, 7), (242, 5, 5), (290, 6, 6), (627, 4, 4), (699, 8, 8)],
    "pegelwacht-de-online": [(48, 4, 4)],
    "pegelwacht-it-1.1": [(41, 9, 9), (116, 4, 7), (212, 6, 6), (325, 6, 6), (344, 4, 4), (663, 7, 7)],
    "marvel-champions-de-1.5": [(36, 10, 10), (146, 4, 9), (334, 4, 4), (700, 5, 5), (859, 8, 8), (876, 7, 7), (1011, 3, 3), (1453, 3, 8),
                                (1627, 7, 9), (2159, 3, 3), (2462, 16, 19)],
    "lorcana-de-2.1.0": [(282, 3, 10), (327, 3, 8), (374, 3, 3), (388, 4, 4), (415, 4, 4), (425, 4, 4), (438, 2, 10), (456, 2, 2),
                         (486, 4, 4), (858, 3, 3), (908, 3, 3), (917, 3, 3)],
    "marvel-champions-it-1.7": [(46, 10, 10), (259, 5, 8), (309, 4, 4), (450, 9, 9), (748, 10, 10), (948, 5, 8), (1026, 6, 10),
                                (1045, 5, 5), (1355, 7, 7), (2146, 3, 3), (2159, 4, 4), (2506, 3, 3), (2534, 3, 3), (2805, 16, 19)],
    "behind-de-4.15c": [(203, 5, 5), (232, 3, 3), (378, 5, 5), (615, 5, 5)],
    "marvel-champions-de-online": [(60, 8, 8)],
}  # fmt: skip


@pytest.fixture(scope="module")
def timing(sample_library) -> Timing:
    return timing_of(sample_library)


def _of(timing, edition, title):
    return next(each for each in timing.sequences(edition) if each.entry.title == title)


def _steps(sequence):
    return [(step.number, step.words) for step in sequence.steps]


def test_every_rulebook_has_its_sequences_and_no_other_list(any_library):
    for edition in any_library.editions:
        found = timing_of(any_library).sequences(edition.id)
        assert [
            (each.steps[0].place.lines.first, len(each.steps), len(list(each.walk())))
            for each in found
        ] == SEQUENCES[edition.id]


def test_lists_of_parts_of_a_card_answers_and_schedules_are_no_time(timing):
    titles = {each.entry.title for edition in SEQUENCES for each in timing.sequences(edition)}
    assert not titles & {
        "Aufbau einer Spielerkarte",
        "Aufbau einer Flutkarte",
        "Paarungen",
        "Glossar",
    }
    kinds = {each.entry.kind for edition in SEQUENCES for each in timing.sequences(edition)}
    assert not kinds & {Kind.RULING, Kind.ERRATUM, Kind.REDIRECT}


def test_the_words_of_a_step_are_those_of_the_rulebook(any_library):
    for edition in any_library.editions:
        for sequence in timing_of(any_library).sequences(edition.id):
            for _, step in sequence.walk():
                headings = [f"{each.title} {display(each.heading)}" for each in step.entries]
                printed = " ".join([*(each.display for each in step.passages), *headings])
                assert " ".join(step.words.split("\n")[0].split()) in " ".join(printed.split()), (
                    step.id
                )


def test_a_round_names_its_steps_what_they_point_at_and_that_it_begins_again(timing):
    for edition, title, slug in (
        ("pegelwacht-de-1.1", "Rundenübersicht", "flutphase"),
        ("pegelwacht-it-1.1", "Panoramica del Round", "fase-della-piena"),
    ):
        sequence = _of(timing, edition, title)
        assert [step.number for step in sequence.steps] == [str(number) for number in range(1, 10)]
        assert sequence.steps[3].targets == (f"{edition}/{slug}",)
        assert sequence.again == 0
        assert sequence.spans
    assert (
        _of(timing, "pegelwacht-de-1.1", "Flutphase").again is None
    )  # nothing says that it begins again
    assert _of(timing, "pegelduell-de-2.0", "3. Der Zug").again is None


def test_steps_are_nested_as_they_are_printed(timing):
    attack = _of(timing, "pegelwacht-de-1.1", "Angriff (Wrack)")
    assert not attack.spans
    assert [step.number for step in attack.steps[1].inner[0].steps] == ["a", "b", "c"]
    turn = _of(timing, "pegelduell-de-2.0", "3. Der Zug")
    assert _steps(turn) == [
        ("3.2", "Phase 1: Auslaufen"),
        ("3.3", "Phase 2: Fahrt"),
        ("3.4", "Phase 3: Einlaufen"),
    ]
    assert _steps(turn.steps[0].inner[0]) == [
        ("3.2.1", "Losmachen"),
        ("3.2.2", "Ausguck"),
        ("3.2.3", "Laden"),
    ]
    assert turn.steps[1].inner == ()  # its rules are no steps


def test_what_stands_between_two_items_belongs_to_the_one_before(timing):
    initiation = _of(timing, "pegelwacht-de-1.1", "Fähigkeiten einleiten, Karten Spielen")
    assert [step.number for step in initiation.steps] == ["1", "2", "3", "4", "5"]
    assert len(initiation.steps[1].passages) == 2
    sections = _of(timing, "pegelduell-faq-de-3", "Ablauf")
    assert _steps(sections) == [
        ("a", "Ansage"),
        ("b", "Festmachen"),
        ("c", "Anzünden"),
        ("c", "Prüfen"),
    ]


LISTS = [
    ("de", "Kampf", ["Der Angriff wird in dieser Reihenfolge "
                     "abgehandelt:"], ["Ziel wählen.", "Würfeln."], True),
    ("de", "Nachtphase", ["Nachts ist es "
                          "dunkel."], ["Alle ruhen.", "Einer wacht.", "Alle wachen."], True),
    ("de", "Karten", ["Es gibt diese Karten:"], ["Rote.", "Blaue.", "Grüne."], False),
    ("de", "Nachtphase", [""], ["Alle ruhen.", "Einer wacht.", "Alle wachen."], False),
    ("de", "Zugkarte", ["So ist sie "
                        "aufgebaut."], ["Name: wie sie "
                                        "heißt.", "Kosten: was sie "
                                                  "kostet.", "Zug: wie weit."], False),
    ("en", "Phase", [""], ["A part of a turn.", "What ghosts do."], False),
    ("en", "Combat", ["Perform the following steps:"], ["Aim.", "Fire."], True),
    ("it", "Duello", ["Si svolgono i passi seguenti:"], ["Mirare.", "Sparare."], True),
    ("it", "Scatole", ["Le scatole uscite finora sono:"], ["Una.", "Due.", "Tre."], False),
    ("fr", "Duel", ["Suivez ces étapes :"], ["Visez.", "Tirez."], True),
    ("es", "Duelo", ["Sigue estos pasos:"], ["Apunta.", "Dispara."], True),
]  # fmt: skip


@pytest.mark.parametrize(("language", "heading", "leads", "steps", "time"), LISTS)
def test_words_tell_time_from_other_lists(language, heading, leads, steps, time):
    assert step_patterns(language).is_timing_list(heading, leads, steps) is time


@pytest.mark.parametrize(
    ("language", "steps", "again"),
    [
        ("de", ["Auf.", "Ab.", "Fahrt mit Schritt 2 fort."], 1),
        ("de", ["Auf.", "Dann werden diese Schritte mit der nächsten Karte wiederholt."], 0),
        ("de", ["Auf.", "In Schritt 1 war es hell."], None),
        ("it", ["Su.", "Si riparte dal passo 1."], 0),
        ("en", ["Up.", "Return to step 1."], 0),
    ],
)
def test_it_begins_again_only_where_the_last_step_says_so(language, steps, again):
    made = [TimingStep(words, str(n), words, ()) for n, words in enumerate(steps, 1)]
    assert step_patterns(language).again_at(made) == again


def test_items_of_a_passage_keep_together_though_one_is_set_in_deeper():
    lines = item_lines(
        "Der Ablauf:\n1. Eins\n  • a. drin\n  • b. auch\n2. Zwei\n  3. Drei\n4. Vier"
    )
    (places,) = item_runs(lines)
    assert [lines[place].words for place in places] == ["Eins", "Zwei", "Drei", "Vier"]


def _belonging(library, id):
    return {library.searchable[int(number)].id for number in timing_of(library).numbers(id)}


def test_a_step_has_its_own_passages_what_it_points_at_and_what_names_it(sample_library):
    edition = "pegelwacht-de-1.1"
    found = _belonging(sample_library, f"{edition}/rundenuebersicht#6")
    assert f"{edition}/rundenuebersicht#6" in found
    assert f"{edition}/rundenuebersicht#5" not in found
    assert any(id.startswith(f"{edition}/flutkarte-flutkarte-austeilen#") for id in found)
    phase = _belonging(sample_library, f"{edition}/rundenuebersicht#4")  # the flood phase begins
    named = [
        each.id
        for each in sample_library.searchable
        if each.id.startswith(f"{edition}/") and "Flutphase" in each.display
    ]
    assert set(named) - {f"{edition}/rundenuebersicht#{number}" for number in range(10)} <= phase
    assert all(id.startswith(f"{edition}/") for id in phase)


def test_a_step_that_is_not_there_is_not_found(timing):
    for id in (
        "pegelwacht-de-1.1/rundenuebersicht#77",
        "pegelwacht-de-1.1/auftauchen",
        "no-such/rundenuebersicht#1",
        "",
        "#",
    ):
        with pytest.raises(NotFound):
            timing.step(id)


def test_the_step_of_a_passage_or_an_entry_is_the_innermost(sample_library, timing):
    def at(id):
        found = timing.around(sample_library.entry[id])
        return found[1].id if found else None

    assert at("pegelduell-de-2.0/3.2.1.1") == "pegelduell-de-2.0/3.2.1"
    assert at("pegelwacht-de-1.1/auftauchen") is None
    attack = next(p for p in sample_library.passages if p.id == "pegelwacht-de-1.1/angriff-wrack#2")
    found = timing.around(attack)
    assert found is not None
    assert found[1].id == attack.id
