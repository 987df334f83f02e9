import pytest

from service.answers.verify import verification_out
from tests.service.harbour import Harbour

WET = "Ein durchnässter Lotse oder Matrose kann nicht angreifen."
WET_FREE = "Ein durchnässter Lotse oder Matrose kann angreifen."
AFTER = "Versucht er es, wird stattdessen die Statuskarte abgelegt."
ORDER = (
    "Wirken mehrere Fähigkeiten mit gleichem Vorrang zur selben Zeit, bestimmt der Wachhabende die "
    "Reihenfolge."
)
INVENTED = "Durchnässt ist ein Status, der einen zweiten Angriff erlaubt."

FOOLING = {
    "straight mark behind the opening "
    "one": '„"Durchnässt" ist ein Status, der einen zweiten Angriff erlaubt.“',
    "straight marks in straight "
    "marks": '""Durchnässt" ist ein Status, der einen zweiten Angriff erlaubt."',
    "marks of one kind in each "
    "other": "„„Durchnässt“ ist ein Status, der einen zweiten Angriff erlaubt.“",
    "guillemets in guillemets": "«»Durchnässt« ist ein Status, der einen zweiten Angriff erlaubt.»",
    "mark that never closes": f"Das Heft sagt: „{INVENTED}",
    "straight mark that never closes": f'Das Heft sagt: "{INVENTED}',
    "mark that nothing opened": f"Das Heft sagt: {INVENTED}”",
    "over a blank line": f"„{INVENTED[:31]}\n\n{INVENTED[31:]}“",
    "over a line break": '"Durchnässt ist ein Status,\nder einen zweiten Angriff erlaubt."',
    "opened in one way and closed in another": f'„{INVENTED}"',
    "low commas": f",,{INVENTED}''",
    "brackets for guillemets": f"<<{INVENTED}>>",
    "corner brackets": f"「{INVENTED}」",
    "Swiss marks with narrow blanks": f"«\u202f{INVENTED}\u202f»",
    "Swedish marks": f"”{INVENTED}”",
    "straight single marks": f"Das Heft: '{INVENTED}'",
    "entities for marks": f"&bdquo;{INVENTED}&ldquo; und &quot;noch etwas&quot;",
    "numeric entities": f"&#8222;{INVENTED}&#x201c;",
    "q": f"<q>{INVENTED}</q>",
    "Q with attributes": f"<Q cite=\"https://example.org/'a'\" lang=de>{INVENTED}</Q>",
    "q that never closes": f"<q>{INVENTED}",
    "blockquote": f"<blockquote>\n<p>{INVENTED}</p>\n</blockquote>",
    "italics": f"Im Heft: *{INVENTED}*",
    "italics with low lines": f"Im Heft: _{INVENTED}_",
    "bold italics": f"***{INVENTED}***",
    "italics around a true quotation": f"*{INVENTED} „{ORDER}“*",
    "code": f"`{INVENTED}`",
    "fenced code": f"```\n{INVENTED}\n```",
    "block quote in a list": f"- > {INVENTED}",
    "block quote in a numbered list": f"1. Regel\n   1. > {INVENTED}",
    "entity for the sign of a block quote": f"&gt; {INVENTED}",
    "line without the sign": "> Ein durchnässter Lotse oder Matrose kann\nimmer angreifen.",
    "ellipsis over a negation": "„Ein durchnässter Lotse oder Matrose kann […] angreifen.“",
    "ellipsis of dots": "„Ein durchnässter Lotse oder Matrose kann ... angreifen.“",
    "ellipsis of dots apart": "„Ein durchnässter Lotse oder Matrose kann . . . angreifen.“",
    "ellipsis in round brackets": "„Ein durchnässter Lotse oder Matrose kann (...) angreifen.“",
    "ellipsis in braces": "„Ein durchnässter Lotse oder Matrose kann {…} angreifen.“",
    "ellipsis at the end": "„Eine schon ermattete Karte zahlt diese Kosten […]“",
    "nothing at the end": "„Eine schon ermattete Karte zahlt diese Kosten“",
    "ellipsis at the "
    "beginning": "„[…] wirkt, solange ihre Karte im Spiel ist.“ und „[…] verschoben oder versenkt "
    "werden“",
    "ellipsis over a "
    "condition": "„Ein Wrack mit dem Schlüsselwort Anker X kann […] verschoben oder versenkt "
    "werden“",
    "words picked one by one": "„Ein […] Lotse […] kann […] angreifen.“",
    "two sentences made "
    "one": "„Wirken mehrere Fähigkeiten […] wird stattdessen die Statuskarte abgelegt.“",
    "over two quotations": "„Ein durchnässter Lotse oder Matrose“ „kann angreifen.“",
    "over two short quotations": "„Durchnässte Lotsen“ „dürfen angreifen“",
    "struck out": "„Ein durchnässter Lotse oder Matrose kann ~~nicht~~ angreifen.“",
    "struck out in Telegram": "„Ein durchnässter Lotse oder Matrose kann ~nicht~ angreifen.“",
    "struck out in HTML": "„Ein durchnässter Lotse oder Matrose kann <s>nicht</s> angreifen.“",
    "hidden in "
    "HTML": "„Ein durchnässter Lotse oder Matrose kann <span hidden>nicht</span> angreifen.“",
    "in a comment": "„Ein durchnässter Lotse oder Matrose kann <!-- nicht --> angreifen.“",
    "spoiler": "„Ein durchnässter Lotse oder Matrose kann ||nicht|| angreifen.“",
    "letters that look alike": f"„{WET_FREE.replace('a', 'а')}“",
    "letters struck "
    "through": "„Ein durchnässter Lotse oder Matrose kann n\u0336i\u0336c\u0336h\u0336t\u0336 "
    "angreifen.“",
    "direction turned": "„Ein durchnässter Lotse oder Matrose kann \u202enicht\u202c angreifen.“",
    "blanks that are "
    "letters": "„Durchnässt\u3164ist\u3164ein\u3164Status\u3164der\u3164einen\u3164zweiten\u3164Angriff\u3164erlaubt“",
    "no blanks at all": f"„{INVENTED.replace(' ', '')}“",
    "zero-width blanks": "„Ein durchnässter Lotse oder Matrose kann\u200b angrei\u200bfen.“",
    "soft hyphens": "„Ein durch\u00adnässter Lotse oder Ma\u00adtrose kann angrei\u00adfen.“",
    "capital for a small letter": "„Ein durchnässter lotse oder Matrose kann nicht angreifen.“",
    "full stop before the "
    "end": "„Wirken mehrere Fähigkeiten mit gleichem Vorrang zur selben Zeit.“",
    "first word missing": "„durchnässter Lotse oder Matrose kann nie angreifen.“",
    "in a list of true ones": f"- „{ORDER}“\n- „{WET}“\n- „{WET_FREE}“",
    "inner quotation true": f"„{INVENTED} „{ORDER}““",
    "negation in brackets": "„Ein durchnässter Lotse oder Matrose kann [nicht] angreifen.“",
}
TRUE = {
    "straight mark behind the opening "
    "one": '„"Max. 1 pro Fahrwasser" heißt, dass dort nie ein zweites Exemplar liegen darf.“',
    "straight marks in straight "
    "marks": '""Max. 1 pro Fahrwasser" heißt, dass dort nie ein zweites Exemplar liegen darf."',
    "over a line break": '"Ein durchnässter Lotse oder Matrose kann\nnicht angreifen."',
    "opened in one way and closed in another": f'„{WET}"',
    "narrow blanks": f"«\u202f{WET}\u202f»",
    "entities": f"&bdquo;{WET.replace('ä', '&auml;')}&ldquo;",
    "soft hyphens and zero-width "
    "blanks": "„Ein durch\u00adnässter Lotse\u200b oder Matrose kann nicht angreifen.“",
    "bold words": "„Ein durchnässter **Lotse** oder *Matrose* kann <b>nicht</b> angreifen.“",
    "ellipsis that hides "
    "nothing": "„Wirken mehrere Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge.“",
    "ellipsis of dots that hides "
    "nothing": "„Wirken mehrere Fähigkeiten ... bestimmt der Wachhabende die Reihenfolge.“",
    "whole sentences around an ellipsis": f"„… {AFTER}“",
    "over two quotations": "„Ein durchnässter Lotse oder Matrose“ „kann nicht angreifen.“",
    "in a list": f"* „{WET}“\n* „{ORDER}“",
    "block quote in a list": f"- Regel:\n  - > {WET}\n    > {AFTER}",
    "italics around a quotation": f"*Im Heft steht: „{WET}“*",
    "with an apostrophe beside": f"Gibt's das? '{WET}' So geht's.",
    "with an inch beside": f'Ein 5" langes Schiff. „{WET}“',
    "code beside": f"Mit `regula serve --port 8080` und `GET /v1/ask`: „{WET}“",
    "emphasis beside": f"Das ist *wirklich* und **ganz und gar nicht** erlaubt: „{WET}“",
    "a link beside": f'<a href="https://example.org/x y">Heft</a> „{WET}“',
    "contents": '„Abtreiben; Aktivierung; "Alle"; An Bord, An Land“',
}


