"""The show: a little labelled text, an old tagger for something else, and what both give."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding

from dovetail import Pipeline, Tagger
from dovetail.compare import Summary
from dovetail.corpus import read_conll, read_text
from dovetail.demo import path
from dovetail.demo.comparison import DemoComparison, open_report, why_no_report
from dovetail.demo.drawing import mean_f1, score_table, with_probabilities
from dovetail.errors import DovetailError

RAW_LINES = (4, 10, 26, 31, 38, 39, 8)  # of unlabelled.txt; the last one is a trap
SYSTEMS = {"none": "alone", "auto": "auto"}


def run(console: Console, report: Path) -> None:
    """Compare, tag raw text, and write a report with its results beside it."""
    show_comparison(console, report)
    show_raw_text(console)
    console.print(what_next(), highlight=False, markup=False, soft_wrap=True)


def show_comparison(console: Console, report: Path) -> None:
    """The new labels alone, and with the old tagger by `auto`: one table, and a report."""
    _say(console, "A little labelled text, and an old tagger for a related task", style="bold")
    _say(
        console,
        "New: the fields of a talk (speaker, place, times, title), labelled in a few\n"
        "lines of announcements. Old: a tagger for names in news. All text is made up.\n\n"
        "F1 on 200 other lines, for a tagger trained on the new lines alone and for\n"
        "auto, which decides by cross-validation how far to trust the old tagger:\n",
    )
    try:
        comparison = DemoComparison(report.with_suffix(".jsonl"))
        results = comparison.run(console)
        summary = comparison.summarize(results)
        console.print(score_table(summary, SYSTEMS))
        _say(console, f"\n{describe_saving(summary)}")
        if reason := why_no_report():
            _say(console, f"There is no HTML report, as {reason}")
            return
        comparison.write_report(results, summary, report)
    except DovetailError as error:
        _say(console, f"There is no comparison: {error}")
        return
    _say(console, f"The report, with the learning curve: {report.absolute()}")
    open_report(report, console)


def describe_saving(summary: Summary) -> str:
    """How many lines `auto` needs for what the tagger alone reaches with all, if fewer."""
    sizes = sorted(summary.sizes)
    alone = mean_f1(summary, "none", sizes[-1])
    enough = next((size for size in sizes if mean_f1(summary, "auto", size) >= alone), None)
    if enough is None or enough == sizes[-1]:
        return f"The tagger trained alone on {sizes[-1]} lines is as good as auto."
    return f"auto with {enough} lines is at least as good as the tagger alone with {sizes[-1]}."


def show_raw_text(console: Console) -> None:
    """Spans of lines that nobody has labelled, by taggers with more text to learn from."""
    train = read_conll(path("train.conll"), ["word", "fields"])
    lines = read_text(path("unlabelled.txt")).select(RAW_LINES)
    _say(console, f"\nRaw text, tagged after training on {len(train)} labelled lines", style="bold")
    _say(console, "Each span has its probability; those with a low one deserve a second look.")
    with console.status("training"):
        names = Tagger().fit(read_conll(path("news.conll"), ["word", "ner"]))
        pipeline = Pipeline({"ner": names, "fields": Tagger()}).fit({"fields": train})
        taggings = pipeline.tag(lines)
    for line, tagging in zip(lines, taggings, strict=True):
        text = with_probabilities(line, tagging.layers["fields"].spans)
        console.print(Padding(text, (0, 0, 0, 2), expand=False))


def what_next() -> str:
    """Commands to go on with, as they can be typed here."""
    script = _from_here(Path(sys.executable).parent / "dovetail")
    data = _from_here(path("recipe.toml").parent)
    return (
        "\nTry next:\n"
        f"  {script} train {data / 'recipe.toml'} --model talks.dovetail\n"
        "  echo 'Talk by Dr. Ada Osei today at 4:30 pm' | "
        f"{script} tag talks.dovetail --format text\n"
        f"  {script} compare {data / 'compare.toml'} --html talks.html --results talks.jsonl\n"
        "Then write a recipe of your own: copy this one, and name your files."
    )


def _say(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, highlight=False, markup=False)


def _from_here(target: Path) -> Path:
    here = Path.cwd()
    return target.relative_to(here) if target.is_relative_to(here) else target
