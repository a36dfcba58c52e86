"""Fixtures that all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples everywhere, so that what passes on one machine passes on another. Others are
# looked for with HYPOTHESIS_PROFILE=explore. Nothing is timed: a machine may be busy.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# A shell starts background jobs with SIGINT ignored, which the commands that tests interrupt would
# inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real corpora, which are not part of the project: tests that need them may skip."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DOVETAIL_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no corpora in {folder}; set DOVETAIL_DATA to their folder")
    return folder
