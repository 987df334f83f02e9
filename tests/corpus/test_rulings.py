import hashlib
import json
from pathlib import Path

import pytest
import yaml

from corpus.rulings import Authority, RulingCollection, games_with_rulings, load_rulings
from corpus.rulings.loading import SAMPLE
from corpus.rulings.model import ruling_from_record, ruling_record
from corpus.workspace import as_new
from tests.corpus.ruling_files import described, load, written
from tests.pointers import value_at

_GAME = "pegelwacht"


def _quoted(rulings):
    for each in rulings:
        yield each.answer
        if each.question is not None:
            yield each.question


def _check_places(found, *folders):
    """Every text is the string at its pointer, in the file with its hash."""
    for each in _quoted(found.rulings):
        path = next(
            folder / each.source.file for folder in folders if (folder / each.source.file).is_file()
        )
        assert hashlib.sha256(path.read_bytes()).hexdigest() == each.source.sha256
        assert value_at(path, each.source.pointer) == each.text


def test_sample_rulings_are_read_in_both_forms_with_exact_places():
    found = load_rulings(_GAME, None)
    assert not found.faults
    assert {each.authority for each in found.rulings} == set(Authority)
    assert {each.answer.language for each in found.rulings} == {"de", "it", "en"}
    assert {Path(each.answer.source.file).suffix for each in found.rulings} == {".yaml", ".csv"}
    _check_places(found, SAMPLE / "rulings" / _GAME)


def test_sample_has_a_ruling_that_another_supersedes():
    by_id = {each.id: each for each in load_rulings(_GAME, None).rulings}
    assert (
        by_id["pegelwacht/enterhaken-durchnaesst"].superseded_by
        == "pegelwacht/enterhaken-durchnaesst-2"
    )


def test_a_game_taken_for_new_has_no_rulings():
    with as_new(_GAME):
        assert load_rulings(_GAME, None) == RulingCollection((), ())
        assert games_with_rulings(None) == ()
    assert games_with_rulings(None) == (_GAME,)


def test_the_sample_is_not_read_beside_a_workspace(tmp_path):
    assert load_rulings(_GAME, tmp_path) == RulingCollection((), ())


def test_records_keep_everything():
    for each in load_rulings(_GAME, None).rulings:
        assert ruling_from_record(json.loads(json.dumps(ruling_record(each)))) == each


def test_yaml_and_csv_say_the_same(tmp_path):
    row = described(
        id="a",
        question="Was gilt?",
        cards=["Möwe", "Alte Henne"],
        date="2025-03-02",
        supersedes=["b"],
    )
    other = described(id="b", rests_on=[{"entry": "pegelwacht-de-1.1/flink"}, {"number": "4.2.1"}])
    written(tmp_path / "yaml", "rulings.yaml", yaml.safe_dump([row, other], allow_unicode=True))
    written(
        tmp_path / "csv",
        "rulings.csv",
        "id,question,answer,language,cards,date,authority,supersedes,rests_on\n"
        f'a,Was gilt?,"{row["answer"]}",de,Möwe; Alte Henne,2025-03-02,house,b,\n'
        f'b,,"{other["answer"]}",de,,,house,,pegelwacht-de-1.1/flink; 4.2.1\n',
    )

    def told(folder):
        found = load(tmp_path / folder)
        assert not found.faults
        return [
            (
                r.id,
                r.cards,
                r.date,
                r.bases,
                r.superseded_by,
                r.question and r.question.text,
                r.answer.text,
            )
            for r in found.rulings
        ]

    assert told("yaml") == told("csv")
    assert [each[4] for each in told("csv")] == ["", "game/a"]


def test_rows_are_counted_as_readers_of_csv_count_them(tmp_path):
    text = (
        '\ufeffid;answer;language;authority\r\n\r\n;;;\r\na;"Ja.\r\nWirklich; immer.";de;house\r\n'
    )
    path = written(tmp_path, "r.csv", text)
    found = load(tmp_path)
    assert not found.faults
    assert found.rulings[0].answer.text == "Ja.\r\nWirklich; immer."
    assert found.rulings[0].answer.source.pointer == "/1/answer"
    assert value_at(path, "/1/answer") == found.rulings[0].answer.text


def test_dates_may_be_written_without_quotation_marks(tmp_path):
    written(
        tmp_path,
        "r.yaml",
        "- {id: a, answer: Ja., language: de, authority: house, date: 2025-03-02}\n",
    )
    assert [each.date for each in load(tmp_path).rulings] == ["2025-03-02"]


