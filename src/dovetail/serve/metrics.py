"""Counts and times in the text format of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)


class Histogram:
    """How often a value was at most each of some bounds."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str) -> list[str]:
        so_far, out = 0, []
        between = f"{labels}," if labels else ""
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            so_far += count
            out.append(f'{name}_bucket{{{between}le="{bound}"}} {so_far}')
        shown = f"{{{labels}}}" if labels else ""
        return [*out, f"{name}_sum{shown} {self.total:g}", f"{name}_count{shown} {so_far}"]


class Metrics:
    """What the service did since it was started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, int], int] = defaultdict(int)
        self._seconds: dict[str, Histogram] = {}
        self._batches = Histogram(SIZES)
        self._items: dict[str, int] = defaultdict(int)
        self._reloads: dict[tuple[str, str], int] = defaultdict(int)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered; for the event loop's thread alone."""
        self._requests[path, status] += 1
        if path not in self._seconds:
            self._seconds[path] = Histogram(SECONDS)
        self._seconds[path].add(seconds)

    def count_batch(self, items: Mapping[str, int], requests: int) -> None:
        """So many requests were answered together, with texts or sequences for these models."""
        with self._lock:
            self._batches.add(requests)
            for model, count in items.items():
                self._items[model] += count

    def count_reload(self, model: str, failed: bool) -> None:
        """The file of a model was replaced."""
        with self._lock:
            self._reloads[model, "failed" if failed else "loaded"] += 1

    def to_text(self, waiting: int, versions: Mapping[str, str]) -> str:
        """All of it, for a scrape."""
        out = _family("dovetail_requests_total", "counter", "Requests answered.")
        for (path, status), count in sorted(self._requests.items()):
            out.append(f'dovetail_requests_total{{path="{path}",status="{status}"}} {count}')
        out += _family("dovetail_request_seconds", "histogram", "Time from request to answer.")
        for path, histogram in sorted(self._seconds.items()):
            out += histogram.lines("dovetail_request_seconds", f'path="{path}"')
        with self._lock:
            out += _family("dovetail_batch_requests", "histogram", "Requests tagged together.")
            out += self._batches.lines("dovetail_batch_requests", "")
            out += _family("dovetail_items_total", "counter", "Texts and sequences tagged.")
            for model, count in sorted(self._items.items()):
                out.append(f'dovetail_items_total{{model="{_escaped(model)}"}} {count}')
            out += _family("dovetail_reloads_total", "counter", "Model files replaced.")
            for (model, outcome), count in sorted(self._reloads.items()):
                labels = f'model="{_escaped(model)}",outcome="{outcome}"'
                out.append(f"dovetail_reloads_total{{{labels}}} {count}")
        out += _family("dovetail_waiting_requests", "gauge", "Requests not answered yet.")
        out.append(f"dovetail_waiting_requests {waiting}")
        out += _family("dovetail_model_info", "gauge", "Models served.")
        for model, version in versions.items():
            labels = f'model="{_escaped(model)}",version="{version}"'
            out.append(f"dovetail_model_info{{{labels}}} 1")
        return "\n".join(out) + "\n"


def _family(name: str, kind: str, what: str) -> list[str]:
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}"]


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
