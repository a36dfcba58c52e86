"""An old model and a few addresses that are labelled otherwise.

The model that usaddress ships has 29 fine labels. Other addresses (us50, of which usaddress has a
labelled file) count the type and the direction of a street to its name, and have coarser labels.
Here a tagger learns these from a few addresses: from words alone, or reading what the old model
says. Addresses whose text the old model was trained on are left out.

    DOVETAIL_DATA=folder python -m experiments.old_models transfer [--splits N]

Needs usaddress and its labelled addresses; takes a few minutes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import usaddress

from dovetail import Corpus, Pipeline, Tagger, Template, column
from dovetail.corpus import read_parserator
from dovetail.evaluate import count_wins, evaluate
from dovetail.features.sets import entities
from dovetail.interop import import_model
from experiments.readers.labelled_strings import read_labelled_strings

WHOLE_STREETS = "test_data/us50_test_tagged.xml"
SIZES, TESTED_FROM = (5, 10, 20, 50, 100), 100
SETTINGS: dict[str, Any] = {"c2": 0.3, "constraints": "IOB2", "threads": 1}
SYSTEMS = ("default", "lean", "cascade", "soft", "joint")
word, parts = column("word"), column("parts")
LEAN = Template(word.lower, word.short_shape, word.lower.window(1), word.short_shape.window(1))
READING = Template(
    word.lower, word.short_shape, parts.window(1), parts[-1] & parts, parts & parts[1]
)


def measure_transfer(folder: Path, n_splits: int) -> None:
    """Print the scores of all systems on the folder of labelled addresses."""
    if not (folder / WHOLE_STREETS).exists():
        sys.exit(f"there are no addresses in {folder}; set DOVETAIL_DATA")
    corpus = addresses(folder)
    print(f"{len(corpus)} addresses, {n_splits} splits; {len(corpus) - TESTED_FROM} for testing")
    scores: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for seed in range(n_splits):
        order = np.random.default_rng(seed).permutation(len(corpus)).tolist()
        test = corpus.select(order[TESTED_FROM:])
        for size in SIZES:
            for name, labels in answers(corpus.select(order[:size]), test).items():
                scores.setdefault((name, size), []).append(score(test.lists("fields"), labels))
    show(scores)
    old = import_model(usaddress.MODEL_PATH, features=old_features)
    sure = [max(row.values()) > 0.9 for rows in old.predict_marginals(corpus) for row in rows]
    print(
        f"\nthe old model is sure (above 0.9) of {100 * np.mean(sure):.1f} per cent of the tokens"
    )


def old_features(sequence: Any) -> list[dict[str, Any]]:
    """What usaddress makes of the tokens of an address."""
    return usaddress.tokens2features(list(sequence["word"]))  # type: ignore[no-any-return]


def answers(train: Corpus, test: Corpus) -> dict[str, list[list[str]]]:
    """Labels of the test addresses by each system."""
    out = {}
    for name, features in (("default", entities("word")), ("lean", LEAN)):
        alone = Tagger(features=features, **SETTINGS).fit(train, label="fields")
        out[name] = alone.predict(test)
    old = import_model(usaddress.MODEL_PATH, features=old_features, threads=1)
    layers = {"parts": old, "fields": Tagger(features=READING, **SETTINGS)}
    pipeline = Pipeline(layers, threads=1).fit({"fields": train}, training="cascade")
    for decode in ("cascade", "joint"):
        out[decode] = pipeline.predict(test, decode=decode)["fields"]
    pipeline.fit({"fields": train}, training="soft")
    out["soft"] = pipeline.predict(test, decode="soft")["fields"]
    return out


def score(gold: list[Any], found: list[list[str]]) -> tuple[float, float]:
    """F1 of spans, and the share of addresses that are wholly right, in per cent."""
    right = sum(a == b for a, b in zip(gold, found, strict=True))
    return 100 * evaluate(gold, found).micro.f1, 100 * right / len(gold)


def show(scores: dict[tuple[str, int], list[tuple[float, float]]]) -> None:
    """Means over the splits, and how often joint decoding is better and worse than others."""
    for measure, title in enumerate(("F1 of spans", "addresses wholly right, per cent")):
        print(f"\n{title}")
        against = "joint: wins-losses against default, lean, cascade"
        print("size".rjust(6), *(name.rjust(9) for name in SYSTEMS), "", against)
        for size in SIZES:
            values = {name: [one[measure] for one in scores[name, size]] for name in SYSTEMS}
            means = (f"{np.mean(values[name]):9.2f}" for name in SYSTEMS)
            wins = (count_wins(values["joint"], values[name]) for name in SYSTEMS[:3])
            print(f"{size:6}", *means, " ", *(f"{one.wins}-{one.losses}" for one in wins))


def addresses(folder: Path) -> Corpus:
    """Those with the coarser labels, but for texts that the old model knows and tokens that
    usaddress cannot read (it never makes a token of punctuation alone)."""
    known = {
        key(one) for path in (folder / "training").glob("*.xml") for one in read_parserator(path)
    }
    corpus = read_labelled_strings(folder / WHOLE_STREETS, "fields")
    kept = [
        number
        for number, one in enumerate(corpus)
        if key(one) not in known and all(re.search(r"\w|^[&#½]$", w or "") for w in one["word"])
    ]
    return corpus.select(kept)


def key(address: Any) -> str:
    """The text of an address without case and punctuation."""
    return " ".join(re.findall(r"\w+", " ".join(address["word"]).lower()))
