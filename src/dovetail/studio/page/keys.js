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

const down = (desk) => desk.paper.beside(desk.at, true);
const up = (desk) => desk.paper.beside(desk.at, false);
const towards = (desk, step) => (desk.paper.readsLeft(desk.at) ? -step : step);

/** Groups of [keys, what they do, the command]; a command that gives false leaves the key to the browser. */
export const COMMANDS = [
  ["Where", [
    [["ArrowLeft"], "a token to the left", ({ desk }) => desk.move(towards(desk, -1))],
    [["ArrowRight"], "a token to the right", ({ desk }) => desk.move(towards(desk, 1))],
    [["Shift+ArrowLeft"], "extend, or move the end of a span, to the left", ({ desk }) => desk.move(towards(desk, -1), true)],
    [["Shift+ArrowRight"], "extend, or move the end of a span, to the right", ({ desk }) => desk.move(towards(desk, 1), true)],
    [["ArrowUp"], "a line up", ({ desk }) => desk.select(up(desk), up(desk))],
    [["ArrowDown"], "a line down", ({ desk }) => desk.select(down(desk), down(desk))],
    [["Home"], "first token of the line", ({ desk }) => goTo(desk, desk.paper.blockOf(desk.at).start)],
    [["End"], "last token of the line", ({ desk }) => goTo(desk, desk.paper.blockOf(desk.at).end - 1)],
    [["Ctrl+Home"], "first token", ({ desk }) => goTo(desk, 0)],
    [["Ctrl+End"], "last token", ({ desk }) => goTo(desk, desk.document.tokens.length - 1)],
    [["Tab"], "next suggestion", ({ desk }) => desk.seek(1)],
    [["Shift+Tab"], "suggestion before", ({ desk }) => desk.seek(-1)],
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
    [["Ctrl+Enter", "D"], "done, and on to the next", ({ page }) => page.finish()],
    [["N", "."], "the next that is worth most", ({ page }) => page.next()],
    [["B", ","], "back to the one before", ({ page }) => page.back()],
    [["Alt+ArrowDown"], "next in the list", ({ page }) => page.beside(1)],
    [["Alt+ArrowUp"], "before in the list", ({ page }) => page.beside(-1)],
    [["/"], "search", ({ page }) => page.search()],
    [["F"], "flag", ({ desk }) => desk.toggleFlag()],
    [["C"], "comment", ({ page }) => page.openNote()],
  ]],
  ["Views", [
    [["Q"], "question mode, on or off", ({ page }) => page.toggleQuestions()],
    [["M"], "to the menu", ({ page }) => page.toMenu()],
    [["Escape"], "to the text, nothing chosen", ({ page }) => page.toText()],
    [["?"], "these keys", ({ page }) => page.openHelp()],
  ]],
];

function goTo(desk, token) {
  desk.select(token, token);
}

const BY_KEY = new Map(COMMANDS.flatMap(([, rows]) => rows.flatMap(([keys, , run]) => keys.map((key) => [key, run]))));

/** The command of a key, if it has one. */
export const commandOf = (event) => BY_KEY.get(nameOf(event));

const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };

/** A key as it is written on keyboards. */
export const written = (key) =>
  key.split(/\+(?=.)/).map((part) => SIGNS[part] ?? (/^[A-Z]$/.test(part) ? `Shift+${part}` : part)).join("+");
