"""What lets a stranger find things: a name stands for one thing in the whole tree."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("corpus", "glossary", "index", "service")

# Folders whose modules are of one kind each, so that the folder says what `entries` or `passages` in it is.
KINDS = {
    "corpus/cards",
    "corpus/layouts/*",
    "corpus/rulings",
    "glossary/check",
    "glossary/references",
    "service/schemas",
    "service/web/api",
    "service/web/pages",
}

# Modules that a package has when it needs one, and that are always called so.
ALWAYS = {"__init__", "__main__", "model", "errors"}


def modules() -> list[Path]:
    found = [path.relative_to(ROOT) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    assert len(found) > 200
    return found


def test_no_class_has_the_name_of_another() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_has_the_name_of_another_unless_its_folder_tells_them_apart() -> None:
    places = defaultdict(list)
    for path in modules():
        if path.stem not in ALWAYS and not any(path.parent.match(kind) for kind in KINDS):
            places[path.stem].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
