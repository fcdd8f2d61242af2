import tensorflow as tf


@tf.function
def f(x, y):
    with tf.name_scope("inner"):
        z = tf.add(x, y, name="total")
    return tf.identity(z, name="out")


cf = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([2], tf.float32, name="bias"))
for op in cf.graph.get_operations():
    print(op.name, op.type, [i.name for i in op.inputs])
print(cf.graph.inputs, cf.graph.outputs)
print(cf.name.startswith(b"__inference_f_"))
print(cf.structured_input_signature)
print(cf.output_dtypes, cf.output_shapes)
print(cf.captured_inputs, cf.variables, cf.trainable_variables)
print(cf(tf.ones([1, 2]), tf.ones([2])))
print(cf(x=tf.ones([1, 2]), bias=tf.ones([2])) if False else "")
v = tf.Variable([1.0, 2.0])
c = tf.constant([5.0, 5.0])


@tf.function
def g(x):
    return x * v + c


cg = g.get_concrete_function(tf.TensorSpec([2], tf.float32))
print(len(cg.captured_inputs), cg.variables, [i.dtype for i in cg.inputs])
print(cg(tf.constant([2.0, 2.0])))
print(tf.__version__.split(".")[0], cg.graph.building_function)
print(cf.function_type)
