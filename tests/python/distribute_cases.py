"""distribute_cases - Programs with strategies over two logical CPUs, for TensorFlow and for Berth.

Each takes the library and returns numbers; `tools/golden/distribute.py` records TensorFlow's.
"""

DEVICES = ['/cpu:0', '/cpu:1']


def prepare(tf):
    """Makes two CPUs of one."""
    cpu = tf.config.list_physical_devices('CPU')[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def _numbers(value):
    if hasattr(value, 'values') and not callable(value.values):
        return [_numbers(v) for v in value.values]
    if isinstance(value, (list, tuple)):
        return [_numbers(v) for v in value]
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    return value.numpy().tolist() if hasattr(value, 'numpy') else value


def _error(call):
    try:
        call()
    except Exception as error:  # pylint: disable=broad-except
        return [type(error).__name__, str(error).split('\n', maxsplit=1)[0]]
    return 'no error'


def replica_ids(tf, s):
    def step():
        c = tf.distribute.get_replica_context()
        return tf.constant(1.5) * tf.cast(c.replica_id_in_sync_group + 1, tf.float32)
    made = s.run(step)
    return [_numbers(made), _numbers(s.reduce('SUM', made, axis=None)), _numbers(s.reduce('MEAN', made, axis=None)),
            s.num_replicas_in_sync, _numbers(s.experimental_local_results(made))]


def structures(tf, s):
    def step(x, pair, key=None):
        c = tf.distribute.get_replica_context().replica_id_in_sync_group
        return {'a': x * 2.0, 'b': (pair[0] + float(c), pair[1])}, key
    with s.scope():
        values = s.experimental_distribute_values_from_function(
            lambda c: tf.constant([1.0, 2.0]) * float(c.replica_id_in_sync_group + 1))
    made, key = s.run(step, args=(values, (tf.constant(3.0), 'text')), kwargs={'key': 5})
    return [_numbers(made), key]


def reduce_axis(tf, s):
    values = s.experimental_distribute_values_from_function(
        lambda c: tf.ones([2 + c.replica_id_in_sync_group, 3]) * float(c.replica_id_in_sync_group + 1))
    return [_numbers(s.reduce(op, values, axis=0)) for op in ('SUM', 'MEAN')]


def gather(tf, s):
    values = s.experimental_distribute_values_from_function(
        lambda c: tf.ones([1 + c.replica_id_in_sync_group, 2]) * float(c.replica_id_in_sync_group + 1))
    return _numbers(s.gather(values, axis=0))


def mirrored_updates(tf, s):
    with s.scope():
        v = tf.Variable([1.0, 2.0], aggregation=tf.VariableAggregation.MEAN)
        w = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        f = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

    def step():
        c = float(tf.distribute.get_replica_context().replica_id_in_sync_group)
        v.assign_add(tf.constant([c + 1.0, 1.0]))
        w.assign(tf.constant(c + 3.0))
        f.assign_sub(tf.constant(c - 4.0))
        return v + 0.0, w * 1.0
    made = s.run(step)
    v.assign_add([10.0, 10.0])
    return [_numbers(made), [x.numpy().tolist() for x in v.values], _numbers(w + 0.0), _numbers(f + 0.0)]


def synchronised_on_read(tf, s):
    with s.scope():
        total = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                            aggregation=tf.VariableAggregation.SUM)
        mean = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                           aggregation=tf.VariableAggregation.MEAN)

    def step():
        c = float(tf.distribute.get_replica_context().replica_id_in_sync_group)
        total.assign_add(c + 1.0)
        mean.assign_add(c + 1.0)
        return total.read_value()
    made = s.run(step)
    s.run(step)
    with s.scope():
        whole = [_numbers(total.read_value()), _numbers(mean.read_value())]
        total.assign(8.0)
        return [_numbers(made), whole, _numbers(total.read_value()), [x.numpy().tolist() for x in total.values]]


def all_reduce(tf, s):
    def step():
        c = tf.distribute.get_replica_context()
        x = tf.constant([1.0, 2.0]) * float(c.replica_id_in_sync_group + 1)
        total, nested = c.all_reduce('sum', x), c.all_reduce('MEAN', {'a': x, 'b': [x + 1.0]})
        return total, nested, c.all_gather(x, 0)
    return _numbers(s.run(step))


def merge_calls(tf, s):
    seen = []

    def merge(strategy, x, y=None):
        seen.append([tf.distribute.in_cross_replica_context(), tf.distribute.get_replica_context() is None])
        return strategy.reduce('SUM', x, axis=None) + y

    def step():
        c = tf.distribute.get_replica_context()
        one = c.merge_call(merge, args=(tf.constant(float(c.replica_id_in_sync_group)),), kwargs={'y': 2.0})
        return c.merge_call(merge, args=(one * float(c.replica_id_in_sync_group + 1),), kwargs={'y': 1.0})
    return [_numbers(s.run(step)), seen]


