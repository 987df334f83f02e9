// Answers questions about one game in the browser, from a pack, by the formula of the service (index/search.py). Loaded only when
// somebody asks offline; works in a page, in a worker and in node.
//
//   const engine = await openPack(manifest, loadFragment);   // loadFragment({name, sha256, bytes}) gives its bytes
//   while (!engine.warm(20)) await idle;                     // optional
//   engine.ask({question, edition, language, k});            // an answer as POST /v1/ask gives it

import { ANSWERED, Confidence } from "./offline-confidence.js";
import { Encoder } from "./offline-encoder.js";
import { Highlighter } from "./offline-highlights.js";
import { readFragment } from "./offline-pack.js";
import { Passages } from "./offline-passages.js";
import { QuestionReader } from "./offline-question.js";
import { best, Signals } from "./offline-signals.js";
import { Folder } from "./offline-text.js";

export const FORMAT = 1;
const DUPLICATES_WITHIN = 120, EXCEPTION_WITHIN = 10;
const RULE_CONFIDENCE = 0.9, WITHOUT_DOCUMENT = 0.25;

/** The engine for the pack with this manifest. Throws where the manifest is of another format or a fragment cannot be read. */
export async function openPack(manifest, loadFragment) {
  if (manifest.format !== FORMAT) throw new Error(`a pack of format ${manifest.format}, not ${FORMAT}`);
  const fragments = new Map();
  await Promise.all(
    manifest.fragments.map(async (listed) => fragments.set(listed.name, await readFragment(await loadFragment(listed)))),
  );
  return new Engine(manifest, fragments);
}

class Engine {
  #passages; #reader; #encoder; #signals; #confidence; #highlighter; #tables;

  constructor(manifest, fragments) {
    Object.assign(this, { index: manifest.index, game: manifest.game, editions: manifest.editions });
    const get = (name) => {
      if (!fragments.has(name)) throw new Error(`the pack has no fragment ${name}`);
      return fragments.get(name);
    };
    const words = get("questions").header, folder = new Folder(words.typed_out);
    const parts = manifest.fragments.filter(({ name }) => /^encoder-\d+$/.test(name)).map(({ name }) => get(name));
    this.#encoder = new Encoder(parts.sort((a, b) => a.header.first - b.header.first), folder);
    for (const { name } of manifest.fragments) if (/^words-\d+$/.test(name)) this.#encoder.know(get(name));
    this.#passages = new Passages(manifest.editions, fragments, this.#encoder);
    const forms = Object.fromEntries(words.languages.map((language) => [language, readForms(get(`forms-${language}`).header.forms)]));
    const terms = get("terms").header, models = get("models");
    this.#reader = new QuestionReader(words, forms, terms, get("cards").header, folder);
    const vocabulary = this.#passages.words.numbers;
    this.#reader.terms.known = (word) => vocabulary.has(word) || Object.values(forms).some((those) => those.has(word));
    this.#tables = get("tables").header;
    this.#signals = new Signals(this.#passages, this.#tables, this.#reader, models.header.signals, this.game);
    this.#confidence = new Confidence(models, this.#passages, terms.aliases.length > 0);
    this.#highlighter = new Highlighter(this.#passages, this.#encoder, models.header.highlights);
  }

  /** The answer to a question about the rulebooks of the pack, or one edition of them. Throws for an edition that is not there. */
  ask({ question, edition = null, language = null, k = 10 }) {
    if (!question?.trim()) throw new Error("there is no question");
    const passages = this.#passages;
    const within = this.#within(edition);
    const searched = passages.editions.filter((each) => each.end > each.start && within[each.start]);
    const parsed = this.#reader.read(question, language);
    const prepared = this.#reader.prepare(parsed, searched.map((each) => each.language), this.#encoder);
    const found = this.#signals.score(prepared, within);
    const bonuses = this.#signals.bonuses(prepared, within), shift = this.#signals.documentShift(parsed, within);
    const scores = found.scores.map((score, i) => score + bonuses[i]);
    const shifted = scores.map((score, i) => score + shift[i]);
    const order = best(shifted, k + DUPLICATES_WITHIN).filter((number) => shifted[number] > 0);
    const groups = this.#groups(order, k);
    const evidence = this.#confidence.evidence(prepared, found, scores, within);
    const confidence = this.#sure(prepared, groups, evidence, searched);
    const answered = confidence >= ANSWERED;
    return {
      question,
      language: parsed.language,
      answered,
      settled: this.#confidence.settlement(confidence),
      confidence: Math.round(confidence * 1e4) / 1e4,
      index: this.index,
      offline: true,
      passages: groups.slice(0, k).map((group, n) => this.#hit(group, n + 1, shifted, prepared)),
      fallback: answered || !groups.length || !this.#confidence.isAboutRules(evidence) ? null : this.#fallback(groups[0][0]),
      parts: [],
      notes: [],
    };
  }

  /** Prepares for later questions for at most some milliseconds, at idle times; whether that is done. The first ones are slower without. */
  warm(milliseconds = 20) {
    return this.#passages.warm(milliseconds);
  }

  #within(edition) {
    const passages = this.#passages, within = new Uint8Array(passages.count);
    if (!edition) return within.fill(1);
    const wanted = passages.editions.find((each) => each.id === edition);
    if (!wanted) throw new Error(`no edition ${edition} in this pack`);
    return within.fill(1, wanted.start, wanted.end);
  }

