"""One HTML file that shows a comparison, and needs neither a network nor other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from typing import Any

from dovetail import __version__
from dovetail.compare import formatting, plots
from dovetail.compare.summary import Summary
from dovetail.errors import DataError, DovetailError
from dovetail.io.files import PathLike, write_text

TEMPLATE = "report.html.jinja"
CONTEXT = 8  # tokens shown before and after those that changed


@dataclass(frozen=True)
class Token:
    """A token of an example, with its labels if they changed; a gap stands for tokens left out."""

    text: str
    before: str | None = None
    after: str | None = None
    truth: str | None = None
    gap: bool = False

    def sign(self, label: str) -> str:
        """How a label is shown: whether it is right, if that is known."""
        return "" if self.truth is None else "right" if label == self.truth else "wrong"


def require_report() -> None:
    """Make sure that a report can be written, before the hours of work that it is to show."""
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        raise DovetailError(
            f"a report needs {' and '.join(missing)}: pip install 'dovetail[report]'"
        )


def write_report(
    target: PathLike,
    summary: Summary,
    *,
    title: str,
    facts: Mapping[str, object],
    changes: Sequence[Mapping[str, Any]] = (),
    figures: Mapping[str, str] | None = None,
) -> None:
    """Write the report on a comparison, whole or not at all; see `render_report`."""
    page = render_report(summary, title=title, facts=facts, changes=changes, figures=figures)
    with write_text(target) as file:
        file.write(page)


def render_report(
    summary: Summary,
    *,
    title: str,
    facts: Mapping[str, object],
    changes: Sequence[Mapping[str, Any]] = (),
    figures: Mapping[str, str] | None = None,
) -> str:
    """The report on a comparison as HTML.

    facts : what was compared, as names and values; a list or tuple is joined by commas.
    changes : examples of decisions that changed: ``tokens``, ``layer`` (its name), ``before`` and
        ``after`` (labels, one a token), and, if they are known, ``systems`` (the names of the two
        that the labels are of), ``truth`` (labels) and ``reason``.
    figures : further plots by their headings, as `plots.as_svg` gives them.
    """
    require_report()
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    source = resources.files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    full = summary.full_size
    curve = plots.learning_curve(summary) if len(summary.sizes) > 1 else ""
    page = environment.from_string(source).render(
        title=title,
        version=__version__,
        facts={name: _fact(value) for name, value in facts.items()},
        summary=summary,
        full=full,
        differences=[found for found in summary.differences if found.size == full],
        examples=[_example(number, change) for number, change in enumerate(changes, 1)],
        plots=[  # which escape their text
            (plot, Markup(plot.draw(summary))) for plot in plots.PLOTS if plot.applies(summary)
        ],
        learning_curve=Markup(curve),
        figures={name: Markup(svg) for name, svg in (figures or {}).items()},
        colors={"light": plots.LIGHT, "dark": plots.DARK},
        signs=plots.SIGNS,
        style_of_system=plots.style_of_system,
        formatting=formatting,
    )
    return page.lstrip()


def _fact(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _example(number: int, change: Mapping[str, Any]) -> dict[str, Any]:
    texts, before, after = (list(change[key]) for key in ("tokens", "before", "after"))
    if not len(texts) == len(before) == len(after):
        raise DataError(
            f"example {number} has {len(texts)} tokens, {len(before)} labels before and "
            f"{len(after)} after: there must be one a token"
        )
    truth = list(change.get("truth") or [None] * len(texts))
    if len(truth) != len(texts):
        raise DataError(f"example {number} has {len(texts)} tokens but {len(truth)} true labels")
    return {
        "layer": change["layer"],
        "systems": list(change.get("systems") or ()),
        "reason": change.get("reason") or "",
        "tokens": _excerpt(texts, before, after, truth),
    }


def _excerpt(
    texts: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    truth: Sequence[str | None],
) -> list[Token]:
    """The tokens around those whose labels changed; what is left out becomes one gap."""
    changed = [t for t in range(len(texts)) if before[t] != after[t]]
    near = {t for c in changed for t in range(c - CONTEXT, c + CONTEXT + 1)}
    excerpt: list[Token] = []
    for t, text in enumerate(texts):
        if t not in near:
            if not (excerpt and excerpt[-1].gap):
                excerpt.append(Token("…", gap=True))
        elif before[t] != after[t]:
            excerpt.append(Token(text, before[t], after[t], truth[t]))
        else:
            excerpt.append(Token(text))
    return excerpt
