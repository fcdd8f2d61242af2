import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

# tf.data of TF1 below tensorflow.compat.v1: what is made of a dataset is one, too.
D = tf.data.Dataset
s = tf.Session()
d = D.range(3).map(lambda x: x * 2)
print(isinstance(d, D), d.output_types, d.output_shapes, d.output_classes)
n = d.make_one_shot_iterator().get_next()
print([s.run(n) for _ in range(3)])
p = tf.placeholder(tf.int64, [])
it = D.range(p).shuffle(1).batch(2).repeat(2).make_initializable_iterator()
n = it.get_next()
s.run(it.initializer, {p: 3})
print([s.run(n).tolist() for _ in range(4)])
for made in (D.from_tensors([1, 2]), D.from_tensor_slices(np.arange(4)).filter(lambda x: x > 1),
             D.zip((D.range(3), D.range(3, 6))), D.from_generator(lambda: iter([5, 6]), tf.int32, []),
             D.range(4).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2), D.range(2).concatenate(D.range(1)),
             D.range(7).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 4)), D.range(3).enumerate().prefetch(1),
             D.range(5).window(2).flat_map(lambda w: w.batch(2)), D.range(3).padded_batch(2, padded_shapes=[]) if 0 else D.range(1)):
    n = made.make_one_shot_iterator().get_next()
    print(isinstance(made, D), s.run(n))
it = tf.data.Iterator.from_structure(tf.int64, [])
n, first, second = it.get_next(), it.make_initializer(D.range(2)), it.make_initializer(D.range(5, 6).map(lambda x: -x))
s.run(first)
print(s.run(n))
s.run(second)
print(s.run(n))

# Functions that use variables by reference.
w = tf.Variable(2.0, name='w')
r = tf.get_variable('r', [], use_resource=True, initializer=tf.ones_initializer())
s.run(tf.global_variables_initializer())
for f in (lambda x: x * w, lambda x: w + x, lambda x: tf.multiply(x, w), lambda x: tf.identity(w) * x,
          lambda x: tf.stack([x, w, r]), lambda x: tf.cast(x < w, tf.float32)):
    it = D.from_tensors(4.0).map(f).make_initializable_iterator()
    s.run(it.initializer)
    print(s.run(it.get_next()))
