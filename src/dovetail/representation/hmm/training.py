"""How a hidden Markov model is trained: vocabulary, start, rounds of EM."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dovetail.base.training import Hooks, run_rounds
from dovetail.corpus import Corpus
from dovetail.errors import DataError, TrainingError
from dovetail.io.loading import load
from dovetail.io.model_file import Source
from dovetail.representation.annotation import Corpora, check_corpora, check_states, join_text
from dovetail.representation.bias.bias import CodeBias
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.starts import classes_start, earlier_start, random_start
from dovetail.representation.hmm.steps import (
    Callback,
    Memory,
    Progress,
    Step,
    report_progress,
    until_converged,
)
from dovetail.representation.shards import ShardText
from dovetail.representation.text import Text
from dovetail.representation.vocabulary import Vocabulary

if TYPE_CHECKING:
    from dovetail.representation.hmm.hmm import HMM

Words = TypeVar("Words", Text, ShardText)
MakeSteps = Callable[[Text, Parameters, Memory, int], Iterator[Step]]


@dataclass
class FitOptions:
    """The arguments of ``fit`` beside the text, see `HMM.fit`."""

    held_out: Corpora | None = None
    patience: int = 3
    warm_start: Any = None
    resume: Source | None = None
    checkpoint: str | os.PathLike[str] | None = None
    callback: Callback | None = None


def train_hmm(
    hmm: HMM,
    corpora: Sequence[Corpus],
    options: FitOptions,
    make_steps: MakeSteps,
    class_biases: Sequence[CodeBias] = (),
) -> None:
    """Fit a model in place; ``make_steps`` makes EM from a text and a place to start, and classes
    that it starts from are biased too."""
    columns = [corpus.column(hmm.column) for corpus in corpora]
    vocabulary = Vocabulary.of_columns(columns, min_count=hmm.min_count, rare=hmm.rare)
    text = join_text(corpora, hmm.column, vocabulary)
    train_on_text(hmm, vocabulary, text, options, make_steps, class_biases)


def train_on_text(
    hmm: HMM,
    vocabulary: Vocabulary,
    text: Words,
    options: FitOptions,
    make_steps: Callable[[Words, Parameters, Memory, int], Iterator[Step]],
    class_biases: Sequence[CodeBias] = (),
) -> None:
    """The same on words that have numbers already, in memory or on disk."""
    check_states(hmm.states, "states", len(vocabulary))
    at, memory, done = _start(hmm, vocabulary, text, options, class_biases)
    if done >= hmm.rounds:
        raise TrainingError(
            f"{done} rounds have been made already, and {hmm.rounds} are asked for: give more"
        )
    outcome = run_rounds(
        until_converged(make_steps(text, at, memory, done), hmm.tolerance),
        report_progress,
        _hooks(hmm, vocabulary, options),
        limit=hmm.rounds,
        done=done,
    )
    _put(hmm, vocabulary, outcome.step, outcome.kept)
    hmm.history_, hmm.stopped_ = outcome.history, outcome.stopped


def _put(hmm: HMM, vocabulary: Vocabulary, step: Step, done: int) -> None:
    hmm.vocabulary_, hmm.parameters_ = vocabulary, step.parameters
    hmm.memory_, hmm.rounds_ = step.memory, done


def _hooks(hmm: HMM, vocabulary: Vocabulary, options: FitOptions) -> Hooks[Step, Progress]:
    hooks: Hooks[Step, Progress] = Hooks(options.callback, patience=options.patience)
    if options.held_out is not None:
        unseen = check_corpora(options.held_out, hmm.column)
        text = join_text(unseen, hmm.column, vocabulary)

        def score(step: Step) -> float:
            at = step.parameters.for_decoding()
            return hmm.engine.log_likelihood(text, at) / text.n_tokens

        hooks.held_out = score
    if options.checkpoint is not None:
        path = options.checkpoint

        def save(step: Step, done: int) -> None:
            unfinished = copy(hmm)
            unfinished.stopped_ = ""
            _put(unfinished, vocabulary, step, done)
            unfinished.save(path)

        hooks.checkpoint, hooks.resumes = save, True
    return hooks


def _start(
    hmm: HMM,
    vocabulary: Vocabulary,
    text: Words,
    options: FitOptions,
    class_biases: Sequence[CodeBias],
) -> tuple[Parameters, Memory, int]:
    given = options.warm_start if options.resume is None else options.resume
    if given is None:
        if hmm.start == "random":
            return random_start(hmm.states, text.n_words, hmm.seed), {}, 0
        return classes_start(text, hmm.states, hmm.seed, class_biases), {}, 0
    earlier = _open_earlier(type(hmm), given, resumes=options.resume is not None)
    known = earlier.parameters_
    if known.n_states != hmm.states:
        raise DataError(
            f"the earlier model has {known.n_states} states, and {hmm.states} are asked for"
        )
    at = earlier_start(known, earlier.vocabulary_, vocabulary)
    if options.resume is None:
        return at, {}, 0
    if earlier.vocabulary_.names != vocabulary.names:
        raise DataError("a training can be resumed only on the text that it began with")
    return at, earlier.memory_, earlier.rounds_


def _open_earlier(cls: type[HMM], given: Any, *, resumes: bool) -> HMM:
    """The trained model that another begins with; only one of its own kind can go on."""
    if isinstance(given, str | os.PathLike | bytes):
        given = cls.load(given) if resumes else load(given)
    if not hasattr(type(given), "best_states"):
        raise DataError(
            f"a hidden Markov model can only begin with another, not with {type(given).__name__}"
        )
    if not given.is_fitted:
        raise DataError("the model to begin with has not been trained: call its fit first")
    found: HMM = given
    return found
