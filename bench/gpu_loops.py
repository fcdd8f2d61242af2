"""gpu_loops.py - Loops of graphs on the machine's own card, beside PyTorch's eager loops.

    gpu_loops.py [--steps N] [--kernels]

Run by a Python that has berth and, for the column beside it, torch. Prints the microseconds of a
step of recurrent networks as TF1 programs write them, medians of rounds in turns; with --kernels
what the card does in one step, as torch's profiler sees it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Callable

import numpy as np

BATCH, UNITS = 32, 128
ROUNDS, CALLS = 9, 20

Call = Callable[[], object]


def berth_network(name: str, steps: int, backward: bool) -> Call:
    """A loop of |name|'s cells over |steps|, variables by resource, input on the card."""
    import berth.compat.v1 as tf

    with tf.Graph().as_default():
        tf.set_random_seed(1)
        with tf.device('/gpu:0'):
            x = tf.get_variable('x', [BATCH, steps, UNITS], initializer=tf.random_normal_initializer(), use_resource=True)
            with tf.variable_scope('net', use_resource=True):
                cell = getattr(tf.nn.rnn_cell, name)(UNITS)
                outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
            result = tf.reduce_sum(outputs)
            if backward:
                update = tf.train.GradientDescentOptimizer(1e-6).minimize(tf.reduce_mean(tf.square(outputs)))
                with tf.control_dependencies([update]):
                    result = tf.identity(result)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        return session.make_callable(result)


def torch_network(name: str, steps: int, backward: bool) -> Call:
    """The same by torch's cell, called in a Python loop."""
    import torch

    cell = {'BasicLSTMCell': torch.nn.LSTMCell, 'GRUCell': torch.nn.GRUCell,
            'BasicRNNCell': torch.nn.RNNCell}[name](UNITS, UNITS).cuda()
    x = torch.randn(steps, BATCH, UNITS, device='cuda')
    optimizer = torch.optim.SGD(cell.parameters(), 1e-6, foreach=True)

    def forward():
        state = None
        outputs = []
        for t in range(steps):
            state = cell(x[t], state)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return torch.stack(outputs)

    def train() -> float:
        optimizer.zero_grad()
        (forward() ** 2).mean().backward()
        optimizer.step()
        torch.cuda.synchronize()
        return 0.0

    def infer() -> float:
        with torch.no_grad():
            return float(forward().sum())

    return train if backward else infer


def measure(calls: dict[str, Call], steps: int) -> dict[str, float]:
    """Microseconds of a step by side, in turns."""
    times: dict[str, list[float]] = {side: [] for side in calls}
    for call in calls.values():
        for _ in range(5):
            call()
    for _ in range(ROUNDS):
        for side, call in calls.items():
            started = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[side].append((time.perf_counter() - started) / CALLS / steps * 1e6)
    return {side: statistics.median(found) for side, found in times.items()}


def show_kernels(call: Call, steps: int) -> None:
    """Prints what the card does in two steps amid the loop."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    events = sorted((e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA),
                    key=lambda e: e.time_range.start)
    if not events:
        print('the profiler saw nothing')
        return
    total = events[-1].time_range.end - events[0].time_range.start
    busy = sum(e.time_range.end - e.time_range.start for e in events)
    print(f'{len(events)} works in {total:.0f} us, {busy:.0f} us at work, {len(events) / steps:.1f} a step')
    middle = len(events) // 2
    last = events[middle - 1].time_range.end
    for event in events[middle:middle + int(2 * len(events) / steps) + 1]:
        start, end = event.time_range.start, event.time_range.end
        print(f'  after {start - last:6.2f} us  {end - start:6.2f} us  {event.name[:90]}')
        last = end


def has_torch() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--steps', type=int, default=50)
    parser.add_argument('--kernels', action='store_true')
    asked = parser.parse_args()
    for name in ('BasicLSTMCell', 'GRUCell', 'BasicRNNCell'):
        for backward in (False, True):
            calls = {'Berth': berth_network(name, asked.steps, backward)}
            if has_torch():
                calls['torch'] = torch_network(name, asked.steps, backward)
            found = measure(calls, asked.steps)
            words = ', '.join(f'{side} {us:.1f} us' for side, us in found.items())
            print(f'{name} {"with an update" if backward else "forward"}: a step {words}', flush=True)
            if asked.kernels:
                show_kernels(calls['Berth'], asked.steps)


if __name__ == '__main__':
    main()
