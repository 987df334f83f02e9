// An answer from the packs on the device, as the element #main of a page: ask.js shows it where the network gives none, offline.js where a page
// was opened without one. What it is made of stands in templates of /offline; words of rulebooks go in as text, never as HTML.
import { storedPacks } from "./offline-packs.js";
import { blocks, quotedWords } from "./offline-words.js";

const FIRST = 5; // passages shown at once, and when more are asked for
const MORE = 20;
const OF_OTHERS = 2; // passages shown of each further game, where all are searched
const SLOW = 20_000; // milliseconds after which the device is taken not to answer

// The question in the address of a search page: {q, edition, game, k, as_of, context}; `scopes` is the choice of where to search, which knows what `in` means.
function asked(address, scopes) {
  const at = new URL(address, location.origin).searchParams;
  const found = Object.fromEntries(["q", "edition", "game", "k", "as_of", "context"].map((name) => [name, at.get(name)?.trim() || ""]));
  const chosen = at.get("in") && [...(scopes?.options ?? [])].find((option) => option.value === at.get("in"));
  if (chosen) found[chosen.dataset.by] = chosen.value;
  return found;
}

// Answering

let worker;
let sent = 0; // questions
const waiting = new Map(); // number of a question → {resolve, reject}

function startWorker() {
  worker = new Worker(new URL("./offline-worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data: { id, answer, fault } }) => (answer ? waiting.get(id)?.resolve(answer) : waiting.get(id)?.reject(new Error(fault))));
  worker.addEventListener("error", () => {
    for (const { reject } of waiting.values()) reject(new Error("the worker of this page cannot run"));
    worker = undefined;
  });
}

// One question to one pack; rejects where it cannot answer.
async function ask(question) {
  if (!worker) startWorker();
  const id = ++sent;
  let timer;
  try {
    return await new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      timer = setTimeout(reject, SLOW, new Error("no answer in time"));
      worker.postMessage({ ...question, id });
    });
  } finally {
    clearTimeout(timer);
    waiting.delete(id);
  }
}

const loadedOf = (packs) => packs.filter((pack) => pack.manifest);
const editionsOf = (packs) => packs.flatMap((pack) => pack.manifest.editions);

// The packs that a question is put to: of its edition, of its game, else all.
function suitable(packs, { edition, game }) {
  if (edition) return packs.filter((pack) => pack.manifest.editions.some((each) => each.id === edition));
  return game ? packs.filter((pack) => pack.game === game) : packs;
}

// The answers of `packs`, the surest first; of those after it only their best passages.
async function answers(packs, question) {
  const k = Math.min(Number(question.k) || FIRST, MORE);
  const put = { question: question.q, k, ...(question.edition && { edition: question.edition }) };
  const found = await Promise.all(packs.map(async (pack) => ({ pack, answer: await ask({ ...put, game: pack.game }) })));
  found.sort((a, b) => Number(b.answer.answered) - Number(a.answer.answered) || b.answer.confidence - a.answer.confidence);
  const [{ pack, answer }, ...others] = found;
  const further = others.flatMap((other) => other.answer.passages.slice(0, OF_OTHERS));
  return { pack, answer, passages: [...answer.passages, ...further], more: k < MORE && answer.passages.length === k };
}

// Showing

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

