"""Rows of memory: what allocations, their history and snapshots of it cost. Berth alone; prints a table.

    bench/memory.py [--build build/release]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# By row: what is to be reached.
GOALS = {"memory_pair_ns": 100, "memory_pair_history_ns": 100, "memory_snapshot_ms": 200,
         "memory_snapshot_python_ms": 200, "memory_history_step_percent": 2}


def calls(build: pathlib.Path, folder: str) -> dict[str, float]:
    """Measures from C: a tensor made and released, and a snapshot of 100,000 events."""
    program = os.path.join(folder, "memory_calls")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-D_GNU_SOURCE", "-O2", f"-I{HERE.parent / 'include'}",
                    f"-I{build / 'include'}", str(HERE / "memory_calls.c"), "-o", program, f"-L{build / 'lib'}",
                    "-lberth", f"-Wl,-rpath,{build / 'lib'}"], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(value) for name, value in map(str.split, lines)}


def steps(folder: str) -> dict[str, float]:
    """Measures steps of the tutorial's network with and without a history, in turn, and a snapshot from Python."""
    import berth
    import trainings

    tf1 = berth.compat.v1
    with tf1.Graph().as_default():
        run = trainings.started(tf1, None, trainings.cifar10(tf1), tf1.train.GradientDescentOptimizer(0.01))
    run()
    ratios = []
    for _ in range(40):
        taken = []
        for events in (0, 100000):
            berth.memory.history(events)
            run()
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
        ratios.append(taken[1] / taken[0])
    berth.memory.history(100000)
    with berth.device("CPU:0"):
        for _ in range(50000):
            berth.zeros([2000])
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        berth.memory.snapshot(os.path.join(folder, "snapshot.json"))
        best = min(best, time.perf_counter() - start)
    return {"memory_history_step_percent": 100 * (statistics.median(ratios) - 1),
            "memory_snapshot_python_ms": 1e3 * best}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(HERE.parent / "build" / "release"))
    build = pathlib.Path(parser.parse_args().build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        rows = {**calls(build, folder), **steps(folder)}
    for name, value in rows.items():
        goal = GOALS.get(name)
        print(f"{name:30} {value:8.1f}" + (f"  <= {goal:4}  {'ok' if value <= goal else 'MISSED'}" if goal else ""))


if __name__ == "__main__":
    sys.exit(main())
