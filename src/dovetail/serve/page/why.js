// Why a word got its label: what each feature and each neighbour spoke for and against it.

import { element, share } from "./elements.js";
import { explain } from "./service.js";

const box = document.getElementById("why");
let latest = 0; // answers to older questions are not shown

export function closeWhy() {
  latest += 1;
  box.hidden = true;
  document.querySelector(".token.asked")?.classList.remove("asked");
}

/** Ask about a token: `asked` says which, of which text and model. */
export async function showWhy(asked, model, choice = {}) {
  latest += 1;
  const question = latest;
  const layer = choice.layer ?? model.explains.at(-1);
  if (!layer) {
    box.replaceChildren(element("p", "quiet", "No layer of this model can be explained."));
    box.hidden = false;
    return;
  }
  const request = { ...asked, model: model.name, layer, top: 12 };
  if (choice.whyNot) request.why_not = choice.whyNot;
  let title;
  let reasons = "";
  try {
    const { tokens: [token] } = await explain(request);
    title = heading(token);
    reasons = table(token.contributions);
  } catch (refusal) {
    title = element("h2", "", refusal.message);
  }
  if (question !== latest) return;
  const close = element("button", "", "Close");
  close.type = "button";
  close.addEventListener("click", closeWhy);
  box.replaceChildren(element("div", "head", title, ...controls(asked, model, layer, choice), close), reasons);
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
}

function heading(token) {
  const shares = `${share(token.probability)} rather than ${token.rival} ${share(token.rival_probability)}`;
  const word = token.word == null ? [] : [`${token.word}: `];
  return element("h2", "", ...word, element("strong", "", token.label), ` ${shares}`);
}

function controls(asked, model, layer, choice) {
  const made = [];
  if (model.explains.length > 1) {
    const again = (name) => showWhy(asked, model, { layer: name });
    made.push(menu("Layer", model.explains, layer, again));
  }
  const labels = ["strongest rival", ...model.layers[layer].labels];
  const again = (label) => showWhy(asked, model, { layer, whyNot: label === labels[0] ? null : label });
  made.push(menu("against", labels, choice.whyNot ?? labels[0], again));
  return made;
}

function menu(name, values, chosen, change) {
  const select = element("select", "", ...values.map((value) => new Option(value, value, false, value === chosen)));
  select.addEventListener("change", () => change(select.value));
  return element("label", "", `${name} `, select);
}

function table(contributions) {
  const most = Math.max(...contributions.map((one) => Math.abs(one.margin)), 1e-9);
  const rows = contributions.map(({ source, margin }) => {
    const weight = element("span", `weight ${margin < 0 ? "against" : "for"}`);
    weight.style.width = `${(100 * Math.abs(margin)) / most}%`;
    const signed = `${margin < 0 ? "−" : "+"}${Math.abs(margin).toFixed(2)}`;
    return element("tr", "",
      element("td", "share", weight), element("td", "number", signed), element("td", "source", source));
  });
  return element("table", "", element("tbody", "", ...rows));
}
