"""The demo: train on the shipped corpus, score the model, show what it finds in new text."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dovetail import Tagger
from dovetail.chain.tagging import Tagging
from dovetail.cli.progress import duration, show_progress
from dovetail.corpus import Corpus, Sequence, read_conll, read_text
from dovetail.demo import path
from dovetail.evaluate import Report, bootstrap, evaluate

EXAMPLES = (4, 8, 10, 14, 21, 26, 31, 39)  # sequences of unlabelled.txt: easy ones and traps
COLOURS = {
    "SPEAKER": "bright_cyan",
    "LOCATION": "bright_green",
    "STIME": "bright_yellow",
    "ETIME": "bright_magenta",
    "DATE": "bright_blue",
    "TITLE": "bright_red",
}


def run(console: Console) -> None:
    """Train, score, show."""
    train, test = read_conll(path("train.conll")), read_conll(path("test.conll"))
    console.print(
        f"Training on {len(train):,} lines ({train.n_tokens:,} tokens) of made-up announcements: "
        "who speaks, where, when, on what.",
        highlight=False,
    )
    tagger = train_tagger(train)
    console.print(
        f"{tagger.n_features_:,} features, {tagger.n_weights_:,} weights, "
        f"{duration(tagger.history_[-1].seconds)}; stopped: {tagger.stopped_}\n",
        highlight=False,
    )
    console.print(f"Scores on {len(test)} lines it has not seen, many names and titles among them:")
    report = evaluate(test.lists("label"), tagger.predict(test))
    console.print(score_table(report))
    interval = bootstrap(report)
    console.print(
        f"F1 {100 * interval.score:.1f}, in 95% of resamples between {100 * interval.low:.1f} "
        f"and {100 * interval.high:.1f}\n",
        highlight=False,
    )
    console.print("What it finds in raw text, and how probable each find is:\n")
    unlabelled = read_text(path("unlabelled.txt"))
    examples = unlabelled.select(EXAMPLES)
    for sequence, tagging in zip(examples, tagger.tag(examples), strict=True):
        console.print(Padding(coloured(sequence, tagging), (0, 0, 0, 2)))
    console.print(f"\n{what_next()}", highlight=False, markup=False, soft_wrap=True)


def train_tagger(corpus: Corpus) -> Tagger:
    """A tagger with the default features, and only legal sequences of labels."""
    tagger = Tagger(c2=0.1, constraints="auto")
    with show_progress(tagger.settings["tolerance"], None) as display:
        display.doing("indexing features")
        return tagger.fit(corpus, callback=display)


def score_table(report: Report) -> Table:
    """Precision, recall and F1 of each field."""
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column("")
    for name in ("precision", "recall", "F1", "in the text"):
        table.add_column(name, justify="right")
    for name, counts in [*report.labels.items(), ("all", report.micro)]:
        scores = (counts.precision, counts.recall, counts.f1)
        cells = [f"{100 * score:.1f}" for score in scores]
        table.add_row(Text(name, style=COLOURS.get(name, "bold")), *cells, str(counts.support))
    return table


def coloured(sequence: Sequence, tagging: Tagging) -> Text:
    """A text with its spans in colour, each with its label and its probability."""
    text, offsets = sequence.text or "", sequence.offsets
    assert offsets is not None  # plain text always has them
    line = Text()
    at = 0
    for first, after, label, probability in tagging.spans:
        start, end = int(offsets[first][0]), int(offsets[after - 1][1])
        line.append(text[at:start])
        line.append(f"[{label} ", style=f"dim {COLOURS[label]}")
        line.append(text[start:end], style=f"bold {COLOURS[label]}")
        line.append(f" {probability:.2f}]", style=f"dim {COLOURS[label]}")
        at = end
    line.append(text[at:])
    return line


def what_next() -> str:
    """Commands to go on with, as they can be typed here."""
    script = _from_here(Path(sys.executable).parent / "dovetail")
    data = _from_here(path("train.conll").parent)
    return (
        "Try next:\n"
        f"  {script} train {data / 'train.conll'} --model talks.dovetail\n"
        f"  {script} eval talks.dovetail {data / 'test.conll'}\n"
        f"  echo 'Talk by Dr. Ada Osei at 3 pm' | {script} tag talks.dovetail --format text\n"
        f"  {script} info talks.dovetail\n"
        "and then your own files: two columns or more, the label last, a blank line between "
        "sequences."
    )


def _from_here(target: Path) -> Path:
    here = Path.cwd()
    return target.relative_to(here) if target.is_relative_to(here) else target


if __name__ == "__main__":
    run(Console())
