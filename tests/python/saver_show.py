#!/usr/bin/env python3
"""saver_show.py - What tf.train.Saver does: nodes, files, states, errors; printed.

Run with "tensorflow" or "berth" as its argument, in an empty folder: both print the same.
"""

import importlib
import os
import sys

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
if sys.argv[1] == 'tensorflow':
    tf = importlib.import_module('tensorflow.compat.v1')
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
else:
    os.environ['BERTH_TF'] = '1'
    tf = importlib.import_module('berth')
    tf.logging.set_verbosity(tf.logging.ERROR)


def show(label, function, *args, **kwargs):
    """Prints what |function| returns or raises."""
    try:
        print(label, '->', function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  pylint: disable=broad-except
        lines = [line for line in str(error).splitlines() if not line.lstrip().startswith('File "')]
        text = '\n'.join(line for line in lines if line.strip() not in ('^', '') and set(line.strip()) != {'^', '~'})
        print(label, '->', type(error).__name__, text.split('\nOriginal stack')[0])


def nodes(first=0):
    """Prints the nodes from |first| on."""
    for node in tf.get_default_graph().as_graph_def().node[first:]:
        attrs = {key: str(node.attr[key]).replace('\n', ' ') for key in node.attr if key in ('dtypes', '_class', 'value')}
        print(' ', node.name, node.op, list(node.input), repr(node.device), sorted(attrs.items()))


def fresh(**kwargs):
    """Begins a new graph with variables of both kinds; returns a session."""
    tf.reset_default_graph()
    tf.get_variable('a', initializer=[1.0, 2.0], use_resource=False)
    with tf.device('/cpu:0'):
        tf.get_variable('b', initializer=3, use_resource=True)
    tf.get_variable('scope/c', initializer=['x', 'yz'], use_resource=False)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def show_nodes():
    """Nodes of savers of several kinds."""
    for label, kwargs in (('plain', {}), ('named', {'name': 'keep'}), ('sharded', {'sharded': True}),
                          ('reshape', {'reshape': True}), ('old', {'write_version': 1}),
                          ('old sharded', {'write_version': 1, 'sharded': True}), ('filename', {'filename': 'f'}),
                          ('few', {'max_to_keep': None, 'keep_checkpoint_every_n_hours': 2.5})):
        fresh()
        first = len(tf.get_default_graph().as_graph_def().node)
        saver = tf.train.Saver(**kwargs)
        print(label)
        nodes(first)
        print(saver.as_saver_def())
    fresh()
    first = len(tf.get_default_graph().as_graph_def().node)
    tf.train.Saver({'x': tf.global_variables()[0], 'y': tf.global_variables()[1]})
    nodes(first)


def show_mistakes():
    """What can be wrong."""
    session = fresh()
    a, b, c = tf.global_variables()
    show('deferred', tf.train.Saver, [a], defer_build=True)
    show('not built', tf.train.Saver(defer_build=True).save, session, './x')
    show('tensor', tf.train.Saver, [tf.constant(1)])
    show('tensor in a dict', tf.train.Saver, {'x': tf.constant(1)})
    show('number as a name', tf.train.Saver, {1: a})
    show('twice', tf.train.Saver, [a, a])
    show('two names', tf.train.Saver, {'x': a, 'y': a})
    show('no list', tf.train.Saver, a)
    show('empty', tf.train.Saver, [])
    show('empty, allowed', lambda: tf.train.Saver([], allow_empty=True).save(session, './x', write_meta_graph=False))
    saver = tf.train.Saver([a, b])
    show('path in latest', saver.save, session, './x', latest_filename='a/b')
    show('collision', saver.save, session, './checkpoint')
    show('no session', saver.save, None, './x')
    show('nothing', saver.restore, session, None)
    show('no file', saver.restore, session, 'nothing')
    show('no folder', saver.save, session, './no/such/x')
    print(saver.save(session, './x', write_meta_graph=False))
    show('missing', tf.train.Saver([a, c]).restore, session, './x')
    tf.reset_default_graph()
    tf.get_variable('a', initializer=[1.0, 2.0, 3.0], use_resource=False)
    show('other shape', lambda: tf.train.Saver().restore(tf.Session(), './x'))
    tf.reset_default_graph()
    tf.get_variable('a', initializer=[1, 2], use_resource=False)
    show('other type', lambda: tf.train.Saver().restore(tf.Session(), './x'))


def show_files():
    """Files, and what is kept of them."""
    def listed():
        return sorted(name for name in os.listdir('d') if not name.endswith('.meta'))

    session = fresh()
    step = tf.Variable(7, name='step', trainable=False)
    session.run(step.initializer)
    saver = tf.train.Saver(max_to_keep=2)
    os.mkdir('d')
    for number in (1, 2, 3, step):
        print(saver.save(session, 'd/m', global_step=number), [os.path.basename(p) for p in saver.last_checkpoints])
    print(listed())
    print(open('d/checkpoint').read())
    print(tf.train.latest_checkpoint('d'), tf.train.latest_checkpoint('nowhere'))
    print(tf.train.get_checkpoint_state('d'))
    print(tf.train.list_variables('d'), tf.train.load_variable('d', 'a'), tf.train.load_variable('d', 'scope/c:0'))
    show('no variable', tf.train.load_variable, 'd', 'zz')
    print(tf.train.checkpoint_exists('d/m-7'), tf.train.checkpoint_exists('d/m-1'))
    print(len(tf.train.get_checkpoint_mtimes(['d/m-7', 'd/m-1'])))
    reader = tf.train.NewCheckpointReader('d/m-7')
    print(sorted(reader.get_variable_to_shape_map().items()), sorted(reader.get_variable_to_dtype_map().items(), key=str))
    print(reader.has_tensor('a'), reader.has_tensor('q'), reader.get_tensor('b'), type(reader.get_tensor('b')))
    print(reader.debug_string().decode())
    show('no reader', tf.train.NewCheckpointReader, 'nothing')
    again = tf.train.Saver(max_to_keep=2, pad_step_number=True, save_relative_paths=True)
    again.recover_last_checkpoints(tf.train.get_checkpoint_state('d').all_model_checkpoint_paths)
    print(again.last_checkpoints)
    print(again.save(session, os.path.abspath('d/m'), global_step=9)[-12:])
    print(open('d/checkpoint').read())
    print(listed())
    tf.train.remove_checkpoint('d/m-7')
    print(listed())
    sharded = tf.train.Saver(sharded=True)
    print(sharded.save(session, 'd/s'), listed())
    session.run([v.assign(v.initial_value) for v in tf.global_variables() if v.dtype.base_dtype != tf.string])
    sharded.restore(session, 'd/s')
    print(session.run(tf.global_variables()))
    old = tf.train.Saver(write_version=tf.train.SaverDef.V1)
    print(old.save(session, 'd/old', write_state=False), listed())
    old.restore(session, 'd/old')
    print(tf.train.list_variables('d/old'))


def show_meta():
    """A graph in a file, and from it."""
    session = fresh()
    tf.add_to_collection('numbers', 3)
    tf.add_to_collection('words', 'hello')
    tf.add_to_collection('parts', 1.5)
    tf.add_to_collection('nodes', tf.global_variables()[0].op)
    session.run(tf.assign(tf.global_variables()[0], [5.0, 6.0]))
    tf.train.Saver().save(session, './g', global_step=1)
    message = tf.train.export_meta_graph()
    print(sorted(message.collection_def))
    for key in sorted(message.collection_def):
        print(key, message.collection_def[key])
    for scope in (None, 'inside'):
        tf.reset_default_graph()
        saver = tf.train.import_meta_graph('g-1.meta', import_scope=scope)
        names = [node.name for node in tf.get_default_graph().as_graph_def().node]
        print(len(names), names[:4], saver.as_saver_def())
        print({key: [getattr(item, 'name', item) for item in tf.get_collection(key)]
               for key in sorted(tf.get_default_graph().get_all_collection_keys())})
        with tf.Session() as session:
            saver.restore(session, './g-1')
            print(session.run(tf.global_variables()), [v.trainable for v in tf.global_variables()])
            session.run(tf.global_variables_initializer())
            print(session.run(tf.global_variables()))
    show('no file', tf.train.import_meta_graph, 'nothing.meta')
    open('bad.meta', 'w').write('no message')
    print(tf.train.export_meta_graph(clear_devices=True).graph_def.node[3].device == '')


for part in (show_nodes, show_mistakes, show_files, show_meta):
    print(f'# {part.__doc__}')
    part()
