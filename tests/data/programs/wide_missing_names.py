import tensorflow as tf

for path in ('Session', 'placeholder', 'get_variable', 'variable_scope', 'global_variables_initializer', 'ConfigProto', 'GPUOptions', 'InteractiveSession',
             'layers', 'contrib', 'app', 'flags', 'logging', 'gfile', 'set_random_seed', 'to_float', 'log', 'mul', 'sub', 'neg', 'pack', 'div', 'assign',
             'reset_default_graph', 'get_default_graph', 'train.Saver', 'train.GradientDescentOptimizer', 'nn.softmax_cross_entropy_with_logits_v2',
             'random_normal', 'random_uniform', 'multinomial', 'read_file', 'py_func', 'enable_eager_execution', 'test.is_gpu_available',
             'initialize_all_variables', 'image.resize_images', 'math.foo', 'strings.foo', 'nothing', 'config.list_gpus', 'add'):
    obj = tf
    try:
        for part in path.split('.'):
            obj = getattr(obj, part)
        print(path, 'there')
    except AttributeError as e:
        print(path, '|', e)
