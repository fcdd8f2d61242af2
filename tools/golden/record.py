#!/usr/bin/env python3
"""Records golden files: what TensorFlow makes of small inputs, op by op.

    tools/golden/record.py [--out DIR] [Op ...]

Needs a Python with tensorflow-cpu; tools/golden/record.sh finds or makes one.
Without ops it records all of them. Cases are in cases_*.py, one file per
family of ops; tests/golden/README.md explains the files.
"""

import argparse
import importlib
import pathlib
import sys

import golden_case
import golden_tensorflow
from golden_types import ROOT

FAMILIES = [importlib.import_module(path.stem)
            for path in sorted(pathlib.Path(__file__).parent.glob("cases_*.py"))]


def all_ops():
    ops = {}
    for family in FAMILIES:
        assert not set(ops) & set(family.OPS), family
        ops.update(family.OPS)
    return ops


def record(op, cases, folder):
    for case in cases:
        if isinstance(case, golden_case.Case):
            case.op = op
            golden_tensorflow.run_case(case)
        else:
            golden_tensorflow.run_graph_case(case)
    golden_case.write(folder / f"{op}.txt", op, cases,
                      golden_tensorflow.VERSION)
    return len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=ROOT / "tests/data/golden",
                        type=pathlib.Path)
    parser.add_argument("ops", nargs="*")
    options = parser.parse_args()
    ops = all_ops()
    unknown = [op for op in options.ops if op not in ops]
    if unknown:
        sys.exit(f"no cases for {', '.join(unknown)}")
    options.out.mkdir(parents=True, exist_ok=True)
    total = 0
    for op in options.ops or sorted(ops):
        print(op, end=" ", flush=True)
        total += record(op, list(ops[op](op)), options.out)
    print(f"\n{total} cases")


if __name__ == "__main__":
    main()
