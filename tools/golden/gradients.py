#!/usr/bin/env python3
"""gradients.py - Records what TensorFlow makes of the cases in tests/python/gradient_cases.

    python gradients.py [FAMILY ...]      with the real TensorFlow

writes tests/data/gradients/FAMILY.json: for each case and mode the values of the gradients, and
the nodes that tf.gradients added.
"""

import importlib
import json
import os
import pathlib
import sys

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import gradient_modes  # noqa: E402  pylint: disable=wrong-import-position
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position
import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position


def plain(value):
    """Returns an array as JSON has it."""
    if value is None:
        return None
    value = np.asarray(value)
    flat = value.reshape(-1)
    if value.dtype.kind == 'c':
        numbers = [part for item in flat for part in (float(item.real), float(item.imag))]
    else:
        numbers = [float(item) for item in flat]
    return {'type': tf.as_dtype(value.dtype).name, 'shape': list(value.shape), 'numbers': [float(f'{n:.9g}') for n in numbers]}


def record(case):
    """Returns what TensorFlow makes of |case| in every mode."""
    found = {}
    for mode in gradient_modes.GRAPH_MODES:
        values, nodes = gradient_modes.in_graph(tf, case, mode)
        found[mode] = {'values': [plain(v) for v in values]}
        if mode != 'rank':
            found[mode]['nodes'] = [n for n in nodes if n.startswith('gradients/')]
    found['tape'] = {'values': [plain(v) for v in gradient_modes.by_tape(tf, case)]}
    return found


def main():
    folder = ROOT / 'tests' / 'python' / 'gradient_cases'
    names = sys.argv[1:] or sorted(p.stem for p in folder.glob('*.py') if p.stem != '__init__')
    for name in names:
        cases = importlib.import_module(f'gradient_cases.{name}').CASES
        found = {}
        for case in cases:
            try:
                found[case] = record(cases[case])
            except Exception as error:  # pylint: disable=broad-exception-caught
                print(f'{name}.{case}: {error}', file=sys.stderr)
                raise
        text = '{\n' + ',\n'.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in found.items()) + '\n}\n'
        (ROOT / 'tests' / 'data' / 'gradients' / f'{name}.json').write_text(text)


main()
