// What opens above the page: the keys, a comment, and the same string everywhere.

import { post } from "./api.js";
import { element } from "./elements.js";
import { COMMANDS, written } from "./keys.js";
import { button } from "./parts.js";

const dialog = document.getElementById("dialog");

function show(title, ...content) {
  const heading = element("h2", "", title);
  heading.id = "dialog-title";
  const close = button("Close", () => dialog.close());
  dialog.replaceChildren(element("div", "dialog-head", heading, close), ...content);
  if (!dialog.open) dialog.showModal();
}

/** All keys; `labels` are those of the layer. */
export function showKeys(labels) {
  const own = labels.filter(({ key }) => key).map(({ name, key }) => [[key], name]);
  const groups = [["Give a label", own], ...COMMANDS].map(([title, rows]) =>
    element("section", "", element("h3", "", title), element("dl", "", ...rows.flatMap(rowOf))));
  const mouse = element("p", "quiet",
    "Mouse: click a token or drag over several, then click a label. Alt and drag chooses characters. " +
    "A double click accepts a suggestion.");
  show("Keys", element("div", "keys", ...groups), mouse);
}

function rowOf([keys, what]) {
  const signs = keys.flatMap((key, place) => [...(place ? [" "] : []), element("kbd", "", written(key))]);
  return [element("dt", "", ...signs), element("dd", "", what)];
}

/** Ask for a comment on the document. */
export function askForNote(note, keep) {
  const area = element("textarea");
  Object.assign(area, { value: note, rows: 5, id: "note-text", maxLength: 10_000 });
  area.setAttribute("aria-label", "Comment on this document");
  const save = () => {
    keep(area.value.trim());
    dialog.close();
  };
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  });
  show("Comment", area, element("p", "buttons", button("Keep", save, "main"), " ", element("kbd", "", "Ctrl+Enter")));
  area.focus();
}

/** Where a string is, and one label for all of these places: shown first, then done. */
export async function showRule({ layer, text, label }, { labels, names, applied }) {
  const choice = element("select", "", ...labels.map((one) => new Option(one, one, false, one === label)));
  const places = element("div", "places", element("p", "quiet", "Looking for it"));
  const apply = button("Label all of them", run, "main");
  let matches = [];
  const look = async () => {
    apply.disabled = true;
    ({ matches } = await post("api/rule", { layer, text, label: choice.value, dry: true }));
    places.replaceChildren(listOf(matches, names));
    apply.disabled = !matches.length;
    apply.focus();
  };
  async function run() {
    apply.disabled = true;
    await attempt(() => post("api/rule", { layer, text, label: choice.value, dry: false }));
    dialog.close();
    applied(matches);
  }
  const attempt = async (request) => {
    try {
      return await request();
    } catch (refusal) {
      places.replaceChildren(element("p", "wrong", refusal.message));
      throw refusal;
    }
  };
  choice.addEventListener("change", () => attempt(look));
  show(`“${text}” everywhere`, element("label", "", "is ", choice), places,
    element("p", "buttons", apply, element("span", "quiet", "One undo takes all of it back.")));
  await attempt(look);
}

const MOST_SHOWN = 100;

function listOf(matches, names) {
  if (!matches.length) return element("p", "quiet", "It stands nowhere else without this label.");
  const items = matches.slice(0, MOST_SHOWN).map((match) =>
    element("li", "", element("b", "", match.name ?? names(match.document)), " ",
      ...(match.context ? contextOf(match.context) : [])));
  const rest = matches.length - MOST_SHOWN;
  const more = rest > 0 ? [element("p", "quiet", `and ${rest} more`)] : [];
  const count = matches.length === 1 ? "One place" : `${matches.length} places`;
  return element("div", "", element("p", "", count), element("ul", "", ...items), ...more);
}

/** The text before, of, and after a match. */
const contextOf = ([before, match, after]) => [element("span", "quiet", before), element("strong", "", match), element("span", "quiet", after)];
