"""Make docs/answer.png for the README, from a service over the sample: `python -m
tests.docs.screenshot http://127.0.0.1:8080`.
"""

from __future__ import annotations

import re
import shutil
import sys
from io import BytesIO
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.conftest import ROOT

PICTURE = ROOT / "docs" / "answer.png"


def take(address: str) -> None:
    """Ask the question of the README at ``address`` in a window of 390 x 844, and save the screen
    in 64 colours.
    """
    (question,) = re.findall(
        r'\.venv/bin/regula ask "(.*?)"', (ROOT / "README.md").read_text(encoding="utf-8")
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": 390, "height": 844}, color_scheme="light", locale="de-DE"
        )
        page.goto(
            f"{address}/?{urlencode({'q': question, 'game': 'pegelwacht'})}",
            wait_until="networkidle",
        )
        shown = Image.open(BytesIO(page.screenshot()))
        browser.close()
    shown.convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    take(sys.argv[1].rstrip("/"))
