#!/usr/bin/env python
"""random_programs.py - Random programs on several threads, compared with numpy bit by bit.

    random_programs.py [--minutes M | --rounds N] [--seed N] [--busy N]
    random_programs.py --episode SEED          one of them again

An episode is a process of its own: some threads call ops eagerly on simulated GPUs and the
CPU, call functions with arrays of new shapes, read, update and drop variables, copy, hold
views by DLPack, give the GPUs' memory back, and run one graph in TF1 sessions. All values are
whole numbers so small that every sum and product is exact in its type; so each result is
right to the bit or wrong. Results are looked at late, in any order, or never. In every second
episode streams pause at random and fresh memory is poisoned (BERTH_SOFTGPU_STRESS).

A failure prints the seed, how the value was made, and the elements that differ.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import tempfile
import time

CARDS = "Tesla K20m*3"
EPISODE_SECONDS = 4.0
EPISODE_LIMIT = 90  # Then it hangs.


# ---- Many episodes ----


def environment(seed: int) -> dict[str, str]:
    """What an episode runs with: cards of its own, stress in every second one."""
    ledger = os.path.join(tempfile.gettempdir(), f"berth-random-{os.getpid()}-{seed}")
    env = {**os.environ, "BERTH_TF": "2", "BERTH_SIMULATE_GPUS": CARDS, "BERTH_SIMULATE_LEDGER": ledger}
    env.pop("CUDA_VISIBLE_DEVICES", None)
    env["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
    if seed % 2:
        env["BERTH_SOFTGPU_STRESS"] = str(seed)
    return env


def run_episode(seed: int, quiet: bool = True) -> bool:
    """Runs one in a process; False when it failed."""
    env = environment(seed)
    command = [sys.executable, os.path.abspath(__file__), "--inside", str(seed)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=EPISODE_LIMIT, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        code, out, err = "no end", expired.stdout or "", expired.stderr or ""
        out = out.decode() if isinstance(out, bytes) else out
        err = err.decode() if isinstance(err, bytes) else err
    if os.path.exists(env["BERTH_SIMULATE_LEDGER"]):
        os.remove(env["BERTH_SIMULATE_LEDGER"])
    if code != 0:
        lines = [line for line in err.splitlines() if "gpu_device.cc" not in line]
        print(f"seed {seed}: exit {code}; again: {sys.argv[0]} --episode {seed}")
        print("\n".join([*out.splitlines()[-40:], *lines[-40:]]), flush=True)
    elif not quiet:
        print(out, end="")
    return code == 0


def keep_busy(count: int) -> list[subprocess.Popen[bytes]]:
    """Starts processes that only take time."""
    command = [sys.executable, "-c", "import os\nos.nice(10)\nwhile os.getppid() != 1: sum(range(100000))"]
    return [subprocess.Popen(command) for _ in range(count)]


def run_many(options: argparse.Namespace) -> int:
    """Runs episodes until time or rounds are over; the number that failed."""
    busy = keep_busy(options.busy)
    end = time.monotonic() + options.minutes * 60
    failed = done = 0
    try:
        while (done < options.rounds) if options.rounds else (time.monotonic() < end):
            failed += not run_episode(options.seed + done)
            done += 1
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"{done} episodes from seed {options.seed}, {failed} failed")
    return failed


# ---- One episode ----


def inside(seed: int) -> int:
    """What the process of an episode does."""
    faulthandler.enable()
    faulthandler.dump_traceback_later(EPISODE_LIMIT - 10, exit=True)
    from random_threads import Episode  # Imports the package, which reads the environment.

    return Episode(seed, EPISODE_SECONDS).play()


def main() -> int:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--busy", type=int, default=0, help="processes beside that only take time")
    parser.add_argument("--episode", type=int, default=None)
    parser.add_argument("--inside", type=int, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        return inside(options.inside)
    if options.episode is not None:
        return 0 if run_episode(options.episode, quiet=False) else 1
    if options.seed is None:
        options.seed = random.randrange(1 << 30)
    return 1 if run_many(options) else 0


if __name__ == "__main__":
    sys.exit(main())
