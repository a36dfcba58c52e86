// The documents: search, states, and which is open.

import { listDocuments } from "./api.js";
import { element } from "./elements.js";

const AT_ONCE = 50;
const PAUSE = 200; // ms without a key before it is searched
const get = (id) => document.getElementById(id);

export class List {
  constructor(open) {
    this.open = open;
    this.documents = [];
    this.total = 0;
    this.current = null;
    [this.box, this.find, this.state, this.more] = ["list", "find", "state", "more"].map(get);
    this.find.addEventListener("input", () => this.#later());
    this.state.addEventListener("change", () => this.refresh());
    this.more.addEventListener("click", () => this.#fetch(this.documents.length));
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.documents.length) this.open(this.documents[0].id);
    });
    this.box.addEventListener("click", ({ target }) => {
      const item = target.closest("button");
      if (item) this.open(+item.dataset.id);
    });
  }

  /** The list as the server has it now, as long as it was. */
  refresh() {
    return this.#fetch(0, Math.max(AT_ONCE, this.documents.length));
  }

  show(id) {
    this.current = id;
    for (const item of this.box.querySelectorAll("button")) {
      const here = +item.dataset.id === id;
      item.ariaCurrent = here ? "true" : "false";
      if (here) item.scrollIntoView({ block: "nearest" });
    }
  }

  nameOf(id) {
    return this.documents.find((one) => one.id === id)?.name ?? `document ${id}`;
  }

  /** The document that is some places further down. */
  beside(step) {
    const place = this.documents.findIndex((one) => one.id === this.current);
    return this.documents[place + step]?.id ?? null;
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), PAUSE);
  }

  async #fetch(offset, limit = AT_ONCE) {
    this.asking?.abort();
    this.asking = new AbortController();
    const asked = { offset, limit, search: this.find.value.trim(), state: this.state.value };
    try {
      const { total, documents } = await listDocuments(asked, this.asking.signal);
      this.documents = [...this.documents.slice(0, offset), ...documents];
      this.total = total;
    } catch {
      return; // asked again, or the server is away: the outbox says so
    }
    this.#draw();
  }

  #draw() {
    const items = this.documents.map((one) => element("li", "", this.#item(one)));
    if (!items.length) items.push(element("li", "quiet", "No document is like that."));
    this.box.replaceChildren(...items);
    const rest = this.total - this.documents.length;
    this.more.hidden = rest <= 0;
    this.more.textContent = `${rest} more`;
  }

  #item({ id, name, state, flag, preview }) {
    const sign = element("span", "sign", state === "done" ? "✓" : "○");
    sign.ariaLabel = state;
    sign.role = "img";
    const title = element("span", "title", sign, " ", name, ...(flag ? [" ", flagSign()] : []));
    const item = element("button", `item ${state}`, title, element("span", "preview", preview));
    item.type = "button";
    item.dataset.id = id;
    item.ariaCurrent = id === this.current ? "true" : "false";
    return item;
  }
}

function flagSign() {
  const sign = element("span", "flag", "⚑");
  sign.ariaLabel = "flagged";
  sign.role = "img";
  return sign;
}
