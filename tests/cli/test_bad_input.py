"""Whatever is wrong: one sentence, exit code 1, and nothing half-written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from dovetail.cli import group

Run = Callable[..., Result]


def refused(result: Result) -> str:
    """The sentence, which must be the last and only line of complaint."""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("reading ")]
    lines = [line for line in lines if line != "indexing features"]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("dovetail: ")
    return lines[0]


BAD_DATA = {
    "empty": (b"", "no sequences"),
    "blank": (b"\n\n\n", "no sequences"),
    "ragged": (b"a O\nb\n", "data.conll:2: 1 fields where 2"),
    "not utf-8": (b"a O\n\n\xff\xfe O\n", "data.conll:3 is not UTF-8"),
    "not text": (os.urandom(2000) + b"\xff\x00\n", "data.conll"),
    "one column": (b"a\nb\n", "one column"),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_training_data(run: Run, tmp_path: Path, case: str) -> None:
    content, message = BAD_DATA[case]
    data, model = tmp_path / "data.conll", tmp_path / "m.dovetail"
    data.write_bytes(content)
    assert message in refused(run("train", data, "-m", model, code=1))
    assert os.listdir(tmp_path) == ["data.conll"]


@pytest.mark.parametrize("case", ["empty", "ragged", "not utf-8"])
def test_bad_data_to_score(run: Run, model: Path, tmp_path: Path, case: str) -> None:
    content, message = BAD_DATA[case]
    data = tmp_path / "data.conll"
    data.write_bytes(content)
    assert message in refused(run("eval", model, data, code=1))


@pytest.mark.parametrize("case", ["ragged", "not utf-8"])
def test_bad_data_to_tag(run: Run, model: Path, tmp_path: Path, case: str) -> None:
    content, message = BAD_DATA[case]
    data, output = tmp_path / "data.conll", tmp_path / "out.conll"
    data.write_bytes(content)
    options = ["--chunk-size", 1, "--output", output]
    assert message in refused(run("tag", model, data, *options, code=1))
    assert os.listdir(tmp_path) == ["data.conll"]
    piped = run("tag", model, "--format", "conll", text=content, code=1)
    assert piped.stderr.startswith("dovetail: -")


def test_a_bad_line_of_columns_called_text(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "notes.txt"
    data.write_text(9 * "Dear O\nall O\n\n" + "the talk is at 3 pm.\n")
    message = refused(run("tag", model, data, code=1))
    assert "notes.txt:28: 6 fields where 2 were expected" in message
    assert "say --format text" in message


def test_output_stays_as_it_was(run: Run, model: Path, tmp_path: Path) -> None:
    data, output = tmp_path / "data.conll", tmp_path / "out.conll"
    data.write_text("a O\nb\n")
    output.write_text("precious\n")
    refused(run("tag", model, data, "-o", output, code=1))
    assert output.read_text() == "precious\n"


@pytest.mark.parametrize("name", ["missing.conll", "."])
def test_missing_files_and_directories(run: Run, model: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    out = tmp_path / "m.dovetail"
    options = ["--format", "conll"]
    for result in (
        run("train", path, "-m", out, *options, code=1),
        run("tag", model, path, *options, code=1),
        run("eval", model, path, *options, code=1),
        run("eval", path, path, *options, code=1),
        run("info", path, code=1),
        run("tag", path, *options, code=1),
    ):
        assert str(path) in refused(result)
    assert not out.exists()


def test_missing_warm_start(run: Run, test_file: Path, tmp_path: Path) -> None:
    result = run("train", test_file, "-m", tmp_path / "m", "--warm-start", tmp_path / "no", code=1)
    assert "no" in refused(result)


@pytest.mark.parametrize("how", ["empty", "cut", "altered header", "altered weights", "text"])
def test_damaged_models(run: Run, model: Path, test_file: Path, tmp_path: Path, how: str) -> None:
    content = bytearray(model.read_bytes())
    if how == "empty":
        content.clear()
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "altered header":
        content[content.index(b"B-SPEAKER")] ^= 1
    elif how == "altered weights":
        start = 8 + int.from_bytes(content[:8], "little")
        content[start::64] = bytes(b ^ 0xFF for b in content[start::64])
    else:
        content[:] = b"the quick brown fox\n" * 10
    damaged = tmp_path / "damaged.dovetail"
    damaged.write_bytes(content)
    for command in (["tag", damaged, test_file], ["eval", damaged, test_file], ["info", damaged]):
        assert "damaged.dovetail" in refused(run(*command, code=1))


def test_unwritable_places(run: Run, model: Path, test_file: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "such" / "folder" / "m"
    for target in (nowhere, tmp_path):
        result = run("train", test_file, "-m", target, code=1)
        assert "cannot write" in refused(result)
        assert "cannot write" in refused(run("tag", model, test_file, "-o", target, code=1))
    result = run("train", test_file, "-m", tmp_path / "m", "--checkpoint", nowhere, code=1)
    assert "cannot write" in refused(result)
    assert not any(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_forbidden_folder(run: Run, test_file: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    result = run("train", test_file, "-m", tmp_path / "m", code=1)
    assert "permission denied" in refused(result)


def test_label_columns_that_are_not_there(run: Run, model: Path, test_file: Path) -> None:
    assert "'ner'" in refused(run("train", test_file, "-m", "m", "--label", "ner", code=1))
    assert "'ner'" in refused(run("eval", model, test_file, "--label", "ner", code=1))
    assert "'x'" in refused(run("eval", test_file, "--gold", "x", "--predicted", "label", code=1))


def test_labels_of_another_kind(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("the DT\ncat NN\n")
    assert "none of its labels (DT, NN)" in refused(run("eval", model, data, code=1))


def test_too_many_columns(run: Run, pos_model: Path) -> None:
    result = run("tag", pos_model, "--format", "conll", text="a b c d e\n", code=1)
    assert "5 columns where the model reads form, language" in refused(result)


def test_text_for_a_model_of_more_columns(run: Run, pos_model: Path) -> None:
    assert "'form'" in refused(run("tag", pos_model, "--format", "text", text="a\n", code=1))


def test_words_for_a_model_of_features(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    assert "feature" in refused(run("tag", tmp_path / "m", "--format", "text", text="a\n", code=1))


@pytest.mark.parametrize(
    ("line", "message"),
    [("D\tw:nan\n", "'nan' is not a finite"), ("D\tw:x\n", "'x' is not"), ("\tw\n", "no label")],
)
def test_bad_feature_text(
    run: Run, feature_text: Path, tmp_path: Path, line: str, message: str
) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    bad = tmp_path / "bad.crfsuite"
    bad.write_text(f"D\tw=a\n{line}")
    for command in ("tag", "eval"):
        result = refused(run(command, tmp_path / "m", bad, code=1))
        assert message in result
        assert "bad.crfsuite:2" in result
    assert "line 2" in refused(run("train", bad, "-m", tmp_path / "n", code=1))


def test_impossible_settings(run: Run, test_file: Path, tmp_path: Path) -> None:
    out = ["-m", tmp_path / "m"]
    assert "L1" in refused(run("train", test_file, *out, "--c1", 1, "--method", "sgd", code=1))
    assert "c2" in run("train", test_file, *out, "--c2", "-1", code=2).output
    assert "c2" in run("train", test_file, *out, "--c2", "nan", code=2).output
    assert "constraints" in run("train", test_file, *out, "--constraints", "IOB1", code=1).stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (MemoryError(), "not enough memory", 1),
        (OSError(28, "No space left on device"), "No space left on device", 1),
        (KeyboardInterrupt(), "interrupted", 130),
    ],
)
def test_other_troubles(
    run: Run,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    message: str,
    code: int,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(group, "_drop_output", lambda: None)
    monkeypatch.setattr("dovetail.cli.info.load", fail)
    assert message in refused(run("info", model, code=code))
