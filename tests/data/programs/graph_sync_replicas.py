# TF1
"""Replicas that make their steps together: tf.train.SyncReplicasOptimizer."""
import time

import numpy as np
import tensorflow as tf

def attempt(function):
    try:
        function()
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[0])


def nodes(graph, first=0):
    for op in graph.get_operations()[first:]:
        print(op.name, op.type, [i.name for i in op.inputs], sorted(c.name for c in op.control_inputs))


# One worker, whose gradients are all there are.
def alone(optimizer, resource=False):
    with tf.Graph().as_default():
        w = tf.get_variable('w', [3], initializer=tf.zeros_initializer(), use_resource=resource)
        table = tf.get_variable('table', [5, 2], initializer=tf.ones_initializer(), use_resource=resource)
        unused = tf.get_variable('unused', [2], initializer=tf.zeros_initializer(), use_resource=resource)
        x = tf.placeholder(tf.float32, [3])
        ids = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
        step = tf.train.get_or_create_global_step()
        sync = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=1)
        train = sync.minimize(loss, global_step=step)
        hook = sync.make_session_run_hook(True, num_tokens=0)
        with tf.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=1) as session:
            for i in range(3):
                local = session.run(train, {x: [1., 2., 3.], ids: [0, 3, 3]})
                print(local, session.run(step))
            w_now, table_now = session.run([w, table])
            print(np.round(w_now, 4), np.round(table_now[:, 0], 4))
            print(sync.get_slot_names(), [v.name for v in sync.variables()])
            print(sync.get_slot(w, 'momentum'))


alone(tf.train.GradientDescentOptimizer(0.1))
alone(tf.train.MomentumOptimizer(0.1, 0.9))
alone(tf.train.GradientDescentOptimizer(0.1), True)

# The nodes that it makes.
with tf.Graph().as_default() as graph:
    w = tf.Variable([1., 2.], name='w')
    step = tf.train.get_or_create_global_step()
    slope = tf.IndexedSlices(tf.constant([1.]), tf.constant([1], tf.int64), tf.constant([2], tf.int64))
    v = tf.Variable([1., 2.], name='v')
    sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, 3, name='together')
    first = len(graph.get_operations())
    averages = tf.train.ExponentialMovingAverage(0.5)
    train = sync.apply_gradients([(tf.constant([1., 1.]), w), (slope, v)], step)
    print(train.name, sync.chief_init_op.name, sync.get_chief_queue_runner().name)
    sync.get_init_tokens_op()
    sync.get_init_tokens_op(0)
    print([v.name for v in tf.local_variables()], [v.name for v in tf.global_variables()])
    nodes(graph, first)

# Two replicas, whose mean counts; and a third that only helps where others are late.
for replicas, total in ((2, 2), (2, 3), (3, 2)):
    with tf.Graph().as_default():
        w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
        x = tf.placeholder(tf.float32, [2])
        step = tf.train.get_or_create_global_step()
        sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), replicas, total)
        train = sync.minimize(tf.reduce_sum(w * x), global_step=step)
        hook = sync.make_session_run_hook(True)
        hook.begin()
        steps = 6
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            hook.after_create_session(session, coord)

            # In turn: in threads one could be done while the other waits for its gradients.
            for number in range(2 * steps):
                session.run(train, {x: [1. + number % 2, 1.]})
            # What the chief does with the last ones comes when it comes.
            until = time.monotonic() + 20
            while session.run(w)[1] != -session.run(step) and time.monotonic() < until:
                time.sleep(0.01)
            # The replicas took 12 gradients; the first tokens were free.
            print(replicas, total, session.run(step) >= 12 // replicas - 2, session.run(w)[1] == -session.run(step))
            coord.request_stop()

# Averages of what is trained, by the chief.
with tf.Graph().as_default():
    w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    step = tf.train.get_or_create_global_step()
    averages = tf.train.ExponentialMovingAverage(0.5)
    sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1, 1, averages, [w])
    train = sync.minimize(w * 2., global_step=step)
    print([v.name for v in tf.global_variables()])

# Mistakes.
with tf.Graph().as_default():
    w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 3, 1)
    attempt(lambda: sync.minimize(w * 2.))
    attempt(lambda: sync.apply_gradients([], 1))
    attempt(sync.get_chief_queue_runner)
    attempt(sync.get_init_tokens_op)
    attempt(lambda: sync.make_session_run_hook(True).begin())
    step = tf.train.get_or_create_global_step()
    attempt(lambda: sync.apply_gradients([('no', w)], step))
    sync.minimize(w * 2., global_step=step)
    attempt(lambda: sync.get_init_tokens_op(1))
    hook = sync.make_session_run_hook(False)
    hook.begin()
    with tf.Session() as session:
        attempt(lambda: hook.after_create_session(session, None))
print(tf.train.SyncReplicasOptimizer)
