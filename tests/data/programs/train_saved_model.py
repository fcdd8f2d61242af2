# TF1
"""SavedModels of TF1: what is in the files, what is loaded of them, what is refused."""
import hashlib
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

folder = tempfile.mkdtemp()


def told(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, 'FOLDER'))


def show(path):
    for root, _, files in sorted(os.walk(path)):
        for name in sorted(files):
            data = open(os.path.join(root, name), 'rb').read()
            digest = hashlib.md5(data).hexdigest() if not name.startswith('saved_model.pb') else ''
            print(' ', os.path.relpath(os.path.join(root, name), path), digest)
    if os.path.exists(os.path.join(path, 'saved_model.pb')):
        model = saved_model_pb2.SavedModel.FromString(open(os.path.join(path, 'saved_model.pb'), 'rb').read())
    else:
        return
    print(model.saved_model_schema_version)
    for message in model.meta_graphs:
        print(sorted(message.meta_info_def.tags), message.meta_info_def.stripped_default_attrs)
        print(message.saver_def)
        for key in sorted(message.signature_def):
            signature = message.signature_def[key]
            print(key, signature.method_name)
            for infos in (signature.inputs, signature.outputs):
                for name in sorted(infos):
                    print(' ', name, infos[name])
        for node in message.graph_def.node:
            attrs = [key for key in sorted(node.attr) if key != '_output_shapes']
            print(' ', node.name, node.op, [i for i in node.input if i[0] != '^'],
                  sorted(i for i in node.input if i[0] == '^'), node.device, attrs)
        for key in sorted(message.collection_def):
            value = message.collection_def[key]
            print(' ', key, value.WhichOneof('kind'), len(getattr(value, value.WhichOneof('kind')).value))


# One signature, by the shortest way.
x = tf.placeholder(tf.float32, [None, 2], name='x')
w = tf.get_variable('w', initializer=[[1.], [2.]])
with tf.device('/cpu:0'):
    b = tf.get_variable('b', initializer=[3.], use_resource=True)
