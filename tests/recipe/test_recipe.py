"""Recipes: what they say, what they are refused for, and the pipelines that come of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dovetail import DataError, DovetailError, Tagger
from dovetail.features import sets
from dovetail.recipe import Comparison, Recipe, Task

NEWS = "Ada B-PER\nspoke O\n\nhe O\nsaw O\nBob B-PER\n\n"
TALKS = "by O\nAda B-SPEAKER\n\nat O\nnoon B-TIME\n\n"
BOTH = "by IN O O\nAda NNP B-PER B-SPEAKER\n\nat IN O O\nnoon NN O B-TIME\n\n"
NER = '[[task]]\nname = "ner"\ndata = "news.conll"\nc2 = 0.1\n'
FIELDS = '[[task]]\nname = "fields"\ndata = ["talks.conll"]\nc2 = 0.1\n'
Written = Callable[[str], Recipe]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Reads a recipe of that text, which lies beside a few files."""
    (tmp_path / "news.conll").write_text(NEWS)
    (tmp_path / "talks.conll").write_text(TALKS)
    (tmp_path / "both.conll").write_text(BOTH)
    (tmp_path / "words.conll").write_text("Ada\nspoke\n")
    (tmp_path / "own.template").write_text('word.lower\nword & ner\nword.lexicon("people")\n')
    (tmp_path / "people.txt").write_text("Ada\n")
    (tmp_path / "folder").mkdir()

    def read(text: str) -> Recipe:
        path = tmp_path / "recipe.toml"
        path.write_text(text)
        return Recipe.read(path)

    return read


def template(recipe: Recipe, task: str) -> str:
    return str(recipe.pipeline()[task].features)


def test_defaults(written: Written, tmp_path: Path) -> None:
    recipe = written('[[task]]\nname = "ner"\ndata = "news.conll"\n')
    assert recipe == Recipe(
        tmp_path / "recipe.toml", (Task("ner", data=(tmp_path / "news.conll",)),)
    )
    assert (recipe.decode, recipe.training, recipe.folds, recipe.seed) == ("joint", None, 5, 0)
    pipeline = recipe.pipeline()
    assert (pipeline.decode, pipeline.inference, pipeline.epsilon) == ("joint", "auto", 1e-4)
    given = pipeline["ner"].get_params()
    usual = Tagger(features=given["features"]).get_params()
    assert given == usual


def test_settings_reach_the_pipeline(written: Written) -> None:
    top = 'decode = "soft"\nlattice = 3\nseed = 4\nfolds = 2\ninference = "exact"\nepsilon = 0.01\n'
    more = 'weight = 0.5\nconstraints = "auto"\nlabel_weights = { O = 0.5 }\nmin_count = 2\n'
    recipe = written(f"{top}{NER}{more}{FIELDS}seed = 7\n")
    pipeline = recipe.pipeline(threads=1)
    assert (pipeline.decode, pipeline.lattice, pipeline.threads) == ("soft", 3, 1)
    assert (pipeline.inference, pipeline.epsilon) == ("exact", 0.01)
    assert pipeline.weights == {"ner": 0.5, "fields": 1.0}
    settings = pipeline["ner"].get_params()
    assert {key: settings[key] for key in ("c2", "constraints", "min_count", "seed")} == {
        "c2": 0.1,
        "constraints": "auto",
        "min_count": 2,
        "seed": 4,
    }
    assert settings["label_weights"] == {"O": 0.5}
    assert pipeline["fields"].seed == 7


def test_a_pipeline_is_trained(written: Written) -> None:
    seen = []
    pipeline = written(NER + FIELDS).fit(lambda task, _: seen.append(task))
    assert list(dict.fromkeys(seen)) == ["ner", "fields"]
    found = pipeline.predict([["by", "Ada"]])
    assert found == {"ner": [["O", "B-PER"]], "fields": [["O", "B-SPEAKER"]]}


def test_every_task_reads_those_before_it(written: Written) -> None:
    recipe = written(NER + FIELDS)
    assert template(recipe, "fields").splitlines()[-1] == "ner"
    assert "fields" not in template(recipe, "ner")
    alone = written(f"{NER}{FIELDS}reads = []\n")
    assert "ner" not in template(alone, "fields").splitlines()


