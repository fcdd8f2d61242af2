"""Measures Berth and PyTorch on one GPU in turn; gpu.sh prepares everything.

    gpu.py --programs DIR [--torch PYTHON] --json FILE
           [--only TEXT] [--rounds N] [--seconds S]

As run.py does; without PyTorch there are Berth's values alone.
"""

import argparse
import os
import statistics
import tempfile

from report import Row, summary, table, value_of, write_json
from run import measure, say
from sides import Side, SideError, launch

# Processes that open the card take long.
FIRST_ROUNDS = 3


def make_sides(args: argparse.Namespace, cores: set[int], is_tf32: bool,
               ) -> list[Side]:
    """Returns Berth's side, then PyTorch's where it is."""
    # What float32 is belongs to a whole process.
    env = {"NVIDIA_TF32_OVERRIDE": "1" if is_tf32 else "0"}
    program = os.path.join(args.programs, "gpu_side")
    sides = [Side("berth", [program], cores, env)]
    if args.torch:
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, "gpu_torch_side.py")
        sides.append(Side("torch", [args.torch, script], cores))
    return sides


def make_row(times: dict[str, list[float]], bench: str, unit: str, work: float,
             ) -> list[Row]:
    ours, theirs = times.get("berth"), times.get("torch")
    if not ours:
        return []
    value = value_of(unit, work, statistics.median(ours))
    if not theirs:
        return [Row(bench, 1, "-", value, float("nan"), unit, float("nan"))]
    return [Row(bench, 1, "torch", value,
                value_of(unit, work, statistics.median(theirs)), unit,
                statistics.median(b / a for a, b in zip(ours, theirs)))]


def measure_calls(args: argparse.Namespace, cores: set[int], is_tf32: bool,
                  ) -> list[Row]:
    sides = make_sides(args, cores, is_tf32)
    words = sides[0].ask("list")
    rows = []
    for i in range(0, len(words), 3):
        bench, unit, work = words[i], words[i + 1], float(words[i + 2])
        if args.only not in bench or bench.endswith("tf32") != is_tf32:
            continue
        say(bench)
        rows += make_row(measure(sides, bench, args), bench, unit, work)
    for side in sides:
        side.close()
    return rows


def time_first(args: argparse.Namespace, command: list[str], cores: set[int],
               ) -> float:
    """Returns the seconds that |command| says it took."""
    _, _, text = launch(os.path.join(args.programs, "launch"), command, cores)
    if " 22" not in text:
        raise SideError(f"{command[0]} printed `{text}`")
    return float(text.split()[0])


def measure_first(args: argparse.Namespace, cores: set[int]) -> list[Row]:
    """The first product on the card, in a process of its own.

    The driver keeps the kernels that it has compiled; cold is without them.
    """
    say("gpu_first_use")
    sides = make_sides(args, cores, False)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUDA_CACHE_PATH"] = folder
        for bench in ("gpu_first_use_cold", "gpu_first_use"):
            rounds = 1 if bench.endswith("cold") else FIRST_ROUNDS
            times = {side.peer: [time_first(args, [*side.command, "first"],
                                            cores) for _ in range(rounds)]
                     for side in sides}
            rows += make_row(times, bench, "ms", 1)
        del os.environ["CUDA_CACHE_PATH"]
    return rows


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--torch", default="")
    parser.add_argument("--json", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2)
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    cores = set(sorted(os.sched_getaffinity(0))[-2:])
    rows = measure_calls(args, cores, False) + measure_calls(args, cores, True)
    if args.only in "gpu_first_use":
        try:
            rows += measure_first(args, cores)
        except SideError as error:
            say(f"  gpu_first_use: {error}")
    write_json(rows, args.json)
    print(table(rows))
    print(f"\n{summary(rows)}; {args.json}")


if __name__ == "__main__":
    main()
