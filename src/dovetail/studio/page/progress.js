// How far it has come: the score with its interval, the curve, what is to be expected, and the time.

import { getProgress } from "./api.js";
import { chart } from "./chart.js";
import { element } from "./elements.js";
import { sentence, table } from "./parts.js";

const points = (value) => (value == null ? "–" : (100 * value).toFixed(1));

export async function showProgress(box, page) {
  const found = await getProgress(page.desk.layer.name);
  const { counts } = page.project;
  const tiles = [tile(`${counts.done} of ${counts.documents}`, "documents done")];
  const { score } = found;
  if (score) tiles.unshift(tile(points(score.f1), `F1, between ${points(score.low)} and ${points(score.high)}`));
  if (found.time) tiles.push(tile(`${Math.round(found.time.median_seconds)} s`, "a document (median)"));
  box.replaceChildren(element("h2", "", "Progress"), element("div", "tiles", ...tiles));
  const notes = [found.message, score?.note, found.forecast?.sentence, found.gain?.sentence];
  box.append(...notes.filter(Boolean).map(sentence));
  if (found.curve?.length > 1) box.append(curve(found));
  if (found.labels?.length) {
    box.append(element("h2", "", "By label"), table(["Label", "F1", "Precision", "Recall", "Spans"],
      found.labels.map((one) => [one.label, points(one.f1), points(one.precision), points(one.recall), one.spans])));
  }
  if (found.calibration?.bins?.length) box.append(element("h2", "", "Calibration"), calibration(found.calibration));
  if (found.time?.curve?.length > 1) box.append(element("h2", "", "Time"), times(found.time.curve));
}

function tile(value, what) {
  return element("div", "tile", element("strong", "", value), element("span", "quiet", what));
}

function curve({ curve: measured, forecast }) {
  const lines = [{ kind: "measured", points: measured.map((one) => [one.documents, 100 * one.f1]) }];
  if (forecast?.points?.length) {
    lines.push({ kind: "forecast", points: forecast.points.map((one) => [one.documents, 100 * one.f1]) });
  }
  const last = measured.at(-1);
  return chart({
    lines,
    band: measured.filter((one) => one.low != null).map((one) => [one.documents, 100 * one.low, 100 * one.high]),
    x: "documents done", y: "F1", high: 100,
    sentence: `F1 is ${points(last.f1)} after ${last.documents} documents`,
  });
}

function calibration({ bins, error }) {
  const kept = bins.filter((one) => one.count);
  const drawn = chart({
    lines: [
      { kind: "ideal", points: [[0, 0], [100, 100]] },
      { kind: "measured", points: kept.map((one) => [100 * one.predicted, 100 * one.correct]) },
    ],
    x: "probability, %", y: "correct, %", across: 100, high: 100,
    sentence: "Probabilities that models said, and how many of these suggestions were right",
  });
  const off = error == null ? [] : [sentence(`Off by ${points(error)} points on average.`)];
  return element("div", "", drawn, ...off);
}

function times(measured) {
  return chart({
    lines: [{ kind: "measured", points: measured.map((one) => [one.documents, one.seconds]) }],
    x: "documents done", y: "seconds a document",
    sentence: "How long a document took",
  });
}
