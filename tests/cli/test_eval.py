"""dovetail eval."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]


def test_table_and_interval(run: Run, model: Path, test_file: Path) -> None:
    shown = run("eval", model, test_file).stdout
    assert "3227 tokens in 200 sequences" in shown
    assert re.search(r"^SPEAKER +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d +86 ", shown, re.MULTILINE)
    assert re.search(r"^F1 \d\d\.\d\d, 95% interval .* \(bootstrap over sequences\)$", shown, re.M)


def test_json(run: Run, model: Path, test_file: Path) -> None:
    scores = json.loads(run("eval", model, test_file, "--json").stdout)
    interval = scores["interval"]
    assert interval["low"] < interval["value"] == scores["micro"]["f1"] < interval["high"]
    assert scores["labels"]["TITLE"]["support"] == 53
    assert scores["unknown_labels"] == {}


def test_two_columns_of_a_file(run: Run, model: Path, test_file: Path, tmp_path: Path) -> None:
    tagged = tmp_path / "tagged.conll"
    run("tag", model, test_file, "-o", tagged)
    columns = ["--columns", "word,gold,found", "--gold", "gold", "--predicted", "found"]
    by_columns = run("eval", *columns, tagged, "--json").stdout
    assert by_columns == run("eval", model, test_file, "--json").stdout


def test_plain_labels_are_scored_by_tokens(run: Run, pos_model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("the DT l\ncat VB l\n")
    for columns in ([], ["--columns", "form,tag,language"]):
        assert "accuracy 50.00, 95% interval" in run("eval", pos_model, *columns, data).stdout


def test_feature_text(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    assert "accuracy 100.00" in run("eval", tmp_path / "m", feature_text).stdout
    weighted = tmp_path / "weighted.crfsuite"
    weighted.write_text("@weight:3\nD\tw=the\nN\tw=dog\n\n@weight:2\tD\tw=a\nN\tw=cat\n")
    assert "4 tokens in 2 sequences" in run("eval", tmp_path / "m", weighted).stdout


def test_many_documents_are_what_is_drawn(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("-DOCSTART- O\n\nat O\n3:30 B-STIME\n\n" * 30)
    assert "bootstrap over documents" in run("eval", model, data).stdout


def test_labels_of_another_scheme_are_converted(run: Run, tmp_path: Path) -> None:
    text = "Ada {0}-PER\nLopez I-PER\nspoke O\n\nin O\nRome {0}-LOC\n\n"
    for scheme, letter in (("IOB1", "I"), ("IOB2", "B")):
        (tmp_path / f"{scheme}.conll").write_text(text.format(letter) * 3)
    for trained, other in (("IOB1", "IOB2"), ("IOB2", "IOB1")):
        run("train", tmp_path / f"{trained}.conll", "-m", tmp_path / "m", "--c2", 0.01)
        result = run("eval", tmp_path / "m", tmp_path / f"{other}.conll")
        assert result.stderr == ""
        assert "accuracy 100.00" in result.stdout


def test_layers_read_labels_of_another_scheme(run: Run, tmp_path: Path) -> None:
    text = "Ada {0}-PER\nLopez I-PER\nspoke O\n\nin O\nRome {0}-LOC\n\n"
    (tmp_path / "one.conll").write_text(text.format("I") * 3)
    (tmp_path / "two.conll").write_text(text.format("B") * 3)
    (tmp_path / "r.toml").write_text('[[task]]\nname = "ner"\ndata = "one.conll"\nc2 = 0.01\n')
    run("train", tmp_path / "r.toml", "-m", tmp_path / "m")
    result = run("eval", tmp_path / "m", "--columns", "word,ner", tmp_path / "two.conll")
    assert result.stderr == ""
    assert "accuracy 100.00" in result.stdout


def test_unseen_labels_are_counted_and_named(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("at O\n3:30 B-STIME\nBob B-HOST\n\nMax B-HOST\nRay I-HOST\n")
    result = run("eval", model, data)
    note = "note: labels that the model does not know: B-HOST (2), I-HOST (1)\n"
    assert result.stderr == note
    assert re.search(r"^HOST +0\.00", result.stdout, re.MULTILINE)
    result = run("eval", model, data, "--json")
    assert json.loads(result.stdout)["unknown_labels"] == {"B-HOST": 2, "I-HOST": 1}
    assert result.stderr == note


def test_usage(run: Run, model: Path, test_file: Path) -> None:
    assert "go together" in run("eval", test_file, "--gold", "label", code=2).output
    assert "give MODEL and DATA" in run("eval", model, code=2).output


def test_errors_are_listed(run: Run, model: Path, test_file: Path) -> None:
    shown = run("eval", model, test_file, "--errors", "--top", 2).stdout
    assert "3227 tokens in 200 sequences" in shown
    assert re.search(r"^\d+ of 200 sequences wholly right \(\d+\.\d%\)$", shown, re.M)
    assert re.search(r"^confusions \(2 of \d+\)\n +\d+  \S+ +-> \S+ +\w+$", shown, re.M)
    assert re.search(
        r"^wrong, most confident first \(2 of \d+\)\nsequence \d+: .*\n  \d", shown, re.M
    )
    assert re.search(r"^right but doubted \(2 of \d+\)\nsequence \d+: ", shown, re.M)


def test_errors_as_json_and_as_a_page(
    run: Run, model: Path, test_file: Path, tmp_path: Path
) -> None:
    page = tmp_path / "errors.html"
    facts = json.loads(run("eval", model, test_file, "--errors", "--json", "--html", page).stdout)
    plain = json.loads(run("eval", model, test_file, "--json").stdout)
    errors = facts.pop("errors")
    assert facts == plain
    assert len(errors["wrong"]) == 200 - errors["sequences_right"]
    wrong = errors["wrong"][0]
    assert wrong["gold"] != wrong["predicted"]
    assert "Confusions" in page.read_text(encoding="utf-8")


def test_errors_of_each_layer(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    data = recipe_folder / "both.conll"
    data.write_text("by O O\nAda B-LOC B-SPEAKER\nLopez I-LOC I-SPEAKER\n\n")
    columns = ["--columns", "word,ner,fields"]
    facts = json.loads(run("eval", pipeline, data, *columns, "--errors", "--json").stdout)
    assert facts["layers"]["ner"]["errors"]["confusions"][0]["gold"] == "LOC"
    assert "ner\n\n3 tokens" in run("eval", pipeline, data, *columns, "--errors").stdout


def test_suspicious_labels_of_the_last_layer_of_a_pipeline(
    run: Run, pipeline: Path, tmp_path: Path
) -> None:
    rows = [f"by O\nAda B-SPEAKER\n{name} I-SPEAKER\n\n" for name in "abcdefghij"] * 2
    rows[7] = rows[7].replace("B-SPEAKER", "O").replace("I-SPEAKER", "O")
    (tmp_path / "data.conll").write_text("".join(rows))
    asked = ["eval", pipeline, tmp_path / "data.conll", "--suspicious", "--folds", 4]
    result = run(*asked)
    assert "trained without part 4 of 4" in result.stderr
    assert "sequence 8: by Ada h\n  " in result.stdout
    assert "- -> SPEAKER: Ada h" in result.stdout


def test_a_table_without_names_ends_with_the_label(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text("in X O\nRome X B-LOC\n\n")
    (tmp_path / "test.conll").write_text("in O\nRome B-LOC\n\n")
    run("train", tmp_path / "train.conll", "--columns", "word,_,ner", "-m", tmp_path / "m")
    assert (
        "1 spans, 1 predicted, 1 correct"
        in run("eval", tmp_path / "m", tmp_path / "test.conll").stdout
    )
    named = ["--columns", "word,tag"]
    refused = run("eval", tmp_path / "m", tmp_path / "test.conll", *named, code=1).stderr
    assert "there is no column 'ner'" in refused


def test_suspicious_labels(run: Run, pos_model: Path, tmp_path: Path) -> None:
    rows = [f"the DT l\n{animal} NN l\nbarks VB l\n\n" for animal in "abcdefghij"] * 2
    rows[7] = rows[7].replace("barks VB", "barks NN")
    (tmp_path / "data.conll").write_text("".join(rows))
    for first in ([], [pos_model]):
        columns = ["--columns", "form,tag,language", "--label", "tag", "--folds", "4"]
        asked = ["eval", *first, tmp_path / "data.conll", *columns, "--suspicious"]
        result = run(*asked)
        assert "sequence 8: the h barks\n  " in result.stdout
        assert "NN -> VB: barks" in result.stdout
        assert "trained without part 4 of 4" in result.stderr
        facts = json.loads(run(*asked, "--json").stdout)
        assert facts["suspicious"][0]["sequence"] == 8


def test_errors_without_a_model_are_cross_validated(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.conll").write_text("".join(f"a{n} A\nb B\n\n" for n in range(8)))
    result = run("eval", tmp_path / "data.conll", "--errors")
    assert "trained without part 5 of 5" in result.stderr
    assert "of 8 sequences wholly right" in result.stdout
    assert "suspicious" not in result.stdout


def test_options_that_do_not_go_together(run: Run, model: Path, test_file: Path) -> None:
    columns = ["--gold", "a", "--predicted", "b"]
    assert "no probabilities" in run("eval", *columns, test_file, "--errors", code=2).output
    assert "--top and --html" in run("eval", model, test_file, "--top", 3, code=2).output
    assert (
        "--folds is for" in run("eval", model, test_file, "--errors", "--folds", 3, code=2).output
    )
    asked = ["eval", model, test_file, "--suspicious", "--decode", "marginal"]
    assert "--decode is not for cross-validation" in run(*asked, code=2).output


SEVERAL = """the O O O
Ada B-who B-who O
or O O O
Eve B-who O B-who

