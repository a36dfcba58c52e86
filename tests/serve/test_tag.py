"""What the service says of texts and tokens is what the library says."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import dovetail
from dovetail.demo import path

TEXT = "Speaker: Dr. Ada Lopez\nWhen: Tuesday, 6 August at 4:30pm"
LINES = [
    "Dr. Ada Lopez will speak at 4:30pm .",
    "Where: Room 12, Wean Hall",
    "",
    "Tuesday, 6 August 🎉 at noon",
    "王小明 speaks",
]


def rounded(value: Any) -> Any:
    """Probabilities as they are written."""
    if isinstance(value, float):
        return pytest.approx(value, abs=1e-6)
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def test_one_text(client: Any, folder: Path) -> None:
    answer = client.post("/v1/tag", json={"model": "talks", "text": TEXT}).json()
    [result] = answer["results"]
    expected = dovetail.load(folder / "talks.dovetail").tag_texts([TEXT])[0].to_dict()
    assert result == rounded(expected)
    assert {span["label"] for span in result["spans"]} >= {"SPEAKER", "STIME"}
    assert all(TEXT[one["start"] : one["end"]] == one["text"] for one in result["spans"])
    assert answer["model"] == "talks"


def test_many_texts_with_units(client: Any, folder: Path) -> None:
    texts = [TEXT, *LINES]
    tagger = dovetail.load(folder / "talks.dovetail")
    for unit in ("line", "paragraph", "document"):
        asked = {"model": "talks", "texts": texts, "unit": unit}
        results = client.post("/v1/tag", json=asked).json()["results"]
        assert results == rounded([one.to_dict() for one in tagger.tag_texts(texts, unit=unit)])


def test_tokens_and_sequences(client: Any, folder: Path) -> None:
    sequences = [line.split() for line in LINES if line]
    taggings = dovetail.load(folder / "talks.dovetail").tag(sequences, decode="marginal")
    asked = {"model": "talks", "sequences": sequences, "decode": "marginal"}
    results = client.post("/v1/tag", json=asked).json()["results"]
    assert [one["tokens"] for one in results] == sequences
    for result, tagging in zip(results, taggings, strict=True):
        assert result["labels"] == tagging.labels
        assert result["confidences"] == rounded(tagging.confidences)
        assert result["spans"] == rounded([span._asdict() for span in tagging.spans])
        assert result["probability"] == rounded(tagging.probability)
    asked = {"model": "talks", "tokens": sequences[0], "decode": "marginal"}
    assert client.post("/v1/tag", json=asked).json()["results"] == results[:1]


def test_n_best_and_marginals(client: Any, folder: Path) -> None:
    tagger = dovetail.load(folder / "talks.dovetail")
    asked = {"model": "talks", "text": LINES[0], "nbest": 3, "marginals": True}
    [result] = client.post("/v1/tag", json=asked).json()["results"]
    [sequence] = result["sequences"]
    [ranked] = tagger.predict_nbest([sequence["tokens"]], 3)
    found = [[one["labels"], one["probability"]] for one in sequence["nbest"]]
    assert found == rounded([list(one) for one in ranked])
    [marginals] = tagger.predict_marginals([sequence["tokens"]])
    assert sequence["marginals"] == rounded(marginals)
    assert [LINES[0][a:b] for a, b in sequence["offsets"]] == sequence["tokens"]


@pytest.mark.parametrize("decode", [None, "none", "cascade", "soft", "joint", "auto"])
def test_layers_by_every_decoding(client: Any, folder: Path, decode: str | None) -> None:
    pipeline = dovetail.load(folder / "both.dovetail")
    text = "talk by Ada Lopez at noon"
    asked = {"model": "both", "text": text, "marginals": True} | (
        {"decode": decode} if decode else {}
    )
    [result] = client.post("/v1/tag", json=asked).json()["results"]
    [expected] = pipeline.tag_texts([text], decode=decode)
    found = {name: layer["spans"] for name, layer in result["layers"].items()}
    assert found == rounded(expected.to_dict()["layers"])
    marginals = pipeline.predict_marginals([text.split()], decode=decode)
    [sequence] = result["sequences"]
    for name, [rows] in marginals.items():
        layer = sequence["layers"][name]
        assert layer["marginals"] == rounded(rows)
        assert [sum(row.values()) for row in rows] == pytest.approx([1.0] * len(rows))
        shown = [row[label] for row, label in zip(rows, layer["labels"], strict=True)]
        assert layer["confidences"] == pytest.approx(shown, abs=1e-5)


def test_n_best_of_layers(client: Any, folder: Path) -> None:
    tokens = ["by", "Ada", "Lopez"]
    asked = {"model": "both", "tokens": tokens, "nbest": 2}
    [result] = client.post("/v1/tag", json=asked).json()["results"]
    [ranked] = dovetail.load(folder / "both.dovetail").predict_nbest([tokens], 2)
    for guess, (layers, probability) in zip(result["nbest"], ranked, strict=True):
        assert {name: one["labels"] for name, one in guess["layers"].items()} == layers
        assert guess["probability"] == rounded(probability)


def test_plain_labels_are_spans_of_a_token(client: Any) -> None:
    answer = client.post("/v1/tag", json={"model": "pos", "text": "the dog"}).json()
    spans = answer["results"][0]["spans"]
    assert [(one["start"], one["end"], one["label"]) for one in spans] == [
        (0, 3, "DT"),
        (4, 7, "NN"),
    ]


def test_tokens_by_their_features(client: Any) -> None:
    sequences = [[["w=the"], {"w=cat": 1.0}], []]
    results = client.post("/v1/tag", json={"model": "listed", "sequences": sequences}).json()
    assert [one["labels"] for one in results["results"]] == [["DT", "NN"], []]


def test_lines_of_json(make_client: Any) -> None:
    client = make_client()
    texts = [f"{line} {number}" for number in range(30) for line in LINES]
    whole = client.post("/v1/tag", json={"texts": texts}).json()["results"]
    streamed = client.post(
        "/v1/tag", json={"texts": texts}, headers={"Accept": "application/x-ndjson"}
    )
    assert streamed.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in streamed.text.splitlines()] == whole
    empty = client.post("/v1/tag", json={"texts": []}, headers={"Accept": "application/x-ndjson"})
    assert (empty.status_code, empty.text) == (200, "")


def test_batches_change_nothing(make_client: Any) -> None:
    client = make_client("talks", "both")
    asked = [
        {"model": model, "text": f"{line} {number}"} | more
        for number in range(3)
        for line in LINES
        for model, more in (("talks", {}), ("both", {}), ("talks", {"nbest": 2}))
    ]
    alone = [client.post("/v1/tag", json=one).content for one in asked]
    with ThreadPoolExecutor(12) as threads:
        together = list(threads.map(lambda one: client.post("/v1/tag", json=one).content, asked))
    assert together == alone


def test_a_bad_request_does_not_spoil_those_beside_it(client: Any) -> None:
    good = {"model": "talks", "tokens": ["Ada"]}
    bad = {"model": "talks", "tokens": [["Ada", "NN"]]}
    expected = client.post("/v1/tag", json=good).content
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda one: client.post("/v1/tag", json=one), [good, bad] * 10))
    assert [one.status_code for one in answers] == [200, 400] * 10
    assert {one.content for one in answers[::2]} == {expected}


def test_streams_of_models_that_read_whole_corpora(tmp_path: Path) -> None:
    """What one sequence says of another's words must not depend on how an answer is sent."""
    from starlette.testclient import TestClient

    from dovetail.serve.app import STREAMED, make_app
    from dovetail.serve.models import ServedModels

    corpus = dovetail.read(path("few.conll"))
    context = dovetail.Consistency(label="label").fit(corpus)
    layers = {context.name_: context, "label": dovetail.Tagger()}
    dovetail.Pipeline(layers).fit(corpus).save(tmp_path / "context.dovetail")
    texts = [
        " ".join(row) for row in dovetail.read(path("test.conll"))[: STREAMED + 20].lists("word")
    ]
    app = make_app(ServedModels({"context": tmp_path / "context.dovetail"}))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        whole = client.post("/v1/tag", json={"texts": texts}).json()["results"]
        accept = {"Accept": "application/x-ndjson"}
        lines = client.post("/v1/tag", json={"texts": texts}, headers=accept).text.splitlines()
    assert [json.loads(line) for line in lines] == whole
