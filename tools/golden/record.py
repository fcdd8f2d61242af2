#!/usr/bin/env python3
"""Records golden files: what TensorFlow makes of small inputs, op by op.

    tools/golden/record.py [--out DIR] [Op ...]

Needs a Python with tensorflow-cpu; tools/golden/record.sh finds or makes one.
Without ops it records all of them. Cases are in cases_*.py, one file per
family of ops; tests/golden/README.md explains the files.
"""

import argparse
import pathlib
import sys

import cases_array
import cases_bytes
import cases_conv
import cases_elementwise
import cases_fourier
import cases_group
import cases_image
import cases_linear
import cases_loss
import cases_move
import cases_norm
import cases_pad
import cases_pool
import cases_product
import cases_random
import cases_resize
import cases_scatter
import cases_search
import cases_state
import cases_sparse
import cases_string
import cases_text
import cases_train
import golden_case
import golden_tensorflow
from golden_types import ROOT

FAMILIES = (cases_elementwise, cases_product, cases_array, cases_pad,
            cases_random, cases_search, cases_sparse, cases_state, cases_string,
            cases_text, cases_train, cases_loss, cases_scatter, cases_move, cases_group,
            cases_linear, cases_fourier, cases_bytes, cases_conv, cases_norm, cases_pool,
            cases_resize, cases_image)


def all_ops():
    ops = {}
    for family in FAMILIES:
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
