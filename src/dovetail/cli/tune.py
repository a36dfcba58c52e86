"""``dovetail tune``: parameters of a tagger, or strengths of a representation, chosen by the
likelihood of labels."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from rich.console import Console

from dovetail.base.parameters import parameters_of
from dovetail.cli.clusters import cluster_option, open_workers
from dovetail.cli.compare import show_cells
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.inputs import CRFSUITE, Source, input_options, read_all
from dovetail.cli.represent import NAME, WORDS_AND_EM
from dovetail.cli.represent import SETTINGS as REPRESENTED
from dovetail.cli.settings import help_with_default, setting_option, setting_options
from dovetail.cli.targets import check_default_outputs, check_outputs, force_option
from dovetail.cli.templates import load_template, named_file, template_options
from dovetail.cli.tune_tagger import KIND, OWN, make_tagger_tuning
from dovetail.cli.tuned_recipe import recipe_text, tagger_recipe_text
from dovetail.compare import Cell, Plan, Store, run
from dovetail.compare.tagger_tuning import FOLDS, TaggerTuning
from dovetail.compare.tuning import STRENGTHS, Tuning, TuningData
from dovetail.compare.tuning_plot import check_tuning_plot, draw_tuning_plot
from dovetail.compare.tuning_results import (
    CRITERIA,
    Criterion,
    TuningResult,
    average_folds,
    find_best_point,
    rank_results,
)
from dovetail.compare.tuning_table import DEFAULT_PARAMETERS, as_text, for_terminal
from dovetail.errors import DataError
from dovetail.io.files import atomic_write
from dovetail.recipe.schema.representations import RANDOM_SEED
from dovetail.recipe.schema.tagger import TAGGER
from dovetail.recipe.schema.values import Integer
from dovetail.representation.bias.registry import OFFERED
from dovetail.representation.build import KINDS, select_text

COUNT = click.IntRange(1)
SETTINGS = ("name", *WORDS_AND_EM, "scaling", "evaluations", "seed", "soft")
C2 = parameters_of(Tuning)["c2"]
KEPT = "tune.results.jsonl"
Function = TypeVar("Function", bound=Callable[..., Any])


def numbers_option(
    name: str, help: str | None = None, *, has_default: bool = True
) -> Callable[[Function], Function]:
    """An option that takes numbers with commas between them, for a setting that is tuned."""
    key = REPRESENTED[name]
    text = help_with_default(help or key.summary, key.default if has_default else None)
    metavar = "N,..." if isinstance(key.type, Integer) else "X,..."
    return click.option(f"--{name}", callback=_numbers, metavar=metavar, help=text)


def values_option(name: str, metavar: str, help: str) -> Callable[[Function], Function]:
    """An option that takes numbers or words with commas between them."""
    return click.option(f"--{name}", callback=_values, metavar=metavar, help=help)


def bias_options(function: Function) -> Function:
    """An option for the weight of each bias."""
    for key in reversed(OFFERED):
        function = numbers_option(key, has_default=False)(function)
    return function


def _numbers(_ctx: click.Context, _option: click.Parameter, given: str | None) -> Any:
    try:
        return None if given is None else tuple(map(_number, given.split(",")))
    except ValueError:
        raise click.BadParameter(f"'{given}' is no list of numbers, such as 0.1,0.3,1") from None


def _values(_ctx: click.Context, _option: click.Parameter, given: str | None) -> Any:
    return None if given is None else tuple(map(_number_or_word, given.split(",")))


def _number_or_word(text: str) -> float | str:
    try:
        return _number(text)
    except ValueError:
        return text.strip()


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


@click.command("tune")
@click.argument("train", nargs=-1, required=True, metavar="TRAIN...")
@click.option(
    "--development",
    "-d",
    multiple=True,
    metavar="FILE",
    help="Labelled text to choose on; repeatable. Without it, a tagger is cross-validated.",
)
@click.option("--target", multiple=True, metavar="FILE", help="Text without labels; repeatable.")
@click.option(
    "--kind",
    type=click.Choice([KIND, *KINDS]),
    help=f"What to tune: a {KIND}, or a representation. By default a {KIND}, or {KINDS[0]} if an "
    "option of representations is given.",
)
@numbers_option("states", "How many states or classes.")
@numbers_option("layers")
@bias_options
@numbers_option("repel")
@numbers_option("sigma")
@numbers_option("value", "Values of features; else chosen at each point.", has_default=False)
@input_options
@click.option("--target-format", metavar="FORMAT", help="Format of the target's text.")
@click.option("--label", metavar="COLUMN", help="The label column (the last).")
@click.option("--column", metavar="COLUMN", help="The column of words (the first).")
@template_options
@values_option("c1", "X,...", "L1 penalties of a tagger.")
@values_option(
    "c2", "X,...", f"L2 penalties of a tagger, or that beside a representation ({C2:g})."
)
@values_option("scheme", "NAME,...", "Span schemes to write the labels of a tagger in.")
@click.option(
    "--folds", type=click.IntRange(2), metavar="N", help=f"Parts for cross-validation ({FOLDS})."
)
@click.option("--group-copies", is_flag=True, help="Keep near copies of a text in one fold.")
@setting_option("name", NAME)
@setting_options(REPRESENTED, *WORDS_AND_EM, "scaling", "evaluations")
@click.option("--hard", is_flag=True, help="Use the best states, not their probabilities.")
@setting_option("seed", RANDOM_SEED)
@click.option("--threads", type=COUNT, metavar="N", help="Number of threads (all cores).")
@click.option(
    "--rank",
    type=click.Choice(CRITERIA),
    default=CRITERIA[0],
    help="Criterion: the likelihood of labels (default), or error plus distance to the target.",
)
@click.option("--results", metavar="FILE", help=f"Where finished points are saved ({KEPT}).")
@click.option(
    "--plot",
    metavar="FILE",
    help="Plot the scores over one strength, with a line for each value of another.",
)
@click.option("--out", "-o", metavar="FILE", help="Write the recipe of the best point.")
@cluster_option
@force_option
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Choose the parameters of a tagger, or the strengths of a representation.

    Values are lists, such as --c2 0.1,0.3,1; all their combinations are tried, without any those of
    a few L2 penalties. A tagger is trained for each: penalties, features (--template
    default,entities) and span schemes are chosen by cross-validation, or on --development text. For
    a representation (--kind hmm and others), it is learned from the words of TRAIN and --target,
    and a tagger trained on TRAIN reads it.

    The table is sorted by the likelihood of the labels of text that was not trained on or, with
    --rank bound, by eq. 2 of Huang and Yates: the share of wrong labels there, plus the distance
    between the use of states there and in the target. A recipe for the best point follows. Finished
    points are saved: after an interruption, the same command continues where it stopped.
    """
    options["kind"] = options["kind"] or _find_kind(options)
    if options["results"] is None:
        options["results"] = KEPT
        check_default_outputs(KEPT)
    _check(options)
    tuning: Tuning | TaggerTuning
    if options["kind"] == KIND:
        tuning = make_tagger_tuning(options)
    else:
        tuning = _tuning(options, _read_data(options))
    if options["plot"] is not None:
        check_tuning_plot(options["plot"], tuning.grid)
    store = Store(options["results"], tuning.fingerprint)
    for note in (*store.notes, *tuning.notes):
        click.echo(f"dovetail: {note}", err=True)
    cells, interrupted = tuning.plan.cells, False
    try:
        with (
            show_cells(lambda cell: _name_cell(cell, tuning.plan)) as shown,
            open_workers(options["cluster"]) as workers,
        ):
            at_once = tuning.at_once
            run(tuning.plan, tuning.work, store, shown, at_once=at_once, cluster=workers)
    except KeyboardInterrupt:
        interrupted = True
    found = [result for cell in cells if (result := store.get(cell)) is not None]
    results = rank_results(average_folds(found, tuning.plan.n_splits), options["rank"])
    first = find_best_point(results)
    if first is None:
        raise KeyboardInterrupt
    if isinstance(tuning, TaggerTuning):
        first = results[0]  # the defaults may be best
    _show(options, tuning, results, first, interrupted)
    if interrupted:
        click.echo(
            f"dovetail: interrupted with {len(found)} of {len(cells)} parts done; the same command "
            "does the rest",
            err=True,
        )
        ctx.exit(INTERRUPTED)


