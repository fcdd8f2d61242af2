import tensorflow as tf


class Mean(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.total = tf.Variable(0.0, trainable=False, name="total")
        self.count = tf.Variable(0, trainable=False, dtype=tf.int64, name="count")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def update(self, values):
        self.total.assign_add(tf.reduce_sum(values))
        self.count.assign_add(tf.cast(tf.size(values), tf.int64))

    def result(self):
        return self.total / tf.cast(self.count, tf.float32)

    def reset(self):
        for v in self.variables:
            v.assign(tf.zeros_like(v))


m = Mean("loss")
m.update([1.0, 2.0, 3.0])
m.update(tf.constant([10.0]))
print(m.result(), m.count, m.total)
print([v.name for v in m.variables], m.trainable_variables)
m.reset()
print(m.total.numpy(), m.count.numpy(), m.result())
labels = tf.constant([0, 1, 2, 1])
logits = tf.constant([[2.0, 1.0, 0.1], [0.5, 2.5, 0.0], [0.1, 0.2, 3.0], [1.5, 0.3, 0.2]])
predicted = tf.argmax(logits, axis=1, output_type=tf.int32)
print(predicted, tf.reduce_mean(tf.cast(predicted == labels, tf.float32)))
print(tf.math.in_top_k(labels, logits, 2))
print(tf.reduce_sum(tf.one_hot(labels, 3) * tf.nn.softmax(logits), axis=1))
print(tf.nn.top_k(logits, k=2).indices)
