import pytest
import yaml

from glossary.comparison.concept_proposals import ConceptProposal
from glossary.concepts import load_concepts
from service.editions.concept_edits import CONCEPTS_HEADER, with_proposals

RULES = {
    "de": ("Moorhuhnjagd: Regelheft", "Siehe", [
        ("Fangnetz", "#net", "Das Fangnetz kostet 7 Münzen und hält Alrik 3 Runden lang auf."),
        ("Torfstich", "#peat", "Im Torfstich liegen 12 Ballen; wer dort steht, zieht 2 davon."),
        ("Irrlicht", "#wisp", "Das Irrlicht lockt Alrik bis zu 5 Felder weit, danach erlischt es."),
        ("Bohlenweg", "#path", "Über den Bohlenweg dürfen 4 Figuren gehen, ohne 9 Punkte zu "
                               "verlieren."),
    ]),
    "it": ("Caccia nella palude: regolamento", "Vedi", [
        ("Passerella", "#path", "Sulla passerella passano 4 pedine senza perdere 9 punti."),
        ("Fuoco fatuo", "#wisp", "Il fuoco fatuo attira Alrik fino a 5 caselle, poi si spegne."),
        ("Rete", "#net", "La rete costa 7 monete e blocca Alrik per 3 turni."),
        ("Torbiera", "#peat", "Nella torbiera ci sono 12 balle; chi si trova lì ne pesca 2."),
    ]),
}  # fmt: skip
SAME = {
    ("Fangnetz", "Rete"),
    ("Torfstich", "Torbiera"),
    ("Irrlicht", "Fuoco fatuo"),
    ("Bohlenweg", "Passerella"),
}


def rulebook(language):
    """A rulebook in which every entry links to the next; links of all languages have the same
    anchors.
    """
    title, see, entries = RULES[language]
    lines = [f"# {title}", ""]
    for number, (heading, _, text) in enumerate(entries):
        following, anchor, _ = entries[(number + 1) % len(entries)]
        lines += [f"## {heading}", "", text, "", f'{see} "[{following}]({anchor})".', ""]
    return "\n".join(lines)


@pytest.fixture
def regula(regula, tmp_path):
    for language in RULES:
        (tmp_path / f"moor-{language}.md").write_text(rulebook(language), encoding="utf-8")
    return regula


def pairs(home):
    written = yaml.safe_load((home / "concepts" / "moor.yaml").read_text(encoding="utf-8"))
    return {
        (concept["de"][0], concept["it"][0])
        for concept in written.values()
        if concept["de"][0] in dict(SAME)
    }


def test_editions_of_two_languages_can_be_compared_right_after_they_were_added(
    regula, home, tmp_path
):
    assert "concepts proposed" not in regula("add", tmp_path / "moor-de.md", "--yes").out
    added = regula("add", tmp_path / "moor-it.md", "--yes")
    assert added.status == 0, added.err
    assert str(home / "concepts" / "moor.yaml") in added.out
    assert pairs(home) == SAME
    left, right = (
        next((home / "editions").glob(f"moor-{language}*.yaml")).stem for language in RULES
    )
    compared = regula("compare", left, right, "--format", "json")
    assert compared.status == 0, compared.err
    found = {
        (pair["left"][0]["heading"], pair["right"][0]["heading"])
        for pair in yaml.safe_load(compared.out)["entries"]
        if pair["left"] and pair["right"]
    }
    assert found >= SAME
    assert "Fangnetz" in regula("compare", left, right, "--format", "tmx").out
    assert "Torbiera" in regula("terms", "--game", "moor", "--format", "tbx").out


def test_what_the_owner_says_goes_before_proposals_and_stays(regula, home, tmp_path):
    regula("add", tmp_path / "moor-de.md", "--yes")
    (german,) = (path.stem for path in (home / "editions").glob("moor-de*.yaml"))
    path = home / "concepts" / "moor.yaml"
    mine = (
        f"# mine\nlight:\n  de: [Irrlicht, Licht]  # a comment\n  entries:\n    {german}: "
        "Irrlicht\n"
    )
    path.write_text(mine, encoding="utf-8")
    regula("add", tmp_path / "moor-it.md", "--yes")
    after = path.read_text(encoding="utf-8")
    assert after.startswith("# mine\nlight:\n")
    assert "  de: [Irrlicht, Licht]  # a comment\n" in after
    (light,) = (concept for concept in load_concepts("moor") if concept.id == "light")
    assert light.names == {"de": ("Irrlicht", "Licht"), "it": ("Fuoco fatuo",)}
    assert sorted(light.entries.values()) == [("Fuoco fatuo",), ("Irrlicht",)]
    assert list(light.proposed) == [edition for edition in light.entries if edition != german]
    again = regula("concepts", "propose", "--write")
    assert "nothing to propose" in again.out
    assert path.read_text(encoding="utf-8") == after


