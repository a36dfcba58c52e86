"""The show: a tagger of names in news and one of fields in announcements, put together."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding

from dovetail import Tagger
from dovetail.cli.task_progress import show_tasks
from dovetail.compare import Summary
from dovetail.compare.formatting import format_difference, format_percent
from dovetail.compare.table import for_terminal
from dovetail.corpus import Corpus, read_conll, read_text
from dovetail.demo import path
from dovetail.demo.changes import Labels, changed_lines, counted, drawn, examples
from dovetail.demo.comparison import Compared, summary_of, why_no_report
from dovetail.demo.drawing import score_table, with_probabilities
from dovetail.errors import DovetailError
from dovetail.evaluate import Report, evaluate
from dovetail.pipeline import Pipeline
from dovetail.pipeline.decode.single import missing
from dovetail.recipe import Recipe
from dovetail.units import format_duration

RAW_LINES = (4, 8, 10, 14, 21, 26, 31, 39)  # of unlabelled.txt: easy ones and traps
EACH = 3  # mended lines shown, and broken ones
EXPLAINED = """\
  none     the tagger of fields alone, trained and used without the names
  cascade  the tagger of names answers first; that of fields reads its answer
  joint    the same two taggers, but names and fields are decided together"""


def run(console: Console, report: Path) -> None:
    """Train, compare, show, and write a report with its results beside it."""
    show = Show(console)
    show.train()
    show.scores()
    show.changes()
    show.raw_text()
    show.comparison(report)
    console.print(what_next(), highlight=False, markup=False, soft_wrap=True)


class Show:
    """The parts of the show in their order, and what they hand on."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.recipe = Recipe.read(path("recipe.toml"))
        self.corpora = self.recipe.corpora()
        self.test = read_conll(path("test.conll"))
        self.found: dict[str, Labels] = {}
        self.reports: dict[str, Report] = {}

    def say(self, text: str = "", style: str | None = None) -> None:
        """Print as it is."""
        self.console.print(text, style=style, highlight=False, markup=False)

    def title(self, text: str) -> None:
        """Open a part of the show."""
        self.say()
        self.say(text, "bold")

    def train(self) -> None:
        """Both taggers, as the recipe has them."""
        news, few = self.corpora["ner"], self.corpora["fields"]
        self.title(f"1. A tagger for names in news, and {len(few)} labelled lines of announcements")
        self.say("All data is made up by us: no person, place or talk in it exists.")
        self.pipeline = trained(self.recipe, self.corpora)
        self.pipeline_without = trained_without_names(self.recipe, self.corpora)
        for name, corpus in (("ner", news), ("fields", few)):
            tagger = self.pipeline[name]
            self.say(
                f"  {name:7}  learnt from {len(corpus):,} lines, {corpus.n_tokens:,} tokens: "
                f"{tagger.n_weights_:,} weights, {format_duration(tagger.history_[-1].seconds)}"
            )

    def scores(self) -> None:
        """The three systems on text that none has seen."""
        self.title(f"2. Do the names help? F1 by field, on {len(self.test)} other lines")
        self.say(EXPLAINED)
        self.found = {
            "none": self.pipeline_without.predict(without_names(self.test)),
            "cascade": self.pipeline.predict(self.test, decode="cascade")["fields"],
            "joint": self.pipeline.predict(self.test, decode="joint")["fields"],
        }
        gold = self.test.lists("label")
        self.reports = {name: evaluate(gold, found) for name, found in self.found.items()}
        self.say()
        self.console.print(score_table(self.reports))
        self.say(
            f"\n{difference('cascade', 'none', self.reports)}, "
            f"{difference('joint', 'cascade', self.reports)}. That is one training file and one "
            "test file; part 5 has more."
        )

    def changes(self) -> None:
        """Where the two decodings part, and why."""
        cascade, joint = self.found["cascade"], self.found["joint"]
        changes = changed_lines(cascade, joint, self.reports["cascade"], self.reports["joint"])
        self.title("3. Where joint decoding changes the answer of the cascade")
        self.say(counted(changes, len(self.test)))
        shown = examples(changes, EACH)
        if shown:
            self.say(
                f"At most {EACH} better and {EACH} worse ones, evenly spread over the file, each "
                "with the feature that spoke most for the change:"
            )
        for change in shown:
            self.say()
            table = drawn(change, self.pipeline, self.test, cascade, joint)
            self.console.print(Padding(table, (0, 0, 0, 2)))

    def raw_text(self) -> None:
        """Spans of lines that nobody has labelled."""
        self.title("4. What joint decoding finds in raw text, and how probable each find is")
        lines = read_text(path("unlabelled.txt")).select(RAW_LINES)
        for line, tagging in zip(lines, self.pipeline.tag(lines, decode="joint"), strict=True):
            text = with_probabilities(line, tagging.layers["fields"].spans)
            self.console.print(Padding(text, (0, 0, 0, 2)))

    def comparison(self, report: Path) -> None:
        """Several splits and sizes, as a table and as a report."""
        self.title("5. The same on random splits, with more and with fewer lines to learn from")
        try:
            compared = Compared(report.with_suffix(".jsonl"))
            self.say(f"Comparing {compared.planned}.")
            if compared.is_done:
                self.say(f"All results are in {compared.store.path} from an earlier run.")
            results = compared.run()
            summary = summary_of(results)
            self.say()
            self.console.print(for_terminal(summary), highlight=False)
            self.say(f"\n{gains(summary, 'cascade', 'none')}")
            self.say(gains(summary, "joint", "cascade"))
            self.say(gains(summary, "auto", "none"))
            self.say(
                "auto  a tagger that reads the names, and the names mapped, weighed on "
                "its own training text\n"
            )
            if reason := why_no_report():
                self.say(f"There is no HTML report, as {reason}")
                return
            compared.write_report(results, summary, report)
        except DovetailError as error:
            self.say(f"There is no comparison: {error}")
            return
        self.say(f"The report, with curves and examples, is {report.absolute()}")
        self.say(f"(its numbers are kept in {compared.store.path}, so a second run is quick)")


