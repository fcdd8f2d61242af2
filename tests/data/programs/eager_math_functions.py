import tensorflow as tf

x = tf.constant([-2.0, -0.5, 0.0, 0.5, 2.0])
for name in ("abs", "negative", "sign", "square", "exp", "floor", "ceil", "round", "tanh", "sigmoid", "softplus",
             "rint", "erf", "expm1", "log1p", "is_nan", "is_inf", "is_finite", "reciprocal", "softsign"):
    print(name, getattr(tf.math, name)(x).numpy())
p = tf.constant([0.5, 1.0, 4.0])
for name in ("sqrt", "rsqrt", "log", "lgamma", "digamma"):
    print(name, getattr(tf.math, name)(p).numpy())
print(tf.pow(2.0, 3.0), tf.pow([2, 3], [3, 2]), tf.math.floormod(-7, 3), tf.math.mod(7.5, 2.0), tf.truediv(7, 2))
print(tf.maximum([1, 5], [3, 2]), tf.minimum(1.0, [0.5, 2.0]), tf.math.squared_difference([1, 5], [3, 2]))
print(tf.math.divide_no_nan(1.0, 0.0), tf.math.multiply_no_nan(float("nan"), 0.0), tf.math.xdivy(0.0, 0.0))
print(tf.logical_and([True, False], True), tf.logical_or(False, False), tf.logical_not([True]), tf.math.logical_xor(True, True))
print(tf.less([1, 2], 2), tf.greater_equal(2, [1, 2, 3]), tf.equal("a", ["a", "b"]), tf.not_equal(1, 2))
print(tf.nn.relu(x), tf.nn.relu6(x * 5), tf.nn.leaky_relu(x), tf.nn.elu(x), tf.nn.selu(x))
print(tf.nn.softmax([1.0, 2.0, 3.0]), tf.nn.log_softmax([1.0, 2.0]), tf.nn.l2_normalize([3.0, 4.0]))
print(tf.math.accumulate_n([[1, 2], [3, 4]]), tf.math.polyval([1, 2, 3], 2), tf.math.zero_fraction([0, 1]))
print(tf.math.sin(0.5), tf.math.cos(0.5), tf.math.atan2(1.0, 2.0), tf.abs(tf.constant(-3)))
