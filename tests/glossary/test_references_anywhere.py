"""References in documents of any kind: by number, name, quoted title and link, in four
languages.
"""

from dataclasses import replace

import pytest

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from glossary.references import find

NUMBERED = """# Harbour Rules

## 1. Boats

1.1. A boat enters the harbour at high tide.

1.2. A boat at anchor is safe. See rule 1.1 and rules 2.1-2.2.

1.2a If a boat drifts, see rule 2.2b. It may take 1.5 hours.

1.3. You can see 4 boats from the quay.

## 2. Fog

2.1. Fog hides a boat (see Boats). See “Fog” or the part on nothing.

2.2. While there is fog, see what the pilot says.

2.2a Fog lifts at noon.

2.2b Fog moves with the wind, see rule 1.2a. See rule 2.9 for storms.
"""

NAMES = {
    "en": (
        "Zone",
        "See also: Wharf, Lantern",
        "Related: Wharf, Lantern",
        "A boat leaves the harbour (see Wharf).",
    ),
    "de": (
        "Zone",
        "Siehe auch: Kai, Laterne",
        "Verwandte Begriffe: Kai, Laterne",
        "Ein Boot verlässt den Hafen (siehe Kai).",
    ),
    "it": (
        "Zona",
        "Vedi anche: Molo, Lanterna",
        "Voci correlate: Molo, Lanterna",
        "Una barca lascia il porto (vedi Molo).",
    ),
    "es": (
        "Zona",
        "Véase también: Muelle, Farol",
        "Términos relacionados: Muelle, Farol",
        "Un barco deja el puerto (véase Muelle).",
    ),
    "fr": (
        "Zone",
        "Voir aussi : Quai, Lanterne",
        "Termes liés : Quai, Lanterne",
        "Un bateau quitte le port (voir Quai).",
    ),
}


def _read(text, language, id="harbour", version="1"):
    """``text`` as the outline layout reads it."""
    edition = Edition(f"{id}-{language}-{version}", id, language, version, "Harbour", "outline")
    return read(Document.from_bytes("harbour.md", text.encode()), edition)


def _found(rulebook, *others):
    """What each reference of ``rulebook`` is printed as, and the number or title of what it leads
    to.
    """
    entries = {entry.id: entry for book in (rulebook, *others) for entry in book.entries}
    return [
        (
            reference.raw,
            (entries[reference.target].number or entries[reference.target].title)
            if reference.target
            else None,
        )
        for reference in find(rulebook, (rulebook, *others))
    ]


def test_numbers_of_rules_names_and_titles_are_references_and_nothing_else_is():
    found = [(raw, (target or "-").rstrip(".")) for raw, target in _found(_read(NUMBERED, "en"))]
    assert found == [
        ("1.1", "1.1"), ("2.1", "2.1"), ("2.2", "2.2"), ("2.2b", "2.2b"),
        ("Boats", "1"), ("Fog", "2"), ("1.2a", "1.2a"), ("2.9", "-"),
    ]  # fmt: skip


