# TF1
import re
import threading
import tensorflow as tf
R = tf.raw_ops
F, I = tf.float32, tf.int32


def plain(text):
    lines = text.split('\n')
    at = [i for i, line in enumerate(lines) if line.startswith('\t [[')]
    return re.sub(r'_\d+_Barrier', '_<n>_Barrier', lines[at[0] - 1] if at else lines[-1])


class Barrier:
    """The ops on one barrier."""

    def __init__(self, session, types=(F, I), shapes=((), ()), **more):
        self.session = session
        self.handle = R.Barrier(component_types=list(types), shapes=list(shapes), **more)

    def put(self, part, keys, values):
        return self.session.run(R.BarrierInsertMany(handle=self.handle, keys=keys, values=values, component_index=part))

    def take(self, count, types=(F, I), **more):
        found = self.session.run(R.BarrierTakeMany(handle=self.handle, num_elements=count, component_types=list(types), **more))
        return [part.tolist() for part in (found.indices, found.keys, *found.values)]

    def sizes(self):
        return [int(size) for size in self.session.run([R.BarrierReadySize(handle=self.handle), R.BarrierIncompleteSize(handle=self.handle)])]

    def close(self, cancel=False):
        return self.session.run(R.BarrierClose(handle=self.handle, cancel_pending_enqueues=cancel))


def show(what, use):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            print(what, '->', use(session))
        except Exception as error:
            print(what, type(error).__name__, plain(str(error)))


def case(what, *uses, **more):
    def use(session):
        barrier = Barrier(session, **more)
        return [each(barrier) for each in uses]
    show(what, use)


def meanwhile(first, *then):
    """Does |first| in a thread, which waits, and the others meanwhile."""
    def use(barrier):
        found = []
        graph = tf.get_default_graph()

        def work():
            with graph.as_default():
                try:
                    found.append(first(barrier))
                except tf.errors.OpError as error:
                    found.append((type(error).__name__, plain(str(error))))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(.3)
        waited = thread.is_alive()
        others = [each(barrier) for each in then]
        thread.join(1)
        sizes = barrier.sizes()
        if thread.is_alive():
            barrier.close(True)
        thread.join(20)
        return waited, others, sizes, found
    return use


sizes = Barrier.sizes
case('basic', lambda b: b.put(0, ['a', 'b'], [1., 2.]), sizes, lambda b: b.put(1, ['b', 'a'], [5, 6]), sizes, lambda b: b.take(2), sizes)
case('order', lambda b: b.put(0, ['c', 'a', 'b'], [3., 1., 2.]), lambda b: b.put(1, ['a'], [1]), lambda b: b.put(1, ['b', 'c'], [2, 3]), lambda b: b.take(1), lambda b: b.take(2))
case('dup', lambda b: b.put(0, ['a'], [1.]), lambda b: b.put(0, ['a'], [2.]))
case('dup2', lambda b: b.put(0, ['a', 'a'], [1., 2.]))
case('dup ready', lambda b: b.put(0, ['a'], [1.]), lambda b: b.put(1, ['a'], [2]), lambda b: b.put(0, ['a'], [2.]), sizes, lambda b: b.take(1), sizes)
case('type', lambda b: b.put(1, ['a'], [1.]))
case('index', lambda b: b.put(2, ['a'], [1.]))
case('shape', lambda b: b.put(0, ['a'], [[1.]]))
case('count', lambda b: b.put(0, ['a'], [1., 2.]))
case('keys matrix', lambda b: b.put(0, [['a']], [1.]))
case('val scalar', lambda b: b.put(0, ['a'], tf.placeholder_with_default(1., None)))
case('empty', lambda b: b.put(0, tf.zeros([0], tf.string), tf.zeros([0])), sizes)
case('types', lambda b: b.take(1, (I, F)))
case('zero', lambda b: b.take(0))
full = lambda b: (b.put(0, ['a', 'b'], [1., 2.]), b.put(1, ['a', 'b'], [5, 6]))
case('closed take', full, lambda b: b.close(), lambda b: b.take(3))
case('closed small', full, lambda b: b.close(), lambda b: b.take(3, allow_small_batch=True), lambda b: b.take(3, allow_small_batch=True))
case('closed small0', lambda b: b.close(), lambda b: b.take(3, allow_small_batch=True))
case('closed put', lambda b: b.close(), lambda b: b.put(0, ['a'], [1.]))
case('closed finish', lambda b: b.put(0, ['a'], [1.]), lambda b: b.close(), lambda b: b.put(1, ['a'], [1]), sizes, lambda b: b.take(1), lambda b: b.take(1))
case('closed other', lambda b: b.put(0, ['a'], [1.]), lambda b: b.close(), lambda b: b.put(1, ['b'], [1]))
case('close2', lambda b: b.close(), lambda b: b.close())
case('closec2', lambda b: b.close(True), lambda b: b.close())
case('closec2c', lambda b: b.close(True), lambda b: b.close(True))
case('closec finish', lambda b: b.put(0, ['a'], [1.]), lambda b: b.close(True), lambda b: b.put(1, ['a'], [1]))
case('closec finish2', lambda b: b.put(0, ['a'], [1.]), lambda b: b.close(True), sizes, lambda b: b.take(1))
case('closec ready', full, lambda b: b.close(True), sizes, lambda b: b.take(1))
case('closed inc take', lambda b: b.put(0, ['a'], [1.]), lambda b: b.close(), lambda b: b.take(1, timeout_ms=-1, allow_small_batch=True))
case('wait inc', full, lambda b: b.put(0, ['c'], [3.]), lambda b: b.close(), lambda b: b.take(3, allow_small_batch=True, wait_for_incomplete=True))
case('timeout', lambda b: b.take(1, timeout_ms=5))
case('cap', sizes, capacity=3)
case('noshape', lambda b: b.put(0, ['a'], [[1.]]), lambda b: b.put(1, ['a'], [5]), lambda b: b.take(1), shapes=())
case('shape unk', sizes, shapes=((None, ), ()))
case('shape zero', sizes, shapes=((0, ), ()))
case('shapes count', sizes, shapes=((), ))
case('vec', lambda b: b.put(0, ['a', 'b'], [[1., 2.], [3., 4.]]), lambda b: b.put(1, ['a', 'b'], [5, 6]), lambda b: b.take(2), shapes=((2, ), ()))

def shared(**more):
    """Two nodes that share a barrier."""
    def use(session):
        one, other = Barrier(session, shared_name='x'), Barrier(session, shared_name='x', **more)
        one.put(0, ['a'], [1.])
        return other.sizes()
    return use


show('shared', shared())
show('shared types', shared(types=(F, F)))
show('shared shapes', shared(shapes=((2,), ())))
case('wait', meanwhile(lambda b: b.take(2), lambda b: b.put(0, ['a', 'b'], [1., 2.]), lambda b: b.put(1, ['a', 'b'], [1, 2])))
case('wait close', meanwhile(lambda b: b.take(2), lambda b: b.put(0, ['a', 'b'], [1., 2.]), lambda b: b.put(1, ['a'], [1]), lambda b: b.close()), sizes)
case('wait close then', meanwhile(lambda b: b.take(2), lambda b: b.put(0, ['a', 'b'], [1., 2.]), lambda b: b.put(1, ['a'], [1]), lambda b: b.close(), lambda b: b.put(1, ['b'], [2])), sizes)
case('wait closec', meanwhile(lambda b: b.take(2), lambda b: b.put(0, ['a', 'b'], [1., 2.]), lambda b: b.put(1, ['a'], [1]), lambda b: b.close(True)), sizes)
