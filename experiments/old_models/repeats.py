"""usaddress gives up where its model finds a label twice in an address. The best labelling that
repeats none is among the next best: here it is looked for.

Needs usaddress and its labelled addresses:

    DOVETAIL_DATA=folder python -m experiments.old_models repeats
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import usaddress

import dovetail
from dovetail.interop import import_model

FILES = (
    "training/labeled.xml",
    "training/us50_messiest_manual_label.xml",
    "training/us50_train_tagged.xml",
    "test_data/labeled.xml",
    "test_data/us50_test_tagged.xml",
)
REPORTED = (  # of the kinds in datamade/usaddress issues 224, 305, 313, 341, 351, 359 and 373
    "61 ST JAMES PLACE NEW YORK NY 10038",
    "28110 30TH ST EAST 200 PALMDALE CA 93550",
    "1801 New Jersey Highway 36, Hazlet, New Jersey 07730, USA",
    "29002 Pacific Hwy S E2, Federal Way, WA 98003",
    "4120 MAPLE BLVD RANCHO CORDOVA 95670 CA",
    "RT 3 BX 17 WESSON MS 39191",
    "Oak House, 12 Simpson Parkway #R-7, 12 Simpson-Parkway, Cheney, WA 99004",
)
ENOUGH = (2, 10, 100, 1000)


def find_repeats(folder: Path) -> None:
    """Print what is found in the folder of labelled addresses, after some that users reported."""
    tagger = import_model(usaddress.MODEL_PATH)
    for address in REPORTED:
        show(tagger, address)
    n, rows = 0, []
    for name in FILES:
        for tokens, labels in addresses(folder / name):
            n += 1
            features = usaddress.tokens2features(tokens)
            best = tagger.predict([features])[0]
            if repeats(best):
                rows.append((labels, best, *best_without_repeats(tagger, features)))
    if not n:
        sys.exit(f"there are no addresses in {folder}; set DOVETAIL_DATA")
    print(f"{n:,} labelled addresses; usaddress refuses {len(rows)} as repeating a label")
    for k in ENOUGH:
        count = sum(0 < place <= k for *_, place, _ in rows)
        print(f"  {count} have a labelling without repeats among the {k:,} best")
    truly = sum(repeats(labels) for labels, *_ in rows)
    print(f"  in {truly} of them the annotators repeated a label too")


def show(tagger: dovetail.Tagger, address: str) -> None:
    """The labelling that usaddress refuses, and the best one that it would take."""
    tokens = usaddress.tokenize(address)
    features = usaddress.tokens2features(tokens)
    place, other = best_without_repeats(tagger, features)
    print(f"{address}  (number {place} of the best labellings)")
    for token, before, after in zip(
        tokens, tagger.predict([features])[0], other or (), strict=True
    ):
        print(f"    {token:16} {before:26}{'' if after == before else after}".rstrip())


def repeats(labels: Sequence[str]) -> bool:
    """Whether a label comes back after another, as usaddress sees it: the parts of a second street,
    after an intersection, are labels of their own."""
    second, seen = False, []
    for label in labels:
        second = second or label == "IntersectionSeparator"
        seen.append(f"Second{label}" if second and "StreetName" in label else label)
    runs = [label for label, _ in groupby(seen)]
    return len(set(runs)) < len(runs)


def best_without_repeats(
    tagger: dovetail.Tagger, features: list[dict[str, object]]
) -> tuple[int, list[str] | None]:
    """The best labelling that repeats no label, and the place at which it stands."""
    for k in ENOUGH:
        for place, (labels, _) in enumerate(tagger.predict_nbest([features], k)[0], start=1):
            if not repeats(labels):
                return place, labels
    return 0, None


def addresses(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Tokens and labels, of addresses that usaddress cuts into the same tokens."""
    for address in ElementTree.parse(path).getroot() if path.exists() else ():
        tokens = [(token.text or "").strip() for token in address]
        if tokens and usaddress.tokenize(" ".join(tokens)) == tokens:
            yield tokens, [token.tag for token in address]
