"""One process that attacks one target under Atheris: coverage guides what is kept and altered.

    python -m fuzzing.attack TARGET FINDINGS [options of libFuzzer] CORPUS

Exceptions that are not ours are kept, and the attack goes on. A signal, a time-out or too much
memory ends the process; libFuzzer keeps the input then.
"""

from __future__ import annotations

import logging
import sys
from functools import partial
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["dovetail"]):
    from fuzzing.findings import Findings
    from fuzzing.mutators import MUTATORS
    from fuzzing.targets import TARGETS, Target

MUTATED_FREELY = 4  # one in so many inputs is altered by libFuzzer, without a thought


def mutate(target: Target, content: bytes, most: int, seed: int) -> bytes:
    """Called by libFuzzer for an input like this one."""
    if seed % MUTATED_FREELY == 0:
        return bytes(atheris.Mutate(content, most))
    return MUTATORS[target.mutator](content, most, seed)


def main(arguments: list[str]) -> Any:
    """Attack until libFuzzer's options end it."""
    logging.disable()
    name, folder, *options = arguments
    target, findings = TARGETS[name], Findings(name, Path(folder))
    for number, seed in enumerate(target.seeds()):
        (Path(options[-1]) / f"seed-{number}").write_bytes(seed)
    atheris.Setup(
        ["fuzzing", *options, f"-max_len={target.longest}"],
        partial(findings.try_input, target),
        custom_mutator=partial(mutate, target),
    )
    return atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
