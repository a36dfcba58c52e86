"""The model file: what goes in comes out, and what is damaged is told."""

from __future__ import annotations

import copy
import json
import os
import pickle
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

import dovetail
from dovetail import FeatureGroup, Tagger
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.io.model_file import open_model, parse_json, to_bytes
from dovetail.limits import limits

X: list[Any] = [
    [["w=in", "cap"], {"w=paris": 1.0, "length": 0.5}, ["w=today"]],
    [["w=anna", "cap"], ["w=smith", "cap"], ["w=is"], ["w=in"], ["w=rome", "cap"]],
    [["w=today"], ["w=is"], {"w=paris": 2.0}],
]
Y = [["O", "B-LOC", "O"], ["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "O", "B-LOC"]]


def trained() -> Tagger:
    """A model that uses every array of the file."""
    groups = [FeatureGroup("cap", on="both", prior=2.0)]
    tagger = Tagger(c2=0.1, groups=groups, constraints="IOB2")
    return tagger.fit(X, Y, allowed=[[None] * len(row) for row in Y])


TAGGER = trained()
CONTENT = TAGGER.to_bytes()
HEADER = 8 + int.from_bytes(CONTENT[:8], "little")


def behaviour(tagger: Tagger) -> list[Any]:
    """Everything that a user can see of a model."""
    return [
        tagger.labels_,
        tagger.predict(X),
        tagger.predict(X, decode="marginal"),
        tagger.predict_marginals(X),
        tagger.predict_nbest(X, 3),
        tagger.tag(X),
        tagger.sample(X, 3),
        [tagger.explain(sequence).to_dict() for sequence in X],
        tagger.top_weights(1000),
        tagger.transitions(),
        tagger.training_,
        tagger.label_column_,
        (tagger.n_features_, tagger.n_weights_),
        tagger.stopped_,
        {**tagger.get_params(), "threads": None},
    ]


BEHAVIOUR = behaviour(TAGGER)


def test_every_array_is_used() -> None:
    file = open_model(CONTENT)
    header = json.loads(CONTENT[8:HEADER])
    assert all(len(file.array(name)) for name in header if name != "__metadata__" and name != "end")


@pytest.mark.parametrize("threads", [1, 4])
def test_save_and_load(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "a model.dovetail"
    TAGGER.save(path)
    assert path.read_bytes() == CONTENT
    assert behaviour(dovetail.load(path, threads=threads)) == BEHAVIOUR
    assert behaviour(dovetail.load(str(path))) == BEHAVIOUR
    assert dovetail.load(path).to_bytes() == CONTENT
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_load_from_memory(kind: Any) -> None:
    assert behaviour(dovetail.load(kind(CONTENT))) == BEHAVIOUR


def test_changing_the_memory_afterwards_changes_nothing() -> None:
    content = bytearray(CONTENT)
    tagger = dovetail.load(content)
    content[:] = bytes(len(content))
    assert behaviour(tagger) == BEHAVIOUR


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    again = pickle.loads(pickle.dumps(TAGGER, protocol))
    assert behaviour(again) == BEHAVIOUR
    assert again.history_ == TAGGER.history_
    assert again.get_params() == TAGGER.get_params()


def test_copies_and_unfitted_taggers() -> None:
    assert behaviour(copy.deepcopy(TAGGER)) == BEHAVIOUR
    blank = pickle.loads(pickle.dumps(Tagger(c2=3.0)))
    assert blank.c2 == 3.0
    with pytest.raises(DovetailError, match="has not been trained"):
        blank.save("nowhere")


def test_a_file_can_be_replaced_while_it_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "model"
    TAGGER.save(path)
    in_use = dovetail.load(path)
    Tagger().fit(X[:1], [["A", "B", "C"]]).save(path)
    assert dovetail.load(path).labels_ == ["A", "B", "C"]
    assert behaviour(in_use) == BEHAVIOUR


def test_other_readers_can_open_it(tmp_path: Path) -> None:
    TAGGER.save(tmp_path / "model.safetensors")
    with safe_open(tmp_path / "model.safetensors", framework="numpy") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert metadata["format"] == "dovetail"
    labels = json.loads(metadata["facts"])["labels"]
    assert labels == TAGGER.labels_
    transitions = arrays["transitions"].reshape(len(labels), len(labels))
    assert {
        (a, b): float(transitions[i, j]) for i, a in enumerate(labels) for j, b in enumerate(labels)
    } == TAGGER.transitions()
    offsets = arrays["name_offsets"]
    names = [arrays["names"][a:b].tobytes().decode() for a, b in pairwise(offsets)]
    assert {"w=paris", "cap", "length"} <= set(names)


def damaged_is_told(content: bytes) -> None:
    """An error of ours, or a model that behaves as before."""
    try:
        tagger = dovetail.load(content)
        seen = behaviour(tagger)
    except ModelFileError:
        return
    assert seen == BEHAVIOUR


CUTS = [0, 1, 7, 8, 9, 15, 16, 100, HEADER - 1, HEADER, HEADER + 1, len(CONTENT) - 1]


@pytest.mark.parametrize("length", CUTS, ids=[f"cut{k}" for k in range(len(CUTS))])
def test_truncated(length: int, tmp_path: Path) -> None:
    in_memory = "is cut short" if length >= HEADER else "is not a model file, or is cut short"
    with pytest.raises(ModelFileError, match=f"the model {in_memory}"):
        dovetail.load(CONTENT[:length])
    path = tmp_path / "model"
    path.write_bytes(CONTENT[:length])
    with pytest.raises(ModelFileError, match=rf"{path} is (not a model|cut short)"):
        dovetail.load(path)


@given(st.integers(0, len(CONTENT) - 1))
@settings(deadline=None, max_examples=150)
def test_truncated_anywhere(length: int) -> None:
    with pytest.raises(ModelFileError):
        dovetail.load(CONTENT[:length])


@given(
    st.lists(
        st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(1, 255)), min_size=1, max_size=4
    )
)
@settings(deadline=None, max_examples=300)
def test_changed_bytes(changes: list[tuple[int, int]]) -> None:
    content = bytearray(CONTENT)
    for place, change in changes:
        content[place] ^= change
    damaged_is_told(bytes(content))


@given(st.integers(0, HEADER - 1), st.sampled_from(b'0123456789eE.-+"\\{}[],: naNI\xff\x00'))
@settings(deadline=None, max_examples=400)
def test_changed_characters_of_the_header(place: int, character: int) -> None:
    content = bytearray(CONTENT)
    content[place] = character
    damaged_is_told(bytes(content))


@pytest.mark.parametrize(
    "offset", ["1e999", "-1", "NaN", "Infinity", "[]", "null", '"x"', "1" * 5000]
)
def test_absurd_offsets(offset: str) -> None:
    header = json.loads(CONTENT[8:HEADER])
    header["row"]["data_offsets"][1] = "HERE"
    text = json.dumps(header).replace('"HERE"', offset).encode()
    with pytest.raises(ModelFileError):
        dovetail.load(len(text).to_bytes(8, "little") + text + CONTENT[HEADER:])


def test_every_array_is_guarded() -> None:
    """A bit changed in the midst of any array is noticed when the array is used."""
    header = json.loads(CONTENT[8:HEADER])
    for name, entry in header.items():
        if name == "__metadata__" or len(set(entry["data_offsets"])) == 1:
            continue
        content = bytearray(CONTENT)
        content[HEADER + sum(entry["data_offsets"]) // 2] ^= 1
        with pytest.raises(ModelFileError, match=f"the array '{name}' has changed"):
            behaviour(dovetail.load(bytes(content)))


@pytest.mark.parametrize("verify", [True, None])
def test_names_are_verified_when_the_file_is_opened(tmp_path: Path, verify: bool | None) -> None:
    path = tmp_path / "model"
    path.write_bytes(CONTENT.replace(b"w=paris", b"w=milan"))
    with pytest.raises(ModelFileError, match=f"{path} is damaged: the array 'names' has changed"):
        dovetail.load(path, verify=verify)
    assert dovetail.load(path, verify=False).predict(X) == BEHAVIOUR[1]


def test_an_array_that_was_added_is_told() -> None:
    header = json.loads(CONTENT[8:HEADER])
    header["more"] = header["names"]
    text = json.dumps(header).encode()
    with pytest.raises(ModelFileError, match="the array 'more' was not there"):
        dovetail.load(len(text).to_bytes(8, "little") + text + CONTENT[HEADER:], verify=True)


def test_a_changed_description_is_told() -> None:
    at = CONTENT.index(b"B-LOC")
    with pytest.raises(ModelFileError, match="its description has changed since it was written"):
        dovetail.load(CONTENT[:at] + b"B-ORG" + CONTENT[at + 5 :])


def test_a_wrong_size_is_told() -> None:
    header = json.loads(CONTENT[8:HEADER])
    header["row"]["shape"][0] += 1
    text = json.dumps(header).encode()
    with pytest.raises(ModelFileError, match="the array 'row' has a wrong size"):
        dovetail.load(len(text).to_bytes(8, "little") + text + CONTENT[HEADER:])


def array_bytes() -> dict[str, Any]:
    file = open_model(CONTENT)
    names = [name for name in json.loads(CONTENT[8:HEADER]) if name != "__metadata__"]
    return {name: np.frombuffer(file.array(name), np.uint8) for name in names}


def rewritten(arrays: dict[str, Any] | None = None, **facts: Any) -> bytes:
    """The model with other arrays and facts, and checksums that fit."""
    return to_bytes({**array_bytes(), **(arrays or {})}, {**open_model(CONTENT).facts, **facts})


def test_rewriting_alone_changes_nothing() -> None:
    assert behaviour(dovetail.load(rewritten())) == BEHAVIOUR


@pytest.mark.parametrize(
    "facts",
    [
        {"labels": None},
        {"labels": []},
        {"labels": ["O"]},
        {"labels": 5},
        {"labels": "OBI"},
        {"labels": [f"L{n}" for n in range(40)]},
        {"training": None},
        {"training": "yesterday"},
    ],
)
def test_facts_that_cannot_be_are_told(facts: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match="is damaged"):
        dovetail.load(rewritten(**facts))


@pytest.mark.parametrize("size", [0, 7, 8, 12, 4096])
def test_places_of_names_that_do_not_fit_are_told(size: int) -> None:
    places = np.resize(array_bytes()["name_offsets"], size)
    tagger = dovetail.load(rewritten({"name_offsets": places}))
    assert tagger.predict(X) == BEHAVIOUR[1]
    with pytest.raises(ModelFileError, match="is damaged: its feature names do not fit"):
        tagger.top_weights()


@given(st.sampled_from(["names", "name_offsets"]), st.data())
@settings(deadline=None, max_examples=150)
def test_hostile_names(name: str, data: st.DataObject) -> None:
    """Names of any bytes at any places: they are shown, or the file is told to be damaged."""
    raw = bytearray(array_bytes()[name].tobytes())
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.just(len(raw)) | st.integers(0, len(raw)))]
    raw += data.draw(st.binary(max_size=17))
    tagger = dovetail.load(rewritten({name: np.frombuffer(bytes(raw), np.uint8)}))
    try:
        shown = tagger.top_weights(1000)
    except ModelFileError:
        return
    assert len(shown) == len(TAGGER.top_weights(1000))


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    header = json.loads(CONTENT[8:HEADER])
    header["__metadata__"]["version"] = "2"
    text = json.dumps(header).encode()
    path = tmp_path / "new"
    path.write_bytes(len(text).to_bytes(8, "little") + text + CONTENT[HEADER:])
    with pytest.raises(ModelFileError, match=f"{path} has format version 2.*update Dovetail"):
        dovetail.load(path)


def test_what_is_not_a_model(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("This is not a model, but a note that is long enough to look into.\n")
    with pytest.raises(ModelFileError, match=rf"{text} is not a model file"):
        dovetail.load(text)
    other = tmp_path / "other.safetensors"
    save_file({"weights": np.zeros(3)}, other, {"format": "pt"})
    with pytest.raises(ModelFileError, match=rf"{other} is not a"):
        dovetail.load(other)
    bare = tmp_path / "bare.safetensors"
    save_file({"weights": np.zeros(3, np.float32)}, bare)
    with pytest.raises(ModelFileError, match=rf"{bare} is not a Dovetail model"):
        dovetail.load(bare)
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(ModelFileError, match="it has only 0 bytes"):
        dovetail.load(empty)
    with pytest.raises(ModelFileError, match=rf"cannot open the model {tmp_path}: Is a directory"):
        dovetail.load(tmp_path)
    with pytest.raises(ModelFileError, match="missing: No such file"):
        dovetail.load(tmp_path / "missing")
    with pytest.raises(ModelFileError, match="not a model file"):
        dovetail.load(b"")
    for header in (
        b"[]",
        b"{}",
        b"null",
        b'{"a":3}',
        b"[" * 5000,
        b'{"__metadata__":[]}',
        b"\xff\xfe",
    ):
        with pytest.raises(ModelFileError):
            dovetail.load(len(header).to_bytes(8, "little") + header + bytes(20))


# Writing


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Writing a file beyond this size fails, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [0, 100, len(CONTENT) - 1], ids=["none", "some", "most"])
def test_a_failing_disk_leaves_the_old_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"the old model")
    with largest_file(size), pytest.raises(DataError, match=f"cannot write {path}: File too large"):
        TAGGER.save(path)
    assert path.read_bytes() == b"the old model"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_the_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"the old model")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(DataError, match=r"cannot write .*: No space left on device"):
        TAGGER.save(path)
    assert path.read_bytes() == b"the old model"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device() -> None:
    with pytest.raises(DataError, match="cannot write /dev/full: No space left on device"):
        TAGGER.save("/dev/full")


