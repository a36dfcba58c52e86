// What is said of a document in one layer, and how a change alters it: as the server does it, so that
// a key need not wait for an answer. A rejected span without a label says that nothing is there.

export const EMPTY = { spans: [], rejected: [], done: false, flag: false, note: "" };

export const overlap = (one, other) => one.start < other.end && other.start < one.end;

/** The same for spans that say the same, however drawn. */
export const keyOf = (span) => `${span.start} ${span.end} ${span.label}`;

const without = (spans, gone) => {
  const keys = new Set(gone.map(keyOf));
  return spans.filter((span) => !keys.has(keyOf(span)));
};

const ordered = (spans) => [...spans].sort((a, b) => a.start - b.start || a.end - b.end);

/** An annotation after a change: {add, remove, reject, unreject, done, flag, note}. */
export function edited(annotation, change) {
  const { add = [], remove = [], reject = [], unreject = [] } = change;
  const kept = without(annotation.spans, [...remove, ...reject])
    .filter((span) => !add.some((one) => overlap(one, span)));
  const rejected = without(annotation.rejected, [...unreject, ...reject, ...add]);
  return {
    spans: ordered([...kept, ...add]),
    rejected: ordered([...rejected, ...reject]),
    done: change.done ?? annotation.done,
    flag: change.flag ?? annotation.flag,
    note: change.note ?? annotation.note,
  };
}

/** What is to be seen: the spans that a person set, and those that a model suggests beside them. */
export function shown(annotation, suggestions) {
  const reviewed = annotation.spans.map((span) => ({ ...span, reviewed: true, probability: 1 }));
  if (annotation.done) return reviewed;
  const taken = [...reviewed, ...annotation.rejected.filter((span) => !span.label)];
  const open = without(suggestions, annotation.rejected)
    .filter((span) => !taken.some((one) => overlap(one, span)));
  return ordered([...reviewed, ...open]);
}

/** The span that a token is in. */
export const covering = (spans, token) => spans.find((span) => span.start <= token && token < span.end);
