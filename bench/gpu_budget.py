"""gpu_budget - Ten ways to use a card under a budget, while another process watches it.

    python3 bench/gpu_budget.py --out /tmp/budget.json            # on the machine's card
    BERTH_SIMULATE_GPUS='H100 memory=40GiB' python3 bench/gpu_budget.py --small

Each workload runs in a process of its own; the watcher, a third one, asks NVML every 5 ms what is
in use on the card, and what was so before is subtracted: nobody else should be on it. The table
has the budget, the most that was seen, what was seen after a trim and after a release, and what
the workload has to say. `--churn PROGRAM` runs build/release/bench/gpu_churn (bench/gpu.sh makes it):
30,000 requests of 1 KiB to 3 GiB to the pool itself; `--peer` the same in torch's three allocators.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import time

MIB = 1 << 20
GIB = 1 << 30

# ---- Watching ----


class Nvml:
    """What is in use on the first card, by NVML."""

    class Info(ctypes.Structure):
        _fields_ = [('total', ctypes.c_ulonglong), ('free', ctypes.c_ulonglong), ('used', ctypes.c_ulonglong)]

    def __init__(self) -> None:
        self.library = ctypes.CDLL('libnvidia-ml.so.1')
        assert self.library.nvmlInit_v2() == 0
        self.handle = ctypes.c_void_p()
        assert self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.handle)) == 0

    def used(self) -> int:
        info = self.Info()
        assert self.library.nvmlDeviceGetMemoryInfo(self.handle, ctypes.byref(info)) == 0
        return info.used


class Simulated:
    """The same of a simulated card."""

    def __init__(self) -> None:
        from berth import _core

        self.core = _core

    def used(self) -> int:
        card = self.core.cards()[0]
        return card['total_bytes'] - card['free_bytes']


def card() -> Nvml | Simulated:
    return Simulated() if os.environ.get('BERTH_SIMULATE_GPUS') else Nvml()


def watch() -> None:
    """Prints the most that was in use since the last line came in; 0 begins anew."""
    import select

    source, most, count = card(), 0, 0
    while True:
        now = source.used()
        most, count = max(most, now), count + 1
        if select.select([sys.stdin], [], [], 0.005)[0]:
            line = sys.stdin.readline()
            if not line:
                return
            now = source.used()
            print(now, max(most, now), count, flush=True)
            most, count = 0, 0


class Watcher:
    """A process that watches the card."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, __file__, '--watch'], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask()

    def ask(self) -> tuple[int, int, int]:
        """Returns what is in use now, was at most since the last time, and how often that was looked at."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        now, most, count = map(int, self.process.stdout.readline().split())
        return now, most, count

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


# ---- Workloads: each gets tf, the budget and a scale ----


def empty(tf, size):
    """A tensor of |size| bytes on the card."""
    return tf.zeros([max(1, size // 4)])


def fill_up(tf, held, size):
    """Takes memory until it is refused; returns how much that was."""
    try:
        while True:
            held.append(empty(tf, size))
    except tf.errors.ResourceExhaustedError:
        return len(held) * size


def growth(tf, budget, scale):
    """Takes tensors that double in size, then all that is left."""
    held, size = [], 1 << 12
    while size < budget // 4:
        held.append(empty(tf, size))
        size *= 2
    fill_up(tf, held, 8 * MIB)
    return {'taken_mib': sum(int(t.shape[0]) * 4 for t in held) // MIB, 'held': held}


def churn(tf, budget, scale, largest=None, part=0.8, steps=4000):
    """Random requests, live bytes under a part of what is left of the budget."""
    rng = random.Random(1)
    largest = largest or 4 * GIB // scale
    room = int((budget - tf.memory.budget('GPU:0').outside - 64 * MIB) * part)
    largest = min(largest, room // 3)
    held, live, refused, times = [], 0, 0, []
    steps = steps // scale if scale > 1 else steps
    for _ in range(steps):
        size = int(2 ** rng.uniform(10, (largest).bit_length() - 1 + 0.58))
        size = min(size, largest)
        while held and live + size > room:
            at = rng.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            live -= held.pop()[1]
        begun = time.perf_counter_ns()
        try:
            held.append((empty(tf, size), size))
            live += size
        except tf.errors.ResourceExhaustedError:
            refused += 1
        times.append((time.perf_counter_ns() - begun) / 1e3)
    return {'refused': refused, 'median_us': round(statistics.median(times), 2),
            'mean_us': round(statistics.fmean(times), 2), 'steps': steps, 'held': held}


def small_churn(tf, budget, scale):
    """The same of smaller requests, with live bytes close to all there is."""
    return churn(tf, budget, scale, largest=256 * MIB // scale, part=0.95)


def train(tf, budget, scale):
    """Steps of a network whose batch grows."""
    width = 2048 // scale
    with tf.device('GPU:0'):
        weights = [tf.Variable(tf.random.normal([width, width], stddev=0.02)) for _ in range(6)]

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                y = x
                for w in weights:
                    y = tf.nn.relu(tf.matmul(y, w))
                loss = tf.reduce_mean(y * y)
            for w, g in zip(weights, tape.gradient(loss, weights)):
                w.assign_sub(0.01 * g)
            return loss

        losses = []
        for batch in (32, 256, 1024, 4096 // scale):
            for _ in range(20):
                losses.append(float(step(tf.random.normal([batch, width]))))
    return {'last_loss': losses[-1], 'held': weights}


def convolve(tf, budget, scale):
    """Convolutions of many shapes, with the library's workspaces."""
    count, held = 0, []
    with tf.device('GPU:0'):
        for batch in (8, 64, 256 // scale):
            for size, channels in ((112 // scale, 32), (56 // scale, 64), (28 // scale, 128)):
                x = tf.random.normal([batch, size, size, channels])
                for kernel in (1, 3, 5):
                    f = tf.Variable(tf.random.normal([kernel, kernel, channels, channels]))
                    with tf.GradientTape() as tape:
                        y = tf.reduce_sum(tf.nn.conv2d(x, f, 1, 'SAME'))
                    held = [float(tf.reduce_sum(tape.gradient(y, f)))]
                    count += 1
    return {'convolutions': count, 'held': held}


def products(tf, budget, scale):
    """Products of many shapes and types."""
    count = 0
    with tf.device('GPU:0'):
        for dtype in (tf.float32, tf.float16, tf.float64):
            for n in (64, 500, 1024, 2000, 4096 // scale):
                a = tf.cast(tf.random.normal([n, n]), dtype)
                float(tf.reduce_sum(tf.cast(tf.matmul(a, a), tf.float32)))
                count += 1
    return {'products': count}


def sessions(tf, budget, scale):
    """Graphs and sessions that come and go, each with recordings of its own."""
    v1 = tf.compat.v1
    total = 0.0
    for i in range(20):
        graph = tf.Graph()
        with graph.as_default(), tf.device('GPU:0'):
            x = v1.placeholder(tf.float32, [None, 256])
            y = x
            for j in range(20):
                w = v1.get_variable(f'w{j}', [256, 256])
                y = tf.nn.relu(tf.matmul(y, w))
            out = tf.reduce_sum(y)
            init = v1.global_variables_initializer()
        with v1.Session(graph=graph) as session:
            session.run(init)
            import numpy as np

            for _ in range(10):
                total += float(session.run(out, {x: np.ones([64 + i, 256], np.float32)}))
    return {'sessions': 20}


def two_gpus(tf, budget, scale):
    """Two logical GPUs on one card share its budget."""
    held = []
    for name in ('GPU:0', 'GPU:1'):
        with tf.device(name):
            fill_up(tf, held, 64 * MIB // scale)
            del held[len(held) // 2:]
    return {'taken_mib': sum(int(t.shape[0]) * 4 for t in held) // MIB, 'held': held}


def lowered(tf, budget, scale):
    """The budget is lowered and raised while memory is taken and dropped."""
    held, refused = [], 0
    floor = tf.memory.budget('GPU:0').outside + 256 * MIB
    for i in range(40):
        wanted = budget - (budget - floor) * (i % 8) // 8
        try:
            tf.memory.budget('GPU:0', wanted)
        except tf.errors.FailedPreconditionError:
            refused += 1
            del held[len(held) // 2:]
        fill_up(tf, held, 32 * MIB)
        del held[len(held) // 2:]
    tf.memory.budget('GPU:0', budget)
    return {'refused_while_in_use': refused, 'held': held}


def cycles(tf, budget, scale):
    """Everything is given back and got again; the first result after that is timed."""
    with tf.device('GPU:0'):
        v = tf.Variable(tf.ones([64 * MIB // 4 // scale]))
        times = []
        for _ in range(5):
            tf.memory.release()
            begun = time.perf_counter()
            assert float(tf.reduce_sum(v[:1000])) == 1000.0
            times.append(time.perf_counter() - begun)
    return {'reopen_ms': [round(t * 1e3, 1) for t in times], 'held': [v]}


WORKLOADS = {f.__name__: f for f in (growth, churn, small_churn, train, convolve, products, sessions, two_gpus,
                                     lowered, cycles)}


def work(name: str, budget: int, scale: int) -> None:
    """Does one workload; prints what came of it, then waits twice to be looked at."""
    import berth as tf

    if name == 'two_gpus':
        gpus = tf.config.list_physical_devices('GPU')
        half = tf.config.LogicalDeviceConfiguration(memory_limit=budget // MIB)
        tf.config.set_logical_device_configuration(gpus[0], [half, half])
    tf.memory.budget('GPU:0', budget)
    with tf.device('GPU:0'):
        float(tf.reduce_sum(tf.ones([4])))
        result = WORKLOADS[name](tf, budget, scale)
    held = result.pop('held', [])

    def tell(**more):
        print(json.dumps(more), flush=True)
        sys.stdin.readline()

    tell(done=True, **result, **tf.memory.budget('GPU:0')._asdict())
    del held
    tf.memory.trim()
    from berth import _core

    stats = [_core.memory_stats(d['name']) for d in _core.devices() if d['type'] == 'GPU']
    tell(in_use=sum(s['bytes_in_use'] for s in stats), live=sum(s['live_allocs'] for s in stats),
         **tf.memory.budget('GPU:0')._asdict())
    tf.memory.release()
    tell(released=True)


# ---- The peer ----

TORCH = '''
import random, statistics, sys, time, json, os
import torch
budget, steps = int(sys.argv[1]), int(sys.argv[2])
total = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(budget / total)
rng, held, live, refused, times = random.Random(1), [], 0, 0, []
room, largest = int(budget * 0.9), 3 << 30
for _ in range(steps):
    size = min(int(2 ** rng.uniform(10, largest.bit_length() - 1 + 0.58)), largest)
    while held and live + size > room:
        at = rng.randrange(len(held))
        held[at], held[-1] = held[-1], held[at]
        live -= held.pop()[1]
    begun = time.perf_counter_ns()
    try:
        held.append((torch.empty(size, dtype=torch.uint8, device='cuda'), size))
        live += size
    except torch.OutOfMemoryError:
        refused += 1
    times.append((time.perf_counter_ns() - begun) / 1e3)
print(json.dumps({'refused': refused, 'median_us': round(statistics.median(times), 2),
                  'mean_us': round(statistics.fmean(times), 2), 'steps': steps}), flush=True)
'''


def peers(budget: int, watcher: Watcher, base: int) -> list[dict]:
    """Runs the churn in torch, by each of its allocators."""
    rows = []
    for name, setting in (('native', ''), ('expandable', 'expandable_segments:True'),
                          ('async', 'backend:cudaMallocAsync')):
        env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=setting, PYTORCH_ALLOC_CONF=setting)
        watcher.ask()
        done = subprocess.run([sys.executable, '-c', TORCH, str(budget), '30000'], env=env, text=True,
                              capture_output=True)
        row = {'workload': f'torch {name}'}
        row.update(json.loads(done.stdout) if done.returncode == 0 else {'error': done.stderr[-300:]})
        row['over_mib'] = (watcher.ask()[1] - base - budget) / MIB
        rows.append(row)
    return rows


def pool_churn(program: str, budget: int, scale: int, watcher: Watcher, base: int) -> dict:
    """Runs the churn of the pool itself."""
    watcher.ask()
    done = subprocess.run([program, str(budget // MIB), '30000', str(3 * 1024 // scale)], text=True,
                          capture_output=True)
    row = {'workload': 'pool churn'}
    row.update(json.loads(done.stdout) if done.returncode == 0 else {'error': done.stderr[-300:]})
    _, most, looks = watcher.ask()
    row.update(seen_mib=(most - base) / MIB, over_mib=max(0, most - base - budget) / MIB, looks=looks)
    return row


# ---- All of it ----


def run_one(name: str, budget: int, scale: int, watcher: Watcher) -> dict:
    """Runs one workload and returns its row."""
    time.sleep(0.3)
    base = watcher.ask()[0]
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3')
    worker = subprocess.Popen([sys.executable, __file__, '--work', name, str(budget), str(scale)], env=env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def hear() -> dict:
        line = worker.stdout.readline()
        return json.loads(line) if line else {'error': 'the workload has failed'}

    row = {'workload': name, 'budget_mib': budget // MIB, **hear()}
    _, most, looks = watcher.ask()
    row.update(seen_mib=(most - base) / MIB, over_mib=max(0, most - base - budget) / MIB, looks=looks)
    for step in ('trim', 'release') if 'error' not in row else ():
        worker.stdin.write('\n')
        worker.stdin.flush()
        told = hear()
        now, most, _ = watcher.ask()
        row[f'after_{step}_mib'] = (now - base) / MIB
        row['over_mib'] = max(row['over_mib'], (most - base - budget) / MIB, 0)
        if step == 'trim' and 'in_use' in told:
            bound = told['in_use'] + told['outside'] + 2 * MIB * (told['live'] + 1)
            row.update(trim_bound_mib=bound / MIB, trim_kept=now - base <= bound)
    worker.stdin.close()
    worker.wait()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--budget', type=int, default=0, help='MiB; 16 GiB unless --small')
    parser.add_argument('--small', action='store_true', help='sizes for a simulated card')
    parser.add_argument('--only', default='', help='workloads, with commas')
    parser.add_argument('--churn', default='', help='the program that bench/gpu_churn.c makes')
    parser.add_argument('--peer', action='store_true', help="torch's allocators, too")
    parser.add_argument('--out', default='')
    parser.add_argument('--watch', action='store_true', help=argparse.SUPPRESS)
    parser.add_argument('--work', nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        watch()
        return
    if options.work:
        work(options.work[0], int(options.work[1]), int(options.work[2]))
        return
    scale = 8 if options.small else 1
    budget = (options.budget or (1024 if options.small else 16384)) * MIB
    watcher = Watcher()
    base = watcher.ask()[0]
    rows = []
    for name in options.only.split(',') if options.only else WORKLOADS:
        rows.append(run_one(name, budget, scale, watcher))
        print(json.dumps(rows[-1]), flush=True)
    if options.churn:
        rows.append(pool_churn(options.churn, budget, scale, watcher, base))
        print(json.dumps(rows[-1]), flush=True)
    if options.peer:
        for row in peers(budget, watcher, base):
            rows.append(row)
            print(json.dumps(row), flush=True)
    watcher.end()
    if options.out:
        with open(options.out, 'w') as file:
            json.dump(rows, file, indent=1)
    over = [row['workload'] for row in rows if row.get('over_mib', 0) > 0 and not row['workload'].startswith('torch')]
    print('budget kept' if not over else f'over the budget: {", ".join(over)}')


if __name__ == '__main__':
    main()
