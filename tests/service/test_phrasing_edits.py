import pytest
import yaml

from corpus.model import Lines, Passage, Role, Span
from glossary.query_variants import fingerprint
from service.editions.phrasing_edits import NewVariants, with_phrasings
from service.editions.yaml_edits import CannotEdit

TEXT = "Der Leuchtturm leuchtet bei Nebel nur die halbe Strecke."
MARK = fingerprint(TEXT)
PASSAGE = Passage(
    "hafen-de/leuchtturm#0",
    "hafen-de/leuchtturm",
    0,
    Role.TEXT,
    0,
    (Span(0, len(TEXT)),),
    Lines(1, 1),
    TEXT,
    TEXT,
)
NEW = NewVariants(
    PASSAGE,
    ("Wie weit: bei 'Nebel'?",),
    others={"en": ('how "far" in fog',)},
    review={"Wie weit: bei 'Nebel'?": "asked"},
)
OTHER = '# other\n"aaaaaaaaaaaa": {at: x, players: [eins], gist: One.}  # stays\n'

BLOCKS = {
    "block style": f"""\
"{MARK}":
  at: leuchtturm  # where
  players:
  # the best
  - eins
  - "zwei"  # doubtful
  # end
  others:
    de:
    - drei
  gist: Fog.
""",
    "lists in brackets": f"""\
{MARK}:
    at: leuchtturm
    players: [eins, 'zwei',   # doubtful
      drei ]
    others: {{en: [four], it: []}}
    review: {{eins: why}}
""",
    "empty lists": f"""\
"{MARK}":
  at: leuchtturm
  players: []
  others: {{}}
  review: {{}}
""",
    "all in braces": f"""\
"{MARK}": {{at: leuchtturm, players: [eins]}}  # stays
""",
    "nothing but its place": f'"{MARK}":\n  at: leuchtturm',
    "texts over several lines": f"""\
"{MARK}":
  at: leuchtturm
  players:
  - |
    eins
    zwei

  # end
  review:
    # first
    eins: why
""",
    "another indentation": f"""\
"{MARK}":
      at: leuchtturm
      players:
        - eins
      others:
          en:
            - two
""",
    "line ends of "
    "Windows": f'"{MARK}":\r\n  at: leuchtturm\r\n  players:\r\n  - eins\r\n  - zwei\r\n',
    "a text in two lines": f"""\
"{MARK}":
  at: leuchtturm
  players:
  - eins
    zwei
  - "drei
    vier"
""",
}


def removed(before, after):
    """What of ``before`` is not in ``after``, in order."""
    at, lost = 0, ""
    for sign in before:
        found = after.find(sign, at)
        at, lost = (found + 1, lost) if found >= 0 else (at, lost + sign)
    return lost


@pytest.mark.parametrize("behind", ["", OTHER], ids=["alone", "before another"])
@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_gets_what_is_new_and_keeps_all_else(name, behind):
    before = OTHER.replace("aaaaaaaaaaaa", "bbbbbbbbbbbb") + BLOCKS[name]
    if behind and not before.endswith("\n"):
        before += "\n"
    before += behind
    after = with_phrasings(before, [NEW])
    assert removed(before, after) == ""
    old, new = yaml.safe_load(before), yaml.safe_load(after)
    block, was = new.pop(MARK), old.pop(MARK)
    assert new == old
    assert block["players"] == [*was.get("players", []), *NEW.players]
    assert block["others"] == {
        **was.get("others", {}),
        "en": [*was.get("others", {}).get("en", []), *NEW.others["en"]],
    }
    assert block["review"] == {**was.get("review", {}), **NEW.review}
    assert {
        name: value for name, value in block.items() if name not in ("players", "others", "review")
    } == {name: value for name, value in was.items() if name not in ("players", "others", "review")}
    for line in (line for line in before.splitlines() if line.strip().startswith("#")):
        assert line in after.splitlines()


def test_a_passage_that_the_file_has_not_comes_behind():
    for before in ("", OTHER, OTHER.rstrip("\n")):
        after = with_phrasings(before, [NEW])
        assert after.startswith(before)
        block = yaml.safe_load(after)[MARK]
        assert (block["at"], block["players"], block["others"], block["review"]) == (
            "leuchtturm#0", list(NEW.players), {"en": list(NEW.others["en"])}, dict(NEW.review),
        )  # fmt: skip
        assert block["wording"]
        assert "drafted" not in block


@pytest.mark.parametrize(
    "text",
    ["\ufeffquer", "ja: nein", "- nein", "#nein", "null", 'a "b" \\ c', "🦔 💡", "{a}", "x " * 290],
)
def test_any_text_is_written_so_that_it_is_read_again(text):
    added = NewVariants(PASSAGE, (text,), review={text: "why: so"})
    block = yaml.safe_load(with_phrasings(BLOCKS["block style"], [added]))[MARK]
    assert block["players"][-1] == text
    assert block["review"] == {text: "why: so"}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"{MARK}": {{at: x}}, "aaaaaaaaaaaa": {{at: &a y, players: [*a]}}',  # not closed
        '{"aaaaaaaaaaaa": {at: y}}\n',  # nothing can follow braces around all
        f'"aaaaaaaaaaaa": {{at: y, players: &same [eins]}}\n"{MARK}": {{at: x, players: *same}}\n',
    ],
)
def test_a_file_that_would_say_something_else_afterwards_is_left_alone(text):
    with pytest.raises(CannotEdit):
        with_phrasings(text, [NEW])
