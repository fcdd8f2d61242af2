#!/usr/bin/env python3
"""twins.py - What it is worth that nodes which compute the same are one step, and what looking for them costs.

    .venv/bin/python bench/twins.py [--rounds N]

Runs each case with BERTH_TWINS=1 and 0 in processes of their own, in turn, and prints medians of their CPU time:
of one run where much is written twice, and of everything up to the first result where nothing is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

CASES = {
    "run: distances, softmax and its slope, all written twice": """
x = tf.placeholder(tf.float32, [256, 512])
def part():
    far = tf.reduce_sum(tf.square(x), 1, keepdims=True) - 2.0 * tf.matmul(x, x, transpose_b=True)
    return tf.reduce_sum(tf.nn.softmax(tf.exp(far * -0.01)))
total = part() + part()
fetch = [total, tf.gradients(total, x)[0]]
feed = {x: np.random.default_rng(1).normal(0, 1, [256, 512]).astype('float32')}
count = 40
""",
    "first run: chain of 100,000 additions": """
x = tf.placeholder(tf.float32, [])
fetch = x
for _ in range(100000):
    fetch = tf.add(fetch, x)
feed, count = {x: 1.0}, 0
""",
    "first run: gradients of 300 layers": """
x = tf.placeholder(tf.float32, [8, 32])
y = x
weights = []
for i in range(300):
    weights.append(tf.constant(np.full([32, 32], 0.01 * i + 0.01, 'float32')))
    y = tf.nn.relu(tf.matmul(y, weights[-1]) + 0.5 * i)
fetch, feed, count = tf.gradients(y, [x, *weights]), {x: np.ones([8, 32], 'float32')}, 0
""",
}
FRAME = """
import time
import numpy as np
import berth
tf = berth.compat.v1
tf.disable_eager_execution()
{case}
with tf.Session() as session:
    begin = time.process_time()
    session.run(fetch, feed)
    if count:
        begin = time.process_time()
        for _ in range(count):
            session.run(fetch, feed)
    print((time.process_time() - begin) / max(count, 1))
"""


def measure(case: str, twins: str) -> float:
    """Seconds of CPU time in a process of its own."""
    done = subprocess.run([sys.executable, "-c", FRAME.format(case=case)], capture_output=True, text=True, check=True,
                          env=os.environ | {"BERTH_TWINS": twins})
    return float(done.stdout)


def main() -> None:
    """Prints a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    for name, case in CASES.items():
        pairs = [(measure(case, "1"), measure(case, "0")) for _ in range(rounds)]
        joined, single = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"{name:60} {joined * 1e3:8.2f} ms, each by itself {single * 1e3:8.2f} ms, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
