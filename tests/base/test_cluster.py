"""Parts of a corpus worked on by the workers of a Dask cluster, which may die."""

from __future__ import annotations

import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import Tagger, _native
from dovetail.base import cluster as clusters
from dovetail.base.cluster import Cluster, open_cluster
from dovetail.base.executor import Here, Multiples
from dovetail.corpus import Column, Corpus, Shards
from dovetail.errors import ClusterError, DataError
from dovetail.features import Template, column
from dovetail.representation import HMM, WordClasses

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of workers that are killed

WORD = column("word")
TEMPLATE = Template(WORD.window(1), WORD.suffix(1))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Shards:
    draw = random.Random(0)
    words = [[f"{draw.choice('abcd')}{draw.randint(0, 99)}" for _ in range(5)] for _ in range(300)]
    labels = [["X" if w[0] == "a" else "O" for w in row] for row in words]
    corpus = Corpus.from_lists({"word": words, "label": labels})
    return Shards.write(tmp_path_factory.mktemp("text") / "text", [corpus], tokens=200)


def fit(shards: Shards, **given: Any) -> tuple[list[Any], bytes]:
    tagger = Tagger(features=TEMPLATE, c2=0.1).fit(shards, **given)
    history = [progress.objective for progress in tagger.history_]
    return history, tagger.marginals(shards[0]).tobytes()


def add_powers(number: int, sums: Any, factor: int) -> int:
    sums[0][number % 3] += factor**number
    sums[1][number, 1] -= 1
    return -number


@contextmanager
def killing(client: Any, seconds: float, which: int) -> Iterator[None]:
    """After so many seconds a worker's process is killed; its nanny starts another."""
    client.wait_for_workers(2, timeout=60)
    process = list(client.cluster.workers.values())[which].process
    timer = threading.Timer(seconds, lambda: os.kill(process.pid, signal.SIGKILL))
    timer.start()
    try:
        yield
    finally:
        timer.join()


def test_what_workers_add_up_is_what_would_be_added_up_here(client: Any) -> None:
    cluster = Cluster(client)
    parts = [5, 2, 0, 7, 1]
    for executor in (Here(1), cluster):
        sums = [np.zeros(3, np.int64), np.zeros((8, 2), np.int32)]
        assert executor.add_up("step", add_powers, parts, sums, 3) == [-k for k in parts]
        np.testing.assert_array_equal(sums[0], [3**0, 3**1 + 3**7, 3**5 + 3**2])
        np.testing.assert_array_equal(sums[1][:, 0], 0)
        np.testing.assert_array_equal(np.flatnonzero(sums[1][:, 1]), sorted(parts))


def test_parts_stay_with_their_worker_unless_it_is_slow(client: Any) -> None:
    cluster = Cluster(client)
    client.wait_for_workers(2, timeout=60)
    shares = dict(cluster._share(range(12)))
    assert sorted(map(len, shares.values())) == [6, 6]
    assert dict(cluster._share(range(12))) == shares
    first, second = shares
    cluster._speed = {first: 10.0, second: 1.0}
    slow = dict(cluster._share(range(12)))
    assert len(slow[first]) < 3
    assert set(slow[first]) < set(shares[first])
    assert sorted(slow[first] + slow[second]) == list(range(12))


@pytest.mark.parametrize("bound", [1.0, 1000.0, 1e12, 1e200])
def test_multiples_are_as_fine_as_a_sum_of_64_bits_can_be(bound: float) -> None:
    unit, places = Multiples(bound), np.array([1, 0], np.uint32)
    sums = np.zeros(2, np.int64)
    given = np.array([bound / 3, -bound])
    _native.add_multiples(sums, places, given, unit.exponent)
    _native.add_multiples(sums, places, given[::-1] / 7, unit.exponent)
    expected = [-bound + bound / 21, bound / 3 - bound / 7]
    np.testing.assert_allclose(unit.to_real(sums), expected, rtol=1e-15, atol=bound * 2.0**-60)
    with pytest.raises(OverflowError, match="too large"):
        _native.add_multiples(sums, places, 8 * given, unit.exponent)
    with pytest.raises(OverflowError, match="too large"):
        _native.add_multiples(sums, places, np.array([0.0, np.nan]), unit.exponent)
    with pytest.raises(ValueError, match="places"):
        _native.add_multiples(sums, np.array([2], np.uint32), given[:1], unit.exponent)


