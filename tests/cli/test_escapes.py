"""Labels and tokens with terminal escapes are shown, never obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Run
from dovetail import Tagger
from dovetail.corpus import Corpus, write_conll

ESCAPE = "\x1b[31m"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = 6 * [["Ada" + ESCAPE, "spoke"]]
    labels = 6 * [["B-PER" + ESCAPE, "O"]]
    path = tmp_path / "odd.conll"
    write_conll(Corpus.from_lists({"word": rows, "label": labels}), path)
    return path


@pytest.mark.parametrize("command", ["info", "eval", "features"])
def test_escapes_are_spelled_out(command: str, data: Path, run: Run, tmp_path: Path) -> None:
    model = tmp_path / "m"
    corpus = Corpus.from_lists(
        {"word": 6 * [["Ada" + ESCAPE, "spoke"]], "label": 6 * [["B-PER" + ESCAPE, "O"]]}
    )
    Tagger(c2=0.01).fit(corpus).save(model)
    arguments = {
        "info": (model,),
        "eval": (model, data),
        "features": (data,),
    }[command]
    for further in ((), ("--json",)):
        result = run(command, *arguments, *further)
        assert "\x1b" not in result.output
