"""dovetail tag --out: many files into a folder, piece by piece."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result

import dovetail
from dovetail import demo
from dovetail.corpus import Corpus, read, write_parquet

Run = Callable[..., Result]
COMMAND = [sys.executable, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Some Parquet files, large enough to be killed in."""
    folder = tmp_path_factory.mktemp("texts")
    corpus = Corpus.concatenate([read(demo.path("test.conll"))] * 5)
    paths = [folder / f"part-{k}.parquet" for k in range(6)]
    for k, path in enumerate(paths):
        write_parquet(corpus[k : len(corpus) - k], path)
    return paths


@pytest.fixture(scope="module")
def tagged(run: Run, model: Path, texts: list[Path], tmp_path_factory) -> Path:
    """The same, tagged without any trouble."""
    folder = tmp_path_factory.mktemp("tagged") / "all"
    shown = run("tag", model, *texts, "--out", folder, "--marginals", "--spans")
    assert "6 of 6: " in shown.stderr
    return folder


def test_rows_keep_their_columns_and_get_labels(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    corpus = read(test_file)
    rows = corpus.lists("word")
    table = pa.table({"id": range(len(rows) + 1), "tokens": [[], *rows], "year": [1.5] * 201})
    pq.write_table(table, tmp_path / "x.parquet")
    run("tag", model, tmp_path / "x.parquet", "--out", tmp_path / "out", "--marginals", "--spans")
    found = pq.read_table(tmp_path / "out" / "x-00000.parquet")
    assert found.select(table.schema.names).equals(table)
    names = ["predicted", "confidence", "spans"]
    assert found.schema.names == [*table.schema.names, *names]
    tagger = dovetail.load(model)
    taggings = tagger.tag(corpus.without_column(corpus.names[-1]))
    assert found["predicted"].to_pylist() == [[], *(one.labels for one in taggings)]
    assert found["confidence"].to_pylist() == [[], *(one.confidences for one in taggings)]
    spans = [[tuple(span.values()) for span in row] for row in found["spans"].to_pylist()]
    assert spans[1:] == [[tuple(span) for span in one.spans] for one in taggings]


def test_row_groups_are_gathered_into_pieces(run: Run, model: Path, tmp_path: Path) -> None:
    table = pa.table({"tokens": [["Ada"]] * 45_000})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=7_000)
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    run("tag", model, tmp_path, "--out", tmp_path / "out", "--nbest", 2)
    sizes = {p.name: pq.read_metadata(p).num_rows for p in (tmp_path / "out").glob("*.parquet")}
    numbered = {"x-00000.parquet": 21_000, "x-00001.parquet": 21_000, "x-00002.parquet": 3_000}
    assert sizes == {"empty-00000.parquet": 0, **numbered}
    best = pq.read_table(tmp_path / "out" / "x-00002.parquet")["nbest"][0].as_py()
    assert [*best[0]] == ["labels", "probability"]
    assert best[0]["probability"] >= best[1]["probability"]


