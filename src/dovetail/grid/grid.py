"""A factorial CRF over a batch of sequences: its scores, and inference with them.

Layers are chains with labels of their own. Cotemporal factors score the labels that layers give to
the same token; lagged factors score the label of one layer at the token before together with that
of another; conditioned transitions are those of one layer, given the labels of others at the token
that they lead to. The score of a labelling is the sum of all of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.errors import DataError
from dovetail.grid import approximate
from dovetail.grid.cycle import Cycle
from dovetail.grid.merged import Factors, MergedLayers, cyclic_layers
from dovetail.grid.observed import Known, mask_known
from dovetail.grid.report import Gap, Report
from dovetail.grid.results import Best, Labels, Marginals, Scores
from dovetail.grid.settings import Settings

CotemporalScores = Mapping[tuple[int, ...], npt.ArrayLike]
LaggedScores = Mapping[tuple[int, int], npt.ArrayLike]
ConditionedScores = Mapping[tuple[int, ...], npt.ArrayLike]

MAX_STATES_OF_AUTO = 20_000  # joint states up to which "auto" is exact
MAX_EXACT_STATES = 200_000  # joint states above which exact inference is refused
MAX_MERGED_OF_AUTO = 200  # combinations of labels up to which "auto" merges layers in a cycle
MAX_MERGED = 1_000  # above which exact inference does not
METHODS = ("auto", "exact", "sparse", "beam", "loopy")


@dataclass(frozen=True, eq=False)
class Grid:
    """The scores of sequences in several layers.

    Transitions and lagged factors into the first token of a sequence do not count. Minus infinity
    forbids.

    Parameters
    ----------
    nodes
        For each layer a matrix [tokens x labels].
    transitions
        For each layer a matrix [labels x labels] from the label before to the label, or one such
        matrix per token.
    cotemporal
        Scores of the labels of two or more layers at the same token, by their numbers:
        [tokens x labels x labels ...].
    lagged
        Scores of the label of the first layer at the token before and of the second at this token,
        by their numbers: [tokens x labels x labels].
    bounds
        Where sequences begin and end among the tokens, 0 first; one sequence by default.
    conditioned
        Scores of a layer's transitions given the labels of others at the token: by their numbers,
        its own last, [tokens x labels of the others ... x labels x labels], or without tokens where
        all are alike.

    Examples
    --------
    >>> flat = np.zeros((2, 2))
    >>> agree = np.tile(np.eye(2) * 5, (2, 1, 1))
    >>> grid = Grid([np.array([[3.0, 0], [0, 3]]), flat], [flat, flat], {(0, 1): agree})
    >>> [labels.tolist() for labels in grid.best().labels]
    [[0, 1], [0, 1]]
    >>> grid.clamp(1, [1, None]).marginals().labels[0].round(2).tolist()
    [[0.12, 0.88], [0.05, 0.95]]
    """

    nodes: Sequence[npt.ArrayLike]
    transitions: Sequence[npt.ArrayLike]
    cotemporal: CotemporalScores = field(default_factory=dict)
    lagged: LaggedScores = field(default_factory=dict)
    bounds: npt.ArrayLike | None = None
    conditioned: ConditionedScores = field(default_factory=dict)

    @cached_property
    def native(self) -> _native.Grids:
        """The scores as the kernels see them."""
        self._check_layers()
        try:
            nodes = [_array(node) for node in self.nodes]
            whole = [0, len(nodes[0]) if nodes and nodes[0].ndim else 0]
            return _native.Grids(
                nodes,
                [_array(scores) for scores in self.transitions],
                [(list(layers), _array(score)) for layers, score in self.cotemporal.items()],
                [(*layers, _array(score)) for layers, score in self.lagged.items()],
                [(list(layers), _array(score)) for layers, score in self.conditioned.items()],
                np.ascontiguousarray(whole if self.bounds is None else self.bounds, np.uint64),
            )
        except (ValueError, TypeError, OverflowError) as error:
            raise DataError(f"the grid does not fit together: {_first_line(error)}") from None

    @property
    def n_states(self) -> int:
        """How many combinations of labels a token can have."""
        return int(self.native.n_states)

    def best(
        self,
        method: str = "auto",
        *,
        epsilon: float = 1e-4,
        beam: int | None = None,
        damping: float = 0.5,
        iterations: int = 100,
        tolerance: float = 1e-6,
        threads: int | None = None,
        check: bool = False,
    ) -> Best:
        """The best labels of all layers, decoded jointly.

        ``method`` is ``exact``, ``sparse``, ``beam``, ``loopy``, or ``auto``: exact where that is
        affordable, else sparse. ``check`` compares with the exact result where that is affordable;
        ``report.gap`` has the difference. For the others see `Settings`.
        """
        settings = Settings(epsilon, beam, damping, iterations, tolerance, threads)
        method = self._resolve_method(method)
        if method == "exact":
            return self._best_exactly(settings)
        found = Best(*approximate.best(self.native, method, settings))
        if not (check and self.is_exact_possible):
            return found
        exact = self.best("exact", threads=threads)
        gap = Gap(
            _largest_difference(found.scores, exact.scores),
            None,
            _share_of_differences(found.labels, exact.labels),
        )
        return found._replace(report=replace(found.report, gap=gap))

    def marginals(
        self,
        method: str = "auto",
        *,
        epsilon: float = 1e-4,
        beam: int | None = None,
        damping: float = 0.5,
        iterations: int = 100,
        tolerance: float = 1e-6,
        threads: int | None = None,
        check: bool = False,
    ) -> Marginals:
        """log Z and probabilities of labels, transitions and factors; settings as for `best`."""
        settings = Settings(epsilon, beam, damping, iterations, tolerance, threads)
        method = self._resolve_method(method)
        if method == "exact":
            return self._marginals_exactly(settings)
        close = self._make_marginals(*approximate.marginals(self.native, method, settings))
        if not (check and self.is_exact_possible):
            return close
        exact = self.marginals("exact", threads=threads)
        gap = Gap(
            _largest_difference(close.log_z, exact.log_z),
            max(map(_largest_difference, close.labels, exact.labels)),
            _share_of_differences(
                *([p.argmax(axis=1) for p in each.labels] for each in (close, exact))
            ),
        )
        return close._replace(report=replace(close.report, gap=gap))

    def joint(self, *, threads: int | None = None) -> Scores:
        """The probability of each combination of labels, [tokens x labels x labels x ...]."""
        self._resolve_method("exact")
        settings = Settings(threads=threads)
        if (cycle := self._cycle(threads)) is not None:
            return cycle.joint()
        _, states = self._call(self.native.marginals, True, settings.n_threads)
        found: Scores = states.reshape(len(states), *self._sizes)
        return found

    def best_k(self, k: int, sequence: int = 0) -> list[tuple[list[Labels], float]]:
        """The k best labellings of one sequence, best first: labels of each layer, and the score.

        Fewer than k where fewer are allowed.
        """
        self._resolve_method("exact")
        if k < 1:
            raise DataError(f"k is {k}; give a whole number of at least 1")
        _check_number("sequence", sequence, self.native.n_sequences)
        if (cycle := self._cycle(None)) is not None:
            return cycle.best_k(k, sequence)
        labels, scores = self._call(self.native.best_k, sequence, k)
        return [(list(paths), float(score)) for paths, score in zip(labels, scores, strict=True)]

    def span_log_probabilities(
        self,
        layer: int,
        spans: Sequence[tuple[int, int]],
        masks: Sequence[npt.ArrayLike],
        sequence: int = 0,
    ) -> Scores:
        """The log of the probability that labels of a layer are as ``masks`` allow, for each span.

        A span is the first token and the one after the last, counted within the sequence. Its mask
        has a row of truth values, one a label, for the token before it, each of its tokens, and the
        token after it; rows for tokens outside the sequence are ignored.
        """
        self._resolve_method("exact")
        _check_number("sequence", sequence, self.native.n_sequences)
        _check_number("layer", layer, len(self.nodes))
        if (cycle := self._cycle(None)) is not None:
            return cycle.span_log_probabilities(layer, spans, masks, sequence)
        starts, ends = (np.array([span[k] for span in spans], dtype=np.int64) for k in (0, 1))
        rows = [np.asarray(mask, dtype=bool).astype(np.uint8).ravel() for mask in masks]
        every = np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint8)
        found: Scores = self._call(
            self.native.span_log_probabilities, sequence, layer, starts, ends, every
        )
        return found

    def clamp(self, layer: int, labels: Sequence[Known] | npt.NDArray[np.integer]) -> Grid:
        """This grid with the labels of a layer known at some tokens.

        For each token a label's number, a set of numbers, or None (or -1) where nothing is known.
        """
        _check_number("layer", layer, len(self.nodes))
        node = _array(self.nodes[layer])
        if len(labels) != len(node):
            raise DataError(f"{len(labels)} labels clamp the {len(node)} tokens of layer {layer}")
        node = np.where(mask_known(labels, node.shape[1]), node, -np.inf)
        nodes = [node if i == layer else each for i, each in enumerate(self.nodes)]
        return replace(self, nodes=nodes)

    def _check_layers(self) -> None:
        known = range(len(self.nodes))
        for kind, many, keys in (
            ("cotemporal factor", "two or more", self.cotemporal),
            ("lagged factor", "two", self.lagged),
            ("conditioned transition", "two or more", self.conditioned),
        ):
            for layers in keys:
                right = len(layers) == 2 or (len(layers) > 2 and many != "two")
                if not right or len(set(layers)) < len(layers) or not set(layers) <= set(known):
                    raise DataError(
                        f"the {kind} {tuple(layers)} does not name {many} different layers "
                        f"of the grid's {len(known)}, numbered from 0"
                    )

    @property
    def _sizes(self) -> list[int]:
        return [np.shape(node)[-1] for node in self.nodes]

    @property
    def _exact_report(self) -> Report:
        return Report("exact", self.n_states)

    @property
    def is_exact_affordable(self) -> bool:
        """Whether ``auto`` is exact."""
        few = self._merged is None or self._merged.n_labels <= MAX_MERGED_OF_AUTO
        return self.native.n_states <= MAX_STATES_OF_AUTO and few

    @property
    def is_exact_possible(self) -> bool:
        """Whether the joint states are few enough, and those of layers in a cycle."""
        few = self._merged is None or self._merged.n_labels <= MAX_MERGED
        return self.native.n_states <= MAX_EXACT_STATES and few

    def _resolve_method(self, method: str) -> str:
        if method not in METHODS:
            raise DataError(f"there is no method {method!r}; give one of {', '.join(METHODS)}")
        if method == "auto":
            return "exact" if self.is_exact_affordable else "sparse"
        if method == "exact" and self.native.n_states > MAX_EXACT_STATES:
            raise DataError(
                f"the layers have {' x '.join(map(str, self._sizes))} = {self.n_states:,} joint "
                f"states, too many for exact inference (at most {MAX_EXACT_STATES:,}): use method "
                "'sparse', 'beam' or 'loopy'"
            )
        if method == "exact" and not self.is_exact_possible:
            assert self._merged is not None
            raise DataError(
                f"the layers {', '.join(map(str, self._merged.members))} depend on one another in "
                f"a cycle; exact inference would take all pairs of their {self._merged.n_labels:,} "
                f"combinations of labels (at most {MAX_MERGED:,}): use method 'sparse', 'beam' or "
                "'loopy'"
            )
        return method

    @cached_property
    def _merged(self) -> MergedLayers | None:
        """The layers that have to be made one for exact inference."""
        if not self.native.factors_form_cycle:
            return None
        given = [tuple(layers) for layers in self.conditioned]
        members = cyclic_layers(len(self.nodes), list(self.lagged), given)
        return MergedLayers(self._sizes, members)

    def _cycle(self, threads: int | None) -> Cycle | None:
        """Exact inference where some layers have to be made one."""
        if self._merged is None:
            return None
        factors = Factors.of(
            self.nodes, self.transitions, self.cotemporal, self.lagged, self.conditioned
        )
        whole = [0, self.native.n_tokens]
        bounds = np.asarray(whole if self.bounds is None else self.bounds, np.int64)
        return Cycle(self._merged, factors, bounds, Grid, threads)

    def _best_exactly(self, settings: Settings) -> Best:
        cycle = self._cycle(settings.threads)
        if cycle is not None:
            return Best(*cycle.best(), self._exact_report)
        labels, scores = self._call(self.native.best, settings.n_threads)
        return Best(labels, scores, self._exact_report)

    def _marginals_exactly(self, settings: Settings) -> Marginals:
        cycle = self._cycle(settings.threads)
        if cycle is None:
            found, _ = self._call(self.native.marginals, False, settings.n_threads)
            return self._make_marginals(found, self._exact_report)
        log_z, whole = cycle.marginals()
        layers = [(i,) for i in range(len(self.nodes))]
        arrays = [
            log_z,
            *([whole.scores[kind, i] for i in layers] for kind in ("node", "transition")),
            *(
                [whole.scores[kind, tuple(key)] for key in keys]
                for kind, keys in (
                    ("cotemporal", self.cotemporal),
                    ("lagged", self.lagged),
                    ("conditioned", self.conditioned),
                )
            ),
        ]
        return self._make_marginals(arrays, self._exact_report)

    def _call(self, kernel: Any, *arguments: Any) -> Any:
        try:
            return kernel(*arguments)
        except (ValueError, TypeError) as error:
            raise DataError(_first_line(error)) from None

    def _make_marginals(self, arrays: Sequence[Any], report: Report) -> Marginals:
        log_z, labels, transitions, cotemporal, lagged, conditioned = arrays
        return Marginals(
            log_z,
            labels,
            transitions,
            dict(zip(self.cotemporal, cotemporal, strict=True)),
            dict(zip(self.lagged, lagged, strict=True)),
            dict(zip(self.conditioned, conditioned, strict=True)),
            report,
        )


def _array(given: npt.ArrayLike) -> Scores:
    return np.ascontiguousarray(given, dtype=np.float64)


def _check_number(what: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        raise DataError(f"there is no {what} {number}: the grid has {count}, numbered from 0")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _largest_difference(found: Scores, exact: Scores) -> float:
    return float(np.abs(found - exact).max(initial=0.0))


def _share_of_differences(
    found: Sequence[npt.NDArray[Any]], exact: Sequence[npt.NDArray[Any]]
) -> float:
    return float(np.mean(np.concatenate(found) != np.concatenate(exact))) if found[0].size else 0.0
