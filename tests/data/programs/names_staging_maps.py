# TF1
import threading
import tensorflow as tf
R = tf.raw_ops
F, I = tf.float32, tf.int32


def key(value):
    return tf.constant(value, tf.int64)


def plain(text):
    lines = text.split('\n')
    at = [i for i, line in enumerate(lines) if line.startswith('\t [[')]
    return lines[at[0] - 1] if at else lines[-1]


class Area:
    """The ops on one area, which come as Map… and OrderedMap…"""

    def __init__(self, kind, session, **more):
        self.kind, self.session, self.more = kind, session, dict(shared_name='m', **more)

    def op(self, name, dtypes=(F, I), **more):
        return getattr(R, self.kind + name)(dtypes=list(dtypes), **more, **self.more)

    def put(self, number, indices=(0, 1), values=(1.5, 7)):
        return self.session.run(self.op('Stage', key=key(number), indices=indices, values=list(values)))

    def take(self, number, indices=(0, 1), dtypes=(F, I), name='Unstage'):
        return [str(v) for v in self.session.run(self.op(name, dtypes, key=key(number), indices=indices))]

    def peek(self, number, indices=(0, 1), dtypes=(F, I)):
        return self.take(number, indices, dtypes, 'Peek')

    def take_any(self, indices=(0, 1), dtypes=(F, I)):
        found = self.session.run(self.op('UnstageNoKey', dtypes, indices=indices))
        return int(found.key), [str(v) for v in found.values]

    def sizes(self):
        return [int(n) for n in self.session.run([self.op('Size'), self.op('IncompleteSize')])]

    def clear(self):
        self.session.run(self.op('Clear'))


def show(kind, what, *uses, **more):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            area = Area(kind, session, **more)
            print(kind, what, '->', [use(area) for use in uses])
        except Exception as error:
            print(kind, what, type(error).__name__, plain(str(error)))


def meanwhile(first, *then):
    """Does |first| in a thread, which waits, and the others meanwhile."""
    def use(area):
        found = []
        graph = tf.get_default_graph()

        def work():
            with graph.as_default():
                found.append(first(area))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(.2)
        waited = thread.is_alive()
        others = [each(area) for each in then]
        thread.join(20)
        return waited, found, others
    return use


sizes = Area.sizes
for kind in 'Map', 'OrderedMap':
    def case(what, *uses, **more):
        show(kind, what, *uses, **more)

    case('one', lambda a: a.put(3), sizes, lambda a: a.peek(3), sizes, lambda a: a.take(3), sizes)
    case('any', lambda a: a.put(5), lambda a: a.take_any(), sizes)
    case('parts', lambda a: a.put(3, [1], [7]), sizes, lambda a: a.put(3, [0], [1.5]), sizes, lambda a: a.take(3, [0], [F]), sizes,
         lambda a: a.peek(3, [1], [I]), lambda a: a.take_any([1], [I]), sizes)
    case('fewer', lambda a: a.put(3), lambda a: a.take(3, [0]))
    case('types', lambda a: a.put(3), lambda a: a.take(3, dtypes=[I, F]))
    case('put types', lambda a: a.put(3, [0, 1], [7, 1.5]), lambda a: a.take(3))
    case('gone', lambda a: a.put(3), lambda a: a.take(3, [0], [F]), lambda a: a.take(3))
    case('bounds', lambda a: a.put(3), lambda a: a.take(3, [2], [F]))
    case('bounds', lambda a: a.put(3), lambda a: a.take(3, [-1], [F]))
    case('order', lambda a: a.put(3), lambda a: a.take(3, [1, 0], [I, F]))
    case('empty', lambda a: a.put(3), lambda a: a.take(3, tf.zeros([0], I), [F]))
    case('put order', lambda a: a.put(3, [1, 0], [7, 1.5]))
    case('put empty', lambda a: a.put(3, tf.zeros([0], I), [1.5]))
    case('put bounds', lambda a: a.put(3, [2], [1.5]))
    case('put twice', lambda a: a.put(3, [0], [1.5]), lambda a: a.put(3, [0], [1.5]))
    case('put same', lambda a: a.put(3), lambda a: a.put(3, values=[2.5, 9]), lambda a: a.take(3), sizes)
    case('key', lambda a: a.put([3]), lambda a: a.take(3))
    case('key', lambda a: a.put(3), lambda a: a.take([3]))
    case('key', lambda a: a.put([3, 4]))
    case('key', lambda a: a.put([]))
    case('key', lambda a: a.put(3), lambda a: a.peek([3, 4]))
    case('indices', lambda a: a.put(3, [[0], [1]]), lambda a: a.take(3, [[0, 1]]))
    case('clear', lambda a: a.put(3), lambda a: a.put(4, [0], [1.5]), sizes, Area.clear, sizes)
    case('memory', lambda a: a.put(3), memory_limit=7)
    case('memory', lambda a: a.put(3, [0], [1.5]), memory_limit=3)
    case('take waits', meanwhile(lambda a: a.take(3), lambda a: a.put(4), lambda a: a.put(3), sizes))
    case('any waits', meanwhile(lambda a: a.take_any(), lambda a: a.put(4, [1], [9]), lambda a: a.put(4, [0], [2.5]), sizes))
    case('peek waits', meanwhile(lambda a: a.peek(3), lambda a: a.put(3)), sizes)
    case('put waits', lambda a: a.put(1), lambda a: a.put(2), meanwhile(lambda a: a.put(3), lambda a: a.take(1)), sizes, lambda a: a.take(3), capacity=2)
    case('put waits', lambda a: a.put(1), meanwhile(lambda a: a.put(3), Area.clear), sizes, capacity=1)
    case('parts go in', lambda a: a.put(1), lambda a: a.put(2, [0], [2.5]), lambda a: a.put(2, [1], [5]), sizes, capacity=1)
    case('memory waits', lambda a: a.put(1), meanwhile(lambda a: a.put(2), Area.clear), sizes, memory_limit=7)
show('OrderedMap', 'smallest', *[lambda a, n=n: a.put(n, values=[n, n]) for n in (5, -2, 9, 3)], *[Area.take_any] * 4)
