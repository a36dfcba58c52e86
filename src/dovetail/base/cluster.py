"""Workers of a Dask cluster, as an executor that outlives them.

Each part keeps its worker from one round to the next, so that its files stay in that machine's
memory. What tasks add up, a worker adds up over all its parts, and sends once. A worker that dies
loses nothing: its tasks are done again by others. No wait is without limit: a cluster that has no
workers for `PATIENCE` seconds ends the work with an error.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import math
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from dovetail import __version__, _native
from dovetail.base.executor import Executor, Here, Shared, WholeNumbers
from dovetail.cores import count_cores
from dovetail.errors import ClusterError, DataError, DovetailError

T = TypeVar("T")
logger = logging.getLogger(__name__)

PATIENCE = 60.0  # seconds without any worker
CONNECT = 15.0  # seconds for a scheduler to answer
LOOK = 1.0  # seconds between looks at the cluster while waiting
AGAIN = 5  # times that a part is given out anew after its workers died
MOST_TOGETHER = 8  # parts that one task goes through
LARGE = 100_000  # bytes from which what is given is sent to a worker once, not with each task
SPREAD = 5.0  # seconds for each worker to get a copy of what is sent
LOCAL = "local:"
MOST_LOCAL = 1000  # workers of ``local:N``
# Dask has workers give all memory back at once, so that each part's arrays are new pages: a seventh
# of the time of training. These keep up to 256 MB, more than glibc would by itself.
MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25}
OF_NANNIES = "distributed.nanny.pre-spawn-environ"
GONE = ("lost", "cancelled")  # what nobody works on any more
Parts = tuple[int, ...]
Shapes = tuple[tuple[tuple[int, ...], str], ...]  # of sums, with their types


class Packed(NamedTuple):
    """Sums on their way: which are not zero, as bits, and these."""

    used: npt.NDArray[np.uint8]
    values: WholeNumbers


class Cluster:
    """The workers of a Dask client."""

    threads = 1  # a task; workers run as many tasks at a time as they have threads

    def __init__(self, client: Any, *, patience: float = PATIENCE) -> None:
        self.client = client
        self.patience = patience
        self._distributed = import_distributed()
        self._checked: set[str] = set()
        self._speed: dict[str, float] = {}  # seconds a part, lately
        self._home: dict[int, str] = {}  # the worker of each part

    def each(
        self,
        step: str,
        task: Callable[..., T],
        parts: Iterable[int],
        *given: Any,
        together: bool = True,
    ) -> Iterator[T]:
        """``task(part, *given)`` for each part, in their order, a few more at work than awaited."""
        sent = self._send(given)
        waiting = deque(self._divide(list(parts), together))
        at_work: deque[tuple[Parts, Any]] = deque()
        load: dict[str, float] = {}
        try:
            while waiting or at_work:
                workers = self._workers()
                ahead = 2 * sum(workers.values()) + 1
                while waiting and len(at_work) < ahead:
                    some = waiting.popleft()
                    best = self._choose(some, workers, load)
                    at_work.append((some, self._submit(step, task, some, (), sent, best)))
                some, future = at_work.popleft()
                yield from self._results(step, task, some, (), future, given)[0]
        finally:
            for _, future in at_work:
                future.cancel()

    def add_up(
        self,
        step: str,
        task: Callable[..., T],
        parts: Sequence[int],
        sums: Sequence[WholeNumbers],
        *given: Any,
    ) -> list[T]:
        """``task(part, sums, *given)`` for each part, on each worker for all its parts at once."""
        sent = self._send(given)
        shapes = tuple((one.shape, one.dtype.str) for one in sums)
        at_work = [
            (some, self._submit(step, task, some, shapes, sent, address))
            for address, some in self._share(parts)
        ]
        results: dict[int, T] = {}
        try:
            for some, future in at_work:
                found, own = self._results(step, task, some, shapes, future, given)
                results.update(zip(some, found, strict=True))
                for total, one in zip(sums, own, strict=True):
                    _native.add_packed(total, *one)
        finally:
            for _, future in at_work:
                future.cancel()
        return [results[part] for part in parts]

    def _share(self, parts: Sequence[int]) -> list[tuple[str, Parts]]:
        """What each thread of each worker goes through: its own parts, but no more than it has time
        for."""
        workers = self._workers()
        pace = {address: n / self._slowness(address) for address, n in workers.items()}
        most = {k: math.ceil(len(parts) * own / sum(pace.values())) for k, own in pace.items()}
        shares: dict[str, list[int]] = {address: [] for address in workers}
        homeless = []
        for part in parts:
            home = self._home.get(part, "")
            if home in workers and len(shares[home]) < most[home]:
                shares[home].append(part)
            else:
                homeless.append(part)
        for part in homeless:
            best = min(workers, key=lambda k: (len(shares[k]) + 1) / pace[k])
            shares[best].append(part)
            if self._home.get(part) not in workers:
                self._home[part] = best
        return [
            (address, tuple(own[k::threads]))
            for address, threads in workers.items()
            for own in [shares[address]]
            for k in range(min(threads, len(own)))
        ]

    def _divide(self, parts: list[int], together: bool) -> list[Parts]:
        """What each task goes through: where parts are small, one for each would cost time."""
        threads = sum(self._workers().values())
        size = max(1, min(MOST_TOGETHER, -(-len(parts) // threads))) if together else 1
        return [tuple(parts[k : k + size]) for k in range(0, len(parts), size)]

    def check_memory(self, size: int, what: str) -> None:
        """Refuse workers that may not use so many bytes."""
        for address, worker in self._info().items():
            limit = worker.get("memory_limit") or 0
            if 0 < limit < size:
                raise ClusterError(
                    f"worker {address} may use {limit / 1e6:.0f} MB of memory, and {what} takes "
                    f"about {size / 1e6:.0f} MB: write the corpus in smaller parts, or give the "
                    "workers more"
                )

    def _info(self) -> dict[str, Any]:
        if self.client.status != "running":
            raise ClusterError(f"the connection to the scheduler {_address(self.client)} is lost")
        try:
            info = self.client.scheduler_info(n_workers=-1)
        except (OSError, TimeoutError) as error:
            raise ClusterError(
                f"the scheduler {_address(self.client)} does not answer: {error}"
            ) from None
        return dict(info["workers"])

    def _workers(self) -> dict[str, int]:
        """Addresses and threads of workers that are there, once there are any; new ones are asked
        for their version."""
        until = time.monotonic() + self.patience
        while True:
            found = {address: int(w["nthreads"]) for address, w in self._info().items()}
            if fresh := set(found) - self._checked:
                self._check_versions(sorted(fresh))
                self._checked |= fresh
            if found:
                return dict(sorted(found.items()))
            if time.monotonic() > until:
                raise ClusterError(
                    f"the cluster at {_address(self.client)} has had no workers for "
                    f"{self.patience:.0f} seconds: start some"
                )
            time.sleep(LOOK)

    def _check_versions(self, workers: list[str]) -> None:
        answers = self.client.run(
            importlib.metadata.version, "dovetail", workers=workers, on_error="return"
        )
        for address, answer in sorted(answers.items()):
            if isinstance(answer, OSError):
                continue  # it has died meanwhile
            if isinstance(answer, Exception):
                raise ClusterError(f"worker {address} has no Dovetail: install it there")
            if answer != __version__:
                raise ClusterError(
                    f"worker {address} has Dovetail {answer}, and this is {__version__}: install "
                    "the same everywhere"
                )

    def _send(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is given, large arrays as what stands for them once workers have them."""
        workers = self._workers()
        large = [
            k
            for k, one in enumerate(given)
            if isinstance(one, Shared) or getattr(one, "nbytes", 0) > LARGE
        ]
        sent = list(given)
        for k in large:
            for _ in range(AGAIN):
                try:
                    sent[k] = self.client.scatter(
                        given[k], direct=True, hash=False, timeout=self.patience
                    )
                    self._spread(sent[k], len(workers))
                    break
                except Exception as error:  # a worker that died while it was sent to
                    logger.info("sending anew: %s", error)
                    self._workers()
            else:
                raise ClusterError(
                    f"the cluster at {_address(self.client)} did not take what was sent to it"
                )
        return tuple(sent)

    def _spread(self, future: Any, n_workers: int) -> None:
        """Copies from worker to worker. Dask goes on trying to reach one that has died meanwhile:
        nobody waits for that, as workers can still ask for what they need."""
        if n_workers > 1:
            with suppress(TimeoutError):
                self.client.replicate([future], callback_timeout=SPREAD)

    def _slowness(self, address: str) -> float:
        """How slow a worker is beside the others, in steps of two: parts are not to wander for
        little."""
        usual = sorted(self._speed.values())[len(self._speed) // 2] if self._speed else 1.0
        return 2.0 ** round(math.log2(max(self._speed.get(address, usual) / usual, 1e-3)))

    def _choose(self, parts: Parts, workers: dict[str, int], load: dict[str, float]) -> str:
        """The worker that would be through with these parts first; among equals they always come
        to the same."""

        def finish(address: str) -> float:
            own = load.get(address, 0.0) + len(parts)
            return own * self._slowness(address) / workers[address]

        best = min(workers, key=lambda address: (finish(address), address))
        load[best] = load.get(best, 0.0) + len(parts)
        return best

    def _submit(
        self,
        step: str,
        task: Callable[..., T],
        parts: Parts,
        shapes: Shapes,
        sent: tuple[Any, ...],
        address: str,
    ) -> Any:
        """Give parts to a worker, or to another one if it dies."""
        return self.client.submit(
            _run,
            task,
            parts,
            shapes,
            *sent,
            key=f"{step}-{parts[0]}-{uuid.uuid4().hex}",
            workers=[address],
            allow_other_workers=True,
            pure=False,
            retries=0,
        )

    def _results(
        self,
        step: str,
        task: Callable[..., T],
        parts: Parts,
        shapes: Shapes,
        future: Any,
        given: tuple[Any, ...],
    ) -> tuple[list[T], list[Packed]]:
        """What a task has found, and its sums; it is given out again where its worker, or what was
        sent there, is lost."""
        lost: Exception | None = None
        for _ in range(AGAIN):
            try:
                self._wait(future)
                address, seconds, results, sums, error = self.client.gather(future, direct=True)
            except DovetailError:
                raise
            except Exception as problem:  # lost with its worker: CancelledError, KilledWorker ...
                lost = problem
                logger.info("%s of parts %s is repeated: %s", step, parts, problem)
                sent = self._send(given)
                best = self._choose(parts, self._workers(), {})
                future = self._submit(step, task, parts, shapes, sent, best)
                continue
            if error is not None:
                raise error
            self._speed[address] = 0.5 * (self._speed.get(address, seconds) + seconds)
            return results, sums
        raise ClusterError(
            f"the workers that were given part {parts[0]} died {AGAIN} times "
            f"({step}, {type(lost).__name__}): see their logs; they may lack memory"
        )

    def _wait(self, future: Any) -> None:
        while True:
            try:
                self._distributed.wait(future, timeout=LOOK)
                return
            except TimeoutError:
                self._workers()
            if future.status in GONE:
                raise RuntimeError(f"it is {future.status}")


def _run(task: Callable[..., T], parts: Parts, shapes: Shapes, *given: Any) -> Any:
    """On a worker: who found it, in how many seconds a part, what, and sums of the given shapes; or
    an error that names it."""
    distributed = import_distributed()
    address = distributed.get_worker().address
    start = time.perf_counter()
    results: list[T] = []
    try:
        sums = [np.zeros(shape, dtype) for shape, dtype in shapes]
        for part in parts:
            results.append(task(part, *([sums] if shapes else []), *given))
    except DovetailError as error:
        return address, 0.0, None, None, type(error)(f"worker {address}: {error}")
    except MemoryError:
        number = parts[len(results)]
        problem = ClusterError(f"worker {address} has not enough memory for part {number}")
        return address, 0.0, None, None, problem
    except OSError as error:
        return address, 0.0, None, None, ClusterError(f"worker {address}: {error}")
    seconds = (time.perf_counter() - start) / len(parts)
    return address, seconds, results, [_pack(one) for one in sums], None


def _pack(sums: WholeNumbers) -> Packed:
    """Sums without the zeros: most weights of a large text are not met in a small one."""
    return Packed(*_native.pack_sums(sums))


@contextmanager
def open_cluster(where: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of ``local:N``: N workers on this machine, each
    with one thread, that end with it."""
    distributed = import_distributed()
    if where.startswith(LOCAL):
        number = where.removeprefix(LOCAL)
        if not number.isdecimal() or len(number) > 9 or not 0 < int(number) <= MOST_LOCAL:
            raise ClusterError(
                f"'{where}' is no cluster: give {LOCAL}N with N workers, {MOST_LOCAL} at most"
            )
        config = importlib.import_module("dask.config")
        environment = {**config.get(OF_NANNIES, {}), **MEMORY}
        with (
            config.set({OF_NANNIES: environment}),
            distributed.LocalCluster(
                n_workers=int(number), threads_per_worker=1, dashboard_address=":0"
            ) as made,
            distributed.Client(made) as client,
        ):
            yield client
        return
    with _connect(distributed, where) as client:
        yield client


def _connect(distributed: Any, where: str) -> Any:
    """A client of a scheduler. Whatever else listens at an address may take the connection and
    never answer, and Dask would wait for it for ever: so this is done in a thread that is left
    alone after a while."""
    found: list[Any] = []

    def connect() -> None:
        try:
            found.append(distributed.Client(where, timeout=CONNECT))
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(2 * CONNECT)
    if not found or isinstance(found[0], Exception):
        why = found[0] if found else f"nothing that it said within {2 * CONNECT:g} s is Dask's"
        raise ClusterError(f"no scheduler answers at {where}: {why}")
    return found[0]


@contextmanager
def open_executor(cluster: Any, threads: int | None = None) -> Iterator[Executor]:
    """Where to work: here without a cluster; else its workers, by a client or by an address as
    `open_cluster` takes it."""
    if cluster is None:
        yield Here(threads or count_cores())
    elif isinstance(cluster, str):
        with open_cluster(cluster) as client:
            yield Cluster(client)
    else:
        yield cluster if isinstance(cluster, Cluster) else Cluster(cluster)


def refuse_cluster(cluster: Any) -> None:
    """A cluster is for a corpus on disk."""
    if cluster is not None:
        raise DataError(
            "a cluster works on a corpus on disk: write one with dovetail.corpus.Shards.write"
        )


def import_distributed() -> Any:
    """The package of the extra ``cluster``."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask: pip install 'dovetail[cluster]' here and on its workers"
        ) from None


def _address(client: Any) -> str:
    scheduler = getattr(client, "scheduler", None)
    return str(getattr(scheduler, "address", "?"))
