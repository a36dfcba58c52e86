"""``dovetail represent``: from unlabelled text to a representation of its words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail.base.training import was_interrupted
from dovetail.cli.curves import describe_curves, show_rounds
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.inputs import CRFSUITE, Source, input_options
from dovetail.cli.ready import write_ready_made
from dovetail.cli.settings import given_settings, setting_option, setting_options
from dovetail.cli.states import describe_briefly, summarize_representation
from dovetail.cli.targets import check_outputs, force_option
from dovetail.errors import DataError
from dovetail.recipe.schema.representations import RANDOM_SEED, REPRESENTATION_KINDS
from dovetail.representation.bias.registry import OFFERED, find_offer
from dovetail.representation.build import (
    KINDS,
    make_representation,
    select_text,
    train_representation,
)
from dovetail.representation.plots import check_plot, draw, use_of_states
from dovetail.units import format_megabytes

if TYPE_CHECKING:
    from dovetail.corpus import Corpus
    from dovetail.representation import Representation

SETTINGS = REPRESENTATION_KINDS["layered"]  # which has those of all kinds of HMMs
NAMES = [REPRESENTATION_KINDS[kind]["name"].default for kind in ("hmm", "classes")]
NAME = replace(SETTINGS["name"], default=", ".join(NAMES))
WORDS_AND_EM = ("rounds", "min_count", "rare", "start", "update")
BOUNDS = ("sigma", "scaling", "evaluations")
BIASES = ("labels", *OFFERED, "repel", *BOUNDS)
PASSED = ("name", "states", "layers", *WORDS_AND_EM, *BIASES, "value", "seed")
COUNT = click.IntRange(1)


@click.command("represent")
@click.argument("source", nargs=-1, metavar="SOURCE...")
@click.option(
    "--out", "-o", required=True, metavar="FILE", help="Where to write the representation."
)
@click.option(
    "--from",
    "ready",
    metavar="NAME",
    help="Ready-made data instead: brown-en, vectors-en, cities ...",
)
@click.option("--target", multiple=True, metavar="FILE", help="Text of another domain; repeatable.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    help="What to learn: states of an HMM (the default), of a biased HMM or of several HMMs, "
    "or word classes (Brown clusters).",
)
@input_options
@click.option("--target-format", metavar="FORMAT", help="Format of the target's text.")
@click.option("--column", metavar="COLUMN", help="The column of words (the first).")
@setting_option("name", NAME)
@setting_option("states", SETTINGS["states"], help="How many states or classes.")
@setting_options(SETTINGS, "layers", *WORDS_AND_EM, "labels", *OFFERED)
@setting_options(SETTINGS, "repel", *BOUNDS, "value")
@click.option("--hard", is_flag=True, help="Use the best states, not their probabilities.")
@setting_option("seed", RANDOM_SEED)
@click.option(
    "--threads", type=COUNT, metavar="N", help="Number of threads (all cores); classes use one."
)
@click.option("--plot", metavar="FILE", help="Plot the training curves and the use of states.")
@force_option
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Learn a word representation from the words of SOURCE and of the --target.

    In a pipeline or a recipe it comes before the taggers, which read it as a column. Each round
    shows the log-likelihood per token and, with biases, what they act on: the entropy of the labels
    given the states, the distance between the domains in their use of states, and how far a layer
    follows the ones before it. Ctrl-C keeps what has been learned so far.

    With --from, nothing is learned: the data comes from an installed package, which the file names.
    The lists (cities, countries, subdivisions, us-states, us-counties, languages, currencies) are
    written as lexicon files for templates.
    """
    if options["ready"] is not None:
        return write_ready_made(ctx, options)
    _check(options)
    source, target = _texts(options)
    representation = _make(options, source)
    n_tokens = source.n_tokens + (0 if target is None else target.n_tokens)
    with show_rounds(representation.names_, n_tokens) as rounds:
        train_representation(representation, source, target, rounds)
    representation.save(options["out"])
    if options["plot"] is not None:
        domains = [source] if target is None else [source, target]
        draw(options["plot"], rounds.curves, use_of_states(representation, domains))
    facts = _facts(representation, options, rounds.curves)
    facts["tokens"] = {"source": source.n_tokens, "target": n_tokens - source.n_tokens}
    click.echo(json.dumps(facts, ensure_ascii=False) if options["as_json"] else _as_text(facts))
    if facts["interrupted"]:
        ctx.exit(INTERRUPTED)
    return None


