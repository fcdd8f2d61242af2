import tensorflow as tf
from tensorflow.python.client import session as session_lib
from tensorflow.python.framework import ops
from tensorflow.python.ops import variables as variables_lib
from tensorflow.python.ops import array_ops, math_ops, control_flow_ops
from tensorflow.python.framework.errors import FailedPreconditionError

with ops.Graph().as_default() as graph:
    x = array_ops.placeholder(tf.float32, shape=[None, 2], name='x')
    v = variables_lib.Variable([[1.0], [2.0]], name='v')
    y = math_ops.matmul(x, v, name='y')
    with ops.name_scope('scope'):
        z = array_ops.identity(y, name='z')
    with ops.control_dependencies([z]):
        done = control_flow_ops.no_op('done')
    print(x, v, y, z.name, done.name)
    with session_lib.Session(graph=graph) as sess:
        try:
            sess.run(y, {x: [[1, 2]]})
        except FailedPreconditionError as error:
            print('FailedPreconditionError', 'v' in error.message)
        sess.run(variables_lib.global_variables_initializer())
        print(sess.run([y, z], {x: [[1, 2]]}))
print(ops.get_default_graph() is graph, tf.executing_eagerly())
