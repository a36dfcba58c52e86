// Keyboard and mouse on the text.

import { commandOf, nameOf } from "./keys.js";

/** Keys work wherever no text is being written. */
export function listenToKeys(page) {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (target.matches("input, textarea, select")) {
      if (event.key === "Escape") page.toText();
      return;
    }
    const name = nameOf(event);
    const inText = target === page.desk.paper.box || target === document.body;
    if (!page.desk.document || page.view !== "label") {
      if (!["?", "M", "Escape"].includes(name)) return;
    } else if (!inText && ["Enter", " ", "Tab", "Shift+Tab"].includes(name)) {
      return; // buttons keep their own keys
    }
    const run = page.answerOf(name) ?? labelOf(page.desk, name) ?? commandOf(name);
    if (run && run(page.hands, name) !== false) event.preventDefault();
  });
}

function labelOf(desk, name) {
  const label = desk.layer.labels.find(({ key }) => key && key === name);
  return label && (() => desk.label(label.name));
}

/** Click or drag for tokens, with Alt for characters; a double click accepts. */
export function listenToMouse(desk) {
  const { box } = desk.paper;
  let from = null; // where a drag began

  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.pointerType === "touch" && !event.isPrimary)) return;
    from = null;
    if (event.altKey) {
      from = { point: desk.paper.pointAt(event.clientX, event.clientY) };
      return;
    }
    const token = desk.paper.tokenAt(event.target);
    if (token === null) return;
    from = event.shiftKey ? { token: desk.anchor, moved: true } : { token, moved: false };
    if (event.shiftKey) desk.select(desk.anchor, token);
  });

  box.addEventListener("pointermove", (event) => {
    if (!from || !(event.buttons & 1)) return;
    if ("point" in from) {
      const point = desk.paper.pointAt(event.clientX, event.clientY);
      if (point === null || from.point === null || point === from.point) return;
      desk.selectCharacters(Math.min(point, from.point), Math.max(point, from.point));
      from.moved = true;
      return;
    }
    const token = desk.paper.tokenAt(document.elementFromPoint(event.clientX, event.clientY));
    if (token === null || (token === from.token && !from.moved)) return;
    from.moved = true;
    if (token !== desk.at || desk.anchor !== from.token) desk.select(from.token, token);
  });

  box.addEventListener("pointerup", () => {
    if (!from) return;
    if (!from.moved && "token" in from) desk.select(from.token, desk.document ? from.token : 0);
    const chosen = from.moved || "token" in from;
    from = null;
    if (chosen && desk.sticky) desk.label(desk.sticky);
  });

  box.addEventListener("pointercancel", () => {
    from = null;
  });

  box.addEventListener("dblclick", () => {
    if (desk.span && !desk.span.reviewed) desk.accept();
  });

  // what is chosen is drawn by the page, and so is what gets copied
  box.addEventListener("mousedown", (event) => {
    event.preventDefault();
    box.focus();
  });
  document.addEventListener("copy", (event) => {
    if (document.activeElement !== box || !desk.document) return;
    event.clipboardData.setData("text/plain", desk.words);
    event.preventDefault();
  });
}
