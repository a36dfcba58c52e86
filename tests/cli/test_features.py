"""dovetail features, and the templates that the command line takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from dovetail.features.sets import NAMES

Run = Callable[..., Result]
ROWS = "Ann\tNNP\tB-PER\nMcNeil\tNNP\tI-PER\ncame\tVBD\tO\n\nto\tTO\tO\nRome\tNNP\tB-LOC\n"
COLUMNS = ["--columns", "word,pos,ner"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "news.conll"
    path.write_text(ROWS)
    return path


@pytest.fixture
def template(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "news.template"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_features_of_a_template_file(run: Run, data: Path, template: Callable[[str], Path]) -> None:
    given = template("word.lower[-1..0]\n0.5 * pos & word.suffix(2)  # together\n")
    shown = run("features", data, *COLUMNS, "--template", given, "--sequence", 2).stdout
    assert shown.splitlines() == [
        "1. to TO O",
        "   word.lower[-1]=⟨-1⟩",
        "   word.lower=to",
        "   pos & word.suffix(2)=TO|to  0.5",
        "2. Rome NNP B-LOC",
        "   word.lower[-1]=to",
        "   word.lower=rome",
        "   pos & word.suffix(2)=NNP|me  0.5",
    ]


def test_features_of_a_crfpp_file(run: Run, data: Path, template: Callable[[str], Path]) -> None:
    given = template("# Unigram\nU00:%x[-1,0]/%x[0,1]\n\nB\n")
    shown = run("features", data, "--template", given, "--rows").stdout
    assert shown.startswith('"U00:%/%": word[-1] & column2\n\n# 1 rows over word, column2\n')
    assert "   U00:%/%=Ann|NNP\n" in shown


def test_as_json(run: Run, data: Path, template: Callable[[str], Path]) -> None:
    given = template('"near": word[-1] | word[1]')
    shown = json.loads(run("features", data, *COLUMNS, "--template", given, "--json").stdout)
    assert shown["template"] == '"near": word[-1] | word[1]'
    assert shown["rows"] == 2
    assert shown["tokens"][1] == {
        "token": {"word": "McNeil", "pos": "NNP", "ner": "I-PER"},
        "features": [["near=Ann", 1.0], ["near=came", 1.0]],
    }


@pytest.mark.parametrize("name", NAMES)
def test_ready_made_sets(run: Run, data: Path, name: str) -> None:
    shown = run("features", data, *COLUMNS, "--template", name).stdout
    assert "McNeil" in shown
    assert "B-PER|" not in shown


def test_without_a_template_the_default_is_shown(run: Run, data: Path) -> None:
    shown = run("features", data, *COLUMNS).stdout
    assert shown == run("features", data, *COLUMNS, "--template", "default").stdout
    assert "=vbd" not in run("features", data, *COLUMNS, "--label", "pos").stdout.lower()


def test_features_of_a_model(
    run: Run, data: Path, tmp_path: Path, template: Callable[[str], Path]
) -> None:
    model = tmp_path / "m"
    given = template("word.shape & pos[-1]")
    run("train", data, *COLUMNS, "--template", given, "-m", model)
    shown = run("features", data, "--model", model).stdout  # columns as in training
    assert shown.splitlines()[3] == "   word.shape & pos[-1]=XxXxxx|NNP"
    both = run("features", data, "--model", model, "--template", given, code=2)
    assert "leave out --template" in both.output


def test_a_model_of_feature_lists_has_no_template(
    run: Run, data: Path, feature_text: Path, tmp_path: Path
) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    result = run("features", data, "--model", tmp_path / "m", code=1)
    assert "was not trained with a template" in result.stderr
    assert "features already" in run("features", feature_text, code=1).stderr
    result = run("train", feature_text, "--template", "entities", "-m", tmp_path / "m", code=1)
    assert "leave out --template" in result.stderr


def test_layout_of_raw_text(run: Run, template: Callable[[str], Path]) -> None:
    given = template("@lead & word.lower")
    options = ["--format", "text", "--unit", "document", "--template", given]
    shown = run("features", "-", *options, text="Who: Ada\nWhere: Rome\n").stdout
    assert "   @lead & word.lower=where|rome\n" in shown


def test_lexicons_and_tables_by_name(
    run: Run, data: Path, tmp_path: Path, template: Callable[[str], Path]
) -> None:
    given = template('word.lower.lexicon("people")\nword.table("kinds")')
    (tmp_path / "people.txt").write_text("# people\nann mcneil\n")
    (tmp_path / "kinds.tsv").write_text("came\tmotion\ncame\tverb\n")
    options = ["--lexicon", f"people={tmp_path / 'people.txt'}"]
    options += ["--table", f"kinds={tmp_path / 'kinds.tsv'}"]
    shown = run("features", data, *COLUMNS, "--template", given, *options).stdout
    assert shown.splitlines() == [
        "1. Ann NNP B-PER",
        '   word.lower.lexicon("people")=B',
        "2. McNeil NNP I-PER",
        '   word.lower.lexicon("people")=I',
        "3. came VBD O",
        '   word.table("kinds")=motion',
        '   word.table("kinds")=verb',
    ]
    shown = run("features", data, *COLUMNS, "--template", "newswire", *options[:2]).stdout
    assert '   word.lower.lexicon("people")=B\n' in shown


BAD_TEMPLATES = {
    "syntax": ("word.lower\nword.sufix(3)\n", "news.template, line 2, column 6: there is no"),
    "bracket": ("word.lower[-1..\n", "news.template, line 1, column 16: found the end"),
    "offset": ("word[-101]\n", "line 1, column 5: the offset -101 does not lie from -100"),
    "regular expression": ('word.match("(")\n', "line 1, column 12: '(' is no regular expression"),
    "missing column": (
        "word & lemma\n",
        "line 1, column 8: there is no column 'lemma'; the data has word",
    ),
    "built-in column": ("@plaice\n", "no built-in column '@plaice'"),
    "label": ("word & ner\n", "reads 'ner', the column that is to be learnt"),
    "missing lexicon": (
        'word.lexicon("x")\n',
        "line 1, column 14: there is no lexicon 'x'; give --lexicon x=FILE",
    ),
    "nothing": ("# nothing yet\n", "news.template holds no features"),
    "CRF++ column": ("U:%x[0,3]\n", "line 1, column 3: %x[0,3] means column 3, but there are 3"),
    "CRF++ macro": ("U:%x[0,0]\nU:%x[0]\n", "line 2, column 3: found '%x[0', expected a macro"),
}


@pytest.mark.parametrize("case", BAD_TEMPLATES)
def test_bad_templates(
    run: Run, data: Path, tmp_path: Path, template: Callable[[str], Path], case: str
) -> None:
    text, message = BAD_TEMPLATES[case]
    given = [data, *COLUMNS, "--template", template(text)]
    result = run("train", *given, "-m", tmp_path / "m", code=1)
    assert message in result.stderr.splitlines()[-1]
    assert not (tmp_path / "m").exists()
    if case != "label":
        assert message in run("features", *given, code=1).stderr


def test_no_such_template(run: Run, data: Path) -> None:
    result = run("features", data, "--template", "entitys", code=1)
    assert "neither a template file nor a feature set 'entitys'" in result.stderr
    assert "entities, fields" in result.stderr


def test_a_set_that_needs_tags(run: Run, train_file: Path) -> None:
    result = run("features", train_file, "--template", "chunking", code=1)
    assert "beside the label the data has only the column 'word'" in result.stderr


def test_bad_lexicons_and_tables(
    run: Run, data: Path, tmp_path: Path, template: Callable[[str], Path]
) -> None:
    latin, plain = tmp_path / "latin.txt", tmp_path / "plain.txt"
    latin.write_bytes("Rome\nK\xf6ln\n".encode("latin-1"))
    plain.write_text("Rome\n")
    given = ["features", data, "--template", template('word.lexicon("x") | word.table("t")')]
    result = run(*given, "--lexicon", f"x={latin}", code=1)
    assert "latin.txt:2 is not UTF-8 (byte 0xf6" in result.stderr
    lexicon = ["--lexicon", f"x={plain}"]
    assert "plain.txt:1 is not a value, a tab" in run(
        *given, *lexicon, "--table", f"t={plain}", code=1
    ).stderr  # fmt: skip
    assert "NAME=FILE" in run(*given, "--lexicon", plain, code=2).output
    assert "cannot read" in run(*given, "--lexicon", f"x={tmp_path / 'no'}", code=1).stderr
    assert "give --template" in run("features", data, *lexicon, code=2).output
    result = run("features", data, "--template", "entities", *lexicon, code=1)
    assert "'entities' uses no lexicons" in result.stderr
    result = run("features", data, "--template", "newswire", "--table", f"t={plain}", code=1)
    assert "'newswire' uses no such table" in result.stderr
    crfpp = ["features", data, "--template", template("U:%x[0,0]\n")]
    assert "CRF++" in run(*crfpp, *lexicon, code=1).stderr


def test_what_is_not_there(run: Run, data: Path) -> None:
    assert "has 2 sequences" in run("features", data, "--sequence", 3, code=1).stderr
    assert "no column 'x'" in run("features", data, "--label", "x", code=1).stderr
