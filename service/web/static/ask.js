// Asking without a page load, suggestions while typing, keys. Every page with the field loads it, after page.js; without it all goes by links.
// What it holds on to, and tests may: #q (field, a combobox), #in (where to search), #as_of (the day whose rules hold), #assist (whether a model may look it up; only where there is one), #step (the step that one is at; only where one was chosen), #suggestions (listbox; options #s0, #s1 …), #main
// (data-page="ask"; data-said; data-context, the questions that the next one may be read with; aria-busy while an answer is under way), #lost (notice where none came), [data-answer] (an answer: id of its
// passage) with in it [data-open], [data-cite] (the citation is the next element), [data-link], [data-elsewhere]; html[data-keys="off"].
// Of page.js: #said (live region, class "toast" while seen), #offline (shown without a network), #menu.
"use strict";

(() => {
  const { get, said, say, cite, keep } = Regula;
  const keys = document.documentElement.dataset.keys !== "off";
  const field = get("#q");
  const scope = get("#in");
  const list = get("#suggestions");
  if (!field) return;

  // Answers

  const PATIENCE = 3500; // milliseconds for the network where the device can answer; the service worker has 3000 for an answer that it has
  let asking;
  let shown = location.pathname + location.search;
  const here = () => get("#main").dataset.page === "ask";

  function address(question) {
    const at = new URLSearchParams({ q: question });
    if (scope.value) at.set(scope.selectedOptions[0].dataset.by, scope.value);
    for (const name of ["prefer", "lang"]) if (field.form.elements[name]) at.set(name, field.form.elements[name].value);
    if (get("#as_of").value) at.set("as_of", get("#as_of").value);
    if (get("#assist")?.checked) at.set("assist", "1");
    const before = (get("#main").dataset.context || "").split("\n");
    if (before.at(-1) === question.split(/\s+/).join(" ")) before.pop(); // put again somewhere else, it does not lean on itself
    if (before.join("")) at.set("context", before.join("\n"));
    const step = get("#step input")?.value;
    if (step?.startsWith(`${scope.value}/`)) at.set("step", step);
    return `/?${at}`;
  }

  async function show(to, back) {
    asking?.abort();
    const mine = (asking = new AbortController());
    const old = get("#main");
    old.setAttribute("aria-busy", "true");
    if (!back) history.pushState(null, "", to);
    shown = to;
    let main, timer;
    const slow = new Promise((resolve) => (timer = setTimeout(() => onDevice(to, true).then((found) => found && resolve(found)), PATIENCE)));
    try {
      const response = await Promise.race([fetch(to, { headers: { Accept: "text/html" }, signal: mine.signal }), slow]);
      if (response.redirected) return location.replace(response.url); // a card or a rule
      const page = response instanceof Response && new DOMParser().parseFromString(await response.text(), "text/html");
      main = page ? get("#main", page) : response;
      if (!main) throw new Error("not a page of this site");
      if (page) {
        document.title = page.title;
        get("#step")?.remove();
        if (get("#step", page)) get("#speak").after(get("#step", page));
      }
      if (back && page) {
        field.value = get("#q", page).value;
        scope.value = get("#in", page).value;
        get("#as_of").value = get("#as_of", page).value;
        if (get("#assist")) get("#assist").checked = get("#assist", page)?.checked;
      }
    } catch (fault) {
      if (fault.name === "AbortError") return;
      main = (await onDevice(to)) || lost(to);
      if (mine.signal.aborted) return;
    } finally {
      clearTimeout(timer);
    }
    if (main.dataset.title) document.title = main.dataset.title;
    if (main.dataset.address && !back) history.replaceState(null, "", (shown = main.dataset.address)); // without what it was not read with
    old.replaceWith(main);
    say(main.dataset.said || "");
    if (back) return;
    scrollTo(0, 0);
    if (document.activeElement !== scope) (get("[data-answer]") || main).focus({ preventScroll: true });
    keep();
  }

  // The answer of a rulebook that is loaded on the device, or that none is, unless ``orNothing``; nothing where this browser cannot.
  async function onDevice(to, orNothing) {
    try {
      return said.dataset.device && await (await import(said.dataset.device)).answerHere(to, { orNothing });
    } catch {
      return null;
    }
  }

  function lost(to) {
    const main = document.createElement("main");
    Object.assign(main, { id: "main", tabIndex: -1 });
    Object.assign(main.dataset, { page: "ask", said: said.dataset.lost });
    main.innerHTML = '<section class="notice trouble" id="lost"><h1></h1><p><a></a></p><p><a href="/offline"></a></p></section>';
    get("h1", main).textContent = said.dataset.lost;
    const [again, kept] = main.querySelectorAll("a");
    again.href = to;
    again.textContent = said.dataset.again;
    kept.textContent = said.dataset.kept;
    return main;
  }

  function ask(event) {
    const question = field.value.trim();
    close();
    if (!here() || !question) return;
    event.preventDefault();
    show(address(question));
  }

  // Without a network, what is shown may be of before, or instead: the address says what is asked, a cookie where was last searched.
  function restore() {
    const at = new URLSearchParams(location.search);
    const chosen = document.cookie.match(/(?:^|; )scope=([^;]*)/)?.[1];
    const wanted = at.get("edition") || at.get("step")?.split("/")[0] || at.get("game") || (at.get("in") ?? (at.get("q") ? "" : chosen || ""));
    if ([...scope.options].some((option) => option.value === wanted)) scope.value = wanted;
    if (get("#main").dataset.page === "ask") return;
    field.value = (at.get("q") || "").slice(0, field.maxLength);
    get("#as_of").value = at.get("as_of") || "";
  }
  if (here() || get("#main").dataset.page === "offline") restore();

  field.form.addEventListener("submit", ask);
  scope.addEventListener("change", (event) => {
    document.cookie = `scope=${scope.value};path=/;samesite=lax;max-age=${scope.value ? 31536000 : 0}`;
    if (new URLSearchParams(location.search).get("q")) ask(event);
  });
  get("#assist")?.addEventListener("change", (event) => {
    document.cookie = `assist=${event.target.checked ? "on" : ""};path=/;samesite=lax;max-age=${event.target.checked ? 31536000 : 0}`;
    if (new URLSearchParams(location.search).get("q")) ask(event);
  });
  get("#as_of").addEventListener("change", (event) => {
    if (new URLSearchParams(location.search).get("q")) ask(event);
  });
  addEventListener("popstate", () => {
    const to = location.pathname + location.search;
    if (here() && to !== shown) show(to, true);
  });

  // Suggestions

  let waiting;
  let looking;
  let at = -1;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "suggestions");
  field.setAttribute("aria-expanded", "false");
  if (keys) field.setAttribute("aria-keyshortcuts", "/");

  function still() {
    clearTimeout(waiting);
    looking?.abort();
  }

  function close() {
    still();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    choose(-1);
  }

  function choose(to) {
    at = to;
    if (at >= 0) still(); // a list that comes late would take away what is being chosen from
    options().forEach((option, n) => option.setAttribute("aria-selected", String(n === at)));
    if (at < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", `s${at}`);
    options()[at].scrollIntoView({ block: "nearest" });
  }
  const options = () => [...list.querySelectorAll("[role=option]")];

  async function suggest() {
    const typed = field.value.trim();
    looking?.abort();
    if (!typed || typed.length > 60) return close();
    looking = new AbortController();
    const outdated = () => field.value.trim() !== typed; // the next look-up is waiting, and closing would stop it
    const by = scope.value ? `&${scope.selectedOptions[0].dataset.by}=${encodeURIComponent(scope.value)}` : "";
    try {
      const spoken = field.form.elements.prefer?.value || document.documentElement.lang;
      const response = await fetch(`/v1/suggest?q=${encodeURIComponent(typed)}${by}&language=${spoken}`, { signal: looking.signal });
      const { suggestions = [], cards = [] } = await response.json();
      const found = [...suggestions, ...cards];
      if (outdated()) return;
      if (!found.length || document.activeElement !== field) return close();
      list.replaceChildren(...found.map(option));
      if (cards.length) get(`#s${suggestions.length}`).before(Object.assign(document.createElement("li"), { className: "label", role: "presentation", textContent: list.dataset.cards }));
      list.hidden = false;
      field.setAttribute("aria-expanded", "true");
      choose(-1);
      say(said.dataset.found.replace("#", found.length));
    } catch (fault) {
      if (fault.name !== "AbortError" && !outdated()) close();
    }
  }

  function option(entry, n) {
    const edition = [...scope.options].find((o) => o.value === entry.edition);
    const item = document.createElement("li");
    Object.assign(item, { id: `s${n}`, role: "option", lang: edition?.dataset.lang || entry.language || "", textContent: entry.title });
    item.dataset.url = entry.url;
    const card = !entry.kind || entry.kind === "ruling" || entry.kind === "erratum" ? [entry.product, entry.number] : [];
    const told = [...card, entry.edition && scope.value !== entry.edition && edition?.text].filter(Boolean);
    if (told.length) item.appendChild(document.createElement("small")).textContent = told.join(" · ");
    return item;
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    choose(-1);
    waiting = setTimeout(suggest, 30);
  });
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const chosen = event.target.closest("[role=option]");
    if (chosen) location.assign(chosen.dataset.url);
  });
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const many = options().length;
    if (step) choose(((at + step + many + 2) % (many + 1)) - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) location.assign(options()[at].dataset.url);
    else return;
    event.preventDefault();
  });

  // Speaking

  const speak = get("#speak");
  const Recognition = window.SpeechRecognition || window.webkitSpeechRecognition;
  speak.hidden = !Recognition;
  speak.addEventListener("click", () => import(speak.dataset.script).then((on) => on.dictate(speak, field, say, Recognition)));

  // Keys

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = target.closest("input, select, textarea");
    const answers = [...document.querySelectorAll("[data-answer]")];
    const mine = target.closest("[data-answer]");
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key === "/" && keys && !typing) {
      field.focus();
      field.select();
    } else if (!answers.length) return;
    else if (step && (mine || target === field || target === document.body || target.id === "main")) {
      const to = mine ? answers.indexOf(mine) + step : target === field && step < 0 ? -1 : 0;
      const next = to < 0 ? field : answers[Math.min(to, answers.length - 1)];
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest" });
    } else if (key === "Enter" && mine && target === mine) location.assign(get("[data-open]", mine).href);
    else if (key === "c" && keys && !typing) cite(get("[data-cite]", mine || answers[0]));
    else return;
    event.preventDefault();
  });
})();