Bob B-who B-who O
spoke O B-who O

"""


def test_several_columns_and_what_they_find_together(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text(SEVERAL)
    columns = ["--columns", "word,gold,a,b", "--gold", "gold", "--predicted", "a"]
    shown = run("eval", *columns, "--predicted", "b", data).stdout
    assert "coverage of all together (ICR): 100.00" in shown
    assert "chi-square test with Yates' correction, a, b: p = 1.00" in shown
    facts = json.loads(run("eval", *columns, "--predicted", "b", data, "--json").stdout)
    assert facts["coverage"] == 1.0
    assert facts["columns"]["a"]["micro"]["recall"] == 2 / 3
    tokens = ["--columns", "word,gold,a,b", "--gold", "word", "--predicted", "a"]
    plain = json.loads(run("eval", *tokens, "--predicted", "word", data, "--json").stdout)
    assert set(plain) == {"columns", "chi_square_p"}


def test_one_value_of_each_field_in_a_document(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text(SEVERAL)
    columns = ["--columns", "word,gold,a,b", "--gold", "gold", "--predicted"]
    shown = run("eval", *columns, "a", data, "--fields").stdout
    assert re.search(r"^all fields +100\.00 +100\.00 +100\.00$", shown, re.MULTILINE)  # Ada, Bob
    facts = json.loads(run("eval", *columns, "b", data, "--fields", "--json").stdout)
    assert facts["fields"]["who"] == {"precision": 1.0, "recall": 0.5, "f1": 2 / 3}
    plain = ["--columns", "word,gold,a,b", "--gold", "word", "--predicted", "word"]
    wrong = run("eval", *plain, data, "--fields", code=1).output
    assert "--fields needs labels of spans" in wrong
    assert (
        "have no probabilities" in run("eval", model, data, "--errors", "--fields", code=2).output
    )
    talks = tmp_path / "talks.conll"
    talks.write_text("at O\n3:30 B-STIME\n")
    assert "one value of each field" in run("eval", model, talks, "--fields").stdout
