import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import service
from glossary.check import FINDING_TITLES, OriginWhy, Why
from service.browse.entry_view import MOST_PASSAGES
from service.core.i18n import FOLDER
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes

DE, IT = "sternenhafen-de-1.0", "sternenhafen-it-1.1"
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


class Page(HTMLParser):
    """What is on a page: its elements, its text without tags, and whether its tags are balanced."""

    VOID = frozenset(
        [
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "source",
            "track",
            "wbr",
        ]
    )

    def __init__(self, html):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.marked: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "mark":
            self.marked.append("")
        if tag not in self.VOID:
            self._open.append(tag)
        if tag not in ("a", "mark", "span"):
            self.text += " "

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if "mark" in self._open:
            self.marked[-1] += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def links(self):
        return [a["href"] or "" for a in self.all("a")]


def page(client, address, status=200, /, **headers):
    response = client.get(address, headers=headers or GERMAN)
    assert response.status_code == status
    assert response.mimetype == "text/html"
    return Page(response.text)


ADDRESSES = [
    "/",
    "/?q=betäubtes",
    "/?q=xyzzy",
    "/?q=a&edition=no-such",
    f"/e/{DE}/glossar",
    f"/e/{DE}/sturm.ausnahme",
    f"/e/{DE}/errata",
    f"/e/{IT}/ancorare",
    f"/screen/e/{IT}/ancorare",
    "/screen?q=ankern",
    f"/sheet?q=betäubtes&passage={DE}/ankern%230~f9c10eb60459&made=2026-01-31",
    "/keys",
    "/timing",
    f"/timing/{DE}",
    "/memory",
    "/e/no-such",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("language", ["de", "it", "fr"])
def test_every_page_is_sound_in_every_language(client, address, language):
    response = client.get(address, headers={"Accept-Language": language})
    shown = Page(response.text)
    expected = language if language in ("de", "it", "en") else "en"
    assert shown.all("html") == [{"lang": expected}]
    assert response.headers["Content-Language"] == expected
    assert "Accept-Language" in response.headers["Vary"]
    assert len(shown.all("h1")) == 1
    assert len(shown.all("main")) == 1
    ids = [a["id"] for _, a in shown.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(a.get("for") in ids for a in shown.all("label"))
    assert all(a["aria-labelledby"] in ids for _, a in shown.elements if "aria-labelledby" in a)
    assert "%(" not in shown.text


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_comes_from_outside_and_nothing_is_inline(client, address):
    response = client.get(address)
    shown = Page(response.text)
    assert len(shown.all("script")) == len(
        re.findall(r'<script src="/static/[^"]+" (defer|type="module")></script>', response.text)
    )
    assert not shown.all("style")
    assert not any(
        "style" in a or any(name.startswith("on") for name in a) for _, a in shown.elements
    )
    for tag, attributes in shown.elements:
        if (
            tag == "a" and attributes.get("rel") == "external noreferrer"
        ):  # where somebody published a ruling: followed, not loaded
            continue
        for name in ("href", "src", "action"):
            if name in attributes:
                assert re.match(r"(/(?!/)|#|\?|$)", attributes[name] or "")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def assert_sound(client, address):
    for language in ("de", "it", "en"):
        test_every_page_is_sound_in_every_language(client, address, language)
    test_nothing_comes_from_outside_and_nothing_is_inline(client, address)


def test_what_a_page_needs_is_served_for_good(client):
    shown = page(client, "/")
    files = [
        a["href"]
        for a in shown.all("link")
        if a.get("rel") in ("stylesheet", "icon", "apple-touch-icon")
    ]
    files += [a["src"] for a in shown.all("script")]
    assert len(files) == 5
    for file in files:
        response = client.get(file or "")
        assert response.status_code == 200
        assert "max-age=31536000" in response.headers["Cache-Control"]


def test_the_start_page_offers_the_field_and_names_the_rulebooks(client):
    shown = page(client, "/")
    field = next(a for a in shown.all("input") if a.get("name") == "q")
    assert "autofocus" in field
    assert "Kartennamen oder eine Regelnummer" in shown.text
    assert "Sternenhafen Regelbuch 1.0 Deutsch" in shown.text
    assert "Porto Stellare Regolamento 1.1 Italienisch" in shown.text


@pytest.mark.parametrize("chosen", ["sternenhafen", DE])
def test_a_game_or_a_rulebook_is_chosen_with_a_tap_and_remembered(client, chosen):
    assert f"/?in={chosen}" in page(client, "/").links()
    client.get(f"/?in={chosen}")
    shown = page(client, "/")
    assert any(
        link.get("aria-current") == "true" and link["href"] == f"/?in={chosen}"
        for link in shown.all("a")
    )
    client.get("/?in=")


def test_two_questions_to_try_are_offered_and_answered(client):
    tries = [link for link in page(client, "/").links() if link.startswith("/?q=")]
    assert len(tries) == 2
    assert all("<blockquote" in client.get(address).text for address in tries)


@pytest.mark.parametrize("address", ["/", "/cards", "/browse", f"/?q=betäubtes&edition={DE}"])
def test_pages_are_for_people(client, address):
    shown = page(client, address).text
    assert client.get("/readyz").get_json()["index"] not in shown
    assert "JSON" not in shown


def test_an_answer_quotes_marks_and_names_the_place(client):
    shown = page(client, "/?q=betäubtes")
    assert shown.marked == ["Ein betäubtes Schiff kann nicht ankern."]
    assert (
        "Ein Schiff kann nur im eigenen Hafen ankern. Ein betäubtes Schiff kann nicht ankern."
        in shown.text
    )
    assert "Begriff Sternenhafen Regelbuch 1.0 (de) S. 3 Z. 10–11" in shown.text
    assert f"/e/{DE}/ankern#p-ankern-0" in shown.links()
    assert f"/e/{DE}/sturm" in shown.links()
    assert next(a for a in shown.all("input") if a.get("name") == "q")["value"] == "betäubtes"
    assert "klärt das vielleicht nicht" not in shown.text
    anchors = [a.get("id") for _, a in page(client, f"/e/{DE}/ankern").elements]
    assert "p-ankern-0" in anchors


def test_a_numbered_rule_is_quoted_under_the_title_of_its_section(client):
    shown = page(client, "/?q=liegeplatz")
    assert re.search(
        r"4\. Ablauf .{,60} 4\.2\. Wer ablegt, zahlt den Liegeplatz\. Beispiel: Drei Münzen\.",
        shown.text,
    )
    assert f"/e/{DE}/4#p-4.2-0" in shown.links()
    section = page(client, f"/e/{DE}/4")
    assert "4.2. Wer ablegt" in section.text
    assert "p-4.2-0" in [a.get("id") for _, a in section.elements]


def test_the_form_leads_to_an_address_that_says_all(client):
    shown = page(client, "/")
    options = [a["value"] for a in shown.all("option")]
    assert options == ["", "sternenhafen", DE, IT]
    for chosen, kept in [
        ("", "/?q=M%C3%BCnze"),
        ("sternenhafen", "/?q=M%C3%BCnze&game=sternenhafen"),
        (IT, f"/?q=M%C3%BCnze&edition={IT}"),
        ("no&such", "/?q=M%C3%BCnze&edition=no%26such"),
    ]:
        response = client.get("/", query_string={"in": chosen, "q": " Münze "})
        assert response.status_code == 303
        assert response.headers["Location"] == kept


def test_more_passages_are_one_link_away(client):
    more = [
        link
        for link in page(client, "/?q=ein+der+die+im+nur+nicht&game=sternenhafen").links()
        if "k=20" in link
    ]
    assert more == ["/?q=ein+der+die+im+nur+nicht&game=sternenhafen&k=20"]
    assert more[0] not in page(client, more[0]).links()


def test_an_open_question_says_so_and_shows_the_rule_for_it(client, indexes):
    assert indexes.index is not None
    indexes.index.settles = False
    shown = page(client, "/?q=betäubtes")
    assert "Das Regelwerk klärt das vielleicht nicht" in shown.text
    places = [
        shown.text.index(said)
        for said in ("Nächstliegende Stellen", "betäubtes Schiff", "entscheidet der Hafenmeister")
    ]
    assert places == sorted(places)
    assert "Das sagt das Regelwerk" not in shown.text


ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def test_what_is_typed_is_shown_and_never_run(client):
    for address in ("/", "/e/", f"/e/{DE}/"):
        response = client.get(
            address + (ATTACK if address != "/" else ""),
            query_string={"q": ATTACK, "edition": ATTACK if address == "/" else ""},
        )
        assert "<script>" not in response.text
        assert "<img src=x" not in response.text
    shown = page(client, f"/?q=beendet+{ATTACK.replace('#', '')}")
    assert (
        next(a for a in shown.all("input") if a.get("name") == "q")["value"] == f"beendet {ATTACK}"
    )


def test_what_a_rulebook_prints_is_shown_and_never_run(client):
    for address in ("/?q=beendet", f"/e/{DE}/sturm"):
        shown = page(client, address)
        assert all(a.get("src") for a in shown.all("script"))
        assert "<script>alert(1)</script> sagt, beendet den Sturm." in shown.text


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/?q=" + "x" * 2001, "höchstens 2.000 Zeichen"),
        ("/?q=a%00b", "nicht anzeigen lassen"),
        ("/?q=a&edition=no-such", "nicht geladen"),
        ("/?q=a&game=no-such", "nicht geladen"),
        ("/?q=a&k=0", "Mit dieser Adresse kann die Seite nichts anfangen"),
    ],
)
def test_what_cannot_be_answered_is_said_on_the_page_itself(client, address, says):
    shown = page(client, address, 422)
    assert says in shown.text
    assert shown.all("form")


