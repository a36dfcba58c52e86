from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from compare.results import made_up
from dovetail.compare import summarize
from dovetail.compare.formatting import describe_difference, judge_difference, mark_significance
from dovetail.compare.summary import Difference
from dovetail.compare.table import as_text, for_terminal


def _difference(mean: float, corrected_p: float | None, wins: int = 3, losses: int = 1):
    return Difference("b", "a", 9, None, mean, 0.01, wins, losses, 4, corrected_p, corrected_p)


def test_text_has_all_means_and_no_codes() -> None:
    results = made_up()
    text = as_text(summarize(results, unit="e-mails"))
    for system in ("none", "cascade", "joint"):
        for size in (50, 100):
            f1 = [r["overall"]["f1"] for r in results if (r["system"], r["size"]) == (system, size)]
            assert f"{100 * np.mean(f1):.1f} ± {100 * np.std(f1, ddof=1):.1f}" in text
    assert "50 e-mails" in text
    assert "joint is better than none by" in text
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_the_best_is_bold_on_a_terminal() -> None:
    screen = io.StringIO()
    summary = summarize(made_up(n_splits=1, sizes=[100], types=[]))
    Console(file=screen, force_terminal=True, width=100, no_color=True).print(for_terminal(summary))
    best = max(score.f1.mean for score in summary.scores)
    (row,) = (line for line in screen.getvalue().splitlines() if "overall" in line)
    assert row.count("\x1b[1m") == 1
    assert f"{100 * best:.1f}" in row[row.index("\x1b[1m") :].split("\x1b[0m")[0]


def test_markup_in_names_is_shown_as_it_is() -> None:
    text = as_text(summarize(made_up(["[bold]none", "[/red]"], types=["[red]X"])))
    for name in ("[bold]none", "[/red]", "[red]X"):
        assert name in text


@pytest.mark.parametrize(
    ("p", "marks", "judgement"),
    [(0.2, "", "chance"), (0.04, "*", "clear"), (0.001, "**", "clear"), (None, "", "chance")],
)
def test_stars(p, marks, judgement) -> None:
    assert (mark_significance(_difference(0.1, p)), judge_difference(_difference(0.1, p))) == (
        marks,
        judgement,
    )


@pytest.mark.parametrize(
    ("difference", "sentence"),
    [
        (
            _difference(-0.02, 0.3, wins=1, losses=3),
            "b is worse than a by 2.0 ± 1.0 F1, in 3 of 4 splits; p = 0.30, corrected p = 0.30",
        ),
        (_difference(0, 1, 0, 0), "b scores the same as a in all 4 splits"),
        (
            _difference(0.0001, 0.9, 2, 2),
            "b is on average as good as a, better in 2 and worse in 2 of 4 splits; "
            "p = 0.90, corrected p = 0.90",
        ),
        (
            Difference("b", "a", 9, "PER", 0.02, None, 1, 0, 1, None, None),
            "PER: b is better than a by 2.0 F1, in the only split, so it cannot be tested",
        ),
    ],
)
def test_differences_in_words(difference, sentence) -> None:
    assert describe_difference(difference) == sentence
