import hashlib
import json
import shutil
from functools import cache
from pathlib import Path

import pytest
import yaml

from corpus.cards import symbols
from corpus.cards.lorcanajson import Allowed, formats_of
from corpus.cards.model import card_changes, card_from_record, card_record
from corpus.cards.read import SAMPLE, games_with_cards, read_cards
from corpus.cards.symbols import card_display
from corpus.workspace import AS_NEW, as_new, data_files_of
from tests.pointers import value_at

GAME = "pegelwacht"
YAML = SAMPLE / GAME
OTHERS = Path(__file__).parent / "card_forms"
FORMS = {"yaml": YAML, **{name: OTHERS / name for name in ("csv", "marvelsdb", "lorcanajson")}}


@cache
def cards_in(form):
    return read_cards(FORMS[form], GAME)


def named(form, name, number=0):
    return [card for card in cards_in(form).cards if card.faces[0].names["de"] == name][number]


def all_texts(card):
    yield from card.texts()
    for erratum in card.errata:
        yield from (text for text in (erratum.old, erratum.new, erratum.note) if text is not None)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_all_cards_in_all_languages_and_no_fault(form):
    found = cards_in(form)
    assert len(found.cards) == 25
    assert found.languages == ("de", "en", "it")
    assert found.faults == ()
    names = [card.faces[0].names for card in found.cards]
    assert names == [card.faces[0].names for card in cards_in("yaml").cards]
    assert len({card.slug for card in found.cards}) == 25


@pytest.mark.parametrize("form", FORMS)
def test_every_text_stands_in_its_file_where_its_source_says(form):
    count = 0
    for text in (text for card in cards_in(form).cards for text in all_texts(card)):
        source = text.quoted.source
        path = FORMS[form] / source.file
        assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert value_at(path, source.pointer) == text.quoted.text
        count += 1
    assert count > 25


def test_csv_says_the_same_as_yaml():
    for left, right in zip(cards_in("yaml").cards, cards_in("csv").cards, strict=True):
        shown = [
            [
                (text.kind, text.quoted.language, text.quoted.text, text.display)
                for text in sorted(all_texts(card))
            ]
            for card in (left, right)
        ]
        assert shown[0] == shown[1]
        assert left._replace(faces=(), errata=()) == right._replace(faces=(), errata=())
        assert [face._replace(texts=()) for face in left.faces] == [
            face._replace(texts=()) for face in right.faces
        ]
        assert [erratum.date for erratum in left.errata] == [
            erratum.date for erratum in right.errata
        ]


@pytest.mark.parametrize("form", ["yaml", "csv", "marvelsdb"])
def test_backs_belong_to_their_fronts(form):
    ferry = named(form, "Geisterfähre")
    assert [face.names["de"] for face in ferry.faces] == ["Geisterfähre", "Fährmann"]
    assert [face.code for face in ferry.faces] == ["04033a", "04033b"]
    assert [face.code for face in named(form, "Der Schlund").faces] == [
        "01052a",
        "01052b",
        "01052c",
    ]
    assert not any(card.faces[0].names["de"] == "Fährmann" for card in cards_in(form).cards)


@pytest.mark.parametrize("form", FORMS)
def test_a_card_that_is_printed_again_is_one_card(form):
    oilskin = named(form, "Teerjacke")
    assert [printing.products["en"] for printing in oilskin.printings] == [
        "Core Set",
        "Otter Pilot Pack",
    ]
    assert [printing.date for printing in oilskin.printings] == ["2021-03-01", "2022-06-10"]
    assert [printing.number.split("/")[0] for printing in oilskin.printings] == ["7", "17"]


@pytest.mark.parametrize("form", FORMS)
def test_cards_of_one_name_stay_apart(form):
    first, second = named(form, "Nebelhorn"), named(form, "Nebelhorn", 1)
    assert first.id != second.id
    assert first.name("de") == "Nebelhorn - Stimme der Mole"
    assert second.name("de") == "Nebelhorn"
    assert first.slug.startswith("foghorn-voice-of-the-pier-")
    assert {first.faces[0].type.lower(), second.faces[0].type.lower()} == {"pilot", "gear"}


def test_errata_have_the_text_before_and_the_text_now():
    for form in ("yaml", "csv", "lorcanajson"):
        german = next(
            each
            for each in named(form, "Enterhaken").errata
            if each.old and each.old.quoted.language == "de"
        )
        assert german.old is not None
        assert german.new is not None
        assert german.note is not None
        assert german.old.display.startswith("Handlung: Füge einem Wrack")
        assert german.new.display.startswith("Handlung: Ermatte Enterhaken →")
        assert german.note.display == "Kosten-Pfeil hinzugefügt"
        assert german.date == "2022-11-04"
    described = named("marvelsdb", "Enterhaken").errata
    assert [(each.old, each.new, each.note.display) for each in described] == [
        (None, None, "aggiunta la freccia di costo")
    ]


