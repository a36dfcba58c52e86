"""The tasks on which engines are compared, with the features that users of CRFsuite usually write.

chunk: CoNLL-2000 chunks from a window of words and POS tags (CRFsuite's own example template).
ner:   CoNLL-2003 entities from words, affixes and shapes in a window of two.
pos:   the POS column of CoNLL-2000 (44 labels) from words and affixes.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

Sentence = list[list[str]]
TokenFeatures = list[list[str]]


def data_folder() -> Path:
    """Where the corpora lie: DOVETAIL_DATA, or ``shared/data`` beside the project."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DOVETAIL_DATA", default))
    if not (folder / "conll2000").is_dir():
        raise SystemExit(f"no corpora in {folder}: set DOVETAIL_DATA to the folder with conll2000/")
    return folder


def sentences(path: Path) -> Iterator[Sentence]:
    """Sentences of a gzipped CoNLL file as lists of fields."""
    rows: Sentence = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if fields and fields[0] != "-DOCSTART-":
                rows.append(fields)
            elif rows:
                yield rows
                rows = []
    if rows:
        yield rows


def _window(values: list[str], name: str, t: int, offsets: tuple[int, ...]) -> list[str]:
    inside = all(0 <= t + d < len(values) for d in offsets)
    label = "|".join(f"{name}[{d}]" for d in offsets)
    return [label + "=" + "|".join(values[t + d] for d in offsets)] if inside else []


def chunk_features(rows: Sentence) -> TokenFeatures:
    words, tags = [r[0] for r in rows], [r[1] for r in rows]
    shapes: list[tuple[str, list[str], list[tuple[int, ...]]]] = [
        ("w", words, [(-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1)]),
        ("pos", tags, [(-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2),
                       (-2, -1, 0), (-1, 0, 1), (0, 1, 2)]),
    ]  # fmt: skip
    return [
        [f for name, values, many in shapes for d in many for f in _window(values, name, t, d)]
        for t in range(len(rows))
    ]


def _shape(word: str) -> str:
    return re.sub(r"[0-9]", "d", re.sub(r"[a-z]", "x", re.sub(r"[A-Z]", "X", word)))


def ner_features(rows: Sentence) -> TokenFeatures:
    words, tags = [r[0] for r in rows], [r[1] for r in rows]
    lower, shapes = [w.lower() for w in words], [_shape(w) for w in words]
    short = [re.sub(r"(.)\1+", r"\1", s) for s in shapes]
    out = []
    for t, word in enumerate(words):
        features = ["bias", "w=" + word]
        features += [f"p{n}={word[:n]}" for n in (1, 2, 3, 4)]
        features += [f"s{n}={word[-n:]}" for n in (1, 2, 3, 4)]
        for d in (-2, -1, 0, 1, 2):
            features += _window(lower, "l", t, (d,)) + _window(tags, "pos", t, (d,))
            features += _window(short, "sh", t, (d,))
        features += ["shape=" + shapes[t]]
        features += _window(lower, "l", t, (-1, 0)) + _window(lower, "l", t, (0, 1))
        features += _window(tags, "pos", t, (-1, 0)) + _window(tags, "pos", t, (0, 1))
        out.append(features)
    return out


def pos_features(rows: Sentence) -> TokenFeatures:
    words = [r[0] for r in rows]
    lower = [w.lower() for w in words]
    out = []
    for t, word in enumerate(words):
        features = ["w=" + word, "shape=" + re.sub(r"(.)\1+", r"\1", _shape(word))]
        features += [f"p{n}={word[:n]}" for n in (1, 2, 3)]
        features += [f"s{n}={word[-n:]}" for n in (1, 2, 3, 4)]
        for d in (-2, -1, 0, 1, 2):
            features += _window(lower, "l", t, (d,))
        out.append(features)
    return out


Extract = Callable[[Sentence], TokenFeatures]
TASKS: dict[str, tuple[str, str, str, int, Extract]] = {
    "chunk": ("conll2000", "train.txt.gz", "test.txt.gz", 2, chunk_features),
    "ner": ("conll2003", "eng.train.gz", "eng.testb.gz", 3, ner_features),
    "pos": ("conll2000", "train.txt.gz", "test.txt.gz", 1, pos_features),
}


def load(task: str, part: str = "train") -> tuple[list[TokenFeatures], list[list[str]]]:
    """Feature lists and labels of one task's ``train`` or ``test`` part."""
    folder, train, test, column, extract = TASKS[task]
    path = data_folder() / folder / (train if part == "train" else test)
    rows = list(sentences(path))
    labels = [[fields[column] for fields in r] for r in rows]
    return [extract(r) for r in rows], [_iob2(tags) for tags in labels] if task == "ner" else labels


def _iob2(tags: list[str]) -> list[str]:
    """IOB1, as CoNLL-2003 has it, with every entity's first token made B-."""
    before = ["O", *tags[:-1]]
    return [
        "B" + tag[1:] if tag[0] == "I" and last[1:] != tag[1:] else tag
        for tag, last in zip(tags, before, strict=True)
    ]


def write_crfsuite_text(task: str, path: Path, part: str = "train") -> None:
    """The same as a file in CRFsuite's text format."""
    features, labels = load(task, part)
    with path.open("w", encoding="utf-8") as file:
        for sequence, tags in zip(features, labels, strict=True):
            for token, tag in zip(sequence, tags, strict=True):
                escaped = [f.replace("\\", "\\\\").replace(":", "\\:") for f in token]
                file.write(tag + "\t" + "\t".join(escaped) + "\n")
            file.write("\n")
