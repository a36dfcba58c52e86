"""dovetail tag, eval and info with a pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from dovetail.pipeline import Pipeline

Run = Callable[..., Result]
TEXT = "by Ada Lopez\nat noon\n"


def refused(result: Result) -> str:
    lines = result.stderr.splitlines()
    assert lines[-1].startswith("dovetail: ")
    assert result.stdout == ""
    return lines[-1]


def test_a_column_for_each_layer(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    rows = run("tag", pipeline, recipe_folder / "talks.conll").stdout.split("\n")
    assert rows[:2] == ["by\tO\tO\tO", "Ada\tB-SPEAKER\tB-PER\tB-SPEAKER"]
    assert rows[2:4] == ["Lopez\tI-SPEAKER\tI-PER\tI-SPEAKER", ""]
    bare = run("tag", pipeline, "--format", "conll", text="by\nAda\n").stdout
    assert bare == "by\tO\tO\nAda\tB-PER\tB-SPEAKER\n\n"


def test_columns_without_names_are_those_of_the_training_data(run: Run, tmp_path: Path) -> None:
    (tmp_path / "both.conll").write_text("by O O\nAda PER SPEAKER\n\nat O O\nnoon O TIME\n\n")
    task = 'data = "both.conll"\nc2 = 0.05\ncolumns = ["form", "ner", "fields"]\n'
    (tmp_path / "recipe.toml").write_text(
        f'folds = 2\n[[task]]\nname = "ner"\n{task}[[task]]\nname = "fields"\n{task}'
    )
    model = tmp_path / "m"
    run("train", tmp_path / "recipe.toml", "-m", model)
    for given in ("by\nAda\n", "by O\nAda SPEAKER\n", "by O O\nAda PER SPEAKER\n"):
        tagged = run("tag", model, "--format", "conll", text=given).stdout.splitlines()
        assert [row.split("\t")[-2:] for row in tagged[:2]] == [["O", "O"], ["PER", "SPEAKER"]]
    message = refused(run("tag", model, "--format", "conll", text="by a b c\n", code=1))
    assert "the data has 4 columns where the model reads form: name them with" in message


def test_confidences_follow_their_labels(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    rows = run("tag", pipeline, recipe_folder / "talks.conll", "--marginals").stdout.splitlines()
    found = Pipeline.load(pipeline).tag([["by", "Ada", "Lopez"]])[0].layers
    for row, ner, fields in zip(
        rows, found["ner"].confidences, found["fields"].confidences, strict=False
    ):
        cells = row.split("\t")
        assert cells[3] == f"{ner:.4f}"
        assert cells[5] == f"{fields:.4f}"


@pytest.mark.parametrize("decode", ["none", "cascade", "soft", "joint"])
def test_decodings(run: Run, pipeline: Path, recipe_folder: Path, decode: str) -> None:
    data = recipe_folder / "talks.conll"
    rows = run("tag", pipeline, data, "--decode", decode).stdout.splitlines()
    columns = [row.split("\t")[2:] for row in rows if row]
    expected = Pipeline.load(pipeline).predict(
        [["by", "Ada", "Lopez"], ["at", "noon"], ["in", "Rome"], ["by", "Bob"]],
        decode=decode,  # type: ignore[arg-type]
    )
    assert columns == [
        list(pair)
        for ner, fields in zip(expected["ner"], expected["fields"], strict=True)
        for pair in zip(ner, fields, strict=True)
    ]
    chunks = ["--marginals", "--chunk-size", 1, "--decode", decode]
    rows = run("tag", pipeline, data, *chunks).stdout.splitlines()
    assert [row.split("\t")[2::2] for row in rows if row] == columns


def test_text_shows_the_last_layer(run: Run, pipeline: Path) -> None:
    lines = run("tag", pipeline, "--format", "text", text=TEXT).stdout.splitlines()
    assert lines[0].startswith("by [SPEAKER Ada Lopez 0.")
    assert lines[1].startswith("at [TIME noon 0.")


def test_json_has_the_spans_of_all_layers(run: Run, pipeline: Path) -> None:
    options = ["--format", "text", "--output-format", "jsonl"]
    line = json.loads(run("tag", pipeline, *options, text=TEXT).stdout.splitlines()[0])
    assert list(line) == ["text", "layers"]
    for name, label in (("ner", "PER"), ("fields", "SPEAKER")):
        [span] = line["layers"][name]["spans"]
        assert {k: span[k] for k in ("start", "end", "label", "text")} == {
            "start": 3,
            "end": 12,
            "label": label,
            "text": "Ada Lopez",
        }
        assert 0.3 < span["probability"] <= 1


def test_json_of_tokens(run: Run, pipeline: Path) -> None:
    given = json.dumps({"tokens": ["by", "Ada"]})
    line = json.loads(run("tag", pipeline, "--format", "jsonl", text=given).stdout)
    assert line == {
        "tokens": ["by", "Ada"],
        "layers": {"ner": {"labels": ["O", "B-PER"]}, "fields": {"labels": ["O", "B-SPEAKER"]}},
    }
    options = ["--format", "jsonl", "--spans", "--marginals"]
    line = json.loads(run("tag", pipeline, *options, text=given).stdout)
    assert line["layers"]["fields"]["spans"][0]["start"] == 1
    assert len(line["layers"]["ner"]["confidences"]) == 2
    assert 0 < line["probability"] <= min(line["layers"]["ner"]["confidences"])


def test_best_labellings_of_all_layers(run: Run, pipeline: Path) -> None:
    options = ["--format", "conll", "--nbest", 3]
    shown = run("tag", pipeline, *options, text="by\nAda\n").stdout
    rows = [row.split("\t") for row in shown.splitlines() if row]
    assert [len(row) for row in rows] == [10, 10]
    shares = [float(rows[0][k]) for k in (3, 6, 9)]
    assert shares == sorted(shares, reverse=True)
    assert [row[1:3] for row in rows] == [["O", "O"], ["B-PER", "B-SPEAKER"]]
    short = run("tag", pipeline, "--format", "conll", "--nbest", 99, text="Ada\n\nby\nAda\n").stdout
    assert "\t_\t_\t0.0000" in short.splitlines()[0]
    given = json.dumps({"tokens": ["by", "Ada"]})
    line = json.loads(run("tag", pipeline, "--format", "jsonl", "--nbest", 2, text=given).stdout)
    assert line["nbest"][0]["layers"]["fields"] == line["layers"]["fields"]["labels"]
    options = ["--format", "text", "--output-format", "jsonl", "--nbest", 2]
    line = json.loads(run("tag", pipeline, *options, text="by Ada\n").stdout)
    [span] = line["nbest"][0]["spans"]["fields"]
    assert span == {"start": 3, "end": 6, "label": "SPEAKER", "text": "Ada"}
    assert line["layers"]["fields"]["spans"] == [span]
    shown = run("tag", pipeline, "--format", "text", "--nbest", 2, text="by Ada\n").stdout
    assert shown.splitlines()[0].endswith("  by [SPEAKER Ada]")


def test_decodings_of_the_other_kind(
    run: Run, pipeline: Path, model: Path, test_file: Path
) -> None:
    for command in ("tag", "eval"):
        message = refused(run(command, pipeline, test_file, "--decode", "marginal", code=1))
        assert "holds a pipeline: --decode is one of none, cascade, soft, lattice, joint" in message
        message = refused(run(command, model, test_file, "--decode", "joint", code=1))
        assert "holds a single tagger: --decode is one of viterbi, marginal" in message


def test_what_does_not_go_together(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    data = recipe_folder / "talks.conll"
    result = run("tag", pipeline, data, "--nbest", 2, "--decode", "soft", code=2)
    assert "--nbest does not go with" in result.stderr
    run("tag", pipeline, data, "--nbest", 2, "--decode", "joint")


def test_feature_text_is_nothing_for_a_pipeline(
    run: Run, pipeline: Path, feature_text: Path
) -> None:
    for command in ("tag", "eval"):
        assert "feature text holds no words" in refused(
            run(command, pipeline, feature_text, code=1)
        )


def test_the_last_layer_is_scored_by_the_label_column(
    run: Run, pipeline: Path, recipe_folder: Path
) -> None:
    shown = run("eval", pipeline, recipe_folder / "talks.conll").stdout
    assert shown.startswith("fields (joint)\n")
    assert "F1 100.00" in shown
    facts = json.loads(run("eval", pipeline, recipe_folder / "talks.conll", "--json").stdout)
    assert facts["decode"] == "joint"
    assert list(facts["layers"]) == ["fields"]
    assert facts["layers"]["fields"]["interval"]["value"] == 1


def test_layers_are_scored_by_the_columns_of_their_names(
    run: Run, pipeline: Path, recipe_folder: Path
) -> None:
    data = recipe_folder / "both.conll"
    data.write_text("by O O\nAda B-PER B-SPEAKER\nLopez O I-SPEAKER\n")
    options = ["--columns", "word,ner,fields", "--decode", "cascade", "--json"]
    facts = json.loads(run("eval", pipeline, data, *options).stdout)
    assert facts["decode"] == "cascade"
    assert facts["layers"]["ner"]["micro"]["f1"] == 0
    assert facts["layers"]["fields"]["micro"]["f1"] == 1
    shown = run("eval", pipeline, data, "--columns", "word,ner,fields").stdout
    assert shown.index("ner (joint)") < shown.index("fields (joint)")
    facts = json.loads(
        run("eval", pipeline, data, "--columns", "word,ner,x", "--label", "x", "--json").stdout
    )
    assert list(facts["layers"]) == ["ner", "fields"]


def test_data_without_labels_to_score(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    data = recipe_folder / "talks.conll"
    message = refused(run("eval", pipeline, data, "--columns", "word,x", code=1))
    assert "has no column of ner, fields to compare with (it has word, x)" in message
    other = recipe_folder / "other.conll"
    other.write_text("at NN\n")
    message = refused(run("eval", pipeline, other, "--columns", "word,ner", code=1))
    assert "other.conll, column 'ner': none of its labels (NN) is one of the model's" in message
    options = ["--gold", "label", "--predicted", "label", "--decode", "joint"]
    assert "--decode needs a MODEL" in run("eval", data, *options, code=2).stderr


def test_info(run: Run, pipeline: Path) -> None:
    shown = run("info", pipeline).stdout
    assert "pipeline  ner -> fields\n" in shown
    assert "decode    joint, inference auto\n" in shown
    assert "  reads        ner (a layer), word\n" in shown
    assert "  labels       4 (IOB2): B-PER, I-PER, O, B-LOC\n" in shown
    assert "largest weights" not in shown
    assert "largest weights for B-SPEAKER" in run("info", pipeline, "--top", 1).stdout


def test_info_as_json(run: Run, pipeline: Path) -> None:
    facts = json.loads(run("info", pipeline, "--json").stdout)
    assert (facts["kind"], facts["decode"], facts["notes"]) == ("pipeline", "joint", [])
    ner, fields = facts["layers"]
    assert (ner["reads"], ner["columns"]) == ([], ["word"])
    assert (fields["reads"], fields["weight"], fields["scheme"]) == (["ner"], 1.0, "IOB2")
    assert fields["training"]["settings"]["c2"] == 0.05
