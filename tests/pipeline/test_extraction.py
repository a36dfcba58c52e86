"""Values out of documents, and the second look."""

import pytest

from dovetail import Corpus, DataError, Pipeline, Scores, Tagger, Template, column
from dovetail.evaluate.fields import Choice
from dovetail.pipeline.extraction import choose_values, extract, held_out_looks, look

LABELS = ["O", "B-who", "B-where"]


def scored(*documents):
    """A pipeline whose scores for O, who and where are given for each token."""
    return Pipeline({"fields": Scores(LABELS, lambda corpus: documents[: len(corpus)])})


def test_values_are_text_of_the_document():
    documents = Corpus.from_texts(["by Ada  (here)"])
    pipeline = Pipeline(
        {
            "fields": Scores(
                ["O", "B-who", "I-who"], [[[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]]
            )
        }
    )
    assert extract(pipeline, documents, {"who": Choice()}) == [{"who": "Ada (here"}]


def test_a_field_is_found_at_the_second_look():
    documents = Corpus.from_lists({"word": [["by", "Ada", "here"]]})
    pipeline = scored([[3, 0, 0], [0, 2, 0], [1, 0, 0.5]])
    plain = {"who": Choice(), "where": Choice()}
    assert extract(pipeline, documents, plain) == [{"who": "Ada"}]
    eager = {"who": Choice(), "where": Choice("first", 1.0)}
    assert extract(pipeline, documents, eager) == [{"who": "Ada", "where": "here"}]


def test_documents_with_all_fields_are_not_looked_at_again():
    documents = Corpus.from_lists({"word": [["Ada", "here"]]})
    looks = look(scored([[0, 2, 0], [0, 0, 2]]), documents, ["who", "where"], [1.0])
    assert [sorted(found) for found in looks] == [[0.0]]


def test_probabilities_come_along():
    documents = Corpus.from_lists({"word": [["Ada"]]})
    [looks] = look(scored([[0, 2, 0]]), documents, ["who"])
    assert looks[0.0][0].probability == pytest.approx(0.7870, abs=1e-4)  # e^2 / (e^2 + 2)


def test_the_pipeline_stays_as_it_was():
    documents = Corpus.from_lists({"word": [["Ada"]]})
    pipeline = scored([[1, 0.5, 0]])
    assert extract(pipeline, documents, {"who": Choice("first", 1.0)}) == [{"who": "Ada"}]
    assert pipeline.predict(documents)["fields"] == [["O"]]


def test_without_outside_there_are_no_fields():
    pipeline = Pipeline({"pos": Scores(["DT", "NN"], [[[0, 1]]])})
    with pytest.raises(DataError, match="has no label O"):
        look(pipeline, Corpus.from_lists({"word": [["Ada"]]}), ["who"], [1.0])


def test_choices_are_made_on_documents_that_models_have_not_seen(monkeypatch):
    """All names are new in each document, so that only a second look finds them."""
    monkeypatch.setattr("dovetail.pipeline.decode.inputs.AT_ONCE", 5)  # fewer than a part has
    words = [["by", f"Name{k}", "at", "noon"] for k in range(12)]
    labels = [["O", "B-who", "O", "O"]] * 12
    documents = Corpus.from_lists({"word": words, "fields": labels})
    features = Template(column("word").window(1))
    tagger = Tagger(features=features, c2=20.0)  # so strong that it finds nothing at first
    pipeline = Pipeline({"fields": tagger}, decode="auto").fit(documents, folds=3)
    held = pipeline.held_out_
    assert sorted(word for part in held for mail in part.corpus.lists("word") for word in mail) == (
        sorted(word for mail in words for word in mail)
    )
    choices = choose_values(pipeline)
    assert set(choices) == {"who"}
    found = extract(pipeline, Corpus.from_lists({"word": [["by", "Ada", "at", "noon"]]}), choices)
    assert found == [{"who": "Ada"}]
    with pytest.raises(DataError, match="right after fit"):
        choose_values(Pipeline.load(pipeline.to_bytes()))


def announcements(n=12):
    """Documents with a name each; every other one has a room as well."""
    words = [["by", f"Name{k}", *(["in", f"Room{k}"] if k % 2 else [])] for k in range(n)]
    labels = [["O", "B-who", *(["O", "B-room"] if k % 2 else [])] for k in range(n)]
    return Corpus.from_lists({"word": words, "fields": labels})


def hedged(documents):
    tagger = Tagger(features=Template(column("word").window(1)), c2=20.0)
    return Pipeline({"fields": tagger}, decode="auto").fit(documents, folds=len(documents))


def test_documents_without_a_field_count_too():
    """One document a part: what is wanted must not be what that document happens to have."""
    pipeline = hedged(announcements())
    truth, looks = held_out_looks(pipeline, None, (0.0, 1.0))
    lacking = [found for true, found in zip(truth, looks, strict=True) if "room" not in true]
    assert len(lacking) == 6
    assert all(1.0 in found for found in lacking)


def test_fields_and_recall_biases_may_be_iterators():
    pipeline = hedged(announcements())
    found = choose_values(pipeline, iter(["who"]), recall_biases=iter([0.0, 1.0]))
    assert found == choose_values(pipeline, ["who"], recall_biases=[0.0, 1.0])
    assert set(found) == {"who"}


def test_documents_with_missing_labels_tell_nothing():
    documents = announcements()
    labels = documents.lists("fields")
    labels[0][1] = None
    truth, looks = held_out_looks(hedged(documents.with_column("fields", labels)), None, (0.0,))
    assert len(truth) == len(looks) == 11


def test_unknown_decoding_is_refused():
    with pytest.raises(DataError, match="no decoding 'magic'"):
        look(scored([[1, 0, 0]]), Corpus.from_lists({"word": [["a"]]}), ["who"], decode="magic")
