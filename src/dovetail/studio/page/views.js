// The other views: doubtful labels, agreement, and export. Progress and labels have files of their own.

import { changeSettings, compare, getAgreement, getExport, getSuspicious, post } from "./api.js";
import { element } from "./elements.js";
import { showLabels } from "./labels.js";
import { Paper } from "./paper.js";
import { button, sentence, table } from "./parts.js";
import { showProgress } from "./progress.js";

export const VIEWS = { progress: showProgress, doubts: showDoubts, agreement: showAgreement, labels: showLabels, export: showExport };

const context = ([before, match, after]) =>
  element("span", "context", element("span", "quiet", before), element("b", "", match), element("span", "quiet", after));

/** Labels that models doubt, the most doubtful first. */
async function showDoubts(box, page) {
  box.replaceChildren(element("h2", "", "Doubtful labels"), sentence("Models that did not see a document look at it."));
  const { items = [], message } = await getSuspicious(page.desk.layer.name);
  const list = element("ol", "cards");
  for (const one of items) list.append(doubt(one, page));
  box.replaceChildren(element("h2", "", "Doubtful labels"),
    sentence(message || "Models that did not see these documents are sure of something else."), list);
}

function doubt(one, page) {
  const card = element("li", "card");
  const layer = one.layer ?? page.desk.layer.name;
  const leave = () => card.remove();
  const take = button("Change it", async () => {
    const add = one.spans ?? (one.suggested ? [{ start: one.start, end: one.end, label: one.suggested }] : []);
    const remove = one.label ? [{ start: one.start, end: one.end, label: one.label }] : [];
    await page.outbox.emptied();
    try {
      await post(`api/documents/${one.document}/actions`, { layer, kind: "label", add, remove });
      if (page.desk.document?.id === one.document) await page.desk.reload();
      leave();
    } catch (problem) {
      page.complain(problem);
    }
  });
  const open = button("Open", () => page.go(one.document, { at: one }));
  const keep = button("It is right", leave);
  const sure = one.probability == null ? "" : ` (${Math.round(100 * one.probability)} %)`;
  card.append(element("p", "", element("b", "", one.name), " ", context(one.context ?? ["", "", ""])),
    element("p", "", `labelled ${one.label || "nothing"}; the models say ${said(one)}${sure}`),
    element("p", "buttons", take, keep, open));
  return card;
}

/** What models say in place of a label: the spans that they find there. */
function said({ spans = [], texts = [], suggested }) {
  if (!texts.length) return suggested || "nothing";
  return spans.map(({ label }, place) => `${label} “${texts[place]}”`).join(", ");
}

/** How far annotators agree, and where they do not. */
async function showAgreement(box, page) {
  const { pairs = [], alpha = {}, differences = [], annotators = [] } = await getAgreement();
  const number = (value) => (value == null ? "–" : value.toFixed(3));
  box.replaceChildren(element("h2", "", "Agreement"));
  if (!pairs.length) {
    box.append(sentence("Agreement needs documents that two annotators have done: dovetail label PROJECT " +
      "--annotator NAME, given once for each, prints their links."), element("p", "quiet", `Here: ${annotators.join(", ")}`));
    return;
  }
  box.append(table(["Annotators", "Layer", "Documents", "F1 of spans", "Cohen's κ of tokens"],
    pairs.map((pair) => [pair.annotators.join(", "), pair.layer, pair.documents, number(pair.f1), number(pair.kappa)])));
  for (const [layer, value] of Object.entries(alpha)) {
    box.append(sentence(`Krippendorff's α, ${layer}: ${number(value)}`));
  }
  box.append(element("h2", "", differences.length ? "Differences" : "No differences are left."));
  const list = element("ol", "cards");
  for (const one of differences) list.append(difference(one, page));
  box.append(list);
}