def _name_cell(cell: Cell, plan: Plan) -> str:
    return cell.system if plan.n_splits == 1 else f"{cell.system}, fold {cell.split + 1}"


def _check(options: Mapping[str, Any]) -> None:
    """Refuse what cannot be read or written before anything is done."""
    files = [*options["train"], *options["development"], *options["target"]]
    if "-" in files:
        raise click.UsageError("a recipe cannot name standard input: give files")
    _check_kind(options)
    if options["rank"] == "bound" and (options["kind"] == KIND or not options["target"]):
        raise click.UsageError(
            "--rank bound is about a representation of two domains: give text of the other, "
            "--target"
        )
    both = next((path for path in options["development"] if path in options["train"]), None)
    if both is not None:
        raise DataError(f"{both} is trained on: choose on other text")
    named = [named_file(one)[1] for one in (*options["lexicons"], *options["tables"])]
    read = (*files, *named, *(options["template"] or "").split(","))
    check_outputs((options["out"], options["plot"]), read, force=options["force"])
    check_outputs([options["results"]], read, adds=True)


def _check_kind(options: Mapping[str, Any]) -> None:
    """Refuse options that go with another kind, and a representation without development text."""
    kind = options["kind"]
    if kind == KIND:
        odd = _option_of_representations(options)
    else:
        odd = next((name for name in OWN if options[name]), None)
        if odd is None and len(options["c2"] or ()) > 1:
            raise click.UsageError("--c2 takes several values with --kind tagger only")
        if odd is None and not options["development"]:
            raise click.UsageError("a representation needs text to choose on: give --development")
    if odd is not None:
        raise click.UsageError(f"--{odd.replace('_', '-')} does not go with --kind {kind}")
    for name in ("c1", "c2"):
        type = TAGGER[name].type
        wrong = next((value for value in options[name] or () if not type.accepts(value)), None)
        if wrong is not None or (kind != KIND and "auto" in (options[name] or ())):
            raise click.UsageError(f"--{name} is {wrong or 'auto'}; give {type.words}")


