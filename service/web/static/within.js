// Finding words within an entry or a rulebook while one types: the server marks them, as it does without script. Enter and Shift+Enter go from match
// to match. Tests may hold on to: #within, #find, #matches, [data-within].
"use strict";

(() => {
  const { get } = Regula;
  const [form, field, told] = [get("#within"), get("#find"), get("#matches")];
  const steps = [...form.querySelectorAll("[data-step]")];
  const put = (text, values) => text.replace(/[#@]/g, (sign) => values[sign]);
  let shown = field.value.trim();
  let at = -1;
  let waiting, asking;
  let sought = Promise.resolve(); // settles once what was typed last is shown

  // Those that are folded away are left out.
  const matches = () => [...get("[data-within]").querySelectorAll("mark")].filter((each) => each.getClientRects().length);

  function count(says) {
    const found = matches().length;
    at = -1;
    for (const each of steps) each.hidden = !found;
    told.textContent = says || (shown && (found ? put(told.dataset.count, { "#": found }) : told.dataset.none));
  }

  function seek() {
    clearTimeout(waiting);
    if (field.value.trim() !== shown) sought = mark(field.value.trim());
    return sought;
  }

  // The address says what is sought, so that it is there again after going back.
  async function mark(words) {
    shown = words;
    asking?.abort();
    const { signal } = (asking = new AbortController());
    const to = new URL(location.href);
    to.hash = "";
    to.searchParams.delete("page");
    to.searchParams.delete("find");
    if (shown) to.searchParams.set("find", shown);
    try {
      const answer = await fetch(to, { headers: { Accept: "text/html" }, signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!get("#matches", page)) throw new Error("another page");
      for (const part of ["[data-within]", ".jump", ".chips"]) get(part)?.replaceWith(get(part, page));
      history.replaceState(history.state, "", to);
      dispatchEvent(new Event("found"));
      count(get("#matches", page).textContent.trim());
    } catch (fault) {
      if (fault.name !== "AbortError") told.textContent = told.dataset.lost;
    }
  }

  // What was typed a moment ago is sought before a step is taken.
  async function go(by) {
    await seek();
    const found = matches();
    if (!found.length) return;
    get("mark.here")?.classList.remove("here");
    at = at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
    found[at].classList.add("here");
    found[at].scrollIntoView({ block: "center" });
    told.textContent = put(told.dataset.at, { "@": at + 1, "#": found.length });
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(seek, 200);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(1);
  });
  for (const each of steps) each.addEventListener("click", () => go(Number(each.dataset.step)));
  addEventListener("unfolded", () => shown && count(told.textContent));
  count(told.textContent.trim());
})();
