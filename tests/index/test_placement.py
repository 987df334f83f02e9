from hypothesis import given
from hypothesis import strategies as st

from corpus.rulings.model import Authority, Ruling
from corpus.sourced_text import SourcedText, StringSource
from index.layered_answers import place_cards, place_rulings
from index.layers.layer_search import MatchedCard

PUBLISHER, DESIGNER, JUDGE, HOUSE = Authority


def ruling(id, authority=PUBLISHER, date="", superseded_by=""):
    answer = SourcedText(
        f"Ja, sagt {id}.", "de", StringSource("verlag.yaml", "0" * 64, f"/{id}/answer")
    )
    return Ruling(id, "pegelwacht", authority, date, (), None, answer, "", "", (), superseded_by)


def placed(*likely, answered=False, older="", only_cards=False):
    known = {each.id: each for each, _ in likely}
    return place_rulings(likely, known.get, lambda each: each.id == older, answered, only_cards)


def order(found):
    return [(each.ruling.id, each.behind) for each in found]


def test_the_likelier_of_two_official_rulings_is_first_whoever_has_made_it():
    found = placed((ruling("a"), 0.85), (ruling("b", DESIGNER), 0.99))
    assert order(found) == [("b", 0), ("a", 0)]
    assert all(each.settles for each in found)


def test_rulings_of_others_stand_behind_a_rulebook_that_answers_and_before_one_that_does_not():
    for authority in (JUDGE, HOUSE):
        assert order(placed((ruling("a", authority), 0.99))) == [("a", 0)]
        (behind,) = placed((ruling("a", authority), 0.99), answered=True)
        assert (behind.behind, behind.settles) == (1, False)


def test_an_official_ruling_on_something_else_gives_way_to_that_of_the_house_on_the_question():
    assert order(placed((ruling("official"), 0.6), (ruling("house", HOUSE), 0.99))) == [
        ("house", 0)
    ]
    assert order(placed((ruling("official"), 0.9), (ruling("house", HOUSE), 0.99))) == [
        ("official", 0),
        ("house", 0),
    ]


def test_an_older_ruling_does_not_settle_what_the_rulebook_settles_now():
    (found,) = placed((ruling("a"), 0.99), answered=True, older="a")
    assert (found.behind, found.settles, found.older) == (1, False, True)


def test_a_house_ruling_does_not_take_the_place_of_an_official_one():
    found = placed((ruling("official", superseded_by="house"), 0.99), (ruling("house", HOUSE), 0.9))
    assert [each.ruling.id for each in found] == ["official", "house"]
    assert not any(each.settles for each in found)


def test_of_several_superseded_rulings_each_stands_before_what_it_has_superseded():
    for authority in (PUBLISHER, HOUSE):
        first, second = (
            ruling("first", authority, superseded_by="second"),
            ruling("second", authority, superseded_by="third"),
        )
        found = placed((first, 0.99), (second, 0.7), (ruling("third", authority), 0.6))
        assert [each.ruling.id for each in found] == ["third", "second", "first"]


@given(
    st.lists(st.tuples(st.sampled_from(Authority), st.floats(0.0, 1.0)), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_whatever_is_likely_house_rulings_that_hold_come_last_and_superseded_ones_behind_what_holds(
    made, newer, answered, only_cards
):
    by = {old: new for old, new in newer if old < new < len(made)}
    likely = [
        (ruling(str(n), authority, superseded_by=str(by[n]) if n in by else ""), sure)
        for n, (authority, sure) in enumerate(made)
    ]
    found = placed(*likely, answered=answered, only_cards=only_cards)
    ids = [each.ruling.id for each in found]
    assert len(set(ids)) == len(ids)
    house = [
        place
        for place, each in enumerate(found)
        if each.ruling.authority is HOUSE and not each.ruling.superseded_by
    ]
    official = [place for place, each in enumerate(found) if each.ruling.authority.official]
    assert not house or not official or max(official) < min(house)
    for place, each in enumerate(found):
        assert not (
            each.settles and (each.ruling.superseded_by or not each.ruling.authority.official)
        )
        if (
            each.ruling.superseded_by in ids
            and likely[int(each.ruling.superseded_by)][0].authority.official
            >= each.ruling.authority.official
        ):
            assert ids.index(each.ruling.superseded_by) < place
    assert [each.behind for each in found] == sorted(each.behind for each in found)


def test_of_cards_with_one_name_in_two_games_each_game_has_its_turn(sample_index):
    cards = [card for card in sample_index.cards.of_game("pegelwacht") if list(card.texts("de"))][
        :2
    ]
    other = [card._replace(game="sturmflut") for card in cards]
    matches = [MatchedCard(card, 1.0, named=True) for card in (*cards, *other)]
    placed = place_cards(matches, "de", only_cards=True, nothing_else=True)
    games = list(dict.fromkeys(hit.quoted.card.game for hit in placed))
    assert games == ["pegelwacht", "sturmflut"]


def test_a_reprint_with_the_same_texts_is_left_out(sample_index):
    card = next(card for card in sample_index.cards.of_game("pegelwacht") if card.id == "01009")
    reprint = card._replace(id="04009")
    other = card._replace(id="04010", faces=(card.faces[0]._replace(texts={}),))
    matches = [MatchedCard(each, 1.0, named=True) for each in (card, reprint, other)]
    placed = place_cards(matches, "de", only_cards=True, nothing_else=True)
    assert [hit.quoted.card.id for hit in placed] == ["01009"]
    named = card._replace(
        id="04011", faces=(card.faces[0]._replace(names={"de": "Schlaue Dohle"}),)
    )
    matches = [MatchedCard(each, 1.0, named=True) for each in (card, named)]
    placed = place_cards(matches, "de", only_cards=True, nothing_else=True)
    assert [hit.quoted.card.id for hit in placed] == ["01009", "04011"]
