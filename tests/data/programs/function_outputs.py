import collections

import tensorflow as tf

Point = collections.namedtuple("Point", ["x", "y"])


@tf.function
def many(x):
    return {"a": x, "b": [x + 1, (x * 2, None)], "c": Point(x, 3), "d": "text"}


print(many(tf.constant(1)))


@tf.function
def nothing(x):
    tf.print(x)


print(nothing(tf.constant(1)))


@tf.function
def python_value():
    return 5, 2.5, True, None


print(python_value())


@tf.function
def point(p, scale=2.0):
    return Point(p.x * scale, p.y * scale)


print(point(Point(tf.constant(1.0), tf.constant(2.0))))


@tf.function
def nested(d):
    return tf.nest.map_structure(lambda t: t * t, d)


print(nested({"k": tf.constant(3), "l": [tf.constant(4.0)]}))
cf = many.get_concrete_function(tf.TensorSpec([None], tf.int32))
print(cf.outputs)
print(cf.inputs)
print(cf.structured_outputs)
print(cf.graph.as_graph_def().node[0].op, [op.type for op in cf.graph.get_operations()])
try:
    tf.function(lambda: object())()
except Exception as e:
    print(type(e).__name__, str(e)[:100])