def test_conjunctions_with_lower_labels(written: Written) -> None:
    recipe = written(f'{NER}{FIELDS}features = "parts_of_speech"\nconjoin = true\n')
    made = recipe.pipeline()["fields"].features
    plain = sets.parts_of_speech()
    assert made == plain.with_columns("ner", conjoined=True)
    assert len(made.rows) == 2 * len(plain.rows) + 1


def test_template_files_say_themselves_what_they_read(written: Written) -> None:
    own = 'features = "own.template"\nlexicons = { people = "people.txt" }\n'
    recipe = written(f"{NER}{FIELDS}{own}")
    expected = ["word.lower", "word & ner", 'word.lexicon("people")']
    assert template(recipe, "fields").splitlines() == expected
    recipe = written(f'{NER}{FIELDS}{own}reads = ["ner"]\n')
    assert template(recipe, "fields").splitlines() == [*expected, "ner"]


def test_a_set_that_needs_tags_takes_those_of_the_task_it_reads(written: Written) -> None:
    recipe = written(f'{NER}{FIELDS}features = "chunking"\n')
    assert "ner[-2..2]" in template(recipe, "fields").replace('"', "")


SAME_TEXT = """
[[task]]
name = "pos"
data = "both.conll"
columns = ["word", "tag", "ner", "_"]
label = "tag"

[[task]]
name = "ner"
data = "both.conll"
columns = ["word", "tag", "ner", "_"]
"""


def test_labels_of_other_tasks_are_no_input(written: Written) -> None:
    recipe = written(SAME_TEXT)
    corpora = recipe.corpora()
    assert corpora["pos"].names == ("word", "tag", "ner")
    assert corpora["pos"] is corpora["ner"]
    pipeline = recipe.pipeline(corpora)
    assert set(pipeline["pos"].features.columns) == {"word"}
    assert set(pipeline["ner"].features.columns) == {"word", "pos"}


def test_shared_text_is_cross_fitted(written: Written) -> None:
    pipeline = written(f"folds = 2\n{SAME_TEXT}").fit()
    [note] = pipeline.notes_
    assert "2 of 2 sequences are training text of 'pos' too" in note


def test_several_files_are_one_corpus(written: Written) -> None:
    recipe = written(NER.replace('"news.conll"', '["news.conll", "news.conll"]'))
    assert len(recipe.corpora()["ner"]) == 4


def test_labels_are_written_in_another_scheme(written: Written, tmp_path: Path) -> None:
    recipe = written(NER + 'scheme = "IOBES"\n' + FIELDS)
    corpora = recipe.corpora()
    assert corpora["ner"].lists("label")[0] == ["S-PER", "O"]
    assert corpora["fields"].lists("label")[0] == ["O", "B-SPEAKER"]
    assert {*recipe.fit()["ner"].labels_} == {"O", "S-PER"}
    (tmp_path / "news.conll").write_text("Ada\tB-PER\nspoke\t\n")
    with pytest.raises(DataError, match="has tokens without a label, so its scheme cannot be"):
        recipe.corpora()


def test_a_trained_model_is_used_as_it_is(written: Written, tmp_path: Path) -> None:
    written(NER).fit()["ner"].save(tmp_path / "ner.dovetail")
    model = '[[task]]\nname = "ner"\nmodel = "ner.dovetail"\nweight = 0.5\n'
    recipe = written(model + FIELDS)
    assert list(recipe.corpora()) == ["fields"]
    seen = set()
    pipeline = recipe.fit(lambda task, _: seen.add(task))
    assert seen == {"fields"}
    assert pipeline.predict([["by", "Ada"]])["ner"] == [["O", "B-PER"]]
    assert written(model).fit().weights == {"ner": 0.5}


def test_sizes(written: Written) -> None:
    sizes = written(NER + FIELDS).sizes()
    assert sizes["ner"]["n_tokens"] == 5
    assert sizes["ner"]["not_counted"] == []
    assert sizes["fields"]["n_labels"] == 3
    assert sizes["fields"]["not_counted"] == ["ner"]


def test_comparison(written: Written, tmp_path: Path) -> None:
    assert written(f"{NER}[compare]\n").compare == Comparison()
    text = 'systems = ["none", "joint"]\nsplits = 3\ntrain = 0.6\nsizes = [10, 20]\n'
    recipe = written(f"{NER}[compare]\n{text}")
    assert recipe.compare == Comparison(("none", "joint"), 3, 0.6, sizes=(10, 20))
    assert recipe.test_corpus() is None
    recipe = written(f'{NER}[compare]\ntest = "talks.conll"\n')
    assert recipe.compare == Comparison(test=(tmp_path / "talks.conll",))
    tested = recipe.test_corpus()
    assert tested is not None
    assert len(tested) == 2


