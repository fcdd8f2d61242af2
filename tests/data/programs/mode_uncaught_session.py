import tensorflow as tf

print('start', tf.constant([1, 2]).numpy())
try:
    tf.Session()
except AttributeError:
    print('no session')
tf.contrib.layers if hasattr(tf, 'contrib') else print('no contrib')
graph = tf.Graph()
with graph.as_default():
    x = tf.constant(1)
print(x)
x.numpy()
