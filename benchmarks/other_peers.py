"""The other peers: a few training iterations, or why there are none."""

from __future__ import annotations

import time
from collections.abc import Callable

from crfsuite import read_text


def train_chaine(text: str, model: str, iterations: int) -> float:
    """Wall seconds an iteration of chaine's L-BFGS, its feature generation and saving included."""
    from chaine.crf import Trainer
    from chaine.logging import set_verbosity

    set_verbosity(0)
    trainer = Trainer("lbfgs", c2=1.0, max_iterations=iterations)._trainer
    for features, labels in read_text(text):
        trainer.append(features, labels)
    start = time.perf_counter()
    trainer.train(model)
    return (time.perf_counter() - start) / iterations


def train_wapiti(text: str, _model: str, iterations: int) -> float:
    """Wall seconds an iteration of Wapiti's L-BFGS, with weights for all (feature, label) pairs."""
    from wapiti import Model

    settings = {"algo": b"l-bfgs", "rho1": 0.0, "rho2": 1.0, "nthread": 1}
    model = Model(maxiter=iterations, **settings)
    for features, labels in read_text(text):
        rows = zip(features, labels, strict=True)
        lines = ["\t".join(["u:" + f for f in token] + ["b", label]) for token, label in rows]
        model.add_training_sequence("\n".join(lines))
    start = time.perf_counter()
    model.train()
    return (time.perf_counter() - start) / iterations


TRAINERS: dict[str, Callable[[str, str, int], float]] = {
    "chaine": train_chaine,
    "libwapiti": train_wapiti,
}
SKIPPED = {"pycrfpp": "skipped: it has no trainer, and no other package here makes CRF++ models"}
