"""Sequences of calls, a few of them. More, and others each time, with
``HYPOTHESIS_PROFILE=explore DOVETAIL_CALLS=3000``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from base.calls import Calls

EXAMPLES = int(os.environ.get("DOVETAIL_CALLS", "25"))

TestCalls = Calls.TestCase
TestCalls.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=12, suppress_health_check=list(HealthCheck)
)
