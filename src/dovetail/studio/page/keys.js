// What each key does, once: for the hands and for the help.

/** A key as the table below writes it: Ctrl stands for Command too. */
export function nameOf(event) {
  const { key } = event;
  const control = event.ctrlKey || event.metaKey;
  const parts = [];
  if (control) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && (control || key.length > 1)) parts.push("Shift");
  parts.push(control && key.length === 1 ? key.toLowerCase() : key);
  return parts.join("+");
}

function goTo(desk, token) {
  desk.select(token, token);
}

/** A token further on as one reads, which in Arabic or Hebrew is to the left. */
function move({ desk }, key) {
  const step = key.endsWith("Right") !== desk.paper.readsLeft(desk.at) ? 1 : -1;
  desk.move(step, key.startsWith("Shift"));
}

/** Groups of [keys, what they do, the command]; the command gets the key, and leaves it to the browser if it gives false. */
export const COMMANDS = [
  ["Where", [
    [["ArrowLeft", "ArrowRight"], "a token to the left or right", move],
    [["Shift+ArrowLeft", "Shift+ArrowRight"], "extend what is chosen; on a span, move its end", move],
    [["ArrowUp", "ArrowDown"], "a line up or down", ({ desk }, key) => goTo(desk, desk.paper.beside(desk.at, key === "ArrowDown"))],
    [["Home", "End"], "to the beginning or end of the line", ({ desk }, key) => {
      const { start, end } = desk.paper.blockOf(desk.at);
      goTo(desk, key === "Home" ? start : end - 1);
    }],
    [["Ctrl+Home", "Ctrl+End"], "to the beginning or end of the text", ({ desk }, key) =>
      goTo(desk, key === "Ctrl+Home" ? 0 : desk.document.tokens.length - 1)],
    [["Tab", "Shift+Tab"], "next suggestion, and the one before", ({ desk }, key) => desk.seek(key === "Tab" ? 1 : -1)],
  ]],
  ["Views", [
    [["Q"], "question mode, on or off", ({ page }) => page.toggleQuestions()],
    [["M"], "to the menu", ({ page }) => page.toMenu()],
    [["Escape"], "to the text, nothing chosen", ({ page }) => page.toText()],
    [["?"], "these keys", ({ page }) => page.openHelp()],
  ]],
  ["Labels", [
    [["Enter"], "accept the suggestion; with other tokens chosen, give them its label", ({ desk }) => desk.accept()],
    [["Shift+Enter", "A"], "accept all suggestions", ({ desk }) => desk.acceptAll()],
    [["Delete", "Backspace", "-"], "reject the suggestion, or take the span away", ({ desk }) => desk.reject()],
    [[" "], "the label that was given last", ({ desk }) => (desk.last ? desk.label(desk.last) : desk.say("No label was given yet."))],
    [["S"], "sticky: every selection gets the label that was given last", ({ page }) => page.toggleSticky()],
    [["E"], "label the same string everywhere", ({ page }) => page.openRule()],
    [["L"], "next layer", ({ page }) => page.nextLayer()],
    [["Ctrl+z"], "undo", ({ desk }) => desk.undo()],
    [["Ctrl+Shift+z", "Ctrl+y"], "redo", ({ desk }) => desk.redo()],
  ]],
  ["Documents", [
    [["Ctrl+Enter", "D"], "done: what is shown is right; on to the next", ({ page }) => page.finish()],
    [["N", "."], "the next that is worth most", ({ page }) => page.next()],
    [["B", ","], "back to the one before", ({ page }) => page.back()],
    [["Alt+ArrowDown", "Alt+ArrowUp"], "down or up in the list", ({ page }, key) => page.beside(key === "Alt+ArrowDown" ? 1 : -1)],
    [["/"], "search", ({ page }) => page.search()],
    [["F"], "flag", ({ desk }) => desk.toggleFlag()],
    [["C"], "comment", ({ page }) => page.openNote()],
  ]],
];

const BY_KEY = new Map(COMMANDS.flatMap(([, rows]) => rows.flatMap(([keys, , run]) => keys.map((key) => [key, run]))));

/** The command of a key by its name, if it has one. */
export const commandOf = (name) => BY_KEY.get(name);

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };

/** A key as it is written on keyboards. */
export const written = (key) =>
  key.split(/\+(?=.)/).map((part) => SIGNS[part] ?? (/^[A-Z]$/.test(part) ? `Shift+${part}` : part)).join("+");
