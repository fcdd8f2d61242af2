import tensorflow as tf

try:
    tf.reshape(tf.range(4), [3])
except tf.errors.InvalidArgumentError as e:
    print(e.error_code, tf.errors.INVALID_ARGUMENT, e.message, e.op, e.node_def)
    print(isinstance(e, tf.errors.OpError), type(e).__mro__[1].__name__, e.experimental_payloads)
try:
    tf.gather([1, 2], [5])
except tf.errors.OpError as e:
    print(type(e).__name__, e.message)
for cls in (tf.errors.NotFoundError, tf.errors.OutOfRangeError, tf.errors.UnimplementedError, tf.errors.InternalError):
    error = cls(None, None, "text")
    print(cls.__name__, error.error_code, str(error), repr(error))
try:
    raise tf.errors.AbortedError(None, None, "stop")
except tf.errors.AbortedError as e:
    print("caught", e)
try:
    tf.io.gfile.GFile("/nonexistent/file").read()
except tf.errors.NotFoundError as e:
    print("NotFoundError", e)
try:
    tf.zeros([2, 2])[2]
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.squeeze(tf.zeros([2, 2]), axis=0)
except Exception as e:
    print(type(e).__name__, e)
try:
    tf.no_such_function
except AttributeError as e:
    print(str(e).split(";")[0])
try:
    tf.add(1)
except TypeError as e:
    print(e)
try:
    tf.add(1, 2, 3, 4)
except TypeError as e:
    print(e)
try:
    tf.reduce_sum(axis=0)
except TypeError as e:
    print(e)
