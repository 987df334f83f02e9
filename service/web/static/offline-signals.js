// The signals of every passage, their weighted sum, and the preferences (index/ranking/signals.py, fusion.py, card_matter.py).

const NUMBER_BONUS = 3.0, STEP_BONUS = 2.0, DEFINITION_BONUS = 0.35, CARD_BONUS = 0.35, FORMAT_PENALTY = 0.2, LANGUAGE_BONUS = 0.15;
const RULE_WORDS = 8, STORY = 0.6, CARD_TEXT = 0.3, CERTAIN = 0.85, PHRASING_CANDIDATES = 25;
const ASKED_BONUS = 2.0, OTHER_PENALTY = 0.4; // of document_matter.py
const SHARES = new Set(["about", "literal", "length"]);
const NEARER = [-0.35, -0.15], WORDS = [0.4, 0.8];

export class Signals {
  constructor(passages, tables, reader, weights, game) {
    Object.assign(this, { passages, tables, reader, weights, game });
    this.languageOf = passages.editionOf.map((number) => passages.editions[number].language);
    this.exceptions = new Set(tables.exceptions);
    this.formatPassages = tables.formats.passages;
  }

  /** The signals of all passages for a prepared question, and their sum; only of those `within`, a mask, does anything count. */
  score(prepared, within) {
    const { passages } = this, { parsed } = prepared;
    const near = prepared.vectors.map((vector) => masked(passages.near(vector), within));
    const [words, asking] = this.#words(prepared, within);
    const signals = {
      words,
      asking,
      characters: masked(this.#characters(prepared), within),
      terms: masked(this.#officialNames(parsed), within),
      vectors: near[0],
      questions: near.length > 1 ? near.slice(1).reduce(greater) : near[0],
      place: this.#bestInEntry(near[0], within),
      about: masked(this.about(parsed), within),
      literal: masked(this.#literal(parsed), within),
      length: passages.lengths,
    };
    const scores = new Float64Array(passages.count);
    for (const [name, values] of Object.entries(signals)) {
      const top = SHARES.has(name) ? 1 : values.reduce((a, b) => Math.max(a, b), 0) || 1;
      const worth = this.weights[name] / top;
      for (let i = 0; i < scores.length; i++) scores[i] += worth * Math.max(values[i], 0);
    }
    for (let i = 0; i < scores.length; i++) if (!within[i]) scores[i] = -Infinity;
    const candidates = best(scores, PHRASING_CANDIDATES);
    const phrasings = passages.phrasings(prepared.vectors[0], candidates);
    const top = Math.max(0, ...phrasings) || 1;
    candidates.forEach((number, i) => (scores[number] += (this.weights.phrasings * phrasings[i]) / top));
    signals.phrasings = phrasings;
    return { signals, scores };
  }

  #words(prepared, within) {
    const { passages } = this;
    const words = new Float32Array(passages.count), asking = new Float32Array(passages.count);
    for (const language of prepared.languages) {
      const asked = prepared.askingTermsIn(language), known = new Set(asked);
      const others = prepared.termsIn(language).filter((term) => !known.has(term));
      const own = passages.terms.scores(asked);
      const story = passages.terms.scores(others.filter((term) => !prepared.cardTerms.has(term)));
      const quoted = passages.terms.scores(others.filter((term) => prepared.cardTerms.has(term)));
      for (let i = 0; i < words.length; i++) {
        if (!within[i] || this.languageOf[i] !== language) continue;
        words[i] = own[i] + story[i] + CARD_TEXT * quoted[i];
        asking[i] = own[i];
      }
    }
    return [words, asking];
  }

  #characters(prepared) {
    const { grams } = this.passages;
    if (!prepared.storyWords.length && !prepared.cardWords.length) return grams.scores(prepared.parsed.folded);
    const found = new Float32Array(this.passages.count);
    for (const [words, weight] of [[prepared.askingWords, 1], [prepared.storyWords, STORY], [prepared.cardWords, STORY * CARD_TEXT]]) {
      const own = grams.scores(words);
      for (let i = 0; i < found.length; i++) found[i] += weight * own[i];
    }
    return found;
  }

  #officialNames(parsed) {
    const { passages, reader } = this;
    const found = new Float32Array(passages.count);
    if (!parsed.mentions.length) return found;
    for (const edition of passages.editions) {
      const names = reader.terms.expansion(parsed.mentions, edition.language);
      if (!names.length) continue;
      const scores = passages.terms.scores(names.flatMap((name) => reader.termsOf(name, edition.language)));
      for (let i = edition.start; i < edition.end; i++) found[i] = scores[i];
    }
    return found;
  }

