"""How good our default features are, without lexicons or outside data.

Settings were chosen on held-out text: testa for ner, the end of the training part for the others.
"""

from __future__ import annotations

from typing import Any

import tasks
from common import Targets, in_fresh_process, table

# Columns (the last is learnt), penalty, span scheme for training, wanted F1 or accuracy.
SETTINGS: dict[str, tuple[list[str | None], float, str | None, float]] = {
    "chunk": (["word", "pos", "chunk"], 0.3, None, 93.9),
    "ner": (["word", "pos", "chunk", "ner"], 0.1, "IOBES", 85.0),
    "pos": (["word", "pos", None], 0.1, None, 97.0),
}


def main() -> None:
    targets, rows, margins = Targets(), [], []
    for task, (_, c2, scheme, wanted) in SETTINGS.items():
        print(f"training {task}", flush=True)
        run = in_fresh_process(fit, task)
        found = run.result
        targets.at_least(f"{task}, F1 or accuracy", found["score"], wanted)
        margins.append(found["score"] / wanted)
        low, high = found["interval"]
        rows.append(
            [task, f"{c2:g}", scheme or "", f"{found['rows']}", f"{found['features']:,}",
             f"{run.wall:.1f}", f"{found['score']:.2f}", f"{low:.1f} to {high:.1f}",
             f"{wanted:.1f}"]
        )  # fmt: skip
    table(
        "Default features on the test parts (pos: accuracy)",
        ["task", "c2", "scheme", "rows", "features", "s", "F1", "95 %", "wanted"],
        rows,
    )
    targets.finish("accuracy", min(margins), 1)


def fit(task: str) -> dict[str, Any]:
    """Train on all of the training part, score on the test part."""
    import dovetail
    from dovetail.corpus import convert
    from dovetail.evaluate import bootstrap, evaluate

    columns, c2, scheme, _ = SETTINGS[task]
    folder, *parts = tasks.TASKS[task][:3]
    label = [name for name in columns if name][-1]

    def read(part: str) -> dovetail.Corpus:
        path = tasks.data_folder() / folder / part
        corpus = dovetail.read(path, format="conll", columns=columns)
        if scheme is None:
            return corpus
        labels: Any = [convert(row, "IOB1", "IOBES") for row in corpus.lists(label)]
        return corpus.with_column(label, labels)

    train, test = map(read, parts)
    tagger = dovetail.Tagger(c2=c2).fit(train)
    score, low, high, _ = bootstrap(evaluate(test.lists(label), tagger.predict(test)))
    return {
        "score": 100 * score,
        "interval": [100 * low, 100 * high],
        "rows": len(tagger.model_.template.rows),
        "features": tagger.n_features_,
    }


if __name__ == "__main__":
    main()
