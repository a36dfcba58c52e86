// What pages are built from. No text ever becomes markup.

/** An element with classes and children; strings among these become text. */
export function element(name, classes, ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

/** A colour that a label always has, the same as in notebooks and on the terminal: a CRC-32. */
export function hue(label) {
  let crc = -1;
  for (const byte of new TextEncoder().encode(label)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0) % 360;
}

/** A probability to three digits. */
export const share = (probability) => (probability < 0.0005 ? "< 0.001" : probability.toFixed(3));

/** Gives a node a colour, as strong as what it shows is probable. */
export function tint(node, hue, probability) {
  node.style.setProperty("--hue", hue);
  node.style.setProperty("--strength", (0.15 + 0.55 * probability).toFixed(2));
}
