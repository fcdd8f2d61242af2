import tensorflow as tf

e = tf.errors.InvalidArgumentError(None, None, 'a text')
print(e, repr(e), e.message, e.error_code, e.op, e.node_def, e.args, e.experimental_payloads)
for cls in (tf.errors.NotFoundError, tf.errors.OutOfRangeError, tf.errors.ResourceExhaustedError, tf.errors.UnimplementedError, tf.errors.UnavailableError):
    x = cls(None, None, 'm')
    print(cls.__name__, cls.__mro__[1].__name__, x.error_code, isinstance(x, tf.errors.OpError))
print(tf.errors.OK, tf.errors.CANCELLED, tf.errors.INTERNAL, tf.errors.DATA_LOSS)
try:
    tf.gather([1, 2, 3], 7)
except tf.errors.InvalidArgumentError as err:
    print(err.message, err.op, err.error_code)
try:
    raise tf.errors.AbortedError(None, None, 'stopped')
except tf.errors.OpError as err:
    print(type(err), err)
with tf.compat.v1.errors.raise_exception_on_not_ok_status() if hasattr(tf.compat.v1.errors, 'raise_exception_on_not_ok_status') else open('/dev/null'):
    print('inside')
print(tf.compat.v1.errors.exception_type_from_error_code(3), tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError))
