import hashlib
import json

import pytest

from corpus.rulings import Authority, load_rulings
from tests.corpus.test_cards_real import folder_of

pytestmark = pytest.mark.acceptance


def test_every_clarification_is_a_ruling_with_its_exact_place(tmp_path):
    folder = folder_of("lorcana")
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "lorcana").symlink_to(folder, target_is_directory=True)
    found = load_rulings("lorcana", tmp_path)
    assert not found.faults
    texts = {}
    for path in folder.glob("allCards*.json"):
        raw = path.read_bytes()
        texts[path.name] = (hashlib.sha256(raw).hexdigest(), json.loads(raw))
    there = {
        (card["fullName"], text)
        for _, data in texts.values()
        for card in data["cards"]
        for text in card.get("clarifications", ())
    }
    assert {(each.cards[0], each.answer.text) for each in found.rulings} == there
    for each in found.rulings:
        sha256, data = texts[each.answer.source.file]
        assert each.answer.source.sha256 == sha256
        for step in each.answer.source.pointer.split("/")[1:]:
            data = data[int(step)] if isinstance(data, list) else data[step]
        assert data == each.answer.text
        assert each.authority is Authority.PUBLISHER
    assert sum(each.asked is not None for each in found.rulings) >= 0.95 * len(there)


def test_a_database_without_clarifications_has_no_rulings(tmp_path):
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "marvel-champions").symlink_to(
        folder_of("marvel-champions"), target_is_directory=True
    )
    assert load_rulings("marvel-champions", tmp_path) == ((), ())