def test_an_unwritable_path(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write .*missing/model: No such file"):
        TAGGER.save(tmp_path / "missing" / "model")
    with pytest.raises(DataError, match=r"cannot write .*: Is a directory"):
        TAGGER.save(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"cannot write .*: Not a directory"):
        TAGGER.save(tmp_path / "file" / "model")
    assert os.listdir(tmp_path) == ["file"]


BARE: dict[str, Any] = {"kind": "x", "labels": [], "training": {}}


@pytest.mark.parametrize(
    ("name", "fits", "does_not"),
    [
        ("labels", ["a", "b"], ["a", "a"]),
        ("labels", [], {"a": 1}),
        ("training", {"a": 1}, []),
        ("dovetail", "1", 1),
        ("unit", None, 5),
        ("unit", "line", []),
        ("columns", ["a"], "a"),
        ("columns", None, [1]),
        ("stopped", "early", None),
        ("origin", {"a": "b"}, {"a": 1}),
        ("resume", {"number": 0, "kept": 2, "seconds": 0.5, "history": [[1]]}, {"number": 0}),
        (
            "resume",
            {"number": 0, "kept": 2, "seconds": 1, "history": []},
            {"number": -1, "kept": 2, "seconds": 1, "history": []},
        ),
    ],
)
def test_facts_have_to_be_what_they_are_for_every_kind(name: str, fits: Any, does_not: Any) -> None:
    assert open_model(to_bytes({}, {**BARE, name: fits})).facts[name] == fits
    with pytest.raises(ModelFileError, match=f"is damaged: '{name}' in its description"):
        open_model(to_bytes({}, {**BARE, name: does_not}))


def test_a_file_without_a_kind_holds_a_tagger() -> None:
    facts = {"labels": [], "training": {}, "scheme": "IOB2", "features": None, "label": None}
    assert open_model(to_bytes({}, facts)).kind == "tagger"
    with pytest.raises(ModelFileError, match="'scheme' in its description is missing"):
        open_model(to_bytes({}, {**facts, "scheme": 1}))


def test_the_ranges_of_numbers_in_facts() -> None:
    for value in ("99999999999999999999", "1e308", "-0.5"):
        assert parse_json(f"[{value}]") == [
            float(value) if "." in value or "e" in value else int(value)
        ]
    for value in ("999999999999999999999", "1e309", "-1e999"):
        with pytest.raises(ValueError, match=r"digits|range of numbers"):
            parse_json(f"[{value}]")


def test_arrays_are_aligned_and_names_are_as_they_are() -> None:
    for length in range(8):
        arrays = {"é" * length: np.arange(3, dtype=np.uint64), "b": np.zeros(1, np.uint8)}
        content = to_bytes(arrays, BARE)
        head = int.from_bytes(content[:8], "little")
        assert head % 8 == 0
        assert ("é" * length).encode() in content[: 8 + head]
        assert (
            np.frombuffer(open_model(content).array("é" * length), np.uint64) == [0, 1, 2]
        ).all()


def test_files_too_short_to_be_a_model(tmp_path: Path) -> None:
    path = tmp_path / "m"
    for size in (0, 15):
        path.write_bytes(bytes(size))
        with pytest.raises(ModelFileError, match=f"it has only {size} bytes"):
            open_model(path)
    path.write_bytes(bytes(16))
    with pytest.raises(ModelFileError, match="is not a model file, or is cut short"):
        open_model(path)


def test_small_files_are_read_and_mapped_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(to_bytes({"a": np.arange(9, dtype=np.uint8)}, BARE))
    opened = {mmap: open_model(path, mmap=mmap) for mmap in (None, False, True)}
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
    last = {mmap: bytes(file.content[-1:]) for mmap, file in opened.items()}
    assert last == {None: b"\x08", False: b"\x08", True: b"x"}


def test_a_checked_array_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    content = to_bytes({"a": np.arange(9, dtype=np.uint8)}, BARE)
    sums = []
    real = dovetail.io.model_file._native.checksum
    monkeypatch.setattr(
        "dovetail.io.model_file._native",
        SimpleNamespace(checksum=lambda found: (sums.append(len(found)), real(found))[1]),
    )
    file = open_model(content)
    for _ in range(3):
        file.array("a")
    assert sums.count(9) == 1
    file = open_model(content, verify=False)
    file.array("a")
    assert sums.count(9) == 1


PIPELINE: dict[str, Any] = {
    **BARE, "kind": "pipeline", "layers": [{"name": "a", "weight": 1.0}], "notes": [],
    "decode": "cascade", "lattice": None, "inference": "exact", "epsilon": 0.5,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "fits", "does_not"),
    [
        ("lattice", [None, 1, limits.lattice], [0, -1, 1.0, True, limits.lattice + 1]),
        ("representations", [[], [{"name": "a"}]], [{}, [{}], [{"name": 1}], ["a"]]),
        ("layers", [[]], [[{"name": "a"}], [{"weight": 1.0}], [{"name": 1, "weight": 1}], None]),
        ("epsilon", [0, -1.5, 2**62], [None, "1", True, 2**63, -(2**63)]),
        ("training", [{"a": {}}], [{"a": 1}]),
    ],
)
def test_facts_of_a_pipeline(name: str, fits: list[Any], does_not: list[Any]) -> None:
    for value in fits:
        assert open_model(to_bytes({}, {**PIPELINE, name: value})).facts[name] == value
    for value in does_not:
        with pytest.raises(ModelFileError, match=f"is damaged: '{name}' in its description"):
            open_model(to_bytes({}, {**PIPELINE, name: value}))


