"""usaddress on 10,000 addresses: with python-crfsuite, and with only the import changed."""

from __future__ import annotations

import argparse
import functools
import gzip
import importlib
import itertools
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tasks
from common import Targets, best, in_fresh_process, table

TARGET, ADDRESSES = 3, 10_000
ENGINES = {"python-crfsuite": "pycrfsuite", "dovetail": "dovetail.interop.pycrfsuite"}
PARTS = ("parse", "tokens", "features", "tags", "remembering")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    runs: dict[str, list[Any]] = {name: [] for name in ENGINES}
    for _ in range(options.rounds):
        for name, module in ENGINES.items():
            run = in_fresh_process(parse_all, module)
            runs[name].append(run._replace(wall=run.result["parse"]))
    found = {name: best(many).result for name, many in runs.items()}
    for name, result in found.items():  # each part at its best
        result.update({part: min(run.result[part] for run in runs[name]) for part in PARTS})
    theirs, mine = found["python-crfsuite"], found["dovetail"]
    same = sum(a == b for a, b in zip(theirs["labels"], mine["labels"], strict=True))
    rows = [[name, *(f"{result[part]:.3f}" for part in PARTS)] for name, result in found.items()]
    ratios = {part: theirs[part] / mine[part] for part in PARTS}
    rows.append(["ratio", *(f"{ratio:.2f}" for ratio in ratios.values())])
    table(
        f"{len(mine['labels']):,} addresses, {mine['n_tokens']:,} tokens, one thread, best (CPU s)",
        [
            "engine",
            "usaddress.parse",
            "its tokens",
            "its features",
            "tagging",
            "parse, remembering",
        ],
        rows,
    )
    own_code = sum(min(theirs[part], mine[part]) for part in ("tokens", "features"))
    limit = (own_code + theirs["tags"]) / own_code
    print(f"  addresses with the same labels: {same:,} of {len(theirs['labels']):,}")
    print(
        f"  usaddress makes tokens and features in Python, which takes {own_code:.2f} s with\n"
        f"  either engine: none can be more than {limit:.2f} times as quick from text to labels.\n"
        "  Remembering: usaddress.tokenFeatures kept for each distinct token, for both engines."
    )
    targets = Targets()
    targets.at_least("addresses with the same labels", same, len(theirs["labels"]))
    targets.at_least("python-crfsuite's time over ours, tagging", ratios["tags"], TARGET)
    targets.at_least("python-crfsuite's time over ours, text to labels", ratios["parse"], TARGET)
    targets.finish("interop", ratios["parse"], TARGET)


def parse_all(engine: str) -> dict[str, Any]:
    """Labels by usaddress on top of an engine, and what each part of its work takes."""
    sys.modules["pycrfsuite"] = importlib.import_module(engine)
    import usaddress

    texts = list(itertools.islice(addresses(), ADDRESSES))
    seconds: dict[str, float] = {}

    def timed(name: str, function: Callable[[Any], Any], values: list[Any]) -> list[Any]:
        start = time.process_time()
        out = [function(value) for value in values]
        seconds[name] = min(seconds.get(name, 1e9), time.process_time() - start)
        return out

    for _ in range(2):
        parsed = timed("parse", usaddress.parse, texts)
        tokens = timed("tokens", usaddress.tokenize, texts)
        features = timed("features", usaddress.tokens2features, tokens)
        timed("tags", usaddress.TAGGER.tag, features)
    remember_features(usaddress)
    for _ in range(2):
        if timed("remembering", usaddress.parse, texts) != parsed:
            raise RuntimeError("usaddress says something else when its features are remembered")
    labels = [[label for _, label in address] for address in parsed]
    return {**seconds, "labels": labels, "n_tokens": sum(map(len, labels))}


def remember_features(usaddress: Any) -> None:
    """Features of a token depend on it alone; usaddress adds to the dicts, so they are copied."""
    known = functools.cache(usaddress.tokenFeatures)
    usaddress.tokenFeatures = lambda token: dict(known(token))


def addresses() -> Iterator[str]:
    """Addresses that usaddress was trained and tested on, those made up from maps last."""
    files = sorted((tasks.data_folder() / "usaddress").rglob("*.xml*"), key=_made_up)
    for file in files:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as content:
            for one in ElementTree.parse(content).getroot():
                if text := "".join(one.itertext()).strip():
                    yield text


def _made_up(file: Path) -> tuple[bool, str]:
    return file.name.startswith("synthetic"), str(file)


if __name__ == "__main__":
    main()
