import gzip
import json
import random
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from corpus.languages import LANGUAGES
from glossary import query_variants
from glossary import word_tables as module
from glossary.word_tables import LanguageTables, WordTables, spacy_pipeline
from index.analysis import words

WORDS = (
    "Karte karte dell dall po cannot don dont im Im gonna gotta Wo wo z.B. d.h. usw. bzw. "
    "http://a.de/5km www.x.it a@b.com Ü ß ñ 3A"
)
MEASURES = "km km² m cm kg g t lb oz m/s km/h Pa GB T G M K % °C € $ US$ am pm 4.2.1"
SIGNS = "' ' ’ ’ - – . , ; : ! ? ( ) [ ] \" „ “ « » / & + * § … … ★ → _ # ~ = < >"
PIECES = f"{WORDS} {MEASURES} {SIGNS}".split(" ")


@cache
def tokenizer(language):
    return spacy_pipeline(language).tokenizer


def divided(text, language):
    """The words of ``text`` by spaCy itself."""
    return [word for token in tokenizer(language)(text) for word in words(token.text)]


def made_up(language, count):
    """Texts that tokenizers stumble over."""
    draw = random.Random(language)
    exceptions = sorted(tokenizer(language).rules)
    for _ in range(count):
        pieces = [draw.choice((draw.choice(exceptions), draw.choice(PIECES), draw.choice(PIECES), str(draw.randint(0, 999)), " ", "\n"))
                  for _ in range(draw.randint(1, 12))]  # fmt: skip
        yield "".join(pieces)


@pytest.mark.parametrize("language", LANGUAGES)
def test_made_up_texts_are_divided_as_spacy_does(language, word_tables):
    for text in made_up(language, 1500):
        assert word_tables[language].words(text) == divided(text, language), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_and_its_query_variants_are_divided_as_spacy_does(language, sample, word_tables):
    texts = [p.text for rulebook in sample.rulebooks for p in rulebook.passages]
    texts += [
        p.text
        for rulebook in sample.rulebooks
        for each in query_variants.load_query_variants(rulebook.edition.id)
        for p in each.all("de")
    ]
    assert len(texts) > 1000
    for text in texts:
        assert word_tables[language].words(text) == divided(text, language), text


def test_contractions_and_measures_are_divided(word_tables):
    assert word_tables["en"].words("I cannot go 5km, don't") == [
        "I",
        "can",
        "not",
        "go",
        "5",
        "km",
        "do",
        "n",
        "t",
    ]
    assert word_tables["de"].words("Regel 4.2.1, z.B. 5km") == [
        "Regel",
        "4.2.1",
        "z",
        "B",
        "5",
        "km",
    ]


def first_lemma(found):
    """The lemma that a table of spaCy names, the first where it names several."""
    return found if isinstance(found, str) else found[0]


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "language", [language for language in LANGUAGES if language != "pl"]
)  # Polish has no such table
def test_lemmas_are_those_of_spacys_tables(language, word_tables, tmp_path):
    nlp = spacy_pipeline(language)
    lemmatizer: Any = nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatizer.initialize()
    table = lemmatizer.lookups.get_table("lemma_lookup")
    word_tables[language].save(tmp_path / language)
    loaded = LanguageTables.load(tmp_path / language)
    with (files("spacy_lookups_data") / "data" / f"{language}_lemma_lookup.json.gz").open(
        "rb"
    ) as packed:
        listed = random.Random(3).sample(sorted(json.loads(gzip.decompress(packed.read()))), 2000)
    asked = [
        *listed,
        *(word.upper() for word in listed),
        *(word.capitalize() for word in listed),
        "qqq",
        "",
        "\ud800",
        "x" * 5000,
    ]
    asked += [first_lemma(table[word]) for word in listed]
    for word in asked:
        wanted = (
            first_lemma(table.get(word) or table.get(word.lower()) or word)
            if word.isprintable()
            else word
        )
        assert word_tables[language].lemma(word) == loaded.lemma(word) == wanted
        assert loaded.has(word) == word_tables[language].has(word)
        assert not (word.isprintable() and word in table) or loaded.has(word)
    assert loaded.stop_words == nlp.Defaults.stop_words


def test_words_that_are_analysed_in_advance_are_the_same_as_analysed_now(
    word_tables, tmp_path, monkeypatch
):
    words = [
        "Karten",
        "karten",
        "gelegt",
        "größer",
        "città",
        "più",
        "went",
        "4.2",
        "3A",
        "ß",
        "Xyzzyx",
    ]
    asked = [(word, language) for word in words for language in LANGUAGES]
    now = [word_tables.analyse(*each) for each in asked]
    word_tables.save(tmp_path / "forms")
    word_tables.save_analyses(words, tmp_path / "stems")
    loaded = WordTables.load(tmp_path / "forms", tmp_path / "stems")
    assert loaded.analyse("Nichtdabei", "de") == word_tables.analyse("Nichtdabei", "de")
    monkeypatch.setattr(
        module, "stem", lambda word, language: pytest.fail(f"{word} was analysed again")
    )
    assert [loaded.analyse(*each) for each in asked] == now
    assert now[0].known  # "Karten" in German
    assert not now[asked.index(("Xyzzyx", "de"))].known


@pytest.mark.parametrize(
    ("word", "name", "language"),
    [
        ("Wahl", "Wählen", "de"),
        ("siegst", "Sieg", "de"),
        ("Würde", "Würden", "de"),
        ("Verteidigung", "Verteidigen", "de"),
        ("geht", "gehen", "de"),
        ("curo", "Curare", "it"),
        ("trame", "Trama", "it"),
        ("giocarla", "Giocare", "it"),
        ("Decks", "Deck", "de"),
        ("Zorbeln", "Zorbel", "de"),
    ],
)
def test_forms_and_derived_words_are_related(word_tables, word, name, language):
    assert word_tables.are_related(word, name, language)


@pytest.mark.parametrize(
    ("word", "name", "language"),
    [
        ("potato", "Potere", "it"),
        ("tram", "Trama", "it"),
        ("mazza", "Mazzo", "it"),
        ("alle", "Alleato", "it"),
        ("liederlich", "Lied", "de"),
        ("Offenheit", "Offen", "de"),
    ],
)
def test_words_that_share_a_short_stem_by_chance_are_not_related(word_tables, word, name, language):
    assert not word_tables.are_related(word, name, language)
