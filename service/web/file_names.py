"""The names under which browsers store files."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from urllib.parse import quote

from flask import Response


def name_file(response: Response, name: str) -> None:
    """Have browsers show ``response`` and store it as ``name``, with all its letters (RFC 6266), or
    without accents where they are old.

    Of a document in the folder of a game, "game/file", the folder is left out.
    """
    name = PurePosixPath(name).name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    options = {"filename": plain.replace('"', "").replace("\\", "") or "document"}
    if plain != name:
        options["filename*"] = f"UTF-8''{quote(name.encode('utf-8', 'replace'), safe='')}"
    response.headers.set("Content-Disposition", "inline", **options)
