from dataclasses import replace

import pytest

from corpus import identify, read
from corpus.document import Document
from glossary.comparison.new_version import ReviewReason
from index.building.version_lookup import compare_versions

LIFT = "Wer am Zug ist, hebt eine Kiste aus dem Lager."
TURN = "Danach dreht sich der Kran um ein Feld nach links."
DROP = "Zum Schluss setzt man die Kiste behutsam ab."
WIND = "Vor dem Zug wird der Wind mit zwei Würfeln bestimmt."
CREW = "Jede Mannschaft stellt eine Person an das Funkgerät."


def book(version, *rules, chapter="2. Zug"):
    """Return a rulebook with ``rules`` in a chapter that is numbered "2."."""
    number = chapter.partition(".")[0]
    text = (
        f"# Kranspiel\n\nVersion {version}\n\n## 1. Aufbau\n\n1.1 Der Kran steht mitten im Hafen."
    )
    text += f"\n\n## {chapter}\n"
    text += "".join(f"\n{number}.{n} {rule}\n" for n, rule in enumerate(rules, 1))
    document = Document.from_bytes(f"kran-{version}.md", text.encode())
    return read(document, identify(replace(document, folder="kran")))


def changed(left, right):
    """Return what became of the rules of the second chapter, by their old and new numbers."""
    found = {}
    for change in compare_versions(left, right, [left, right]).changes.entries:
        old, new = (
            "+".join(e.number for e in side if e.number and "." in e.number)
            for side in (change.left, change.right)
        )
        if (old or new) and "1.1" not in (old, new):
            found[f"{old}>{new}"] = ",".join(change.kinds)
    return found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            (LIFT, TURN, DROP),
            (WIND, LIFT, TURN, DROP),
            {
                ">2.1": "new",
                "2.1>2.2": "renumbered",
                "2.2>2.3": "renumbered",
                "2.3>2.4": "renumbered",
            },
        ),
        (
            (LIFT, TURN, DROP),
            (LIFT, WIND, CREW, TURN.replace("links", "rechts"), DROP),
            {
                "2.1>2.1": "same",
                ">2.2": "new",
                ">2.3": "new",
                "2.2>2.4": "renumbered,reworded",
                "2.3>2.5": "renumbered",
            },
        ),
        (
            (LIFT, TURN),
            (LIFT, TURN, WIND),
            {"2.1>2.1": "same", "2.2>2.2": "same", ">2.3": "new"},
        ),
        (
            (WIND, LIFT, TURN),
            (LIFT, TURN),
            {"2.1>": "gone", "2.2>2.1": "renumbered", "2.3>2.2": "renumbered"},
        ),
        (
            (LIFT, TURN, DROP),
            (LIFT, WIND, DROP),
            {"2.1>2.1": "same", "2.2>": "gone", ">2.2": "new", "2.3>2.3": "same"},
        ),
        (
            (f"{LIFT}\n\n{TURN}", DROP),
            (LIFT, TURN, DROP),
            {"2.1>2.1+2.2": "split", "2.2>2.3": "renumbered"},
        ),
        (
            (LIFT, TURN, DROP),
            (f"{LIFT}\n\n{TURN}", DROP),
            {"2.1+2.2>2.1": "merged", "2.3>2.2": "renumbered"},
        ),
    ],
)
def test_rules_are_followed_by_what_they_say(before, after, expected):
    assert changed(book("1.0", *before), book("1.1", *after)) == expected


def test_two_rules_that_change_places_are_followed():
    found = changed(book("1.0", LIFT, TURN, DROP), book("1.1", TURN, LIFT, DROP))
    assert {"2.1>2.2", "2.2>2.1", "2.3>2.3"} == set(found)


def test_a_chapter_with_another_number_is_followed_with_its_rules():
    left, right = book("1.0", LIFT, TURN), book("1.1", LIFT, TURN, chapter="3. Zug")
    found = compare_versions(left, right, [left, right]).changes
    became = {id.rpartition("/")[2]: entry.number for id, entry in found.counterpart.items()}
    assert (became["2"], became["2.1"], became["2.2"]) == ("3", "3.1", "3.2")


def test_a_reference_whose_number_now_means_another_rule_is_a_warning():
    seen = f"{DROP[:-1]}, siehe 2.2."
    left, right = book("1.0", LIFT, TURN, seen), book("1.1", WIND, LIFT, TURN, seen)
    items = compare_versions(left, right, [left, right]).review_items
    (item,) = [each for each in items if each.reason is ReviewReason.REFERENCE_SHIFTED]
    assert item.subject == "2.2: what it meant is 2.3 now"
    corrected = book("1.1", WIND, LIFT, TURN, seen.replace("2.2", "2.3"))
    items = compare_versions(left, corrected, [left, corrected]).review_items
    assert ReviewReason.REFERENCE_SHIFTED not in {each.reason for each in items}
