// The labels of each layer: their names, colours and keys. No label that is in use goes without a
// question, and nothing changes before all of it is kept at once.

import { changeLayers, getLabels } from "./api.js";
import { element, tint } from "./elements.js";
import { button, sentence } from "./parts.js";

const HUES = [210, 25, 140, 330, 50, 270, 180, 0, 95, 300]; // as the server gives them
const DIGITS = "123456789";
const spansOf = (count) => (count === 1 ? "1 span" : `${count} spans`);

export async function showLabels(box, page) {
  const used = await getLabels();
  new Draft(box, page, used).draw();
}

/** Layers as they are to be; each label knows what it was called. */
class Draft {
  constructor(box, page, used) {
    Object.assign(this, { box, page, used });
    this.layers = page.project.layers.map(({ name, labels }) => ({
      name, isNew: false, labels: labels.map((label) => ({ ...label, was: label.name })), gone: [],
    }));
    this.report = element("p", "report", "Nothing was changed yet.");
    this.report.role = "status";
    this.report.hidden = true;
  }

  count(layer, label) {
    return (label.was && this.used[layer.name]?.[label.was]) || 0;
  }

  draw() {
    const keep = button("Change the labels", () => this.keep(), "main");
    this.box.replaceChildren(
      element("h2", "", "Label set"),
      sentence("Spans follow a label that gets another name. Nothing changes before you say so below."),
      ...this.layers.map((layer) => this.#layer(layer)),
      element("p", "decision", button("Add a layer", () => this.addLayer())),
      element("p", "decision", keep, button("Leave them as they are", () => this.page.show("labels"))),
      this.report);
  }

  #layer(layer) {
    const head = layer.isNew
      ? element("label", "", "Layer ", this.#input(layer.name, "Name of the layer", (value) => { layer.name = value; }))
      : element("h3", "", this.layers.length > 1 ? `Layer ${layer.name}` : "");
    const rows = element("ul", "label-rows", ...layer.labels.map((label) => this.#row(layer, label)),
      ...layer.gone.map((label) => this.#goner(layer, label)));
    const buttons = element("p", "buttons", button("Add a label", () => this.addLabel(layer)));
    if (this.layers.length > 1 && !Object.keys(this.used[layer.name] ?? {}).length) {
      buttons.append(button("Remove the layer", () => {
        this.layers = this.layers.filter((one) => one !== layer);
        this.draw();
      }));
    }
    const box = element("section", "card", head, rows, buttons);
    box.ariaLabel = `Layer ${layer.name}`;
    return box;
  }

  #row(layer, label) {
    const what = label.was ?? "the new label";
    const shown = element("mark", "", label.name || "new");
    tint(shown, label.hue, 1);
    const name = this.#input(label.name, `Name of ${what}`, (value) => {
      label.name = value;
      shown.textContent = value || "new";
    });
    name.classList.add("label-name");
    const hue = this.#input(label.hue, `Colour of ${what}`, (value) => {
      label.hue = +value;
      tint(shown, label.hue, 1);
    });
    Object.assign(hue, { type: "range", min: 0, max: 359, value: label.hue, className: "hue" });
    const key = this.#input(label.key, `Key of ${what}`, (value) => { label.key = value; });
    Object.assign(key, { maxLength: 1, className: "key" });
    const count = this.count(layer, label);
    const remove = button("Remove", () => this.remove(layer, label));
    remove.ariaLabel = `Remove ${what}`;
    return element("li", "label-row", shown, name, hue, key, element("span", "quiet", count ? spansOf(count) : "unused"), remove);
  }

  /** The question what becomes of the spans of a label that goes. */
  #goner(layer, label) {
    const options = [new Option("choose …", ""), ...layer.labels.filter(({ name }) => name)
      .map(({ name }) => new Option(name, `=${name}`)), new Option("nothing: they are deleted", "-")];
    const choice = element("select", "", ...options);
    choice.ariaLabel = `What spans of ${label.was} become`;
    choice.value = label.becomes ?? "";
    choice.addEventListener("change", () => { label.becomes = choice.value; });
    const back = button("Keep the label", () => {
      layer.gone = layer.gone.filter((one) => one !== label);
      layer.labels.push(label);
      this.draw();
    });
    const count = this.count(layer, label);
    const become = count === 1 ? "Its span becomes" : `Its ${count} spans become`;
    const question = element("label", "", element("b", "", label.was), ` goes. ${become} `, choice);
    return element("li", "label-row gone", question, back);
  }

  #input(value, name, change) {
    const made = element("input");
    made.value = value;
    made.ariaLabel = made.title = name;
    made.autocomplete = "off";
    made.addEventListener("input", () => change(made.value.trim()));
    return made;
  }

  addLabel(layer) {
    const hues = new Set(this.layers.flatMap(({ labels }) => labels.map(({ hue }) => hue)));
    const keys = new Set(layer.labels.map(({ key }) => key));
    const hue = HUES.find((one) => !hues.has(one)) ?? HUES[layer.labels.length % HUES.length];
    const key = [...DIGITS].find((one) => !keys.has(one)) ?? "";
    layer.labels.push({ name: "", key, hue, was: null });
    this.draw();
    const names = this.box.querySelectorAll(".card")[this.layers.indexOf(layer)].querySelectorAll(".label-name");
    names[layer.labels.length - 1].focus();
  }

  addLayer() {
    const layer = { name: "", isNew: true, labels: [], gone: [] };
    this.layers.push(layer);
    this.addLabel(layer);
  }

  remove(layer, label) {
    layer.labels = layer.labels.filter((one) => one !== label);
    if (this.count(layer, label)) layer.gone.push(label);
    this.draw();
  }

  async keep() {
    const undecided = this.layers.flatMap(({ gone }) => gone).find(({ becomes }) => !becomes);
    if (undecided) {
      this.#say(`Say what the spans of ${undecided.was} become.`);
      return;
    }
    const map = Object.fromEntries(this.layers.map((layer) => [layer.name, mapOf(layer)]).filter(([, own]) => Object.keys(own).length));
    const layers = this.layers.map(({ name, labels }) => ({ name, labels: labels.map(({ name, key, hue }) => ({ name, key, hue })) }));
    try {
      await this.page.outbox.emptied();
      const answer = await changeLayers({ layers, map });
      await this.page.relabelled(answer.layers);
      await showLabels(this.box, this.page);
      const { changed } = answer;
      this.page.tell(`The labels are changed. ${changed ? `What was said of ${changed === 1 ? "1 document" : `${changed} documents`} follows.` : ""}`);
    } catch (problem) {
      this.#say(problem.message);
    }
  }

  #say(text) {
    this.report.hidden = false;
    this.report.textContent = text;
  }
}

/** What becomes of labels that are called otherwise now, or that go. */
function mapOf({ labels, gone }) {
  const renamed = labels.filter(({ was, name }) => was && was !== name).map(({ was, name }) => [was, name]);
  const dropped = gone.map(({ was, becomes }) => [was, becomes === "-" ? null : becomes.slice(1)]);
  return Object.fromEntries([...renamed, ...dropped]);
}
