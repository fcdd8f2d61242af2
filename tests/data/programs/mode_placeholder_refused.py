import tensorflow as tf

print(tf.constant(1))
try:
    tf.compat.v1.placeholder(tf.float32, [2])
except RuntimeError as error:
    print(type(error).__name__, error)
try:
    tf.compat.v1.Session().run(tf.constant(1))
except (RuntimeError, ValueError, TypeError) as error:
    print(type(error).__name__, error)
tf.compat.v1.global_variables_initializer()
print(tf.compat.v1.global_variables())
tf.compat.v1.placeholder_with_default(2.0, [])
