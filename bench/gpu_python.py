"""gpu_python.py - Small calls from Python on the machine's own card, beside PyTorch.

    gpu_python.py

Run by a Python that has berth and, for the column beside it, torch. Prints a table: best
of several rounds, in microseconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Callable

ROUNDS, CALLS = 7, 2000


def best(call: Callable[[], object], finish: Callable[[], object]) -> float:
    """Returns the microseconds of one call in the fastest round; |finish| waits for the card."""
    found = float('inf')
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(CALLS):
            call()
        finish()
        found = min(found, (time.perf_counter() - started) / CALLS * 1e6)
    return found


def berth_eager() -> dict[str, float]:
    """Eager calls and a tf.function of Berth."""
    import berth as tf

    a, b = tf.random.normal([2, 3], seed=1), tf.random.normal([3, 2], seed=2)
    function = tf.function(lambda x, y: tf.nn.relu(tf.matmul(x, y) + 1.0))
    last = [tf.matmul(a, b), function(a, b)]

    def call() -> None:
        last[0] = tf.matmul(a, b)

    def call_function() -> None:
        last[1] = function(a, b)

    return {'eager matmul, queued': best(call, lambda: last[0].numpy()),
            'eager matmul, result on the host': best(lambda: tf.matmul(a, b).numpy(), lambda: None),
            'function of matmul, add, relu, queued': best(call_function, lambda: last[1].numpy())}


def berth_session() -> dict[str, float]:
    """A session of Berth."""
    import numpy as np

    import berth.compat.v1 as tf

    tf.disable_v2_behavior()
    x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3, 2])
    product = tf.matmul(x, y)
    session = tf.Session()
    feeds = {x: np.ones((2, 3), 'f'), y: np.ones((3, 2), 'f')}
    return {'2x3 by 3x2, fed and fetched': best(lambda: session.run(product, feeds), lambda: None)}


def torch_calls() -> dict[str, float]:
    """The same with PyTorch."""
    import numpy as np
    import torch

    a, b = torch.randn(2, 3, device='cuda'), torch.randn(3, 2, device='cuda')
    x, y = np.ones((2, 3), 'f'), np.ones((3, 2), 'f')

    def fed() -> object:
        return (torch.from_numpy(x).cuda() @ torch.from_numpy(y).cuda()).cpu().numpy()

    with torch.inference_mode():
        return {'2x3 by 3x2, fed and fetched': best(fed, lambda: None),
                'eager matmul, queued': best(lambda: a @ b, torch.cuda.synchronize),
                'eager matmul, result on the host': best(lambda: (a @ b).cpu(), lambda: None),
                'function of matmul, add, relu, queued': best(lambda: torch.relu(a @ b + 1.0),
                                                              torch.cuda.synchronize)}


def measured(side: str, mode: str) -> dict[str, float]:
    """Runs one side in a process of its own; empty when it cannot run."""
    env = {**os.environ, 'BERTH_TF': mode, 'TF_CPP_MIN_LOG_LEVEL': '3'}
    done = subprocess.run([sys.executable, __file__, side], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        print(f'{side}: {done.stderr.strip().splitlines()[-1]}', file=sys.stderr)
        return {}
    return {name: float(value) for value, name in (line.split(' ', 1) for line in done.stdout.splitlines())}


def main() -> None:
    """Prints the table."""
    ours = {**measured('berth_session', '1'), **measured('berth_eager', '2')}
    theirs = measured('torch_calls', '2')
    print(f'{"":40} {"Berth":>8} {"torch":>8}  us')
    for name, value in ours.items():
        print(f'{name:40} {value:8.2f} {theirs.get(name, float("nan")):8.2f}')


if __name__ == '__main__':
    if len(sys.argv) > 1:
        for _name, _value in globals()[sys.argv[1]]().items():
            print(_value, _name)
    else:
        main()
