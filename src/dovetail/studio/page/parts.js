// What views and dialogs are made of.

import { element } from "./elements.js";

/** A button that does something. */
export function button(text, run, classes = "") {
  const made = element("button", classes, text);
  made.type = "button";
  made.addEventListener("click", run);
  return made;
}

/** A paragraph. */
export const sentence = (text) => element("p", "", text);

/** A table with the names of its columns. */
export function table(columns, rows) {
  const head = element("thead", "", element("tr", "", ...columns.map((name) => {
    const cell = element("th", "", name);
    cell.scope = "col";
    return cell;
  })));
  const body = rows.map((row) => element("tr", "", ...row.map((value) =>
    element("td", typeof value === "number" ? "number" : "", typeof value === "number" ? String(value) : value ?? "–"))));
  const scrolled = element("div", "scrolled", element("table", "", head, element("tbody", "", ...body)));
  scrolled.tabIndex = 0;
  scrolled.role = "group";
  scrolled.ariaLabel = columns.join(", ");
  return scrolled;
}