  #sure(prepared, groups, evidence, searched) {
    if (!groups.length) return 0;
    const passages = this.#passages, first = groups[0][0], { parsed } = prepared;
    let confidence = this.#confidence.estimate(evidence, passages.editions[passages.editionOf[first]].id);
    if (this.#signals.asksOnlyForRule(prepared) && this.#signals.ofRules(parsed).includes(first)) confidence = Math.max(confidence, RULE_CONFIDENCE);
    const lacking = this.#reader.documentKinds(parsed).some((kind) => {
      if (searched.some((edition) => edition.kind === kind)) return false;
      return confidence < ANSWERED || !this.#reader.speaksOf(kind, passages.contents[first].text, passages.editions[passages.editionOf[first]].language);
    });
    return lacking ? Math.min(confidence, WITHOUT_DOCUMENT) : confidence;
  }

  /** Passages with the same words are one group; an exception of the entry of the first one comes right behind it. */
  #groups(order, k) {
    const { same } = this.#tables, passages = this.#passages, groups = new Map();
    const wanted = new Set([...new Set(order.map((number) => same[number]))].slice(0, Math.max(k, EXCEPTION_WITHIN)));
    for (const number of order) {
      const original = same[number];
      if (!wanted.has(original)) continue;
      if (!groups.has(original)) groups.set(original, []);
      groups.get(original).push(number);
    }
    const found = [...groups.values()];
    const exceptions = new Set(this.#tables.exceptions);
    const place = found.findIndex(
      ([number], n) => n > 0 && n < EXCEPTION_WITHIN && exceptions.has(number) && passages.entryOf[number] === passages.entryOf[found[0][0]],
    );
    if (place > 1) found.splice(1, 0, ...found.splice(place, 1));
    return found;
  }

  #hit(group, rank, scores, prepared) {
    const passages = this.#passages, editions = group.map((number) => passages.editions[passages.editionOf[number]]);
    let shown = group[0];
    if (group.length > 1 && new Set(editions.map((each) => each.language)).size === 1 && new Set(editions.map((each) => each.id)).size > 1) {
      shown = group.reduce((a, b) => (this.#newer(b, a) ? b : a));
    }
    const hit = passages.shown(shown, this.#highlighter.spans(shown, prepared));
    hit.also = group.filter((number) => number !== shown).map((number) => passages.citation(number));
    return { rank, score: Math.round(scores[group[0]] * 1e6) / 1e6, ...hit };
  }

  #newer(one, other) {
    const order = (number) => this.#passages.editions[this.#passages.editionOf[number]].order;
    return order(one) > order(other) || (order(one) === order(other) && one < other);
  }

  #fallback(number) {
    const passages = this.#passages, edition = passages.editions[passages.editionOf[number]];
    return edition.fallback === null ? null : { rank: null, score: null, ...passages.shown(edition.fallback, []) };
  }
}

/** The term of each form: lines of a term and its forms, which have the number of the letters that they share with it before them. */
function readForms(lines) {
  const found = new Map();
  for (const line of lines ? lines.split("\n") : []) {
    const [term, ...forms] = line.split(" ");
    if (!found.has(term)) found.set(term, term);
    for (const form of forms) {
      const whole = term.slice(0, parseInt(form[0], 36)) + form.slice(1);
      if (!found.has(whole)) found.set(whole, term);
    }
  }
  return found;
}
