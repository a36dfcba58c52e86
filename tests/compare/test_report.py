from __future__ import annotations

import re
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path

import pytest

from compare.results import made_up
from dovetail.compare import report, summarize
from dovetail.compare.report import render_report, write_report
from dovetail.errors import DataError, DovetailError
from dovetail.evaluate import span_reliability

EMPTY = {"meta", "br", "link", "img", "input", "hr"}
EXAMPLE = {
    "tokens": ["Host", ":", "Jim"],
    "layer": "ner",
    "before": ["B-PER", "O", "O"],
    "after": ["O", "O", "B-PER"],
    "reason": "speaker at Jim",
}


class Page(HTMLParser):
    """Elements, text and identifiers of a page; elements must close in the order they opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs) -> None:
        self.elements.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.targets += [value for name, value in attrs if name in ("href", "src")]
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _rendered(results=None, **options) -> str:
    summary = summarize(made_up() if results is None else results, unit="e-mails")
    return render_report(summary, **{"title": "NER", "facts": {"seed": 1}, **options})


def test_page_is_whole_and_stands_alone() -> None:
    text = _rendered(changes=[EXAMPLE])
    page = Page(text)
    assert page.elements.count("svg") == 3
    assert not {"script", "link", "img", "iframe"} & {*page.elements}
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text.replace("<!--", ""))
    assert len(page.ids) == len({*page.ids})
    assert {target.removeprefix("#") for target in page.targets} <= {*page.ids}
    assert {*re.findall(r"url\(#([^)]*)\)", text)} <= {*page.ids}


def test_page_says_what_was_found() -> None:
    results = made_up()
    text = " ".join(Page(_rendered(results, facts={"data": ["a.conll", "b.conll"]})).text.split())
    summary = summarize(results)
    for words in (
        "a.conll, b.conll",
        "joint is better than none by",
        "e-mails",
        "LOC",
        "corrected p",
    ):
        assert words in text
    for score in summary.scores:
        assert f"{100 * score.f1.mean:.1f} ± {100 * (score.f1.deviation or 0):.1f}" in text


def test_the_systems_of_changed_decisions_are_named() -> None:
    example = {**EXAMPLE, "systems": ["cascade", "joint"]}
    text = " ".join(Page(_rendered(changes=[example])).text.split())
    assert "the label that cascade gives it and the one that joint gives it" in text
    assert "the label it had" in " ".join(Page(_rendered(changes=[EXAMPLE])).text.split())


def test_changed_decisions_are_shown_with_their_neighbours() -> None:
    n = 100
    long = {
        "tokens": [f"w{t}" for t in range(n)],
        "layer": "fields",
        "before": ["O"] * n,
        "after": ["O"] * 50 + ["B-PER"] + ["O"] * 49,
    }
    text = " ".join(Page(_rendered(changes=[EXAMPLE, long])).text.split())
    assert "Host B-PER → O : Jim O → B-PER" in text
    assert "speaker at Jim" in text
    assert "w49 w50 O → B-PER w51" in text
    assert "w10" not in text
    with pytest.raises(DataError, match="example 1 has 3 tokens, 2 labels before and 3 after"):
        _rendered(changes=[{**EXAMPLE, "before": ["O", "O"]}])


def test_hostile_names_are_only_names() -> None:
    evil = '<script>alert("1")</script>'
    odd = ["$x_{$", 'id="url(#a)', "_hidden", "\x0b", "名前", "#5f6368", "a" * 300]
    results = made_up(systems=["none", evil, "&amp;"], types=[evil, *odd])
    example = {**EXAMPLE, "tokens": [evil, ":", "<b>"], "layer": evil, "reason": evil}
    text = _rendered(results, title=evil, facts={evil: evil}, changes=[example])
    page = Page(text)
    assert "script" not in page.elements
    assert "alert(" not in "".join(re.findall(r"<[^>]*>", text))
    for name in (evil, "&amp;", "名前", "#5f6368", 'id="url(#a)', "_hidden"):
        assert name in page.text


@pytest.mark.parametrize(
    ("options", "n_plots"),
    [
        ({"n_splits": 1, "sizes": [10]}, 1),
        ({"sizes": [10]}, 2),
        ({"systems": ["none"], "types": []}, 3),
        ({"systems": [f"system {n}" for n in range(11)]}, 3),
    ],
)
def test_small_and_large_comparisons(options, n_plots) -> None:
    assert Page(_rendered(made_up(**options))).elements.count("svg") == n_plots


def test_unfinished_comparisons() -> None:
    results = [
        r for r in made_up() if r["split"] < 2 and not (r["system"] == "joint" and r["size"] == 100)
    ]
    Page(_rendered(results))


def test_same_results_same_page_written_whole(tmp_path: Path) -> None:
    summary = summarize(made_up(), unit="e-mails")
    write_report(tmp_path / "report.html", summary, title="NER", facts={"seed": 1})
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == _rendered()


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(DovetailError, match=r"needs jinja2: pip install 'dovetail\[report\]'$"):
        _rendered()


def test_reliability_is_shown_where_spans_have_probabilities() -> None:
    heading = "Can probabilities be trusted?"
    assert heading not in _rendered()
    results = made_up()
    for result in results:
        if result["system"] == "joint" and result["size"] == 100:
            found = [[(0, 1, "PER", 0.9), (1, 2, "PER", 0.4)]]
            result["reliability"] = asdict(span_reliability([["B-PER", "O"]], found))
    page = Page(_rendered(results))
    assert heading in page.text
    assert "the span probabilities of joint are off by 25.0 points" in page.text
    assert page.elements.count("svg") == 4
