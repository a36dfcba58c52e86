// The page: puts the parts together, goes from document to document, and shows how things stand.

import * as api from "./api.js";
import { Refusal, keepToken } from "./ask.js";
import { Desk } from "./desk.js";
import { askForNote, showKeys, showRule } from "./dialogs.js";
import { listenToKeys, listenToMouse } from "./hands.js";
import { drawBar, drawLegend } from "./legend.js";
import { List } from "./list.js";
import { Outbox } from "./outbox.js";
import { Paper } from "./paper.js";
import { button } from "./parts.js";
import { Questions } from "./questions.js";
import { VIEWS } from "./views.js";

const get = (id) => document.getElementById(id);
const NAMES = { label: "Label", progress: "Progress", doubts: "Doubts", agreement: "Agreement", labels: "Label set", export: "Export" };

class Page {
  constructor(project) {
    this.project = project;
    this.view = "label";
    this.visited = []; // documents, the one before last
    const outbox = new Outbox(`dovetail ${project.name} ${project.me}`, {
      send: (entry) => api.post(entry.path, { ...entry.body, ...this.#base(entry) }),
      answered: (entry, answer) => this.#answered(entry, answer),
      refused: (entry, refusal) => this.desk.refused(entry, refusal),
      changed: () => this.showSaved(),
    });
    this.outbox = outbox;
    this.desk = new Desk(project, new Paper(get("text")), outbox);
    this.list = new List((id) => this.go(id));
    this.questions = new Questions(this);
    this.hands = { desk: this.desk, page: this };
    this.#listen();
  }

  async start() {
    this.#drawMenu();
    listenToKeys(this);
    listenToMouse(this.desk);
    this.showSaved();
    this.showCounts();
    await this.list.refresh();
    const asked = +new URLSearchParams(location.hash.slice(1)).get("document");
    const known = asked || (await api.getNext()).id || this.list.documents[0]?.id;
    get("view-label").hidden = false;
    if (known) await this.go(known);
    else this.tell("There are no documents yet: dovetail label PROJECT --import FILES brings them in.");
    api.listen((name, data) => this.#hear(name, data));
  }

  #base(entry) {
    const base = entry.layer && this.desk.baseOf(entry);
    return base == null ? {} : { base };
  }

  #listen() {
    const { desk } = this;
    desk.addEventListener("opened", () => this.#opened());
    desk.addEventListener("moved", () => drawBar(desk, this));
    desk.addEventListener("changed", () => this.#drawHead());
    desk.addEventListener("layer", () => drawLegend(desk, this));
    desk.addEventListener("many", () => this.list.refresh());
    desk.addEventListener("said", ({ detail }) => this.tell(detail));
    const clicks = {
      keys: () => this.openHelp(), back: () => this.back(), flag: () => desk.toggleFlag(),
      comment: () => this.openNote(), undo: () => desk.undo(), redo: () => desk.redo(),
      all: () => desk.acceptAll(), done: () => desk.setDone(!desk.annotation.done),
      next: () => this.finish(), "open-list": () => this.#toggleList(),
    };
    for (const [id, run] of Object.entries(clicks)) {
      get(id).addEventListener("click", () => {
        run();
        if (id !== "open-list") get("text").focus();
      });
    }
    addEventListener("beforeunload", (event) => {
      if (this.outbox.size) event.preventDefault();
    });
  }

  // Documents

  async go(id, { at = null, reason = "" } = {}) {
    const { view } = this;
    try {
      if (this.desk.document && this.desk.document.id !== id) this.visited.push(this.desk.document.id);
      await this.desk.open(id, at);
      get("why").textContent = reason;
      get("documents").classList.remove("open");
      get("open-list").ariaExpanded = "false";
      if (this.view !== view) return; // somebody went elsewhere meanwhile
      if (view !== "label") this.show("label");
      get("text").focus({ preventScroll: true });
    } catch (problem) {
      this.complain(problem);
    }
  }

  async next() {
    const { view } = this;
    await this.outbox.emptied();
    try {
      const { id, reason } = await api.getNext(this.desk.document?.id);
      if (this.view !== view) return;
      if (id === null) this.tell("All documents are done.");
      else await this.go(id, { reason });
    } catch (problem) {
      this.complain(problem);
    }
  }

  async finish() {
    this.desk.setDone(true);
    await this.next();
  }

  async back() {
    const before = this.visited.pop();
    if (before === undefined) {
      this.tell("There was no document before this one.");
      return;
    }
    await this.go(before);
    this.visited.pop();
  }

  beside(step) {
    const id = this.list.beside(step);
    if (id !== null) this.go(id);
    else this.tell("The list ends here.");
  }

  #opened() {
    const { desk } = this;
    history.replaceState(null, "", `#document=${desk.document.id}`);
    get("name").textContent = desk.document.name;
    document.title = `${desk.document.name} – Dovetail`;
    this.list.show(desk.document.id);
    drawLegend(desk, this);
    this.#drawHead();
  }

  #drawHead() {
    const { annotation, can } = this.desk;
    get("done").ariaPressed = String(annotation.done);
    get("done").textContent = annotation.done ? "✓ Done" : "Done";
    get("flag").ariaPressed = String(annotation.flag);
    get("undo").disabled = !can.undo;
    get("redo").disabled = !can.redo;
    get("all").disabled = this.desk.spans.every((span) => span.reviewed);
    get("note").hidden = !annotation.note;
    get("note").textContent = annotation.note;
    get("text").classList.toggle("done", annotation.done);
  }

  // What keys ask for

  /** The command of a key while a question is open. */
  answerOf(name) {
    return this.questions.commandOf(name);
  }

  toggleSticky() {
    const { desk } = this;
    desk.sticky = desk.sticky ? null : desk.last ?? desk.layer.labels[0].name;
    drawLegend(desk, this);
    this.tell(desk.sticky ? `Every selection becomes ${desk.sticky}.` : "Labels are no longer sticky.");
  }

  nextLayer() {
    const { layers } = this.project;
    const place = layers.indexOf(this.desk.layer);
    this.desk.setLayer(layers[(place + 1) % layers.length].name);
    this.tell(`Layer ${this.desk.layer.name}`);
  }

  search() {
    get("documents").classList.add("open");
    get("find").focus();
  }

  toText() {
    const { desk } = this;
    if (this.view !== "label") this.show("label");
    if (desk.document) desk.select(desk.at, desk.at);
    get("documents").classList.remove("open");
    get("text").focus();
  }

  toMenu() {
    get("menu").querySelector("button").focus();
  }

  openHelp() {
    showKeys(this.desk.layer.labels);
  }

  openNote() {
    askForNote(this.desk.annotation.note, (note) => this.desk.setNote(note));
  }

  async openRule() {
    const { desk } = this;
    const text = desk.words;
    const label = desk.span?.label ?? desk.last ?? desk.layer.labels[0].name;
    await this.outbox.emptied();
    try {
      await showRule({ layer: desk.layer.name, text, label }, {
        labels: desk.layer.labels.map(({ name }) => name),
        names: (id) => this.list.nameOf(id),
        applied: async (matches) => {
          await desk.reload();
          this.tell(`${matches.length} places are ${label} now.`);
        },
      });
    } catch (problem) {
      this.complain(problem);
    }
  }

  toggleQuestions() {
    this.questions.toggle();
  }

  /** The labels are others now. */
  async relabelled(layers) {
    this.project.layers = layers;
    await this.desk.relabelled();
    drawLegend(this.desk, this);
  }

  #toggleList() {
    const open = get("documents").classList.toggle("open");
    get("open-list").ariaExpanded = String(open);
    if (open) get("find").focus();
  }

