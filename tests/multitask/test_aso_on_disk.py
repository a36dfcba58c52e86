"""Shared directions of text on disk, and targets on disk, here and by the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import ASO, Corpus, Template, column
from dovetail.corpus import Shards
from dovetail.corpus.conll import write_conll
from dovetail.errors import DataError
from dovetail.io.fingerprint import fingerprint
from dovetail.multitask import Structure, labelled, masked
from dovetail.recipe import Recipe
from multitask.corpora import random_corpus

WORDS = Template(column("word").window(1), column("pos"))
SETTINGS: dict[str, Any] = {"features": WORDS, "n_parts": 0, "tolerance": 1e-5, "h": 3}


@pytest.fixture(scope="module")
def few() -> Corpus:
    return random_corpus(40, seed=1)


@pytest.fixture(scope="module")
def other() -> Corpus:
    return random_corpus(150, seed=5, labels="ABCD")


@pytest.fixture(scope="module")
def stored(other: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Shards:
    return write(other, tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def stored_few(few: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Shards:
    return write(few, tmp_path_factory.mktemp("few"))


def write(text: Corpus, folder: Path, tokens: int = 50) -> Shards:
    return Shards.write(folder / "text", text, tokens=tokens)


def tasks(text: Any) -> dict[str, list[Any]]:
    return {
        "labels": [labelled(text, "tag")],
        "words": [masked(text, "word", offset=k, most=4) for k in (-1, 1)],
    }


def test_predictors_share_the_directions_that_they_share_in_memory(
    other: Corpus, stored: Shards
) -> None:
    for of, from_disk in tasks(stored).items():
        settings: dict[str, Any] = {"h": 3, "tolerance": 1e-7, "penalty": 1e-3}
        here = Structure(WORDS, **settings).fit(tasks(other)[of])
        there = Structure(WORDS, **settings).fit(from_disk)
        assert there.n_problems_ == here.n_problems_
        assert there.rounds_[0].objective == pytest.approx(here.rounds_[0].objective, rel=1e-3)
        np.testing.assert_allclose(
            there.rounds_[0].singular_values, here.rounds_[0].singular_values, rtol=1e-2
        )
        mine, theirs = (np.linalg.qr(one.weights_.scores(WORDS, other))[0] for one in (here, there))
        overlap = np.linalg.svd(mine.T @ theirs)[1]
        assert overlap.min() > 0.99, of


def test_directions_of_each_kind_of_features(stored: Shards) -> None:
    task = [masked(stored, "word", offset=1, most=4)]
    found = Structure(WORDS, 2, by_columns=True).fit(task)
    assert found.labels_ == ["t0", "t1", "t2", "t3"]
    values = found.weights_.values()
    of_pos = np.array([name.startswith("pos") for name in found.weights_.names()])
    assert not values[~of_pos, 2:].any()
    assert not values[of_pos, :2].any()
    assert values[~of_pos, :2].any()
    assert values[of_pos, 2:].any()


@pytest.mark.parametrize("of", ["labels", "words"])
@pytest.mark.parametrize("sharing", [0.0, 0.5])
def test_a_target_on_disk_is_what_it_is_in_memory(
    few: Corpus, stored_few: Shards, other: Corpus, stored: Shards, of: str, sharing: Any
) -> None:
    found = {
        name: ASO(**SETTINGS, auxiliary=auxiliary, sharing=sharing).fit(target)
        for name, auxiliary, target in (
            ("memory", tasks(other)[of], few),
            ("tasks on disk", tasks(stored)[of], few),
            ("target on disk", tasks(other)[of], stored_few),
            ("all on disk", tasks(stored)[of], stored_few),
        )
    }
    expected = found.pop("memory")
    for name, one in found.items():
        assert one.sharing_ == expected.sharing_, name
        assert one.labels_ == expected.labels_, name
        assert one.training_["notes"] == expected.training_["notes"], name
        assert one.training_["objective"] == pytest.approx(
            expected.training_["objective"], rel=1e-2
        ), name
        assert one.factor_ == pytest.approx(expected.factor_, rel=0.1), name
        np.testing.assert_allclose(
            one.scores(other), expected.scores(other), atol=0.05, err_msg=name
        )


def words_with_labels(n: int, seed: int) -> Corpus:
    """Words that always have one label, of which a small text has few."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 80, 6).tolist() for _ in range(n)]
    return Corpus.from_lists(
        {
            "word": [[f"w{code}" for code in row] for row in codes],
            "pos": [["p" for _ in row] for row in codes],
            "tag": [["XYZ"[code % 3] for code in row] for row in codes],
        }
    )


