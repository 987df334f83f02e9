"""Asks questions on a small telephone, as a judge with a player waiting would, and says what the
first screen shows.

Run by hand against a running server, never with the tests:

    python -m tests.browser.judge http://127.0.0.1:8080 tests/browser/questions.txt --edition
    pegelwacht-de-1.1

The file holds one question a line; a line may begin with an edition and a tab, which then counts
for this question only. Every question is typed into the field of the start page and sent with
Enter, on a screen of 360 x 640. Printed for each: whether the text of the first passage begins
within the first screen, whether the sentence marked in it is there whole, without scrolling and
with nothing in front of it, and where both stand. Where nothing is marked, since all of it answers,
its whole text counts. Screenshots of the first screen go to ``.screenshots/judge/``. Exit status 1
where fewer than 16 of 20 (four in five) show what answers. Whether it is the right passage, only a
reader can say.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from tests.browser.addresses import PHOTOGRAPHS
from tests.browser.flags import FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTH, HEIGHT = 360, 640
ENOUGH = 0.8

# Where the first passage begins and where its first marked sentence stands, or all of its text
# where nothing is marked, in pixels from the top of the screen; `clear` is whether the middle of
# the first and of the last line of that is what one would touch there.
MEASURE = """() => {
  const passage = document.querySelector("main article blockquote");
  if (!passage) return null;
  const mark = passage.querySelector("mark") ?? passage;
  const whole = document.createRange();
  whole.selectNodeContents(passage);
  const boxes = [...(mark === passage ? whole : mark).getClientRects()].filter((box) => box.width && box.height);
  const free = (box) => {
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return hit !== null && (mark.contains(hit) || hit.contains(mark) && passage.contains(hit));
  };
  return {
    title: document.querySelector("main article :is(h2, h3)")?.innerText ?? "",
    settled: !document.querySelector("main .notice.open"),
    starts: passage.getBoundingClientRect().top,
    marked: boxes.length ? [boxes[0].top, boxes.at(-1).bottom] : null,
    clear: boxes.length > 0 && free(boxes[0]) && free(boxes.at(-1)),
  };
}"""


@dataclass(frozen=True)
class Screen:
    """What the first screen shows for a question; places are pixels from its top, ``marked`` the
    top and bottom of the marked sentence.
    """

    question: str
    title: str = ""
    settled: bool = False
    starts: float | None = None
    marked: tuple[float, float] | None = None
    clear: bool = False

    @property
    def begins(self) -> bool:
        """The first line of the first passage is on the screen."""
        return self.starts is not None and 0 <= self.starts <= HEIGHT - 24

    @property
    def answers(self) -> bool:
        """The marked sentence is on the screen, whole and uncovered."""
        return (
            self.marked is not None
            and self.clear
            and self.marked[0] >= 0
            and self.marked[1] <= HEIGHT
        )

    def line(self) -> str:
        """The screen as a line of the report."""
        starts = "-" if self.starts is None else f"{self.starts:.0f}"
        marked = "-" if self.marked is None else f"{self.marked[0]:.0f}-{self.marked[1]:.0f}"
        says = "yes" if self.answers else "NO "
        state = "" if self.settled else " (not settled)"
        return (
            f"{says}  passage at {starts:>4}  marked at {marked:>9}  {self.question[:60]:60}  "
            f"{self.title}{state}"
        )


def look(page: Page, server: str, question: str, edition: str | None) -> Screen:
    """Ask ``question`` from the start page and measure what is seen without touching the screen
    again.
    """
    page.goto(f"{server}/?{urlencode({'edition': edition})}" if edition else server)
    page.get_by_role("searchbox").or_(
        page.get_by_role("combobox").and_(page.locator("input"))
    ).first.fill(question)
    page.keyboard.press("Enter")
    page.locator("main article blockquote, main .notice").first.wait_for()
    page.wait_for_load_state("networkidle")
    found = page.evaluate(MEASURE)
    return (
        Screen(question, **{**found, "marked": tuple(found["marked"]) if found["marked"] else None})
        if found
        else Screen(question)
    )


def main() -> int:
    """Ask every question of the file and print what was seen."""
    parser = argparse.ArgumentParser(
        description="Asks questions on a 360 x 640 screen and says what its first screen shows."
    )
    parser.add_argument("server", help="for example http://127.0.0.1:8080")
    parser.add_argument("questions", type=Path, help="a file with one question a line")
    parser.add_argument("--edition", help="where to search; all rulebooks if not given")
    parser.add_argument("--locale", default="de-AT")
    given = parser.parse_args()

    from playwright.sync_api import sync_playwright

    folder = PHOTOGRAPHS / "judge"
    folder.mkdir(parents=True, exist_ok=True)
    screens = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            locale=given.locale,
            has_touch=True,
            reduced_motion="reduce",
        )
        for number, line in enumerate(
            filter(None, map(str.strip, given.questions.read_text("utf-8").splitlines())), 1
        ):
            edition, _, question = line.rpartition("\t")
            screens.append(look(page, given.server.rstrip("/"), question, edition or given.edition))
            page.screenshot(path=folder / f"{number:02}.png")
            print(f"{number:2}  {screens[-1].line()}", flush=True)
        browser.close()
    begins, answers = sum(s.begins for s in screens), sum(s.answers for s in screens)
    print(
        f"{len(screens)} questions: the first screen shows where the first passage begins for "
        f"{begins}, its marked sentence for {answers}"
    )
    return int(answers < ENOUGH * len(screens))


if __name__ == "__main__":
    sys.exit(main())
