from typing import Any

import pytest
import yaml

from service.editions.yaml_edits import CannotEdit, changed_fields, find_block, with_fields

TEXT = """\
# of mine 🛶
"aa":
  at: "x#1"   # where
  players:
  - ä b 🛶
  # keep?
  - c
  situations: [q,
     r]   # hm
  gist: >
    long
    text

# between
"bb": {at: x, players: [a]}   # short
'cc':
  at: y
  drafted: m"""

CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("aa", {"players": ["new: x", "ü"], "review": {"new: x": "because: so"}}),
    ("aa", {"situations": None, "reviewed": True}),
    ("aa", {"gist": "short"}),
    ("aa", {"gist": ""}),
    ("bb", {"review": {"a": "b, c"}, "players": ["a", "yes"]}),
    ("cc", {"reviewed": True}),
    ("cc", {"drafted": ""}),
    ("cc", {"at": "z", "others": {"it": ["no"]}}),
]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "new"), CHANGES)
def test_what_is_changed_is_there_and_all_else_is_as_it_was(name, new, ends):
    text = TEXT.replace("\n", ends)
    changed = changed_fields(text, {name: new})
    wanted = yaml.safe_load(text)
    wanted[name] = {field: value for field, value in {**wanted[name], **new}.items() if value}
    assert yaml.safe_load(changed) == wanted
    block = find_block(text, name)
    assert block
    assert changed.startswith(text[: block.start])
    assert changed.endswith(text[block.end :])
    assert with_fields(text, block, new) == changed
    assert all(
        comment in changed for comment in ("# of mine 🛶", "# where", "# between", "# short")
    )


def test_what_cannot_be_changed_in_place_is_refused():
    text = "a: &all\n  at: x\n  players: [p]\nb:\n  <<: *all\n  at: y\n"
    with pytest.raises(CannotEdit):
        changed_fields(text, {"a": {"players": ["q"]}})


def test_a_block_is_found_by_its_whole_name_and_has_another_version_after_a_change():
    text = 'ab:\n  at: x\n"a":\n  at: y\n'
    block = find_block(text, "a")
    assert block
    assert block.fields == {"at": "y"}
    assert find_block(text, "c") is None
    later = find_block(with_fields(text, block, {"at": "z"}), "a")
    assert later
    assert later.version != block.version
