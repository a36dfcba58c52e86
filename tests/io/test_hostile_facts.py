"""Model files from strangers: each is refused in one sentence, or works; none takes forever."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import Tagger, Template, column
from dovetail.corpus import Corpus
from dovetail.errors import DovetailError, ModelFileError
from dovetail.io.model_file import open_model, to_bytes
from dovetail.limits import limits

X = [[["a"], ["b"], ["c"]], [["b"], ["a"]]]
Y = [["X", "Y", "Z"], ["Y", "X"]]
SOUND = Tagger(c2=0.1, threads=1).fit(X, Y).to_bytes()
NESTED = "pairs(pairs(pairs(pairs(pairs(word[-9..9])))))"


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    file = open_model(content)
    arrays = {name: np.frombuffer(file.array(name), np.uint8) for name in file._arrays}
    return arrays, dict(file.facts)


ARRAYS, FACTS = parts(SOUND)
MISSING: Any = object()


def with_facts(**changes: Any) -> bytes:
    facts = {name: value for name, value in {**FACTS, **changes}.items() if value is not MISSING}
    return to_bytes(ARRAYS, facts)


def use(content: bytes, verify: bool | None = None) -> None:
    tagger = dovetail.load(content, verify=verify)
    assert repr(tagger)
    tagger.predict(X)
    tagger.tag(X)
    tagger.predict_nbest(X, 2)
    tagger.predict_marginals(X)
    tagger.explain(X[0])
    tagger.log_likelihood(X, Y)
    tagger.tag_texts(["a b"])


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": []},
        {"kind": 5},
        {"features": 5},
        {"features": {"kind": "template"}},
        {"features": MISSING},
        {"scheme": MISSING},
        {"scheme": 5},
        {"labels": [1, [], 3]},
        {"labels": ["X", "X", "X"]},
        {"labels": 5},
        {"training": []},
        {"label": []},
        {"unit": 5},
        {"columns": 5},
        {"dovetail": []},
        {"resume": 7},
        {"training": {"settings": {"c2": 10**400}}},
        {"training": {"settings": {"c2": [], "tolerance": "x"}}},
        {"training": {"settings": {"groups": [{"zz": 1}]}}},
    ],
)
def test_facts_are_checked_before_they_are_used(changes: dict[str, Any]) -> None:
    with pytest.raises(DovetailError):
        use(with_facts(**changes))


def with_header(old: bytes, new: bytes) -> bytes:
    length = int.from_bytes(SOUND[:8], "little")
    head = SOUND[8 : 8 + length].rstrip().replace(old, new, 1)
    assert head != SOUND[8 : 8 + length].rstrip()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + SOUND[8 + length :]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"shape":[', b'"shape":[' + 200 * (4000 * b"9" + b",") + b"1,"),
        (b'"shape":[', b'"shape":[1e400,'),
    ],
)
def test_headers_are_checked(old: bytes, new: bytes) -> None:
    with pytest.raises(ModelFileError):
        dovetail.load(with_header(old, new))


@pytest.mark.parametrize("what", ["facts", "checksums"])
def test_facts_and_checksums_that_are_numbers(what: str) -> None:
    length = int.from_bytes(SOUND[:8], "little")
    header = json.loads(SOUND[8 : 8 + length])
    for value in (5, "5", "[]", "null", '{"a": 1}'):
        header["__metadata__"][what] = value
        facts, sums = header["__metadata__"]["facts"], header["__metadata__"]["checksums"]
        if isinstance(value, str):
            from dovetail.io.model_file import _digest

            header["__metadata__"]["digest"] = _digest(facts, sums)
        head = json.dumps(header).encode()
        head += b" " * (-len(head) % 8)
        with pytest.raises(ModelFileError):
            dovetail.load(len(head).to_bytes(8, "little") + head + SOUND[8 + length :])


@pytest.mark.parametrize("byte", [0x7F, 0xFF])
@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_bad_rows_that_nobody_has_verified(name: str, byte: int) -> None:
    content = to_bytes({**ARRAYS, name: np.full_like(ARRAYS[name], byte)}, FACTS)
    try:
        use(content, verify=False)
    except DovetailError:
        return
    with pytest.raises(DovetailError) if ARRAYS[name].size and "name" not in name else _any():
        use(content, verify=True)


class _any:  # noqa: N801 - a context
    """Whatever happens."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> bool:
        return True


def small_template() -> bytes:
    corpus = Corpus.from_lists({"word": [["a", "b", "c"], ["b", "a"]], "label": Y})
    return Tagger(features=Template(column("word")), c2=0.1, threads=1).fit(corpus).to_bytes()


@pytest.mark.parametrize(
    "text",
    [
        NESTED,
        "word[-99..99] & word[-99..99] & word[-99..99]",
        20 * "(word | word[1]) & " + "word",
        "(" + "word & " * 3000 + "word)[-99..99]",
        200 * "pairs(" + "word[0..3]" + 200 * ")",
    ],
)
def test_templates_that_expand_without_end(text: str) -> None:
    arrays, facts = parts(small_template())
    facts["features"]["text"] = text
    with pytest.raises(DovetailError):
        dovetail.load(to_bytes(arrays, facts)).predict([["a", "b"]])


def test_the_limit_of_rows_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DovetailError, match=r"more than 20,000 rows.*DOVETAIL_TEMPLATE_ROWS"):
        Template.parse("word[-99..99] & word[-99..99]")
    monkeypatch.setattr(limits, "template_rows", 100_000)
    assert len(Template.parse("word[-99..99] & word[-99..99]").rows) == 199 * 199


def test_an_expression_in_a_model_that_never_ends() -> None:
    arrays, facts = parts(small_template())
    facts["features"]["text"] = 'word.match("(a+)+b")'
    tagger = dovetail.load(to_bytes(arrays, facts))
    assert len(tagger.predict([[80 * "a", "b"]])[0]) == 2


def test_a_pipeline_with_an_endless_lattice() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b", "c"], ["b", "a"]], "label": Y})
    pipeline = dovetail.Pipeline({"label": Tagger(c2=0.1)}).fit({"label": corpus})
    arrays, facts = parts(pipeline.to_bytes())
    for lattice in (2147483647, -1, "5", 2**70):
        with pytest.raises(ModelFileError, match=r"'lattice' in its description|cannot be read"):
            dovetail.load(to_bytes(arrays, {**facts, "lattice": lattice}))


def test_impossible_clusters_of_vectors() -> None:
    vectors = dovetail.WordVectors(["a", "b", "c"], [[1, 0], [0, 1], [1, 1]], clusters=2)
    arrays, facts = parts(vectors.to_bytes())
    for clusters in (2**31 - 1, 0, -1, float("inf"), "2", True):
        settings = {**facts["settings"], "clusters": clusters}
        with pytest.raises(ModelFileError, match=r"'settings' in its description|cannot be read"):
            dovetail.load(to_bytes(arrays, {**facts, "settings": settings}))
