from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from compare.results import made_up
from dovetail.compare import Summary, summarize
from dovetail.compare.plan import Result
from dovetail.errors import DataError

RESULTS = made_up()


def _f1(system: str, size: int, type: str | None = None) -> list[float]:
    found = [r for r in RESULTS if (r["system"], r["size"]) == (system, size)]
    return [(r["types"][type] if type else r["overall"])["f1"] for r in found]


@pytest.mark.parametrize("type", [None, "PER"])
def test_means_and_deviations(type) -> None:
    spread = summarize(RESULTS).f1("joint", 50, type)
    assert spread is not None
    values = _f1("joint", 50, type)
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.deviation == pytest.approx(np.std(values, ddof=1))
    assert spread.n_splits == 4


@pytest.mark.parametrize("type", [None, "LOC"])
def test_differences(type) -> None:
    found = summarize(RESULTS).difference("joint", "cascade", 50, type)
    assert found is not None
    first, second = np.array(_f1("joint", 50, type)), np.array(_f1("cascade", 50, type))
    assert found.mean == pytest.approx((first - second).mean())
    assert (found.wins, found.losses) == ((first > second).sum(), (first < second).sum())
    plain = stats.ttest_rel(first, second)
    assert found.p == pytest.approx(plain.pvalue)
    corrected = plain.statistic * np.sqrt((1 / 4) / (1 / 4 + 100 / 50))
    assert found.corrected_p == pytest.approx(2 * stats.t.sf(abs(corrected), 3))


def test_pairs_are_with_the_reference_and_with_the_one_before() -> None:
    def pairs(summary: Summary) -> list[tuple[str, str]]:
        return list(dict.fromkeys((d.system, d.against) for d in summary.differences))

    assert pairs(summarize(RESULTS)) == [
        ("cascade", "none"),
        ("joint", "none"),
        ("joint", "cascade"),
    ]
    assert pairs(summarize(RESULTS, reference="cascade")) == [
        ("none", "cascade"),
        ("joint", "cascade"),
    ]
    with pytest.raises(DataError, match="no system 'soft' among none, cascade, joint"):
        summarize(RESULTS, reference="soft")


def test_only_common_splits_are_compared() -> None:
    partial = [r for r in RESULTS if (r["system"], r["split"]) not in {("joint", 0), ("none", 3)}]
    found = summarize(partial).difference("joint", "none", 100)
    assert found is not None
    first, second = np.array(_f1("joint", 100)[1:3]), np.array(_f1("none", 100)[1:3])
    assert (found.n_splits, found.mean) == (2, pytest.approx((first - second).mean()))


def test_a_type_that_some_splits_lack() -> None:
    results = [
        {**r, "types": {} if r["split"] == 0 else r["types"]} for r in RESULTS if r["size"] == 100
    ]
    summary = summarize(results)
    spread = summary.f1("none", 100, "PER")
    difference = summary.difference("joint", "none", 100, "PER")
    assert spread is not None
    assert difference is not None
    assert spread.mean == pytest.approx(np.mean(_f1("none", 100, "PER")[1:]))
    assert spread.n_splits == difference.n_splits == 3


def _curves(**curves: list[float]) -> list[Result]:
    """One split; F1 at 100, 200 and 400."""
    (form,) = made_up(["none"], 1, [1], [])
    return [
        {**form, "system": system, "size": size, "overall": dict.fromkeys(form["overall"], f1)}
        for system, values in curves.items()
        for size, f1 in zip((100, 200, 400), values, strict=True)
    ]


@pytest.mark.parametrize(
    ("curve", "size", "at_most"),
    [
        ([0.6, 0.7, 0.9], 300, False),
        ([0.7, 0.8, 0.9], 200, False),
        ([0.8, 0.85, 0.9], 100, True),
        ([0.5, 0.6, 0.79], None, False),
        ([0.85, 0.75, 0.85], 300, False),  # a lucky start does not count
        ([0.5, 0.6, 0.8], 400, False),
    ],
)
def test_data_saved(curve, size, at_most) -> None:
    (saved,) = summarize(_curves(none=[0.6, 0.7, 0.8], joint=curve)).data_saved
    assert saved.system == "joint"
    assert saved.size == (None if size is None else pytest.approx(size))
    assert saved.at_most == at_most


def test_learning_curve_and_best() -> None:
    summary = summarize(_curves(none=[0.6, 0.7, 0.8], joint=[0.5, 0.8, 0.9]))
    assert [(s.size, s.f1.mean) for s in summary.curve("none")] == [
        (100, 0.6),
        (200, 0.7),
        (400, 0.8),
    ]
    assert [summary.best(size) for size in summary.sizes] == ["none", "joint", "joint"]


def test_one_split_and_one_size() -> None:
    summary = summarize(made_up(n_splits=1, sizes=[10]))
    assert summary.data_saved == []
    assert (
        {d.p for d in summary.differences} == {d.deviation for d in summary.differences} == {None}
    )


def test_a_summary_is_plain_data() -> None:
    summary = summarize(RESULTS, unit="e-mails")
    text = json.dumps(summary.to_dict(), allow_nan=False)
    assert json.loads(text)["scores"][0]["f1"]["mean"] == summary.scores[0].f1.mean


def test_nothing_to_summarise() -> None:
    with pytest.raises(DataError, match="no results"):
        summarize([])
