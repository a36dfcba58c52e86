"""Ready-made feature sets: what they make of a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail import DataError, Tagger, Template
from dovetail.corpus import Corpus
from dovetail.features import Lexicon, Table
from dovetail.features.sets import (
    announcements,
    chinese,
    chunking,
    default,
    entities,
    fields,
    named,
    newswire,
    parts_of_speech,
    phrases,
    zhang_johnson,
)

NAMES = [
    "announcements",
    "chinese",
    "chunking",
    "default",
    "entities",
    "fields",
    "newswire",
    "parts_of_speech",
    "phrases",
    "zhang_johnson",
]


def features(template: Template, *sequence: str | tuple[str, ...], at: int) -> set[str]:
    return {name for name, _ in template.features([list(sequence)])[0][at]}


def test_announcements_look_four_tokens_around() -> None:
    lexicons = {"honorifics": Lexicon(["Dr.", "Prof."])}
    template = announcements(lexicons=lexicons)
    tokens = ["Wed", "3:30", "-", "4", "pm", "Dr.", "McKay", "VAX", "X"]
    made = features(template, *[(token, "NN") for token in tokens], at=4)
    assert {
        "word[-4]=Wed",
        "word.date[-4]=B",
        "word.time[-3]=B",
        "word.time[-3]=dash after",
        "word.time[-1]=dash before",
        "word.time=I",
        'word.lexicon("honorifics")[1]=B',
        'word.match("[A-Z]+[a-z]+[A-Z]+[a-z]+")[2]=yes',
        'word.match("[A-Z][A-Z]+")[3]=yes',
        'word.match("[A-Z]")[4]=yes',
        "pos[4]=NN",
    } <= made
    assert not any("[5]" in name for name in made)


def test_announcements_do_without_tags() -> None:
    assert announcements(pos=None).columns == ("word",)


def test_newswire_has_all_pairs() -> None:
    template = newswire(lexicons={"last": Lexicon(["Smith"])})
    n = 8
    assert len(template.rows) == 5 * n + n * (n - 1) // 2 + n * n
    made = features(template, "Mr", ",", "SMITH", at=1)
    assert r'word & word.match("[^\\w\\s]+")=,|yes' in made
    assert r'word.match("[^\\w\\s]+") & word.lower.lexicon("last")[1]=yes|B' in made


def test_chunking_has_the_rows_of_its_table() -> None:
    template = chunking()
    words, tags, both, side = 5 + 4 + 3 + 1, 5 + 4 + 3 + 1, 3 + 2 + 1, 1
    assert len(template.rows) == words + tags + both + side
    sentence = [("a", "A"), ("b", "N"), ("c", "VV"), ("d", "N"), ("e", "N")]
    made = features(template, *sentence, at=3)
    assert {
        "word[-2] & word[-1] & word=b|c|d",
        "pos[-1] & pos[1]=VV|N",
        "word & pos[-2] & pos[-1]=d|N|VV",
        "pos[-1] & word & pos[1]=VV|d|N",
        'pos.side("[Vv].*")=after',
    } <= made


def test_chinese_knows_radicals_and_repetitions() -> None:
    template = chinese(radicals={"江": "85", "河": "85", "妈": "38"})
    assert features(template, "江河", at=0) == {
        "word=江河",
        'word.chars(1).table("radicals")=85',
    }
    for word, kind in [("高高兴兴", "AABB"), ("研究研究", "ABAB"), ("看看", "AA"), ("看看/", "AA")]:
        assert f"{kind}=yes" in features(template, word, at=0)
    for word in ("看", "看看看", "高高高高", "看书"):
        assert not features(template, word, at=0) - {f"word={word}"}
    values = template.features([["妈妈"]])[0][0]
    assert ('word.chars(1).table("radicals")=38', 1.0) in values
    assert len(values) == len({name for name, _ in values})


def test_chinese_takes_radicals_from_a_file(shared_data: Path) -> None:
    table = Table.from_file(shared_data / "radicals" / "char_radical.tsv")
    made = features(chinese(radicals=table), "江妈", at=0)
    assert {f'word.chars(1).table("radicals")={radical}' for radical in ("85", "38")} <= made


def test_zhang_johnson_sees_kinds_and_affixes() -> None:
    made = features(zhang_johnson(), "In", "1996", "IBM", at=1)
    assert {
        'word.match("[0-9]+")=yes',
        'word.match("[A-Z]+")[1]=yes',
        "word.prefix(4)=1996",
        "word.short_shape[-1] & word.short_shape & word.short_shape[1]=Xx|d|X",
    } <= made


@pytest.mark.parametrize("name", NAMES)
def test_every_set_has_a_name_and_can_be_stored(name: str) -> None:
    template = named(name, ["form", "tag"])
    assert template.columns[0] == "form"
    assert set(template.columns) <= {"form", "tag"}
    assert Template.from_spec(template.spec()) == template


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"chunking", "phrases"}))
def test_words_are_enough_for_most(name: str) -> None:
    assert named(name, ["form"]).columns == ("form",)


@pytest.mark.parametrize("name", ["chunking", "phrases"])
def test_sets_that_need_tags_say_so(name: str) -> None:
    with pytest.raises(DataError, match=f"'{name}' reads words and their parts of speech"):
        named(name, ["form"])


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(DataError, match="no feature set 'ner'; there are announcements, chinese"):
        named("ner", ["word"])


def test_the_default_goes_by_the_columns() -> None:
    assert default(["w"]) == parts_of_speech("w")
    assert default(["w", "t"]) == phrases("w", "t")
    assert default(["w", "t", "c"]) == entities("w", "t", "c")
    assert default(["w", "t", "c"]).columns == ("w", "t", "c")


def test_fields_see_the_layout_where_there_is_one() -> None:
    plain = Corpus.from_lists({"word": [["Who", ":", "Ada"]]})
    assert not any("@" in name for name, _ in fields().features(plain)[0][1])
    laid_out = Corpus.from_texts(["Who: Ada\nTime: 3 pm"])
    names = {name for name, _ in fields().features(laid_out)[0][-1]}
    assert {"@lead=time", "word.time=I", "@lead & word.time=time|I"} <= names


@pytest.mark.parametrize("name", NAMES)
def test_a_tagger_learns_with_every_set(name: str) -> None:
    corpus = Corpus.from_lists(
        {
            "word": [["Ada", "met", "Bob", "."], ["Bob", "met", "Eve", "."]] * 3,
            "pos": [["N", "V", "N", "."]] * 6,
            "label": [["B-PER", "O", "B-PER", "O"]] * 6,
        }
    )
    tagger = Tagger(features=name, c2=0.01, threads=1).fit(corpus)
    assert tagger.predict(corpus) == corpus.lists("label")
