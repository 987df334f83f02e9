from dataclasses import replace

import pytest

from glossary.query_variants import load_query_variants
from service.editions import draft_review
from service.editions.draft_review import NOT_FOUND, OTHER, check_drafts, with_marks

EDITION = "pegelwacht-de-1.1"


@pytest.mark.acceptance
def test_texts_of_other_passages_are_marked_and_most_others_are_not(sample_index, monkeypatch):
    monkeypatch.setattr(draft_review, "_SEEN", 120 * 1_024)
    own = [replace(each, drafted="toy") for each in load_query_variants(EDITION) if each.players]
    # What players ask of a passage in the middle of the rulebook is put under one at its beginning.
    half = len(own) // 2
    swapped = {
        each.fingerprint: replace(each, players=(other.players[0], *each.players[1:]))
        for each, other in zip(own[:20], own[half : half + 20], strict=True)
    }
    own = [swapped.get(each.fingerprint, each) for each in own]
    asked = []
    found = check_drafts(sample_index, EDITION, own, lambda *counts: asked.append(counts))
    wrong = sum(each.players[0] in found[fingerprint] for fingerprint, each in swapped.items())
    right = sum(len(marks) for marks in found.values()) - wrong
    texts = asked[-1][1]
    assert asked == [(number, texts) for number in range(1, texts + 1)]
    assert wrong >= 16
    assert right < 0.3 * texts
    reasons = {reason for marks in found.values() for reason in marks.values()}
    assert NOT_FOUND in reasons
    assert any(reason.startswith(OTHER) for reason in reasons)
    confirmed = [replace(each, reviewed=True) for each in own]
    assert check_drafts(sample_index, EDITION, confirmed) == {}


def test_marks_are_put_into_the_file_and_taken_out_again():
    text = (
        '# mine\n"aaaaaaaaaaaa":\n  at: x#1 # here\n  players: [one, two]\n'
        '"bbbbbbbbbbbb": {at: y, players: [three], reviewed: true}\n'
        '"cccccccccccc":\n  at: z\n  review:\n    three: my own reason\n  players: [three]'
    )
    marks = {
        "aaaaaaaaaaaa": {"two": NOT_FOUND, "gone": NOT_FOUND},
        "bbbbbbbbbbbb": {"three": NOT_FOUND},
        "cccccccccccc": {},
    }
    marked = with_marks(text, marks)
    assert marked == text.replace(
        "players: [one, two]\n", f"players: [one, two]\n  review:\n    two: {NOT_FOUND}\n"
    )
    assert with_marks(marked, {fingerprint: {} for fingerprint in marks}) == text