@pytest.mark.parametrize("language", NAMES)
def test_lists_and_brackets_are_read_in_every_language(language):
    title, also, related, bracket = NAMES[language]
    first, second = also.partition(":")[2].strip().split(", ")
    text = (
        f"# {title}\n\n{bracket}\n\n{also}\n\n# {first}\n\nAbc abc abc.\n\n{related}\n\n# "
        f"{second}\n\nAbc abc.\n"
    )
    assert _found(_read(text, language)) == [
        (first, first),
        (first, first),
        (second, second),
        (second, second),
    ]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Ein Boot treibt, siehe 1.2."),
        ("it", "La barca va, vedi 1.2."),
        ("es", "Un barco va, véase 1.2."),
        ("fr", "Il part, voir 1.2."),
    ],
)
def test_numbers_after_see_are_read_in_every_language(language, sentence):
    text = f"# 1. Abc\n\n1.1. {sentence}\n\n1.2. Abc abc abc.\n\n1.3. Abc abc.\n"
    assert [(raw, str(target).rstrip(".")) for raw, target in _found(_read(text, language))] == [
        ("1.2", "1.2")
    ]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Abweichend zu 1.2 darf ein Boot treiben."),
        ("de", "Ergänzend zu 1.2 gilt die Flaute."),
        ("de", "Ein Boot im Sinne von 1.2 treibt."),
        ("it", "In deroga alla 1.2 la barca va."),
        ("it", "La barca va a norma della 1.2."),
        ("en", "Without prejudice to 1.2 a boat drifts."),
        ("es", "Un barco va sin perjuicio del 1.2."),
        ("fr", "Par dérogation au 1.2, il part."),
    ],
)
def test_numbers_after_words_of_statutes_are_read(language, sentence):
    text = f"# 1. Abc\n\n1.1. {sentence}\n\n1.2. Abc abc abc.\n\n1.3. Abc abc.\n"
    assert [(raw, str(target).rstrip(".")) for raw, target in _found(_read(text, language))] == [
        ("1.2", "1.2")
    ]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("it", "Vale il Titolo I, Cap. II, art. 3 del codice civile."),
        ("it", "Vale il Titolo I Cap. II, art. 3 c.c."),
        ("de", "Es gilt Abschnitt 1, Kapitel 2, § 3 des BGB."),
        ("it", "Vale l’art. 3 e segg. del Codice civile."),
        ("it", "Valgono gli artt. 2 ss. c.c."),
        ("it", "Valgono gli articoli 2 e seguenti del Codice civile."),
        ("it", "Vale l’art. 2 comma 1° del D.lgs. 117/2017."),
        ("it", "Vale l’art. 2, commi 1° e 2°, della legge 383/2000."),
        ("it", "Vale l’art. 2, primo comma, del codice civile."),
        (
            "it",
            "Vale la Costituzione italiana, ed in particolare gli articoli 2 (pace), 3 (lavoro).",
        ),
        ("it", "Vale il D.P.R. 600/1973, art. 2."),
        ("it", "Vale l’art. 2 Cost."),
        ("de", "Es gelten die §§ 2 und folgende des BGB."),
        ("de", "Es gilt § 2 f. BGB."),
        ("de", "Es gilt das BGB, insbesondere dessen §§ 2 bis 3."),
    ],
)
def test_what_stands_around_the_article_of_a_law_belongs_to_the_law(language, sentence):
    text = f"## 1. Uno\n\n{sentence}\n\n## 2. Due\n\nAbc abc.\n\n## 3. Tre\n\nAbc abc.\n"
    assert {target for _, target in _found(_read(text, language))} == {None}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("it", "Vale il presente statuto, in particolare l’art. 2."),
        ("it", "Vale l’art. 2 e seguenti. Vince chi è nel CONI."),
        ("de", "Es gilt § 2 ff. dieser Ordnung."),
        ("de", "Es gelten das BGB und § 2."),
    ],
)
def test_articles_of_the_document_are_no_articles_of_a_law(language, sentence):
    text = f"# Statuto\n\n## § 1 Uno\n\n{sentence}\n\n## § 2 Due\n\nAbc abc.\n"
    assert {target for _, target in _found(_read(text, language))} == {"§ 2"}


@pytest.mark.parametrize(
    ("language", "label", "sentence"),
    [
        ("de", "Art.", "Wer laut Absatz 2 raucht, stört."),
        ("de", "§", "Wer laut Absatz 1 bis 2 raucht, stört."),
        ("it", "Art.", "Chi fuma secondo il comma 2, disturba."),
        ("en", "Article", "Whoever smokes under paragraph 2 is out."),
        ("fr", "Article", "Selon le paragraphe 2, on sort."),
        ("it", "Art.", "Chi fuma secondo il paragrafo 2, disturba."),
    ],
)
def test_a_part_without_its_rule_is_one_of_the_rule_around_it(language, label, sentence):
    text = (
        f"# Abc\n\n### {label} 1 Def\n\nAbc.\n\n### {label} 2 Ghi\n\nAbc.\n\n## Jkl\n\n{sentence}\n"
    )
    assert _found(_read(text, language)) == []
    inside = text + f"\n### {label} 3 Mno\n\n(1) Abc abc.\n\n(2) Abc.\n\n(3) {sentence}\n"
    if "paragrafo" not in sentence:  # which is none of an article
        assert _found(_read(inside, language))[-1][1] == f"{label} 3 (2)"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("2.1.i.a", "2.1.1.1"),
        ("2.1.i.b)", "2.1.1.2"),
        ("2.1.ii.", "2.1.2"),
        ("2.1.iii,", "2.1.3"),
        ("2.1.c", "2.1.3"),
        ("2.1.iv", None),
    ],
)
def test_letters_and_roman_numbers_count_the_items_of_a_list(printed, expected):
    items = "1. Abc\n    1. Def\n        1. Ghi\n        2. Jkl\n    2. Mno\n    3. Pqr\n2. Stu\n"
    text = f"# Vwx\n\n## 1. Abc\n\nAbc, siehe {printed} abc.\n\n## 2. Def\n\n{items}"
    raw = printed.rstrip(".,)")
    assert _found(_read(text, "de")) == [(raw, expected)]