  // Views

  #drawMenu() {
    const views = Object.entries(NAMES).map(([name, title]) => {
      const made = button(title, () => this.show(name));
      made.dataset.view = name;
      return made;
    });
    const questions = button("Questions", () => this.toggleQuestions());
    questions.dataset.view = "questions";
    get("menu").replaceChildren(views[0], questions, ...views.slice(1));
    this.show("label");
  }

  async show(name) {
    this.view = name;
    for (const one of Object.keys(NAMES)) get(`view-${one}`).hidden = one !== name;
    for (const item of get("menu").children) {
      const asking = item.dataset.view === "questions";
      const here = item.dataset.view === name && !(name === "label" && this.questions.on);
      item.ariaCurrent = String(asking ? name === "label" && this.questions.on : here);
    }
    if (name === "label") return;
    const box = get(`view-${name}`);
    try {
      await this.outbox.emptied();
      await VIEWS[name](box, this);
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      box.replaceChildren(problem.message);
    }
  }

  // How things stand

  async #hear(name, data) {
    if (name === "labels") {
      await this.outbox.emptied();
      await this.relabelled((await api.getProject()).layers);
      if (this.view === "label") this.tell("The labels were changed.");
      return;
    }
    if (name === "model") {
      get("learning").textContent = data.message ?? "";
      get("learning").classList.toggle("busy", Boolean(data.training));
      if (data.training) return;
      await this.desk.fetchSuggestions().catch(() => {}); // the next event brings them
      get("learning").dataset.version = data.version ?? "";
    }
  }

  #answered(entry, answer) {
    this.desk.answered(entry, answer);
    const { done, flag } = entry.body;
    if (done !== undefined || flag !== undefined || entry.layer === null) {
      this.list.refresh();
      this.showCounts();
    }
  }

  showSaved() {
    const { size, away } = this.outbox;
    const box = get("saved");
    const waiting = size === 1 ? "1 change waits" : `${size} changes wait`;
    const sentence = away ? `${waiting}. ${away}` : size ? "Saving" : "Saved";
    if (box.textContent !== sentence) box.textContent = sentence;
    box.classList.toggle("wrong", Boolean(away));
  }

  async showCounts() {
    try {
      this.project.counts = (await api.getProject()).counts;
    } catch {
      return; // the outbox shows that the server is away
    }
    const { documents, done } = this.project.counts;
    get("count").textContent = `${done} of ${documents} done`;
    Object.assign(get("part"), { max: Math.max(1, documents), value: done });
  }

  tell(sentence) {
    const toast = get("toast");
    toast.textContent = sentence;
    toast.hidden = false;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      toast.hidden = true;
    }, 6000);
  }

  complain(problem) {
    if (!(problem instanceof Refusal)) throw problem;
    this.tell(problem.message);
  }
}

async function begin() {
  const form = get("token-form");
  try {
    const page = new Page(await api.getProject());
    form.hidden = true;
    await page.start();
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    form.hidden = problem.status !== 401;
    get("saved").textContent = problem.message;
    get("saved").classList.add("wrong");
  }
}

get("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(get("token").value.trim());
  begin();
});
begin();
