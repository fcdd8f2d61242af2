import tensorflow as tf


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", e)


q = tf.queue.FIFOQueue(3, tf.float32, shapes=[[]], names=None)
q.enqueue(1.0)
q.enqueue_many([[2.0, 3.0]])
print(q.size(), q.dequeue(), q.dequeue_many(2), q.size())
print(q.dtypes, q.shapes, q.names, q.name, q.is_closed())
attempt(lambda: q.enqueue([1.0, 2.0]))
attempt(lambda: q.enqueue("a"))
q.enqueue(9.0)
q.close()
print(q.is_closed(), q.dequeue())
attempt(lambda: q.dequeue())
attempt(lambda: q.enqueue(1.0))
two = tf.queue.FIFOQueue(5, [tf.int32, tf.string], shapes=[[2], []], names=["a", "b"])
two.enqueue({"a": [1, 2], "b": "x"})
two.enqueue({"a": [3, 4], "b": "y"})
print(two.dequeue_many(2))
attempt(lambda: two.enqueue({"a": [1, 2]}))
attempt(lambda: two.enqueue([[1, 2], "a"]))
a = tf.queue.FIFOQueue(2, tf.int32, [[]])
b = tf.queue.FIFOQueue(2, tf.int32, [[]])
b.enqueue(7)
print(tf.queue.QueueBase.from_list(1, [a, b]).dequeue())
print(q.dequeue_up_to(3) if False else "", type(q).__name__, q.queue_ref.dtype)
