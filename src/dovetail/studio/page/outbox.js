// What is still to be told to the server: one thing after another, in the order in which it was done,
// again and again until it is answered. It outlives a reload of the page.

const FIRST_PAUSE = 500; // ms before another try, twice as long each time
const LONGEST_PAUSE = 8000;

// The server is away, busy or in trouble, or must be shown the token again.
const isForLater = (status) => status === 0 || status === 401 || status === 429 || status >= 500;

const random = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");

export class Outbox {
  /** `send` posts an entry; `answered`, `refused` and `changed` hear what became of it. */
  constructor(name, { send, answered, refused, changed }) {
    Object.assign(this, { name, send, answered, refused, changed });
    this.entries = JSON.parse(sessionStorage.getItem(name) ?? "[]");
    this.away = "";
    this.pause = FIRST_PAUSE;
    this.running = null;
    addEventListener("online", () => this.hurry());
  }

  get size() {
    return this.entries.length;
  }

  /** Whether something of a document is still to be told. */
  concerns(document) {
    return this.entries.some((entry) => entry.document === document);
  }

  /** An entry has a document, a path and a body; its key lets the server know it when it comes twice. */
  push(entry) {
    this.entries.push({ ...entry, body: { ...entry.body, key: random() } });
    this.#keep();
    this.run();
  }

  drop(document) {
    this.entries = this.entries.filter((entry) => entry.document !== document);
    this.#keep();
  }

  /** Waits until all is told. */
  async emptied() {
    while (this.entries.length) await this.run();
  }

  /** Try now what would be tried later. */
  hurry() {
    this.wake?.();
  }

  run() {
    this.running ??= this.#tellAll();
    return this.running;
  }

  async #tellAll() {
    while (this.entries.length) {
      const entry = this.entries[0];
      const { answer, refusal } = await this.#try(entry);
      if (answer) {
        this.#done(entry);
        this.answered(entry, answer);
      } else if (isForLater(refusal.status)) {
        await this.#wait(refusal.message);
      } else {
        this.#done(entry);
        this.refused(entry, refusal);
      }
    }
    this.running = null;
  }

  async #try(entry) {
    try {
      return { answer: await this.send(entry) };
    } catch (refusal) {
      return { refusal };
    }
  }

  #done(entry) {
    if (this.entries[0] === entry) this.entries.shift();
    this.away = "";
    this.pause = FIRST_PAUSE;
    this.#keep();
  }

  async #wait(sentence) {
    this.away = sentence;
    this.changed();
    await new Promise((wake) => {
      this.wake = wake;
      setTimeout(wake, this.pause);
    });
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  #keep() {
    sessionStorage.setItem(this.name, JSON.stringify(this.entries));
    this.changed();
  }
}
