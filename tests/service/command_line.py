"""Run commands of `regula` in the test's process, because a new process takes four seconds to
start.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import pytest

from service.cli import main
from tests.conftest import SAMPLE
from tests.environment import without_settings


def regula(
    *arguments: object,
    rulebooks: Path | None = SAMPLE,
    index: Path | None = None,
    input: str = "",
    settings: Mapping[str, str] | None = None,
) -> CompletedProcess[str]:
    """Run a command without a terminal and with only these ``settings``."""
    folders = {"REGULA_RULEBOOKS": rulebooks, "REGULA_INDEX": index}
    said = {name: str(folder) for name, folder in folders.items() if folder}
    given = [str(each) for each in arguments]
    read, out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(3))
    read.write(input)
    read.seek(0)
    with (
        patch.dict(os.environ, without_settings() | said | dict(settings or {}), clear=True),
        patch.multiple(sys, stdin=read, stdout=out, stderr=err),
        pytest.raises(SystemExit) as ended,
    ):
        main(given)
    status = ended.value.code if isinstance(ended.value.code, int) else 1
    printed, told = (each.buffer.getvalue().decode() for each in (out, err))
    return CompletedProcess(given, status, printed, told)