def _trained(tf, s, run):
    with s.scope():
        w = tf.Variable([[0.5], [-0.5]], name='w')
        b = tf.Variable([0.0], name='b')
    x = s.experimental_distribute_values_from_function(
        lambda c: tf.constant([[1.0, 2.0], [3.0, 4.0]]) * float(c.replica_id_in_sync_group + 1))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(x, w) + b - 1.0) ** 2)
        found = tape.gradient(loss, [w, b])
        found = tf.distribute.get_replica_context().all_reduce('MEAN', found)

        def update(strategy, dw, db):
            strategy.extended.update(w, lambda v, d: v.assign_sub(0.01 * d), args=(dw,))
            strategy.extended.update(b, lambda v, d: v.assign_sub(0.01 * d), args=(db,))
        tf.distribute.get_replica_context().merge_call(update, args=tuple(found))
        return loss
    losses = [_numbers(s.reduce('MEAN', run(s, step, x), axis=None)) for _ in range(3)]
    return [losses, [v.numpy().tolist() for v in w.values], [v.numpy().tolist() for v in b.values], w.name,
            [v.name for v in w.values]]


def training(tf, s):
    return _trained(tf, s, lambda s, step, x: s.run(step, args=(x,)))


def training_in_function(tf, s):
    holder = []

    def run(s, step, x):
        if not holder:
            holder.append(tf.function(lambda x: s.run(step, args=(x,))))
        return holder[0](x)
    return _trained(tf, s, run)


def branches_in_function(tf, s):
    @tf.function
    def both(x):
        def step(x):
            if tf.reduce_sum(x) > 3.0:
                return x * 2.0
            return x - 1.0
        return s.run(step, args=(x,))
    x = s.experimental_distribute_values_from_function(
        lambda c: tf.constant([1.0, 1.0]) * float(c.replica_id_in_sync_group + 1))
    return _numbers(both(x))


def errors(tf, s):
    with s.scope():
        v = tf.Variable(1.0)

    def fails():
        if tf.distribute.get_replica_context().replica_id_in_sync_group == 1:
            raise ValueError('replica 1 fails')
        tf.distribute.get_replica_context().merge_call(lambda strategy: None)

    def bad_variable():
        with s.scope():
            tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)

    def trainable_on_read():
        with s.scope():
            tf.Variable(1.0, trainable=True, synchronization=tf.VariableSynchronization.ON_READ)
    found = [_error(lambda: s.run(lambda: v.assign(2.0))), _error(lambda: s.run(fails)), _error(bad_variable),
             _error(trainable_on_read), _error(lambda: s.run(lambda: 1.0, args=3)),
             _error(lambda: s.reduce('SUM', 2.0, axis=None)), _error(lambda: s.run(lambda: s.reduce('SUM', 1.0, axis=None)))]
    return found + [_numbers(s.run(lambda: v + 1.0))]


def contexts(tf, s):
    d = tf.distribute
    found = [d.has_strategy(), d.in_cross_replica_context(), d.get_replica_context() is not None]
    with s.scope():
        found += [d.has_strategy(), d.get_strategy() is s, d.in_cross_replica_context(), d.get_replica_context() is None]
        v = tf.Variable(1.0)
        found += [s.extended.variable_created_in_scope(v), type(v).__name__]
    found += [d.get_strategy().num_replicas_in_sync, [x.device for x in v.values], list(s.extended.worker_devices)]
    inside = s.run(lambda: [d.has_strategy(), d.get_strategy() is s, d.in_cross_replica_context()])
    one = d.OneDeviceStrategy('/cpu:1')
    with one.scope():
        w = tf.Variable(2.0)
    return found + [_numbers(inside), w.device, _numbers(one.run(lambda x: w + x, (1.0,)))]


def datasets(tf, s):
    data = tf.data.Dataset.range(10).batch(4)
    per = s.experimental_distribute_dataset(data)
    first = [_numbers(x) for x in per]
    second = [_numbers(s.run(lambda x: tf.reduce_sum(x), args=(x,))) for x in per]
    own = s.distribute_datasets_from_function(
        lambda c: tf.data.Dataset.range(6).batch(c.get_per_replica_batch_size(4)))
    return [first, second, [_numbers(x) for x in own]]


def creators(tf, s):
    seen = []

    def outer(next_creator, **kwargs):
        seen.append(['outer', kwargs['name'], kwargs['initial_value']])
        return next_creator(**kwargs)

    def inner(next_creator, **kwargs):
        seen.append(['inner', kwargs['trainable']])
        kwargs['initial_value'] = 5.0
        return next_creator(**kwargs)
    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable(1.0, name='x', trainable=False)
    return [seen, _numbers(v + 0.0)]


def _optimizers(tf):
    t = tf.compat.v1.train
    return {'descent': lambda: t.GradientDescentOptimizer(0.1), 'momentum': lambda: t.MomentumOptimizer(0.1, 0.9),
            'adam': lambda: t.AdamOptimizer(0.1), 'adagrad': lambda: t.AdagradOptimizer(0.1),
            'rms': lambda: t.RMSPropOptimizer(0.1), 'ftrl': lambda: t.FtrlOptimizer(0.1),
            'adadelta': lambda: t.AdadeltaOptimizer(0.1)}