def test_an_exported_file_names_its_game(tmp_path):
    written(tmp_path, "own.yaml", yaml.safe_dump({"game": "game", "rulings": [described(id="a")]}))
    written(
        tmp_path, "other.yaml", yaml.safe_dump({"game": "another", "rulings": [described(id="b")]})
    )
    found = load(tmp_path)
    assert [each.id for each in found.rulings] == ["game/a"]
    assert found.rulings[0].answer.source.pointer == "/rulings/0/answer"
    assert [str(fault) for fault in found.faults] == [
        "other.yaml: has rulings of 'another', not of 'game'; left out"
    ]


def test_clarifications_of_a_card_database_are_rulings_of_the_publisher(tmp_path):
    asked = "Q: Sinkt der Kahn?\nA: Nein.\nBeispiel: Er schwimmt."
    cards = [
        {
            "id": 1,
            "fullName": "Alte Henne - Ohne Anker",
            "clarifications": [asked, "Nur ein Hinweis."],
        },
        {"id": 2, "fullName": "Möwe"},
        {"id": 3, "fullName": "Alte Henne - Ohne Anker", "clarifications": [asked]},
        {"id": 4, "clarifications": "kein Verzeichnis"},
    ]
    folder = tmp_path / "cards" / "game"
    folder.mkdir(parents=True)
    (folder / "allCards.de.json").write_text(
        json.dumps({"metadata": {"language": "de"}, "cards": cards}), encoding="utf-8"
    )
    found = load_rulings("game", tmp_path)
    first, second = found.rulings
    assert (first.authority, first.cards, first.answer.language) == (
        Authority.PUBLISHER,
        ("Alte Henne - Ohne Anker",),
        "de",
    )
    assert first.answer.text == asked
    assert first.asked is not None
    assert (first.asked.text, first.answered.text) == (
        "Sinkt der Kahn?",
        "Nein.\nBeispiel: Er schwimmt.",
    )
    assert second.asked is None
    assert second.answered.text == "Nur ein Hinweis."
    assert [fault.pointer for fault in found.faults] == ["/cards/3"]
    _check_places(found, folder)


def test_faq_of_a_card_site_is_quoted_as_it_stands(tmp_path):
    records = [
        {
            "code": "01001",
            "html": "<p>Ja.</p>",
            "text": "Ja.",
            "updated": {"date": "2025-03-02 10:00:00.000000", "timezone": "UTC"},
        },
        {
            "code": "01001",
            "html": "<p>Nein.</p>",
            "text": "",
            "updated": {"date": "2025-04-02 10:00:00.000000"},
        },
        {"code": "01002", "name": "Möwe", "text": "Wenn diese Karte sinkt, zieh eine Karte."},
        {"text": "Wovon?"},
    ]
    written(tmp_path, "faq.json", json.dumps(records))
    found = load(tmp_path)
    assert [
        (r.id, r.cards, r.date, r.answer.text, r.answer.source.pointer) for r in found.rulings
    ] == [
        ("game/faq-01001-1", ("01001",), "2025-03-02", "Ja.", "/0/text"),
        ("game/faq-01001-2", ("01001",), "2025-04-02", "<p>Nein.</p>", "/1/html"),
    ]
    assert [fault.pointer for fault in found.faults] == ["/2", "/3"]


def test_a_confirmation_says_what_the_rule_was(tmp_path):
    written(
        tmp_path,
        "r.yaml",
        yaml.safe_dump([described(id="a", rests_on=[{"number": "4.2"}, {"number": "4.3"}])]),
    )
    written(tmp_path, "confirmed.yaml", yaml.safe_dump({"a": {"4.2": "0" * 64}}))
    found = load(tmp_path)
    assert not found.faults
    assert [each.wording for each in found.rulings[0].bases] == ["0" * 64, ""]


@pytest.mark.parametrize(
    ("links", "left"),
    [
        ({"a": "b", "b": "c"}, {"a": "b", "b": "c", "c": ""}),
        ({"a": "a"}, {"a": "", "b": "", "c": ""}),
    ],
)
def test_chains_of_rulings_end(tmp_path, links, left):
    rows = [
        described(id=id) | ({"superseded_by": links[id]} if id in links else {}) for id in "abc"
    ]
    written(tmp_path, "r.yaml", yaml.safe_dump(rows))
    found = load(tmp_path)
    assert {r.id: r.superseded_by for r in found.rulings} == {
        f"game/{k}": v and f"game/{v}" for k, v in left.items()
    }
    assert bool(found.faults) == ("a" in links.values())


def test_a_circle_of_rulings_is_opened_and_told(tmp_path):
    rows = [described(id=id, superseded_by=by) for id, by in ("ab", "bc", "ca")]
    written(tmp_path, "r.yaml", yaml.safe_dump(rows))
    found = load(tmp_path)
    by = {each.id: each.superseded_by for each in found.rulings}
    assert sorted(by.values()) == ["", "game/b", "game/c"]
    assert len(found.faults) == 1
    assert "circle" in found.faults[0].what
