# TF1
import tensorflow as tf

for name in ('mul', 'sub', 'neg', 'pack', 'unpack', 'select', 'batch_matmul', 'concat_v2',
             'scalar_summary', 'merge_all_summaries', 'inv', 'listdiff', 'complex_abs'):
    try:
        getattr(tf, name)
        print('there is', name)
    except AttributeError as error:
        print(error)
for name in ('div', 'mod', 'log', 'to_float', 'all_variables', 'Print', 'ceil', 'initialize_all_variables'):
    print(name, callable(getattr(tf, name)))
with tf.Session() as sess:
    print(sess.run(tf.div(7, 2)), sess.run(tf.mod(7, 4)))
    sess.run(tf.sub(3, 2))
