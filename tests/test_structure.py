import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_room_says_what_it_has():
    rooms = [
        path
        for package in ("corpus", "glossary", "index", "service")
        for path in sorted((ROOT / package).rglob("__init__.py"))
    ]
    assert len(rooms) > 20
    undescribed = [
        str(path.parent.relative_to(ROOT))
        for path in rooms
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert undescribed == []
