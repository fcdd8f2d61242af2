import tensorflow as tf

for name in ('mul', 'sub', 'neg', 'pack', 'unpack', 'Print', 'to_float', 'select', 'batch_matmul',
             'initialize_all_variables', 'histogram_summary', 'concat_v2', 'log', 'placeholder',
             'set_random_seed', 'random_normal', 'ConfigProto', 'GPUOptions', 'all_variables',
             'merge_all_summaries', 'inv', 'listdiff', 'complex_abs', 'mod', 'div', 'ceil'):
    try:
        getattr(tf, name)
        print('there is', name)
    except AttributeError as error:
        print(error)
try:
    tf.nn.nonsense
except AttributeError as error:
    print(error)
tf.mul(2, 3)
