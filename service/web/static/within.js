// Finding words within an entry or a rulebook while one types. On the page of an entry ([data-within]) they are marked in its words; in a rulebook
// (#within[data-remote]) the server is asked for the entries that have them. Enter and Shift+Enter go from match to match. Without script the form
// asks for the page anew. Case, umlauts and accents do not matter, as in `service.browse.lookup`. Tests may hold on to: #within, #find, #matches.
"use strict";

(() => {
  const form = document.querySelector("#within");
  const field = document.querySelector("#find");
  const told = document.querySelector("#matches");
  const words = document.querySelector("[data-within]");
  const steps = [...form.querySelectorAll("[data-step]")];
  const remote = "remote" in form.dataset;
  const BLOCKS = "p, li, td, th, h1, h2, h3, h4, h5, h6, section, ul, div";
  let at = -1;
  let waiting;
  let asking;
  let shown = field.value.trim();

  // Small letters without accents, and where each stands in the text.
  function fold(text) {
    let letters = "";
    const places = [];
    let place = 0;
    for (const sign of text) {
      const folded = sign.toLowerCase().replace(/ß/g, "ss").normalize("NFKD").replace(/[\p{M}\u00ad]/gu, "");
      letters += folded;
      for (let n = 0; n < folded.length; n += 1) places.push(place);
      place += sign.length;
    }
    places.push(text.length);
    return { letters, places };
  }

  function pattern(sought) {
    const found = fold(sought.slice(0, 100)).letters.match(/[\p{L}\p{N}]+/gu);
    return found && new RegExp(found.map((word) => word.replace(/([aou])e/g, "$1e?")).join("[^\\p{L}\\p{N}]+"), "gu");
  }

  function unmark() {
    for (const mark of words.querySelectorAll("mark")) {
      const around = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      around.normalize();
    }
  }

  // A match may reach over links: the texts of a block are searched as one, and each is marked where it takes part.
  function mark(sought) {
    unmark();
    const wanted = sought && pattern(sought);
    if (!wanted) return;
    const blocks = new Map();
    const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const block = walker.currentNode.parentElement.closest(BLOCKS);
      blocks.set(block, [...(blocks.get(block) || []), walker.currentNode]);
    }
    let number = 0;
    for (const nodes of blocks.values()) {
      const { letters, places } = fold(nodes.map((node) => node.data).join(""));
      const spans = [...letters.matchAll(wanted)].map((m) => [places[m.index], places[m.index + m[0].length - 1] + 1, (number += 1)]);
      let start = 0;
      for (const node of nodes) {
        const { length } = node.data;
        for (const [from, to, n] of spans.reverse()) {
          const [a, b] = [Math.max(from - start, 0), Math.min(to - start, length)];
          if (a >= b) continue;
          const range = document.createRange();
          range.setStart(node, a);
          range.setEnd(node, b);
          const made = document.createElement("mark");
          made.dataset.match = n;
          range.surroundContents(made);
        }
        spans.reverse();
        start += length;
      }
    }
  }

  // The matches in the order of the page, each the pieces that it is marked in; those that are folded away are left out.
  function all() {
    const found = [];
    for (const each of (words || document.querySelector("#contents")).querySelectorAll("mark")) {
      if (!each.getClientRects().length) continue;
      if (each.dataset.match && found.at(-1)?.[0].dataset.match === each.dataset.match) found.at(-1).push(each);
      else found.push([each]);
    }
    return found;
  }

  const put = (text, values) => text.replace(/[#@]/g, (sign) => values[sign]);
  function tell(text) {
    if (told.textContent !== text) told.textContent = text;
  }

  function count() {
    const found = all();
    at = -1;
    for (const button of steps) button.hidden = !found.length;
    if (!remote) tell(field.value.trim() ? (found.length ? put(told.dataset.count, { "#": found.length }) : told.dataset.none) : "");
  }

  function go(step) {
    const found = all();
    if (!found.length) return;
    at = at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length;
    document.querySelectorAll("mark.here").forEach((each) => each.classList.remove("here"));
    found[at].forEach((each) => each.classList.add("here"));
    found[at][0].scrollIntoView({ block: "center" });
    tell(put(told.dataset.at, { "@": at + 1, "#": found.length }));
  }

  // The address says what is sought, so that it is there again after going back.
  const address = () => {
    const to = new URL(location.href);
    to.searchParams.delete("page");
    if (field.value.trim()) to.searchParams.set("find", field.value.trim());
    else to.searchParams.delete("find");
    return to;
  };

  async function ask() {
    asking?.abort();
    const mine = (asking = new AbortController());
    const to = address();
    to.hash = "";
    const contents = document.querySelector("#contents");
    contents.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(to, { headers: { Accept: "text/html" }, signal: mine.signal });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const [found, jump] = [page.querySelector("#contents"), page.querySelector(".jump")];
      if (!found) throw new Error("not a page of this site");
      contents.replaceWith(found);
      document.querySelector(".jump").replaceWith(jump);
      document.querySelector(".chips")?.replaceWith(page.querySelector(".chips"));
      history.replaceState(null, "", to);
      dispatchEvent(new CustomEvent("found"));
      count();
      tell(page.querySelector("#matches").textContent.trim());
    } catch (fault) {
      if (fault.name === "AbortError") return;
      contents.removeAttribute("aria-busy");
      tell(contents.dataset.lost);
    }
  }

  function seek() {
    const sought = field.value.trim();
    if (sought === shown) return;
    shown = sought;
    if (remote) return ask();
    mark(sought);
    const to = address();
    history.replaceState(history.state, "", to);
    count();
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(seek, remote ? 250 : 80);
  });
  // What was typed a moment ago is sought before a step is taken: sought after it, the search would take the place away again.
  function step(by) {
    clearTimeout(waiting);
    if (field.value.trim() !== shown) {
      seek();
      if (remote) return;
    }
    go(by);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    step(1);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.shiftKey || event.isComposing) return;
    event.preventDefault();
    step(-1);
  });
  for (const button of steps) button.addEventListener("click", () => step(Number(button.dataset.step)));
  addEventListener("unfolded", () => remote && field.value.trim() && (steps.forEach((each) => (each.hidden = !all().length)), (at = -1)));

  if (words) mark(field.value.trim());
  count();
})();
