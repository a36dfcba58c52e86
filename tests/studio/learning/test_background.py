"""The thread beside the requests, with tasks that wait for events."""

from __future__ import annotations

from threading import Event

from dovetail.studio.learning.background import Worker

LONG = 60.0  # seconds after which a test has failed


def busy(worker: Worker) -> Event:
    """Keep it busy until the event that is returned is set."""
    begun, go = Event(), Event()

    def hold() -> None:
        begun.set()
        assert go.wait(LONG)

    worker.submit("hold", 0, hold)
    assert begun.wait(LONG)
    return go


def test_of_one_kind_only_the_newest_is_done_and_the_most_urgent_first() -> None:
    done: list[str] = []
    worker = Worker("test")
    worker.start()
    go = busy(worker)
    worker.submit("rest", 3, lambda: done.append("rest"))
    worker.submit("train", 1, lambda: done.append("old"))
    worker.submit("open", 2, lambda: done.append("open"))
    worker.submit("train", 1, lambda: done.append("new"))
    assert not worker.wait(0.0)
    go.set()
    assert worker.wait(LONG)
    worker.stop()
    assert done == ["new", "open", "rest"]


def test_a_task_may_give_another_and_a_failure_ends_nothing() -> None:
    done: list[str] = []
    failed: list[Exception] = []
    worker = Worker("test", failed.append)
    worker.start()

    def fail() -> None:
        worker.submit("after", 0, lambda: done.append("after"))
        raise ValueError("no")

    worker.submit("fail", 0, fail)
    assert worker.wait(LONG)
    worker.stop()
    assert done == ["after"]
    assert [str(error) for error in failed] == ["no"]


def test_stopping_finishes_what_is_at_work_and_begins_nothing() -> None:
    done: list[str] = []
    worker = Worker("test")
    worker.start()
    go = busy(worker)
    worker.submit("later", 0, lambda: done.append("later"))
    go.set()
    worker.stop()
    worker.submit("never", 0, lambda: done.append("never"))
    assert "never" not in done
    Worker("unused").stop()