def test_how_much_directions_count_is_chosen_as_in_memory(tmp_path: Path) -> None:
    much, few = words_with_labels(200, seed=0), words_with_labels(20, seed=1)
    stored, stored_few = write(much, tmp_path / "much"), write(few, tmp_path / "few")
    here = ASO(**SETTINGS, auxiliary=[labelled(much, "tag")]).fit(few)
    plain = ASO(**SETTINGS, auxiliary=[labelled(much, "tag")], sharing=0.0).fit(few)
    assert here.sharing_ == 1.0
    for text, target in ((stored, few), (much, stored_few), (stored, stored_few)):
        there = ASO(**SETTINGS, auxiliary=[labelled(text, "tag")]).fit(target)
        assert there.sharing_ == 1.0
        assert there.factor_ == pytest.approx(here.factor_, rel=0.02)
        np.testing.assert_allclose(there.scores(much), here.scores(much), atol=0.02)
        assert wrong(there, much) < 0.1 * wrong(plain, much)


def wrong(tagger: ASO, text: Corpus) -> int:
    pairs = zip(tagger.predict(text), text.lists("tag"), strict=True)
    return sum(a != b for found, gold in pairs for a, b in zip(found, gold, strict=True))


def test_workers_find_the_same_bits(few: Corpus, stored_few: Shards, stored: Shards) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    asked = [*tasks(stored)["words"], labelled(stored, "tag")]
    structure = Structure(WORDS, 3).fit(asked)
    here = [ASO(**SETTINGS, auxiliary=asked).fit(target) for target in (few, stored_few)]
    for n_workers in (1, 2):
        with (
            distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
            ) as made,
            distributed.Client(made) as client,
        ):
            again = Structure(WORDS, 3).fit(asked, cluster=client)
            np.testing.assert_array_equal(again.weights_.values(), structure.weights_.values())
            for expected, target in zip(here, (few, stored_few), strict=True):
                there = ASO(**SETTINGS, auxiliary=asked).fit(target, cluster=client)
                assert there.to_bytes() == expected.to_bytes()


def test_rare_features_are_weighed_by_directions_alone(
    few: Corpus, stored_few: Shards, other: Corpus
) -> None:
    settings = {**SETTINGS, "min_count": 4, "sharing": 0.5}
    here, there = (
        ASO(**settings, auxiliary=tasks(other)["labels"]).fit(one) for one in (few, stored_few)
    )
    assert set(there.weights_.names()) == set(here.weights_.names())
    np.testing.assert_allclose(there.scores(other), here.scores(other), atol=0.15)


def test_the_text_to_train_on_is_left_out_of_tasks_with_its_labels(
    few: Corpus, stored_few: Shards, other: Corpus, tmp_path: Path
) -> None:
    both = Corpus.concatenate([few, random_corpus(60, seed=9)])
    settings: dict[str, Any] = {**SETTINGS, "sharing": 0.5}
    without = ASO(**settings, auxiliary=[labelled(both[len(few) :], "tag")]).fit(few)
    in_memory, on_disk = labelled(both, "tag"), labelled(write(both, tmp_path), "tag")
    for task, target in ((on_disk, few), (on_disk, stored_few), (in_memory, stored_few)):
        found = ASO(**settings, auxiliary=[task]).fit(target)
        np.testing.assert_allclose(found.scores(other), without.scores(other), atol=0.05)
    for task, target in ((labelled(stored_few, "tag"), few), (labelled(few, "tag"), stored_few)):
        with pytest.raises(DataError, match="is the text to train on, with its labels"):
            ASO(**settings, auxiliary=[task]).fit(target)
    relabelled = [["Q" if one == "X" else "R" for one in row] for row in few.lists("tag")]
    layer = write(few.with_column("tag", relabelled), tmp_path / "layer")
    ASO(**{**settings, "h": 2}, auxiliary=[labelled(layer, "tag")]).fit(few)


def test_what_a_clone_for_a_fold_was_trained_on_stays_out(few: Corpus, tmp_path: Path) -> None:
    stored = write(Corpus.concatenate([few, random_corpus(60, seed=9)]), tmp_path)
    aso = ASO(**SETTINGS, auxiliary=[labelled(stored, "tag")], sharing=0.5).fit(few)
    part = few[:20]
    known, alone = aso.fresh().fit(part), aso.clone().fit(part)
    assert known.structure_.rounds_ == aso.structure_.rounds_
    assert known.structure_.rounds_ != alone.structure_.rounds_


