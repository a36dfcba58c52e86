"""Errors and suspicious labels as one page that needs nothing else: no network, no scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from zlib import crc32

from dovetail.corpus.labels import Span, spans
from dovetail.evaluate import Report
from dovetail.review.differences import Difference
from dovetail.review.errors import NOTHING, ErrorReport, ReviewedSequence

OUTSIDE = "O"
STYLE = """
:root {
  --paper: #fff; --ink: #1c1e21; --quiet: #5c6166; --line: #d3d6da; --shade: #f4f5f7;
  --wrong: #b3261e; --mark: 88%; --mark-ink: #1c1e21;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a; --ink: #e6e8ea; --quiet: #a0a6ac; --line: #43484e; --shade: #1f2226;
    --wrong: #ff9d94; --mark: 28%; --mark-ink: #fff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 70rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
h1 { font-size: 1.6rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td {
  padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line);
  text-align: left; font-weight: 400; vertical-align: top;
}
thead, .quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
.sequence {
  background: var(--shade); border-radius: .4rem; padding: .5rem .9rem; margin: .7rem 0;
  break-inside: avoid;
}
.tokens { line-height: 2; overflow-wrap: anywhere; }
.wrong { color: var(--wrong); }
mark {
  color: var(--mark-ink); background: hsl(var(--hue) 70% var(--mark));
  border-radius: .3em; padding: .1em .3em;
  box-decoration-break: clone; -webkit-box-decoration-break: clone;
}
mark small { font-weight: 700; font-size: .72em; margin-left: .3em; }
mark.differs { box-shadow: 0 0 0 2px var(--wrong); }
""".strip()


def review_page(
    title: str,
    reports: Mapping[str, ErrorReport],
    *,
    scores: Mapping[str, Report] | None = None,
    suspicious_at_least: float | None = None,
    top: int = 100,
) -> str:
    """One HTML page on the errors of each of some models, by name (the empty one is not shown).

    ``scores`` come first, where they are given. With ``suspicious_at_least`` the reports are of
    cross-validated models, and the given labels are listed that these are so sure of being others.
    """
    body = [f"<h1>{escape(title)}</h1>"]
    for name, report in reports.items():
        if name:
            body.append(f"<h2>{escape(name)}</h2>")
        if scores is not None and name in scores:
            body.append(f'<div class="wide">{scores[name]._repr_html_()}</div>')
        if suspicious_at_least is not None:
            body.append(_suspicious(report, suspicious_at_least, top))
        body.append(_errors(report, top))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="generator" content="Dovetail">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _errors(report: ErrorReport, top: int) -> str:
    wrong, doubted, confusions = report.wrong, report.doubted, report.confusions
    parts = [
        f"<p>{report.n_right:,} of {len(report.sequences):,} sequences are wholly right "
        f"({report.share_right:.1%}).</p>"
    ]
    if confusions:
        rows = [
            (f"{c.count:,}", c.gold or NOTHING, c.predicted or NOTHING, c.kind) for c in confusions
        ]
        parts += [_head("Confusions", top, len(rows)), _table(rows[:top])]
    if wrong:
        parts.append(_head("Wrong sequences, most confident first", top, len(wrong)))
        parts += [_wrong_sequence(one) for one in wrong[:top]]
    if doubted:
        parts.append(_head("Right sequences, most doubted first", top, len(doubted)))
        parts += [
            _boxed(one, [_line("both", one.words, one.gold, (), report.by_spans)])
            for one in doubted[:top]
        ]
    return "\n".join(parts)


def _suspicious(report: ErrorReport, at_least: float, top: int) -> str:
    found = report.suspicious(at_least)
    parts = [
        _head("Suspicious labels", top, len(found)),
        f'<p class="quiet">For {len(found):,} of the given labels, models that have not seen them '
        f"are at least {at_least:.0%} sure of a different one.</p>",
    ]
    parts += [
        _boxed(
            sequence,
            [
                _line("given", sequence.words, sequence.gold, (one,), report.by_spans),
                _told(one, sequence.text(one)),
            ],
        )
        for sequence, one in found[:top]
    ]
    return "\n".join(parts)


def _wrong_sequence(one: ReviewedSequence) -> str:
    by_spans = any(found.kind != "label" for found in one.differences)
    return _boxed(
        one,
        [
            _line("given", one.words, one.gold, one.differences, by_spans),
            _line("found", one.words, one.predicted, one.differences, by_spans),
        ],
    )


def _boxed(sequence: ReviewedSequence, lines: Sequence[str]) -> str:
    head = f"sequence {sequence.index + 1}, confidence {sequence.confidence:.2f}"
    return f'<div class="sequence"><div class="quiet">{head}</div>{"".join(lines)}</div>'


def _told(one: Difference, text: str) -> str:
    """What models say instead, of which words, and how sure they are."""
    what = f"{one.gold or NOTHING} → {one.predicted or NOTHING}: {text}, {one.confidence:.3f}"
    return f'<div class="wrong">{escape(what)}</div>'


def _line(
    name: str,
    words: Sequence[str],
    labels: Sequence[str],
    differences: Sequence[Difference],
    by_spans: bool,
) -> str:
    """Words with their spans, or labels, marked; those that differ are outlined."""
    plain = (Span(t, t + 1, label) for t, label in enumerate(labels) if label != OUTSIDE)
    starts = {span.start: span for span in (spans(labels) if by_spans else plain)}
    out, at = [], 0
    while at < len(words):
        _, end, label = starts.get(at, Span(at, at + 1, ""))
        text = escape(" ".join(words[at:end]))
        differs = any(one.start < end and at < one.end for one in differences)
        out.append(_mark(text, label, differs) if at in starts else text)
        at = end
    return f'<div class="tokens"><span class="quiet">{name}</span> {" ".join(out)}</div>'


def _mark(text: str, label: str, differs: bool) -> str:
    hue = crc32(label.encode(errors="surrogatepass")) % 360
    differing = ' class="differs"' if differs else ""
    return f'<mark{differing} style="--hue:{hue}">{text}<small>{escape(label)}</small></mark>'


def _head(title: str, top: int, total: int) -> str:
    shown = f' <span class="quiet">({top:,} of {total:,})</span>' if total > top else ""
    return f"<h2>{title}{shown}</h2>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("count", "given", "found", "what"))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )
