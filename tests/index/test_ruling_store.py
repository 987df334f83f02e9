import pytest

from corpus.rulings.loading import load_rulings
from corpus.rulings.model import Authority, Ruling
from corpus.sourced_text import SourcedText, StringSource
from index.layers.ruling_store import RulingStore

pytestmark = pytest.mark.acceptance


def ruling(id, *cards, date="", game="pegelwacht"):
    """An invented ruling of the publisher about ``cards``."""
    answer = SourcedText(
        f"Ja, sagt {id}.", "de", StringSource("verlag.yaml", "0" * 64, f"/{id}/answer")
    )
    return Ruling(
        f"{game}/{id}", game, Authority.PUBLISHER, date, cards, None, answer, "", "", (), ""
    )


def stored(store, folder):
    store.save(folder / "rulings")
    return RulingStore.load(folder / "rulings")


def test_the_sample_s_rulings_come_back_as_they_were_read(tmp_path):
    read = load_rulings("pegelwacht", None).rulings
    store = stored(RulingStore.build({"pegelwacht": read}), tmp_path)
    assert set(store) == set(store.of_game("pegelwacht")) == set(read)
    assert len(store) == len(read) > 10
    for each in read:
        assert store[each.id] == each
    dates = [each.date for each in store.of_game("pegelwacht")]
    assert dates == sorted(dates, reverse=True)


def test_rulings_of_a_card_are_found_by_its_id_or_by_its_name_where_it_is_not_loaded(tmp_path):
    rulings = [
        ruling("a", "Enterhaken", date="2024-01-01"),
        ruling("b", "Rettungsring", "Enterhaken", date="2025-01-01"),
        ruling("c"),
    ]
    store = RulingStore.build(
        {"pegelwacht": rulings},
        lambda game, card: "17" if (game, card) == ("pegelwacht", "Enterhaken") else None,
    )
    store = stored(store, tmp_path)
    assert [each.id for each in store.of_card("pegelwacht", "17")] == [
        "pegelwacht/b",
        "pegelwacht/a",
    ]
    assert [each.id for each in store.of_card("pegelwacht", "rettungsring")] == ["pegelwacht/b"]
    assert store.of_card("pegelwacht", "Otter") == store.of_card("pegelduell", "17") == ()


def test_games_stay_apart_and_a_game_without_rulings_has_none(tmp_path):
    store = RulingStore.build(
        {
            "pegelwacht": [ruling("a", "Otter")],
            "pegelduell": [ruling("b", "Otter", game="pegelduell")],
            "behind": [],
        }
    )
    store = stored(store, tmp_path)
    assert store.games == ("pegelduell", "pegelwacht")
    assert [each.id for each in store.of_card("pegelduell", "Otter")] == ["pegelduell/b"]
    assert list(store.of_game("behind")) == []
    assert store.get("pegelwacht/b") is None
    with pytest.raises(KeyError):
        store["pegelwacht/b"]


def test_a_store_that_was_cut_off_is_refused(tmp_path):
    stored(RulingStore.build({"pegelwacht": [ruling("a", "Otter")]}), tmp_path)
    file = tmp_path / "rulings" / "ruling.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(ValueError, match="bytes"):
        RulingStore.load(tmp_path / "rulings")