// A text of a template with what stands in it for {name}.
function worded(template, part, values) {
  const text = template.content.querySelector(`[data-part="${part}"]`).textContent;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function element(name, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

// A citation in its parts. Its label ends in the place, which has no comma; titles may.
function cited({ label, language, edition }, editions) {
  const title = editions.find((each) => each.id === edition)?.title ?? edition;
  const name = `${title} (${language})`;
  const cut = label.lastIndexOf(", ");
  return { title, name, entry: label.slice(name.length + 2, cut), position: label.slice(cut + 2) };
}

// What is pasted: the words, then edition, entry and place (service.answers.citations.quoted_citation).
function quotation(passage, parts, { quotes, effective }) {
  const { language, edition } = passage.citation;
  const [opening, closing] = quotes[language] ?? ["“", "”"];
  const since = effective[edition]?.cited;
  const title = [parts.title, since && `(${since})`].filter(Boolean).join(" ");
  return `${opening}${quotedWords(passage)}${closing} – ${title}, ${parts.entry}, ${parts.position}`;
}

function shown(passage, shell, editions, first = false) {
  const words = JSON.parse(shell("here").dataset.words);
  const { citation } = passage;
  const { ordinal, heading, path, page } = passage.shown;
  const parts = cited(citation, editions);
  const anchor = `p-${citation.entry.slice(citation.entry.indexOf("/") + 1)}-${ordinal}`; // as service.browse.entry_view names it
  const address = `/e/${page}#${anchor}`;
  const around = path.flatMap(([entry, title], n) => [...(n ? [" › "] : []), element("a", { href: `/e/${entry}` }, title)]);
  const copy = filled(shell("passage-here"), {
    path: around.length ? around : null,
    heading,
    special: passage.applies_to ? worded(shell("passage-here"), "special", { name: passage.applies_to.title }) : null,
    before: passage.context ? undefined : null,
    lead: passage.context?.display ?? passage.context?.text,
    words: blocks(passage),
    repaired: passage.repaired ? undefined : null,
    meant: passage.repaired,
    kind: words.kinds[citation.kind] ?? citation.kind,
    edition: parts.name,
    position: parts.position,
    effective: words.effective[citation.edition]?.shown ?? null,
    reprinted: passage.also?.length ? undefined : null,
    also: passage.also?.flatMap((each, n) => [...(n ? ["; "] : []), element("a", { href: each.url }, each.label)]),
    named: heading,
    cited: quotation(passage, parts, words),
  });
  const article = copy.querySelector("article");
  article.lang = citation.language;
  article.dataset.answer = `${citation.entry}#${ordinal}`;
  article.classList.toggle("first", first);
  copy.querySelector("blockquote").cite = address;
  for (const part of copy.querySelectorAll('cite, [data-part="named"], [data-part="cited"], [data-part="also"]')) part.lang = citation.language;
  for (const link of copy.querySelectorAll('[data-part="heading"], [data-open]')) link.href = address;
  copy.querySelector("[data-link]").href = `/e/${citation.entry}#${anchor}`;
  return article;
}

// The days on which packs were loaded, in words.
function days(packs, lang) {
  const told = packs.map((pack) => new Intl.DateTimeFormat(lang, { dateStyle: "long" }).format(pack.loaded));
  return [...new Set(told)].join(", ");
}

// The element #main; `said` is what a screen reader is told.
function page(content, question, said) {
  const main = element("main", { id: "main", tabIndex: -1 }, content);
  Object.assign(main.dataset, { page: "ask", said, title: `${question.q} – Regula` });
  return main;
}

function answerPage(address, question, packs, found, shell) {
  const texts = shell("here");
  const { answer, passages } = found;
  const [best, ...rest] = passages;
  const settled = answer.answered && best;
  const editions = editionsOf(packs);
  const list = (some) => some.map((passage) => shown(passage, shell, editions));
  const copy = filled(texts, {
    title: question.q,
    loaded: worded(texts, "loaded", { day: days(packs, texts.dataset.lang) }),
    day: question.as_of ? undefined : null,
    context: question.context ? undefined : null,
    settled: settled ? undefined : null,
    sure: answer.settled === "settled" ? undefined : null,
    likely: answer.settled === "likely" ? undefined : null,
    first: settled ? shown(best, shell, editions, true) : undefined,
    open: settled ? null : undefined,
    nearest: passages.length ? undefined : null,
    nothing: passages.length ? null : undefined,
    further: settled && rest.length ? undefined : null,
    near: !settled && passages.length ? undefined : null,
    fallback: answer.fallback && !settled ? undefined : null,
    more: found.more ? undefined : null,
  });
  copy.querySelector('[data-part="further"] > div, [data-part="near"] > div')?.replaceChildren(...list(settled ? rest : passages));
  copy.querySelector('[data-part="fallback"] > div')?.replaceChildren(...list([answer.fallback].filter(Boolean)));
  copy.querySelector('[data-part="again"]').href = address;
  const more = new URL(address, location.origin);
  more.searchParams.set("k", MORE);
  for (const link of copy.querySelectorAll('[data-part="all"]')) link.href = more.pathname + more.search;
  return page(copy, question, worded(texts, "loaded", { day: days(packs, texts.dataset.lang) }));
}

function nothingPage(address, question, packs, spoilt, scopes, shell) {
  const chosen = question.edition || question.game;
  const option = [...(scopes?.options ?? [])].find((each) => each.value === chosen);
  const name = option?.textContent ?? chosen;
  const names = editionsOf(packs).map((each) => `${each.title} (${each.language})`);
  const template = shell("not-here");
  const copy = filled(template, {
    unloaded: chosen && !spoilt && packs.length ? worded(template, "unloaded", { name }) : null,
    none: packs.length ? null : undefined,
    loaded: packs.length && !spoilt ? worded(template, "loaded", { names: names.join(", ") }) : null,
    spoilt: spoilt ? undefined : null,
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
  const packs = loadedOf(await storedPacks());
  const able = suitable(packs, question);
  if (orNothing && !able.length) return null;
  const shell = await templates();
  let spoilt = false;
  if (able.length && question.q) {
    try {
      return answerPage(address, question, able, await answers(able, question), shell);
    } catch (fault) {
      console.warn(fault);
      spoilt = true;
    }
  }
  return orNothing ? null : nothingPage(address, question, packs, spoilt, scopes, shell);
}
