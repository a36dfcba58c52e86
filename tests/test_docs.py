"""The pages are run: every Python block, every ``dovetail`` command, every link, every name.

Blocks of a page run in order, in one folder and with one set of variables:

- ``python`` with prompts is a doctest; without prompts it is run as it stands, and a ``text`` block
  right after it shows what it prints;
- ``console`` has commands after ``$``, each followed by what it writes to standard output.

In what a page shows, ``...`` stands for anything, and white space counts only as such. Numbers
with a decimal point may be off by a few per cent: a training stops near the optimum, not at it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import dovetail
import dovetail.compare
import dovetail.evaluate
import dovetail.pipeline
from dovetail.cli import main as cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NEAR = 0.03


class Checker(doctest.OutputChecker):
    """Compares what a page shows with what comes out."""

    def check_output(self, want: str, got: str, optionflags: int = 0) -> bool:  # noqa: ARG002
        pattern = ""
        shown: list[float] = []
        for part in re.split(r"(\d+\.\d+(?:e[-+]\d+)?|\.\.\.|\s+)", want.strip()):
            if not part.strip():
                pattern += r"\s+" if part else ""
            elif part == "...":
                pattern += ".*?"
            elif re.match(r"\d+\.\d", part):
                pattern += r"(\d+\.\d+(?:e[-+]\d+)?)"
                shown.append(float(part))
            else:
                pattern += re.escape(part)
        match = re.fullmatch(pattern, got.strip(), re.DOTALL)
        return match is not None and [float(x) for x in match.groups()] == pytest.approx(
            shown, rel=NEAR, abs=NEAR
        )


CHECKER = Checker()


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line it begins on."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    variables: dict[str, Any] = {"__name__": "__page__"}
    printed: str | None = None
    for block in blocks(page):
        where = f"{name_of(page)}:{block.line}"
        if block.language == "text" and printed is not None:
            compare(where, block.text, printed)
        printed = None
        if block.language == "console":
            run_commands(block, where, tmp_path)
        elif block.language == "python" and ">>> " in block.text:
            run_doctest(block, where, variables)
        elif block.language == "python":
            printed = run_script(block, where, variables)


def run_script(block: Block, where: str, variables: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * (block.line - 1) + block.text, where, "exec"), variables)
    return out.getvalue()


def run_doctest(block: Block, where: str, variables: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, where, where, block.line - 1)
    test.globs = variables
    runner = doctest.DocTestRunner(CHECKER, verbose=False)
    report = io.StringIO()
    runner.run(test, out=report.write, clear_globs=False)
    assert not runner.failures, report.getvalue()


def run_commands(block: Block, where: str, folder: Path) -> None:
    """Run each command in a shell, with ``dovetail`` on its path."""
    launcher = folder / ".bin" / "dovetail"
    launcher.parent.mkdir(exist_ok=True)
    launcher.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from dovetail.cli import main; main()" "$@"\n'
    )
    launcher.chmod(0o755)
    python = Path(sys.executable).parent
    path = os.pathsep.join([str(launcher.parent), str(python), os.environ["PATH"]])
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        command = lines[0]
        while command.endswith("\\\n"):
            command += lines[command.count("\n")]
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, f"{where}: {command}{done.stderr}"
        if expected := "".join(lines[command.count("\n") :]):
            compare(f"{where}: {command}", expected, done.stdout)


def compare(where: str, expected: str, printed: str) -> None:
    """Say what differs, if anything does."""
    if not CHECKER.check_output(expected, printed):
        pytest.fail(f"{where}\nthe page shows:\n{expected}\nwhat came out:\n{printed}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{name_of(page)} links to {target}"


def anchors(page: Path) -> set[str]:
    """Names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    targets = re.findall(r"\]\(([^)#\s]+\.md)", index.read_text(encoding="utf-8"))
    linked = {(index.parent / target).resolve() for target in targets}
    assert {page for page in PAGES if page not in (index, ROOT / "README.md")} <= linked


def test_reference_names_everything_public() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    known = set(re.findall(r"\w+", page))
    packages = (dovetail, dovetail.compare, dovetail.evaluate, dovetail.pipeline)
    wanted = {name for package in packages for name in package.__all__}
    wanted |= {name for name in vars(dovetail.Tagger) if not name.startswith("_")}
    wanted |= {name for name in vars(dovetail.Corpus) if not name.startswith("_")}
    assert not wanted - known


def test_reference_names_every_option_of_the_command_line() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert isinstance(cli, click.Group)
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        section = page.partition(f"### dovetail {name}\n")[2].partition("\n### ")[0]
        assert section, f"the reference has no section on dovetail {name}"
        options = [p.opts[0] for p in command.params if isinstance(p, click.Option)]
        missing = [option for option in options if f"`{option}" not in section]
        assert not missing, f"dovetail {name}: {missing}"


def test_picture_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "tagging.svg"
    monkeypatch.setattr(sys, "argv", ["make_picture.py", str(out)])
    runpy.run_path(str(ROOT / "docs" / "make_picture.py"), run_name="__main__")
    for picture in (out, ROOT / "docs" / "images" / "tagging.svg"):
        words = "".join(ElementTree.parse(picture).getroot().itertext())
        assert "Pellegrin" in words
        assert "SPEAKER 0." in words


def test_diagrams_are_those_that_the_script_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_diagrams.py", str(tmp_path)])
    script = runpy.run_path(str(ROOT / "docs" / "make_diagrams.py"), run_name="__main__")
    for name, (_, hops) in script["PICTURES"].items():
        shipped = ROOT / "docs" / "images" / name
        assert shipped.read_text(encoding="utf-8") == (tmp_path / name).read_text(encoding="utf-8")
        for hop in hops:
            path = ROOT / ("." if hop.file.startswith("native/") else "src/dovetail") / hop.file
            assert path.exists(), hop.file