def test_what_was_told_apart_is_not_proposed_again(regula, home, tmp_path):
    for language in RULES:
        regula("add", tmp_path / f"moor-{language}.md", "--yes")
    editions = {
        language: next((home / "editions").glob(f"moor-{language}*.yaml")).stem
        for language in RULES
    }
    path = home / "concepts" / "moor.yaml"
    concepts = yaml.safe_load(path.read_text(encoding="utf-8"))
    kept = {id: concept for id, concept in concepts.items() if concept["de"] != ["Fangnetz"]}
    kept |= {
        "fangnetz": {"de": ["Fangnetz"], "entries": {editions["de"]: "Fangnetz"}},
        "rete": {"it": ["Rete"], "entries": {editions["it"]: "Rete"}},
    }
    path.write_text(yaml.safe_dump(kept, allow_unicode=True), encoding="utf-8")
    listed = regula("concepts", "propose")
    assert listed.status == 0, listed.err
    assert "Fangnetz" not in listed.out


def test_proposals_are_shown_without_being_written(regula, home, tmp_path):
    for language in RULES:
        regula("add", tmp_path / f"moor-{language}.md", "--yes")
    (home / "concepts" / "moor.yaml").unlink()
    left, right = (
        next((home / "editions").glob(f"moor-{language}*.yaml")).stem for language in RULES
    )
    assert "regula concepts propose --write" in regula("compare", left, right).err
    shown = regula("concepts", "propose", "--game", "moor")
    assert "de: Fangnetz | it: Rete" in shown.out
    assert not (home / "concepts" / "moor.yaml").exists()
    assert regula("concepts", "propose", "--game", "nirgends").status == 2


def test_proposals_come_beside_what_the_package_says_of_a_concept(home):
    packaged = next(concept for concept in load_concepts("pegelwacht") if concept.entries)
    proposal = ConceptProposal(
        packaged.id,
        False,
        {"fr": "La lanterne"},
        {"pegelwacht-fr-1": "LA LANTERNE"},
        {"pegelwacht-fr-1": 0.7},
    )
    (home / "concepts").mkdir(parents=True)
    (home / "concepts" / "pegelwacht.yaml").write_text(
        with_proposals("", [proposal]), encoding="utf-8"
    )
    found = next(concept for concept in load_concepts("pegelwacht") if concept.id == packaged.id)
    assert found.entries == {**packaged.entries, "pegelwacht-fr-1": ("LA LANTERNE",)}
    assert found.names == {**packaged.names, "fr": ("La lanterne",)}
    assert found.slang == packaged.slang


@pytest.mark.parametrize(
    "written",
    [
        "light:\n  de: [Licht]\n  entries:\n    x-de-1: LICHT\n",
        "light: {de: [Licht], entries: {x-de-1: LICHT}}\n",
        "light:\n    de:\n      - Licht  # so\n    entries: {}\n",
        "other:\n  de: [Anderes]\nlight:\n  de: [Licht]",
        "# nothing yet\n",
        "",
    ],
)
def test_a_file_stays_yaml_whatever_its_style(written):
    odd = 'X: "Luce", {1} # [a]'
    after = with_proposals(
        written, [ConceptProposal("light", True, {"it": odd}, {"x-it-1": odd}, {"x-it-1": 0.5})]
    )
    read = yaml.safe_load(after)
    before = yaml.safe_load(written) or {}
    assert read["light"]["it"] == [odd]
    assert read["light"]["entries"]["x-it-1"] == odd
    assert read["light"]["proposed"] == {"x-it-1": 0.5}
    for id, concept in before.items():
        assert {name: read[id][name] for name in concept if name != "entries"} == {
            n: v for n, v in concept.items() if n != "entries"
        }
        assert (concept.get("entries") or {}).items() <= read[id].get("entries", {}).items()
    assert ("# so" in after) == ("# so" in written)
    assert after.startswith(CONCEPTS_HEADER if not written else written[:5])
