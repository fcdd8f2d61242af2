import tensorflow as tf

@tf.function
def f(a, b=2):
    c = tf.multiply(a, b, name='prod')
    with tf.name_scope('inner'):
        d = tf.add(c, 1, name='sum')
    return {'c': c, 'd': [d, d]}

cf = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32, name='first'))
print([op.name for op in cf.graph.get_operations()])
print(cf.inputs, cf.outputs)
print(cf.structured_input_signature, cf.structured_outputs)
print(cf.name.decode().startswith('__inference_f_') if isinstance(cf.name, bytes) else cf.name[:14], cf.graph.name, cf.captured_inputs, cf.variables)
print(cf(tf.ones([1, 2])))
print(cf(first=tf.ones([1, 2]))['d'][0])
print(type(cf).__name__, type(f).__name__, callable(f.python_function))
try:
    cf(tf.ones([1, 3]))
except Exception as e:
    print(type(e).__name__, str(e).split('\n')[0])
g = tf.Graph()
with g.as_default():
    t = tf.constant(1)
    print(t, tf.executing_eagerly(), tf.inside_function())
with tf.init_scope():
    print(tf.executing_eagerly())
print(tf.compat.v1.executing_eagerly_outside_functions())
