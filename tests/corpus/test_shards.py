"""A corpus on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dovetail.corpus import Corpus, Shards, SoftColumn
from dovetail.corpus.shards import KIND
from dovetail.errors import DataError
from dovetail.io.array_file import read_arrays, write_arrays


def make_corpus(first: int, n: int) -> Corpus:
    words = [[f"w{k}", f"v{k % 3}"] + ["x"] * (k % 4) for k in range(first, first + n)]
    return Corpus.from_lists(
        {"word": words, "label": [[None if w == "x" else "A" for w in row] for row in words]}
    )


def test_parts_are_the_corpora_one_after_another(tmp_path: Path) -> None:
    pieces = [make_corpus(0, 7), make_corpus(7, 1), make_corpus(8, 30)]
    shards = Shards.write(tmp_path / "text", iter(pieces), tokens=10)
    assert Corpus.concatenate(list(Shards(tmp_path / "text"))) == Corpus.concatenate(pieces)
    assert all(part.n_tokens >= 10 for part in list(shards)[:-1])
    assert max(part.n_tokens for part in shards) < 10 + 5
    assert shards.n_tokens == sum(shards.tokens) == sum(c.n_tokens for c in pieces)


def test_texts_places_and_documents_are_kept(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["One line.\nAnother é.", "Third."], unit="line")
    assert Shards.write(tmp_path / "text", [corpus])[0] == corpus


def test_parts_do_not_depend_on_how_the_text_came(tmp_path: Path) -> None:
    whole = make_corpus(0, 40)
    one = Shards.write(tmp_path / "one", [whole], tokens=20)
    other = Shards.write(tmp_path / "other", (whole[k : k + 1] for k in range(40)), tokens=20)
    assert one.tokens == other.tokens
    assert all(a == b for a, b in zip(one, other, strict=True))


def test_one_corpus_needs_no_list(tmp_path: Path) -> None:
    corpus = make_corpus(0, 3)
    assert Shards.write(tmp_path / "text", corpus)[0] == corpus


def test_halves_of_surrogate_pairs_are_kept(tmp_path: Path) -> None:
    corpus = Corpus.from_lists({"word": [["\ud800", "é"]]})
    assert Shards.write(tmp_path / "text", [corpus])[0] == corpus


def test_a_part_of_another_corpus_of_the_same_size_is_refused(tmp_path: Path) -> None:
    one, other = (
        Shards.write(tmp_path / name, [Corpus.from_lists({"word": [[name]]})]) for name in "ab"
    )
    (other.folder / "part-00000.shard").rename(one.folder / "part-00000.shard")
    with pytest.raises(DataError, match=r"part-00000.shard is of another corpus than"):
        one[0]


def test_a_corpus_without_tokens(tmp_path: Path) -> None:
    empty = Corpus.from_lists({"word": [], "label": []})
    shards = Shards.write(tmp_path / "text", [empty])
    assert (len(shards), shards.n_tokens, shards.names) == (1, 0, ("word", "label"))


def test_what_is_refused(tmp_path: Path) -> None:
    corpus = make_corpus(0, 3)
    with pytest.raises(DataError, match=r"tokens is 0"):
        Shards.write(tmp_path / "a", [corpus], tokens=0)
    with pytest.raises(DataError, match=r"differ in their columns: word, label and word"):
        Shards.write(tmp_path / "b", [corpus, corpus.without_column("label")], tokens=1)
    soft = corpus.with_column("soft", SoftColumn.of(["s"], np.ones((corpus.n_tokens, 1))))
    with pytest.raises(DataError, match=r"'soft' has weights"):
        Shards.write(tmp_path / "c", [soft])
    Shards.write(tmp_path / "d", [corpus])
    with pytest.raises(DataError, match=r"holds a corpus already"):
        Shards.write(tmp_path / "d", [corpus])
    (tmp_path / "e").touch()
    with pytest.raises(DataError, match=r"cannot write .*e: File exists"):
        Shards.write(tmp_path / "e", [corpus])


def test_parts_are_as_long_as_was_asked_for(tmp_path: Path) -> None:
    corpus = Corpus.from_lists({"word": [["a"]] * 10})
    given = [corpus[:3], corpus[3:8], corpus[8:]]
    shards = Shards.write(tmp_path / "text", given, tokens=4)
    assert [part.n_tokens for part in shards] == [4, 4, 2]


def test_a_folder_that_was_not_written_to_the_end_holds_no_corpus(tmp_path: Path) -> None:
    def cut_short() -> object:
        yield make_corpus(0, 9)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Shards.write(tmp_path / "text", cut_short(), tokens=5)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"holds no corpus that was written to the end"):
        Shards(tmp_path / "text")


def test_damaged_parts_are_named(tmp_path: Path) -> None:
    shards = Shards.write(tmp_path / "text", [make_corpus(0, 20)], tokens=20)
    part = shards.folder / "part-00001.shard"
    content = bytearray(part.read_bytes())
    content[-1] ^= 1
    part.write_bytes(content)
    with pytest.raises(DataError, match=r"part 1 .*part-00001\.shard is damaged"):
        shards[1]
    part.unlink()
    with pytest.raises(DataError, match=r"part 1 .*No such file"):
        shards[1]
    (shards.folder / "part-00000.shard").rename(part)
    (shards.folder / "shards.json").write_text("{}")
    with pytest.raises(DataError, match=r"shards\.json is damaged"):
        Shards(tmp_path / "text")


@pytest.mark.parametrize(
    "index",
    [
        '{"columns": [], "tokens": [1e999], "sequences": [1], "id": "a"}',
        '{"columns": [], "tokens": [-1], "sequences": [1], "id": "a"}',
        '{"columns": [], "tokens": [1], "sequences": [1, 2], "id": "a"}',
        "[" * 100_000,
    ],
)
def test_an_index_that_nobody_would_write(tmp_path: Path, index: str) -> None:
    shards = Shards.write(tmp_path / "text", [make_corpus(0, 20)], tokens=20)
    (shards.folder / "shards.json").write_text(index)
    with pytest.raises(DataError, match=r"shards\.json is damaged"):
        Shards(shards.folder)


@pytest.mark.parametrize("ends", [[0, 3, 0, 3, 0], [1, 3], [0, 9], [0, -1, 3], []])
def test_strings_of_a_part_follow_one_another(tmp_path: Path, ends: list[int]) -> None:
    shards = Shards.write(tmp_path / "text", [Corpus.from_lists({"word": [["a", "bc"]]})])
    path = shards.folder / "part-00000.shard"
    arrays, facts = read_arrays(path, KIND)
    changed = {**arrays, "levels0_ends": np.array(ends, np.int64)}
    write_arrays(path, KIND, changed, {k: facts[k] for k in ("columns", "corpus")})
    with pytest.raises(DataError, match=r"is damaged: its arrays do not fit"):
        shards[0]
