#!/usr/bin/env python3
"""gradients.py - Records what TensorFlow makes of the cases in tests/python/gradient_cases.

    python gradients.py [FAMILY ...]      with the real TensorFlow

writes tests/data/gradients/FAMILY.json: for each case the values of the gradients, where a mode has
others these too, and the nodes that tf.gradients added.

    python gradients.py --registry

writes tests/data/gradients/registry.txt: the ops that TensorFlow differentiates, and after a minus
those through which it does not go.
"""

import importlib
import json
import os
import pathlib
import pkgutil
import sys

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / 'tests' / 'data' / 'gradients'
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
    digits = 9 if value.dtype in (np.float64, np.complex128) else 7
    return {'type': tf.as_dtype(value.dtype).name, 'shape': list(value.shape),
            'numbers': [whole(float(f'{n:.{digits}g}')) for n in numbers]}


def whole(number):
    """Returns a number as JSON has it shortest."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def record(case, module, name):
    """Returns what TensorFlow makes of |case| in every mode."""
    found = {}

    def note(mode, values):
        values = [plain(v) for v in values]
        if values != found.setdefault('values', values):
            found[f'{mode} values'] = values

    for mode in gradient_modes.modes(module, name):
        values, nodes = gradient_modes.in_graph(tf, case, mode)
        note(mode, values)
        if mode != 'rank':
            found[mode] = ' '.join(nodes)
    if name not in getattr(module, 'GRAPH_ONLY', ()):
        note('tape', gradient_modes.by_tape(tf, case))
    if name not in getattr(module, 'ONCE', ()):
        try:
            values, nodes = gradient_modes.twice(tf, case)
        except LookupError:
            return found
        found['twice'] = ' '.join(nodes)
        found['twice values'] = [plain(v) for v in values]
    return found


def record_family(name):
    """Writes the file of a family."""
    module = importlib.import_module(f'gradient_cases.{name}')
    found = {}
    for case, function in module.CASES.items():
        try:
            found[case] = record(function, module, case)
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f'{name}.{case}: {error}', file=sys.stderr)
            raise
    text = '{\n' + ',\n'.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in found.items()) + '\n}\n'
    (DATA / f'{name}.json').write_text(text)


def record_registry():
    """Writes which ops TensorFlow differentiates."""
    from tensorflow.python import ops as folder
    from tensorflow.python.framework import ops

    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f'tensorflow.python.ops.{module.name}')
    rules = ops.gradient_registry._registry  # pylint: disable=protected-access
    lines = [name if rules[name]['type'] else f'-{name}' for name in sorted(rules)]
    (DATA / 'registry.txt').write_text('\n'.join(lines) + '\n')


def main():
    if sys.argv[1:] == ['--registry']:
        record_registry()
        return
    folder = ROOT / 'tests' / 'python' / 'gradient_cases'
    for name in sys.argv[1:] or sorted(p.stem for p in folder.glob('*.py') if p.stem != '__init__'):
        record_family(name)


main()
