from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import spans
from dovetail.corpus.plain import convert_plain, find_runs
from dovetail.errors import DataError

plain = st.lists(st.sampled_from(["O", "City", "Zip", None]), max_size=8)


@given(plain, st.sampled_from(["IOB1", "IOB2", "IOBES"]))
def test_plain_labels_survive_every_scheme(labels: list[str | None], scheme) -> None:
    written = convert_plain(labels, "none", scheme)
    assert spans(written) == find_runs(labels)
    assert convert_plain(written, scheme, "none") == labels


def test_labels_are_legal_in_the_scheme_they_are_written_in() -> None:
    assert convert_plain(["I-X", None], "IOB2", "IOB2") == ["B-X", None]
    assert convert_plain(["U-X", "B-X", "L-X"], "IOBES", "IOBES") == ["S-X", "B-X", "E-X"]
    assert convert_plain(["X", None], "none", "none") == ["X", None]


def test_labels_that_would_have_no_name() -> None:
    with pytest.raises(DataError, match="'B' has no name"):
        convert_plain(["B", "I"], "IOB2", "none")
