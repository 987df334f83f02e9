// The page of what is kept on this device: lists for the day, favourites and notes, questions, export and import. memory-store.js keeps it.
// What is kept may come from a file of anybody: it is put into the page as text alone.
// What it holds on to, and tests may: #kept, #list, #listed, #starred, #asked-list, #import, #preview-of-file, #kept-trouble; [data-do].
"use strict";

(async () => {
  const { get, say } = Regula;
  const root = get("#kept");
  const told = root.dataset;
  const trouble = get("#kept-trouble");
  get("#unscripted").hidden = true;

  let store, file, kept;
  try {
    [store, file] = await Promise.all([import(told.store), import(told.file)]);
    kept = await store.everything();
  } catch (fault) {
    return complain(told[fault.reason] || told.forbidden);
  }
  root.hidden = false;

  function complain(text) {
    trouble.textContent = text;
    trouble.hidden = !text;
  }

  // Runs what changes something; where it could not be kept, the page says so and shows what is.
  async function act(work, word = "") {
    try {
      const result = await work();
      complain("");
      if (word) say(word, true);
      return result;
    } catch (fault) {
      if (!(fault instanceof store.NotKept)) throw fault;
      complain(`${told[fault.reason]} ${told.nothingLost}`);
    }
  }

  const fill = (text, ...values) => values.reduce((filled, value, n) => filled.replace(values.length > 1 ? `#${n + 1}` : "#", () => value), text);
  const day = (value, style) => new Date(value).toLocaleString(document.documentElement.lang, style);

  // Showing

  let chosen = null; // id of the list that is shown
  const list = () => kept.lists.find((each) => each.id === chosen) || null;
  const setting = (name) => kept.settings.find((each) => each.name === name)?.value;

  async function show() {
    if (get(".note-form", root)) return; // somebody is writing; shown when that is done
    kept = (await act(() => store.everything())) || kept;
    chosen = list()?.id || kept.lists.find((each) => each.id === setting("list"))?.id || kept.lists[0]?.id || null;
    const focus = place(document.activeElement);
    showLists();
    showFavourites();
    showQuestions();
    restore(focus);
  }

  // Where the focus is, so that it is there again when what it was in has been put there anew.
  function place(element) {
    const item = element?.closest("[data-key]");
    if (!item) return null;
    return { part: item.parentElement.id, key: item.dataset.key, does: element.dataset.do, input: element.matches("input") };
  }
  function restore(focus) {
    if (!focus) return;
    const item = [...get(`#${focus.part}`).children].find((each) => each.dataset.key === focus.key);
    if (!item) return get(`#${focus.part}`).closest("section").querySelector("h2").focus();
    const wanted = focus.input ? get("input", item) : get(`[data-do="${focus.does}"]`, item);
    if (wanted && !wanted.disabled) wanted.focus();
    else get("button:not(:disabled):not(.grip)", item)?.focus();
  }

  function showLists() {
    const shown = list();
    get("#list").replaceChildren(...kept.lists.map((each) => new Option(each.name, each.id, false, each.id === chosen)));
    get("#list").disabled = !shown;
    for (const id of ["list-form", "list-does"]) get(`#${id}`).hidden = !shown;
    if (shown && document.activeElement !== get("#list-name")) get("#list-name").value = shown.name;
    if (shown) get("#list-day").value = shown.day;
    const date = shown?.day && new Date(`${shown.day}T12:00`);
    get("#list-title").textContent = [shown?.name, date && day(date, { dateStyle: "long" })].filter(Boolean).join(" · ");
    const listed = (shown?.passages || []).map((key) => kept.passages.find((each) => each.key === key)).filter(Boolean);
    get("#listed").replaceChildren(...listed.map((record, n) => passageItem(record, "listed", n, listed.length)));
    get("#list-empty").hidden = listed.length > 0;
  }

  function showFavourites() {
    const groups = [...new Set(kept.passages.flatMap((each) => each.groups))].sort((a, b) => a.localeCompare(b));
    const wanted = get("#group").value;
    const options = [["", told.all], ["*", told.starred], ["+", told.noted], ...groups.map((each) => [`=${each}`, each])];
    get("#group").replaceChildren(...options.map(([value, text]) => new Option(text, value, false, value === wanted)));
    get("#groups").replaceChildren(...groups.map((each) => new Option(each)));
    const words = folded(get("#search-kept").value).split(" ").filter(Boolean);
    const found = kept.passages
      .filter((each) => each.favourite || each.note)
      .filter((each) => !wanted || (wanted === "*" ? each.favourite : wanted === "+" ? each.note : each.groups.includes(wanted.slice(1))))
      .filter((each) => words.every((word) => searched(each).includes(word)))
      .sort((a, b) => (a.kept < b.kept ? 1 : -1));
    get("#starred").replaceChildren(...found.map((record) => passageItem(record, "starred")));
    get("#none-kept").hidden = found.length > 0;
  }

  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
  const searched = ({ heading, label, words, note, groups }) =>
    folded([heading, label, ...words.map((each) => each.text), note?.text || "", ...groups].join(" "));

  function passageItem(record, part, n = 0, count = 0) {
    const item = get("#kept-passage").content.firstElementChild.cloneNode(true);
    const named = (button) => button.append(Object.assign(document.createElement("span"), { className: "unseen", textContent: `: ${record.heading}` }));
    item.dataset.key = record.key;
    Object.assign(get("h3 a", item), { href: record.url, textContent: record.heading, lang: record.language });
    const state = kept.passages.length && !told.games.split(" ").includes(record.game) ? "unloaded" : record.state;
    get(".state", item).hidden = state === "same";
    get(".state", item).textContent = state === "same" ? "" : told[`state${state[0].toUpperCase()}${state.slice(1)}`];
    const quoted = get("blockquote", item);
    quoted.lang = record.language;
    quoted.append(
      ...record.words.map(({ text, depth, role }) => {
        const classes = [depth && "bullet", depth && `depth-${Math.min(depth, 3)}`, role].filter(Boolean).join(" ");
        return Object.assign(document.createElement("p"), { className: classes, textContent: text });
      }),
    );
    Object.assign(get("cite", item), { textContent: record.label, lang: record.language });
    showNote(item, record.note);
    const does = (name) => get(`[data-do="${name}"]`, item);
    const inList = part === "listed";
    for (const name of ["up", "down", "off"]) does(name).hidden = !inList;
    for (const name of ["list", "remove"]) does(name).hidden = inList;
    get("[data-groups]", item).hidden = inList || !record.favourite;
    get(".grip", item).hidden = !inList;
    does("take").hidden = !["changed", "moved"].includes(state);
    does("remove").hidden ||= !record.favourite;
    does("up").disabled = n === 0;
    does("down").disabled = n === count - 1;
    const listed = Boolean(list()?.passages.includes(record.key));
    does("list").textContent = fill(told.ofList, list()?.name || listName());
    does("list").setAttribute("aria-pressed", String(listed));
    get("[data-groups] input", item).value = record.groups.join(", ");
    for (const button of item.querySelectorAll("[data-do]")) named(button);
    does("up").addEventListener("click", () => move(record.key, n - 1));
    does("down").addEventListener("click", () => move(record.key, n + 1));
    does("off").addEventListener("click", () => toggle(record));
    does("list").addEventListener("click", () => toggle(record));
    does("note").addEventListener("click", () => write(item, record.note, (note) => store.alterPassage(record, (each) => (each.note = note))));
    does("take").addEventListener("click", () => take(record));
    does("remove").addEventListener("click", () => act(() => store.alterPassage(record, (each) => (each.favourite = false)), told.removed));
    get("[data-groups] input", item).addEventListener("change", ({ target }) => act(() => store.alterPassage(record, (each) => (each.groups = groupsOf(target.value))), told.saved));
    if (inList) get(".grip", item).addEventListener("pointerdown", (event) => drag(event, item, record.key));
    return item;
  }

  const groupsOf = (text) => [...new Set(text.split(",").map((each) => each.trim().slice(0, 60)).filter(Boolean))].slice(0, 20);

  function showNote(item, note) {
    get(".my-note", item).hidden = !note;
    get(".my-note-text", item).textContent = note?.text || "";
  }

  function write(item, note, done) {
    const form = get("#kept-note").content.firstElementChild.cloneNode(true);
    const row = get(".kept-tools", item);
    const field = get("textarea", form);
    const back = () => {
      form.replaceWith(row);
      get('[data-do="note"]', row).focus();
    };
    field.value = note?.text || "";
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = field.value.trim().slice(0, store.LONGEST_NOTE);
      await act(async () => {
        await done(text ? { text, changed: store.now() } : null);
        back();
        await show();
      }, told.saved);
    });
    get("[data-cancel]", form).addEventListener("click", () => {
      back();
      show();
    });
    row.replaceWith(form);
    field.focus();
  }

  // Lists

  const today = () => {
    const date = new Date();
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((each) => String(each).padStart(2, "0")).join("-");
  };
  const listName = () => fill(told.listName, day(Date.now(), { day: "numeric", month: "long" }));

  const toggle = (record) => act(() => store.toggleListed(record, { id: chosen, name: listName(), day: today() }), told.saved);

  const alterList = (id, alter) =>
    store.change(async ({ lists }, got) => {
      const found = await got(lists.get(id));
      if (!found) return;
      alter(found);
      found.changed = store.now();
      await got(lists.put(found));
    });

  async function move(key, to) {
    let count = 0;
    const put = (each) => {
      const others = each.passages.filter((other) => other !== key);
      each.passages = [...others.slice(0, to), key, ...others.slice(to)];
      count = each.passages.length;
    };
    await act(() => alterList(chosen, put));
    say(fill(told.moved, String(to + 1), String(count)));
  }

  // A passage is drawn to its place by its grip, with the mouse or a finger; the buttons do the same.
  function drag(event, item, key) {
    const all = item.parentElement; // holds the pointer: an item that is put elsewhere would lose it
    event.preventDefault();
    all.setPointerCapture(event.pointerId);
    item.classList.add("moved-about");
    const follow = ({ clientY }) => {
      if (clientY < 80 || clientY > innerHeight - 80) scrollBy(0, clientY < 80 ? -16 : 16);
      const middle = (each) => each.getBoundingClientRect().top + each.offsetHeight / 2;
      const next = [...all.children].find((each) => each !== item && middle(each) > clientY) || null;
      if (next !== item.nextElementSibling) all.insertBefore(item, next);
    };
    const ended = new AbortController();
    const end = ({ type }) => {
      ended.abort();
      item.classList.remove("moved-about");
      if (type === "pointerup") move(key, [...all.children].indexOf(item));
      else show();
    };
    const during = { signal: ended.signal };
    all.addEventListener("pointermove", follow, during);
    all.addEventListener("pointerup", end, during);
    all.addEventListener("pointercancel", end, during);
  }

  get("#list").addEventListener("change", ({ target }) => {
    chosen = target.value;
    act(() => store.change(({ settings }, got) => got(settings.put({ name: "list", value: chosen }))));
  });
  get("#list-new").addEventListener("click", async () => {
    const fresh = { id: store.newId(), name: listName(), day: today(), passages: [], changed: store.now() };
    const made = await act(async () => {
      await store.change(async ({ lists, settings }, got) => {
        await got(lists.put(fresh));
        await got(settings.put({ name: "list", value: fresh.id }));
      });
      return true;
    });
    if (!made) return;
    chosen = fresh.id;
    await show();
    get("#list-name").select();
  });
  get("#list-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const [name, date] = [get("#list-name").value.trim(), get("#list-day").value];
    if (name) act(() => alterList(chosen, (each) => Object.assign(each, { name, day: date })), told.saved);
  });
  get("#list-delete").addEventListener("click", () => {
    if (!confirm(told.sureList)) return;
    const { id, passages: keys } = list();
    const work = async (stores, got) => {
      await got(stores.lists.delete(id));
      await store.forgetUnkept(stores, got, keys);
    };
    act(() => store.change(work), told.removed);
  });
  get("#list-print").addEventListener("click", () => {
    const how = ["printing-list", ...(get("#list-notes").checked ? [] : ["without-notes"])];
    document.body.classList.add(...how);
    addEventListener("afterprint", () => document.body.classList.remove(...how), { once: true });
    print();
  });
  get("#list-share").addEventListener("click", () => {
    const { name, day: date } = list();
    give(file.fileOfList(list(), kept.passages, get("#list-notes").checked), `regula-${date || "list"}.json`, name);
  });

  // Gives a file away: by the share sheet of a phone, else as a download.
  async function give(content, name, title = "") {
    const made = new File([content], name, { type: "application/json" });
    if (title && matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [made] })) {
      try {
        return await navigator.share({ files: [made], title });
      } catch (fault) {
        if (fault.name === "AbortError") return;
      }
    }
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(made), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  get("#search-kept").addEventListener("input", showFavourites);
  get("#group").addEventListener("change", showFavourites);

  // Questions

  function showQuestions() {
    const off = setting("history") === "off";
    const all = [...kept.questions].sort((a, b) => (a.time < b.time ? 1 : -1));
    get("#keep-history").checked = !off;
    get("#clear-history").disabled = !all.some((each) => !each.note);
    get("#asked-list").replaceChildren(...all.map(questionItem));
    get("#none-asked").hidden = all.length > 0;
  }

  function questionItem(record) {
    const item = get("#kept-question").content.firstElementChild.cloneNode(true);
    item.dataset.key = record.key;
    Object.assign(get(".asked-link", item), { href: record.address, textContent: record.question });
    get("[data-before]", item).hidden = !record.before;
    get("[data-before]", item).textContent = (record.before || "").split("\n").join(" · ");
    Object.assign(get("time", item), { dateTime: record.time, textContent: record.time ? day(record.time, { dateStyle: "medium", timeStyle: "short" }) : "" });
    const step = record.settled && told[`step${record.settled[0].toUpperCase()}${record.settled.slice(1)}`];
    get("[data-scope]", item).textContent = record.scopeName ? `· ${record.scopeName}` : "";
    get("[data-step]", item).textContent = step ? `· ${step}` : "";
    const shown = record.hit || record.first;
    const first = get("[data-first]", item);
    first.hidden = !shown;
    if (shown) {
      Object.assign(get("a", first), { href: shown.url, textContent: record.hit ? `${told.wasIt}: ${shown.heading}` : shown.heading });
      get("cite", first).textContent = shown.label;
    }
    showNote(item, record.note);
    for (const button of item.querySelectorAll("[data-do]"))
      button.append(Object.assign(document.createElement("span"), { className: "unseen", textContent: `: ${record.question}` }));
    get('[data-do="note"]', item).addEventListener("click", () => write(item, record.note, (note) => store.alterQuestion(record, (each) => (each.note = note), true)));
    get('[data-do="remove"]', item).addEventListener("click", () => act(() => store.change(({ questions }, got) => got(questions.delete(record.key))), told.removed));
    return item;
  }

  get("#keep-history").addEventListener("change", ({ target }) =>
    act(() => store.change(({ settings }, got) => got(settings.put({ name: "history", value: target.checked ? "on" : "off" }))), told.saved));
  get("#clear-history").addEventListener("click", () => {
    if (!confirm(told.sureHistory)) return;
    const work = async ({ questions }, got) => {
      for (const each of await got(questions.getAll())) if (!each.note) await got(questions.delete(each.key));
    };
    act(() => store.change(work), told.removed);
  });

  // Export and import

  let read = null;
  const chooser = get("#import");
  const counts = ({ passages, lists, questions }) => fill(told.counts, passages.length, lists.length, questions.length);

  get("#export").addEventListener("click", async () => {
    const all = await act(() => store.everything());
    if (all) give(file.fileOf({ ...all, settings: all.settings.filter((each) => each.name === "history") }), `regula-${today()}.json`);
  });
  chooser.addEventListener("change", async () => {
    read = null;
    get("#preview-of-file").hidden = true;
    const [given] = chooser.files;
    if (!given) return;
    try {
      if (given.size > file.LARGEST) throw new file.FileFault("large");
      read = file.readFile(await given.text());
    } catch (fault) {
      const reason = fault instanceof file.FileFault ? fault.reason : "unread";
      complain(`${fill(told[`fault${reason[0].toUpperCase()}${reason.slice(1)}`], fault.place || "")} ${told.nothingLost}`);
      chooser.value = "";
      return;
    }
    complain("");
    get("#in-file").textContent = counts(read);
    get("#on-device").textContent = counts(kept);
    get("#preview-of-file").hidden = false;
    get("#merge").focus();
  });
  const done = () => {
    read = null;
    chooser.value = "";
    get("#preview-of-file").hidden = true;
    chooser.focus();
  };
  const takeIn = async (make) => {
    const taken = await act(async () => {
      await store.replaceEverything(make);
      return true;
    }, told.imported);
    if (!taken) return;
    done();
    renewStates();
  };
  get("#merge").addEventListener("click", () => takeIn((all) => file.merged(all, read)));
  get("#replace").addEventListener("click", () => takeIn(() => read));
  get("#cancel-import").addEventListener("click", done);

  // Rulebooks that have changed

  async function take(record) {
    const { renewed } = await import(told.compare);
    const fresh = await renewed(record, { ...(await import(told.passages)), keyOf: store.keyOf }).catch(() => null);
    if (!fresh) return say(told.notTaken, true);
    const work = async ({ passages, lists }, got) => {
      await got(passages.delete(record.key));
      await got(passages.put(fresh));
      for (const each of await got(lists.getAll())) {
        if (!each.passages.includes(record.key)) continue;
        each.passages = [...new Set(each.passages.map((key) => (key === record.key ? fresh.key : key)))];
        await got(lists.put(each));
      }
    };
    await act(() => store.change(work), told.taken);
  }

  async function renewStates() {
    const save = (records) =>
      store.change(async ({ passages }, got) => {
        for (const each of records) {
          const now = await got(passages.get(each.key));
          if (now) await got(passages.put({ ...now, index: each.index, state: each.state, passage: each.passage, url: each.url, label: each.label }));
        }
      });
    try {
      const { compare } = await import(told.compare);
      await compare(kept.passages, { index: told.index, games: told.games.split(" "), address: told.fingerprints, save });
    } catch {
      // No network: what was known of them last is shown.
    }
  }

  store.onChange(show);
  await show();
  await renewStates();
})();
