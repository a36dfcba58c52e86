"""``make mutate NAME=native``: are mistakes in the native code seen by its tests?

The sampled mistakes are put into one build, each to be chosen in the environment. The tests are
run once to see which of them come past which mistake. Then each mistake is met by those that do,
the quickest first, in a process and a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import sysconfig

from tools.reliability.native.build import FOLDER, MOST, SITE, all_candidates, build
from tools.reliability.trials import ROOT


def main() -> None:
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("part", help="native, or a folder or file in it, such as native/chain")
    parser.add_argument("--tests", nargs="+", help="instead of all that are there for native code")
    parser.add_argument("--sample", type=int, default=150, help="of the mistakes that compile")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.0, help="fail below this share of killed")
    parser.add_argument(
        "--seconds", type=float, default=120.0, help="of tests that each mistake has to outlive"
    )
    options = parser.parse_args()
    candidates = all_candidates(ROOT / options.part)
    if not candidates:
        parser.error(f"{options.part}: there is no native code to put mistakes into")
    if options.sample + options.sample // 10 > MOST:
        parser.error(f"--sample is at most {10 * MOST // 11}")
    drawn = random.Random(options.seed).sample(
        candidates, min(len(candidates), options.sample + options.sample // 10)
    )
    built = list(build(drawn).items())[: options.sample]
    task = vars(options) | {
        "mutants": [(n, candidate.what) for n, candidate in sorted(built)],
        "drawn": f"{len(candidates)} with seed {options.seed}",
    }
    (FOLDER / "task.json").write_text(json.dumps(task), encoding="utf-8")
    # The virtual environment's own interpreter would find the package as it is.
    paths = [str(SITE), str(ROOT), sysconfig.get_path("platlib")]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    interpreter = sys._base_executable  # type: ignore[attr-defined]
    os.execv(interpreter, [interpreter, "-m", "tools.reliability.native.survivors"])


if __name__ == "__main__":
    main()