def test_sums_that_do_not_fit_are_refused() -> None:
    used, values = _native.pack_sums(np.array([0, 5, 0, -1], np.int32))
    sums = np.ones(4, np.int32)
    _native.add_packed(sums, used, values)
    assert sums.tolist() == [1, 6, 1, 0]
    for given in ((used, values[:1]), (used[:0], values), (np.array([3 << 6], np.uint8), values)):
        with pytest.raises(ValueError, match="sums"):
            _native.add_packed(sums, *given)


def test_the_model_has_the_same_bits_as_here(client: Any, shards: Shards) -> None:
    assert fit(shards, cluster=client) == fit(shards)


def test_representations_have_the_same_bits_as_here(client: Any, shards: Shards) -> None:
    settings: dict[str, Any] = {"states": 3, "start": "random", "rounds": 3}
    here, there = HMM(**settings).fit(shards), HMM(**settings).fit(shards, cluster=client)
    np.testing.assert_array_equal(here.parameters_.emissions, there.parameters_.emissions)
    classes = [WordClasses(3).fit(shards, cluster=c).classes_ for c in (None, client)]
    np.testing.assert_array_equal(*classes)


def test_workers_that_are_killed_change_nothing(
    client: Any, shards: Shards, tmp_path: Path
) -> None:
    fresh = Shards.write(tmp_path / "text", shards, tokens=200)
    expected, draw = fit(shards), random.Random(1)
    for which in (0, 1, 0):
        with killing(client, draw.uniform(0.0, 2.0), which):
            assert fit(fresh, cluster=client) == expected


def die_once(number: int, sums: Any, many: Any, folder: str) -> int:
    """The first time, the worker is gone, and what it was sent with it."""
    died = Path(folder) / f"died-{number}"
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    sums[0] += many[:3] * number
    return number


@pytest.mark.parametrize("spread", [0.0, clusters.SPREAD])
def test_what_was_sent_to_workers_that_died_is_sent_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    monkeypatch.setattr(clusters, "SPREAD", spread)
    sums = [np.zeros(3, np.int64)]
    many = np.arange(clusters.LARGE)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
        distributed.Client(made) as own,
    ):
        begun = time.monotonic()
        found = Cluster(own).add_up("step", die_once, [1, 2], sums, many, str(tmp_path))
    assert found == [1, 2]
    assert sums[0].tolist() == [0, 3, 6]
    assert time.monotonic() - begun < 60


def test_two_trainings_at_once(client: Any, shards: Shards) -> None:
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(fit(shards, cluster=client))) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [fit(shards)] * 2


@pytest.mark.parametrize("settings", [{"c1": 0.3}, {"method": "sgd"}, {"precision": "double"}])
def test_other_objectives_and_missing_labels_have_the_same_bits(
    client: Any, shards: Shards, tmp_path: Path, settings: dict[str, Any]
) -> None:
    parts = [part.with_column("label", without_some(part)) for part in shards]
    some = Shards.write(tmp_path / "text", parts, tokens=200)
    here, there = (
        Tagger(features=TEMPLATE, c2=0.1, **settings).fit(some, cluster=cluster)
        for cluster in (None, client)
    )
    assert [p.objective for p in here.history_] == [p.objective for p in there.history_]
    np.testing.assert_array_equal(here.marginals(shards[0]), there.marginals(shards[0]))


def without_some(part: Corpus) -> Column:
    """Labels of which every seventh is missing."""
    labels = part.column("label")
    codes = labels.codes.copy()
    codes[::7] = -1
    return Column(codes, labels.levels)


def test_parts_of_any_size_and_more_workers_than_parts(client: Any, tmp_path: Path) -> None:
    long = Corpus.from_lists({"word": [["a", "b"] * 300], "label": [["X", "O"] * 300]})
    none = Corpus.from_lists({"word": [[]], "label": [[]]})
    short = Corpus.from_lists({"word": [["a", "c"]] * 3, "label": [["X", "O"]] * 3})
    for number, corpora in enumerate(([long, short], [none, long, short, none], [short])):
        shards = Shards.write(tmp_path / f"text{number}", corpora, tokens=4)
        assert fit(shards, cluster=client) == fit(shards)