  #bestInEntry(near, within) {
    const { passages } = this, best = new Float32Array(passages.entries);
    for (let i = 0; i < near.length; i++) if (within[i]) best[passages.entryOf[i]] = Math.max(best[passages.entryOf[i]], near[i]);
    return Float32Array.from(near, (_, i) => best[passages.entryOf[i]]);
  }

  /** For every passage how certain it is that the question mentions its concept. */
  about(parsed) {
    const certainty = new Map();
    for (const { concept, certainty: sure } of parsed.mentions) certainty.set(concept, Math.max(certainty.get(concept) ?? 0, sure));
    const found = new Float32Array(this.passages.count);
    for (const [concept, sure] of [...certainty].sort((a, b) => a[1] - b[1])) {
      for (const number of this.tables.of_concept[`${this.game}/${concept}`] ?? []) found[number] = sure;
    }
    return found;
  }

  #literal(parsed) {
    const found = new Float32Array(this.passages.count);
    if (!parsed.names.length) return found;
    const { folder } = this.reader;
    this.plain ??= this.passages.contents.map((passage) => ` ${folder.plain(passage.display ?? passage.text)} `);
    for (const name of parsed.names) {
      const wanted = ` ${folder.plain(name)} `;
      this.plain.forEach((text, number) => (found[number] += text.includes(wanted) ? 1 / parsed.names.length : 0));
    }
    return found;
  }

  /** What is added to the scores whatever the texts say. */
  bonuses(prepared, within) {
    const { passages, tables } = this, { parsed } = prepared;
    const found = new Float64Array(passages.count);
    const give = (numbers, bonus) => numbers.forEach((number) => (found[number] += bonus));
    for (let i = 0; i < found.length; i++) if (this.languageOf[i] === parsed.language) found[i] += LANGUAGE_BONUS;
    give(this.#unaskedFormats(prepared), -FORMAT_PENALTY);
    if (parsed.cards.length) this.#cardBonus(prepared, within, found);
    const rules = this.ofRules(parsed);
    give(rules, NUMBER_BONUS);
    if (this.asksOnlyForRule(prepared)) give(rules.filter((number) => passages.contents[number].first), DEFINITION_BONUS);
    give([...new Set([...parsed.cardNumbers].flatMap((number) => tables.of_card[number] ?? []))], NUMBER_BONUS);
    if (parsed.steps.size || parsed.asks === "definition") {
      const about = this.about(parsed);
      if (parsed.steps.size) this.#titled(prepared).forEach((number) => (about[number] = 1));
      for (let i = 0; i < found.length; i++) {
        if (parsed.steps.size) found[i] += parsed.steps.has(tables.steps[i]) ? STEP_BONUS * about[i] : 0;
        else if (about[i] >= CERTAIN && passages.contents[i].first) found[i] += DEFINITION_BONUS;
      }
    }
    return found;
  }

  asksOnlyForRule(prepared) {
    return prepared.parsed.rules.size > 0 && prepared.askingWords.length <= RULE_WORDS;
  }

  ofRules(parsed) {
    return [...new Set([...parsed.rules].flatMap((rule) => this.tables.of_rule[rule] ?? []))];
  }

  #cardBonus(prepared, within, found) {
    const { passages } = this, { parsed } = prepared;
    const ofCards = new Float32Array(passages.count);
    for (const card of parsed.cards) {
      for (const entry of card.entries) for (const n of passages.ofEntry.get(entry) ?? []) ofCards[n] = Math.max(ofCards[n], card.certainty);
    }
    const bonus = parsed.onlyCard ? NUMBER_BONUS : CARD_BONUS * this.#aboutCards(prepared, ofCards, within);
    for (let i = 0; i < found.length; i++) found[i] += bonus * ofCards[i];
  }

  /** How much a question is about what is said of the cards that it names, from -1 to 1. */
  #aboutCards(prepared, ofCards, within) {
    const { passages } = this;
    const named = Array.from(ofCards, (sure, i) => sure > 0 && within[i]);
    const editions = new Set(passages.editionOf.filter((_, i) => named[i]));
    const others = named.map((is, i) => !is && within[i] && editions.has(passages.editionOf[i]));
    if (!prepared.withoutCards.length || !named.includes(true) || !others.includes(true)) return 1;
    const most = (values, mask) => values.reduce((top, value, i) => (mask[i] ? Math.max(top, value) : top), -Infinity);
    const differences = prepared.withoutCards.map((vector) => {
      const near = passages.near(vector);
      return most(near, named) - most(near, others);
    });
    let about = between(Math.max(...differences), NEARER);
    const languages = about < 1 ? [...new Set(passages.editions.filter((e) => within[e.start]).map((e) => e.language))] : [];
    for (const language of languages) {
      const spoken = [...new Set([language, prepared.parsed.language])];
      const names = prepared.parsed.cards.map((card) => prepared.parsed.text.slice(card.start, card.end));
      const inNames = new Set(names.flatMap((name) => spoken.flatMap((each) => this.reader.termsOf(name, each))));
      const scores = passages.terms.scores(prepared.askingTermsIn(language).filter((term) => !inNames.has(term)));
      about = Math.max(about, between(Math.max(most(scores, named), 0) / Math.max(most(scores, others), 1e-9), WORDS));
    }
    return about;
  }

  #titled(prepared) {
    const { passages, reader } = this;
    const asked = Object.values(prepared.terms).map((terms) => new Set(terms));
    const any = new Set(asked.flatMap((terms) => [...terms]));
    return passages.contents.flatMap((passage, number) =>
      reader.termsOf(passage.title, this.languageOf[number]).some((term) => any.has(term)) ? [number] : [],
    );
  }

  #unaskedFormats(prepared) {
    const { passages: held, formats, around, needed, terms, kinds } = this.tables.formats;
    if (!held.length) return [];
    const asked = new Set();
    for (const [language, of] of Object.entries(prepared.terms)) {
      const counts = new Map();
      for (const term of new Set(of)) for (const place of terms[language]?.[term] ?? []) counts.set(place, (counts.get(place) ?? 0) + 1);
      for (const [place, count] of counts) if (count >= needed[place]) asked.add(place);
    }
    const line = ` ${prepared.parsed.folded.join(" ")} `;
    for (const [kind, phrases] of this.reader.formats[prepared.parsed.language] ?? []) {
      if (phrases.some((phrase) => line.includes(phrase))) for (const place of kinds[kind] ?? []) asked.add(place);
    }
    return held.filter((_, i) => !asked.has(formats[i]) && !asked.has(around[formats[i]]));
  }

  /** What is added where documents on other matters than the rules are searched too: they come first, or behind. */
  documentShift(parsed, within) {
    const { passages } = this;
    const found = new Float64Array(passages.count);
    const searched = passages.editions.filter((edition) => edition.end > edition.start && within[edition.start]);
    if (new Set(searched.map((edition) => edition.kind)).size < 2) return found;
    const asked = this.reader.documentKinds(parsed);
    for (const edition of searched) {
      if (edition.kind === "rules") continue;
      found.fill(asked.includes(edition.kind) ? ASKED_BONUS : -OTHER_PENALTY, edition.start, edition.end);
    }
    return found;
  }
}

function masked(values, within) {
  for (let i = 0; i < values.length; i++) if (!within[i]) values[i] = 0;
  return values;
}

function greater(one, other) {
  return one.map((value, i) => Math.max(value, other[i]));
}

/** From -1 to 1 between two values. */
function between(value, [low, high]) {
  return Math.min(1, Math.max(-1, -1 + (2 * (value - low)) / (high - low)));
}

/** The numbers of the greatest values, the greatest first. */
export function best(values, count) {
  const order = [];
  for (let i = 0; i < values.length; i++) {
    if (values[i] === -Infinity || (order.length === count && values[i] <= values[order[count - 1]])) continue;
    let at = order.length;
    while (at > 0 && values[order[at - 1]] < values[i]) at--;
    order.splice(at, 0, i);
    if (order.length > count) order.pop();
  }
  return order;
}
