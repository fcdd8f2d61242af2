#!/usr/bin/env python3
"""gradient_networks.py - Records how TensorFlow trains the networks of tests/python/gradient_networks.py.

    python gradient_networks.py      with the real TensorFlow

writes tests/data/gradient_networks.json: for each network the losses of a few steps, and for each
parameter the length of its first gradient and some of its elements.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import gradient_networks  # noqa: E402  pylint: disable=wrong-import-position
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position
import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position


def record(name):
    """Returns what TensorFlow makes of a network, in a session and by a tape alike."""
    losses, slopes = gradient_networks.in_graph(tf, name)
    others, tapes = gradient_networks.by_tape(tf, name)
    np.testing.assert_allclose(losses, others, 1e-5)
    for slope, tape in zip(slopes, tapes):
        np.testing.assert_allclose(slope, tape, 1e-4, 1e-6)
    lines = [[f'{np.linalg.norm(slope):.7g}', *(f'{item:.7g}' for item in slope.reshape(-1)[::max(1, slope.size // 8)])]
             for slope in slopes]
    return {'losses': losses, 'slopes': [[float(item) for item in line] for line in lines]}


found = {name: record(name) for name in gradient_networks.NETWORKS}
text = '{\n' + ',\n'.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in found.items()) + '\n}\n'
(ROOT / 'tests' / 'data' / 'gradient_networks.json').write_text(text)
