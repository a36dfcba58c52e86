"""Estimators under any sequence of calls, as Hypothesis makes them up.

Whatever is asked, in whatever order, of however odd data: an answer comes, or an error of ours.
And an estimator's answers stay the same when it is saved and loaded, pickled or copied, and when
a later call fails.
"""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule

import dovetail
from dovetail import (
    HMM,
    Corpus,
    LinearTagger,
    Pipeline,
    Tagger,
    Template,
    WordClasses,
    column,
)
from dovetail.base import Estimator
from dovetail.base.representation import Representation
from dovetail.corpus import SoftColumn
from dovetail.errors import DovetailError

WORD = Template(column("word").lower, column("word").window(1))
ODD = [
    "",
    " ",
    "\n",
    "\t",
    "\0",
    "é",
    "日本",
    "😀",
    "a" * 300,
    "-",
    "_",
    "B-",
    "0",
    "<x>",
    "\x1b[31m",
]
WORDS = st.sampled_from(["the", "dog", "Ada", "ran", "cat", "a", *ODD])
LABELS = st.sampled_from(
    ["O", "B-X", "I-X", "B-Y", "S-X", "E-X", "X", "Y", "I-Y", "B-", "-", "é", "B-a b", "", "\n"]
)
LENGTHS = st.lists(st.integers(0, 5), min_size=0, max_size=5)

PROBE = [["the", "dog", "ran"], ["😀"], ["Ada", "", "zzz"]]

CHOICES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "tagger": {
        "c1": st.sampled_from([0.0, 0.1, 1e6]),
        "c2": st.sampled_from(["auto", 0.0, 1e-9, 0.1, 1e9]),
        "method": st.sampled_from(["auto", "lbfgs", "dual", "sgd", "perceptron"]),
        "max_iterations": st.sampled_from([None, 1, 3]),
        "min_count": st.sampled_from([1, 2, 1000]),
        "all_pairs": st.booleans(),
        "all_transitions": st.booleans(),
        "boundaries": st.booleans(),
        "constraints": st.sampled_from([None, "auto", "IOB1", "IOB2", "IOBES"]),
        "precision": st.sampled_from(["single", "double"]),
        "threads": st.sampled_from([None, 1, 3]),
        "seed": st.sampled_from([0, 2**64 - 1]),
        "memory_limit": st.sampled_from([1.0, 2e9]),
    },
    "linear": {
        "tolerance": st.sampled_from([1e-2, 0.5]),
        "threads": st.sampled_from([None, 1, 3]),
    },
    "hmm": {
        "states": st.integers(1, 9),
        "min_count": st.sampled_from([1, 2]),
        "rounds": st.integers(1, 3),
        "seed": st.integers(0, 3),
        "threads": st.sampled_from([None, 1, 3]),
        "name": st.sampled_from(["hmm", "x"]),
    },
    "classes": {
        "classes": st.integers(1, 6),
        "min_count": st.sampled_from([1, 2]),
        "name": st.sampled_from(["class", "x"]),
    },
    "pipeline": {
        "decode": st.sampled_from(["cascade", "soft", "lattice", "joint", "auto"]),
        "threads": st.sampled_from([None, 1]),
    },
}
WRONG = st.sampled_from(
    [None, -1, 0, 2**63, 2**64, 10**400, 1.5, -1e308, float("nan"), float("inf"), "2", "", "auto",
     [], [1], {}, {"a": 1}, object(), b"x", True, np.float32("nan"), (1, 2)]
)  # fmt: skip
WRONG_DATA = st.sampled_from(
    [None, 5, "text", "", b"bytes", [5], [[5]], [["a", 5]], [[None]], [["a"], None], {},
     {"word": []},
     [[["a"], 5]], [[{"f": "x"}]], [[{"f": 1.5}]], [[{"f": float("nan")}]], [[{"f": 10**400}]],
     [[[1]]], [["\ud800"]], object(), np.zeros((2, 2)), [[("a", "b")]], [("a",)], (["a"],)]
)  # fmt: skip


def make(kind: str, parameters: dict[str, Any]) -> Estimator:
    if kind == "tagger":
        return Tagger(features=WORD, **parameters)
    if kind == "linear":
        return LinearTagger(features=WORD, **parameters)
    if kind == "hmm":
        return HMM(**parameters)
    if kind == "classes":
        return WordClasses(**parameters)
    above = Template(*WORD.expressions, column("low"))
    layers = {"low": Tagger(features=WORD, c2=0.1), "label": Tagger(features=above, c2=0.1)}
    return Pipeline(layers, **parameters)


