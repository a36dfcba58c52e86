// Places in a text: the server counts code points, JavaScript UTF-16 units. They differ after an emoji.

export class Points {
  constructor(text) {
    this.text = text;
    this.units = null; // of each code point, where any has two
    if (/[\ud800-\udbff]/.test(text)) {
      this.units = [];
      for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) this.units.push(unit);
      this.units.push(text.length);
    }
  }

  /** The text between two code points. */
  slice(start, end) {
    return this.units ? this.text.slice(this.units[start], this.units[end]) : this.text.slice(start, end);
  }

  get length() {
    return this.units ? this.units.length - 1 : this.text.length;
  }
}

/** How many code points the first units of a text are. */
export const pointsIn = (text, units) => Array.from(text.slice(0, units)).length;
