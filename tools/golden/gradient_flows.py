#!/usr/bin/env python3
"""gradient_flows.py - Records what TensorFlow makes of the cases in tests/python/gradient_flow_cases.py and
gradient_call_cases.py, and of gradient_second_cases.py.

    python gradient_flows.py           with the real TensorFlow
    python gradient_flows.py second    the last of the files alone

writes tests/data/gradient_flows/cases.json, for each case the values of its gradients, calls.json, what
each call gives, random.json, of random programs, and second.json, slopes of slopes.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import gradient_call_cases  # noqa: E402  pylint: disable=wrong-import-position
import gradient_flow_cases  # noqa: E402  pylint: disable=wrong-import-position
import gradient_second_cases  # noqa: E402  pylint: disable=wrong-import-position
import random_gradients  # noqa: E402  pylint: disable=wrong-import-position
import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position


def plain(value):
    """Returns an array as JSON has it."""
    if value is None:
        return None
    return {'shape': list(value.shape), 'numbers': [float(f'{n:.9g}') for n in value.reshape(-1)]}


def second(path):
    """Records slopes of slopes."""
    rows = [f'{json.dumps(f"{name} {start}")}: {json.dumps(gradient_second_cases.run(tf, case, start))}'
            for name, case in gradient_second_cases.CASES.items() for start in gradient_second_cases.STARTS]
    path.write_text('{\n' + ',\n'.join(rows) + '\n}\n')


def main():
    path = ROOT / 'tests' / 'data' / 'gradient_flows' / 'cases.json'
    if sys.argv[1:] == ['second']:
        second(path.with_name('second.json'))
        return
    tf.compat.v1.disable_control_flow_v2()
    tf.compat.v1.disable_tensor_equality()
    lines = []
    for name, case in gradient_flow_cases.CASES.items():
        found = [plain(value) for value in gradient_flow_cases.run(tf, case)]
        lines.append(f'{json.dumps(name)}: {json.dumps(found)}')
    path.write_text('{\n' + ',\n'.join(lines) + '\n}\n')
    lines = [f'{json.dumps(name)}: {json.dumps(gradient_call_cases.run(tf, case))}'
             for name, case in gradient_call_cases.CASES.items()]
    tf.compat.v1.enable_control_flow_v2()  # Some of them lose their value otherwise.
    rows = [f'{json.dumps(str(seed))}: {json.dumps(random_gradients.gradients(tf, seed))}' for seed in random_gradients.SEEDS]
    (path.parent / 'random.json').write_text('{\n' + ',\n'.join(rows) + '\n}\n')
    (path.parent / 'calls.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n')
    second(path.with_name('second.json'))


main()
