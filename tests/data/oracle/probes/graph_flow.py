# mode: v1
# what: what conditionals and loops give: nested, with variables, asserts, callbacks and random numbers
import numpy as np
import tensorflow as tf
x=tf.placeholder(tf.int32,[],name='x'); y=tf.placeholder(tf.float32,[None,2],name='y')
v=tf.Variable(1.,name='v'); rv=tf.get_variable('rv',initializer=2.,use_resource=True)
s=tf.Session(); s.run(tf.global_variables_initializer())
def t(f, *feeds):
    try: out=f()
    except Exception as e: print('build', type(e).__name__, str(e)[:200]); return
    for x_ in feeds or (0,3,7):
        try: print(s.run(out, {x:x_, y:np.arange(4,dtype='f').reshape(2,2)}))
        except Exception as e: print(type(e).__name__)
t(lambda: tf.cond(x>2, lambda: x+1, lambda: x-1))
t(lambda: tf.cond(x>2, lambda: (tf.square(y), [tf.constant(1.)]), lambda: (y, [tf.constant(2.)])))
t(lambda: tf.cond(x>2, lambda: tf.cond(x>5, lambda: x*2, lambda: x*3), lambda: tf.while_loop(lambda i: i<10, lambda i: i+4, [x])))
t(lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 3, [x]))
t(lambda: tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, a*2.), [0, y]))
t(lambda: tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, tf.concat([a,a],0)), [0, tf.ones([1,2])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None,2])]))
t(lambda: tf.while_loop(lambda i: i < 100, lambda i: i + 1, [x], maximum_iterations=5))
t(lambda: tf.while_loop(lambda i, n: i < x, lambda i, n: (i+1, n + tf.while_loop(lambda j, m: j<i, lambda j, m: (j+1, m+j), [0, 0])[1]), [0, 0]))
t(lambda: tf.while_loop(lambda i, n: i < 6, lambda i, n: (i+1, tf.cond(i>x, lambda: n+i, lambda: n-i)), [0, 0]))
t(lambda: tf.while_loop(lambda i: i < x, lambda i: tf.group(tf.assign_add(v,1.)) and i+1, [0]))
def upd(i):
    with tf.control_dependencies([tf.assign_add(v, 1.)]): return tf.identity(i)+1
t(lambda: tf.while_loop(lambda i: i < x, upd, [0])); print(s.run(v))
def updr(i):
    with tf.control_dependencies([rv.assign_add(1.)]): return tf.identity(i)+1
t(lambda: tf.while_loop(lambda i: i < x, updr, [0])); print(s.run(rv))
t(lambda: tf.case([(x>5, lambda: tf.constant(1)), (x>2, lambda: tf.constant(2))], default=lambda: tf.constant(3)))
t(lambda: tf.case([(x>5, lambda: tf.constant(1)), (x>2, lambda: tf.constant(2))]))
t(lambda: tf.case([(x>1, lambda: tf.constant(1)), (x>2, lambda: tf.constant(2))], default=lambda: x, exclusive=True))
t(lambda: tf.Assert(x>2, [tf.cast(x, tf.float32), 'is x', y], summarize=2))
t(lambda: tf.nn.zero_fraction(y)); t(lambda: v.initialized_value())
w=tf.Variable(5.); t(lambda: w.initialized_value(), 1)
t(lambda: tf.image.random_flip_left_right(tf.reshape(tf.range(12.),[2,2,3]), seed=3), 1, 2, 3, 4)
t(lambda: tf.cond(x>2, lambda: tf.py_func(lambda a: a*10, [x], tf.int32), lambda: tf.py_func(lambda a: -a, [x], tf.int32)))
t(lambda: tf.while_loop(lambda i: i < x, lambda i: tf.py_func(lambda a: np.int32(a+2), [i], tf.int32), [0], shape_invariants=[tf.TensorShape(None)]))
t(lambda: tf.cond(x>2, lambda: tf.assign(v, 100.), lambda: tf.assign(v, 200.))); print(s.run(v))
t(lambda: tf.cond(x>2, lambda: 1/(x-3), lambda: tf.constant(2., tf.float64)))
sw = tf.raw_ops.Switch(data=x, pred=x>2); t(lambda: sw[0], 0, 3); t(lambda: tf.raw_ops.Merge(inputs=[sw[0]*2, sw[1]*3]), 0, 3)
t(lambda: tf.while_loop(lambda i, r: i<3, lambda i, r: (i+1, r+tf.random_uniform([],seed=1)), [0, 0.]), 0)
