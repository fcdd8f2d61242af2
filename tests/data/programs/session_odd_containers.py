# TF1
import collections
import dataclasses
import types
import tensorflow as tf


class MyList(list):
    pass


class MyDict(dict):
    pass


class Pair(tuple):
    def __new__(cls, a, b):
        return tuple.__new__(cls, (a, b))


@dataclasses.dataclass
class Data:
    a: object


a = tf.constant(1.0)
b = tf.constant([2, 3])
with tf.Session() as sess:
    for fetch in [MyList([a, b]), MyDict(a=a), Pair(a, b), types.MappingProxyType({'k': a}), ((), [], {}), [[[[a]]]],
                  {('t', 1): a, 2: [b]}, [(a, b), {'z': {'y': {'x': b}}}],
                  collections.deque([a]), Data(a), (t for t in [a]), {a.name: a.name}, [a.op, b.op], {'only': a.op}]:
        try:
            out = sess.run(fetch)
            print(type(out).__name__, out)
        except Exception as e:
            print(type(e).__name__, str(e).split(' object at')[0][:120])
