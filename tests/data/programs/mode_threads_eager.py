import threading
import tensorflow as tf

tf.compat.v1.disable_eager_execution()
seen = []


def work():
    seen.append(tf.executing_eagerly())


thread = threading.Thread(target=work)
thread.start()
thread.join()
print(tf.executing_eagerly(), seen)
g = tf.Graph()
with g.as_default():
    tf.constant(1, name='inner')
print([op.name for op in g.get_operations()])
