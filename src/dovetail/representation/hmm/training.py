"""How a hidden Markov model is trained: vocabulary, start, rounds of EM."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from dovetail.base.training import Hooks, Position, run_rounds
from dovetail.corpus import Corpus
from dovetail.errors import DataError, TrainingError
from dovetail.io.files import atomic_write, check_writable
from dovetail.io.loading import load
from dovetail.io.model_file import Source
from dovetail.representation.annotation import Corpora, check_corpora, check_states, join_text
from dovetail.representation.bias.bias import CodeBias
from dovetail.representation.hmm.file import read_position, write_hmm
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.starts import classes_start, earlier_start, random_start
from dovetail.representation.hmm.steps import (
    Callback,
    Memory,
    Progress,
    Step,
    lasting,
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
    begin = None
    if options.resume is not None:
        begin = _resume(hmm, vocabulary, options.resume)
        at, memory, done = begin.step.parameters, begin.step.memory, begin.number
    else:
        at, memory, done = _start(hmm, vocabulary, text, options, class_biases), {}, 0
    if done >= hmm.rounds:
        raise TrainingError(
            f"{done} rounds have been made already, and {hmm.rounds} are asked for: give more"
        )
    outcome = run_rounds(
        until_converged(
            make_steps(text, at, memory, done),
            hmm.tolerance,
            begin.step.log_likelihood if begin else -inf,
        ),
        report_progress,
        _hooks(hmm, vocabulary, options),
        limit=hmm.rounds,
        begin=begin,
    )
    _put(hmm, vocabulary, outcome.step, outcome.kept)
    hmm.history_, hmm.stopped_ = outcome.history, outcome.stopped


def _put(hmm: HMM, vocabulary: Vocabulary, step: Step, done: int) -> None:
    hmm.vocabulary_, hmm.parameters_ = vocabulary, step.parameters
    hmm.memory_, hmm.rounds_ = lasting(step.memory), done


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

        check_writable(path)

        def save(position: Position[Step, Progress]) -> None:
            unfinished = copy(hmm)
            unfinished.stopped_ = ""
            _put(unfinished, vocabulary, position.kept_step, position.kept)
            content = write_hmm(unfinished, None if position.ended else position)
            with atomic_write(path) as file:
                file.write(content)

        hooks.checkpoint = save
    return hooks


def _start(
    hmm: HMM,
    vocabulary: Vocabulary,
    text: Words,
    options: FitOptions,
    class_biases: Sequence[CodeBias],
) -> Parameters:
    if options.warm_start is None:
        if hmm.start == "random":
            return random_start(hmm.states, text.n_words, hmm.seed)
        return classes_start(text, hmm.states, hmm.seed, class_biases)
    earlier = _open_earlier(options.warm_start)
    _check_states(hmm, earlier)
    return earlier_start(earlier.parameters_, earlier.vocabulary_, vocabulary)


def _resume(hmm: HMM, vocabulary: Vocabulary, source: Source) -> Position[Step, Progress]:
    """Where another training stood, or the end of one."""
    earlier = _open_earlier(type(hmm).load(source))
    _check_states(hmm, earlier)
    if earlier.vocabulary_.names != vocabulary.names:
        raise DataError("a training can be resumed only on the text that it began with")
    return read_position(source) or Position(
        number=earlier.rounds_,
        step=(step := Step(earlier.parameters_, -inf, memory=earlier.memory_)),
        kept=earlier.rounds_,
        kept_step=step,
    )


def _check_states(hmm: HMM, earlier: HMM) -> None:
    found = earlier.parameters_.n_states
    if found != hmm.states:
        raise DataError(f"the earlier model has {found} states, and {hmm.states} are asked for")


def _open_earlier(given: Any) -> HMM:
    """The trained model that another begins with."""
    if isinstance(given, str | os.PathLike | bytes):
        given = load(given)
    if not hasattr(type(given), "best_states"):
        raise DataError(
            f"a hidden Markov model can only begin with another, not with {type(given).__name__}"
        )
    if not given.is_fitted:
        raise DataError("the model to begin with has not been trained: call its fit first")
    found: HMM = given
    return found
