import pytest
from flask.testing import FlaskClient

from glossary.check import (
    Certainty,
    Finding,
    FindingKind,
    Origin,
    OriginWhy,
    Why,
    because,
)
from service.editions import findings
from service.web.pages import about, layout
from tests.service.test_pages import GERMAN, Page, assert_sound, page

DE, IT = "sternenhafen-de-1.0", "sternenhafen-it-1.1"
ATTACK = "<script>alert(1)</script>"


def finding(line, sort, printed, certainty, meant=None):
    origin = Origin.PRINT if sort is FindingKind.MISSING else Origin.EXTRACTION
    return Finding(
        DE,
        line,
        sort,
        printed,
        meant,
        certainty,
        because(Why.NO_TARGET),
        origin,
        OriginWhy.END_OF_PAGE,
    )


FOUND = (
    finding(17, FindingKind.MISSING, "Leuchtfeuer", Certainty.CERTAIN),
    *(
        finding(10, FindingKind.MISPRINT, f"Fehler{n:02}", Certainty.LIKELY, f"richtig{n:02}")
        for n in range(1, 14)
    ),
    finding(24, FindingKind.MISPRINT, ATTACK, Certainty.POSSIBLE),
    finding(None, FindingKind.NO_PHRASINGS, "14 passages", Certainty.CERTAIN),
)


@pytest.fixture
def checked(client, monkeypatch) -> FlaskClient:
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: {DE: FOUND, IT: ()})
    return client


@pytest.mark.parametrize(
    "address",
    [
        "/state",
        f"/state/{DE}",
        f"/state/{DE}?sort=misprint",
        f"/state/{DE}?q=xyzzy",
        f"/state/{IT}",
    ],
)
@pytest.mark.parametrize("ready", [True, False])
def test_every_page_is_sound(client, monkeypatch, address, ready):
    monkeypatch.setattr(
        findings, "snapshot_findings", lambda _: {DE: FOUND, IT: ()} if ready else None
    )
    assert_sound(client, address)


def test_each_edition_says_how_much_is_wrong_in_it(checked):
    shown = page(checked, "/state")
    assert "16 Befunde · sicher: 2 · wahrscheinlich: 13 · möglich: 1" in shown.text
    assert "Porto Stellare Regolamento 1.1 (it) Nichts gefunden" in shown.text
    assert f"/state/{DE}" in shown.links()


def test_findings_stand_under_their_sort_with_its_count(checked):
    shown = page(checked, f"/state/{DE}")
    at = [
        shown.text.index(f"{name} ({count})", 400)
        for name, count in (("Verweise ohne Ziel", 1), ("Druckfehler", 14))
    ]
    assert at == sorted(at)
    why = "nichts in diesem Regelwerk heißt so oder hat diese Nummer"
    assert (
        f"sicher gedruckt Leuchtfeuer {why} Vermutliche Ursache: Druck (am Ende einer Seite) Zeile 17: "
        "Ankern" in shown.text
    )
    assert "gedruckt Fehler01 → gemeint richtig01" in shown.text
    assert "Ganze Ausgabe" in shown.text
    assert all((script.get("src") or "").startswith("/static/") for script in shown.all("script"))


def test_many_findings_are_divided_into_pages(checked, monkeypatch):
    monkeypatch.setattr(about, "PAGE", 5 * layout.HEAD)
    address, shown = f"/state/{DE}", []
    while address:
        shown.append(page(checked, address))
        address = next((a["href"] for a in shown[-1].all("a") if a.get("rel") == "next"), "") or ""
    text = " ".join(each.text for each in shown)
    assert len(shown) > 3
    assert [text.count(f"Fehler{n:02}") for n in range(1, 14)] == [1] * 13


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("certainty=certain", 2),
        ("certainty=likely&sort=misprint", 13),
        ("origin=print", 1),
        ("origin=extraction&certainty=likely", 13),
        ("origin=unclear", 0),
        ("q=LEUCHTFEUER", 1),
        ("q=17", 1),
        ("q=richtig07", 1),
        ("sort=no-such&certainty=no-such", 16),
    ],
)
def test_filters_leave_what_fits_them(checked, query, count):
    assert (
        f"{count} {'Befund' if count == 1 else 'Befunde'} "
        in page(checked, f"/state/{DE}?{query}").text
    )


def test_a_finding_leads_to_the_passage_it_stands_in(checked):
    shown = page(checked, f"/state/{DE}")
    assert f"/e/{DE}/ankern#p-ankern-0" in shown.links()
    for link in shown.links():
        if link.startswith("/e/"):
            address, _, anchor = link.partition("#")
            assert not anchor or anchor in [a.get("id") for _, a in page(checked, address).elements]


def test_while_the_rulebooks_are_checked_the_pages_say_so_and_come_again(client, monkeypatch):
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: None)
    for address, says in (
        ("/state", "wird geprüft"),
        (f"/state/{DE}", "Das Regelwerk wird geprüft"),
    ):
        response = client.get(address, headers=GERMAN)
        assert int(response.headers["Refresh"]) > 0
        assert says in Page(response.text).text
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: {DE: FOUND, IT: ()})
    assert "Refresh" not in client.get("/state").headers
    assert "findet in diesem Regelwerk keinen Fehler" in page(client, f"/state/{IT}").text


def test_an_edition_that_is_not_here_has_no_state(client):
    page(client, "/state/no-such", 404)
