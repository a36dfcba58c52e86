from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import spans
from dovetail.corpus.plain import in_scheme, runs
from dovetail.errors import DataError

plain = st.lists(st.sampled_from(["O", "City", "Zip", None]), max_size=8)


@given(plain, st.sampled_from(["IOB1", "IOB2", "IOBES"]))
def test_plain_labels_survive_every_scheme(labels: list[str | None], scheme) -> None:
    written = in_scheme(labels, "none", scheme)
    assert spans(written) == runs(labels)
    assert in_scheme(written, scheme, "none") == labels


def test_labels_are_legal_in_the_scheme_they_are_written_in() -> None:
    assert in_scheme(["I-X", None], "IOB2", "IOB2") == ["B-X", None]
    assert in_scheme(["U-X", "B-X", "L-X"], "IOBES", "IOBES") == ["S-X", "B-X", "E-X"]
    assert in_scheme(["X", None], "none", "none") == ["X", None]


def test_labels_that_would_have_no_name() -> None:
    with pytest.raises(DataError, match="'B' has no name"):
        in_scheme(["B", "I"], "IOB2", "none")
