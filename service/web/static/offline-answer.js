// An answer from the packs on the device, as the element #main of a page: ask.js shows it where the network gives none, offline.js where a page
// was opened without one. What it is made of stands in templates of /offline; words of rulebooks go in as text, never as HTML.
import { storedPacks } from "./offline-packs.js";

const FIRST = 5; // passages shown at once, and when more are asked for
const MORE = 20;
const OF_OTHERS = 2; // passages shown of each further game, where all are searched
const SLOW = 30_000; // milliseconds after which the device is taken not to answer

// The question in the address of a search page: {q, edition, game, k, as_of, context, prefer}; `scopes` is the choice of where to search, which
// knows what `in` means.
function asked(address, scopes) {
  const at = new URL(address, location.origin).searchParams;
  const found = Object.fromEntries(["q", "edition", "game", "k", "as_of", "context", "prefer"].map((name) => [name, at.get(name)?.trim() || ""]));
  const chosen = at.get("in") && [...(scopes?.options ?? [])].find((option) => option.value === at.get("in"));
  if (chosen) found[chosen.dataset.by] = chosen.value;
  return found;
}

let worker;

// The passages of one pack for one question; rejects where it cannot answer.
function ask(put) {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const fail = (fault) => {
      worker = undefined;
      reject(new Error(fault));
    };
    worker ||= new Worker(new URL("./offline-worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("error", () => fail("the worker of this page cannot run"), { once: true });
    const timer = setTimeout(fail, SLOW, "no answer in time");
    port1.onmessage = ({ data: { passages, fault } }) => {
      clearTimeout(timer);
      if (passages) resolve(passages);
      else reject(new Error(fault));
    };
    worker.postMessage(put, [port2]);
  });
}

// The passages of `packs`, those of the pack with the best one first; of the others only their best.
async function passagesOf(packs, { q, edition, prefer }, k) {
  const put = { question: q, edition, language: prefer || document.documentElement.lang, k };
  const found = await Promise.all(packs.map((pack) => ask({ ...put, game: pack.game })));
  const [best = [], ...others] = found.sort((a, b) => (b[0]?.score ?? 0) - (a[0]?.score ?? 0));
  return [...best, ...others.flatMap((passages) => passages.slice(0, OF_OTHERS))];
}

// A copy of a template, its parts filled: with text, or with nodes; null removes one.
function filled(template, parts) {
  const copy = template.content.cloneNode(true);
  for (const [name, value] of Object.entries(parts)) {
    for (const part of copy.querySelectorAll(`[data-part="${name}"]`)) {
      if (value === null) part.remove();
      else if (value !== undefined) part.replaceChildren(...[value].flat());
    }
  }
  return copy;
}

const when = (given) => (given ? undefined : null); // a part that stays as it is, or goes

// A text of a template with what stands in it for {name}.
const worded = (template, part, values) =>
  template.content.querySelector(`[data-part="${part}"]`).textContent.replace(/\{(\w+)\}/g, (_, name) => values[name]);

const link = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text });
const between = (nodes, sign) => nodes.flatMap((node, n) => (n ? [sign, node] : [node]));

// The passages of an answer, those under one title together.
function stacked(passages, editions, shell) {
  const cards = new Map();
  for (const passage of passages) {
    const title = `${passage.edition} ${passage.heading}`;
    const before = cards.get(title);
    const article = shown(passage, editions.get(passage.edition), shell);
    if (before) article.querySelector("h3").className = "unseen";
    cards.set(title, [...(before ?? []), article]);
  }
  return [...cards.values()].map((articles) => {
    if (articles.length < 2) return articles[0];
    const card = Object.assign(document.createElement("div"), { className: "same" });
    card.append(...articles);
    return card;
  });
}

