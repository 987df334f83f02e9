"""Words are divided and looked up as spaCy does it, without spaCy."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from corpus import RulebookFolder
from corpus.languages import LANGUAGES
from glossary import compounds, phrasings
from glossary.compounds import keep_stems, read_stems, seen
from glossary.normalization import forms, lemma
from glossary.string_trie import Texts
from glossary.word_tables import Forms, pipeline
from index.analysis import words

WORDS = "Karte karte dell dall po cannot don dont im Im gonna gotta Wo wo z.B. d.h. usw. bzw. http://a.de/5km www.x.it a@b.com Ü ß ñ 3A"
MEASURES = "km km² m cm kg g t lb oz m/s km/h Pa GB T G M K % °C € $ US$ am pm 4.2.1"
SIGNS = "' ' ’ ’ - – . , ; : ! ? ( ) [ ] \" „ “ « » / & + * § … … ★ → _ # ~ = < >"
PIECES = f"{WORDS} {MEASURES} {SIGNS}".split(" ")


@cache
def tokenizer(language: str) -> Any:
    return pipeline(language).tokenizer


def divided(text: str, language: str) -> list[str]:
    """The words of ``text`` by spaCy itself."""
    return [word for token in tokenizer(language)(text) for word in words(token.text)]


def made_up(language: str, count: int) -> Iterator[str]:
    """Texts that tokenizers stumble over."""
    draw = random.Random(language)
    exceptions = sorted(tokenizer(language).rules)
    for _ in range(count):
        pieces = [draw.choice((draw.choice(exceptions), draw.choice(PIECES), draw.choice(PIECES), str(draw.randint(0, 999)), " ", "\n"))
                  for _ in range(draw.randint(1, 12))]  # fmt: skip
        yield "".join(pieces)


@pytest.mark.parametrize("language", LANGUAGES)
def test_made_up_texts_are_divided_as_spacy_does(language: Any) -> None:
    for text in made_up(language, 1500):
        assert forms(language).words(text) == divided(text, language), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sample_and_its_phrasings_are_divided_as_spacy_does(language: str, sample: RulebookFolder) -> None:
    texts = [p.text for rulebook in sample.rulebooks for p in rulebook.passages]
    texts += [p.text for rulebook in sample.rulebooks for each in phrasings.load(rulebook.edition.id) for p in each.all("de")]
    assert len(texts) > 1000
    for text in texts:
        assert forms(language).words(text) == divided(text, language), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_real_passages_and_phrasings_are_divided_as_spacy_does(language: str, real: RulebookFolder) -> None:
    texts = [p.text for rulebook in real.rulebooks for p in rulebook.passages]
    texts += [p.text for rulebook in real.rulebooks for each in phrasings.load(rulebook.edition.id) for p in each.all("de")]
    for text in random.Random(7).sample(texts, 2000):
        assert forms(language).words(text) == divided(text, language), text


def test_contractions_and_measures_are_divided() -> None:
    assert forms("en").words("I cannot go 5km, don't") == ["I", "can", "not", "go", "5", "km", "do", "n", "t"]
    assert forms("de").words("Regel 4.2.1, z.B. 5km") == ["Regel", "4.2.1", "z", "B", "5", "km"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lemmas_are_those_of_spacys_tables(language: Any, tmp_path: Path) -> None:
    nlp = pipeline(language)
    lemmatizer: Any = nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatizer.initialize()
    table = lemmatizer.lookups.get_table("lemma_lookup")
    forms(language).save(tmp_path / language)
    loaded = Forms.load(tmp_path / language)
    with (files("spacy_lookups_data") / "data" / f"{language}_lemma_lookup.json.gz").open("rb") as packed:
        listed = random.Random(3).sample(sorted(json.loads(gzip.decompress(packed.read()))), 2000)
    asked = [*listed, *(word.upper() for word in listed), *(word.capitalize() for word in listed), "qqq", "", "\ud800", "x" * 5000]
    asked += [str(table[word]) for word in listed]
    for word in asked:
        wanted = str(table.get(word) or table.get(word.lower()) or word) if word.isprintable() else word
        assert lemma(word, language) == loaded.lemma(word) == wanted
        assert loaded.has(word) == forms(language).has(word)
        assert not (word.isprintable() and word in table) or loaded.has(word)
    assert loaded.stop_words == nlp.Defaults.stop_words


def test_words_that_were_looked_up_before_are_the_same_as_looked_up_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ["Karten", "karten", "gelegt", "größer", "città", "più", "went", "4.2", "3A", "ß", "Xyzzyx"]
    asked = [(word, spoken) for word in (*kept, "Nichtdabei") for spoken in LANGUAGES]
    monkeypatch.setattr(compounds, "_frequent", Texts.of({}))
    seen.cache_clear()
    wanted = [seen(*each) for each in asked]
    keep_stems(kept, tmp_path / "stems")
    read_stems(tmp_path / "stems")
    seen.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(compounds.normalization, "stem", lambda word, language: pytest.fail(f"{word} was looked up again"))
        assert [seen(*each) for each in asked[:-3]] == wanted[:-3]
    assert [seen(*each) for each in asked] == wanted
    assert wanted[0].known  # "Karten" in German
    assert not wanted[asked.index(("Xyzzyx", "de"))].known
    seen.cache_clear()
