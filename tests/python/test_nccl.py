"""test_nccl.py - Values of several simulated cards are put together as numpy would, in any order and when runs end."""

from __future__ import annotations

import subprocess
import sys

import oracle
import pytest

BEGIN = '''
import functools, sys, threading
import numpy as np
import berth
tf = berth.compat.v1
tf.disable_v2_behavior()
HOW = {'sum': np.add, 'prod': np.multiply, 'max': np.maximum, 'min': np.minimum}

def reduced(tensors, how='sum', name='a', size=None):
    made = []
    for i, tensor in enumerate(tensors):
        with tf.device('/gpu:%d' % i):
            made.append(tf.raw_ops.NcclAllReduce(input=tensor, reduction=how, num_devices=size or len(tensors),
                                                 shared_name=name))
    return made

def places(count, dtype=tf.float32):
    made = []
    for i in range(count):
        with tf.device('/gpu:%d' % i):
            made.append(tf.placeholder(dtype, [None]))
    return made
'''

# Every type and reduction at random sizes, from several threads, each in another order.
VALUES = BEGIN + '''
def build(how, dtype, choice):
    fed = places(N, dtype)
    made = [x + x for x in fed]
    if choice is not None:
        made = [tf.cond(choice, lambda x=x: x + 1, lambda x=x: x) for x in made]
    return how, dtype, fed, [x - 1 for x in reduced(made, how, how + dtype.name)]

def check(session, jobs, choice, seed):
    rng = np.random.RandomState(seed)
    for k in rng.permutation(len(jobs)):
        how, dtype, fed, fetched = jobs[k]
        given = [rng.randint(-3, 4, size).astype(dtype.as_numpy_dtype)
                 for size in [int(rng.choice([0, 1, 3, 1000, 20001]))] for _ in fed]
        feeds = {**dict(zip(fed, given)), **({} if choice is None else {choice: True})}
        wanted = functools.reduce(HOW[how], [x + x + (choice is not None) for x in given]).astype(dtype.as_numpy_dtype)
        for found in session.run(fetched, feeds):
            np.testing.assert_array_equal(found, wanted - 1)

N = int(sys.argv[1])
wrong = []
for has_flow in (False, True):
    with tf.Graph().as_default(), tf.Session() as session:
        choice = tf.placeholder(tf.bool, []) if has_flow else None
        jobs = [build(how, dtype, choice) for how in HOW
                for dtype in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64)]
        def work(seed):
            try:
                check(session, jobs, choice, seed)
            except BaseException as error:
                wrong.append(error)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
assert not wrong, wrong
print('done')
'''

# Different sets of cards, in different orders, at once.
ORDERS = BEGIN + '''
def work(session, jobs, order):
    for k in order * int(sys.argv[1]):
        fed, fetched = jobs[k]
        found = session.run(fetched, {x: [float(i + k)] for i, x in enumerate(fed)})
        assert all(x == sum(i + k for i in range(len(fed))) for x in found), (k, found)

def chosen(numbers, name):
    fed, made = [], []
    for i in numbers:
        with tf.device('/gpu:%d' % i):
            fed.append(tf.placeholder(tf.float32, [1]))
    for i, x in zip(numbers, fed):
        with tf.device('/gpu:%d' % i):
            made.append(tf.raw_ops.NcclAllReduce(input=x, reduction='sum', num_devices=len(numbers), shared_name=name))
    return fed, made

with tf.Graph().as_default(), tf.Session() as session:
    jobs = [chosen(numbers, 'n%d' % i) for i, numbers in enumerate(([0, 1], [1, 2], [2, 0], [0, 1, 2], [2, 1, 0]))]
    wrong = []
    def guarded(order):
        try:
            work(session, jobs, order)
        except BaseException as error:
            wrong.append(error)
    threads = [threading.Thread(target=guarded, args=(order,))
               for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
print('done')
'''

# One tower fails, one does not come, one is out of memory: the run ends, and the next one works.
ENDS = BEGIN + '''
with tf.Graph().as_default(), tf.Session() as session:
    fed = places(2)
    with tf.device('/gpu:1'):
        checked = tf.check_numerics(fed[1], 'tower one')
    fetched = reduced([fed[0], checked])
    for _ in range(3):
        try:
            session.run(fetched, {fed[0]: [1.0], fed[1]: [float('nan')]})
            raise SystemExit('not refused')
        except tf.errors.InvalidArgumentError as error:
            assert 'tower one' in str(error), error
        assert [float(x[0]) for x in session.run(fetched, {fed[0]: [1.0], fed[1]: [2.0]})] == [3.0, 3.0]
    try:
        session.run(fetched[0], {fed[0]: [1.0]}, options=tf.RunOptions(timeout_in_ms=200))
        raise SystemExit('not ended')
    except tf.errors.DeadlineExceededError:
        pass
    try:
        session.run(fetched, {fed[0]: [1.0], fed[1]: [2.0, 3.0]})
        raise SystemExit('sizes not refused')
    except tf.errors.InvalidArgumentError as error:
        assert 'NcclAllReduce: values have 1 and 2 elements' in str(error), error
    large = tf.placeholder(tf.int32, [])
    with tf.device('/gpu:1'):
        much = tf.reduce_sum(tf.ones([large, 1 << 20]), 0)[:1]
    both = reduced([fed[0], much], name='m')
    try:
        session.run(both, {fed[0]: [1.0], large: 1 << 20})
        raise SystemExit('memory not refused')
    except tf.errors.ResourceExhaustedError:
        pass
    assert [float(x[0]) for x in session.run(both, {fed[0]: [1.0], large: 4})] == [5.0, 5.0]
    assert [float(x[0]) for x in session.run(fetched, {fed[0]: [1.0], fed[1]: [2.0]})] == [3.0, 3.0]
print('done')
'''

