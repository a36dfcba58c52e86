"""Representations across domains: data, systems, measures, tests, what is told; some real data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from dovetail import Corpus, DataError, Template, column
from dovetail.compare import Cell, measures
from experiments.domains import entities as domain_entities
from experiments.domains import experiment as domains
from experiments.domains import published_results as published
from experiments.domains.__main__ import main
from experiments.domains.contexts import context_distances, learn_alike
from experiments.domains.data import DomainData, drawn, genre_data
from experiments.domains.features import chinese_features
from experiments.domains.report import DomainReport
from experiments.domains.study import Arm, DomainStudy
from experiments.domains.systems import OURS, PAPER, System, further_systems, systems
from experiments.readers.brown import read_brown
from experiments.readers.genres import Genres, as_corpus, first_by_hash, read_documents
from experiments.readers.lcmc import GENRES, read_lcmc

NEWS = [
    ("the cat sat", "D N V"),
    ("a dog ran", "D N V"),
    ("the dog sat there", "D N V A"),
    ("a cat ran here", "D N V A"),
]
NOVEL = [("a fox sat here", "D N V A"), ("the fox ran", "D N V"), ("the hen sat", "D N V")]


def corpus_of(sentences: list[tuple[str, str]]) -> Corpus:
    return as_corpus([(words.split(), labels.split()) for words, labels in sentences], "pos")


def tiny() -> DomainData:
    news, novel = corpus_of(NEWS * 3), corpus_of(NOVEL)
    text = corpus_of(NOVEL * 3).without_column("pos")
    return DomainData(
        news, corpus_of(NEWS), text, {"novel": novel}, "pos", Template(column("word"))
    )


def study(arms: dict[str, Arm], **more: Any) -> DomainStudy:
    given_too = {"n_seeds": 1, "penalties": (0.1,), "data_fingerprint": "", "states": 4, **more}
    return DomainStudy("tiny", lambda _: tiny(), arms, **given_too)


# Data


def test_documents_are_told_by_the_numbers_of_their_sentences(tmp_path: Path) -> None:
    path = tmp_path / "genre.tsv"
    path.write_text("# sent_id = A-01-1\n# newpar\n大\ta\n#\tw\n\n# sent_id = A-02-1\n墙\tn\n\n")
    found = read_documents(path)
    assert found == {"A-01": [(["大", "#"], ["a", "w"])], "A-02": [(["墙"], ["n"])]}


def test_a_draw_has_about_the_tokens_asked_for_and_follows_its_seed() -> None:
    corpus = corpus_of(NEWS * 10)
    some = drawn(corpus, 40, 0)
    assert 40 <= some.n_tokens < 40 + 4
    assert some == drawn(corpus, 40, 0) != drawn(corpus, 40, 1)
    assert drawn(corpus, 10_000, 0) == corpus


def test_genres_are_divided_by_documents() -> None:
    documents = {"x1": [(["a"], ["D"])], "x2": [(["b"], ["N"])]}
    genres = Genres.of("pos", documents, {"novel": documents}, lambda name: name == "x2")
    data = genre_data(genres, "pos", Template(column("word")))
    assert data.train.lists("word") == [["a"]]
    assert data.development.lists("word") == data.tests["novel"].lists("word") == [["b"]]
    assert data.text.names == ("word",)


def test_chance_takes_the_same_share_of_names_again() -> None:
    names = [str(k) for k in range(20)]
    some = first_by_hash(names, 0.2, "salt")
    assert len(some) == 4
    assert some == first_by_hash(reversed(names), 0.2, "salt") != first_by_hash(names, 0.2, "other")


def test_entities_of_other_types_are_none() -> None:
    found = domain_entities.map_types([["B-politician", "I-politician", "B-creative-work", "O"]])
    assert found == [["B-PER", "I-PER", "O", "O"]]


# Systems


@pytest.mark.parametrize("recipe", [OURS, PAPER])
def test_every_system_is_learned_read_and_measured(recipe: Any) -> None:
    recipe = replace(recipe, hmm={**recipe.hmm, "min_count": 1, "rounds": 3})
    arms = {name: Arm(s, recipe) for name, s in (systems(2) | further_systems(2)).items()}
    whole = study(arms)
    for cell in whole.plan.cells:
        found = whole.work(cell)
        assert 0 <= found["overall"]["f1"] == found["types"]["novel"]["f1"] <= 1
        assert found["types"]["novel"]["tokens"] == 10
        if cell.system == "CRF":
            assert found["value"] is None
            assert "properties" not in found
        else:
            assert found["value"] in recipe.values
            layered = cell.system.startswith(("I-", "P-"))
            assert (found["properties"]["predict"] is not None) == layered


def test_a_representation_helps_with_words_that_labels_never_had() -> None:
    recipe = replace(OURS, hmm={"min_count": 1})
    whole = study({name: Arm(systems(1)[name], recipe) for name in ("CRF", "classes")})
    alone, classes = (whole.work(Cell(name, 0, 1)) for name in ("CRF", "classes"))
    assert classes["overall"]["unseen"] >= alone["overall"]["unseen"]


def test_the_entropy_bias_may_have_labels_of_another_task() -> None:
    data = tiny()
    train = data.train.with_column("ner", data.train.lists("word"))
    whole = DomainStudy(
        "switched",
        lambda _: replace(data, train=train),
        {"HMM+E": Arm(System(properties="E", labels="ner"), replace(OURS, hmm={"min_count": 1}))},
        n_seeds=1,
        penalties=(0.1,),
        data_fingerprint="",
        states=3,
    )
    assert whole.work(Cell("HMM+E", 0, 1))["overall"]["f1"] > 0


def test_results_depend_on_the_recipe() -> None:
    first, second = (study({"HMM": Arm(System(), recipe)}) for recipe in (OURS, PAPER))
    assert first.fingerprint != second.fingerprint
    assert first.fingerprint == study({"HMM": Arm(System(), OURS)}).fingerprint


# What is told


def test_published_figures_have_the_published_means() -> None:
    words = list(published.WORDS.values())
    rows = published.PARTS_OF_SPEECH.values()
    averages = [np.average(list(row.values()), weights=words) for row in rows]
    assert averages == pytest.approx([84.5, 88.3, 89.2, 89.5, 89.9, 90.2, 90.8], abs=0.1)
    assert sum(words) == 68_695


def result(system: str, split: int, f1: float, **properties: float | None) -> dict[str, Any]:
    scores = {"precision": f1, "recall": f1, "f1": f1, "unseen": f1 - 0.3}
    tests = {genre: {**scores, "right": round(1000 * f1), "tokens": 1000} for genre in GENRES}
    sizes = {"n_train": 10, "n_test": 120, "size": 100, "seconds": 1.0, "c2": 0.03}
    own = {"properties": {"entropy": 1.0, "distance": 0.1, "predict": None, **properties}}
    return {
        "system": system,
        "split": split,
        "overall": scores,
        "types": tests,
        "development": f1 + 0.01,
        "value": None if system == "CRF" else 0.3,
        **sizes,
        **({} if system == "CRF" else own),
    }


def told(found: DomainReport) -> str:
    console = Console(width=220, highlight=False)
    with console.capture() as captured:
        console.print(found.for_terminal())
    return captured.get()


def test_systems_are_told_beside_the_published_figures(tmp_path: Path) -> None:
    own = []
    for split in (0, 1):
        own += [
            result("CRF", split, 0.70),
            result("HMM", split, 0.69),
            result("HMM+E", split, 0.72, entropy=0.9),
            result("I-HMM+D+E", split, 0.74, predict=0.7),
            result("P-HMM+D+E", split, 0.75, predict=0.5),
        ]
    found = DomainReport({"Chinese S, ours": own}, tmp_path)
    shown = told(found)
    assert "published" in shown
    assert "below the tagger alone: HMM −1.0" in shown
    assert "P-HMM+D+E over CRF +5.0; p < 0.001" in shown
    assert "P +1.00 (up in 2 of 2 samples, " in shown
    assert "E moves its property on unseen text 1.000 → 0.900" in shown
    paths = found.write()
    assert [path.name for path in paths] == ["domains.json", "chinese-s-ours.html"]
    kept = json.loads(paths[0].read_text())
    assert kept["studies"]["Chinese S, ours"]["HMM"]["difference"] == pytest.approx(-0.01)
    assert kept["published"]["entities"]["CRF"] == 66.15


def test_switched_tasks_and_strengths_are_told(tmp_path: Path) -> None:
    switched = {
        f"Switched {task}, ours": [
            result(system, 0, 0.5 + 0.01 * k) for k, system in enumerate(published.SWITCHED)
        ]
        for task in ("pos", "ner")
    }
    names = [domains.grid_name(s, a) for s in domains.SIGMAS for a in domains.ALPHAS]
    strengths = [result(name, 0, 0.7) for name in ("HMM", "D, sigma 1", *names)]
    found = DomainReport({**switched, domains.STRENGTHS: strengths}, tmp_path)
    shown = told(found)
    assert "89.7" in shown
    assert "D+E, sigma 1000, alpha 100" in shown
    assert [path.name for path in found.write()] == ["domains.json", "strengths.html"]
    page = (tmp_path / "strengths.html").read_text()
    assert page.count("<svg") == 3
    assert "Accuracy by the distance of domains" in page


def test_without_data_one_sentence(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["--data", str(tmp_path)])
    assert found.exit_code == 1
    assert found.stderr.startswith("Error: there is no data set lcmc")


# Real data


def test_chinese_genres_have_their_published_sizes(shared_data: Path) -> None:
    genres = read_lcmc(shared_data / "lcmc")
    assert genres.development.n_tokens == 7815
    assert genres.tests["sci-fi"].n_tokens == 2003
    small = genre_data(
        genres, "pos", chinese_features(shared_data / "radicals"), **domains.SETTINGS["S"]
    )
    assert small.train.n_tokens == pytest.approx(8800, abs=100)
    assert small.text.n_tokens == pytest.approx(47_137, abs=300)


def test_english_genres_are_those_of_the_chinese_corpus(shared_data: Path) -> None:
    genres = read_brown(shared_data / "brown")
    assert list(genres.tests) == list(GENRES)
    assert genres.train.n_tokens + genres.development.n_tokens == 100_554


def test_entities_of_all_sets_have_three_types(shared_data: Path) -> None:
    data = domain_entities.entity_data(shared_data)
    for corpus in (data.train, *data.tests.values()):
        types = {label[2:] for labels in corpus.lists("ner") for label in labels if label}
        assert types == {"", "PER", "ORG", "LOC"}
    assert data.text.names == ("word",)


@pytest.mark.parametrize("context", ["class", "bigram"])
def test_states_are_used_alike_in_context(context: Any) -> None:
    rng = np.random.default_rng(0)
    chances = np.linspace(1, 3, 10) / np.linspace(1, 3, 10).sum()

    def text(chances: Any) -> Corpus:
        words = rng.choice(10, (60, 6), p=chances)
        return Corpus.from_lists({"word": [[f"w{w}" for w in own] for own in words.tolist()]})

    texts = text(chances), text(chances[::-1])

    def apart(weight: float) -> tuple[float, float]:
        """How differently both domains use bigrams of states, as counted here and as told."""
        settings: Any = {"min_count": 1, "seed": 1, "threads": 1, "start": "random"}
        hmm = learn_alike(context, weight, 3, *texts, **settings)
        used = []
        for own in texts:
            states = measures.level_weights(hmm.annotate(own).column(hmm.name_)).reshape(60, 6, 3)
            pairs = np.einsum("sti,stj->ij", states[:, :-1], states[:, 1:])
            used.append(pairs / pairs.sum())
        told = context_distances(hmm, 3, *texts)
        assert 0 <= told["distance, class"] <= 2
        return float(np.abs(used[0] - used[1]).sum()), told["distance, bigram"]

    (biased, told_of_biased), (free, told_of_free) = apart(3.0), apart(0.0)
    assert biased < 0.9 * free
    assert [told_of_biased, told_of_free] == pytest.approx([biased, free], rel=0.1, abs=1e-3)


def test_an_unknown_study_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "fingerprint", lambda *_: "")
    with pytest.raises(DataError, match="there is no study 'Nothing'; choose from Chinese L"):
        domains.DomainExperiment(Path(), Path(), 1, only=("Nothing",)).studies(1)
