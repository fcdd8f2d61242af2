# TF1
import tensorflow as tf

a = tf.constant([[1., 2.], [3., 4.]])
v = tf.Variable(a)
for call in (
        lambda: tf.add(a), lambda: tf.add(a, a, 'n', 4), lambda: tf.add(a, z=a), lambda: tf.multiply(x=a), lambda: tf.matmul(a),
        lambda: tf.placeholder(), lambda: tf.placeholder(tf.float32, [1], 'n', 4), lambda: tf.get_variable(), lambda: tf.Session(1, 2, 3, 4),
        lambda: tf.assign(v), lambda: tf.assign_add(v, 1., True, 'n', 4), lambda: tf.concat([a]), lambda: tf.split(a), lambda: tf.expand_dims(),
        lambda: tf.reduce_sum(), lambda: tf.reduce_sum(a, axes=1), lambda: tf.to_float(), lambda: tf.div(a), lambda: tf.log(), lambda: tf.gather(a),
        lambda: tf.random_normal(), lambda: tf.random_uniform(maxval=1), lambda: tf.truncated_normal(stddev=1.), lambda: tf.one_hot([1]),
        lambda: tf.nn.softmax(), lambda: tf.nn.dropout(), lambda: tf.nn.relu(a, 'n', 3), lambda: tf.nn.bias_add(a), lambda: tf.py_func(), lambda: tf.cond(),
        lambda: tf.while_loop(), lambda: tf.group(1), lambda: tf.name_scope, lambda: tf.variable_scope(), lambda: tf.FIFOQueue(), lambda: tf.FIFOQueue(3),
        lambda: tf.string_to_number(), lambda: tf.sparse_to_dense([0]), lambda: tf.squeeze(a, dims=1), lambda: tf.argmax(), lambda: tf.transpose(perm=[1, 0])):
    try:
        text = str(call())
        print('no error', text[:12])
    except Exception as e:
        print(type(e).__name__, e)
