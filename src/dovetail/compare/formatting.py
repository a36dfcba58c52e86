"""The findings of a comparison in words, for terminals and reports alike."""

from __future__ import annotations

from dovetail.compare.summary import DataSaved, Difference, Spread, Summary
from dovetail.evaluate.calibration import Reliability

SIGNIFICANT, HIGHLY_SIGNIFICANT = 0.05, 0.01


def format_percent(share: float) -> str:
    """A score between 0 and 1 in per cent, to a tenth.

    >>> format_percent(0.8919)
    '89.2'
    """
    return f"{100 * share:.1f}"


def format_difference(difference: float) -> str:
    """A difference of scores in per cent, with its sign.

    >>> format_difference(0.011), format_difference(-0.021), format_difference(-0.0001)
    ('+1.1', '−2.1', '0.0')
    """
    amount = format_percent(abs(difference))
    return amount if amount == "0.0" else ("+" if difference > 0 else "−") + amount


def format_spread(score: Spread) -> str:
    """A mean and its standard deviation, in per cent.

    >>> format_spread(Spread(0.892, 0.011, 10))
    '89.2 ± 1.1'
    """
    return format_percent(score.mean) + _plus_minus(score.deviation)


def format_p_value(p: float) -> str:
    """A p-value as it is written after its name.

    >>> format_p_value(0.2134), format_p_value(0.0213), format_p_value(0.00001)
    ('= 0.21', '= 0.021', '< 0.001')
    """
    if p < 0.001:
        return "< 0.001"
    return f"= {p:.2f}" if p >= 0.095 else f"= {p:.3f}"


def mark_significance(found: Difference | None) -> str:
    """One or two stars where the corrected test finds a difference, else nothing."""
    if found is None or found.corrected_p is None or found.corrected_p >= SIGNIFICANT:
        return ""
    return "**" if found.corrected_p < HIGHLY_SIGNIFICANT else "*"


def explain_stars(reference: str) -> str:
    """What the stars mean, in a line."""
    return (
        f"* differs from {reference} with p < {SIGNIFICANT}, ** with p < {HIGHLY_SIGNIFICANT} "
        "(paired t-test, corrected for training parts that overlap)"
    )


def describe_difference(found: Difference) -> str:
    """How a system differs from another, and whether that may be chance.

    >>> found = Difference("joint", "cascade", 242, None, 0.011, 0.006, 8, 2, 10, 0.02, 0.21)
    >>> describe_difference(found)
    'joint is better than cascade by 1.1 ± 0.6 F1, in 8 of 10 splits; p = 0.020, corrected p = 0.21'
    """
    subject = found.system if found.type is None else f"{found.type}: {found.system}"
    splits = "the only split" if found.n_splits == 1 else f"{found.n_splits} splits"
    if found.wins == found.losses == 0:
        everywhere = splits if found.n_splits == 1 else f"all {splits}"
        return f"{subject} scores the same as {found.against} in {everywhere}"
    amount, better = format_percent(abs(found.mean)), found.mean > 0
    if amount == "0.0":
        what = f"is on average as good as {found.against}"
    else:
        word = "better" if better else "worse"
        what = f"is {word} than {found.against} by {amount}{_plus_minus(found.deviation)} F1"
    if found.p is None or found.corrected_p is None:
        return f"{subject} {what}, in {splits}, so it cannot be tested"
    if amount == "0.0":
        where = f"better in {found.wins} and worse in {found.losses} of {splits}"
    else:
        where = f"in {found.wins if better else found.losses} of {splits}"
    tests = f"p {format_p_value(found.p)}, corrected p {format_p_value(found.corrected_p)}"
    return f"{subject} {what}, {where}; {tests}"


def judge_difference(found: Difference) -> str:
    """What to make of a difference: ``clear``, ``open`` (the two tests disagree) or ``chance``."""
    if found.p is None or found.corrected_p is None or found.p >= SIGNIFICANT:
        return "chance"
    return "clear" if found.corrected_p < SIGNIFICANT else "open"


def describe_data_saved(saved: DataSaved, summary: Summary) -> str:
    """How much less training data a system needs for the score of the reference.

    >>> summary = Summary(["none", "joint"], "none", "e-mails", [100, 200], 10, [], [], [], [])
    >>> describe_data_saved(DataSaved("joint", 150.0, False), summary)
    'joint needs about 150 of 200 e-mails (25% less) to be as good as none with all'
    """
    full, unit, reference = summary.full_size, summary.unit, summary.reference
    if saved.size is None:
        return f"{saved.system} does not reach the score of {reference} with all {full} {unit}"
    less = f"{1 - saved.size / full:.0%} less"
    how = "at most" if saved.at_most else "about"
    return (
        f"{saved.system} needs {how} {saved.size:.0f} of {full} {unit} ({less}) "
        f"to be as good as {reference} with all"
    )


def describe_reliability(system: str, found: Reliability) -> str:
    """How far the probabilities of a system's spans are from the share that is right.

    >>> print(describe_reliability("auto", Reliability((4.0,), (3.2,), (3.0,), (0.64,))))
    the span probabilities of auto are off by 5.0 points on average; by chance alone, ...
    """
    if found.error is None or found.error_by_chance is None:
        return f"{system} finds no spans"
    return (
        f"the span probabilities of {system} are off by {format_percent(found.error)} points on "
        f"average; by chance alone, perfect ones would be off by "
        f"{format_percent(found.error_by_chance)}"
    )


def _plus_minus(deviation: float | None) -> str:
    return "" if deviation is None else f" ± {format_percent(deviation)}"


def describe_measure(name: str, summary: Summary) -> str:
    """A measure beside F1, of all systems that have it."""
    found = summary.measures[name]
    scores = ", ".join(f"{system} {format_percent(value)}" for system, value in found.items())
    tests = ", ".join(f"{system} p {format_p_value(value)}" for system, value in found.items())
    told = {
        "fields": f"one value of each field in a document, F1: {scores}",
        "coverage": f"true spans that a system or {summary.reference} finds, in per cent: {scores}",
        "chi-square": f"chi-square test with Yates' correction against {summary.reference}, the "
        f"answers of all splits taken for independent: {tests}",
    }
    if found:
        return told[name]
    return f"{name}: no results to tell it from; it needs spans, and results of this version"
