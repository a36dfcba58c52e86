// The open document: what is said of it, and what each command does to that. A command changes what is
// seen at once, and goes into the outbox; answers only matter if the server knows more.

import { getDocument, getSuggestions } from "./api.js";
import { EMPTY, covering, edited, overlap, shown } from "./annotation.js";

const IDLE = 60; // seconds after which nobody is thinking any more

export class Desk extends EventTarget {
  constructor(project, paper, outbox) {
    super();
    Object.assign(this, { project, paper, outbox });
    this.layer = project.layers[0];
    this.document = null;
    this.anchor = this.at = 0;
    this.sticky = null; // a label that every selection gets
    this.last = null; // the label that was given last
    this.bases = new Map(); // the last action that the server told, by document and layer
    this.touched = performance.now();
    this.seconds = 0;
  }

  get annotation() {
    return this.annotations[this.layer.name] ?? EMPTY;
  }

  /** The spans of the layer on the desk. */
  get spans() {
    return this.visible[0].spans;
  }

  get range() {
    return [Math.min(this.anchor, this.at), Math.max(this.anchor, this.at) + 1];
  }

  /** The span that is meant: that around the cursor, if it is not a part of other tokens. */
  get span() {
    const span = covering(this.spans, this.at);
    const [start, end] = this.range;
    const alone = this.anchor === this.at;
    return span && (alone || (span.start === start && span.end === end)) ? span : null;
  }

  /** The text of the span that is meant, or of the tokens that are chosen. */
  get words() {
    const { tokens } = this.document;
    const [start, end] = this.span ? [this.span.start, this.span.end] : this.range;
    return tokens.length ? this.paper.points.slice(tokens[start][0], tokens[end - 1][1]) : "";
  }

  async open(id, at = null) {
    await this.outbox.emptied();
    const document = await getDocument(id);
    this.document = document;
    this.past = [];
    this.future = [];
    this.characters = null;
    this.seconds = 0;
    this.#adopt(document.annotations);
    this.suggestions = document.suggestions;
    this.can = { undo: document.can_undo, redo: document.can_redo };
    this.visible = this.#look();
    this.paper.open(document, this.visible);
    this.#tell("opened");
    const first = this.spans.find((span) => !span.reviewed)?.start ?? 0;
    if (at) this.select(at.start, at.end - 1);
    else this.select(first, this.endOf(first));
    return document;
  }

  /** What the server says now, where nothing waits to be told to it. */
  async reload() {
    const { at, anchor } = this;
    await this.open(this.document.id);
    this.select(anchor, at);
  }

  /** The labels of the project are others now. */
  async relabelled() {
    const { layers } = this.project;
    this.layer = layers.find(({ name }) => name === this.layer.name) ?? layers[0];
    this.sticky = null;
    this.last = null;
    this.bases.clear();
    if (this.document) await this.reload();
  }

  async fetchSuggestions() {
    if (!this.document) return;
    const { id } = this.document;
    const { documents } = await getSuggestions([id]);
    if (this.document.id !== id) return;
    this.suggestions = documents[id];
    this.refresh();
  }

  // Where one is

  select(anchor, at) {
    const last = this.document.tokens.length - 1;
    const inside = (token) => Math.max(0, Math.min(last, token));
    [this.anchor, this.at] = [inside(anchor), inside(at)];
    this.characters = null;
    this.#showSelection();
  }

  /** A span by characters, snapped outward to tokens. */
  selectCharacters(from, to) {
    const { tokens } = this.document;
    const start = tokens.findIndex(([, end]) => end > from);
    const after = tokens.findIndex(([begin]) => begin >= to);
    const end = after < 0 ? tokens.length : after;
    if (start < 0 || start >= end) return;
    this.select(start, end - 1);
    this.characters = [Math.max(from, tokens[start][0]), Math.min(to, tokens[end - 1][1])];
  }

  move(step, extend = false) {
    const span = covering(this.spans, this.at);
    if (extend) {
      // from within a span its end is moved, so that a wrong edge takes two keys
      if (this.anchor === this.at && span) [this.anchor, this.at] = [span.start, span.end - 1];
      this.select(this.anchor, this.at + step);
      return;
    }
    const [start, end] = this.range;
    const to = step < 0 ? start + step : end - 1 + step;
    this.select(to, to);
  }

  endOf(token) {
    const span = covering(this.spans, token);
    return span ? span.end - 1 : token;
  }

  /** Go to a suggestion before or after the cursor; false if there is none. */
  seek(step) {
    const open = this.spans.filter((span) => !span.reviewed);
    const [start, end] = this.range;
    const found = step > 0
      ? open.find((span) => span.start >= end || span.start > start)
      : open.findLast((span) => span.end <= start);
    if (found) this.select(found.start, found.end - 1);
    return Boolean(found);
  }

  // What one does

  label(name) {
    const meant = this.span;
    const [start, end] = meant ? [meant.start, meant.end] : this.range;
    if (this.document.bounds.some((bound) => start < bound && bound < end)) {
      this.say("A span ends where its sequence ends: label the parts one by one.");
      return;
    }
    const span = { start, end, label: name };
    const characters = this.characters ?? (meant?.reviewed ? meant.characters : null);
    const { tokens } = this.document;
    if (characters && (characters[0] !== tokens[start][0] || characters[1] !== tokens[end - 1][1])) {
      span.characters = characters;
    }
    this.last = name;
    const remove = this.annotation.spans.filter((one) => overlap(one, span));
    const unreject = this.annotation.rejected.filter((one) => !one.label && overlap(one, span));
    this.change(meant && !meant.reviewed && meant.label === name ? "accept" : "label", { add: [span], remove, unreject });
    this.select(start, end - 1);
  }

