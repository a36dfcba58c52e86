from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import tokenize


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenize(text)]


@pytest.mark.parametrize(
    "marked",
    [
        "",
        "Hello|, world|!",
        "times at 3:30|, 12:30:05| and 4:30|pm|; 5|pm|, 7|p.m|. or 10 A.M|.",
        "ranges 3:30|-|5:00|pm|, 9|AM|-|1|PM|, noon|-|1:30|, 11|am|-|noon|, 10|-|11|am",
        "dates 17-Apr-95| 7-Apr-1995| 1996-08-22| 10/12/95| 22.08.2003|.",
        "numbers 1,234.5|, $|5.00|, 12|:|345|-|350|, 1|,|2|,|3|; 3|/|x 50|%",
        "names Prof.| J.| R.| Smith|, Dr.|Ted Adelson|, PROF.| X|, T.J.R.| Fox|, Ph.D.|, Jr.",
        "The U.S.| and the U.S.A.|, e.g.| here|, q.v.| too|, etc.",
        "ends with plan B|.",
        "clitics it|'s| JOHN|'S| ca|n't| DO|N'T| should|n’t| I|'d| we|'ll| O'Dowd|’s| students|'",
        "words rock'n'roll| o'clock| Köln-Deutz| 20-year-old| F-16| 25th| 4B| snake_case| AT&T",
        "mail maa+@ISL1.RI.CMU.EDU| (|Ann|)|, <|a.b-c@x.org|>|. cmu.cs.robotics",
        "links http://www.cs.cmu.edu/~foo/bar.html|, (|www.x.org|)|; 10.1016/j.foo.2003.01.002|.",
        "telephones (|412|)| 268-1234|, 412-268-1234| and Pittsburgh|, PA 15213-3890",
        "citation pp.| 12|-|13|, vol.| 3|(|2|)|, no.| 4|. I said no|.",
        "address Apt.| 4-B|, 123 N.| Main St.|, New York",
        "signs wait|...| no|--|yes|…| !!!| ====| [|'|a|'|]| {|\"|b|\"|}",
        "no blank|.|Here or Hall|/|Room",
        "我|爱|Beijing|。",
        "हिन्दी भाषा Cafe\u0301s",
        "a|…|😀|--",
    ],
)
def test_tokens(marked: str) -> None:
    """White space and bars divide tokens; a bar and a blank are as good as a blank."""
    expected = re.sub(r"\|\s|\s", "|", marked).split("|") if marked else []
    assert _words(marked.replace("|", "")) == expected


LIKE_TEXT = st.text("aZ19 .,:;'’-/@&\n\t(\"_#我\u0301pmnt") | st.text()


@given(LIKE_TEXT)
def test_tokens_cover_all_but_white_space_in_order(text: str) -> None:
    offsets = tokenize(text)
    assert all(a < b for a, b in offsets)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(offsets))
    assert "".join(_words(text)) == "".join(text.split())
    assert not any(re.search(r"\s", word) for word in _words(text))


PIECES = [
    "a.", "a-", "a'", "A.", "A. ", "A&", "1:", "1,", "1-", "1a", "9am-", "x", "\u0301", " ", "a@",
    "http://", "10.1234/", "don't", "www.", "://",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_length_alone(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = time.perf_counter()
    tokenize(text)
    assert time.perf_counter() - start < 2  # quadratic time would be minutes


def _marked_mails(folder: Path) -> Iterator[tuple[str, set[tuple[int, int]]]]:
    for path in sorted(folder.glob("*.txt")):
        raw = re.sub(r"</?(?:sentence|paragraph)>", "", path.read_text(encoding="utf-8"))
        text, spans, start = "", set(), 0
        for part in re.split(r"(</?(?:stime|etime|location|speaker)>)", raw):
            if part.startswith("</"):
                spans.add((start, len(text)))
            elif re.fullmatch(r"<[a-z]+>", part):
                start = len(text)
            else:
                text += part
        yield text, spans


def test_fields_of_real_mail_begin_and_end_with_tokens(shared_data: Path) -> None:
    wanted = found = 0
    for text, spans in _marked_mails(shared_data / "seminars" / "tagged"):
        starts, ends = zip(*tokenize(text), strict=True)
        wanted += len(spans)
        found += sum(a in set(starts) and b in set(ends) for a, b in spans)
    assert wanted == 2807
    assert found / wanted > 0.995
