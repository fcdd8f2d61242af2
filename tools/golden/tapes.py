#!/usr/bin/env python3
"""tapes.py - Records what TensorFlow makes of the cases in tests/python/tape_*cases.py.

    python tapes.py      with the real TensorFlow

writes tests/data/tapes/custom.json, tape.json, loops.json and variables.json: for each case what it gives.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import tape_cases  # noqa: E402  pylint: disable=wrong-import-position
import tape_loop_cases  # noqa: E402  pylint: disable=wrong-import-position
import tape_variable_cases  # noqa: E402  pylint: disable=wrong-import-position
import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position


def main():
    for name, cases in (('custom', tape_cases.CUSTOM), ('tape', tape_cases.TAPE), ('loops', tape_loop_cases.CASES),
                        ('variables', tape_variable_cases.CASES)):
        lines = [f'{json.dumps(key)}: {json.dumps(tape_cases.run(tf, case))}' for key, case in cases.items()]
        path = ROOT / 'tests' / 'data' / 'tapes' / f'{name}.json'
        path.write_text('{\n' + ',\n'.join(lines) + '\n}\n')


main()
