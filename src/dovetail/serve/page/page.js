// The page: text in, what is found out, as one types.

import { keepToken } from "./ask.js";
import { element } from "./elements.js";
import { listModels, tag } from "./service.js";
import { alternatives, draw } from "./text.js";
import { closeWhy, showWhy } from "./why.js";

const get = (id) => document.getElementById(id);
const [text, model, unit, decodings, results, status, card] =
  ["text", "model", "unit", "decodings", "results", "status", "card"].map(get);
const PAUSE = 250; // ms without a key before text is sent
const LONG = 20_000; // characters of a text of which only the labels are fetched
const N_BEST = 10;
let models = [];
let running = new AbortController();
let timer;

const chosen = () => models.find((one) => one.name === model.value);
const checked = () => [...decodings.querySelectorAll("input:checked")].map((box) => box.value);

function say(sentence, wrong = false) {
  status.textContent = sentence;
  status.classList.toggle("wrong", wrong);
}

async function start() {
  try {
    ({ models } = await listModels());
  } catch (refusal) {
    get("token-form").hidden = refusal.status !== 401;
    say(refusal.message, true);
    return;
  }
  get("token-form").hidden = true;
  model.replaceChildren(...models.map((one) => new Option(one.name)));
  offerDecodings();
  say("Paste text, or type.");
  send();
}

function offerDecodings() {
  const boxes = chosen().decodings.map((name, place) => {
    const box = element("input");
    Object.assign(box, { type: "checkbox", value: name, checked: place === 0 });
    return element("label", "", box, ` ${name}`);
  });
  decodings.replaceChildren(decodings.firstElementChild, ...boxes);
}

async function send() {
  clearTimeout(timer);
  running.abort();
  running = new AbortController();
  const { signal } = running;
  closeWhy();
  hideCard();
  if (!text.value.trim() || !models.length) {
    results.replaceChildren();
    return;
  }
  results.querySelectorAll(".result").forEach((one) => one.classList.add("stale"));
  const asked = { model: model.value, text: text.value, per_token: true };
  if (unit.value) asked.unit = unit.value;
  const own = chosen();
  if (text.value.length < LONG) {
    asked.marginals = true;
    if (own.kind === "tagger") asked.nbest = N_BEST;
  }
  const names = checked().length ? checked() : [own.decodings[0]];
  const begun = performance.now();
  try {
    const answers = await Promise.all(names.map((decode) => tag({ ...asked, decode }, signal)));
    results.replaceChildren(...answers.map((answer, k) => panel(answer.results[0], names[k], own)));
    say(`${Math.round(performance.now() - begun)} ms, ${own.name} ${answers[0].version}`);
  } catch (refusal) {
    if (refusal.name !== "AbortError") say(refusal.message, true);
  }
}

function panel(result, decoding, own) {
  const names = Object.keys(own.layers);
  const box = element("article", "result", element("h2", "", decoding));
  if (names.length > 1) {
    const shown = [...names].reverse().join(" above ");
    box.append(element("p", "quiet", shown));
  }
  const drawn = draw(result, names);
  const first = drawn.querySelector(".token");
  if (first) first.tabIndex = 0; // the others are reached by arrows
  const find = (token) => result.sequences[token.dataset.sequence];
  drawn.addEventListener("mouseover", ({ target }) => {
    const token = target.closest(".token") ?? target.closest("mark")?.querySelector(".token");
    if (token) showCard(token, find(token), names);
  });
  drawn.addEventListener("mouseleave", hideCard);
  drawn.addEventListener("focusin", ({ target }) => {
    if (target.matches(":focus-visible")) showCard(target, find(target), names);
  });
  drawn.addEventListener("focusout", hideCard);
  drawn.addEventListener("click", ({ target }) => askWhy(target.closest(".token"), result, own));
  drawn.addEventListener("keydown", (event) => moveOrAsk(event, drawn, result, own));
  box.append(drawn);
  return box;
}

function moveOrAsk(event, drawn, result, own) {
  const tokens = [...drawn.querySelectorAll(".token")];
  const place = tokens.indexOf(event.target);
  const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tokens.length - 1 }[event.key];
  if (tokens[to]) {
    event.target.tabIndex = -1;
    tokens[to].tabIndex = 0;
    tokens[to].focus();
  } else if (event.key === "Enter" || event.key === " ") {
    askWhy(event.target, result, own);
  } else {
    return;
  }
  event.preventDefault();
}

function askWhy(token, result, own) {
  if (!token) return;
  closeWhy();
  token.classList.add("asked");
  const asked = { text: result.text, sequence: +token.dataset.sequence, token: +token.dataset.token };
  if (unit.value) asked.unit = unit.value;
  showWhy(asked, own);
}

function showCard(token, sequence, names) {
  card.replaceChildren(alternatives(sequence, +token.dataset.token, names));
  card.hidden = false;
  const place = token.getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - card.offsetWidth - 8);
  const below = place.bottom + 6;
  const fits = below + card.offsetHeight < innerHeight || place.top < card.offsetHeight + 6;
  card.style.left = `${Math.max(4, left) + scrollX}px`;
  card.style.top = `${(fits ? below : place.top - card.offsetHeight - 6) + scrollY}px`;
}

function hideCard() {
  card.hidden = true;
}

text.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE);
});
model.addEventListener("change", () => {
  offerDecodings();
  send();
});
unit.addEventListener("change", send);
decodings.addEventListener("change", send);
get("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(get("token").value);
  start();
});
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  const token = document.querySelector(".token.asked");
  closeWhy();
  hideCard();
  token?.focus();
});
start();