def test_formats_say_legal_banned_or_from_when():
    for form in ("yaml", "csv"):
        assert named(form, "Strickleiter").formats == {"Flotte": "legal", "Regatta": "banned"}
        assert named(form, "Seil & Tau").formats == {"Flotte": "legal", "Regatta": "2023-01-01"}
    assert named("lorcanajson", "Strickleiter").formats == {"Flotte": "legal", "Regatta": "banned"}
    assert named("lorcanajson", "Seil & Tau").formats == {
        "Flotte": "2027-01-01",
        "Regatta": "2027-01-01",
    }
    assert named("lorcanajson", "Rostige Anna").formats == {}


@pytest.mark.parametrize(
    ("printings", "state"),
    [
        ([(True, None, "2023-01-01")], "legal"),
        ([(True, None, "2026-12-24")], "2026-12-24"),
        ([(False, "2026-07-17", "2023-01-01")], "until 2026-07-17"),
        ([(True, "2027-02-01", "2023-01-01")], "until 2027-02-01"),
        (
            [(False, "2025-09-05", "2023-01-01"), (False, "2026-07-17", "2024-01-01")],
            "until 2026-07-17",
        ),
        ([(False, "2025-09-05", "2023-01-01"), (True, None, "2026-01-01")], "legal"),
        ([(False, None, "2023-01-01")], None),
    ],
)
def test_a_card_that_rotates_says_until_when_unless_a_reprint_stays(printings, state):
    said = [
        (
            {"Regatta": Allowed(allowed=allowed, **({"allowedUntilDate": until} if until else {}))},
            start,
        )
        for allowed, until, start in printings
    ]
    assert formats_of(said, "2026-10-16").get("Regatta") == state


def test_printed_values_are_as_on_the_card():
    assert named("marvelsdb", "Volle Fahrt").faces[0].stats["cost"] == "X"
    assert named("marvelsdb", "Rostige Anna").faces[0].stats["health"] == "6 [per player]"
    assert named("yaml", "Rostige Anna").faces[0].stats == {
        "attack": "2",
        "drift": "1",
        "hull": "6 [per player]",
    }
    assert named("yaml", "Rostige Anna").unique
    assert not named("yaml", "Teerjacke").unique


@pytest.mark.parametrize("form", FORMS)
def test_types_traits_and_products_are_named_in_every_language(form):
    kinds = {
        kind: [term.names for term in cards_in(form).terms if term.kind == kind]
        for kind in ("type", "trait", "product")
    }
    assert any(
        names.get("de") == "Grundspiel" and names.get("en") == "Core Set"
        for names in kinds["product"]
    )
    assert any(names.get("de") == "Vogel" and names.get("en") == "Bird" for names in kinds["trait"])
    if form != "csv":
        assert any(
            names.get("de") == "Strudel" and names.get("en", "").lower() == "maelstrom"
            for names in kinds["type"]
        )


@pytest.mark.parametrize(("old", "new"), [("", ""), (":", " :"), (".", "!")])
def test_a_text_that_a_translation_has_in_english_is_not_taken_for_translated(tmp_path, old, new):
    folder = shutil.copytree(OTHERS / "marvelsdb", tmp_path / "copy")
    path = folder / "translations" / "de" / "pack" / "otter.json"
    english = {
        each["code"]: each.get("text")
        for each in json.loads((folder / "pack" / "otter.json").read_text(encoding="utf-8"))
    }
    records = json.loads(path.read_text(encoding="utf-8"))
    for record in records:
        if record["code"] == "03011":
            record["text"] = english["03011"].replace(old, new, 1)
    path.write_text(json.dumps(records), encoding="utf-8")
    card = next(card for card in read_cards(folder, GAME).cards if card.id == "03011")
    assert card.name("de") == "Seil & Tau"
    assert not list(card.texts("de"))
    assert [text.quoted.language for text in card.texts()] == ["en", "it"]


def test_line_breaks_of_the_print_are_closed_where_the_database_tells_them_from_paragraphs(
    tmp_path,
):
    card = {
        "id": 1,
        "name": "Boje",
        "fullText": "Die Boje\nliegt.\nSie bleibt.",
        "fullTextSections": ["Die Boje\nliegt.", "Sie bleibt."],
    }
    (tmp_path / "allCards.de.json").write_text(
        json.dumps({"metadata": {"language": "de"}, "cards": [card]}), encoding="utf-8"
    )
    [text] = read_cards(tmp_path, GAME).cards[0].texts()
    assert text.quoted.text == "Die Boje\nliegt.\nSie bleibt."
    assert text.display == "Die Boje liegt.\nSie bleibt."


