# TF1
import tensorflow as tf
from google.protobuf import text_format

text = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 2 } } } }
node { name: "y" op: "Mul" input: "x" input: "c" device: "/cpu:0" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Neg" input: "y" input: "^c" attr { key: "T" value { type: DT_FLOAT } } }
"""
gd = text_format.Parse(text, tf.GraphDef())
z, = tf.import_graph_def(gd, return_elements=['z:0'], name='g')
print(z, z.op.control_inputs, z.op.inputs[0].device)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [str(t.shape) for t in op.outputs])
with tf.Session() as sess:
    print(sess.run(z, {'g/x:0': [1., 2., 3.]}))
    print(sess.run('g/c:0'))
node = tf.NodeDef(name='n', op='Add', input=['a', 'b'])
node.attr['T'].CopyFrom(tf.AttrValue(type=tf.float32.as_datatype_enum))
print(node)
print(gd.node[1].attr['value'].tensor.float_val, tf.make_ndarray(gd.node[1].attr['value'].tensor))
print(text_format.MessageToString(gd.node[2]))
for broken in ('node { name: "a" op: "Neg" }', 'node { name: "a" op: "Neg" input: "b" }',
               'node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" }',
               'node { name: "a b" op: "NoOp" }', 'node { name: "a" op: "Const" }'):
    try:
        tf.import_graph_def(text_format.Parse(broken, tf.GraphDef()), name='')
        print('imported')
    except (ValueError, tf.errors.OpError) as e:
        print(type(e).__name__, e)
