from collections import Counter
from itertools import cycle

import pytest

from service.answers.verify import verification_out
from tests.altered_quotations import FORMS, KINDS, PassageAlterer, quoted
from tests.service.harbour import Harbour

TRUE, ALTERED = 60, 400
LEAST = 0.99


@pytest.fixture(scope="module")
def alterer(any_library) -> PassageAlterer:
    return PassageAlterer(any_library, seed=20)


@pytest.fixture(scope="module")
def index(any_library) -> Harbour:
    return Harbour(any_library, id="altered")


def test_true_passages_are_exact_in_every_form(index, alterer):
    exact = {}
    for form in FORMS:
        verdicts = Counter(
            verification_out(index, text).verdict
            for text in quoted(alterer.true_passages(TRUE), form)
        )
        exact[form] = verdicts["exact"] / verdicts.total()
    assert {form: share for form, share in exact.items() if share < LEAST} == {}


def test_altered_passages_are_caught_whatever_was_altered_and_in_every_form(index, alterer):
    caught: dict[str, list[bool]] = {}
    forms = cycle(FORMS)
    for kind in KINDS:
        found = alterer.altered(kind, -(-ALTERED // len(KINDS)))
        assert len(found) > ALTERED // len(KINDS) - 5, kind
        for each, form in zip(found, forms, strict=False):
            (text,) = quoted([each.text], form)
            verdict = verification_out(index, text, edition=each.edition).verdict
            for name in ("all", kind, form):
                caught.setdefault(name, []).append(verdict in ("altered", "unsupported"))
    shares = {name: sum(each) / len(each) for name, each in caught.items()}
    assert len(caught["all"]) >= ALTERED
    assert shares["all"] >= LEAST
    # Of some fifty of a kind and thirty in a form, one may be missed.
    assert {name: share for name, share in shares.items() if share < 1 - 1 / 30} == {}
