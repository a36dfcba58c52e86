"""Results are kept, and the same for any number of processes."""

from __future__ import annotations

from pathlib import Path

from dovetail.compare import Progress
from experiments.common.runner import run_experiment
from tests.experiments.made_up import MadeUp


def test_results_are_kept_and_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    systems = ("none", "cascade", "joint")
    shown: list[Progress] = []
    experiment = MadeUp(tmp_path / "one", tmp_path / "one", 2, systems=systems)
    results, notes = run_experiment(experiment, progress=lambda _, now: shown.append(now))
    assert notes == []
    assert {name: len(own) for name, own in results.items()} == dict.fromkeys(results, 3 * 2 * 2)
    assert [now.done for now in shown] == list(range(0, 24, 3))
    before = (tmp_path / "one" / "results.jsonl").read_bytes()
    assert run_experiment(experiment)[0] == results
    assert (tmp_path / "one" / "results.jsonl").read_bytes() == before
    other = MadeUp(tmp_path / "two", tmp_path / "two", 2, systems=systems)
    both, _ = run_experiment(other, processes=2)
    for name, own in results.items():
        scores = [result["types"] for result in own]
        assert [result["types"] for result in both[name]] == scores
