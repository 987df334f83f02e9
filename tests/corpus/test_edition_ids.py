import pytest

from corpus import read_folder

RULES = """# Kranspiel

## 1. Aufbau

1.1 Jede Person nimmt drei Kisten.

1.2 Der Kran steht in der Mitte.

## 2. Zug

2.1 Wer am Zug ist, hebt eine Kiste.
"""
TOURNAMENT = RULES.replace("Kranspiel", "Kranturnier").replace("drei Kisten", "vier Kisten")


def ids(folder):
    """Return the ids of the editions in ``folder`` by the names of their files."""
    return {each.document.file: each.edition.id for each in read_folder(folder).rulebooks}


def put(folder, **texts):
    """Write Markdown files into ``folder``."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        ("", ("unknown-de-kranspiel", "unknown-de-kranturnier")),
        ("kran", ("kran-de-kranspiel", "kran-de-kranturnier")),
        ("kranspiel", ("kranspiel-de", "kranspiel-de-kranturnier")),
    ],
)
def test_an_id_stays_whatever_happens_to_words_and_files(tmp_path, game, expected):
    folder = tmp_path / game
    before = f"{game}/" if game else ""
    put(folder, a=RULES)
    assert ids(tmp_path) == {f"{before}a.md": expected[0]}
    put(folder, b=TOURNAMENT)
    assert list(ids(tmp_path).values()) == list(expected)
    put(folder, a=RULES.replace("hebt", "senkt"), b=TOURNAMENT.replace("hebt", "senkt"))
    assert list(ids(tmp_path).values()) == list(expected)
    (folder / "a.md").rename(folder / "z.md")
    assert list(ids(tmp_path).values()) == list(reversed(expected))
    (folder / "z.md").unlink()
    assert list(ids(tmp_path).values()) == [expected[1]]


def test_copies_are_read_once_under_the_same_id(tmp_path):
    put(tmp_path, b=RULES)
    before = ids(tmp_path)
    put(tmp_path, a=RULES)
    assert list(ids(tmp_path).values()) == list(before.values())
    assert "is already read from a.md" in read_folder(tmp_path).left_out[0]


def test_texts_of_one_title_are_told_apart_by_their_files(tmp_path):
    put(tmp_path / "kran", a=RULES, b=TOURNAMENT.replace("Kranturnier", "Kranspiel"))
    assert ids(tmp_path) == {
        "kran/a.md": "kran-de-kranspiel-a",
        "kran/b.md": "kran-de-kranspiel-b",
    }


def test_texts_of_one_version_are_told_apart_by_their_titles(tmp_path):
    put(
        tmp_path / "kran",
        a=RULES.replace("## 1.", "Version 2\n\n## 1."),
        b=TOURNAMENT.replace("## 1.", "Version 2\n\n## 1."),
    )
    assert ids(tmp_path) == {
        "kran/a.md": "kran-de-2-kranspiel",
        "kran/b.md": "kran-de-2-kranturnier",
    }


def test_a_document_without_a_title_is_called_after_its_file(tmp_path):
    put(tmp_path, regeln="\n".join(f"{n}. Die Kiste {n} ist schwer. " * 9 for n in range(3)))
    assert ids(tmp_path) == {"regeln.md": "unknown-de-regeln"}
