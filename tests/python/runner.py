"""runner.py - Runs the guides' scripts and the probes on Berth and judges them.

    runner.py [--python PYTHON] [--way run|import] [--json FILE] [-q] [NAME...]

A NAME is a shell pattern of a program ("sess_*") or of a whole case
("s3_1*.k40c.classic/run"); without one everything runs. Prints one line for each
case and a diff for each that fails. With --tensorflow PYTHON the programs run on
the real library instead, which tries out the judge.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys

import judge
import oracle

DIFF_LINES = 24


def default_python() -> str:
    """The interpreter of the checkout's environment, or this one."""
    path = oracle.ROOT / ".venv" / "bin" / "python"
    return str(path) if path.exists() else sys.executable


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=default_python())
    parser.add_argument("--tensorflow")
    parser.add_argument("--way", choices=oracle.WAYS)
    parser.add_argument("--json")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-q", action="store_true", help="no diffs")
    parser.add_argument("-a", action="store_true", help="whole diffs")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def chosen(args: argparse.Namespace) -> list[oracle.Case]:
    """The cases that the arguments ask for."""
    cases = oracle.script_cases() + oracle.probe_cases()
    if args.tensorflow:
        cases = [oracle.Case(case.set, case.stem, "tensorflow", case.machine,
                             case.style, case.files)
                 for case in cases if case.way == "run" and
                 case.machine == "cpu" and case.style == "modern"]
    return [case for case in cases
            if args.way in (None, case.way) and (not args.names or any(
                fnmatch.fnmatch(case.stem, name) or
                fnmatch.fnmatch(case.name, name) for name in args.names))]


def run(case: oracle.Case, python: str) -> oracle.Outcome:
    """Runs and judges |case|."""
    try:
        found = oracle.execute(case, python)
    except subprocess.TimeoutExpired:
        return oracle.Outcome("", "", None, -1, "took too long\n")
    found.problems = judge.judge(case, found)
    return found


def show(case: oracle.Case, found: oracle.Outcome,
         args: argparse.Namespace) -> None:
    print(f"{'FAIL' if found.problems else 'pass'} {case.name}")
    if not found.problems or args.q:
        return
    lines = found.problems.splitlines()
    if len(lines) > DIFF_LINES and not args.a:
        lines = [*lines[:DIFF_LINES - 4], "…", *lines[-3:]]
    print("\n".join("    " + line for line in lines), flush=True)


def main() -> int:
    args = read_arguments()
    python = args.tensorflow or args.python
    os.environ.setdefault("PYTHONPATH", str(oracle.ROOT / "python"))
    cases = chosen(args)
    report = []
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for case, found in zip(cases, pool.map(
                lambda each: run(each, python), cases)):
            show(case, found, args)
            report.append({"name": case.name, "set": case.set,
                           "passed": not found.problems,
                           "problems": found.problems})
    passed = sum(entry["passed"] for entry in report)
    print(f"{passed} passed, {len(report) - passed} failed")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(report, file, indent=1)
    return 0 if passed == len(report) else 1


if __name__ == "__main__":
    sys.exit(main())