@pytest.mark.parametrize(
    "address",
    [
        "/nothing",
        "/e/",
        "/e/no-such/entry",
        f"/e/{DE}/../../../etc/passwd",
        f"/e/{DE}/%2fetc%2fpasswd%00",
    ],
)
def test_a_page_that_does_not_exist_says_so(client, address):
    shown = page(client, address, 404)
    assert "Diese Seite gibt es nicht" in shown.text
    assert "/" in shown.links()


@pytest.mark.parametrize("address", ["/", "/?q=a", f"/e/{DE}/ankern"])
def test_without_an_index_people_get_a_page_that_says_what_happens(address):
    client = create_app(Indexes(None)).test_client()
    response = client.get(address, headers=GERMAN)
    assert response.status_code == 503
    assert "Retry-After" in response.headers
    assert "Die Regelwerke werden noch gelesen" in Page(response.text).text


def test_a_fault_inside_is_a_page_too(client, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(Harbour, "search", fail)
    shown = page(client, "/?q=a", 500)
    assert "Hier ist etwas schiefgegangen" in shown.text
    assert "secret" not in shown.text


def test_an_entry_is_shown_whole_and_nested_as_printed(client):
    response = client.get(f"/e/{DE}/glossar", headers=GERMAN)
    flat = re.sub(r"\s+", " ", response.text)
    assert re.search(
        r"Ankern kostet eine Münze\. <ul class=\"bullets\"> <li[^>]*>Im Sturm kostet es zwei "
        r"Münzen\.",
        flat,
    )
    shown = Page(response.text)
    inside = [a["id"] for a in shown.all("section") if "part" in (a.get("class") or "")]
    assert inside == [
        "e-ankern",
        "e-die-hafenregel",
        "e-flaute",
        "e-sturm",
        "e-sturm.ausnahme",
        "e-hafen",
    ]
    assert "Sturm (Wetter) Wer" in shown.text
    assert "Bei Flaute darf kein Schiff den Hafen verlassen" in shown.text
    assert "Seite 7" not in shown.text


def test_references_in_the_text_are_links(client):
    response = client.get(f"/e/{DE}/ankern", headers=GERMAN)
    assert f'(siehe <a class="ref" href="/e/{DE}/flaute">Flaute</a>)' in response.text
    assert f'<a class="ref" href="/e/{DE}/sturm">Sturm (Wetter)</a>, Leuchtfeuer' in response.text
    assert "Leuchtfeuer Ziel fehlt im Regelwerk" in Page(response.text).text


def test_an_entry_shows_who_refers_to_it_and_what_stands_beside_it(client):
    response = client.get(f"/e/{DE}/flaute", headers=GERMAN)
    shown = Page(response.text)
    assert "Wird genannt in Ankern" in shown.text
    beside = {a.get("rel"): a["href"] for a in shown.all("a") if "rel" in a}
    assert beside == {"prev": f"/e/{DE}/die-hafenregel", "next": f"/e/{DE}/sturm"}
    assert "S. 3" in shown.text
    assert "Z. 23–27" in shown.text
    twin = next(a["href"] for a in shown.all("link") if a.get("rel") == "alternate")
    assert client.get(twin or "").json["id"] == f"{DE}/flaute"


def test_reading_on_goes_through_the_whole_rulebook(client):
    seen, address = [], f"/e/{DE}/glossar"
    while address:
        seen.append(address)
        shown = page(client, address)
        address = next((a["href"] for a in shown.all("a") if a.get("rel") == "next"), None) or ""
    assert seen == [f"/e/{DE}/{slug}" for slug in ("glossar", "faq", "errata", "4")]
    last = page(client, f"/e/{DE}/sturm.ausnahme")
    assert {a["href"] for a in last.all("a") if a.get("rel") == "next"} == {f"/e/{DE}/hafen"}
    assert {a["href"] for a in last.all("a") if a.get("rel") == "prev"} == {f"/e/{DE}/sturm"}


def test_replaced_wording_is_told_apart(client):
    shown = page(client, f"/e/{DE}/erratum-leuchtturm-12")
    assert (
        shown.text.index("Ersetzter Wortlaut, gilt nicht mehr")
        < shown.text.index("drei Münzen")
        < shown.text.index("zwei Münzen")
    )
    assert "Leuchtturm Grundspiel 12" in shown.text


def test_a_section_too_long_for_a_page_lists_what_is_in_it(client, monkeypatch):
    assert MOST_PASSAGES > 20
    monkeypatch.setattr("service.browse.entry_view.MOST_PASSAGES", 5)
    shown = page(client, f"/e/{DE}/glossar")
    assert "In diesem Abschnitt" in shown.text
    assert f"/e/{DE}/ankern" in shown.links()
    assert "Ankern kostet" not in shown.text


def key(text):
    return text if isinstance(text, str) else tuple(text)


def catalogue(language):
    with (FOLDER / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return {
            key(message.id): key(message.string or "")
            for message in read_po(file, locale=language)
            if message.id
        }


def in_use():
    """Every wording in templates and code, as pybabel extracts it, and the titles of findings,
    which stand below the service.
    """
    methods = [("**.py", "python"), ("web/templates/**.html", "jinja2")]
    found = extract_from_dir(
        Path(service.__file__).parent,
        methods,
        keywords={"_": None, "gettext": None, "ngettext": (1, 2), "N_": None},
    )
    return {message for _, _, message, _, _ in found} | set(FINDING_TITLES.values())


def codes():
    """What findings have a sentence for, by code; five have another one for several of them."""
    counted = (
        "also-at",
        "link-without-address",
        "wrong-encoding",
        "not-decoded",
        "blanks-for-icon",
    )
    return {
        *(f"why: {each}" for each in set(Why) - {Why.NOTE}),
        *(f"why: {each}, several" for each in counted),
        *(f"origin: {each}" for each in OriginWhy),
    }


@pytest.mark.parametrize("language", ["de", "it"])
def test_every_wording_in_use_is_translated_and_no_other(language):
    assert set(catalogue(language)) == in_use() | codes()
    assert set(catalogue("en")) == codes()


@pytest.mark.parametrize("language", ["de", "it"])
def test_no_translation_is_empty_or_loses_a_value(language):
    english_of = catalogue("en")
    for id, other in catalogue(language).items():
        english = english_of.get(id, id)
        for one, its in zip(
            *((x,) if isinstance(x, str) else x for x in (english, other)), strict=True
        ):
            assert its
            assert sorted(re.findall(r"%\(\w+\)s", one)) == sorted(re.findall(r"%\(\w+\)s", its))


def test_an_answer_as_of_a_day_says_which_edition_has_no_date(client):
    shown = page(client, f"/?q=betäubtes&edition={DE}&as_of=2020-01-01").text
    assert "Regelbuch 1.0 (de): kein Datum bekannt" in shown
    assert "Regelstand am 1. Januar 2020" not in shown
    assert "Geklärt" not in shown
