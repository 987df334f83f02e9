// The clauses of a passage that most likely decide what is asked (index/ranking/highlights.py).

import { add, dot, norm } from "./offline-encoder.js";

const CUES = ["denial", "verdict", "ruling_first", "condition", "conclusion", "exception", "example", "bracket", "comma", "colon"];

export class Highlighter {
  constructor(passages, encoder, weights) {
    Object.assign(this, { passages, encoder, weights });
  }

  #rarity(word) {
    const holders = this.passages.clauseHolders().get(word) ?? 0;
    return Math.log(1 + this.passages.clauseCount / (1 + holders));
  }

  /** The spans of a passage that decide the prepared question, in order. */
  spans(passage, prepared) {
    const clauses = this.passages.clauses(passage);
    if (!clauses.length) return [];
    const asked = prepared.askingWords.map((word) => {
      const vector = this.encoder.word(word);
      return { vector, length: norm(vector), rarity: this.#rarity(word) };
    });
    const total = asked.reduce((sum, word) => sum + word.rarity, 0) || 1;
    const sentences = new Map();
    for (const clause of clauses) {
      clause.sum = new Float32Array(this.encoder.dimensions);
      clause.near = new Float32Array(asked.length).fill(-1);
      for (const word of clause.words) {
        const vector = this.encoder.word(word), length = norm(vector);
        add(clause.sum, vector, this.#rarity(word) / length);
        asked.forEach((one, i) => (clause.near[i] = Math.max(clause.near[i], dot(one.vector, vector) / (one.length * length))));
      }
      if (!sentences.has(clause.sentence)) sentences.set(clause.sentence, []);
      sentences.get(clause.sentence).push(clause);
    }
    const meaning = (sum) => Math.max(...prepared.vectors.map((vector) => dot(vector, sum))) / norm(sum);
    const nearness = (near) => near.reduce((sum, value, i) => sum + (value * asked[i].rarity) / total, 0);
    const { weights } = this;
    for (const those of sentences.values()) {
      const sum = new Float32Array(this.encoder.dimensions);
      those.forEach((clause) => add(sum, clause.sum, 1));
      const near = those.map((clause) => clause.near).reduce((one, other) => one.map((value, i) => Math.max(value, other[i])));
      for (const clause of those) {
        clause.score =
          weights.meaning * meaning(clause.sum) +
          weights.sentence_meaning * meaning(sum) +
          (asked.length ? weights.words * nearness(clause.near) + weights.sentence_words * nearness(near) : 0) +
          weights.length * Math.log(clause.end - clause.start);
        CUES.forEach((cue, n) => (clause.score += (clause.cues >> n) & 1 ? weights[cue] : 0));
        if (prepared.parsed.asks === "yes-no" && (clause.cues >> 1) & 1) clause.score += weights.ruling;
      }
    }
    return choose(clauses, [...this.passages.contents[passage].text].length / 2);
  }
}

/** The spans of the best clause and of as many others as fit into `room` characters. */
function choose(clauses, room) {
  let left = room + 1;
  const lengths = clauses.map((clause) => clause.end - clause.start + 1);
  const best = clauses.reduce((most, clause, n) => (clause.score > clauses[most].score ? n : most), 0);
  const beside = (n) =>
    Math.abs(n - best) === 1 && clauses[n].sentence === clauses[best].sentence && clauses[n].decides && !clauses[best].decides;
  const order = clauses.map((_, n) => n);
  order.sort((a, b) => Number(a !== best) - Number(b !== best) || Number(!beside(a)) - Number(!beside(b)) || clauses[b].score - clauses[a].score);
  const marked = [];
  for (const n of order) {
    if (n !== best && lengths[n] > left) continue;
    marked.push(n);
    left -= lengths[n];
  }
  const spans = [];
  for (const n of marked.sort((a, b) => a - b)) {
    const { start, end, sentence } = clauses[n], before = clauses[n - 1];
    const joins = marked.includes(n - 1) && sentence === before.sentence && start - before.end <= 1;
    spans.push([joins ? spans.pop()[0] : start, end]);
  }
  return spans;
}