  /** Say yes to the suggestion, or give other tokens the label of the span they are about. */
  accept() {
    const meant = this.span;
    if (meant?.reviewed) {
      this.seek(1);
      return;
    }
    if (meant) {
      this.change("accept", { add: [plain(meant)] });
      this.seek(1);
      return;
    }
    const [start, end] = this.range;
    const about = this.spans.find((span) => overlap(span, { start, end }));
    const name = about?.label ?? this.last;
    if (name) this.label(name);
    else this.say("Nothing is suggested here: give a label by its key.");
  }

  acceptAll() {
    const add = this.spans.filter((span) => !span.reviewed).map(plain);
    if (add.length) this.change("accept", { add });
    else this.say("There is no suggestion left here.");
  }

  /** Take a span away, or say that a suggestion is wrong. */
  reject() {
    const meant = this.span ?? covering(this.spans, this.at);
    if (!meant) {
      this.say("There is no span here.");
      return;
    }
    if (meant.reviewed) {
      this.change("label", { remove: [plain(meant)] });
    } else {
      this.change("reject", { reject: [plain(meant)] });
      this.seek(1);
    }
  }

  /** What is shown is right: what is left of the suggestions is taken. */
  setDone(done) {
    if (done === this.annotation.done) return;
    const add = done ? this.spans.filter((span) => !span.reviewed).map(plain) : [];
    this.change("done", { done, add });
  }

  toggleFlag() {
    this.change("flag", { flag: !this.annotation.flag });
  }

  setNote(note) {
    if (note !== this.annotation.note) this.change("note", { note });
  }

  change(kind, change) {
    const name = this.layer.name;
    const before = this.annotation;
    this.annotations[name] = edited(before, change);
    this.past.push({ layer: name, before, after: this.annotation, suggestions: this.suggestions });
    this.future = [];
    this.can = { undo: true, redo: false };
    const body = { layer: name, kind, ...change, seconds: this.#spent() };
    this.#post("actions", body, name);
    this.refresh();
  }

  undo() {
    this.#turn("undo", this.past, this.future, "before");
  }

  redo() {
    this.#turn("redo", this.future, this.past, "after");
  }

  /** Undo and redo at once where this page knows how; else the answer says how it is then. */
  #turn(way, from, to, side) {
    if (!this.can[way]) {
      this.say(way === "undo" ? "There is nothing to undo." : "There is nothing to do again.");
      return;
    }
    const step = from.pop();
    if (step) {
      to.push(step);
      this.annotations[step.layer] = step[side];
      if (way === "undo") this.suggestions = step.suggestions;
      if (step.layer !== this.layer.name) this.setLayer(step.layer);
    }
    this.can[way === "undo" ? "redo" : "undo"] = true;
    this.#post(way, {}, null);
    this.refresh();
  }

  setLayer(name) {
    this.layer = this.project.layers.find((layer) => layer.name === name);
    this.sticky = null;
    this.refresh();
    this.#tell("layer");
  }

  // What the server says

  answered(entry, answer) {
    this.#keepBases(entry.document, answer.annotations ?? { [entry.layer]: answer });
    if (entry.document !== this.document?.id) return;
    if (this.outbox.concerns(entry.document)) return;
    this.can = { undo: answer.can_undo, redo: answer.can_redo };
    const known = { ...this.annotations };
    this.#adopt(answer.annotations ?? { [entry.layer]: { ...answer.annotation, action: answer.action } });
    this.annotations = { ...known, ...this.annotations };
    this.refresh();
    if (answer.changed?.length > 1) this.#tell("many");
    this.fetchSuggestions().catch(() => {}); // those beside what is decided now; the next event brings them too
  }

  async refused(entry, refusal) {
    this.outbox.drop(entry.document);
    for (const layer of this.project.layers) this.bases.delete(`${entry.document} ${layer.name}`);
    if (entry.document === this.document?.id) await this.reload();
    this.say(refusal.message);
  }

  baseOf(entry) {
    return this.bases.get(`${entry.document} ${entry.layer}`);
  }

  /** Show what is so now. */
  refresh() {
    this.visible = this.#look();
    this.paper.update(this.visible);
    this.#showSelection();
    this.#tell("changed");
  }

  say(sentence) {
    this.dispatchEvent(new CustomEvent("said", { detail: sentence }));
  }

  #adopt(annotations) {
    this.annotations = annotations;
    this.#keepBases(this.document.id, annotations);
  }

  #keepBases(document, annotations) {
    for (const [layer, { action }] of Object.entries(annotations)) this.bases.set(`${document} ${layer}`, action);
  }

  #look() {
    const others = this.project.layers.filter((layer) => layer !== this.layer);
    return [this.layer, ...others].map(({ name, labels }) => {
      const annotation = this.annotations[name] ?? EMPTY;
      const hues = new Map(labels.map((label) => [label.name, label.hue]));
      const spans = shown(annotation, this.suggestions[name] ?? []);
      return { name, spans, rejected: annotation.rejected, hues };
    });
  }

  #post(what, body, layer) {
    const document = this.document.id;
    this.outbox.push({ document, layer, path: `api/documents/${document}/${what}`, body });
  }

  /** Seconds since the last action in which someone may have been thinking. */
  #spent() {
    const now = performance.now();
    const seconds = Math.min(IDLE, (now - this.touched) / 1000);
    this.touched = now;
    return Math.round(100 * seconds) / 100;
  }

  #showSelection() {
    this.paper.select(...this.range, this.at);
    this.#tell("moved");
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}

const plain = ({ start, end, label, characters }) =>
  characters ? { start, end, label, characters } : { start, end, label };
