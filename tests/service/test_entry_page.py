import shutil
from dataclasses import replace
from time import perf_counter, sleep

import pytest

from corpus.model import Kind
from glossary.check import Certainty, Finding, FindingKind
from glossary.check.spelling import get_lexicon
from index.library.library import Library
from service.editions import findings
from service.ops.indexes import IndexManager
from service.ops.settings import Locations
from service.web.app import create_app
from tests.conftest import SAMPLE
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import DE, GERMAN, IT, Page, page


def preview(client, slug):
    response = client.get(f"/e/{DE}/{slug}?part=preview", headers=GERMAN)
    assert response.status_code == 200
    return Page(response.text)


def test_a_preview_is_the_title_and_the_first_sentence(client):
    shown = preview(client, "ankern")
    assert (
        shown.text
        == "Ankern Begriff · Sternenhafen Regelbuch 1.0 (de) · S. 3 Ein Schiff kann nur im eigenen "
        "Hafen ankern."
    )
    assert shown.links() == [f"/e/{DE}/ankern"]
    assert shown.all("div")[0]["lang"] == "de"
    assert not shown.all("html")


@pytest.mark.parametrize(
    ("slug", "says"),
    [
        ("hafen", "Siehe: Ankern"),
        ("errata", "drei Münzen"),
        ("4.2", "4.2. Wer ablegt, zahlt den Liegeplatz."),
        ("sturm.ausnahme", "Sturm (Wetter), Ausnahme"),
        ("sturm", "<script>alert(1)</script>"),
    ],
)
def test_every_kind_of_entry_has_a_preview(client, slug, says):
    shown = preview(client, slug)
    assert says in shown.text
    assert not shown.all("script")


def test_a_preview_of_nothing_is_not_found(client):
    assert client.get(f"/e/{DE}/no-such?part=preview").status_code == 404


@pytest.fixture(scope="module")
def tied(harbour_library) -> Library:
    concepts = {f"{DE}/ankern": "sternenhafen/anchor", f"{IT}/ancorare": "sternenhafen/anchor"}
    return replace(harbour_library, concepts=concepts)


def test_the_same_entry_in_another_edition_is_one_link_away_and_can_be_compared(tied):
    client = create_app(Indexes(Harbour(tied, id="tied"))).test_client()
    shown = page(client, f"/e/{DE}/ankern")
    assert (
        "In anderen Ausgaben Ancorare Porto Stellare Regolamento 1.1 (it) Vergleichen" in shown.text
    )
    assert f"/e/{IT}/ancorare" in shown.links()
    assert f"/compare/{DE}/{IT}?entry={DE}/ankern" in shown.links()
    assert f"/compare/{IT}/{DE}?entry={IT}/ancorare" in page(client, f"/e/{IT}/ancorare").links()
    assert "In anderen Ausgaben" not in page(client, f"/e/{DE}/flaute").text


def test_a_ruling_leads_to_all_there_is_on_its_card(client):
    assert (
        "/cards/sternenhafen/12-grundspiel" in page(client, f"/e/{DE}/ruling-leuchtturm-12").links()
    )
    assert not any(link.startswith("/cards/") for link in page(client, f"/e/{DE}/ankern").links())


def settled(client, address):
    """The page once the check is through."""
    until = perf_counter() + 60
    while "wird noch geprüft" in (shown := page(client, address)).text and perf_counter() < until:
        sleep(0.05)
    return shown


def test_faults_in_print_are_told_once_the_check_is_through(client):
    assert "Ankern" in page(client, f"/e/{DE}/ankern").text
    shown = settled(client, f"/e/{DE}/ankern")
    assert "Fehler im Druck" in shown.text
    assert "Leuchtfeuer" in shown.text[shown.text.index("Fehler im Druck") :]


@pytest.mark.acceptance
def test_a_page_does_not_wait_for_the_check_which_leaves_its_tables_of_words_in_another_process(
    sample_snapshots, tmp_path
):
    shutil.copytree(
        sample_snapshots.folder, tmp_path / "index", ignore=shutil.ignore_patterns(".*")
    )
    indexes = IndexManager(Locations(SAMPLE, tmp_path / "index", True), private=False)
    indexes.load()
    client = create_app(indexes).test_client()
    before = get_lexicon.cache_info()
    entry = "/e/pegelwacht-de-1.1/pegel"
    assert "wird noch geprüft" in page(client, entry).text
    assert "wird noch geprüft" not in settled(client, entry).text
    assert get_lexicon.cache_info() == before


def test_faults_are_told_by_how_sure_they_are_and_only_where_they_stand(client, monkeypatch):
    def finding(line, sort, printed, certainty):
        return Finding(DE, line, sort, printed, None, certainty, ())

    line = 24  # of the entry "Flaute"
    found = {
        DE: (
            finding(line, FindingKind.GLUED, "sure one", Certainty.CERTAIN),
            finding(line, FindingKind.MISSPELLED, "doubtful one", Certainty.POSSIBLE),
            finding(line, FindingKind.NO_PHRASINGS, "ours", Certainty.CERTAIN),
            finding(1, FindingKind.GLUED, "elsewhere", Certainty.CERTAIN),
            finding(None, FindingKind.GLUED, "nowhere", Certainty.CERTAIN),
        )
    }
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: found)
    shown = page(client, f"/e/{DE}/flaute")
    assert (
        shown.text.index("sure one")
        < shown.text.index("Vielleicht ein Fehler 1")
        < shown.text.index("doubtful one")
    )
    assert not any(words in shown.text for words in ("ours", "elsewhere", "nowhere"))
    assert "Fehler im Druck" not in page(client, f"/e/{DE}/die-hafenregel").text


def test_documents_that_are_gone_leave_the_page_as_it_is(harbour_library, monkeypatch):
    def gone(*_):
        raise OSError("gone")

    monkeypatch.setattr(Harbour, "rulebooks", gone)
    client = create_app(Indexes(Harbour(harbour_library))).test_client()
    assert "Fehler im Druck" not in settled(client, f"/e/{DE}/ankern").text


def test_entries_of_the_sample_have_a_page_and_a_preview(sample_library, monkeypatch):
    monkeypatch.setattr(findings, "snapshot_findings", lambda _: {})
    client = create_app(Indexes(Harbour(sample_library, id="sample"))).test_client()
    library = sample_library
    for entry in library.entries[::3]:
        shown = Page(client.get(f"/e/{entry.id}").text)
        ids = [a["id"] for _, a in shown.elements if "id" in a]
        assert len(ids) == len(set(ids))
        assert entry.title in " ".join(
            Page(client.get(f"/e/{entry.id}?part=preview").text).text.split()
        )
    terms = [e for e in library.entries if e.kind is Kind.TERM and e.id in library.concepts]
    assert any("/compare/" in client.get(f"/e/{e.id}").text for e in terms)
