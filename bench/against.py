"""Measures two builds of Berth in turn: what has become slower?

    against.py BEFORE NOW [--only TEXT] [--rounds N] [--seconds S] [--python]

BEFORE and NOW are working trees that `make` has built, each with its own
.venv; both are measured by the programs of this one. Prints every row with the
median of the ratios of the rounds (over 1: slower now) and the ratio of the
shortest times, slowest first. The shortest times are the steadier figure on a
busy machine.
"""

import argparse
import os
import statistics
import subprocess
import tempfile

from run import PYTHON_CALLS, cores_of
from sides import Side, SideError

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_side(tree: str, folder: str) -> str:
    """Compiles the side in C against the library of |tree|."""
    build = os.path.join(os.path.abspath(tree), "build", "release")
    sources = [os.path.join(HERE, name) for name in sorted(os.listdir(HERE))
               if name in ("side.c", "kernels.c", "crowd.c", "model.c")
               or name.startswith("berth_") and name.endswith(".c")]
    program = os.path.join(folder, f"side{len(os.listdir(folder))}")
    subprocess.run(
        ["cc", "-std=c17", "-D_GNU_SOURCE", "-O2", f"-I{HERE}/../include", f"-I{build}/include", *sources,
         "-o", program, f"-L{build}/lib", "-lberth", "-lm", "-pthread", f"-Wl,-rpath,{build}/lib"], check=True)
    return program


def ratios(before: Side, now: Side, bench: str, args: argparse.Namespace) -> tuple[float, float, float]:
    """Returns the median ratio, the ratio of the shortest, and the time now."""
    old, new = [], []
    for number in range(args.rounds):
        for side, times in ((before, old), (now, new))[::1 if number % 2 else -1]:
            times.append(side.run(bench, args.seconds))
    for side in (before, now):
        side.ask(f"drop {bench}")
    return statistics.median(b / a for a, b in zip(old, new)), min(new) / min(old), min(new)


def make_pairs(args: argparse.Namespace, folder: str) -> list[tuple[Side, Side, list[str], set[int]]]:
    """Returns pairs of sides with the names they measure and their cores."""
    cores = sorted(os.sched_getaffinity(0))
    trees = (args.before, args.now)
    pairs = []
    programs = [compile_side(tree, folder) for tree in trees]
    for count in (1, 2):
        chosen = set(cores[-count:])
        old, new = (Side(tree, [program, str(count)], chosen) for tree, program in zip(trees, programs))
        names = [name for name in new.ask("list")[::3] if count in cores_of(name)]
        pairs.append((old, new, names, chosen))
    if args.python:
        side = os.path.join(HERE, "library_side.py")
        old, new = (Side(tree, [os.path.join(os.path.abspath(tree), ".venv", "bin", "python"), side, "berth", "1"],
                         set(cores[-1:])) for tree in trees)
        pairs.append((old, new, [call[0] for call in PYTHON_CALLS], set(cores[-1:])))
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("now")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--python", action="store_true", help="the calls through Python, too")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for old, new, names, cores in make_pairs(args, folder):
            for bench in names:
                if args.only not in bench:
                    continue
                try:
                    rows.append((*ratios(old, new, bench, args), bench, len(cores)))
                except SideError as error:
                    print(f"{bench}: {error}")
            old.close()
            new.close()
    print(f"{'bench':40} {'cores':>5} {'median':>7} {'least':>7} {'now us':>10}")
    for median, least, seconds, bench, count in sorted(rows, reverse=True):
        print(f"{bench:40} {count:5} {median:7.3f} {least:7.3f} {seconds * 1e6:10.3f}")


if __name__ == "__main__":
    main()
