"""test_towers.py - Towers on several GPUs train as one does with all of the batch, and at the same time."""

from __future__ import annotations

import json

import pytest
from script import run

PROGRAM = '''
    import json
    import numpy as np
    import berth as tf
    TOWERS = 4

    def variable(name, shape, deviation):
        with tf.device('/cpu:0'):
            return tf.get_variable(name, initializer=np.random.RandomState(len(name)).normal(
                0, deviation, shape).astype('f'))

    def loss_of(x, y):
        x = tf.nn.conv2d(x, variable('filter', [5, 5, 3, 16], 0.1), [1, 1, 1, 1], 'SAME')
        x = tf.nn.relu(tf.nn.bias_add(x, variable('bias', [16], 0.1)))
        x = tf.nn.lrn(tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME'), 4, 1.0, 0.001, 0.75)
        x = tf.matmul(tf.reshape(x, [-1, 6 * 6 * 16]), variable('weights', [6 * 6 * 16, 5], 0.05))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x))

    def train(towers, batch):
        tf.reset_default_graph()
        images = np.random.RandomState(0).rand(batch, 12, 12, 3).astype('f')
        labels = np.random.RandomState(1).randint(0, 5, batch).astype('i')
        optimizer, found, losses, size = tf.train.MomentumOptimizer(0.1, 0.9), [], [], batch // towers
        with tf.variable_scope('model') as scope:
            for i in range(towers):
                with tf.device(f'/gpu:{i}'), tf.name_scope(f'tower_{i}'):
                    part = slice(i * size, (i + 1) * size)
                    losses.append(loss_of(tf.constant(images[part]), tf.constant(labels[part])))
                    scope.reuse_variables()
                    found.append(optimizer.compute_gradients(losses[-1]))
        with tf.device('/cpu:0'):
            means = [(tf.add_n([slope for slope, _ in pairs]) / towers, pairs[0][1]) for pairs in zip(*found)]
            step = optimizer.apply_gradients(means)
        session = tf.Session(config=CONFIG)
        session.run(tf.global_variables_initializer())
        return session, step, tf.add_n(losses) / towers
'''
CARDS = '''
    import berth as tf
    CONFIG = tf.ConfigProto()
'''
DIVIDED = '''
    import berth as tf
    CONFIG = tf.ConfigProto()
    CONFIG.gpu_options.experimental.virtual_devices.add(memory_limit_mb=[256] * 4)
'''
ALIKE = '''
    kept = []
    for towers in (1, TOWERS):
        session, step, loss = train(towers, 32)
        falling = [float(session.run([loss, step])[0]) for _ in range(12)]
        kept.append((falling, session.run(tf.trainable_variables())))
        session.close()
    apart = max(float(np.abs(a - b).max() / np.abs(a).max()) for a, b in zip(kept[0][1], kept[1][1]))
    print(json.dumps([kept[0][0], kept[1][0], apart]))
'''
TRACED = '''
    session, step, loss = train(TOWERS, 128)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    found = []
    for _ in range(30):
        metadata = tf.RunMetadata()
        session.run(step, options=options, run_metadata=metadata)
        found.append({device.device[-5:]: [
            [node.timeline_label.split(' = ')[-1].split('(')[0], node.all_start_nanos,
             node.all_start_nanos + node.all_end_rel_nanos] for node in device.node_stats]
            for device in metadata.step_stats.dev_stats})
    print(json.dumps(found))
'''
MACHINES = {'cards': (CARDS, 'Tesla K20m*4'), 'divided': (DIVIDED, 'Tesla K20m')}


def on(machine: str, code: str) -> list:
    """Returns what a program prints on four GPUs, of four cards or of one."""
    config, spec = MACHINES[machine]
    out = run(config + PROGRAM + code, BERTH_SIMULATE_GPUS=spec, CUDA_VISIBLE_DEVICES='0,1,2,3')
    return json.loads(out.splitlines()[-1])


@pytest.mark.parametrize('machine', MACHINES)
def test_towers_are_one_with_all_of_the_batch(machine: str) -> None:
    """Losses and variables are the same to rounding, and the loss falls."""
    one, many, apart = on(machine, ALIKE)
    assert many == pytest.approx(one, rel=1e-5)
    assert apart < 1e-5
    assert one[-1] < 0.6 * one[0]


@pytest.fixture(scope='module')
def steps() -> list:
    """What steps of four cards did when."""
    return on('cards', TRACED)


def test_towers_work_at_the_same_time(steps: list) -> None:
    """In some step each card goes back through its tower while another one does; a busy machine may delay many."""
    assert any(sum(_overlap(step[f'GPU:{i}'], step[f'GPU:{k}']) for i in range(4) for k in range(i)) >= 3
               for step in steps)


def _overlap(one: list, other: list) -> bool:
    """True when kernels of both ran at the same time."""
    return any(a[1] < b[2] and b[1] < a[2] for a in _kernels(one) for b in _kernels(other))


def _kernels(nodes: list) -> list:
    return [node for node in nodes if not node[0].startswith('MEMCPY') and node[0] != 'Const' and node[1] < node[2]]


def test_slopes_are_copied_while_the_rest_goes_back(steps: list) -> None:
    """A slope leaves its card before the last one is computed there."""
    def leaves_early(nodes: list) -> bool:
        last = max(node[2] for node in nodes if node[0] == 'Conv2DBackpropFilter')
        return any(node[0] == 'MEMCPYDtoH' and node[1] < last for node in nodes)
    assert any(all(leaves_early(step[f'GPU:{i}']) for i in range(4)) for step in steps)