def slowly(number: int, sums: Any) -> str:
    """On the first worker ten times as slowly."""
    worker = distributed.get_worker()
    time.sleep(0.1 if worker.name == 0 else 0.01)
    sums[0][0] += number
    return str(worker.address)


def test_a_worker_ten_times_as_slow_is_given_less(client: Any) -> None:
    client.wait_for_workers(2, timeout=60)
    cluster, parts = Cluster(client), list(range(20))
    slow = client.cluster.workers[0].worker_address
    shares = []
    for _ in range(4):
        sums = [np.zeros(1, np.int64)]
        found = cluster.add_up("step", slowly, parts, sums)
        assert sums[0][0] == sum(parts)
        shares.append(found.count(slow))
    assert shares[0] == 10
    assert shares[-1] <= 3


def test_workers_that_come_and_go_change_nothing(shards: Shards, tmp_path: Path) -> None:
    fresh = Shards.write(tmp_path / "text", shards, tokens=200)
    rounds: list[int] = []
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as made,
        distributed.Client(made) as client,
    ):

        def scale(progress: Any) -> None:
            rounds.append(len(client.scheduler_info(n_workers=-1)["workers"]))
            if progress.iteration == 3:
                made.scale(2)
                client.wait_for_workers(2, timeout=60)
            elif progress.iteration == 9:
                made.scale(1)

        there = Tagger(features=TEMPLATE, c2=0.1).fit(fresh, cluster=client, callback=scale)
    here = Tagger(features=TEMPLATE, c2=0.1).fit(shards)
    assert rounds[2] == 1
    assert rounds[3] == 2
    assert rounds[-1] == 1
    np.testing.assert_array_equal(here.marginals(shards[0]), there.marginals(shards[0]))


def test_steps_have_names_on_the_dashboard(client: Any, shards: Shards, tmp_path: Path) -> None:
    fit(Shards.write(tmp_path / "text", shards, tokens=200), cluster=client)
    names = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
    assert {"index", "layout", "ascent", "gradient"} <= names


def test_workers_here_keep_memory_that_they_need_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in clusters.MEMORY:
        monkeypatch.delenv(name, raising=False)  # another cluster in this process has set it
    with open_cluster("local:1") as client:
        for name, value in clusters.MEMORY.items():
            assert list(client.run(os.environ.get, name).values()) == [str(value)]


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CONNECT", 0.5)
    nowhere = "tcp://127.0.0.1:9"
    with pytest.raises(ClusterError, match=f"no scheduler answers at {nowhere}"):
        open_cluster(nowhere).__enter__()
    with pytest.raises(ClusterError, match=r"no scheduler answers at tls://x:1: TLS"):
        open_cluster("tls://x:1").__enter__()
    for number in ("x", "", "0", "-1", "1001", "9" * 20, "9" * 5000):
        with pytest.raises(ClusterError, match=rf"'local:{number}' is no cluster"):
            open_cluster(f"local:{number}").__enter__()


def test_something_else_listens_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes a connection and says nothing is not waited for without end."""
    monkeypatch.setattr(clusters, "CONNECT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"no scheduler answers at {address}"):
            open_cluster(address).__enter__()


def test_a_worker_with_another_version_is_named(
    client: Any, shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "__version__", "99.0")
    with pytest.raises(ClusterError, match=r"worker tcp://\S+ has Dovetail .*this is 99\.0"):
        fit(shards, cluster=client)


def test_a_part_that_cannot_be_read_is_named_with_the_worker(
    client: Any, shards: Shards, tmp_path: Path
) -> None:
    copy = Shards.write(tmp_path / "text", shards, tokens=200)
    (copy.folder / "part-00002.shard").unlink()
    with pytest.raises(DataError, match=r"worker tcp://\S+: part 2 .*part-00002\.shard"):
        fit(copy, cluster=client)


def test_workers_with_too_little_memory_are_refused(client: Any) -> None:
    with pytest.raises(ClusterError, match=r"worker tcp://\S+ may use .* write the corpus in smal"):
        Cluster(client).check_memory(10**15, "part 3")


def test_a_cluster_without_workers_ends_the_work() -> None:
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as made,
        distributed.Client(made) as client,
        pytest.raises(ClusterError, match=r"has had no workers for 0 seconds"),
    ):
        list(Cluster(client, patience=0.0).each("step", abs, [1]))
