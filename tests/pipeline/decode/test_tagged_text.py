"""Raw texts through a pipeline."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from dovetail import Corpus, Pipeline, Tagger


def test_spans_of_each_layer_by_characters() -> None:
    news = Corpus.from_lists(
        {
            "word": [["Ada", "spoke"], ["he", "saw", "Ada"]],
            "ner": [["B-PER", "O"], ["O", "O", "B-PER"]],
        }
    )
    talks = Corpus.from_lists({"word": [["by", "Ada"]], "fields": [["O", "SPEAKER"]]})
    pipeline = Pipeline({"ner": Tagger(c2=0.1), "fields": Tagger(c2=0.1)})
    pipeline.fit({"ner": news, "fields": talks})
    text = "\n by  Ada"
    blank, found = pipeline.tag_texts(["", text])
    assert blank.spans == []
    assert [(s.start, s.end, s.label) for s in found.layers["ner"]] == [(6, 9, "PER")]
    assert [(s.text, s.label) for s in found.spans] == [("Ada", "SPEAKER")]
    [tagging] = pipeline.tag([["by", "Ada"]])
    assert found.spans[0].probability == tagging.layers["fields"].confidences[1]
    shown = "".join(ElementTree.fromstring(f"<x>{found._repr_html_()}</x>").itertext())
    assert "ner" in shown
    assert "SPEAKER" in shown
    assert found.to_dict()["layers"]["ner"][0]["label"] == "PER"