@pytest.fixture(scope="module")
def index(sample_library) -> Harbour:
    return Harbour(sample_library, id="fooled")


@pytest.mark.parametrize("text", FOOLING.values(), ids=FOOLING)
def test_what_is_not_printed_is_seen_however_it_is_set(index, text):
    assert verification_out(index, text).verdict in ("altered", "unsupported")


@pytest.mark.parametrize("text", TRUE.values(), ids=TRUE)
def test_what_is_printed_is_exact_though_it_looks_odd(index, text):
    assert verification_out(index, text).verdict == "exact"


@pytest.mark.parametrize(
    "text",
    [
        "Dell'eroe si dice che l'attacco non c'è, un po' come l'altro.",
        "Gibt's nicht, 'ne Karte hat's und die Spieler' sind's.",
        "The players' turn isn't the enemies' turn.",
        "Nutze `regula ask` oder `python -m service.cli serve --port 80`.",
        "Das ist *sehr* wichtig, __fett__ und _schräg_; `snake_case_name` auch.",
        "Es sind 2 * 3 * 4 Karten und 5*6*7.",
        "» Menü » Regeln » Karten",
        "- erstens\n- zweitens\n* drittens",
        "*Pegelwacht Regelbuch 1.1 (de), Gleichzeitige Effekte, Z. 315*",
    ],
)
def test_apostrophes_code_emphasis_and_citations_are_no_quotations(index, text):
    body = verification_out(index, text)
    assert (body.verdict, body.quotations) == ("nothing-quoted", [])


