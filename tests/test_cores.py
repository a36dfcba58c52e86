"""The cores that work is spread over."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dovetail.cores import count_cores


def test_a_process_uses_the_cores_it_may_run_on() -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen here")
def test_a_process_on_one_core_has_one() -> None:
    script = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]);"
        "from dovetail.cores import count_cores; print(count_cores())"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout == "1\n", found.stderr
