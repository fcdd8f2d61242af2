"""compatibility.py - Writes docs/compatibility.md from a run of the oracle tests.

    tests/python/runner.py --json build/oracle.json
    tools/compatibility.py build/oracle.json docs/compatibility.md

Standard library only.
"""

from __future__ import annotations

import collections
import fnmatch
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "python"
sys.path.insert(0, str(TESTS))
import exempt  # noqa: E402

PAGE = """\
# Compatibility

Programs that ran on TensorFlow 2.21, run on Berth both ways in: as they are by
`berth run`, and with `tensorflow` in their import lines replaced. What they
print, log and raise is compared, text by text; `tests/python/runner.py` does it
and `tools/compatibility.py` writes this page from what it found.

| | give what TensorFlow gives | of |
| --- | --- | --- |
| scripts of TensorFlow's guides, listings on three machines | {scripts} | {scripts_all} |
| probes, small programs about one behaviour each | {probes} | {probes_all} |
| programs of the kind users write | {programs} | {programs_all} |

A script counts for each machine (CPU only, one K40c, four K20m, the cards
simulated), style of log and way in; a probe for each way in; a program once, by
all that it prints and how it ends.

## How they were chosen

Not at random. The scripts and probes are about what Berth is for, devices,
placement and memory, and Berth was mended until all of them gave the same. The
programs, in `tests/data/programs`, were written by those who make Berth: most of
them before Berth was tried on them, by area (imports, sessions, graphs, eager
calls, functions, single ops, names), then Berth was mended by what they showed.
About one in six was changed after a first look, where TensorFlow itself gave
another result from run to run, printed its insides, or where the program was
wrong, and a few lines that still differ were taken out. Networks, training
and tf.data are hardly in them, and have tests of their own beside TensorFlow, as
AutoGraph has (`tests/data/autograph`). So the numbers say what is held to, and
no more: of programs that nobody here has seen, fewer give the same. Of the last
98 (`wide_*`, `more_*`) 68 did before Berth was mended; the calls in `wrong_*`
were chosen among those that agree, 1,169 of 1,227 tried.

## By subject

| programs | give the same | of |
| --- | --- | --- |
{groups}

## What differs

Of the scripts and probes:

{failures}

Of the programs:

| program | why |
| --- | --- |
{known}

## What is not compared

| probe | why |
| --- | --- |
{exempt}
"""

SUBJECTS = {
    "cfg": "tf.config", "dev": "device names", "eager": "eager calls",
    "graph": "graphs", "io": "flags and files", "log": "logs",
    "mem": "memory options and limits", "np": "printing of arrays",
    "place": "placement", "scope": "scopes", "sess": "sessions",
    "sys": "lists and helpers", "trace": "traces and partitions",
}


def subject_of(entry: dict) -> str:
    """What the program of |entry| is about."""
    if entry["set"] == "scripts":
        return f"guide {entry['name'][1]}"
    prefix = entry["name"].split("_")[0]
    return f"{SUBJECTS.get(prefix, prefix)} (`{prefix}_*`)"


def reasons() -> list[tuple[str, str]]:
    """The patterns of known.txt and their reasons."""
    lines = (TESTS / "known.txt").read_text().splitlines()
    return [tuple(line.split(": ", 1)) for line in lines
            if line and not line.startswith("#")]


def reason_of(name: str) -> str:
    return next((reason for pattern, reason in reasons()
                 if fnmatch.fnmatchcase(name, pattern)), "not known")


def group_rows(report: list[dict]) -> str:
    found: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for entry in report:
        counts = found[subject_of(entry)]
        counts[0] += entry["passed"]
        counts[1] += 1
    return "\n".join(f"| {subject} | {passed} | {count} |"
                     for subject, (passed, count) in found.items())


def failure_rows(report: list[dict]) -> str:
    """A line for each program that differs."""
    ways: dict[str, list[str]] = collections.defaultdict(list)
    for entry in report:
        if not entry["passed"]:
            name, _, way = entry["name"].rpartition("/")
            ways[name].append(way)
    if not ways:
        return "Nothing."
    rows = [f"| {name} | {', '.join(found)} | "
            f"{reason_of(f'{name}/{found[0]}')} |"
            for name, found in ways.items()]
    return "\n".join(["| program | way in | why |", "| --- | --- | --- |", *rows])


def programs() -> tuple[list[str], list[tuple[str, str]]]:
    """The programs that users could have written, and those that differ, with the reason."""
    names = sorted(path.stem for path in (ROOT / "tests" / "data" / "programs").glob("*.py"))
    known = [(name, reason_of(f"program/{name}")) for name in names]
    return names, [(name, why) for name, why in known if why != "not known"]


def exempt_rows() -> str:
    whole = [f"| {name} | {why} |" for name, why in sorted(exempt.WHOLE.items())]
    parts = [f"| {name} | in part: {why} |"
             for name, (_, why) in sorted(exempt.PARTS.items())]
    return "\n".join(whole + parts)


def page(report: list[dict]) -> str:
    """Returns the whole page."""
    def count(which: str, only_passed: bool) -> int:
        return sum(1 for entry in report if entry["set"] == which and
                   (entry["passed"] or not only_passed))

    names, differing = programs()
    return PAGE.format(
        programs=len(names) - len(differing), programs_all=len(names),
        known="\n".join(f"| {name} | {why} |" for name, why in differing),
        scripts=count("scripts", True), scripts_all=count("scripts", False),
        probes=count("probes", True), probes_all=count("probes", False),
        groups=group_rows(report), failures=failure_rows(report),
        exempt=exempt_rows())


def main() -> None:
    source, target = sys.argv[1:]
    report = json.loads(pathlib.Path(source).read_text())
    pathlib.Path(target).write_text(page(report), encoding="utf-8")


if __name__ == "__main__":
    main()