BAD = {
    "no toml": ("decode = \n", "recipe.toml is not TOML: Invalid value (at line 1, column 10)"),
    "no task": ('decode = "joint"\n', "recipe.toml has no task: give at least one [[task]]"),
    "task table": ("[task]\n", "recipe.toml: task is a table; give a list of tables, [[task]]"),
    "task value": ("task = [1]\n", "recipe.toml, task 1 is 1; give a table, [[task]]"),
    "top key": (f'decod = "joint"\n{NER}', "recipe.toml: there is no key 'decod'; did you mean 'd"),
    "far key": (f"{NER}zzz = 1\n", "task 'ner': there is no key 'zzz'; there are name, model, w"),
    "task key": (f"{NER}wieght = 1\n", "task 'ner': there is no key 'wieght'; did you mean 'wei"),
    "key of a task": (
        f"c2 = 1\n{NER}",
        "recipe.toml: there is no key 'c2' here; it belongs to [[task]]",
    ),
    "key of the top": (f"{NER}folds = 3\n", "'folds' here; it belongs to the top of the recipe"),
    "key of a kind": (
        f'{NER}loss = "logistic"\n',
        """there is no key 'loss' here; it belongs to kind = "linear" or kind = "aso\"""",
    ),
    "decode": (
        f'decode = "x"\n{NER}',
        "decode is 'x'; give one of none, cascade, soft, lattice, joint",
    ),
    "folds": (f"folds = 1\n{NER}", "folds is 1; give a whole number of at least 2"),
    "flag": (f"seed = true\n{NER}", "seed is true; give a whole number of at least 0"),
    "epsilon": (f"epsilon = 1.5\n{NER}", "epsilon is 1.5; give a number above 0 and below 1"),
    "c2": (NER.replace("0.1", '"high"'), "c2 is 'high'; give auto or a number of at least 0"),
    "nan": (NER.replace("0.1", "nan"), "c2 is nan; give auto or a number of at least 0"),
    "no name": ('[[task]]\ndata = "news.conll"\n', "recipe.toml, task 1 has no name: give name ="),
    "empty name": ('[[task]]\nname = "a b"\n', "task 1: name is 'a b'; give the name of a column"),
    "two names": (NER + NER, "two tasks are called 'ner': give each a name of its own"),
    "neither": ('[[task]]\nname = "ner"\n', "task 'ner' has neither data to learn from nor a tra"),
    "both": (f'{NER}model = "m"\n', "task 'ner' has both data and a trained model: give one of"),
    "model setting": (
        '[[task]]\nname = "ner"\nmodel = "m"\nc2 = 1\n',
        "task 'ner': c2 is nothing that a trained model can be given",
    ),
    "no data": (NER.replace("news", "no"), "task 'ner': data names no.conll, but "),
    "data folder": (NER.replace("news.conll", "folder"), "folder is a directory"),
    "no model": ('[[task]]\nname = "ner"\nmodel = "m"\n', "model names m, but "),
    "no lexicon": (
        f'{NER}features = "newswire"\nlexicons = {{ x = "no.txt" }}\n',
        "lexicons names no.txt, but ",
    ),
    "lexicon": (f'{NER}lexicons = {{ x = "people.txt" }}\n', "belong to features: say which"),
    "features": (f'{NER}features = "entites"\n', "feature set 'entites'; did you mean 'entities'?"),
    "format": (NER.replace("news.conll", "recipe.toml"), "recipe.toml cannot be told from its na"),
    "unknown format": (f'{NER}format = "yaml"\n', "format is 'yaml'; give one of conll, conllu"),
    "columns": (
        f'{NER}format = "jsonl"\ncolumns = ["a"]\n',
        "task 'ner': columns names those of CoNLL files, and ",
    ),
    "unknown read": (f'{NER}{FIELDS}reads = ["nre"]\n', "'nre', which is no task; did you mean 'n"),
    "later read": (
        f'{NER}reads = ["fields"]\n{FIELDS}reads = []\n',
        "which comes after it: put th",
    ),
    "own read": (f'{NER}reads = ["ner"]\n', "task 'ner': reads names 'ner', which is itself"),
    "circle": (
        f'{NER}reads = ["fields"]\n{FIELDS}reads = ["ner"]\n',
        "they read one another in a circle: ner -> fields -> ner",
    ),
    "conjoin": (f"{NER}conjoin = true\n", "task 'ner': conjoin needs tasks before it"),
    "compare key": (
        f"{NER}[compare]\nsplit = 3\n",
        "compare: there is no key 'split'; did you mea",
    ),
    "systems": (f'{NER}[compare]\nsystems = ["all"]\n', "give a list of some of none, cascade,"),
    "ways": (f"{NER}[compare]\nsplits = 3\nfolds = 3\n", "splits and folds do not go together"),
    "share": (f"{NER}[compare]\nfolds = 3\ntrain = 0.5\n", "leave it out with folds"),
    "no test": (f'{NER}[compare]\ntest = "no.conll"\n', "compare: test names no.conll, but "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_recipes(written: Written, case: str) -> None:
    text, message = BAD[case]
    with pytest.raises(DataError) as error:
        written(text)
    assert message in str(error.value)
    assert "recipe.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_model_cannot_be_compared(written: Written, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("")
    with pytest.raises(DataError, match="the last task, 'ner', has no data to compare"):
        written('[[task]]\nname = "ner"\nmodel = "m"\n[compare]\n')


BAD_DATA = {
    "label": (f'{NER}label = "x"\n', "task 'ner': its data has no column 'x'; it has word, label"),
    "one column": (NER.replace("news", "words"), "one column only: training needs labels too"),
    "columns": (f'{NER}columns = ["word"]\n', "news.conll:1"),
    "inputs": (f'{NER}columns = ["_", "ner"]\n', "no column to make features of beside 'ner'"),
    "tags": (f'{NER}features = "chunking"\n', "reads words and their parts of speech"),
    "files": (
        NER.replace('"news.conll"', '["news.conll", "both.conll"]'),
        "the files differ in their columns: word, label and word, column2",
    ),
    "template": (
        f'{NER}{FIELDS.replace("fields", "f")}features = "own.template"\n',
        "own.template, line 3, column 14: there is no lexicon 'people'; "
        'give lexicons = { people = "FILE" }',
    ),
    "template column": (
        f'{NER}features = "own.template"\nlexicons = {{ people = "people.txt" }}\n',
        "own.template, line 2, column 8: there is no column 'ner'; the data has word, label",
    ),
    "no model": ('[[task]]\nname = "ner"\nmodel = "news.conll"\n', "news.conll is not a model"),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_data_that_does_not_fit(written: Written, case: str) -> None:
    text, message = BAD_DATA[case]
    recipe = written(text)
    with pytest.raises(DovetailError) as error:
        recipe.pipeline()
    assert message in str(error.value)
    assert "recipe.toml, task '" in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_and_malformed_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*no\.toml"):
        Recipe.read(tmp_path / "no.toml")
    (tmp_path / "latin.toml").write_bytes(b'decode = "\xf6"\n')
    with pytest.raises(DataError, match=r"latin\.toml:1 is not UTF-8"):
        Recipe.read(tmp_path / "latin.toml")


HMM = '[[representation]]\nkind = "hmm"\ntext = ["news.conll", "words.conll"]\nstates = 2\n'
HMM += "min_count = 1\n"


def test_representations_come_before_tasks(written: Written) -> None:
    vectors = '[[representation]]\nkind = "vectors"\nvectors = "vectors.txt"\nclusters = 2\n'
    recipe = written(NER)
    (recipe.path.parent / "vectors.txt").write_text("Ada 1 0\nBob 1 0.1\nspoke 0 1\n")
    recipe = written(HMM + vectors + NER + FIELDS)
    assert recipe.pipeline().representations[0].labels_ == ["s0", "s1"]
    pipeline = recipe.fit()
    assert [one.names_ for one in pipeline.representations] == [("state",), ("vector",)]
    for name in ("ner", "fields"):
        assert {"state", "vector"} <= set(pipeline[name].features.columns)
    assert pipeline.predict([["by", "Bob"]])["fields"] == [["O", "B-SPEAKER"]]


def test_unlabelled_text_is_all_that_need_be_named(
    written: Written, caplog: pytest.LogCaptureFixture
) -> None:
    folder = written(NER).path.parent
    words = " ".join(f"Ada{n} spoke{n}" for n in range(100))
    (folder / "much.txt").write_text(f"{words}\n" * 9)
    (folder / "empty.txt").write_text("\n")
    recipe = written(f'unlabelled = ["much.txt", "empty.txt"]\n{NER}{FIELDS}')
    pipeline = recipe.fit()
    assert [one.names_ for one in pipeline.representations] == [("class",), ("state",)]
    for name in ("ner", "fields"):
        assert {"class", "state"} <= set(pipeline[name].features.columns)
    assert "nothing is learned from" in caplog.text
    assert written(f'unlabelled = "empty.txt"\n{NER}').fit().representations == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('unlabelled = "gone.txt"\n', "gone.txt is not there"),
        ('unlabelled = ["much.txt", "words.conll"]\n', "give one kind of them"),
        ('unlabelled = "words.conll"\n[[representation]]\nkind = "classes"\ntext = "words.conll"\n',
         "two representations write the column 'class'"),
    ],
)  # fmt: skip
def test_bad_unlabelled_text(written: Written, given: str, words: str) -> None:
    (written(NER).path.parent / "much.txt").write_text("Ada spoke.\n")
    with pytest.raises(DovetailError, match=words) as caught:
        written(given + NER).fit()
    assert "recipe.toml" in str(caught.value)


def test_document_context_is_learned_for_a_task(written: Written) -> None:
    context = '[[representation]]\nkind = "consistency"\ntask = "ner"\nsoft = false\n'
    recipe = written(f"folds = 2\n{HMM}{context}{NER}{FIELDS}")
    pipeline = recipe.fit()
    assert [one.name_ for one in pipeline.representations] == ["state", "context"]
    assert pipeline.representations[1].reads_ == ("word", "state")
    assert "context_token_document" in pipeline["fields"].features.columns
    assert any("context" in note and "fields" in note for note in pipeline.notes_)
    assert not any("those of ner" in note for note in pipeline.notes_)
    assert pipeline.predict([["by", "Bob"]])["fields"] == [["O", "B-SPEAKER"]]


def test_template_files_may_read_representations(written: Written) -> None:
    recipe = written(NER)
    (recipe.path.parent / "states.template").write_text("word\nstate\n")
    pipeline = written(HMM + NER + 'features = "states.template"\n').fit()
    assert set(pipeline["ner"].features.columns) == {"word", "state"}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "either the kind of what is to be learned, a model, or"),
        ('from = "brown-xx"', "did you mean 'brown-e"),
        ('from = "brown-en"\nstates = 3', "no key 'states'"),
        ('kind = "magic"', "give one of hmm, biased"),
        ('kind = "hmm"', "needs text to learn from: give text"),
        ('kind = "biased"\nlabels = "label"', "give source"),
        ('kind = "biased"\nsource = "news.conll"', "a biased HMM needs a bias"),
        ('kind = "biased"\nsource = "news.conll"\nentropy = 1.0', "name their column by labels"),
        ('kind = "hmm"\ntext = "gone.conll"', "gone.conll is not there"),
        ('kind = "hmm"\ntext = "news.conll"\nlabels = "label"', "there is no key 'labels'"),
        ('kind = "hmm"\ntext = "news.conll"\nstates = 99', "99 states are more than"),
        ('kind = "layered"\ntext = "news.conll"\nsource = "news.conll"', "both text and source"),
        ('kind = "vectors"', "has no vectors"),
        ('kind = "consistency"', "has no task: its first tagger is that of a task"),
        ('kind = "consistency"\ntask = "nor"', "names the task 'nor': its first tagger"),
        ('kind = "consistency"\ntask = "ner"\nfolds = 3', "there is no key 'folds'"),
        ('kind = "consistency"\ntask = "ner"', "cross-fitting in 5 parts needs"),
        ('model = "news.conll"', "not a model file"),
        ('model = "news.conll"\nstates = 3', "there is no key 'states'"),
    ],
)
def test_bad_representations(written: Written, table: str, words: str) -> None:
    with pytest.raises(DovetailError, match=words) as caught:
        written(f"[[representation]]\n{table}\n{NER}").fit()
    assert "recipe.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