def test_recipes_name_folders_with_parts(
    few: Corpus, other: Corpus, stored: Shards, tmp_path: Path
) -> None:
    write_conll(few, tmp_path / "few.conll")
    columns = 'columns = ["word", "pos", "tag"]'
    (tmp_path / "recipe.toml").write_text(
        f'[[task]]\nname = "tag"\nkind = "aso"\ndata = "few.conll"\n{columns}\nparts = 0\n'
        f'h = 3\nauxiliary = "{stored.folder}"\ntext = "{stored.folder}"\nmasked = ["word[1]"]\n'
    )
    recipe = Recipe.read(tmp_path / "recipe.toml")
    named = [path for task in recipe.tasks for path in task.files]
    assert stored.folder / "shards.json" in named
    before = fingerprint(*named)
    pipeline = recipe.fit()
    assert fingerprint(*named) == before  # though the folder has more in it now
    assert not list(stored.folder.rglob("rows-*-*"))  # of this target alone
    tagger = pipeline.layers[0].annotator.tagger
    asked = [labelled(stored, "tag"), masked(stored, "word", offset=1)]
    assert [task.name for task in tagger.auxiliary] == ["text", asked[1].name]
    expected = ASO(features=tagger.features, n_parts=0, h=3, auxiliary=asked).fit(few)
    np.testing.assert_array_equal(tagger.scores(other), expected.scores(other))


def test_what_is_refused(few: Corpus, stored_few: Shards, other: Corpus, stored: Shards) -> None:
    on_disk, in_memory = tasks(stored)["words"], tasks(other)["words"]
    for refused, target, message in (
        ({"n_parts": 7}, stored_few, "parts of a text on disk are no tasks"),
        ({"n_parts": 2}, few, "auxiliary tasks are on disk: give n_parts=0"),
        ({"auxiliary": []}, stored_few, "there are no auxiliary tasks to learn from"),
        ({"auxiliary": [*on_disk, *in_memory]}, few, "'masked word.-1.' of text on disk: write"),
        ({"auxiliary": ["word"]}, few, "auxiliary is a list of tasks"),
        ({"rounds": 2}, few, "rounds is 2, and further rounds need text that memory holds"),
        ({"h": 100}, few, "h is 100, but the auxiliary tasks make 8 problems"),
        ({"variant": "paper"}, few, "the variant 'paper' needs tasks of text that memory holds"),
        ({"min_count": 10**6}, few, "no feature occurs 1000000 times"),
    ):
        with pytest.raises(DataError, match=message):
            ASO(**{**SETTINGS, "auxiliary": on_disk, **refused}).fit(target)
    with pytest.raises(DataError, match="there is no column 'chunk'; the data has word, pos, tag"):
        masked(stored, "chunk")
    with pytest.raises(DataError, match="a cluster works on a corpus on disk"):
        ASO(**SETTINGS, auxiliary=in_memory).fit(few, cluster="local:1")
    with pytest.raises(DataError, match="a cluster works on a corpus on disk"):
        Structure(WORDS, 2).fit(in_memory, cluster="local:1")
    reads = Template(column("tag"), column("word"))
    with pytest.raises(DataError, match="the template reads 'tag'"):
        Structure(reads, 2).fit([labelled(stored, "tag")])


def test_tasks_without_anything_to_tell_are_refused(tmp_path: Path, few: Corpus) -> None:
    words = [["a", "b"], ["c"]] * 4
    none = Corpus.from_lists(
        {"word": words, "pos": words, "tag": [[None] * len(row) for row in words]}
    )
    with pytest.raises(DataError, match="the auxiliary task 'tag' is empty"):
        ASO(**SETTINGS, auxiliary=[labelled(write(none, tmp_path / "none"), "tag")]).fit(few)
    one = none.with_column("tag", [["X"] * len(row) for row in words])
    with pytest.raises(DataError, match="the auxiliary task 'tag' has one class only"):
        ASO(**SETTINGS, auxiliary=[labelled(write(one, tmp_path / "one"), "tag")]).fit(few)
    blind = Template(column("word"))
    with pytest.raises(DataError, match="every feature of the template reads a column at the"):
        Structure(blind, 1).fit([masked(write(one, tmp_path / "blind"), "word")])
