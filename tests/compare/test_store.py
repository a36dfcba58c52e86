from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.compare import Cell, Store
from dovetail.errors import DataError

FIRST, SECOND = Cell("none", 0, 10), Cell("joint", 0, 10)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two results."""
    store = Store(tmp_path / "results.jsonl", "v1")
    store.add(FIRST, {"overall": {"f1": 0.5}})
    store.add(SECOND, {"overall": {"f1": 0.1 + 0.2}, "types": {"Ä\n": {}}})
    return tmp_path / "results.jsonl"


def test_results_are_read_back(path: Path) -> None:
    store = Store(path, "v1")
    assert store.get(FIRST) == {"overall": {"f1": 0.5}}
    assert store.get(SECOND) == {"overall": {"f1": 0.1 + 0.2}, "types": {"Ä\n": {}}}
    assert store.get(Cell("none", 1, 10)) is None
    assert store.notes == []


def test_a_line_cut_anywhere_is_left_out_and_written_over(path: Path) -> None:
    whole = path.read_bytes()
    begin = whole.index(b"\n") + 1
    for end in range(begin + 1, len(whole)):
        path.write_bytes(whole[:end])
        store = Store(path, "v1")
        assert store.get(FIRST) == {"overall": {"f1": 0.5}}
        assert store.get(SECOND) is None
        (note,) = store.notes
        assert "results.jsonl:2 is cut short" in note
    store.add(SECOND, {"overall": {"f1": 1.0}})
    again = Store(path, "v1")
    assert (again.get(SECOND), again.notes) == ({"overall": {"f1": 1.0}}, [])


def test_a_first_line_cut_short(path: Path) -> None:
    for end in (0, 1, 5, 30):
        path.write_bytes(path.read_bytes()[:end] if end else b"")
        Store(path, "v1").add(FIRST, {"n": end})
        assert Store(path, "v1").get(FIRST) == {"n": end}


def test_damage_in_the_middle_costs_a_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"cell": "x\n' + lines[1])
    store = Store(path, "v1")
    assert store.get(SECOND) is not None
    assert len(store.notes) == 1


def test_another_fingerprint_is_ignored_and_kept(path: Path) -> None:
    store = Store(path, "v2")
    assert store.get(FIRST) is None
    store.add(FIRST, {"overall": {"f1": 0.9}})
    assert Store(path, "v2").get(FIRST) == {"overall": {"f1": 0.9}}
    assert Store(path, "v1").get(FIRST) == {"overall": {"f1": 0.5}}


def test_files_of_something_else_are_not_touched(path: Path) -> None:
    path.write_text("[task]\nname = 'ner'\n")
    with pytest.raises(DataError, match=r"results\.jsonl holds something else"):
        Store(path, "v1")


def test_missing_folder_is_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"cannot write .*no/results\.jsonl: there is no such folder"
    ):
        Store(tmp_path / "no" / "results.jsonl", "v1")


def test_two_comparisons_on_one_file_lose_nothing(tmp_path: Path) -> None:
    """The last line is cut short; both have seen that, and each goes on."""
    path = tmp_path / "results.jsonl"
    first = Store(path, "v1")
    first.add(Cell("none", 0, 10), {"value": 1})
    with path.open("ab") as file:
        file.write(b'{"cell": "none, sp')
    one, two = Store(path, "v1"), Store(path, "v1")
    one.add(Cell("none", 1, 10), {"value": 2})
    two.add(Cell("none", 2, 10), {"value": 3})
    one.add(Cell("none", 3, 10), {"value": 4})
    both = Store(path, "v1")
    found = [both.get(Cell("none", split, 10)) for split in range(4)]
    assert found == [{"value": 1}, {"value": 2}, {"value": 3}, {"value": 4}]
    assert not both.notes