function difference(one, page) {
  const card = element("li", "card", element("p", "", element("b", "", one.name), ` ${one.layer}`));
  for (const [annotator, spans] of Object.entries(one.annotations)) {
    const said = spans.map((span) => element("span", "said", element("b", "", span.label), ` ${span.text}`));
    const row = element("p", "settle", element("span", "who", annotator), ...(said.length ? said : [element("span", "quiet", "nothing")]));
    row.append(button(`As ${annotator}`, async () => {
      try {
        await post("api/settle", { document: one.document, layer: one.layer, annotator });
        if (page.desk.document?.id === one.document) await page.desk.reload();
        card.remove();
      } catch (problem) {
        page.complain(problem);
      }
    }));
    card.append(row);
  }
  const texts = element("div", "texts");
  const look = button("Show both", async () => {
    try {
      texts.replaceChildren(...comparison(await compare(one.document, one.layer), page));
      look.remove();
    } catch (problem) {
      page.complain(problem);
    }
  });
  card.append(element("p", "buttons", look, button("Open mine", () => page.go(one.document))), texts);
  return card;
}

/** The text as each annotator labelled it; tokens on which somebody differs are marked. */
function comparison(found, page) {
  const { labels } = page.project.layers.find(({ name }) => name === found.layer);
  const hues = new Map(labels.map(({ name, hue }) => [name, hue]));
  return Object.entries(found.annotations).flatMap(([annotator, { spans }]) => {
    const box = element("div", "compared");
    const paper = new Paper(box);
    const reviewed = spans.map((span) => ({ ...span, reviewed: true, probability: 1 }));
    paper.open(found, [{ name: found.layer, spans: reviewed, rejected: [], hues }]);
    for (const token of found.differing) paper.nodes[token].classList.add("differs");
    return [element("h3", "", annotator), box];
  });
}

/** Downloads, and by what the next document is chosen. */
async function showExport(box, page) {
  const { formats = ["conll", "jsonl"], strategies = [], strategy } = page.project;
  const names = formats.map((one) => (typeof one === "string" ? { name: one } : one));
  const rows = names.map(({ name, title }) => element("p", "export", element("b", "", title ?? name), " ",
    button("done documents", () => download(name, "done", page)), " ",
    button("all documents", () => download(name, "all", page))));
  box.replaceChildren(element("h2", "", "Export"), ...rows);
  box.append(element("h2", "", "Model"), ...finishing(page));
  if (strategies.length) box.append(element("h2", "", "What comes next"), strategyChoice(strategies, strategy, page));
}

/** A model of all that is done, with the recipe that makes it again. */
function finishing(page) {
  const report = element("p", "report", "Nothing was trained yet.");
  report.role = "status";
  report.hidden = true;
  const train = button("Train and save", async () => {
    train.disabled = true;
    report.hidden = false;
    report.textContent = "Training on all that is done; this may take minutes.";
    try {
      await page.outbox.emptied();
      report.textContent = (await post("api/finish", {})).text;
    } catch (problem) {
      report.textContent = problem.message;
    }
    train.disabled = false;
  });
  return [element("p", "", train, " with its data and a recipe, in the project's folder"), report];
}

function strategyChoice(strategies, strategy, page) {
  const options = strategies.map((one) => {
    const { name, title = name } = typeof one === "string" ? { name: one } : one;
    return new Option(title, name, false, name === strategy);
  });
  const select = element("select", "", ...options);
  select.addEventListener("change", async () => {
    try {
      await changeSettings({ strategy: select.value });
      page.project.strategy = select.value;
    } catch (problem) {
      page.complain(problem);
    }
  });
  return element("label", "", "Why a document is the next: ", select);
}

async function download(format, what, page) {
  try {
    const response = await getExport({ format, what });
    const told = /filename="?([^";]+)"?/.exec(response.headers.get("content-disposition") ?? "");
    const link = element("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = told?.[1] ?? `${page.project.name}.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (problem) {
    page.complain(problem);
  }
}