function shown(passage, { name, language, effective }, shell) {
  const template = shell("passage-here");
  const { lang, kinds } = template.dataset;
  const { path = [], heading, special, lead_in, words, role, repaired, cut, kind, position, page, cited, also, url } = passage;
  const text = repaired || words;
  const copy = filled(template, {
    path: path.length ? between(path.map(([entry, title]) => link(`/e/${entry}`, title)), " › ") : null,
    heading,
    special: special ? worded(template, "special", { name: special }) : null,
    before: when(lead_in),
    lead: lead_in,
    void: when(role === "void"),
    words: cut ? text.slice(0, cut) : text,
    rest: cut ? text.slice(cut) : null,
    cut: when(cut),
    repaired: when(repaired),
    printed: words,
    kind: JSON.parse(kinds)[kind] ?? kind,
    edition: name,
    where: page ?? position,
    position,
    effective: effective[lang] || null,
    reprinted: when(also.length),
    also: between(also.map((other) => link(other.link, other.label)), "; "),
    named: heading,
    cited,
  });
  const article = copy.querySelector("article");
  article.lang = language;
  article.dataset.answer = passage.id;
  Object.assign(copy.querySelector("blockquote"), { cite: url, className: `as-printed ${role ?? ""}`.trim() });
  for (const part of copy.querySelectorAll("cite, [data-part=named], [data-part=where], [data-part=printed], [data-part=also]")) part.lang = language;
  for (const part of copy.querySelectorAll('[data-part="heading"], [data-open]')) part.href = url;
  copy.querySelector("[data-link]").href = passage.link;
  return article;
}

// The element #main; `said` is what a screen reader is told.
function page(content, question, said) {
  const main = Object.assign(document.createElement("main"), { id: "main", tabIndex: -1 });
  main.append(content);
  Object.assign(main.dataset, { page: "ask", said, title: `${question.q} – Regula` });
  return main;
}

async function answerPage(address, question, packs, shell) {
  const k = Math.min(Number(question.k) || FIRST, MORE);
  const passages = await passagesOf(packs, question, k);
  const editions = new Map(packs.flatMap((pack) => pack.editions).map((edition) => [edition.id, edition]));
  const template = shell("here");
  const day = new Intl.DateTimeFormat(template.dataset.lang, { dateStyle: "long" });
  const loaded = worded(template, "loaded", { day: [...new Set(packs.map((pack) => day.format(pack.loaded)))].join(", ") });
  const more = new URL(address, location.origin);
  more.searchParams.set("k", MORE);
  const copy = filled(template, {
    title: question.q,
    loaded,
    day: when(question.as_of),
    context: when(question.context),
    found: when(passages.length),
    passages: stacked(passages, editions, shell),
    nothing: when(!passages.length),
    more: when(k < MORE && passages.length >= k),
  });
  if (question.edition) for (const cite of copy.querySelectorAll(".where cite")) cite.className = "sole";
  copy.querySelector('[data-part="again"]').href = address;
  for (const all of copy.querySelectorAll('[data-part="all"]')) all.href = more.pathname + more.search;
  return page(copy, question, loaded);
}

function nothingPage(address, question, packs, spoilt, scopes, shell) {
  const chosen = question.edition || question.game;
  const name = [...(scopes?.options ?? [])].find((each) => each.value === chosen)?.textContent ?? chosen;
  const names = packs.flatMap((pack) => pack.editions).map((edition) => edition.name);
  const template = shell("not-here");
  const copy = filled(template, {
    unloaded: chosen && !spoilt && packs.length ? worded(template, "unloaded", { name }) : null,
    none: when(!packs.length && !spoilt),
    loaded: packs.length && !spoilt ? worded(template, "loaded", { names: names.join(", ") }) : null,
    spoilt: when(spoilt),
  });
  copy.querySelector('[data-part="again"]').href = address;
  return page(copy, question, copy.querySelector("h1").textContent);
}

// The templates: of this page, else of the one that the service worker has, else of the server.
async function templates() {
  let from = document;
  if (!document.querySelector("#here")) {
    const response = (await globalThis.caches?.match("/offline", { ignoreVary: true })) ?? (await fetch("/offline", { headers: { Accept: "text/html" } }));
    from = new DOMParser().parseFromString(await response.text(), "text/html");
  }
  return (id) => from.querySelector(`#${id}`);
}

// The element #main that answers the question in `address`, a search page of this site. Where nothing that is loaded can, it says so; with
// `orNothing` null is returned then. Rejects where this browser stores nothing, or has no templates.
export async function answerHere(address, { orNothing = false } = {}) {
  const scopes = document.querySelector("#in");
  const question = asked(address, scopes);
  const packs = await storedPacks();
  const { edition, game } = question;
  const able = packs.filter((pack) => (edition ? pack.editions.some((each) => each.id === edition) : !game || pack.game === game));
  if (orNothing && !able.length) return null;
  const shell = await templates();
  let spoilt = false;
  if (able.length && question.q) {
    try {
      return await answerPage(address, question, able, shell);
    } catch (fault) {
      console.warn(fault);
      spoilt = true;
    }
  }
  return orNothing ? null : nothingPage(address, question, packs, spoilt, scopes, shell);
}