@pytest.mark.parametrize("printed", ["2bis.b", "2-bis.b", "2.b"])
def test_a_number_with_a_letter_is_not_cut(printed):
    articles = ((n, f"{n}.a. Abc abc.\n\n{n}.b. Abc abc.\n\n") for n in ("1", "2", "2bis"))
    text = "# Abc\n\n" + "".join(f"### Art. {n} Def\n\n{rules}" for n, rules in articles)
    found = _found(_read(f"{text}### Art. 3 Ghi\n\n3.a. Vedi {printed}.\n", "it"))
    assert [(raw, target.replace(".", "")) for raw, target in found] == [
        (printed, printed.replace("-", "").replace(".", ""))
    ]


@pytest.mark.parametrize("printed", ["Artikel1", "Artikel 1", "Art.1", "Art. 1"])
@pytest.mark.parametrize("cited", ["Artikel1", "Art.1", "Art. 1"])
def test_a_label_without_a_blank_is_the_same_label(printed, cited):
    text = f"## {printed} Boot\n\nAbc.\n\n## Artikel 2 Mole\n\nAbc gilt nach {cited} auch.\n"
    assert [target for _, target in _found(_read(text, "de"))] == [printed]


def test_an_appendix_with_a_number_is_no_heading_called_like_it():
    text = "# 1. Boote\n\nEin Boot (siehe Anlage 7).\n\n# 2. Molen / Anlagen\n\nEine Mole.\n"
    assert _found(_read(text, "de")) == [("7", None)]


def test_links_lead_to_headings_and_a_broken_one_is_told():
    text = (
        "# Tide\n\nThe tide rises. It lifts [every boat](#the-boat) and [a thing](#gone), says [a "
        "page](https://example.org).\n\n"
    )
    rulebook = _read(text + "# The boat\n\nA boat floats.\n", "en")
    assert _found(rulebook) == [("every boat", "The boat"), ("a thing", None)]
    assert [reference.problem for reference in find(rulebook)] == [None, "missing"]


def test_another_edition_is_asked_only_for_what_the_document_does_not_have():
    own = _read(
        "# Tide\n\nThe tide rises (see Boat). It falls (see Mast).\n\n# Boat\n\nA boat floats.\n",
        "en",
        version="2",
    )
    other = _read("# Boat\n\nA boat.\n\n# Mast\n\nA mast stands.\n", "en", version="1")
    targets = {
        reference.raw: (reference.target, reference.problem)
        for reference in find(own, (own, other))
    }
    assert targets["Boat"] == ("harbour-en-2/boat", None)
    assert targets["Mast"] == ("harbour-en-1/mast", "outside")
    foreign = replace(other, edition=replace(other.edition, language="de"))
    assert [reference.raw for reference in find(own, (own, foreign))] == ["Boat"]


def test_a_name_may_end_in_a_small_word_where_it_is_printed_so():
    text = (
        "# Hafen\n\n## Anker\n\nEin Anker ist schwer.\n\n## Ankern an\n\nEin Boot hängt am "
        "anderen.\n\n## Wind\n\nEin Tau reißt im Wind (siehe Ankern an). Was am Kai liegt, treibt "
        "ab, siehe Anker an Bord.\n"
    )
    assert _found(_read(text, "de")) == [("Ankern an", "Ankern an"), ("Anker", "Anker")]
