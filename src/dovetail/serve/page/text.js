// A text with what was found in it.

import { element, hue, share, tint } from "./elements.js";

const short = (probability) => probability.toFixed(2);

/** The layers of a result by name: that of a tagger has none. */
export const layersOf = (answer, names) => answer.layers ?? { [names[0]]: answer };

/** Spans of tokens in a layer of a sequence; of plain labels each token is one, but for O. */
export function spansOf(layer) {
  if (layer.spans) return layer.spans;
  return layer.labels.flatMap((label, start) =>
    label === "O" ? [] : [{ start, end: start + 1, label, probability: layer.confidences[start] }]);
}

/** The text of a result; `names` are the model's layers. */
export function draw(result, names) {
  const characters = Array.from(result.text); // offsets count code points
  const between = (start, end) => characters.slice(start, end).join("");
  const box = element("div", names.length > 1 ? "text layered" : "text");
  let at = 0;
  result.sequences.forEach((sequence, number) => {
    const words = sequence.offsets.map(([start, end], place) => {
      const token = element("span", "token", between(start, end));
      Object.assign(token.dataset, { sequence: number, token: place });
      token.tabIndex = -1;
      token.setAttribute("role", "button");
      return token;
    });
    const gap = (place) => {
      const [start, end] = sequence.offsets[place];
      const before = between(at, start);
      at = end;
      return before;
    };
    const layers = layersOf(sequence, names);
    const drawSequence = names.length > 1 ? drawStacks : drawMarks;
    drawSequence(box, words, gap, names.map((name) => spansOf(layers[name])));
  });
  box.append(between(at));
  return box;
}

/** Spans of one layer as coloured boxes, the label in each. */
function drawMarks(box, words, gap, [spans]) {
  let place = 0;
  for (const span of [...spans, { start: words.length }]) {
    for (; place < span.start; place++) box.append(gap(place), words[place]);
    if (span.start === words.length) return;
    const mark = element("mark");
    tint(mark, hue(span.label), span.probability);
    box.append(gap(place));
    mark.append(words[place++]);
    for (; place < span.end; place++) mark.append(gap(place), words[place]);
    mark.append(element("span", "label", span.label, " ", element("small", "", short(span.probability))));
    box.append(mark);
  }
}

const WIDEST = 18; // characters of a stack, which does not wrap

/** Spans of several layers as bars above the words, the last layer on top. */
function drawStacks(box, words, gap, layers) {
  const covering = words.map((_, place) =>
    layers.map((spans) => spans.find((span) => span.start <= place && place < span.end)));
  let place = 0;
  while (place < words.length) {
    if (!covering[place].some(Boolean)) {
      box.append(gap(place), words[place++]);
      continue;
    }
    const first = place;
    let width = 0;
    do width += words[place++].textContent.length + 1;
    while (place < words.length && width < WIDEST && joined(covering, place));
    box.append(gap(first), drawStack(words, gap, layers, first, place));
  }
}

/** Whether a word goes on in a span of the word before it. */
const joined = (covering, place) =>
  covering[place].some((span, layer) => span && span === covering[place - 1][layer]);

function drawStack(words, gap, layers, first, after) {
  const stack = element("span", "stack");
  stack.style.gridTemplateColumns = `repeat(${after - first}, auto)`;
  layers.forEach((spans, layer) => {
    for (const span of spans) {
      const start = Math.max(span.start, first);
      const end = Math.min(span.end, after);
      if (start >= end) continue;
      const bar = element("span", "bar", start === span.start ? `${span.label} ${short(span.probability)}` : "\u00a0");
      bar.classList.toggle("goes-on", end < span.end);
      bar.classList.toggle("came-on", start > span.start);
      bar.style.gridColumn = `${start - first + 1} / ${end - first + 1}`;
      bar.style.gridRow = layers.length - layer;
      bar.title = span.label;
      tint(bar, hue(span.label), span.probability);
      stack.append(bar);
    }
  });
  for (let place = first; place < after; place++) {
    if (place > first) words[place - 1].append(gap(place));
    words[place].style.gridRow = layers.length + 1;
    words[place].style.gridColumn = place - first + 1;
    stack.append(words[place]);
  }
  return stack;
}

const SHOWN = 4;

/** What else could be said of a word: other labels of it, and other readings of its span. */
export function alternatives(sequence, place, names) {
  const card = document.createDocumentFragment();
  for (const [name, layer] of Object.entries(layersOf(sequence, names)).reverse()) {
    const span = spansOf(layer).find((one) => one.start <= place && place < one.end);
    const title = span ? `${span.label} ${share(span.probability)}` : "no span";
    card.append(element("h3", "", names.length > 1 ? `${name}: ${title}` : title));
    if (span && sequence.nbest) card.append(list(otherReadings(sequence, span, name, names)));
    if (layer.marginals) {
      const ranked = Object.entries(layer.marginals[place]).sort((a, b) => b[1] - a[1]);
      card.append(element("div", "quiet", "labels of this word"), list(ranked.slice(0, SHOWN)));
    }
  }
  return card;
}

/** What the best labellings have in the place of a span, with their probabilities. */
function otherReadings(sequence, span, name, names) {
  const shares = new Map();
  for (const guess of sequence.nbest) {
    const layer = layersOf(guess, names)[name];
    const there = (layer.spans ?? []).filter((one) => one.start < span.end && span.start < one.end);
    const reading = there.length
      ? there.map((one) => `${one.label}: ${sequence.tokens.slice(one.start, one.end).join(" ")}`).join("; ")
      : "nothing here";
    shares.set(reading, (shares.get(reading) ?? 0) + guess.probability);
  }
  return [...shares].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
}

function list(rows) {
  return element("ul", "", ...rows.map(([what, probability]) =>
    element("li", "", element("span", "", what), element("span", "number", share(probability)))));
}
