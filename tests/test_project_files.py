"""What the project says of itself in several files is the same in all of them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import dovetail

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_version_is_the_same_everywhere() -> None:
    cited = re.search(r"^version: (\S+)$", text("CITATION.cff"), re.MULTILINE)
    assert cited is not None
    assert cited[1] == PROJECT["version"] == dovetail.__version__


def test_ci_runs_on_every_python_that_is_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    matrix = re.search(r"python: \[(.*)\]", text(".github/workflows/ci.yml"))
    assert matrix is not None
    assert re.findall(r"3\.\d+", matrix[1]) == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


@pytest.mark.parametrize("workflow", ["ci.yml", "release.yml"])
def test_workflows_call_targets_that_exist(workflow: str) -> None:
    workflow_text = text(f".github/workflows/{workflow}")
    calls = re.findall(r"run: make ([^$\n]*)", workflow_text)
    calls += [
        call.split()[0] for call in re.findall(r"^          - (\S+ .*=.*)$", workflow_text, re.M)
    ]
    targets = [word for word in " ".join(calls).split() if "=" not in word]
    for target in targets:
        assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE), target


def test_commands_of_targets_are_commands() -> None:
    """Without running any: the shell can read what make would give it."""
    phony = re.search(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE)
    assert phony is not None
    for target in phony[1].split():
        shown = subprocess.run(
            ["make", "-n", target, "NAME=train"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        subprocess.run(["sh", "-n"], input=shown.stdout, text=True, check=True)


def test_hooks_are_tools_that_make_installs() -> None:
    installed = {re.split(r"[<>=]", name)[0] for name in PROJECT["optional-dependencies"]["test"]}
    hooks = set(re.findall(r"entry: \.venv/bin/([\w-]+)", text(".pre-commit-config.yaml")))
    assert {"ruff", "mypy", "clang-format", "lint-imports"} == hooks
    assert {"ruff", "mypy", "clang-format", "import-linter"} <= installed


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)", text(name)):
        assert target.startswith("https://") or (ROOT / target).exists(), target


@pytest.mark.parametrize("name", ["SECURITY.md", "CITATION.cff", ".github/ISSUE_TEMPLATE/bug.yml"])
def test_the_home_of_the_project_is_the_same_everywhere(name: str) -> None:
    home = PROJECT["urls"]["Homepage"]
    assert home in text(name)
    assert all(url.startswith(home) for url in PROJECT["urls"].values())


def test_the_map_has_every_folder() -> None:
    guide = text("CONTRIBUTING.md")
    packages = [path.parent for path in (ROOT / "src" / "dovetail").glob("*/__init__.py")]
    folders = [path for name in ("native", "native/grid") for path in (ROOT / name).iterdir()]
    for package in packages:
        assert f"`{package.relative_to(ROOT).as_posix()}`" in guide
    for folder in filter(Path.is_dir, folders):
        assert re.search(rf"`(?:grid/)?{folder.name}`", guide), folder
    for name in ("benchmarks", "docs", "examples", "experiments", "native", "tests", "tools"):
        assert f"| `{name}` |" in guide


NAMED = sorted(set(re.findall(r"`([\w/.]+\.(?:py|hpp|cpp|jinja))`", text("CONTRIBUTING.md"))))


@pytest.mark.parametrize("name", NAMED)
def test_files_that_the_guide_names_are_there(name: str) -> None:
    places = [folder / name for folder in (ROOT, ROOT / "src" / "dovetail")]
    assert any(place.exists() for place in places)