def _by_optimizer(tf, s, make, wrap):
    with s.scope():
        w = tf.Variable([[0.5], [-0.5]], name='w')
        b = tf.Variable([0.25], name='b')
        optimizer = make()
    x = s.experimental_distribute_values_from_function(
        lambda c: tf.constant([[1.0, 2.0], [3.0, 4.0]]) * float(c.replica_id_in_sync_group + 1))

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(x, w) + b - 1.0) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
        return loss
    run = wrap(lambda x: s.run(step, args=(x,)))
    losses = [_numbers(run(x)) for _ in range(3)]
    slots = optimizer.get_slot_names()
    kept = [[v.numpy().tolist() for v in optimizer.get_slot(w, slot).values] for slot in slots]
    return [losses, [v.numpy().tolist() for v in w.values], [v.numpy().tolist() for v in b.values], slots, kept,
            [type(optimizer.get_slot(w, slot)).__name__ for slot in slots]]


def optimizers_of_tf1(tf, s):
    return {name: _by_optimizer(tf, s, make, lambda f: f) for name, make in _optimizers(tf).items()}


def optimizers_of_tf1_in_function(tf, s):
    return {name: _by_optimizer(tf, s, make, tf.function) for name, make in _optimizers(tf).items()}


def optimizer_errors(tf, s):
    with s.scope():
        v = tf.Variable(1.0)
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
        return _error(lambda: optimizer.apply_gradients([(tf.constant(1.0), v)]))


def variables_in_replicas(tf, s):
    made = []

    def step():
        made.append(tf.Variable(2.0, name='mine', aggregation=tf.VariableAggregation.SUM))
        made[-1].assign_add(tf.constant(float(tf.distribute.get_replica_context().replica_id_in_sync_group + 1)))
        return made[-1].read_value()
    read = s.run(step)
    return [_numbers(read), len(made), made[0] is made[1], type(made[0]).__name__,
            [v.numpy().tolist() for v in made[0].values]]


def update_of_copies(tf, s):
    with s.scope():
        v = tf.Variable(1.0)
        other = tf.Variable(5.0)

        def change(copy, by):
            other.assign_add(by)
            return copy.assign_add(by + other.read_value())
        found = s.extended.update(v, change, args=(tf.constant(2.0),), group=False)
        ahead = [x.numpy().tolist() for x in other.values]
        s.extended.update(v, change, args=(tf.constant(1.0),))
        return [_numbers(found), ahead, [x.numpy().tolist() for x in v.values], [x.numpy().tolist() for x in other.values],
                len(s.extended.non_slot_devices([v])), _numbers(s.extended.read_var(v)),
                _numbers(s.extended.broadcast_to(tf.constant(3.0), v)),
                _numbers(s.extended.batch_reduce_to('SUM', [(v, v), (other, other)]))]


def _in_graph(tf, s, build):
    """Builds a training step in a graph, and runs it three times."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), s.scope():
        step = v1.train.get_or_create_global_step()

        def replica():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            x = tf.constant([[1.0, 2.0], [3.0, 4.0]]) * tf.cast(number + 1, tf.float32)
            loss = build(x)
            return loss, v1.train.MomentumOptimizer(0.01, 0.9).minimize(loss, global_step=step)
        losses, train = s.extended.call_for_each_replica(replica)
        loss, train = s.reduce('MEAN', losses, axis=None), s.group(train)
        names = [sorted(v.name for v in v1.global_variables()), [v.name for v in v1.trainable_variables()]]
        kinds = [type(v).__name__ for v in v1.trainable_variables()]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = [float(session.run([loss, train])[0]) for _ in range(3)]
            copies = [[session.run(copy).tolist() for copy in v.values] for v in v1.trainable_variables()]
            return [found, copies, int(session.run(step)), names, kinds]


def graph_training(tf, s):
    def build(x):
        w = tf.compat.v1.get_variable('w', initializer=[[0.5], [-0.5]])
        with tf.compat.v1.variable_scope('inner'):
            b = tf.compat.v1.get_variable('b', [1], initializer=tf.compat.v1.zeros_initializer())
        return tf.reduce_mean((tf.matmul(x, w) + b - 1.0) ** 2)
    return _in_graph(tf, s, build)


def graph_training_made_before(tf, s):
    made = []

    def build(x):
        if not made:
            made.append(tf.compat.v1.get_variable('v', initializer=[[0.25], [0.75]]))
        return tf.reduce_mean(tf.matmul(x, made[0]) ** 2)
    return _in_graph(tf, s, build)


CASES = {function.__name__: function for function in (
    replica_ids, structures, reduce_axis, gather, mirrored_updates, synchronised_on_read, all_reduce, merge_calls, training,
    training_in_function, branches_in_function, errors, contexts, creators, datasets, optimizers_of_tf1,
    optimizers_of_tf1_in_function, optimizer_errors, variables_in_replicas, update_of_copies, graph_training,
    graph_training_made_before)}