def answers(model: Any, words: Any = PROBE) -> Any:
    """What a trained estimator says of some text, as plain data."""
    if not isinstance(model, Representation):
        return model.predict(words)
    corpus = model.annotate(Corpus.from_lists({"word": words}))
    found = {name: corpus.column(name) for name in model.names_}
    return {
        name: one.weights.tolist() if isinstance(one, SoftColumn) else corpus.lists(name)
        for name, one in found.items()
    }


def ask(act: Callable[[], Any]) -> Any:
    """The answer, or the error where it is one of ours, which has to say something."""
    try:
        return act()
    except DovetailError as error:
        found = error
    assert str(found)
    return found


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Few and short sequences of odd words and labels, empty ones among them."""
    lengths = draw(LENGTHS)
    columns = {
        name: [draw(st.lists(kind, min_size=n, max_size=n)) for n in lengths]
        for name, kind in (("word", WORDS), ("low", LABELS), ("label", LABELS))
    }
    return Corpus.from_lists(columns)


TRAININGS = st.sampled_from([None, "cascade", "soft", "lattice", "gold", "joint", "auto", "x"])


def fit(one: Any, corpus: Corpus, training: Any = None) -> Any:
    if isinstance(one, Pipeline):
        return one.fit(corpus, folds=2, training=training)
    return one.fit(corpus)


def has_method(one: Any, question: str) -> bool:
    """Whether the question can be asked of such an estimator."""
    return isinstance(one, OF.get(question, object)) and (
        question in GENERAL or hasattr(type(one), question.partition(" ")[0])
    )


@st.composite
def sequences(draw: st.DrawFn) -> list[list[str]]:
    return [draw(st.lists(WORDS, min_size=n, max_size=n)) for n in draw(LENGTHS)]


@st.composite
def estimators(draw: st.DrawFn) -> Estimator:
    """With some parameters that can be."""
    kind = draw(st.sampled_from(sorted(CHOICES)))
    names = draw(st.sets(st.sampled_from(sorted(CHOICES[kind])), max_size=3))
    return make(kind, {name: draw(CHOICES[kind][name]) for name in sorted(names)})


QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "answers": answers,
    "labels and so on": lambda one, _: [one.labels_, one.reads_, one.is_fitted],
    "shown": lambda one, _: [repr(one), one._repr_html_()],
    "get_params": lambda one, _: one.get_params(),
    "training_": lambda one, _: one.training_,
    "predict": lambda one, data: one.predict(data),
    "predict marginals": lambda one, data: one.predict(data, decode="marginal"),
    "predict softly": lambda one, data: one.predict(data, decode="soft"),
    "predict in no way": lambda one, data: one.predict(data, decode="x"),
    "predict a corpus": lambda one, data: one.predict(Corpus.from_lists({"word": data})),
    "predict another corpus": lambda one, data: one.predict(Corpus.from_lists({"form": data})),
    "predict_marginals": lambda one, data: one.predict_marginals(data),
    "predict_nbest": lambda one, data: one.predict_nbest(data, 3),
    "predict_nbest of all": lambda one, data: one.predict_nbest(data, 2**31),
    "predict_nbest of none": lambda one, data: one.predict_nbest(data, 0),
    "sample": lambda one, data: one.sample(data, 2, seed=1),
    "sample less than nothing": lambda one, data: one.sample(data, -1, seed=-1),
    "tag": lambda one, data: [repr(each) for each in one.tag(data)],
    "tag_texts": lambda one, data: one.tag_texts([" ".join(map(str, s)) for s in data]),
    "explain": lambda one, data: str(one.explain([*data, []][0])),
    "explain what is not": lambda one, data: one.explain([*data, []][0], top=-1, why_not="none"),
    "log_likelihood": lambda one, data: one.log_likelihood(data, data),
    "annotate": lambda one, data: one.annotate(Corpus.from_lists({"word": data})),
    "top_weights": lambda one, _: one.top_weights(-1, label="O"),
    "top_weights of nothing": lambda one, _: one.top_weights(5, label="nothing"),
    "transitions": lambda one, _: one.transitions(),
    "typical_words": lambda one, _: one.typical_words(2**40),
}
GENERAL = ("answers", "labels and so on", "shown")
OF = {
    "predict marginals": Tagger,
    "predict softly": Pipeline,
    "predict in no way": Pipeline,
    "explain": Tagger,
    "explain what is not": Tagger,
    "log_likelihood": Tagger,
}


@dataclass
class Subject:
    """An estimator, and what it says of `PROBE` where it is trained."""

    one: Any
    known: Any = None

    def learn(self) -> Subject:
        self.known = ask(lambda: answers(self.one)) if self.one.is_fitted else None
        return self

    def check(self) -> None:
        """It says what it said before."""
        found = ask(lambda: answers(self.one)) if self.one.is_fitted else None
        if isinstance(self.known, DovetailError):
            assert str(found) == str(self.known)
        else:
            assert found == self.known


class Calls(RuleBasedStateMachine):
    """Estimators that are made, trained, changed, asked, saved and copied in any order."""

    subjects = Bundle("subjects")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.files = 0

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(target=subjects, one=estimators(), corpus=corpora())
    def begin(self, one: Estimator, corpus: Corpus) -> Subject:
        ask(lambda: fit(one, corpus))
        return Subject(one).learn()

    @rule(target=subjects, one=estimators())
    def make(self, one: Estimator) -> Subject:
        return Subject(one)

    @rule(subject=subjects, corpus=corpora(), training=TRAININGS)
    def fit(self, subject: Subject, corpus: Corpus, training: str | None) -> None:
        found = ask(lambda: fit(subject.one, corpus, training))
        if isinstance(found, DovetailError):
            subject.check()
        else:
            assert subject.one.is_fitted
            subject.learn()

    @rule(subject=subjects, data=WRONG_DATA, labels=WRONG_DATA)
    def fit_wrongly(self, subject: Subject, data: Any, labels: Any) -> None:
        if isinstance(subject.one, Tagger):
            found = ask(lambda: subject.one.fit(data, labels))
        else:
            found = ask(lambda: subject.one.fit(data))
        if isinstance(found, DovetailError):
            subject.check()
        else:
            subject.learn()

    @rule(subject=subjects, question=st.sampled_from(sorted(QUESTIONS)), data=sequences())
    def ask_anything(self, subject: Subject, question: str, data: Any) -> None:
        if has_method(subject.one, question):
            ask(lambda: QUESTIONS[question](subject.one, data))
            subject.check()

    @rule(subject=subjects, question=st.sampled_from(sorted(QUESTIONS)), data=WRONG_DATA)
    def ask_wrongly(self, subject: Subject, question: str, data: Any) -> None:
        self.ask_anything(subject, question, data)

    @rule(subject=subjects, data=st.data())
    def change(self, subject: Subject, data: st.DataObject) -> None:
        names = set(subject.one.get_params()) - {"features"}  # how a trained one reads
        name = data.draw(st.sampled_from(sorted(names)))
        own = [v for v in subject.one.get_params().values() if isinstance(v, str | int | float)]
        value = data.draw(WRONG | st.sampled_from(own))
        before = repr(subject.one)
        found = ask(lambda: subject.one.set_params(**{name: value}))
        if isinstance(found, DovetailError):
            assert repr(subject.one) == before
            subject.check()
        else:
            subject.learn()

    @rule(
        target=subjects,
        subject=subjects,
        mmap=st.sampled_from([None, True, False]),
        verify=st.sampled_from([None, True, False]),
        in_memory=st.booleans(),
    )
    def keep(
        self, subject: Subject, mmap: bool | None, verify: bool | None, in_memory: bool
    ) -> Any:
        self.files += 1
        path = Path(self.folder.name, str(self.files))
        saved = ask(lambda: subject.one.save(path))
        if isinstance(saved, DovetailError):
            assert not path.exists()
            return multiple()
        source = path.read_bytes() if in_memory else path
        again = Subject(dovetail.load(source, mmap=mmap, verify=verify), subject.known)
        assert again.one.to_bytes() == path.read_bytes() == subject.one.to_bytes()
        again.check()
        return again

    @rule(target=subjects, subject=subjects, how=st.sampled_from(["pickle", "deepcopy", "copy"]))
    def copy(self, subject: Subject, how: str) -> Subject:
        one = subject.one
        made = pickle.loads(pickle.dumps(one)) if how == "pickle" else getattr(copy, how)(one)
        again = Subject(made, subject.known)
        again.check()
        return again

    @rule(target=subjects, subject=subjects)
    def clone(self, subject: Subject) -> Any:
        made = ask(subject.one.clone)
        if isinstance(made, DovetailError):
            return multiple()
        assert repr(made) == repr(subject.one)
        return Subject(made)
