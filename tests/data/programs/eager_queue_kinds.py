import tensorflow as tf

p = tf.queue.PriorityQueue(4, [tf.string], [()])
p.enqueue((tf.constant(5, tf.int64), "five"))
p.enqueue((tf.constant(1, tf.int64), "one"))
print(p.dequeue(), p.dequeue())
f = tf.queue.PaddingFIFOQueue(4, [tf.int32], [[None]])
f.enqueue([[1, 2]])
f.enqueue([[3]])
print(f.dequeue_many(2))
r = tf.queue.RandomShuffleQueue(3, 0, [tf.int32], [()], seed=1)
r.enqueue_many([[1, 2, 3]])
print(sorted(int(r.dequeue()) for _ in range(3)))
