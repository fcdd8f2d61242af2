import tensorflow as tf

try:
    # %tensorflow_version only exists in Colab.
    get_ipython().run_line_magic('tensorflow_version', '2.x')
except Exception:
    pass
assert tf.__version__ >= '2.0', 'needs TF 2'
print('Eager execution:', tf.executing_eagerly())
if not tf.executing_eagerly():
    tf.enable_eager_execution()
try:
    AUTOTUNE = tf.data.AUTOTUNE if tf.__version__ < '2' else -1
except AttributeError:
    AUTOTUNE = None
print(AUTOTUNE)
try:
    reduce_mean = tf.math.reduce_mean
except AttributeError:
    reduce_mean = tf.reduce_mean
print(reduce_mean([1., 2.]))
