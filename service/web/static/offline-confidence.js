// How sure it is that a passage settles a question (index/ranking/confidence.py, answerability.py, edition_confidence.py, wording_model.py).

import { dot } from "./offline-encoder.js";
import { crc32 } from "./offline-text.js";

export const ANSWERED = 0.5;
const UNKNOWN_TERMS = 2.5, BEHIND = 30, NEAR = 0.3, MOST = 30, TOTAL = 2;
const LEAST_DEVIATION = 0.05, MOST_DEVIATIONS = 5;
const GENERAL = 0.5, MOST_GENERAL = 4.6, MOST_OWN = 3;

export class Confidence {
  constructor({ header, arrays }, passages, hasTerms) {
    Object.assign(this, { models: header, scope: arrays.scope, wording: arrays.wording, passages, hasTerms });
  }

  evidence(prepared, { signals }, scores, within) {
    const { passages, models } = this;
    const cosine = signals.vectors.reduce((a, b) => Math.max(a, b), 0);
    return {
      vectors: cosine,
      nearness: this.#nearness(cosine, within),
      phrasings: Math.max(0, ...signals.phrasings),
      scope: dot(this.scope, prepared.vectors[0]) + models.scope_constant,
      wording: this.#wording(prepared.parsed.folded),
      terms: this.hasTerms ? termWords(prepared.parsed, prepared.askingWords.length) : UNKNOWN_TERMS,
      lead: lead(scores, passages.count),
    };
  }

  /** The confidence of all rulebooks, with what the edition called `id` says of its own. */
  estimate(evidence, id) {
    const weights = this.models.confidence;
    let logit = weights.constant;
    for (const [name, weight] of Object.entries(weights)) if (name !== "constant") logit += weight * evidence[name];
    const confidence = sigmoid(within_(logit, MOST));
    const own = this.models.drafted[id];
    if (!own) return confidence;
    const general = within_(Math.log(Math.max(confidence, 1e-9) / Math.max(1 - confidence, 1e-9)), MOST_GENERAL);
    return sigmoid(GENERAL * general + within_(own[0] * evidence.vectors + own[1] * evidence.phrasings + own[2], MOST_OWN));
  }

  settlement(confidence) {
    if (confidence < ANSWERED) return "open";
    return confidence >= this.models.settled ? "settled" : "likely";
  }

  isAboutRules(evidence) {
    return (evidence.scope + evidence.wording >= 0 || evidence.wording === 0) && evidence.terms > 0 && evidence.vectors >= NEAR;
  }

  #nearness(cosine, within) {
    const compared = this.passages.editions.filter((edition) => edition.end > edition.start && within[edition.start]);
    const [mean, deviation] = compared.map((edition) => this.models.nearness[edition.number]).sort((a, b) => b[0] - a[0] || b[1] - a[1])[0];
    return within_((cosine - mean) / Math.max(deviation, LEAST_DEVIATION), MOST_DEVIATIONS);
  }

  #wording(words) {
    const framed = ["^", ...words, "$"];
    const parts = [...words, ...framed.slice(1).map((word, i) => `${framed[i]} ${word}`)];
    const rows = new Set(parts.map((part) => crc32(part) % this.wording.length));
    let sum = 0;
    for (const row of rows) sum += this.wording[row];
    return (sum * this.models.wording_step) / Math.sqrt(Math.max(rows.size, 1)) + this.models.wording_constant;
  }
}

function termWords(parsed, words) {
  const named = parsed.mentions.reduce((sum, mention) => sum + mention.end - mention.start, 0);
  return (words * named) / Math.max(parsed.text.length, 1);
}

function lead(scores) {
  const sorted = Float64Array.from(scores.filter((score) => score > -Infinity)).sort();
  if (!sorted.length) return 0;
  return Math.min(sorted[sorted.length - 1] - sorted[sorted.length - Math.min(BEHIND, sorted.length)], TOTAL);
}

const sigmoid = (logit) => 1 / (1 + Math.exp(-logit));
const within_ = (value, most) => Math.max(-most, Math.min(most, value));
