"""The prior that a tagger has when no penalty is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Tagger, Template, column
from dovetail.chain.train import prior
from dovetail.errors import TrainingError
from dovetail.features import Dataset

WORDS = [
    ["Ann", "met", "Bob", "in", "Rome"],
    ["Bob", "left", "Rome", "in", "May"],
    ["Eva", "saw", "the", "old", "town"],
]
LABELS = [
    ["B-PER", "O", "B-PER", "O", "B-LOC"],
    ["B-PER", "O", "B-LOC", "O", "O"],
    ["B-PER", "O", "O", "O", "O"],
]
word = column("word")
TEMPLATE = Template(word.lower.window(1), word.short_shape, word.lower.chars(2))


def widths(template: Template = TEMPLATE) -> dict[str, float]:
    data = Dataset.from_template(
        template, WORDS * 4 + [["rare", "words"]], LABELS * 4 + [["O"] * 2]
    )
    found = prior.grade_features(data)[0].tolist()
    return dict(zip(data.native.feature_names(), found, strict=True))


def test_rare_features_have_a_narrow_prior() -> None:
    found = widths()
    assert found["word.lower[-1]=rare"] < 0.7 * found["word.lower[-1]=in"]


def test_what_few_values_say_of_the_token_has_a_wide_prior() -> None:
    found = widths()
    shape = next(width for name, width in found.items() if name.startswith("word.short_shape="))
    assert shape > 1.5 * found["word.lower=in"]
    around = widths(Template(word.short_shape.window(1)))
    near = next(width for name, width in around.items() if name.startswith("word.short_shape[1]="))
    assert near <= 1


def test_a_family_shares_its_variance_among_a_tokens_features() -> None:
    data = Dataset.from_lists([[["a=1", "b=1", "b=2", "b=3", "b=4"]]] * 9, [["X"]] * 9)
    found = dict(
        zip(data.native.feature_names(), prior.grade_features(data)[0].tolist(), strict=True)
    )
    assert found["a=1"] == 1
    assert found["b=1"] == pytest.approx(0.5)


def test_the_width_is_the_penalty() -> None:
    """Weights under the graded prior minimise the loss plus 0.03 (w / p)^2 and 0.003 w^2."""
    tagger = Tagger(features=TEMPLATE, tolerance=1e-7, precision="double").fit(WORDS, LABELS)
    data = Dataset.from_template(TEMPLATE, WORDS, LABELS)
    wide = dict(
        zip(data.native.feature_names(), prior.grade_features(data)[0].tolist(), strict=True)
    )
    penalty = sum(
        0.03 * (weight / wide[name]) ** 2 for name, _, weight in tagger.top_weights(10**6)
    ) + sum(0.003 * weight**2 for weight in tagger.transitions().values())
    loss = -sum(tagger.log_likelihood(WORDS, LABELS))
    assert loss + penalty == pytest.approx(tagger.training_["objective"], rel=1e-4)


def test_what_was_chosen_is_told() -> None:
    tagger = Tagger(features=TEMPLATE).fit(WORDS, LABELS)
    told = tagger.training_
    assert (told["prior"], told["prior_c2"], told["settings"]["c2"]) == ("graded", 0.03, "auto")


@pytest.mark.parametrize(
    "settings",
    [{"c2": 0.3}, {"c1": 0.1}, {"c1": 0.1, "c2": 0.0}, {"method": "dual"}, {"method": "sgd"}],
)
def test_given_penalties_are_flat(settings: dict[str, Any]) -> None:
    told = Tagger(features=TEMPLATE, **settings).fit(WORDS, LABELS).training_
    assert (told["prior"], told["prior_c2"]) == ("flat", settings.get("c2", 1.0))


def test_much_text_has_a_flat_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior, "MOST_TOKENS", 10)
    tagger = Tagger(features=TEMPLATE).fit(WORDS, LABELS)
    same = Tagger(features=TEMPLATE, c2=1.0).fit(WORDS, LABELS)
    assert tagger.top_weights(50) == same.top_weights(50)


def test_it_does_not_depend_on_threads() -> None:
    one, two = (Tagger(features=TEMPLATE, threads=n).fit(WORDS, LABELS) for n in (1, 2))
    assert one.top_weights(500) == two.top_weights(500)


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (WORDS[:1], LABELS[:1]),
        (WORDS[:2], LABELS[:2]),
        (WORDS, [["O"] * 5] * 3),
        ([["a"]], [["X"]]),
        (WORDS, [LABELS[0], LABELS[1], ["O", "O", "O", "O", "B-LOC"]]),
    ],
    ids=["one sequence", "two", "one label", "one token", "a label seen once or twice"],
)
def test_hardly_any_text_will_do(words: list[list[str]], labels: list[list[str]]) -> None:
    for settings in {}, {"constraints": "auto"}:
        tagger = Tagger(features="default", **settings).fit(words, labels)
        assert [len(found) for found in tagger.predict(words)] == [len(row) for row in words]
        assert all(np.isfinite(weight) for _, _, weight in tagger.top_weights(100))


def test_other_words_than_auto_are_refused() -> None:
    with pytest.raises(TrainingError, match="c2 is 'best', of the type str; give a number or auto"):
        Tagger(c2="best").fit([[["a"]]], [["X"]])  # type: ignore[arg-type]


def test_closed_families_weigh_on_labels_never_seen_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Words in lower case were never a name: that speaks against it."""
    monkeypatch.setattr(prior, "FEW_VALUES", 3)
    template = Template(word.short_shape.test("^X"), word.lower)
    found = {
        (name, label)
        for name, label, _ in Tagger(features=template).fit(WORDS, LABELS).top_weights(10**6)
    }
    closed = {label for name, label in found if name.endswith("=false")}
    assert closed == {label for row in LABELS for label in row}
    open_family = {label for name, label in found if name == f"word.lower={WORDS[0][1].lower()}"}
    assert open_family < closed
    flat = Tagger(features=template, c2=0.1).fit(WORDS, LABELS).top_weights(10**6)
    assert len(flat) < len(found)
