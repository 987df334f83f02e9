"""An address for each format of an exported file: one call, one type of response, whatever formats there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from flask import Response

from service.editions.exports import Format
from service.web.api.blueprints import COMPARE, api


def add_formats(rule: str, formats: Mapping[str, Format[...]], what: str, view: Callable[[str], Callable[..., Response]]) -> None:
    """Add an address behind ``rule`` for each of ``formats`` but JSON, which ``rule`` itself gives.

    ``view`` returns the function of the format called so, with the annotations of its parameters; ``what`` says what it gives.
    """
    for name, form in formats.items():
        if name == "json":
            continue
        function = view(name)
        function.__name__ = f"{function.__name__}_as_{re.sub('[^a-z0-9]', '_', name)}"
        function.__doc__ = (
            f"Give {what} as a file in the format `{name}`.\n\n"
            f"The file that `--format {name}` of the command line writes; docs/translators.md says what each format has."
        )
        api.call("GET", f"{rule}/{name}", COMPARE, _file(form))(function)


def _file(form: Format[...]) -> dict[str, Any]:
    """Describe the response that has a file."""
    mimetype = form.mimetype.partition(";")[0]
    # What is no text has its encoding within itself, as XML does: programs take it as bytes.
    schema = {"type": "string"} if mimetype.startswith("text/") else {"type": "string", "format": "binary"}
    return {"description": "The file.", "content": {mimetype: {"schema": schema}}}
