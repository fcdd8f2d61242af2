import tensorflow as tf


@tf.function
def pow_tensor(x, y):
    print("tracing", type(x).__name__, y)
    return x**y


print(pow_tensor(tf.constant(2.0), 3))
print(pow_tensor(tf.constant(3.0), 3))
print(pow_tensor(tf.constant(3.0), 2))
print(pow_tensor(tf.constant([1.0, 2.0]), tf.constant(2.0)))
print(len(pow_tensor._list_all_concrete_functions()) if hasattr(pow_tensor, "_list_all_concrete_functions") else "")
print(pow_tensor.pretty_printed_concrete_signatures())
concrete = pow_tensor.get_concrete_function(tf.TensorSpec([], tf.float32), 3)
print(concrete(tf.constant(5.0)))
print(concrete.structured_input_signature)
try:
    concrete(tf.constant([1.0]))
except Exception as e:
    print(type(e).__name__, str(e)[:200])
try:
    concrete(tf.constant(1))
except Exception as e:
    print(type(e).__name__, str(e)[:200])


@tf.function
def lists(xs, d):
    return sum(xs) + d["a"] - d["b"]


print(lists([tf.constant(1), tf.constant(2)], {"a": tf.constant(10), "b": 3}))
print(lists((tf.constant(1),), {"b": tf.constant(1), "a": 5}))


@tf.function
def none_default(x, mask=None):
    return x if mask is None else x * mask


print(none_default(tf.constant(2.0)), none_default(tf.constant(2.0), tf.constant(0.5)))
