"""Times, sizes and shares as people read them."""

from __future__ import annotations


def format_percentage(share: float) -> str:
    """A share as per cent, to three digits.

    >>> format_percentage(0.01234), format_percentage(0.00000512)
    ('1.23%', '0.000512%')
    """
    return f"{100 * share:.3g}%"


def format_duration(seconds: float) -> str:
    """A time span for people.

    >>> format_duration(0.53), format_duration(75), format_duration(7384)
    ('0.5 s', '1:15', '2:03:04')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_megabytes(count: float) -> str:
    """A number of bytes for people.

    >>> format_megabytes(1234), format_megabytes(52_300_000)
    ('0.0 MB', '52.3 MB')
    """
    return f"{count / 1e6:,.1f} MB"
