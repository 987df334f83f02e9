// The sentence of a passage that most likely decides what is asked (index/ranking/highlights.py, which marks up to three).

import { add, dot, norm } from "./offline-encoder.js";

const CUES = ["denial", "example", "first"];

export class Highlighter {
  constructor(passages, encoder, weights) {
    Object.assign(this, { passages, encoder, weights });
  }

  #rarity(word) {
    const holders = this.passages.sentenceHolders().get(word) ?? 0;
    return Math.log(1 + this.passages.sentenceCount / (1 + holders));
  }

  /** The span of the sentence of a passage that decides the prepared question, in an array; none where it has no words. */
  spans(passage, prepared) {
    const sentences = this.passages.sentences(passage);
    if (!sentences.length) return [];
    const asked = prepared.askingWords.map((word) => {
      const vector = this.encoder.word(word);
      return { vector, length: norm(vector), rarity: this.#rarity(word) };
    });
    const total = asked.reduce((sum, word) => sum + word.rarity, 0) || 1;
    const { weights } = this;
    for (const sentence of sentences) {
      const sum = new Float32Array(this.encoder.dimensions);
      const near = new Float32Array(asked.length).fill(-1);
      for (const word of sentence.words) {
        const vector = this.encoder.word(word), length = norm(vector);
        add(sum, vector, this.#rarity(word) / length);
        asked.forEach((one, i) => (near[i] = Math.max(near[i], dot(one.vector, vector) / (one.length * length))));
      }
      sentence.score =
        (weights.meaning * Math.max(...prepared.vectors.map((vector) => dot(vector, sum)))) / norm(sum) +
        weights.words * near.reduce((added, value, i) => added + (value * asked[i].rarity) / total, 0) +
        weights.length * Math.log(sentence.end - sentence.start);
      CUES.forEach((cue, n) => (sentence.score += (sentence.cues >> n) & 1 ? weights[cue] : 0));
    }
    const best = sentences.reduce((most, sentence) => (sentence.score > most.score ? sentence : most));
    return [[best.start, best.end]];
  }
}
