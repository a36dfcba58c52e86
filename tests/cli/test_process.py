"""The command line as a process: pipes, full disks, signals, start-up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dovetail
from dovetail import demo

COMMAND = [sys.executable, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


def call(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *(str(argument) for argument in arguments)]
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        command, text=True, stderr=subprocess.PIPE, encoding="utf-8", timeout=120, **options
    )


def test_standard_input_to_standard_output(model: Path) -> None:
    text = "When: Tuesday, 6 August – at 4:30pm\n"
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = call("tag", model, "--format", "text", input=text, env=environment)
    assert done.returncode == 0
    assert done.stdout.startswith("When: [DATE Tuesday, 6 August ")
    assert "–" in done.stdout


def test_answers_come_as_questions_do(model: Path) -> None:
    command = [*COMMAND, "tag", str(model), "--format", "text", "--chunk-size", "1"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for word in ("one", "two"):
            process.stdin.write(f"{word}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{word}\n"
        process.stdin.close()
    assert process.returncode == 0


def test_closed_pipe_is_no_trouble(model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text(demo.path("test.conll").read_text(encoding="utf-8") * 20, encoding="utf-8")
    command = [*COMMAND, "tag", str(model), str(data)]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk(model: Path, tmp_path: Path) -> None:
    test = demo.path("test.conll")
    with Path("/dev/full").open("w") as full:
        commands = (["tag", model, test], ["eval", model, test], ["info", model], ["--help"])
        piped = [call(*command, stdout=full) for command in commands[:3]]
    written = call("tag", model, test, "--output", "/dev/full")
    saved = call("train", test, "--model", "/dev/full", "--max-iterations", 1)
    for done in (*piped, written, saved):
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("dovetail: ")
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
    assert not any(tmp_path.iterdir())


def test_interrupted_training_keeps_the_best_model(tmp_path: Path) -> None:
    model, data = tmp_path / "m.dovetail", tmp_path / "train.conll"
    data.write_text(10 * demo.path("train.conll").read_text())  # so that nobody is too late
    options = ["--c2", "0.0001", "--method", "lbfgs", "--tolerance", "1e-12"]
    command = [*COMMAND, "train", str(data), "-m", str(model), *options]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any(line.startswith("l-bfgs: iteration") for line in lines)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        shown, complaints = process.stdout.read(), process.stderr.read()
    assert "Traceback" not in complaints
    assert "interrupted after" in shown
    assert process.returncode == 130
    assert len(dovetail.load(model).labels_) == 13


def test_help_loads_little() -> None:
    script = (
        "import sys; from dovetail.cli import main; main(['--help'], standalone_mode=False); "
        "print(sorted({'numpy', 'rich', 'conllu', 'dovetail._native'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
