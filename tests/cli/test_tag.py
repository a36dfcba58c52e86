"""dovetail tag."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from dovetail import demo

Run = Callable[..., Result]
TEXT = "When: Tuesday, 6 August at 4:30pm\n"


def blocks(output: str) -> list[list[list[str]]]:
    return [
        [line.split("\t") for line in block.split("\n")]
        for block in output.rstrip("\n").split("\n\n")
    ]


def test_columns_are_kept_and_labels_added(run: Run, model: Path, test_file: Path) -> None:
    given = blocks(test_file.read_text(encoding="utf-8"))
    found = blocks(run("tag", model, test_file).stdout)
    assert [[row[:2] for row in block] for block in found] == given
    rows = [row for block in found for row in block]
    assert {len(row) for row in rows} == {3}
    assert sum(row[1] == row[2] for row in rows) > 0.9 * len(rows)


def test_chunks_change_nothing(run: Run, model: Path, test_file: Path) -> None:
    whole = run("tag", model, test_file, "--marginals").stdout
    assert run("tag", model, test_file, "--marginals", "--chunk-size", 7).stdout == whole


def test_labels_are_not_needed(run: Run, model: Path, test_file: Path) -> None:
    text = test_file.read_text(encoding="utf-8")
    words = "\n".join(line.split("\t")[0] for line in text.split("\n"))
    bare = blocks(run("tag", model, "--format", "conll", text=words).stdout)
    full = blocks(run("tag", model, test_file).stdout)
    assert bare == [[[row[0], row[2]] for row in block] for block in full]


def test_confidences(run: Run, model: Path, test_file: Path) -> None:
    rows = blocks(run("tag", model, test_file, "--marginals").stdout)[0]
    assert all(len(row) == 4 and 0 < float(row[3]) <= 1 for row in rows)


def test_documents_are_marked_as_they_were(run: Run, model: Path) -> None:
    text = "-DOCSTART- O\n\na O\n\nb O\n\nc O\n\n-DOCSTART- O\n\nd O\n"
    expected = "-DOCSTART-\t-X-\tO\n\n{}\n{}\n{}\n-DOCSTART-\t-X-\tO\n\n{}\n"
    rows = [f"{word}\tO\tO\n" for word in "abcd"]
    for size in (1, 2, 3, 10):
        options = ["--format", "conll", "--chunk-size", size]
        assert run("tag", model, *options, text=text).stdout == expected.format(*rows)


def test_best_labellings(run: Run, model: Path, test_file: Path) -> None:
    found = blocks(run("tag", model, test_file, "--nbest", 2).stdout)
    assert {len(row) for block in found for row in block} == {6}
    for block in found:
        assert len({row[3] for row in block}) == 1
        assert float(block[0][3]) >= float(block[0][5])
    short = run("tag", model, "--format", "conll", "--nbest", 20, text="A\n").stdout
    assert len(short.split()) == 1 + 2 * 7  # O and six B labels may stand alone


def test_text_with_spans_in_brackets(run: Run, model: Path) -> None:
    shown = run("tag", model, "--format", "text", text=TEXT).stdout
    assert re.match(r"When: \[DATE Tuesday, 6 August [01]\.\d\d\] at \[STIME 4:30pm [01]\.", shown)


def test_text_keeps_its_paragraphs(run: Run, model: Path) -> None:
    shown = run("tag", model, "--format", "text", "--chunk-size", 1, text="a\n\nb\nc\n").stdout
    assert shown == "a\n\nb\nc\n"


def test_best_labellings_of_text(run: Run, model: Path) -> None:
    lines = run("tag", model, "--format", "text", "--nbest", 3, text=TEXT).stdout.splitlines()
    shares = [float(line.split()[0]) for line in lines]
    assert shares == sorted(shares, reverse=True)
    assert "[DATE Tuesday, 6 August] at [STIME 4:30pm]" in lines[0]


def test_json_of_text_has_spans_of_characters(run: Run, model: Path) -> None:
    options = ["--format", "text", "--output-format", "jsonl"]
    line = json.loads(run("tag", model, *options, text=TEXT).stdout)
    assert line["text"] == TEXT.strip()
    found = [(line["text"][s["start"] : s["end"]], s["label"]) for s in line["spans"]]
    assert found == [("Tuesday, 6 August", "DATE"), ("4:30pm", "STIME")]
    assert found == [(s["text"], s["label"]) for s in line["spans"]]
    assert all(0.5 < span["probability"] <= 1 for span in line["spans"])


MAIL = "When: Tuesday, 6 August\n      at 4:30pm\n\nSpeaker: Dr. Renata Tanaka\n"


def test_units_of_text(run: Run, model: Path) -> None:
    options = ["--format", "text", "--output-format", "jsonl", "--unit"]
    texts = {
        "line": MAIL.replace("\n\n", "\n").splitlines(),
        "paragraph": MAIL.strip().split("\n\n"),
        "document": [MAIL.rstrip("\n")],
    }
    for unit, expected in texts.items():
        shown = run("tag", model, *options, unit, text=MAIL).stdout
        lines = [json.loads(line) for line in shown.splitlines()]
        assert [line["text"] for line in lines] == expected
        for line in lines:
            assert all(s["text"] == line["text"][s["start"] : s["end"]] for s in line["spans"])
        assert "4:30pm" in [s["text"] for line in lines for s in line["spans"]]


@pytest.mark.parametrize("unit", ["line", "paragraph", "document"])
def test_text_keeps_its_lines_in_every_unit(run: Run, model: Path, unit: str) -> None:
    text = "a\n  b\n\nc\n"
    for size in (1, 10):
        options = ["--format", "text", "--unit", unit, "--chunk-size", size]
        assert run("tag", model, *options, text=text).stdout == text


def test_json_of_tokens(run: Run, model: Path) -> None:
    given = json.dumps({"tokens": ["at", "4:30"], "labels": ["O", "B-STIME"]})
    line = json.loads(run("tag", model, "--format", "jsonl", text=given).stdout)
    assert line == {
        "tokens": ["at", "4:30"],
        "gold": ["O", "B-STIME"],
        "labels": ["O", "B-STIME"],
    }
    options = ["--format", "jsonl", "--spans", "--marginals"]
    line = json.loads(run("tag", model, *options, text=given).stdout)
    assert line["spans"][0].items() >= {"start": 1, "end": 2, "label": "STIME"}.items()
    assert [max(m, key=m.__getitem__) for m in line["marginals"]] == ["O", "B-STIME"]
    assert sum(line["marginals"][0].values()) == pytest.approx(1, abs=1e-4)
    line = json.loads(run("tag", model, "--format", "jsonl", "--nbest", 2, text=given).stdout)
    assert line["nbest"][0]["labels"] == line["labels"]
    assert "spans" not in line["nbest"][0]
    options = ["--format", "jsonl", "--nbest", 2, "--spans"]
    line = json.loads(run("tag", model, *options, text=given).stdout)
    assert line["nbest"][0]["spans"] == [{"start": 1, "end": 2, "label": "STIME"}]


def test_json_of_best_labellings_has_the_spans_of_each(run: Run, model: Path) -> None:
    options = ["--format", "text", "--output-format", "jsonl", "--nbest", 3]
    line = json.loads(run("tag", model, *options, text=TEXT).stdout)
    first, second, _ = line["nbest"]
    assert first["spans"] == line["spans"] != second["spans"]
    assert [(s["label"], s["text"]) for s in first["spans"]] == [
        ("DATE", "Tuesday, 6 August"),
        ("STIME", "4:30pm"),
    ]
    for span in (*first["spans"], *second["spans"]):
        assert span["text"] == TEXT[span["start"] : span["end"]]


@pytest.fixture(scope="module")
def text_model(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of raw text with spans."""
    folder = tmp_path_factory.mktemp("text")
    lines = [
        {"text": "Dinner in Rome, at noon.", "spans": [[10, 14, "LOC"]]},
        {"text": "Ada is in Oslo today.", "spans": [[0, 3, "PER"], [10, 14, "LOC"]]},
    ]
    (folder / "text.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("train", folder / "text.jsonl", "-m", folder / "text.dovetail", "--c2", "0.01")
    return folder / "text.dovetail"


def test_a_model_of_raw_text_takes_text_for_text(
    run: Run, text_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "line.txt"
    path.write_text("Dinner in Oslo, at noon.")
    shown = run("tag", text_model, path).stdout
    assert re.fullmatch(r"Dinner in \[LOC Oslo [01]\.\d\d\], at noon\.\n", shown)
    assert run("tag", text_model, text=path.read_text()).stdout == shown
    assert "[LOC" not in run("tag", text_model, path, "--format", "conll").stdout
    path.write_text("Rome O\nis O\n\nOslo O\n")
    result = run("tag", text_model, path)
    assert "line.txt is read as plain text" in result.stderr
    assert "--format conll" in result.stderr


@pytest.mark.parametrize("more", ["", "\nSpeaker: Ada Lopez\n", 40 * "Come at 4 pm, or at 5 .\n"])
def test_a_model_of_columns_takes_a_text_file_for_text(
    run: Run, model: Path, tmp_path: Path, more: str
) -> None:
    path = tmp_path / "mail.txt"
    path.write_text(TEXT + more)
    found = run("tag", model, path).stdout
    assert found.startswith("When: [DATE Tuesday, 6 August ")
    assert found == run("tag", model, path, "--format", "text").stdout


@pytest.mark.parametrize(
    "table",
    ["When O\n: O\n\nNow O\n", "When\n:\nTuesday\n", "When\tO\n:\tO\n\nAt noon\tO\n"],
)
def test_a_table_may_be_called_txt(run: Run, model: Path, tmp_path: Path, table: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(table)
    assert run("tag", model, path).stdout == run("tag", model, path, "--format", "conll").stdout


def test_equal_lines_are_refused_with_a_hint(run: Run, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(3 * TEXT)
    message = run("tag", model, path, code=1).stderr
    assert "has 6 columns where the training data had 2" in message
    assert "if this is plain text, say --format text" in message


def test_tasks_for_label_studio_have_predictions(
    run: Run, text_model: Path, tmp_path: Path
) -> None:
    source, tasks, interface = (tmp_path / name for name in ("a.txt", "tasks.json", "view.xml"))
    source.write_text("Dinner in Rome, at noon.\nA purple bicycle sings.\nAda is in Oslo.\n")
    options = ["--output-format", "label-studio", "--uncertain-first", "--interface", interface]
    run("tag", text_model, source, "-o", tasks, *options)
    found = json.loads(tasks.read_text())
    assert len(found) == 3
    assert all("annotations" not in task for task in found)
    scores = [task["predictions"][0]["score"] for task in found]
    assert scores == sorted(scores)
    assert 0 < scores[0] < scores[-1] <= 1
    [rome] = [task for task in found if "Rome" in task["data"]["text"]]
    [span] = rome["predictions"][0]["result"]
    assert span["value"] == {"start": 10, "end": 14, "text": "Rome", "labels": ["LOC"]}
    assert 0 < span["score"] <= 1
    assert '<Label value="LOC"/>\n    <Label value="PER"/>' in interface.read_text()
    chunks = run("tag", text_model, source, *options[:2], "--chunk-size", 1).stdout
    assert [task["data"] for task in json.loads(chunks)] == [
        {"text": line} for line in source.read_text().splitlines()
    ]
    nbest = json.loads(run("tag", text_model, source, *options[:2], "--nbest", 2).stdout)
    assert [len(task["predictions"]) for task in nbest] == [2, 2, 2]


def test_plain_labels_are_no_predictions_of_label_studio(run: Run, pos_model: Path) -> None:
    options = ["--format", "conll", "--columns", "language,form"]
    message = run(
        "tag", pos_model, *options, "--output-format", "label-studio", text="l dog\n", code=1
    ).stderr
    assert "the labels of this model are plain" in message


def test_least_certain_sequences_first(run: Run, model: Path, test_file: Path) -> None:
    whole = blocks(run("tag", model, test_file, "--marginals").stdout)
    sorted_ = blocks(run("tag", model, test_file, "--marginals", "--uncertain-first").stdout)

    def certainty(block: list[list[str]]) -> float:
        return math.prod(float(row[3]) for row in block) ** (1 / len(block))

    assert sorted(map(str, whole)) == sorted(map(str, sorted_))
    shares = [certainty(block) for block in sorted_]
    assert all(a <= b + 1e-3 for a, b in itertools.pairwise(shares))
    bare = blocks(run("tag", model, test_file, "--uncertain-first").stdout)
    assert bare == [[row[:3] for row in block] for block in sorted_]


def test_plain_labels_and_named_columns(run: Run, pos_model: Path) -> None:
    named = ["--format", "conll", "--columns", "language,form"]
    assert (
        run("tag", pos_model, *named, text="l the\nl cat\n").stdout == "l\tthe\tDT\nl\tcat\tNN\n\n"
    )
    renamed = run("tag", pos_model, "--format", "conll", text="the l\ncat l\n").stdout
    assert renamed == "the\tl\tDT\ncat\tl\tNN\n\n"
    labelled = run("tag", pos_model, "--format", "conll", text="the ? l\ncat ? l\n").stdout
    assert labelled == "the\t?\tl\tDT\ncat\t?\tl\tNN\n\n"
    options = ["--format", "conll", "--output-format", "text"]
    assert run("tag", pos_model, *options, text="the l\ncat l\n").stdout == "the/DT cat/NN\n"
    shown = run("tag", pos_model, *options, "--marginals", text="the l\n").stdout
    assert shown.startswith("the/DT/0.")


def test_marginal_decoding(run: Run, model: Path, test_file: Path) -> None:
    found = blocks(run("tag", model, test_file, "--decode", "marginal", "--marginals").stdout)
    assert len(found) == 200


def test_feature_text(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    shown = run("tag", tmp_path / "m", feature_text).stdout
    assert shown == "D\nN\n\n" * 10
    assert run("tag", tmp_path / "m", "--format", "crfsuite", text="?\tw=cat\n").stdout == "N\n\n"
    assert (
        "no words"
        in run("tag", tmp_path / "m", feature_text, "--output-format", "text", code=2).output
    )


def test_output_file_and_gzip(run: Run, model: Path, test_file: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in.conll.gz", tmp_path / "out.conll.gz"
    source.write_bytes(gzip.compress(test_file.read_bytes()))
    assert run("tag", model, source, "-o", target).stdout == ""
    expected = run("tag", model, test_file).stdout
    assert gzip.decompress(target.read_bytes()).decode() == expected


def test_empty_input_gives_empty_output(run: Run, model: Path) -> None:
    assert run("tag", model, "--format", "text", text="").stdout == ""


def test_demo_text_as_a_file(run: Run, model: Path) -> None:
    lines = run("tag", model, demo.path("unlabelled.txt"), "--format", "text").stdout.splitlines()
    assert len(lines) == len(demo.path("unlabelled.txt").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--format"),
        (["--format", "text", "--spans"], "--output-format jsonl"),
        (["--format", "text", "--nbest", "2", "--marginals"], "does not go with"),
        (["--format", "text", "--columns", "a,b"], "--columns"),
        (["--format", "jsonl", "--unit", "line"], "--unit says how plain text is cut"),
    ],
)
def test_what_does_not_go_together(run: Run, model: Path, options: list[str], message: str) -> None:
    assert message in run("tag", model, *options, text="", code=2).output
