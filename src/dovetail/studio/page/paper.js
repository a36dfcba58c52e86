// The text of a document with its spans. It is drawn by blocks, some lines each, so that a key alters
// a few nodes however long the document is.

import { element, tint } from "./elements.js";
import { covering, keyOf } from "./annotation.js";
import { Points, pointsIn } from "./points.js";

const LONGEST = 250; // tokens of a block, if its sequences let it end then
const LONGEST_OF_ALL = 400; // tokens of a block even in the middle of a sequence
const percent = (probability) => (probability > 0.995 ? "> 99" : Math.round(100 * probability));

export class Paper {
  constructor(box) {
    this.box = box;
    this.tokens = [];
    this.nodes = [];
    this.blocks = [];
    this.selected = [0, 0];
  }

  /** Show another document; `layers` have a name, spans, rejected ones and hues, the one to edit first. */
  open(document, layers) {
    this.tokens = document.tokens;
    this.points = new Points(document.text);
    this.nodes = new Array(this.tokens.length);
    this.layers = layers;
    this.selected = [0, 0];
    this.blocks = cut(document, this.points);
    this.blocks.forEach((block) => this.#draw(block));
    this.box.replaceChildren(...this.blocks.map((block) => block.node));
    this.box.scrollTop = 0;
  }

  /** Show other spans: only blocks where something differs are drawn again. */
  update(layers) {
    const touched = layers.length === this.layers.length
      ? layers.flatMap((layer, place) => differences(this.layers[place], layer))
      : [{ start: 0, end: this.tokens.length }];
    const sameOrder = layers.every((layer, place) => layer.name === this.layers[place]?.name);
    this.layers = layers;
    for (const block of this.blocks) {
      const { start, end } = block;
      if (!sameOrder || touched.some((one) => one.start < end && start < one.end)) this.#draw(block);
    }
    this.#mark(...this.selected, true);
  }

  /** Show which tokens are chosen, and which of them the cursor is on. */
  select(start, end, cursor) {
    const [first, after] = this.selected;
    for (let token = first; token < after; token++) {
      if (token < start || token >= end) this.#mark(token, token + 1, false);
    }
    this.#mark(start, end, true);
    this.selected = [start, end];
    this.box.querySelector("#cursor")?.removeAttribute("id");
    const node = this.nodes[cursor];
    if (!node) return;
    node.id = "cursor";
    node.scrollIntoView({ block: "nearest" });
  }

  #mark(start, end, on) {
    for (let token = start; token < end; token++) this.nodes[token]?.classList.toggle("selected", on);
  }

  /** The token at or nearest to a node of the text. */
  tokenAt(node) {
    const inside = node?.closest?.(".token") ?? node?.closest?.("mark")?.querySelector(".token");
    return inside && this.box.contains(inside) ? +inside.dataset.token : null;
  }

  /** The code point nearest to a place of the window. */
  pointAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? caretOf(document.caretRangeFromPoint?.(x, y));
    if (!caret || !this.box.contains(caret.offsetNode)) return null;
    const token = caret.offsetNode.parentElement.closest(".token");
    if (token) {
      const start = this.tokens[+token.dataset.token][0];
      return start + pointsIn(token.textContent, offsetIn(token, caret));
    }
    const gap = caret.offsetNode.parentElement.closest("[data-at]");
    return gap ? +gap.dataset.at + pointsIn(gap.textContent, offsetIn(gap, caret)) : null;
  }

  /** The token of the line above or below that is nearest to another. */
  beside(token, down) {
    const here = this.nodes[token].getBoundingClientRect();
    const step = down ? 1 : -1;
    let best = token;
    let line = null;
    let least = Infinity;
    for (let other = token + step; this.nodes[other]; other += step) {
      const place = this.nodes[other].getBoundingClientRect();
      if (down ? place.top < here.bottom - 2 : place.bottom > here.top + 2) continue;
      line ??= place;
      if (Math.abs(place.top - line.top) > here.height / 2) break;
      const away = Math.abs(place.left + place.width / 2 - here.left - here.width / 2);
      if (away < least) [least, best] = [away, other];
    }
    return best;
  }

  /** Whether a token is read from right to left. */
  readsLeft(token) {
    const block = this.nodes[token]?.closest(".block");
    return Boolean(block) && getComputedStyle(block).direction === "rtl";
  }

  blockOf(token) {
    return this.blocks.find((block) => token < block.end) ?? this.blocks.at(-1);
  }

  #draw(block) {
    const [own, ...others] = this.layers;
    const inside = (spans) => spans.filter((span) => span.start < block.end && block.start < span.end);
    const spans = inside(own.spans);
    const rejected = inside(own.rejected);
    const below = others.map((layer) => ({ ...layer, spans: inside(layer.spans) }));
    const drawn = element("div", "block-text");
    let at = block.from;
    let box = drawn;
    let mark = null;
    for (let token = block.start; token < block.end; token++) {
      const [start, end] = this.tokens[token];
      const span = covering(spans, token);
      const starts = span && (span.start === token || token === block.start);
      if (starts) mark = drawMark(span, own.hues);
      if (!span || starts) box = drawn;
      if (start > at) box.append(this.#gap(at, start, below, token));
      if (starts) drawn.append(mark);
      if (span) box = mark;
      box.append(this.#word(token, start, end, span, covering(rejected, token), below));
      for (const layer of below) {
        const last = covering(layer.spans, token);
        if (last?.end === token + 1) box.append(drawUnderName(last, layer));
      }
      at = end;
      if (span && (span.end === token + 1 || token + 1 === block.end)) {
        mark.append(drawLabel(span));
        box = drawn;
      }
    }
    if (block.to > at) drawn.append(this.#gap(at, block.to, [], block.end));
    block.node.replaceChildren(...drawn.childNodes);
  }

  #gap(start, end, below, next) {
    const gap = element("span", "gap", this.points.slice(start, end));
    gap.dataset.at = start;
    underline(gap, below, next, next - 1);
    return gap;
  }

  #word(token, start, end, span, rejected, below) {
    const word = element("span", "token", ...this.#letters(start, end, span?.characters));
    word.dataset.token = token;
    if (rejected) {
      word.classList.add("rejected");
      word.title = rejected.label ? `not ${rejected.label}` : "nothing here";
    }
    underline(word, below, token);
    this.nodes[token] = word;
    return word;
  }

  /** The letters of a word, those outside of a span that was drawn by characters set apart. */
  #letters(start, end, characters) {
    if (!characters) return [this.points.slice(start, end)];
    const [from, to] = [Math.max(start, characters[0]), Math.min(end, characters[1])];
    const outside = (a, b) => (a < b ? [element("span", "outside", this.points.slice(a, b))] : []);
    return [...outside(start, from), this.points.slice(from, to), ...outside(to, end)];
  }
}