def test_the_newest_printing_that_is_no_promotion_has_the_text_that_counts(tmp_path):
    shared = {"name": "Boje", "reprintOfId": 5}
    records = [
        {"id": 5, "name": "Boje", "setCode": "1", "fullText": "Alt."},
        {"id": 9, "setCode": "2", "fullText": "Neu.", **shared},
        {"id": 12, "setCode": "3", "fullText": "Auf der Messe.", "rarity": "Special", **shared},
    ]
    sets = {code: {"name": code, "releaseDate": f"202{code}-01-01"} for code in "123"}
    (tmp_path / "cards.json").write_text(
        json.dumps({"metadata": {"language": "de"}, "sets": sets, "cards": records}),
        encoding="utf-8",
    )
    [card] = read_cards(tmp_path, GAME).cards
    assert (card.id, [printing.code for printing in card.printings]) == ("5", ["5", "9", "12"])
    assert [text.quoted.text for text in card.texts()] == ["Neu."]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>Handlung</b>: Nimm 1 [oil].", "Handlung: Nimm 1 [Öl]."),
        ("Jedes [[Wrack]] zählt.<br/>[lantern] <i>Ende</i>", "Jedes Wrack zählt.\n★ Ende"),
        ("Eins.\n<hr />\nZwei &amp; drei.\r\n\r\nVier", "Eins.\nZwei & drei.\nVier"),
        ("<bSofort</b> [Oil]", "Sofort [Öl]"),
        ("[[Wrack], [Kahn]], [[oil]]", "Wrack, Kahn, [Öl]"),
        ("1 < 2 und 3 > 2 [nichts]", "1 < 2 und 3 > 2 [nichts]"),
        ("a\u202eb\x07c&#8238;", "a b c"),
    ],
)
def test_what_is_displayed_has_no_markup_and_shows_every_symbol(text, shown):
    assert card_display(text, GAME, "de") == shown


@pytest.mark.parametrize("game", ["marvel-champions", "lorcana", "pegelwacht"])
def test_symbols_have_a_name_in_each_language_of_the_pages(game):
    described = symbols._described()[game].symbols
    assert described
    for id, symbol in described.items():
        assert set(symbol.names) >= {"de", "en", "it"}, id


def test_an_unknown_symbol_is_a_fault_and_the_text_is_shown(tmp_path):
    (tmp_path / "a.yaml").write_text(
        'cards: [{id: "1", names: {de: A}, texts: {de: "Nimm [rum]."}}]', encoding="utf-8"
    )
    found = read_cards(tmp_path, GAME)
    assert [text.display for text in found.cards[0].texts()] == ["Nimm [rum]."]
    assert [str(fault) for fault in found.faults] == [
        "a.yaml#/cards/0/texts/de: unknown symbol [rum]; shown as it is"
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_card_is_the_same_after_it_was_kept_as_a_record(form):
    for card in cards_in(form).cards:
        assert card_from_record(json.loads(json.dumps(card_record(card)))) == card


def test_changes_name_what_came_and_went_and_which_parts_changed(tmp_path):
    def read(*cards):
        (tmp_path / "cards.yaml").write_text(
            yaml.safe_dump({"cards": list(cards)}), encoding="utf-8"
        )
        return read_cards(tmp_path, GAME).cards

    kept = {"id": "1", "names": {"de": "Boje"}, "texts": {"de": "Alt."}}
    gone = {"id": "2", "names": {"de": "Kahn"}}
    same = {"id": "4", "names": {"de": "Mole"}, "texts": {"de": "Bleibt."}}
    before = read(kept, gone, same)
    changed = {**kept, "texts": {"de": "Neu."}, "errata": [{"old": {"de": "Alt."}}]}
    changes = card_changes(before, read({"id": "3", "names": {"de": "Steg"}}, changed, same))
    assert [card.id for card in changes.new] == ["3"]
    assert [card.id for card in changes.gone] == ["2"]
    assert [(each.card.id, each.parts) for each in changes.changed] == [("1", ("texts", "errata"))]


def test_games_have_their_folders_in_the_workspace_and_the_sample_its_own(tmp_path, monkeypatch):
    monkeypatch.delenv(AS_NEW, raising=False)
    for name in ("harbour", ".harbour.before", "No Game", "two-games"):
        (tmp_path / "cards" / name).mkdir(parents=True)
    (tmp_path / "cards" / "file").touch()
    assert list(games_with_cards(tmp_path)) == ["harbour", "two-games"]
    assert games_with_cards(tmp_path / "nowhere") == {}
    assert games_with_cards(None) == {GAME: YAML}
    with as_new(GAME):
        assert games_with_cards(None) == {}
    with as_new("harbour"):
        assert list(games_with_cards(tmp_path)) == ["two-games"]


def test_an_index_depends_on_the_cards_and_rulings_of_the_workspace(tmp_path, monkeypatch):
    monkeypatch.delenv(AS_NEW, raising=False)
    files = [
        "cards/harbour/pack/a.json",
        "cards/harbour/names.JSON",
        "rulings/harbour/house.yaml",
        "rulings/other/faq.csv",
    ]
    others = [
        "cards/harbour/README.md",
        "cards/harbour/.git/a.json",
        "cards/.harbour.before/a.json",
        "cards/loose.json",
    ]
    for name in (*files, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert {path.relative_to(tmp_path).as_posix() for path in data_files_of(tmp_path)} == set(files)
    with as_new("harbour"):
        assert [path.relative_to(tmp_path).as_posix() for path in data_files_of(tmp_path)] == [
            "rulings/other/faq.csv"
        ]
