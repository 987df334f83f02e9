// Words of a passage as they are shown: paragraphs and bullets, what answers marked. All of it goes in as text.

function element(name, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

const SAME = 4; // characters alike from which two texts are taken to run together again
const APART = 40; // characters that one may have more than the other between

// For each character of `text` its place in `display`, -1 where it is not shown; both are arrays of code points. Display has lost markup and
// hyphens at ends of lines, and signs are restored in it.
function places(text, display) {
  const found = new Array(text.length).fill(-1);
  const alike = (i, j) => {
    for (let n = 0; n < SAME && (i + n < text.length || j + n < display.length); n++) if (text[i + n] !== display[j + n]) return false;
    return true;
  };
  for (let i = 0, j = 0; i < text.length && j < display.length; ) {
    if (text[i] === display[j]) found[i++] = j++;
    else {
      let apart = 1;
      let ahead;
      for (; apart <= APART && ahead === undefined; apart++) {
        for (let more = 0; more <= apart && ahead === undefined; more++) if (alike(i + apart - more, j + more)) ahead = [apart - more, more];
      }
      const [inText, inDisplay] = ahead ?? [1, 1];
      i += inText;
      j += inDisplay;
    }
  }
  return found;
}

const inWord = (sign) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

// `highlights` of a passage, which are spans of its text, as spans of its display, widened to whole words.
function marksOf({ text, display, highlights = [] }) {
  const shown = [...display];
  const at = text === display ? shown.map((_, n) => n) : places([...text], shown);
  const spans = highlights.map(([start, end]) => at.slice(start, end).filter((place) => place >= 0)).filter((inside) => inside.length);
  return spans.map((inside) => {
    let start = inside[0];
    let end = inside.at(-1) + 1;
    while (inWord(shown[start]) && inWord(shown[start - 1])) start--;
    while (inWord(shown[end - 1]) && inWord(shown[end])) end++;
    return [start, end];
  });
}

const LONGEST_QUOTED = 400; // characters of a passage that is quoted whole; of a longer one, what answers

// The words of a passage that a citation quotes (service.answers.citations).
export function quotedWords(passage) {
  const shown = [...passage.display];
  const marks = shown.length > LONGEST_QUOTED ? marksOf(passage) : [];
  const tidy = (words) => words.split(/\s+/u).filter(Boolean).join(" ");
  if (!marks.length) return tidy(passage.display).replace(/^• /u, "");
  let words = "";
  let last = marks[0][0];
  for (const [start, end] of marks) {
    if (words) words += shown.slice(last, start).join("").trim() ? " […] " : " ";
    words += shown.slice(start, end).join("");
    last = end;
  }
  return tidy(words);
}

// The words from `start` to `end` of `text`, an array of code points, what is in `marks` marked.
function run(text, start, end, marks) {
  const cuts = [...new Set([start, end, ...marks.flat().map((at) => Math.min(Math.max(at, start), end))])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, n) => {
    const words = text.slice(cuts[n], to).join("");
    return marks.some(([a, b]) => a < to && cuts[n] < b) ? element("mark", {}, words) : document.createTextNode(words);
  });
}

const BULLET = /^([ \t]*)•\s+/u;
const COUNTED = /^\s*(\(?(?:\d{1,2}[a-z]?|[a-z])[.)]{1,2})\s+(?=\S)/u;

// Paragraphs and bullets of a passage, as service/browse/text_blocks.py divides it; `depth` is that of its first line.
export function blocks(passage) {
  const { display, depth, role } = passage;
  const marks = marksOf(passage);
  const all = [...display];
  const top = element("div");
  const levels = [{ level: -1, into: top }]; // what further lines may stand in
  const indents = [];
  let at = 0;
  for (const line of display.split("\n")) {
    const start = at;
    const length = [...line].length;
    at += length + 1;
    if (!line.trim()) continue;
    const first = !top.childNodes.length;
    const sign = BULLET.exec(line);
    let skipped = sign ? sign[0].length : line.length - line.trimStart().length;
    let bullet = Boolean(sign) || (depth > 0 && first);
    let level = depth;
    if (sign) {
      while (indents.length && indents.at(-1) > sign[1].length) indents.pop();
      if (!indents.length || indents.at(-1) < sign[1].length) indents.push(sign[1].length);
      level = first ? Math.max(depth, 1) : depth + indents.length;
    }
    const count = COUNTED.exec(line.slice(skipped));
    if (count) {
      skipped += count[0].length;
      if (!bullet) level = depth + 1;
      bullet = true;
    }
    while (levels.at(-1).level > level || (bullet && levels.at(-1).level === level)) levels.pop();
    const words = run(all, start + [...line.slice(0, skipped)].length, start + length, marks);
    const into = levels.at(-1).into;
    if (!bullet) {
      into.append(element("p", { className: [role !== "text" && role, !first && "on"].filter(Boolean).join(" ") }, ...words));
      continue;
    }
    const list = into.lastElementChild?.matches("ul") ? into.lastElementChild : into.appendChild(element("ul", { className: "bullets" }));
    const item = element("li", { className: count ? "counted" : "" }, ...(count ? [element("span", { className: "sign" }, count[1]), " "] : []), ...words);
    list.append(item);
    levels.push({ level, into: item });
  }
  return [...top.childNodes];
}
