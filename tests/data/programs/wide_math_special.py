import numpy as np
import tensorflow as tf

x = tf.constant([0.5, 1.5, 2.5])
for name in ('exp', 'log', 'log1p', 'expm1', 'sqrt', 'rsqrt', 'reciprocal', 'sin', 'cos', 'tan', 'atan', 'sinh', 'cosh', 'asinh', 'erf', 'erfc', 'lgamma', 'digamma', 'rint', 'square', 'tanh', 'sigmoid', 'is_nan', 'is_finite'):
    print(name, np.round(getattr(tf.math, name)(x).numpy().astype('float64'), 4))
print(tf.math.atan2([1.], [1.]), tf.math.pow([2, 3], [3, 2]), tf.math.mod(-7, 3), tf.math.floormod(-7., 3.), tf.math.squared_difference(3, 5), tf.math.xlogy(0., 0.))
print(tf.math.multiply_no_nan(1., 0.), tf.math.divide_no_nan([1., 2.], [0., 4.]), tf.math.igamma(1., 2.), tf.math.betainc(1., 1., 0.5), tf.math.polyval([1, 2, 3], 2))
print(tf.math.accumulate_n([x, x]), tf.add_n([x, x, x]), tf.math.invert_permutation([2, 0, 1]), tf.math.nextafter(1., 2.), tf.math.conj(1 + 2j), tf.math.angle(1j), tf.complex(1., 2.))
print(tf.bitwise.bitwise_and(6, 3), tf.bitwise.left_shift(1, 4), tf.bitwise.invert(tf.constant(0, tf.uint8)), tf.bitcast(1.0, tf.int32), tf.math.logical_xor([True], [True]))
print(tf.constant(5) // tf.constant(0) if False else 'skip', tf.constant(5.) / 0., tf.constant(0.) / 0., tf.math.log(-1.), tf.sqrt(-1.), tf.constant(7) % 4)
for bad in (lambda: tf.constant(5) // 0, lambda: tf.constant(5) % 0, lambda: tf.exp(1), lambda: tf.math.log('a'), lambda: tf.math.pow(2, -1), lambda: tf.math.atan2(1, 1),
            lambda: tf.add_n([]), lambda: tf.add_n([x, 'a']), lambda: tf.add_n(3), lambda: tf.complex(1, 2), lambda: tf.bitwise.bitwise_and(1., 2.), lambda: tf.math.invert_permutation([0, 0]), lambda: tf.bitcast(1.0, tf.int8).shape, lambda: tf.bitcast([1, 2, 3], tf.int64)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