def test_files_with_one_name_on_some_systems_are_refused(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    for folder, name in (("a", "text.conll"), ("b", "Text.conll")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(test_file.read_bytes())
    files = tmp_path / "a" / "text.conll", tmp_path / "b" / "Text.conll"
    shown = run("tag", model, *files, "--out", tmp_path / "out", code=1)
    assert "written as text.conll and Text.conll, which some systems" in shown.stderr


def test_files_that_differ_in_their_suffix_are_told_apart(
    run: Run, model: Path, texts: list[Path], tmp_path: Path
) -> None:
    text = tmp_path / "part-0.txt"
    text.write_text("Ada ran.\n")
    out = "--out", tmp_path / "out", "--output-format", "parquet"
    run("tag", model, texts[0], text, *out)
    assert "1 of them before" in run("tag", model, texts[0], *out).stderr


def test_a_killed_command_goes_on_where_it_was(
    model: Path, texts: list[Path], tagged: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    options = ["--out", str(folder), "--marginals", "--spans"]
    command = [*COMMAND, "tag", str(model), *map(str, reversed(texts)), *options]
    with subprocess.Popen(command, stderr=-1, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGKILL)
    finished = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
    assert 0 < len(finished) < len(texts)
    (folder / ".part-0-00000.parquet.0123456789ab.part").write_bytes(b"what was left of a piece")
    again = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert f"6 pieces, {len(finished)} of them before" in again.stderr
    assert contents(folder) == contents(tagged)
    assert finished.items() <= {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}.items()


def test_a_command_that_was_killed_at_once_goes_on(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "._dovetail.json.0123456789ab.part").write_bytes(b"half of the journal")
    run("tag", model, test_file, "--out", folder)
    assert {path.name for path in folder.iterdir()} == {"_dovetail.json", "test.conll"}


def test_interrupted(model: Path, texts: list[Path], tmp_path: Path) -> None:
    command = [*COMMAND, "tag", str(model), *map(str, texts), "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=-1, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        complaints = process.stderr.read()
    assert process.returncode == 130
    assert "of 6 pieces done, which are kept in" in complaints
    assert "Traceback" not in complaints


def test_a_folder_is_of_one_model_and_its_options(
    run: Run, model: Path, pos_model: Path, texts: list[Path], tmp_path: Path
) -> None:
    folder, own = tmp_path / "out", tmp_path / "own.parquet"
    own.write_bytes(texts[0].read_bytes())
    run("tag", model, own, "--out", folder)
    run("tag", model, own, texts[1], "--out", folder)
    assert len([*folder.glob("*.parquet")]) == 2
    for other in (["--spans"], ["--decode", "marginal"]):
        refused = run("tag", model, own, "--out", folder, *other, code=1)
        assert "was begun with another model, version or options" in refused.stderr
    refused = run("tag", pos_model, own, "--out", folder, code=1)
    assert "was begun with another model" in refused.stderr
    own.write_bytes(texts[2].read_bytes())
    refused = run("tag", model, own, "--out", folder, code=1)
    assert "own.parquet is not the file that" in refused.stderr
    refused = run("tag", model, own, "--out", tmp_path, code=1)
    assert "holds other files: tag into a new folder" in refused.stderr


def test_links_and_journals_of_strangers_are_refused(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    folder, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    run("tag", model, test_file, "--out", folder)
    (folder / "test.conll").unlink()
    (folder / "test.conll").symlink_to(elsewhere)
    refused = run("tag", model, test_file, "--out", folder, code=1)
    assert "test.conll is a link" in refused.stderr
    assert not elsewhere.exists()
    (folder / "test.conll").unlink()
    for journal in ("[" * 100_000, "5", '{"order": 1, "sources": 5}', "\udcff"):
        (folder / "_dovetail.json").write_text(journal, "utf-8", "surrogateescape")
        refused = run("tag", model, test_file, "--out", folder, code=1)
        assert "_dovetail.json is damaged" in refused.stderr


def test_other_formats_are_a_file_each(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "two.conll").write_text("Ada O\n\n")
    run("tag", model, test_file, tmp_path / "two.conll", "--out", tmp_path / "out")
    whole = run("tag", model, test_file).stdout
    assert (tmp_path / "out" / "test.conll").read_text(encoding="utf-8") == whole
    assert (tmp_path / "out" / "two.conll").exists()
    options = ["--output-format", "parquet", "--out", tmp_path / "tables"]
    run("tag", model, test_file, *options)
    assert read(tmp_path / "tables" / "test.parquet").names == ("word", "label", "predicted")


def test_a_raw_text_keeps_its_name(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("Talk by Ada Lopez at 4:30 pm.\n")
    run("tag", model, tmp_path / "mail.txt", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "mail.txt").exists()


def test_layers_of_a_pipeline(
    run: Run, pipeline: Path, recipe_folder: Path, tmp_path: Path
) -> None:
    corpus = read(recipe_folder / "talks.conll")
    write_parquet(corpus, tmp_path / "x.parquet")
    run("tag", pipeline, tmp_path / "x.parquet", "--out", tmp_path / "out", "--marginals")
    found = pq.read_table(tmp_path / "out" / "x-00000.parquet")
    layers = ["predicted_ner", "confidence_ner", "predicted_fields", "confidence_fields"]
    assert found.schema.names == ["word", "label", *layers, "probability"]
    assert all(0 < share <= 1 for share in found["probability"].to_pylist())


def test_bad_input_is_one_sentence(run: Run, model: Path, test_file: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"nothing of the kind")
    refused = run("tag", model, bad, "--out", tmp_path / "out", code=1)
    assert "bad.parquet cannot be read as Parquet" in refused.stderr
    pq.write_table(pa.table({"tokens": [["a"]], "predicted": [["O"]]}), bad)
    refused = run("tag", model, bad, "--out", tmp_path / "out", code=1)
    assert "bad.parquet: there is a column 'predicted' already" in refused.stderr
    usages = {
        "several files are tagged into a folder": [test_file, test_file],
        "Parquet is written into a folder": [test_file, "--output-format", "parquet"],
        "--out takes files": ["--out", tmp_path / "out"],
        "--uncertain-first needs all": [test_file, "--out", tmp_path / "o", "--uncertain-first"],
        "--out and --output": [test_file, "--out", tmp_path / "o", "--output", "x"],
        "files of several formats, conll, parquet": [test_file, bad, "--out", tmp_path / "o"],
    }
    for sentence, arguments in usages.items():
        assert sentence in run("tag", model, *arguments, code=2).stderr
    twice = [test_file, test_file, "--out", tmp_path / "o"]
    assert (
        "several files would be written as test.conll" in run("tag", model, *twice, code=1).stderr
    )
    assert not (tmp_path / "o").exists()
