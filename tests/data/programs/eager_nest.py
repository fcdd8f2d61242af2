import collections

import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


P = collections.namedtuple("P", "x y")
s = {"b": [1, (2, 3)], "a": P(4, {"k": 5})}
attempt(lambda: tf.nest.flatten(s))
attempt(lambda: tf.nest.map_structure(lambda v: v * 10, s))
attempt(lambda: tf.nest.pack_sequence_as(s, list("abcde")))
attempt(lambda: tf.nest.map_structure(lambda a, b: a + b, [1, [2]], [10, [20]]))
attempt(lambda: tf.nest.map_structure(lambda a, b: a + b, [1, [2]], [10, 20]))
attempt(lambda: tf.nest.map_structure(lambda a, b: a, {"a": 1}, {"b": 1}))
attempt(lambda: tf.nest.assert_same_structure([1, 2], (1, 2)))
attempt(lambda: tf.nest.assert_same_structure([1, 2], [1]))
attempt(lambda: tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False))
attempt(lambda: tf.nest.is_nested([1]))
attempt(lambda: (tf.nest.is_nested("a"), tf.nest.is_nested({}), tf.nest.is_nested(tf.constant([1]))))
attempt(lambda: tf.nest.pack_sequence_as([1, 2], [1]))
attempt(lambda: tf.nest.flatten(None))
attempt(lambda: tf.nest.flatten(tf.constant([1, 2])))
attempt(lambda: tf.nest.flatten({3: "c", 1: "a"}))
attempt(lambda: tf.nest.flatten({"a": 1, 2: 3}))
attempt(lambda: tf.nest.map_structure(tf.square, (tf.constant(2), [tf.constant(3.0)])))
attempt(lambda: tf.nest.map_structure(5, [1]))
attempt(lambda: tf.nest.flatten(s, expand_composites=True))
attempt(lambda: tf.nest.flatten(collections.OrderedDict([("z", 1), ("a", 2)])))
attempt(lambda: tf.nest.pack_sequence_as(collections.OrderedDict([("z", 1), ("a", 2)]), [10, 20]))
attempt(lambda: tf.nest.map_structure(lambda v: v, [[], {}, ()]))
