"""Tagged sequences as tasks of Label Studio, with what was found as predictions to correct."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from dovetail.cli.outputs.results import LayeredResult, Result, best_spans, last_layers
from dovetail.corpus import Corpus, add_offsets
from dovetail.corpus.label_studio import span_result
from dovetail.errors import DataError

BETWEEN = ",\n"


def write_tasks(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """A task a sequence: its text, and predictions with their scores; of the K best, one each.

    The score of a prediction is the geometric mean of its labels' probabilities, or of the K best
    the probability of the whole labelling. Each span has its probability.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["In", "Rome"]]})
    >>> write_tasks(corpus, [Result(["O", "B-LOC"], [0.9, 0.4], [(1, 2, "LOC", 0.4)])], sys.stdout)
    ... # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
    {"data": {"text": "In Rome"}, "predictions": [{"model_version": "dovetail", "score": 0.6,
    "result": [{"id": "1", ..."labels": ["LOC"]}, "score": 0.4}]}]}
    """
    if any(result.spans is None for result in results):
        raise DataError(
            "Label Studio's predictions are spans, and the labels of this model are plain: "
            "choose another --output-format"
        )
    with_places, _ = add_offsets(corpus)
    tasks = []
    for sequence, result in zip(with_places, results, strict=True):
        assert sequence.text is not None
        assert sequence.offsets is not None
        predictions = [
            {
                "model_version": "dovetail",
                **({} if score is None else {"score": round(score, 6)}),
                "result": [
                    span_result(
                        sequence.text,
                        int(sequence.offsets[start][0]),
                        int(sequence.offsets[end - 1][1]),
                        label,
                        number,
                        None if probability is None else round(probability, 6),
                    )
                    for number, (start, end, label, probability) in enumerate(found, 1)
                ],
            }
            for found, score in _predictions(result)
        ]
        task = {"data": {"text": sequence.text}, "predictions": predictions}
        tasks.append(json.dumps(task, ensure_ascii=False))
    file.write(BETWEEN.join(tasks))


def write_layered_tasks(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """The same of the last layer."""
    write_tasks(corpus, last_layers(results), file)


def _predictions(result: Result) -> Iterator[tuple[Any, float | None]]:
    if result.nbest is None:
        yield result.spans, result.certainty
    for labels, probability in result.nbest or ():
        yield best_spans(labels), probability