def _find_kind(options: Mapping[str, Any]) -> str:
    """What is tuned where nobody says it."""
    return KIND if _option_of_representations(options) is None else KINDS[0]


def _option_of_representations(options: Mapping[str, Any]) -> str | None:
    """The first option that only representations have."""
    own = (*STRENGTHS, *SETTINGS[:-1], "hard", "target", "target_format")
    return next((name for name in own if name != "seed" and options[name]), None)


def _read_data(options: Mapping[str, Any]) -> TuningData:
    def sources(name: str, format: str | None, columns: str | None) -> list[Source]:
        found = [Source.of(path, format, columns) for path in options[name]]
        odd = next((one.path for one in found if one.format == CRFSUITE), None)
        if odd is not None:
            raise DataError(f"{odd} is feature text, which holds no words to learn from")
        return found

    labelled = options["format"], options["columns"]
    train = read_all(sources("train", *labelled))
    development = read_all(sources("development", *labelled))
    label, column = options["label"] or train.names[-1], options["column"] or train.names[0]
    target = None
    if options["target"]:
        read = [one.read() for one in sources("target", options["target_format"], None)]
        target = select_text(read, column)
    return TuningData(train, development, label, column, target)


def _tuning(options: Mapping[str, Any], data: TuningData) -> Tuning:
    given = options["template"], data.train.names, data.label
    features = load_template(*given, options["lexicons"], options["tables"])
    return Tuning(
        options["kind"],
        {name: options[name] for name in STRENGTHS if options[name] is not None},
        data,
        features=features,
        threads=options["threads"],
        c2=options["c2"][0] if options["c2"] else C2,
        **settings_of(options),
    )


def settings_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the representation that stay the same at all points."""
    hard = {"soft": False} if options["hard"] else {}
    return {k: v for k, v in {**options, **hard}.items() if k in SETTINGS and v is not None}


def _show(
    options: Mapping[str, Any],
    tuning: Tuning | TaggerTuning,
    results: Sequence[TuningResult],
    first: TuningResult,
    interrupted: bool,
) -> None:
    strengths = list(tuning.grid)
    if isinstance(tuning, TaggerTuning):
        recipe = tagger_recipe_text(options, tuning, first)
    else:
        recipe = recipe_text(options, tuning, first)
    if options["as_json"]:
        points = [one.to_dict() for one in results]
        facts = {"points": points, "best": first.name, "recipe": recipe, "interrupted": interrupted}
        click.echo(json.dumps(facts, ensure_ascii=False))
    else:
        _print(results, strengths, tuning, options["rank"])
        if options["out"] is None:
            click.echo(f"\n{recipe}", nl=False)
    if options["out"] is not None:
        with atomic_write(options["out"]) as file:
            file.write(recipe.encode())
        click.echo(f"recipe     {click.format_filename(options['out'])}", err=True)
    if options["plot"] is not None:
        draw_tuning_plot(options["plot"], results, tuning.grid)
        click.echo(f"plot       {click.format_filename(options['plot'])}", err=True)


def _print(
    results: Sequence[TuningResult],
    strengths: Sequence[str],
    tuning: Tuning | TaggerTuning,
    rank: Criterion,
) -> None:
    how: dict[str, Any] = {"rank": rank}
    if isinstance(tuning, TaggerTuning):
        how["baseline"] = DEFAULT_PARAMETERS
        if tuning.data.development is None:
            how["text"] = f"{tuning.folds} folds that were not trained on"
    if not sys.stdout.isatty():
        click.echo(as_text(results, strengths, **how))
        return
    Console().print(for_terminal(results, strengths, **how))