CONTRIB = BEGIN + '''
sys.argv = ['x']
berth.mode(1)
import berth as old
with old.Graph().as_default(), old.Session() as session:
    towers = []
    for i in range(3):
        with old.device('/gpu:%d' % i):
            towers.append(old.constant([1.0, 2.0]) * float(i + 1))
    with old.device('/gpu:0'):
        total = old.contrib.nccl.reduce_sum(towers)
    found = session.run([old.contrib.nccl.all_sum(towers), old.contrib.nccl.all_max(towers), total,
                         old.contrib.nccl.broadcast(towers[1]) + 1.0])
assert [x.tolist() for x in found[0]] == [[6.0, 12.0]] * 3
assert [x.tolist() for x in found[1]] == [[3.0, 6.0]] * 3
assert found[2].tolist() == [6.0, 12.0] and found[3].tolist() == [3.0, 5.0], found
print('done')
'''

STRATEGY = '''
import sys
import numpy as np
import berth as tf
kind = sys.argv[1]
ways = {'nccl': lambda: tf.distribute.NcclAllReduce(), 'copy': lambda: tf.distribute.HierarchicalCopyAllReduce(),
        'one': lambda: tf.distribute.ReductionToOneDevice(reduce_to_device='/gpu:1'), 'none': lambda: None}
strategy = tf.distribute.MirroredStrategy(cross_device_ops=ways[kind]())
with strategy.scope():
    w = [tf.Variable(np.arange(6.0).reshape(2, 3) / (k + 1), dtype=tf.float32) for k in range(3)]

def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.add_n([tf.square(tf.matmul(x, v)) for v in w]))
    slopes = tf.distribute.get_replica_context().all_reduce('sum', tape.gradient(loss, w))
    for v, slope in zip(w, slopes):
        v.assign_sub(0.001 * slope)
    return loss

def all_of_it(x):
    return strategy.reduce('SUM', strategy.run(step, (x,)), axis=None)

x = np.random.RandomState(1).randn(8, 2).astype(np.float32)
made = tf.function(all_of_it)
def parts():
    return strategy.experimental_distribute_values_from_function(lambda c: tf.constant(x[c.replica_id_in_sync_group::c.num_replicas_in_sync]))
found = [float(made(parts())) for _ in range(4)] + [float(all_of_it(parts())) for _ in range(2)]
weights = [np.arange(6.0).reshape(2, 3) / (k + 1) for k in range(3)]
for value in found:
    wanted = sum(float(np.sum((x @ v) ** 2)) for v in weights)
    assert abs(value - wanted) < 1e-3 * abs(wanted), (value, wanted)
    weights = [v - 0.001 * 2 * x.T @ (x @ v) for v in weights]
for v in w:
    copies = [c.numpy() for c in v.values]
    assert all(np.array_equal(copies[0], c) for c in copies)
graph = made.get_concrete_function(parts()).graph
nodes = [op for op in graph.get_operations() if op.type == 'NcclAllReduce']
print(len(nodes), [float(np.sum(c.numpy(), dtype=np.float64)).hex() for c in w[0].values])
'''


def run(program: str, gpus: str, *args: str, **more: str) -> str:
    """Returns what a program prints last, on simulated cards."""
    environment = dict(oracle.base_environment(), BERTH_SIMULATE_GPUS=gpus, TF_CPP_MIN_LOG_LEVEL='3',
                       TF_FORCE_GPU_ALLOW_GROWTH='true', **more)
    done = subprocess.run([sys.executable, '-c', program, *args], capture_output=True, text=True, env=environment,
                          check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize('count', [2, 3])
def test_values(count: int) -> None:
    """By NCCL."""
    assert run(VALUES, f'H100*{count}', str(count)) == 'done'


def test_values_stressed() -> None:
    """No order is there by chance."""
    assert run(VALUES, 'H100*2', '2', BERTH_SOFTGPU_STRESS='1') == 'done'


def test_values_through_the_host() -> None:
    """Without the library."""
    assert run(VALUES, 'H100*2', '2', BERTH_GPU_LIBRARIES='cublaslt,cudnn') == 'done'


@pytest.mark.parametrize('stress', ['', '7'])
def test_orders(stress: str) -> None:
    """Cards get collectives in one order, however threads come."""
    more = {'BERTH_SOFTGPU_STRESS': stress} if stress else {}
    assert run(ORDERS, 'H100*3', '2' if stress else '10', **more) == 'done'


def test_ends() -> None:
    """Nothing is left waiting."""
    assert run(ENDS, 'Tesla K20m*2') == 'done'


def test_contrib() -> None:
    """The names of 2017."""
    assert run(CONTRIB, 'H100*3') == 'done'


def test_is_used() -> None:
    """A failure of NCCL fails the run."""
    with pytest.raises(AssertionError, match='ncclGroupEnd|collective'):
        run(ENDS, 'Tesla K20m*2', BERTH_FAULT='ncclAllReduce:1')


@pytest.mark.parametrize(('kind', 'nodes'), [('none', 6), ('nccl', 6), ('copy', 0), ('one', 0)])
def test_strategy(kind: str, nodes: int) -> None:
    """A model trained on two cards, with each way to sum; always to the same bits."""
    found = {run(STRATEGY, 'H100*2', kind, BERTH_TF='2') for _ in range(2)}
    assert len(found) == 1 and found.pop().split()[0] == str(nodes)
