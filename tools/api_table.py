"""api_table.py - Writes docs/api.md: every symbol and what a test found of it.

    api_table.py PYTHON docs/api.md

PYTHON has Berth. The symbols are those of tests/data/oracle/api_surface.txt, their
uses those of tests/python/api_uses.py, compared with what TensorFlow gave.
"""

from __future__ import annotations

import collections
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
import api  # noqa: E402
import api_uses  # noqa: E402

PAGE = """\
# The Python API

Every symbol that TensorFlow's guides and its CIFAR-10 tutorial use. The state
comes from a test that ran: `same` takes the same parameters, and a use of it
gave what TensorFlow 2.21 gives; `works` gave the same and takes other
parameters; `builds` makes the nodes, which Berth has no kernel for yet;
`not yet` raises an error that says so; `differs` gave something else. v1 is TF1
(`tf.compat.v1`), v2 is TF2.

| | v1 | v2 |
| --- | --- | --- |
{counts}

`tools/api_table.py` writes this page.
{sections}
"""

STATES = ("same", "works", "builds", "not yet", "differs")


def state_of(name: str, theirs: dict, ours: dict) -> str:
    """The state of a symbol in one mode."""
    result = str(ours.get("result", ""))
    if "absent" in ours or result.startswith("NotImplementedError"):
        return "not yet"
    if "Berth has no kernel for" in result:
        return "builds"
    problem = api.problem(theirs, ours)
    if name not in api_uses.USES or problem.startswith("gives"):
        return "differs"
    return "works" if problem else "same"


def states(python: str) -> dict[str, dict[str, str]]:
    """The states of all symbols, by mode."""
    recorded = api.recorded()
    found = {}
    for mode in api.MODES:
        ours = api.show(python, mode, True)
        found[mode] = {name: state_of(name, recorded[mode][name], ours[name])
                       for name in ours}
    return found


def count_rows(found: dict[str, dict[str, str]]) -> str:
    counts = {mode: collections.Counter(found[mode].values()) for mode in found}
    return "\n".join(f"| {state} | " + " | ".join(
        str(counts[mode][state]) for mode in api.MODES) + " |"
        for state in STATES)


def section(title: str, found: dict[str, dict[str, str]]) -> str:
    """The table of one section of api_surface.txt."""
    rows = [f"| `{each.name}` | {found['v1'].get(each.name, '–')} "
            f"| {found['v2'].get(each.name, '–')} | {each.what} |"
            for each in api.symbols() if each.section == title]
    return "\n".join([f"\n## {title}\n", "| symbol | v1 | v2 | what it does |",
                      "| --- | --- | --- | --- |", *rows])


def page(found: dict[str, dict[str, str]]) -> str:
    """Returns the whole page."""
    titles = dict.fromkeys(each.section for each in api.symbols())
    return PAGE.format(counts=count_rows(found), sections="\n".join(
        section(title, found) for title in titles))


def main() -> None:
    python, target = sys.argv[1:]
    pathlib.Path(target).write_text(page(states(python)), encoding="utf-8")


if __name__ == "__main__":
    main()
