// Plain charts, drawn as SVG.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, ROOM] = [560, 240, 44, 30, 16];

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Round numbers from 0 to at least `most`, at most six. */
function ticks(most) {
  const size = 10 ** Math.floor(Math.log10(most || 1));
  const step = [0.2, 0.5, 1, 2, 5].map((one) => one * size).find((one) => most / one <= 5) ?? size;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, place) => +(place * step).toPrecision(6));
}

/**
 * A chart of `lines`, each {points: [[x, y]], kind}, and perhaps a `band` of [[x, low, high]], with
 * titles of both axes and what it shows as a sentence.
 */
export function chart({ lines, band = [], x, y, sentence, across, high }) {
  const points = [...lines.flatMap((line) => line.points), ...band.flatMap(([at, , to]) => [[at, to]])];
  const xTicks = ticks(across ?? Math.max(...points.map(([at]) => at)));
  const yTicks = ticks(high ?? Math.max(...points.map(([, value]) => value)));
  const toX = (value) => LEFT + (value / xTicks.at(-1)) * (WIDTH - LEFT - ROOM);
  const toY = (value) => HEIGHT - BOTTOM - (value / yTicks.at(-1)) * (HEIGHT - BOTTOM - ROOM);
  const drawn = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": sentence });
  for (const value of yTicks) {
    drawn.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - ROOM, y1: toY(value), y2: toY(value) }));
    drawn.append(shape("text", { x: LEFT - 6, y: toY(value) + 4, "text-anchor": "end" }, value));
  }
  for (const value of xTicks) {
    drawn.append(shape("text", { x: toX(value), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, value));
  }
  drawn.append(shape("text", { x: WIDTH - ROOM, y: HEIGHT - 3, "text-anchor": "end" }, x));
  drawn.append(shape("text", { x: LEFT + 4, y: ROOM + 4 }, y));
  const path = (pairs) => pairs.map(([at, value]) => `${toX(at).toFixed(1)},${toY(value).toFixed(1)}`).join(" ");
  if (band.length) {
    const around = [...band.map(([at, low]) => [at, low]), ...[...band].reverse().map(([at, , to]) => [at, to])];
    drawn.append(shape("polygon", { class: "band", points: path(around) }));
  }
  for (const { points: pairs, kind } of lines) {
    drawn.append(shape("polyline", { class: kind, points: path(pairs) }));
    if (kind === "measured") {
      for (const [at, value] of pairs) drawn.append(shape("circle", { cx: toX(at), cy: toY(value), r: 3 }));
    }
  }
  return drawn;
}