@pytest.mark.parametrize(
    ("clusters", "sound"),
    [(None, True), (1, True), (65_535, True), (0, False), (65_536, False), (1.5, False)],
)
def test_clusters_of_word_vectors(clusters: Any, sound: bool) -> None:
    facts = {**BARE, "kind": "set of word vectors", "dimensions": 3}
    content = to_bytes({}, {**facts, "settings": {"clusters": clusters, "name": "v"}})
    if sound:
        assert open_model(content).facts["settings"]["clusters"] == clusters
    else:
        with pytest.raises(ModelFileError, match="'settings' in its description"):
            open_model(content)
    with pytest.raises(ModelFileError, match="'settings' in its description"):
        open_model(to_bytes({}, {**facts, "settings": {"clusters": None, "name": 5}}))


def test_wide_items_come_first_and_text_is_as_it_is() -> None:
    arrays = {"a": np.zeros(3, np.uint8), "b": np.zeros(1, np.uint64), "c": np.zeros(1, np.uint16)}
    content = to_bytes(arrays, {**BARE, "notes": "日本"})
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert [header[name]["data_offsets"] for name in "bca"] == [[0, 8], [8, 10], [10, 13]]
    assert "日本" in header["__metadata__"]["facts"]
    assert "日本".encode() in content