def test_what_an_ellipsis_leaves_out_is_said(index):
    (found,) = verification_out(
        index, "„Ein durchnässter Lotse oder Matrose kann […] angreifen.“"
    ).quotations
    (left_out,) = found.left_out
    assert (found.status, found.misleading, left_out.where, left_out.shown) == (
        "altered",
        True,
        "within",
        True,
    )
    assert (left_out.holds, left_out.words, left_out.printed[0].text) == (
        ["negation"],
        ["nicht"],
        "nicht",
    )
    assert left_out.printed[0].spans
    assert [(each.change, each.given, each.printed) for each in found.differences] == [
        ("left-out", "[…]", "nicht")
    ]
    (plain,) = verification_out(
        index, "„Wirken mehrere Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge.“"
    ).quotations
    assert (plain.status, plain.misleading) == ("exact", False)
    assert [run.text for run in plain.left_out[0].printed] == [
        "mit gleichem Vorrang zur selben Zeit,"
    ]


@pytest.mark.parametrize(
    ("quoted", "holds"),
    [
        ("„Karten mit dem Schlüsselwort Eisern […] durch Fähigkeiten.“", "negation"),
        (
            "„Ein Wrack mit dem Schlüsselwort Anker X kann nicht verschoben oder versenkt werden, "
            "[…] bezahlt wurde.“",
            "exception",
        ),
        (
            "„Eine Dauerfähigkeit hat keinen fetten Auslöser und wirkt, […] im Spiel ist.“",
            "condition",
        ),
        ("„Mehr als […] Marker fasst die Lampe nicht“", "number"),
        ("„Ein Effekt […] ausgeführt, wenn der Effekt davor gar nichts bewirkt hat.“", "exception"),
    ],
)
def test_what_is_left_out_is_told_by_kind(index, quoted, holds):
    (found,) = verification_out(index, quoted).quotations
    assert found.status == "altered"
    assert holds in [kind for each in found.left_out if each.shown for kind in each.holds]


def test_game_and_edition_say_what_counts(index):
    old = "pegelwacht-de-1.0"
    new = "pegelwacht-de-1.1"
    only_new = next(
        p.display
        for p in index.library.passages_in(new)
        if len(p.display.split()) > 8
        and verification_out(index, f"«{p.display}»", edition=old).verdict != "exact"
    )
    assert (
        verification_out(index, f"«{only_new}»").verdict
        == verification_out(index, f"«{only_new}»", edition=new).verdict
        == "exact"
    )
    (found,) = verification_out(index, f"«{only_new}»", edition=old).quotations
    assert found.status in ("altered", "unsupported")
    assert found.citation is None or found.citation.edition == old
    assert new in {each.edition for each in found.elsewhere}
    (found,) = verification_out(index, f"„{WET}“", game="pegelduell").quotations
    assert (found.status, {each.game for each in found.elsewhere}) == (
        "unsupported",
        {"pegelwacht"},
    )
    assert verification_out(index, f"„{WET}“", game="pegelwacht").quotations[0].elsewhere == []


def test_lists_from_the_contents_are_known(index):
    headings = [
        entry.heading
        for entry in index.library.entries_of("pegelwacht-de-1.1")
        if entry.parent == "pegelwacht-de-1.1/glossar"
    ][:5]
    lines = "\n".join(
        f"> {number}. {heading} ..... {number}" for number, heading in enumerate(headings, 1)
    )
    for text in (
        lines,
        "\n".join(f"> - {heading}" for heading in headings),
        f"«{'; '.join(headings)}»",
    ):
        (found,) = verification_out(index, text).quotations
        assert (found.status, found.role, len(found.printed)) == (
            "exact",
            "listing",
            len(headings),
        ), text
    (found,) = verification_out(
        index, "\n".join(f"> - {heading}" for heading in reversed(headings))
    ).quotations
    assert found.status != "exact"
    printed = next(
        p.display
        for p in index.library.passages
        if p.role == "listing" and len(p.display.split()) > 8
    )
    assert verification_out(index, f"«{printed}»").verdict == "exact"
