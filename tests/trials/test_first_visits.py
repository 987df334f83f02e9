"""First visits to all pages and files: none is refused without a word while an index is prepared,
and none is slow afterwards.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import urllib.request
from collections.abc import Iterator
from itertools import permutations
from operator import attrgetter
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, run
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote

import pytest

from corpus.model import Edition
from index.building.snapshots import Snapshots
from index.library.library import Library, load_library
from service.web.app import create_app
from tests.conftest import ROOT, SAMPLE, card_folders, real_folder
from tests.environment import without_settings
from tests.service.serving import PROGRAM, Served, serving

SECONDS = float(
    os.environ.get("REGULA_FIRST_VISIT", "2")
)  # that a first visit may take, on a machine that has nothing else to do
PREPARED = 900.0  # seconds until the work after a publication has to be done

# What is asked for besides the path, where a route needs something.
QUERIES = {
    "/v1/ask": "q=Was+kostet+ankern%3F",
    "/v1/message": "q=Was+kostet+ankern%3F&format=plain",
    "/v1/suggest": "q=an",
    "/v1/cards": "q=an",
    "/v1/rulings": "card=Lotsin",
}
# Routes of things that only some workspaces have, that need a key, and that are no visits.
OTHERS = (
    "/v1/admin/indexes",
    "/metrics",
    "/v1/sheet",
    "/rulings/export",
    "/compare/<left>/<right>/reviews/file",
)
# 403: pages that edit, for those who may not; 404: no cards, or no former version; 422: two
# editions in one language have nothing for a translation memory.
GOOD = (200, 403, 404, 422)


class Visit(NamedTuple):
    """What came of a visit to an address."""

    address: str
    status: int
    seconds: float
    again: str  # when to come back, as the response says


def visit(service: Served, address: str) -> Visit:
    begun = time.monotonic()
    try:
        with urllib.request.urlopen(f"{service.address}{address}", timeout=120) as response:
            response.read()
            status, headers = response.status, response.headers
    except HTTPError as fault:
        fault.read()
        status, headers = fault.code, fault.headers
    return Visit(
        address,
        status,
        time.monotonic() - begun,
        headers["Retry-After"] or headers["Refresh"] or "",
    )


def addresses(library: Library) -> list[str]:
    """One address of every route, for each edition, game and pair of editions that it has one
    for.
    """

    class Nothing:
        def current(self) -> None:
            return None

    found: list[str] = []
    for rule in create_app(Nothing()).url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.rule in OTHERS:
            continue
        for values in _values(library, set(rule.arguments)):
            path = rule.rule.replace("<path:", "<")
            for name, value in values.items():
                path = path.replace(f"<{name}>", quote(value))
            by_game = (
                [f"game={game}" for game in library.games]
                if rule.rule.startswith("/v1/terms")
                else []
            )
            by_edition = (
                [f"edition={edition.id}" for edition in library.editions]
                if rule.rule == "/v1/entries"
                else []
            )
            queries = by_game or by_edition or [QUERIES.get(rule.rule, "")]
            if rule.rule.startswith(("/compare/cards/", "/v1/compare/cards/")):
                queries = ["language=it"]
            found += [f"{path}?{query}" if query else path for query in queries]
    return found


def _values(library: Library, arguments: set[str]) -> Iterator[dict[str, str]]:
    """What the ``arguments`` of a route may be: nothing where they are of something else."""
    pairs = [(a, b) for a, b in permutations(library.editions, 2) if a.game == b.game]
    if not arguments:
        yield {}
    elif arguments == {"game"}:
        yield from ({"game": game} for game in library.games)
    elif arguments == {"edition_id"}:
        yield from ({"edition_id": edition.id} for edition in library.editions)
    elif arguments == {"left", "right"}:
        yield from ({"left": left.id, "right": right.id} for left, right in pairs)
    elif arguments == {"entry_id"}:
        yield from (
            {"entry_id": f"{edition.id}/{_slug(library, edition)}"} for edition in library.editions
        )
    elif arguments == {"edition_id", "slug"}:
        yield from (
            {"edition_id": edition.id, "slug": _slug(library, edition)}
            for edition in library.editions
        )


def _slug(library: Library, edition: Edition) -> str:
    own = [entry.id for entry in library.entries if entry.id.startswith(f"{edition.id}/")]
    return own[len(own) // 2].partition("/")[2]


def speed() -> float:
    """How much longer this machine takes for a fixed piece of work than a quiet one of the kind
    that the figures are from, at least 1.
    """
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        sum(number * number % 7 for number in range(1_000_000))
        took.append(time.perf_counter() - begun)
    return max(1.0, median(took) / 0.05)


def until_prepared(service: Served) -> None:
    end = time.monotonic() + PREPARED
    while not any(" is prepared: " in line for line in service.log.read_text().splitlines()):
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.5)


@pytest.fixture
def real_home(tmp_path: Path) -> Path:
    """A workspace with the real rulebooks, and the real cards where they are found, and its
    index.
    """
    real = real_folder()
    if real is None:
        pytest.skip("the real rulebooks are not here")
    home = tmp_path / "home"
    shutil.copytree(real, home / "rulebooks")
    for folder in card_folders().values():
        _regula("cards", "add", folder, "--home", home)
    _regula("build", "--home", home)
    return home


def _regula(*arguments: object) -> None:
    run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=ROOT,
        env=without_settings(),
        check=True,
        stdout=DEVNULL,
    )


@pytest.fixture
def sample_home(sample_snapshots: Snapshots, tmp_path: Path) -> Path:
    """A workspace with the sample rulebooks, and its index."""
    shutil.copytree(SAMPLE, tmp_path / "home" / "rulebooks")
    shutil.copytree(
        sample_snapshots.folder, tmp_path / "home" / "index", ignore=shutil.ignore_patterns(".*")
    )
    return tmp_path / "home"


@pytest.mark.trial  # its short form is tests/service/test_stored_works.py
@pytest.mark.parametrize("which", ["sample_home", "real_home"])
def test_no_first_visit_is_slow_or_refused_without_a_word(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    home = request.getfixturevalue(which)
    rulebooks, index = home / "rulebooks", home / "index"
    snapshots = Snapshots(index)
    every = addresses(load_library(snapshots.path(str(snapshots.current()))))
    settings = {"home": home, "prepare": True, "rate_limit": "none"}
    with serving(rulebooks, index, tmp_path / "first.log", **settings) as service:
        before = [visit(service, address) for address in every]
        until_prepared(service)
    assert sum(each.status in (200, 202) for each in before) > 100
    refused = [
        each
        for each in before
        if each.status not in GOOD and not (each.status in (202, 503) and each.again)
    ]
    assert not refused, refused
    # Another service, which nobody has visited yet.
    with serving(rulebooks, index, tmp_path / "second.log", **settings) as service:
        until_prepared(service)
        after = [visit(service, address) for address in every]
    bound = SECONDS * speed()
    assert sum(each.status == 200 for each in after) > 100
    slow = [each for each in after if each.status not in GOOD or each.seconds > bound]
    assert not slow, (bound, slow)
    print(
        f"{sum(each.status == 200 for each in after)} of {len(after)} first visits, the slowest "
        f"{max(after, key=attrgetter('seconds'))}"
    )
