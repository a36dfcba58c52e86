"""Estimators as notebooks show them: plain HTML that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dovetail.base.parameters import is_default, parameters_of, shown

if TYPE_CHECKING:
    from dovetail.base.estimator import Estimator


def estimator_as_html(estimator: Estimator) -> str:
    """Its name and state, and its parameters; those that are not as usual in bold."""
    values = estimator.get_params(deep=False)
    rows = []
    for name, default in parameters_of(type(estimator)).items():
        text = escape(shown(values[name]))
        if not is_default(values[name], default):
            text = f"<b>{text}</b>"
        rows.append(f"<tr><td>{escape(name)}</td><td><code>{text}</code></td></tr>")
    state = "trained" if estimator.is_fitted else "not trained"
    return (
        f"<details><summary><b>{escape(type(estimator).__name__)}</b>, {state}</summary>"
        f"<table>{''.join(rows)}</table></details>"
    )
