"""Whatever is sent, there is an answer: one sentence, and a status that fits."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 400, "the body is no JSON"),
        (b'{"text": "a"', 400, "line 1 column 13"),
        (b'{"text": NaN}', 400, "the body is no JSON"),
        (b"\xff\xfe", 400, "the body is n"),
        (b"[" * 100_000, 400, "the body is no JSON"),
        (b'{"text": ' + b"[" * 960 + b"]" * 960 + b"}", 400, "text is "),
        (b"9" * 10_000, 400, "the body is no JSON"),
        (b"[]", 400, "no object"),
        (b"{}", 400, "give one of text, texts, tokens, sequences; none is here"),
        (b'{"text": "a", "tokens": ["a"]}', 400, "text and tokens is here"),
        (b'{"text": "a", "modell": "talks"}', 400, 'there is no key "modell" here'),
        (b'{"text": "a", "model": "other"}', 404, 'there is no model "other": talks'),
        (b'{"text": "a", "model": 1}', 404, "there is no model 1"),
        (b'{"text": 1}', 400, "text is 1: give a string"),
        (b'{"texts": "a"}', 400, 'texts is "a": give a list'),
        (b'{"texts": ["a", null]}', 400, "texts, number 2, is null: give a string"),
        (b'{"tokens": "a"}', 400, 'tokens is "a": give a list of tokens'),
        (b'{"tokens": ["a", 2]}', 400, "tokens has the token 2"),
        (b'{"tokens": ["a", null]}', 400, "tokens has the token null"),
        (b'{"tokens": [{"a": "b"}]}', 400, "a token is a string"),
        (b'{"tokens": [["a", "b"]]}', 400, "sequence 1 token 1"),
        (b'{"sequences": ["a"]}', 400, 'sequences, number 1, is "a"'),
        (b'{"tokens": ["a"], "unit": "line"}', 400, "unit says how texts are cut"),
        (b'{"text": "a", "unit": "page"}', 400, 'unit is "page": give one: line, paragraph'),
        (b'{"text": "a", "decode": "joint"}', 400, "of the model 'talks': viterbi, marginal"),
        (b'{"text": "a", "nbest": 0}', 400, "nbest is 0: give a whole number, 1 to 100"),
        (b'{"text": "a", "nbest": true}', 400, "nbest is true"),
        (b'{"text": "a", "nbest": 1e99}', 400, "nbest is 1e+99"),
        (b'{"text": "a", "marginals": 1}', 400, "marginals is 1: give true or false"),
        (b'{"text": "\\ud800"}', 400, "lone surrogate"),
        (b'{"tokens": ["\\ud800"]}', 400, "surrogate"),
    ],
)
def test_bodies(make_client: Any, body: bytes, status: int, sentence: str) -> None:
    answer = make_client().post("/v1/tag", content=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert sentence in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_which_model(client: Any) -> None:
    answer = client.post("/v1/tag", json={"text": "a"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "say which model: talks, both, pos, listed"


def test_markup_comes_back_as_data(client: Any) -> None:
    answer = client.post("/v1/tag", json={"model": "<script>alert(1)</script>", "text": "a"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_paths_and_methods(client: Any) -> None:
    answer = client.get("/v1/tag")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"] == "this cannot be asked by GET"
    for path in (
        "/x",
        "/page/../errors.py",
        "/page/%2e%2e/errors.py",
        "/page/",
        "/page//etc/hosts",
    ):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert "/openapi.json" in answer.json()["error"]
