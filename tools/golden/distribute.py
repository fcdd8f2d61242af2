#!/usr/bin/env python3
"""distribute.py - Records what TensorFlow makes of tests/python/distribute_cases.py.

    python distribute.py      with the real TensorFlow; writes tests/data/distribute.json
"""

import json
import os
import pathlib
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import distribute_cases  # noqa: E402  pylint: disable=wrong-import-position
import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position

distribute_cases.prepare(tf)
strategy = tf.distribute.MirroredStrategy(distribute_cases.DEVICES)
found = {name: case(tf, strategy) for name, case in distribute_cases.CASES.items()}
text = '{\n' + ',\n'.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in found.items()) + '\n}\n'
(ROOT / 'tests' / 'data' / 'distribute.json').write_text(text)
