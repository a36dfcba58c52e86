// Question mode: one span after another, yes, no or something else, those first that teach most.

import { getQuestion } from "./api.js";
import { element } from "./elements.js";
import { button } from "./parts.js";

const MOST_SKIPPED = 100;
const get = (id) => document.getElementById(id);

export class Questions {
  constructor(page) {
    this.page = page;
    this.on = false;
    this.question = null;
    this.fixing = false;
    this.skipped = [];
    page.desk.addEventListener("changed", () => this.#seeFix());
  }

  async toggle() {
    this.on = !this.on;
    this.page.show("label");
    if (this.on) await this.ask();
    else this.#close();
  }

  /** What keys do while a question is open: y, n, f, s. */
  commandOf(name) {
    if (!this.question) return null;
    const commands = { Escape: () => this.toggle() };
    if (!this.fixing) Object.assign(commands, { y: () => this.yes(), n: () => this.no(), f: () => this.fix(), s: () => this.skip() });
    return commands[name] ?? null;
  }

  async ask() {
    const { desk, outbox } = this.page;
    await outbox.emptied();
    try {
      const { question, message } = await getQuestion(desk.layer.name, this.skipped);
      if (!this.on) return;
      this.question = question;
      this.fixing = false;
      if (!question) {
        this.on = false;
        this.#close();
        this.page.show("label");
        this.page.tell(`There is nothing to ask. ${message ?? ""}`);
        return;
      }
      if (desk.document?.id !== question.document) await this.page.go(question.document, { at: question });
      else desk.select(question.start, question.end - 1);
      this.#draw();
    } catch (problem) {
      this.page.complain(problem);
    }
  }

  yes() {
    const { start, end, label } = this.question;
    this.#answer({ add: [{ start, end, label }] });
  }

  no() {
    const { start, end } = this.question;
    this.#answer({ reject: [{ start, end, label: "" }] });
  }

  fix() {
    this.fixing = true;
    this.#draw();
    this.page.toText();
    const { start, end } = this.question;
    this.page.desk.select(start, end - 1);
  }

  skip() {
    const { document, start, end } = this.question;
    this.skipped = [...this.skipped, `${document}:${start}:${end}`].slice(-MOST_SKIPPED);
    this.ask();
  }

  #answer(change) {
    this.question = null;
    this.page.desk.change("answer", change);
    this.ask();
  }

  /** A label given while a question is open answers it. */
  #seeFix() {
    const asked = this.question;
    const { desk } = this.page;
    if (!asked || desk.document.id !== asked.document) return;
    const given = desk.annotation.spans.some((span) => span.start < asked.end && asked.start < span.end);
    if (given) this.ask();
  }

  #draw() {
    const { desk } = this.page;
    const { start, end, label, probability } = this.question;
    const { tokens } = desk.document;
    const words = desk.paper.points.slice(tokens[start][0], tokens[end - 1][1]);
    const key = (letter) => element("kbd", "", letter);
    const made = (letter, text, run) => {
      const one = button("", run);
      one.append(key(letter), ` ${text}`);
      return one;
    };
    const sentence = this.fixing
      ? ["Choose the right tokens and their label. ", element("kbd", "", "Esc"), " leaves the questions."]
      : ["Is ", element("b", "", words), " ", element("b", "", label), "? ",
        element("span", "quiet", `${Math.round(100 * probability)} %`)];
    const buttons = this.fixing ? [] : [
      made("y", "yes", () => this.yes()), made("n", "no, nothing", () => this.no()),
      made("f", "something else", () => this.fix()), made("s", "skip", () => this.skip())];
    get("question").replaceChildren(element("p", "", ...sentence), element("span", "buttons", ...buttons));
    get("question").hidden = false;
    get("text").classList.add("asking");
    for (const block of desk.paper.blocks) block.node.classList.toggle("asked", block === desk.paper.blockOf(start));
  }

  #close() {
    this.question = null;
    get("question").hidden = true;
    get("text").classList.remove("asking");
  }
}