y = tf.identity(tf.matmul(x, w) + b, name='y')
sess = tf.Session()
sess.run(tf.global_variables_initializer())
simple = os.path.join(folder, 'simple')
print(tf.saved_model.simple_save(sess, simple, inputs={'x': x}, outputs={'y': y, 'w': w}))
show(simple)
told(lambda: tf.saved_model.simple_save(sess, simple, inputs={'x': x}, outputs={'y': y}))
told(lambda: tf.saved_model.simple_save(sess, folder + '/no', inputs={}, outputs={'y': y}))
told(lambda: tf.saved_model.simple_save(sess, folder + '/no', inputs={'x': x}, outputs=None))
for scope in (None, 'inner/scope'):
    with tf.Session(graph=tf.Graph()) as other:
        message = tf.saved_model.loader.load(other, [tf.saved_model.tag_constants.SERVING], simple, import_scope=scope)
        signature = message.signature_def[tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        given = tf.saved_model.utils.get_tensor_from_tensor_info(signature.inputs['x'], import_scope=scope)
        result = tf.saved_model.utils.get_tensor_from_tensor_info(signature.outputs['y'], import_scope=scope)
        print(given.name, result.name, other.run(result, {given: [[1., 1.], [2., 0.]]}).tolist())
        print([v.name for v in tf.global_variables()])
told(lambda: tf.saved_model.loader.load(sess, ['train'], simple))
told(lambda: tf.saved_model.loader.load(sess, ['serve', 'gpu'], simple))
told(lambda: tf.saved_model.loader.load(sess, ['serve'], folder + '/none'))
told(lambda: tf.saved_model.maybe_saved_model_directory(simple))
told(lambda: tf.saved_model.loader.maybe_saved_model_directory(folder))

# Two graphs, a table that is read from a file, signatures of all kinds, text.
tf.reset_default_graph()
words = os.path.join(folder, 'words.txt')
open(words, 'w').write('dog\ncat\n')
table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
    words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
text = tf.placeholder(tf.string, [None], name='text')
count = tf.get_variable('count', initializer=2.)
scores = tf.identity(tf.cast(table.lookup(text), tf.float32) * count, name='scores')
sparse = tf.sparse_placeholder(tf.int64, name='sparse')
signatures = {
    'classify': tf.saved_model.signature_def_utils.classification_signature_def(text, text, scores),
    'regress': tf.saved_model.signature_def_utils.regression_signature_def(text, scores),
    'predict': tf.saved_model.signature_def_utils.predict_signature_def({'s': sparse, 't': text}, {'o': scores})}
print([tf.saved_model.is_valid_signature(signatures[key]) for key in sorted(signatures)])
print(tf.saved_model.is_valid_signature(None), tf.saved_model.is_valid_signature(
    tf.saved_model.build_signature_def({}, {}, 'tensorflow/serving/predict')))
for number, as_text in enumerate((False, True)):
    path = os.path.join(folder, 'full%d' % number)
    builder = tf.saved_model.builder.SavedModelBuilder(path)
    told(lambda: builder.add_meta_graph(['serve']))
    graph = tf.Graph()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        if number == 0:
            builder.add_meta_graph_and_variables(
                sess, ['train', 'gpu'], signature_def_map=signatures,
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS), main_op=tf.tables_initializer())
        else:
            builder.add_meta_graph_and_variables(
                sess, ['train', 'gpu'], signatures, strip_default_attrs=True, saver=tf.train.Saver(),
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS))
        told(lambda: builder.add_meta_graph_and_variables(sess, ['again']))
    with graph.as_default():
        again = tf.get_variable('count', initializer=0.)
        doubled = tf.multiply(again, 2., name='doubled')
        builder.add_meta_graph(['serve'], {'twice': tf.saved_model.build_signature_def(
            outputs={'out': tf.saved_model.build_tensor_info(doubled)}, method_name='mine')}, strip_default_attrs=True)
    print(os.path.relpath(builder.save(as_text=as_text).decode(), folder))
    with tf.Session(graph=tf.Graph()) as sess:
        tf.saved_model.load(sess, {'train', 'gpu'}, path)
        print(sess.run('scores:0', {'text:0': ['cat', 'cow', 'dog']}).tolist())
    with tf.Session(graph=tf.Graph()) as sess:
        tf.saved_model.load(sess, ['serve'], path)
        print(sess.run('doubled:0').tolist())
    show(path)

# What is refused.
builder = tf.saved_model.Builder(os.path.join(folder, 'bad'))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    info = tf.saved_model.build_tensor_info(text)
    nameless = tf.saved_model.build_tensor_info(text)
    nameless.ClearField('name')
    typeless = tf.saved_model.build_tensor_info(text)
    typeless.dtype = 0
    for bad in (nameless, typeless):
        told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], {'k': tf.saved_model.build_signature_def({'a': bad})}))
    for key in ('__saved_model_init_op', '__saved_model_train_op'):
        told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], {key: tf.saved_model.build_signature_def({'a': info})}))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], main_op=count))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], main_op=tf.no_op()))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], assets_collection=['x']))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], assets_collection=[text]))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], assets_collection=[tf.constant(1, name='number')]))
    told(lambda: builder.add_meta_graph_and_variables(sess, ['t'], assets_collection=[tf.constant(['a', 'b'], name='two')]))
    told(lambda: tf.saved_model.regression_signature_def(None, scores))
    told(lambda: tf.saved_model.regression_signature_def(scores, scores))
    told(lambda: tf.saved_model.regression_signature_def(text, text))
    told(lambda: tf.saved_model.regression_signature_def(text, None))
    told(lambda: tf.saved_model.classification_signature_def(None, text, scores))
    told(lambda: tf.saved_model.classification_signature_def(scores, text, scores))
    told(lambda: tf.saved_model.classification_signature_def(text, None, None))
    told(lambda: tf.saved_model.classification_signature_def(text, scores, None))
    told(lambda: tf.saved_model.classification_signature_def(text, text, text))
    told(lambda: tf.saved_model.utils.get_tensor_from_tensor_info(nameless))
print(tf.saved_model.main_op.main_op().type, tf.saved_model.main_op_with_restore(tf.no_op()).type)