/** Blocks of whole lines, or, of a long line, of whole sequences. */
function cut(document, points) {
  const { tokens } = document;
  const bounds = new Set(document.bounds);
  const blocks = [];
  let start = 0;
  let from = 0;
  const close = (end, to) => {
    const node = element("div", "block");
    node.dir = "auto";
    node.lang = "";
    blocks.push({ start, end, from, to, node });
    [start, from] = [end, to];
  };
  for (let token = 1; token < tokens.length; token++) {
    const [before, after] = [tokens[token - 1][1], tokens[token][0]];
    const line = points.slice(before, after).lastIndexOf("\n");
    const size = token - start;
    if (line >= 0) close(token, before + line + 1);
    else if ((size >= LONGEST && bounds.has(token)) || size >= LONGEST_OF_ALL) close(token, after);
  }
  close(tokens.length, points.length);
  return blocks;
}

/** What is in the one layer only, or in the other only. */
function differences(before, after) {
  const found = [];
  for (const list of ["spans", "rejected"]) {
    const old = new Map(before[list].map((span) => [lookOf(span), span]));
    for (const span of after[list]) if (!old.delete(lookOf(span))) found.push(span);
    found.push(...old.values());
  }
  return found;
}

const lookOf = (span) =>
  `${keyOf(span)} ${span.reviewed} ${percent(span.probability ?? 1)} ${span.characters ?? ""}`;

function drawMark(span, hues) {
  const mark = element("mark", span.reviewed ? "reviewed" : "suggested");
  tint(mark, hues.get(span.label), span.reviewed ? 1 : 0.7 * span.probability);
  return mark;
}

function drawLabel(span) {
  const label = element("span", "label", span.label);
  if (!span.reviewed) label.append(" ", element("small", "", `${percent(span.probability)} %`));
  label.ariaHidden = "true";
  return label;
}

/** Lines below a word, one for each of the other layers that has a span there. */
function underline(node, layers, token, before = token) {
  const lines = layers.flatMap(({ spans, hues }, place) => {
    const span = covering(spans, token);
    const colour = span && `hsl(${hues.get(span.label)} var(--vivid))`;
    return span && span.start <= before ? [`0 ${2 + 3 * place}px ${colour}`] : [];
  });
  if (lines.length) node.style.boxShadow = lines.join(", ");
}

function drawUnderName(span, layer) {
  const name = element("span", "under-name", span.label);
  name.style.setProperty("--hue", layer.hues.get(span.label));
  name.title = `${layer.name}: ${span.label}`;
  name.ariaHidden = "true";
  return name;
}

const caretOf = (range) => range && { offsetNode: range.startContainer, offset: range.startOffset };

/** How many units of an element's text come before a caret in it. */
function offsetIn(node, caret) {
  const range = document.createRange();
  range.setStart(node, 0);
  range.setEnd(caret.offsetNode, caret.offset);
  return range.toString().length;
}