def trained(recipe: Recipe, corpora: dict[str, Corpus]) -> Pipeline:
    """The pipeline of a recipe, with progress shown."""
    pipeline = recipe.pipeline(corpora)

    def limits(task: str) -> tuple[float, int | None]:
        return pipeline[task].tolerance, pipeline[task].max_iterations

    with show_tasks(limits) as display:
        display.announce("indexing features")
        return recipe.train(pipeline, corpora, display)


def trained_without_names(recipe: Recipe, corpora: dict[str, Corpus]) -> Tagger:
    """The tagger of fields by itself: the column of names is empty."""
    tagger: Tagger = recipe.pipeline(corpora)["fields"]
    return tagger.fit(without_names(corpora["fields"]), label="label")


def without_names(corpus: Corpus) -> Corpus:
    """A corpus in which the tagger of names has said nothing."""
    return corpus.with_column("ner", missing(corpus))


def difference(system: str, against: str, reports: dict[str, Report]) -> str:
    """By how much a system is better or worse than another, as the table shows it."""
    one, other = (float(format_percent(reports[name].micro.f1)) for name in (system, against))
    if one == other:
        return f"{system} scores as {against} does"
    return f"{system} is {abs(one - other):.1f} {'above' if one > other else 'below'} {against}"


def gains(summary: Summary, system: str, against: str) -> str:
    """By how much a system is better or worse than another at each size."""
    found = [(size, summary.difference(system, against, size)) for size in summary.sizes]
    shown = (f"{format_difference(one.mean)} with {size}" for size, one in found if one is not None)
    return f"{system} against {against}: {', '.join(shown)} {summary.unit}"


def what_next() -> str:
    """Commands to go on with, as they can be typed here."""
    script = _from_here(Path(sys.executable).parent / "dovetail")
    data = _from_here(path("recipe.toml").parent)
    return (
        "\nTry next:\n"
        f"  {script} train {data / 'recipe.toml'} --model talks.dovetail\n"
        f"  echo 'Talk by Dr. Ada Osei at 3 pm' | {script} tag talks.dovetail --format text "
        "--decode joint\n"
        f"  {script} info talks.dovetail\n"
        f"  {script} compare {data / 'compare.toml'} --html talks.html --results talks.jsonl\n"
        "and then a recipe of your own: copy this one, and name your files."
    )


def _from_here(target: Path) -> Path:
    here = Path.cwd()
    return target.relative_to(here) if target.is_relative_to(here) else target
