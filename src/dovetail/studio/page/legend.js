// Layers and labels with their keys, and what is at the cursor, with what can be done about it.

import { covering } from "./annotation.js";
import { element } from "./elements.js";
import { button } from "./parts.js";

const get = (id) => document.getElementById(id);

/** Draws the legend; called again when layer or sticky label change. */
export function drawLegend(desk, page) {
  const { layers } = desk.project;
  const labels = desk.layer.labels.map(({ name, key, hue }) => {
    const given = button("", () => page.hands.desk.label(name), "swatch");
    given.append(...(key ? [element("kbd", "", key), " "] : []), name);
    given.style.setProperty("--hue", hue);
    given.ariaPressed = desk.sticky === name ? "true" : "false";
    return given;
  });
  const sticky = button("Sticky", () => page.toggleSticky(), "sticky");
  sticky.title = "Every selection gets the label that was given last (Shift+S)";
  sticky.ariaPressed = desk.sticky ? "true" : "false";
  const parts = [element("div", "swatches", ...labels, sticky)];
  if (layers.length > 1) parts.unshift(switchOf(desk, layers));
  get("legend").replaceChildren(...parts);
}

function switchOf(desk, layers) {
  const tabs = layers.map(({ name }) => {
    const done = desk.annotations?.[name]?.done ? " ✓" : "";
    const tab = button(name + done, () => desk.setLayer(name), "layer");
    tab.ariaPressed = name === desk.layer.name ? "true" : "false";
    return tab;
  });
  const box = element("div", "layers", ...tabs);
  box.role = "group";
  box.ariaLabel = "Layers";
  return box;
}

const percent = (probability) => `${(100 * probability).toFixed(probability > 0.995 ? 1 : 0)} %`;

/** What is at the cursor: for the eye below the text, and as a sentence for the ear. */
export function drawBar(desk, page) {
  const words = desk.words;
  const meant = desk.span;
  const what = element("span", "what", element("b", "", words.length > 80 ? `${words.slice(0, 80)}…` : words));
  const here = sentenceOf(desk, meant);
  what.append(here ? ` ${here}` : "");
  const buttons = [];
  if (meant && !meant.reviewed) buttons.push(button("Accept", () => desk.accept()));
  if (meant) buttons.push(button(meant.reviewed ? "Remove" : "Reject", () => desk.reject()));
  if (words) buttons.push(button("Everywhere", () => page.openRule()));
  const extend = [[-1, "⇤", "Extend to the left"], [1, "⇥", "Extend to the right"]].map(([step, sign, name]) => {
    const made = button(sign, () => desk.move(step, true), "extend");
    made.ariaLabel = name;
    return made;
  });
  get("bar").replaceChildren(what, element("span", "buttons", ...extend, ...buttons));
  get("said").textContent = `${words}${here ? `, ${here}` : ""}`;
}

function sentenceOf(desk, meant) {
  const parts = [];
  if (meant?.reviewed) parts.push(`${meant.label}, reviewed`);
  else if (meant) parts.push(`${meant.label}? suggested, ${percent(meant.probability)}`);
  const not = covering(desk.visible[0].rejected, desk.at);
  if (not) parts.push(not.label ? `not ${not.label}` : "nothing here");
  for (const layer of desk.visible.slice(1)) {
    const span = covering(layer.spans, desk.at);
    if (span) parts.push(`${layer.name}: ${span.label}`);
  }
  return parts.join("; ");
}
