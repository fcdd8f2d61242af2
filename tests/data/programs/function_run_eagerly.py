import tensorflow as tf


@tf.function
def square_if_positive(x):
    print("python sees", x)
    return tf.where(x > 0, x * x, x)


print(square_if_positive(tf.constant([1, -2])))
tf.config.run_functions_eagerly(True)
print(tf.config.functions_run_eagerly())
print(square_if_positive(tf.constant([3, -2])))


@tf.function
def noise():
    if tf.constant(3) > 2:
        return "python branch"
    return "other"


print(noise())
tf.config.run_functions_eagerly(False)
print(tf.config.functions_run_eagerly())
print(square_if_positive(tf.constant([4, -2])))
v = tf.Variable(1)


@tf.function(autograph=False)
def deps(x):
    a = v.assign_add(x)
    b = v.assign_add(x)
    return a, b, v.read_value()


print(deps(1), deps(tf.constant(2)))
print(deps.experimental_get_tracing_count())
