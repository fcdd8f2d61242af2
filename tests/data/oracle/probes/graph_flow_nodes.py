# mode: v1
# what: the nodes that cond, case and while_loop make, and what they refuse
import tensorflow as tf
x = tf.placeholder(tf.int32, [], name='x'); y = tf.placeholder(tf.float32, [None, 2], name='y')


def show(build):
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    try:
        print(build())
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[0])
    for node in list(graph.as_graph_def().node)[before:]:
        attrs = [(k, v.s or v.b or v.i or list(v.list.s)) for k, v in sorted(node.attr.items())
                 if k in ('frame_name', 'is_constant', '_class')]
        print('  ', node.name, node.op, list(node.input), attrs)


show(lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0, name='i0')]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, (0,), return_same_structure=True))
show(lambda: tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, a*y), [0, y], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None,2])]))
show(lambda: tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, tf.concat([a,a],0)), [0, tf.ones([1,2])]))
show(lambda: tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, tf.concat([a,a],0)), [0, tf.ones([1,2])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None,2])]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x], maximum_iterations=5))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.while_loop(lambda j: j<i, lambda j: j+1, [0]) + i, [x]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cond(i>1, lambda: i+x, lambda: i+2), [x]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: (i,i), [x]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.constant(1), [x]))
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: x*x, [x]))
leak=[]
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: leak.append(i) or i+1, [x]))
def ctl(i):
    with tf.control_dependencies([y]): return i+1
show(lambda: tf.while_loop(lambda i: i < 3, ctl, [x]))
show(lambda: tf.while_loop(3, ctl, [x])); show(lambda: tf.while_loop(lambda i: i<3, ctl, [])); show(lambda: tf.while_loop(lambda i: i<3, ctl, [x], parallel_iterations=0))
show(lambda: tf.while_loop(lambda d: d['i'] < 3, lambda d: {'i': d['i']+1, 'j': [d['j'][0]*2]}, [{'i': x, 'j': [x]}]))
v=tf.Variable(1.); 
show(lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(tf.assign_add(v,1.),tf.int32), [x]))
show(lambda: tf.case([(x>1, lambda: tf.constant(1)), (x>2, lambda: tf.constant(2))], default=lambda: tf.constant(3)))
show(lambda: tf.case([(x>1, lambda: tf.constant(1)), (x<2, lambda: tf.constant(2))], default=lambda: tf.constant(3), exclusive=True))
show(lambda: tf.case([(x>1, lambda: tf.constant(1)), (x<2, lambda: tf.constant(2))]))
show(lambda: tf.case({x>1: lambda: tf.constant(1), x<2: lambda: tf.constant(2)}, default=lambda: x))
show(lambda: tf.cond(True, lambda: x, lambda: x))
show(lambda: tf.cond(x>1, lambda: x, lambda: 1.0))
show(lambda: tf.cond(x>1, lambda: x, lambda: (x,x)))
show(lambda: tf.cond(x>1, lambda: None, lambda: x))
show(lambda: tf.cond(x>1, 3, lambda: x))
show(lambda: tf.cond(x>1, lambda: {'a':x,'b':[x]}, lambda: {'a':x+1,'b':[x]}))
show(lambda: tf.cond(x>1, lambda: [x], lambda: [x], strict=True))