def _check(options: Mapping[str, Any]) -> None:
    """Refuse what does not go together, or cannot be written, before anything is read."""
    if not options["source"]:
        raise click.UsageError("give text to learn from, or the name of what is ready: --from NAME")
    kind = options["kind"]
    given = [name for name, value in options.items() if value is not None and value is not False]
    other = next((name for name in given if not _belongs(name, kind)), None)
    if other is not None:
        raise click.UsageError(f"--{other} does not go with --kind {kind}")
    for key in (key for key in OFFERED if options[key] is not None):
        if find_offer(key).by_labels and options["labels"] is None:
            raise click.UsageError(
                f"--{key} is the weight of labels: name their column by --labels"
            )
        if find_offer(key).needs_target and not options["target"]:
            raise click.UsageError(
                f"--{key} is that of two domains: give text of the other, --target"
            )
    written = options["out"], options["plot"]
    check_outputs(written, (*options["source"], *options["target"]), force=options["force"])
    if options["plot"] is not None:
        check_plot(options["plot"])


def _belongs(option: str, kind: str) -> bool:
    """Whether an option goes with a kind; ``states`` are the classes of word classes."""
    key = "soft" if option == "hard" else option
    return key == "states" or key not in SETTINGS or key in REPRESENTATION_KINDS[kind]


def _texts(options: Mapping[str, Any]) -> tuple[Corpus, Corpus | None]:
    sources = [Source.of(path, options["format"], options["columns"]) for path in options["source"]]
    targets = [Source.of(path, options["target_format"], None) for path in options["target"]]
    odd = next((one.path for one in (*sources, *targets) if one.format == CRFSUITE), None)
    if odd is not None:
        raise DataError(f"{odd} is feature text, which holds no words to learn from")
    corpora = [one.read() for one in sources]
    column = options["column"] or corpora[0].names[0]
    if column not in corpora[0].names:
        corpora[0].column(column)  # says which there are
    made = select_text(corpora, column, options["labels"])
    return made, select_text([one.read() for one in targets], column) if targets else None


def _make(options: Mapping[str, Any], source: Corpus) -> Representation:
    settings = given_settings(options, PASSED)
    settings["column"] = source.names[0]
    if options["hard"]:
        settings["soft"] = False
    if options["kind"] != "classes":
        settings["threads"] = options["threads"]
    return make_representation(options["kind"], **settings)


def _facts(
    representation: Representation, options: Mapping[str, Any], curves: dict[str, Any]
) -> dict[str, Any]:
    learned: Any = representation
    return {
        **summarize_representation(representation),
        "model": options["out"],
        "bytes": Path(options["out"]).stat().st_size,
        "curves": curves,
        "stopped": learned.stopped_,
        "interrupted": was_interrupted(learned.stopped_),
    }


def _as_text(facts: Mapping[str, Any]) -> str:
    tokens = facts["tokens"]
    text = f"{tokens['source']:,} tokens"
    if tokens["target"]:
        text += f", and {tokens['target']:,} of the target"
    rows = [("text", text), ("represents", describe_briefly(facts))]
    rows += [(column, describe_curves(curves)) for column, curves in facts["curves"].items()]
    if facts["stopped"]:
        rows.append(("stopped", facts["stopped"]))
    rows.append(
        ("model", f"{click.format_filename(facts['model'])}, {format_megabytes(facts['bytes'])}")
    )
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
