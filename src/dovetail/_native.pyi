"""
Kernels of Dovetail: feature index, linear-chain CRF training and inference.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class ImpossibleSequence(ValueError):
    pass

class TextError(ValueError):
    pass

class ItemError(ValueError):
    pass

START: str = '⟨start⟩'

END: str = '⟨end⟩'

def checksum(arg: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> int:
    """A 64-bit checksum."""

class Dataset:
    def __init__(self) -> None: ...

    def append(self, items: object | None, labels: object | None = None, allowed: object | None = None, weight: float = 1.0) -> None: ...

    def add_label(self, arg: str, /) -> int: ...

    @property
    def n_sequences(self) -> int: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def n_occurrences(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def labels(self) -> list[str]: ...

    @property
    def fully_labelled(self) -> bool: ...

    def observed_moves(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
        """Moves [L x L], first labels [L] and last labels [L] that occur."""

    @property
    def weighted(self) -> bool: ...

    def feature_names(self) -> list[str]: ...

    def find_features(self, arg: Sequence[str], /) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Numbers of features by name, -1 for unknown ones."""

class CrfsuiteText:
    def __init__(self, arg: Dataset, /) -> None: ...

    def feed(self, arg: bytes, /) -> None: ...

    def finish(self) -> None: ...

class Problem:
    def __init__(self, data: Dataset, min_count: int, all_pairs: bool, all_transitions: bool, role: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], legal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def has_features(self) -> bool: ...

    @property
    def n_parameters(self) -> int: ...

    def export(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, object]: ...

    def parameters(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

class ObjectiveSingle:
    def __init__(self, problem: Problem) -> None: ...

    def evaluate(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], c2: float, threads: int) -> float: ...

    def curvature(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class ObjectiveDouble:
    def __init__(self, problem: Problem) -> None: ...

    def evaluate(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], c2: float, threads: int) -> float: ...

    def curvature(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class Dual:
    def __init__(self, problem: Problem, c2: float) -> None: ...

    @staticmethod
    def memory(arg: Problem, /) -> float: ...

    def epoch(self, seed: int) -> float: ...

    def refresh(self) -> float: ...

    def weights(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class Stochastic:
    def __init__(self, problem: Problem, c2: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def epoch(self, rate: float, seed: int) -> float: ...

    def weights(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class Perceptron:
    def __init__(self, problem: Problem, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def epoch(self, seed: int) -> float: ...

    def average(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class History:
    def __init__(self, size: int, memory: int) -> None: ...

    def push(self, s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool: ...

    def clear(self) -> None: ...

    def direction(self, g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse_diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class Constraints:
    def __init__(self, n_labels: int, legal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Batch:
    @property
    def n_sequences(self) -> int: ...

    @property
    def n_tokens(self) -> int: ...

    def occurrences(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        First occurrence of each token [n_tokens + 1], and feature and value of each occurrence.
        """

    @property
    def bounds(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class Model:
    def __init__(self, n_labels: int, slots: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_label: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_weight: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_row: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], cell: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], cell_weight: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], check_contents: bool = True) -> None: ...

    @property
    def n_labels(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def encode(self, sequences: object) -> Batch: ...

    def tag(self, sequences: object, label_names: tuple[str, ...], constraints: Constraints, threads: int) -> list[list[str]]: ...

    def viterbi(self, batch: Batch, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def max_marginal(self, batch: Batch, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def posteriors(self, batch: Batch, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[NDArray[numpy.float64], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def transition_marginals(self, batch: Batch, sequence: int, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

    def path_scores(self, batch: Batch, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], constraints: Constraints) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def kbest(self, batch: Batch, sequence: int, k: int, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.int32], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def span_log_probabilities(self, batch: Batch, sequence: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def sample(self, batch: Batch, sequence: int, n: int, seed: int, constraints: Constraints, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

    def token_scores(self, batch: Batch) -> NDArray[numpy.float64]: ...

    def transitions(self) -> NDArray[numpy.float64]: ...

class Columns:
    def __init__(self) -> None: ...

    @property
    def n_sequences(self) -> int: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def bounds(self) -> list[int]: ...

    def set_bounds(self, bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_tokens(self, names: Sequence[str], sequences: object) -> None: ...

    def add_codes(self, name: str, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: object) -> None:
        """
        levels: a string, or a list of strings or (string, number) pairs, for each code.
        """

    def add_items(self, name: str, tokens: object) -> None:
        """
        tokens: None, a string, or a list of strings or (string, number) pairs, for each token.
        """

    def add_soft(self, name: str, levels: Sequence[str], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float) -> None: ...

    def pad(self, name: str, source: str) -> None:
        """A column that has words outside the sequence too."""

    def take(self, name: str, source: str, steps: Sequence[tuple[str, int]]) -> None:
        """A column of attributes that steps take of another's values."""

    def match(self, name: str, source: str, lexicon: Lexicon) -> None: ...

    def has(self, arg: str, /) -> bool: ...

    def distinct(self, arg: str, /) -> list[str]:
        """The distinct texts of a column."""

    def codes(self, arg: str, /) -> list[int]:
        """
        Of each token, the number of its first text among the distinct ones, or -1.
        """

    def translate(self, name: str, source: str, texts: dict) -> None:
        """
        A column with what `texts` (distinct text -> strings) makes of another's items.
        """

class Lexicon:
    def __init__(self, entries: Sequence[Sequence[str]]) -> None: ...

class Template:
    def __init__(self, attributes: Sequence[tuple[str, Sequence[tuple[str, int]]]], rows: Sequence[tuple[str, float, Sequence[tuple[int, int]]]]) -> None: ...

    def features(self, columns: Columns) -> list[list[list[tuple[str, float]]]]: ...

    def extract_into(self, data: Dataset, columns: Columns, labels: object | None, allowed: object | None, weights: object | None) -> None: ...

    def encode(self, model: Model, columns: Columns) -> Batch: ...

    def tag(self, model: Model, columns: Columns, label_names: tuple[str, ...], constraints: Constraints, threads: int) -> list[list[str]]: ...

def template_scores(template: Template, model: Model, columns: Columns) -> tuple[NDArray[numpy.float64], object]:
    """
    Scores of labels [tokens x labels], and of moves into each token where features weigh on them.
    """

def latent_scores(template: Template, model: Model, columns: Columns, tables: Sequence[Columns], latent: Sequence[int], offset: int) -> NDArray[numpy.float64]:
    """
    Scores of labels for each label of columns that are not known, [tokens x latent labels x labels].
    """

def latent_features(template: Template, model: Model, columns: Columns, tables: Sequence[Columns], latent: Sequence[int], offset: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
    """
    Known features for each token and label of columns that are not known: bounds, features, values.
    """

class Grids:
    def __init__(self, nodes: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], moves: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], ties: Sequence[tuple[Sequence[int], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]], lags: Sequence[tuple[int, int, Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]], bounds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def n_states(self) -> float: ...

    @property
    def n_sequences(self) -> int: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def lags_form_cycle(self) -> bool: ...

    def best(self, threads: int) -> tuple:
        """Best labels of each layer, and the score of each sequence."""

    def marginals(self, joint: bool, threads: int) -> tuple:
        """
        (log Z, expectations of labels, moves, ties, lags), and the probabilities of joint states [n_tokens x n_states] if asked for.
        """

    def best_k(self, sequence: int, k: int) -> tuple:
        """Labels [found x layers x tokens] and scores, best first."""

    def span_log_probabilities(self, sequence: int, layer: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def grid_sparse_best(grids: Grids, epsilon: float, beam: int, threads: int) -> tuple:
    """
    (labels of each layer, scores of sequences); (mass kept at all tokens, at the worst token, states kept in all).
    """

def grid_sparse_marginals(grids: Grids, epsilon: float, beam: int, threads: int) -> tuple:
    """
    (log Z, expectations of labels, moves, ties, lags); (mass kept at all tokens, at the worst token, states kept in all).
    """

def grid_loopy_best(grids: Grids, damping: float, iterations: int, tolerance: float, threads: int) -> tuple:
    """
    (labels of each layer, scores of sequences); (iterations, whether all sequences converged, the last change).
    """

def grid_loopy_marginals(grids: Grids, damping: float, iterations: int, tolerance: float, threads: int) -> tuple:
    """
    (log Z, expectations of labels, moves, ties, lags); (iterations, whether all sequences converged, the last change).
    """

class HmmSequences:
    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int) -> None: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def n_sequences(self) -> int: ...

    @property
    def n_words(self) -> int: ...

    def counts(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emissions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coded_costs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], costs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, exact: bool, threads: int) -> tuple:
        """
        Log-likelihood of each sequence, expected counts of starts, transitions and emissions, and of states for each code of each table of costs.
        """

    def log_likelihoods(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emissions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coded_costs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], costs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, exact: bool, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def posteriors(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emissions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coded_costs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], costs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, exact: bool, threads: int) -> object:
        """Probabilities of states, [tokens x states]."""

    def best_states(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], emissions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coded_costs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], costs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

class WordExchange:
    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int, n_classes: int, seed: int) -> None: ...

    def tell(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_codes: int, weight: float) -> None:
        """
        From now on classes also tell codes, one a token, or with a weight below 0 do not.
        """

    def sweep(self) -> int:
        """Every word once; how many have moved."""

    @property
    def log_likelihood(self) -> float: ...

    def classes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The class of each word."""

def linear_arrays(data: Dataset, features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> dict[str, object]:
    """Arrays of a model without moves, from weights [features x labels]."""

class LinearRows:
    def __init__(self, data: Dataset, tokens: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_count: int = 1) -> None: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def n_known(self) -> int: ...

    def features(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The numbers of its features in the data set."""

    def matrix(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        First occurrence of each row [rows + 1], column of each occurrence, and its value.
        """

    def fit(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], positives: Sequence[int], block: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], loss: str, penalty: float, tolerance: float, max_iterations: int, keep_weights: bool, threads: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        A classifier for each positive code against the others: its weights (or its coefficients of rows), weights of the dense block, objective, iterations.
        """

    def share_out(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
        """Weights of columns as weights of features, [k x features]."""

    def project(self, theta: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> NDArray[numpy.float32]:
        """Rows times vectors [features of the data set x h]: [rows x h]."""

    def add_combinations(self, coefficients: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
        """
        Add sums of rows, by coefficients [h x rows], to vectors [features of the data set x h].
        """

def linear_gram(rows: Sequence[LinearRows], coefficients: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, threads: int) -> NDArray[numpy.float64]:
    """
    W'W of the weights X'a of several rows with coefficients [problems x rows]: [groups x all problems x all problems].
    """

def arrays_of_weights(features: list, n_labels: int, feature: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], previous: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, object]:
    """
    Arrays of a model file from weights: of a feature on a label (previous -1), of a move (feature -1), or of a feature on a move; the weights of a feature on moves follow one another.
    """
