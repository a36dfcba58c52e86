"""``dovetail represent``: from unlabelled text to a representation of its words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.curves import described as drawn
from dovetail.cli.curves import show_rounds
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.inputs import CRFSUITE, Source, Strength, input_options
from dovetail.cli.models import check_writable
from dovetail.cli.progress import megabytes
from dovetail.cli.ready import take
from dovetail.cli.states import in_short, summary
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.corpus import Corpus
    from dovetail.representation import Representation

KINDS = ("hmm", "biased", "layered", "classes")
BIASES = ("labels", "entropy", "distance", "sigma")
NOT_FOR = {
    "hmm": (*BIASES, "layers", "repel"),
    "biased": ("layers", "repel"),
    "layered": (),
    "classes": (*BIASES, "layers", "repel", "rounds", "hard"),
}
COUNT = click.IntRange(1)
WEIGHT = click.FloatRange(0)


@click.command("represent")
@click.argument("source", nargs=-1, metavar="SOURCE...")
@click.option("--out", "-o", required=True, metavar="FILE", help="Where to write it.")
@click.option(
    "--from",
    "ready",
    metavar="NAME",
    help="What others have learned: brown-en, vectors-en, cities ...",
)
@click.option("--target", multiple=True, metavar="FILE", help="Text of another domain; repeatable.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="hmm",
    help="States of an HMM (the default), of a biased one, of several, or exchange classes.",
)
@input_options
@click.option("--target-format", metavar="FORMAT", help="Format of the target's text.")
@click.option("--column", metavar="COLUMN", help="The column of words; by default the first.")
@click.option("--name", metavar="NAME", help="The column that it writes (state, class).")
@click.option("--states", type=COUNT, default=80, metavar="N", help="States or classes (80).")
@click.option("--layers", type=COUNT, metavar="N", help="Of a layered one: how many HMMs (7).")
@click.option("--rounds", type=COUNT, metavar="N", help="Rounds of EM at most (20).")
@click.option("--min-count", type=COUNT, metavar="N", help="Rarer words go by their form (2).")
@click.option("--labels", metavar="COLUMN", help="Labels of the source that states should tell.")
@click.option("--entropy", type=WEIGHT, metavar="X", help="Weight of that bias (1).")
@click.option("--distance", type=WEIGHT, metavar="X", help="Weight of a bias to alike domains.")
@click.option("--repel", type=WEIGHT, metavar="X", help="Weight of a bias to unlike layers (0).")
@click.option("--sigma", type=WEIGHT, metavar="X", help="Bound biases together, as the paper does.")
@click.option("--value", type=Strength(0), metavar="X", help="Value of its features (auto).")
@click.option("--hard", is_flag=True, help="Write best states, not their probabilities.")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="N", help="Of what is random.")
@click.option(
    "--threads", type=COUNT, metavar="N", help="Threads, by default all cores; classes take one."
)
@click.option("--plot", metavar="FILE", help="Draw the curves, and the use of states.")
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Learn what words are like from the words of SOURCE and of the --target.

    A pipeline or a recipe puts what is learned before its taggers, as a column that they read. Each
    round shows the log-likelihood a token and, with biases, what they are about: the entropy of
    labels given states, the distance of the use of states in both domains, and how far earlier
    layers are told. Ctrl-C keeps what there is.

    With --from nothing is learned: what is known of words comes from a package of data that is
    installed, and the file says from which. Names of lists (cities, countries, subdivisions,
    us-states, us-counties, languages, currencies) make lexicon files for templates.
    """
    from dovetail.representation.described import learned

    if options["ready"] is not None:
        return take(ctx, options)
    _check(options)
    source, target = _texts(options)
    representation = _described(options, source)
    n_tokens = source.n_tokens + (0 if target is None else target.n_tokens)
    with show_rounds(representation.names_, n_tokens) as rounds:
        learned(representation, source, target, rounds)
    representation.save(options["out"])
    if options["plot"] is not None:
        from dovetail.representation.plots import draw, use_of_states

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
    given = [name for name in NOT_FOR[kind] if options[name] is not None]
    odd = next((name for name in given if options[name] is not False), None)
    if odd is not None:
        raise click.UsageError(f"--{odd} does not go with --kind {kind}")
    if options["entropy"] is not None and options["labels"] is None:
        raise click.UsageError("--entropy is the weight of labels: name their column by --labels")
    if options["distance"] is not None and not options["target"]:
        raise click.UsageError(
            "--distance is that of two domains: give text of the other, --target"
        )
    check_writable(options["out"])
    if options["plot"] is not None:
        from dovetail.representation.plots import check_plot

        check_plot(options["plot"])
        check_writable(options["plot"])


def _texts(options: Mapping[str, Any]) -> tuple[Corpus, Corpus | None]:
    from dovetail.representation.described import text_of

    sources = [Source.of(path, options["format"], options["columns"]) for path in options["source"]]
    targets = [Source.of(path, options["target_format"], None) for path in options["target"]]
    odd = next((one.path for one in (*sources, *targets) if one.format == CRFSUITE), None)
    if odd is not None:
        raise DataError(f"{odd} is feature text, which holds no words to learn from")
    corpora = [one.read() for one in sources]
    column = options["column"] or corpora[0].names[0]
    if column not in corpora[0].names:
        corpora[0].column(column)  # says which there are
    made = text_of(corpora, column, options["labels"])
    return made, text_of([one.read() for one in targets], column) if targets else None


def _described(options: Mapping[str, Any], source: Corpus) -> Representation:
    from dovetail.representation.described import described

    passed = ("name", "layers", "rounds", "min_count", "labels", "entropy", "distance", "repel")
    names = (*passed, "sigma", "value", "states", "seed")
    settings = {name: options[name] for name in names if options[name] is not None}
    settings["column"] = source.names[0]
    if options["hard"]:
        settings["soft"] = False
    if options["kind"] != "classes":
        settings["threads"] = options["threads"]
    return described(options["kind"], **settings)


def _facts(
    representation: Representation, options: Mapping[str, Any], curves: dict[str, Any]
) -> dict[str, Any]:
    learned: Any = representation
    return {
        **summary(representation),
        "model": options["out"],
        "bytes": Path(options["out"]).stat().st_size,
        "curves": curves,
        "stopped": learned.stopped_,
        "interrupted": learned.stopped_.startswith("interrupted"),
    }


def _as_text(facts: Mapping[str, Any]) -> str:
    tokens = facts["tokens"]
    text = f"{tokens['source']:,} tokens"
    if tokens["target"]:
        text += f", and {tokens['target']:,} of the target"
    rows = [("text", text), ("represents", in_short(facts))]
    rows += [(column, drawn(curves)) for column, curves in facts["curves"].items()]
    if facts["stopped"]:
        rows.append(("stopped", facts["stopped"]))
    rows.append(("model", f"{click.format_filename(facts['model'])}, {megabytes(facts['bytes'])}"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
