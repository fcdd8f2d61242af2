"""test_exports.py - Models that estimators write for servers: signatures, values, exporters, mistakes."""

from __future__ import annotations

import test_estimator

SERVE = """
import os
def features():
    return {'x': tf.placeholder(tf.float32, [None, 2], 'x')}

def raw():
    with tf.Graph().as_default():
        return tf.estimator.export.build_raw_serving_input_receiver_fn(features())

def parsing():
    return tf.estimator.export.build_parsing_serving_input_receiver_fn({'x': tf.FixedLenFeature([2], tf.float32)})

def serve(path, key, feed):
    with tf.Graph().as_default(), tf.Session() as session:
        graph = tf.saved_model.loader.load(session, ['serve'], path)
        signature = graph.signature_def[key]
        names = {name: info.name for name, info in signature.inputs.items()}
        outputs = {name: info.name for name, info in signature.outputs.items()}
        return sorted(graph.signature_def), session.run(outputs, {names[name]: value for name, value in feed.items()})

made = estimator()
made.train(batches(20), steps=200)
right = x @ made.get_variable_value('w') + made.get_variable_value('b')
"""


def check(code: str) -> None:
    """Runs |code|, which asserts, after training a model."""
    test_estimator.check(SERVE + code)


def test_models_are_served() -> None:
    """Raw features and records give what the model predicts; the folder is called after the time."""
    check("""
path = made.export_saved_model(folder + '/raw', raw())
assert isinstance(path, bytes) and os.path.basename(path).isdigit() and os.listdir(folder + '/raw') == [
    os.path.basename(path).decode()]
keys, found = serve(path.decode(), 'serving_default', {'x': x})
assert keys == ['serving_default'] and sorted(found) == ['twice', 'y'], (keys, found)
np.testing.assert_allclose(found['y'], right, rtol=1e-5, atol=1e-6)
np.testing.assert_allclose(found['twice'], 2 * right, rtol=1e-5, atol=1e-6)
second = made.export_savedmodel(folder + '/raw', raw(), as_text=True)
assert second != path and os.path.exists(os.path.join(second, b'saved_model.pbtxt'))
open(folder + '/note', 'w').write('hello')
path = made.export_saved_model(folder + '/parsed', parsing(), assets_extra={'a/note': folder + '/note'}).decode()
assert open(path + '/assets.extra/a/note').read() == 'hello'
record = lambda row: tf.train.Example(features=tf.train.Features(feature={
    'x': tf.train.Feature(float_list=tf.train.FloatList(value=row))})).SerializeToString()
_, found = serve(path, 'serving_default', {'examples': [record(row) for row in x]})
np.testing.assert_allclose(found['y'], right, rtol=1e-5, atol=1e-6)
""")


def test_outputs_become_signatures() -> None:
    """What servers cannot use is left out; one output is the default; there may be other ways to feed."""
    check("""
export = tf.estimator.export
def heads(features, labels, mode, params):
    x = features['x']
    spec = model(features, labels, mode, params)
    y = spec.predictions['y']
    return spec._replace(export_outputs={
        'serving_default': export.PredictOutput(y), 'number': export.RegressionOutput(y),
        'classes': export.ClassificationOutput(scores=tf.concat([y, -y], 1), classes=tf.as_string(y))})
served = tf.estimator.Estimator(heads, folder, params={'rate': 1.0})
keys, found = serve(served.export_saved_model(folder + '/a', raw()).decode(), 'serving_default', {'x': x})
assert keys == ['serving_default'] and list(found) == ['output'], (keys, found)
path = served.export_saved_model(folder + '/b', parsing()).decode()
record = tf.train.Example(features=tf.train.Features(feature={
    'x': tf.train.Feature(float_list=tf.train.FloatList(value=x[0]))})).SerializeToString()
keys, found = serve(path, 'number', {'inputs': [record]})
assert keys == ['classes', 'number', 'serving_default'], keys
np.testing.assert_allclose(found['outputs'], right[:1], rtol=1e-5, atol=1e-6)
_, found = serve(path, 'classes', {'inputs': [record]})
assert sorted(found) == ['classes', 'scores'] and found['scores'].shape == (1, 2)
def both():
    fed = tf.placeholder(tf.float32, [None, 2], 'whole')
    left = tf.placeholder(tf.float32, [None, 1], 'left')
    return export.ServingInputReceiver({'x': fed}, fed, {'half': {'left': left}})
keys, found = serve(made.export_saved_model(folder + '/c', both).decode(), 'serving_default', {'input': x})
assert keys == ['half:serving_default', 'serving_default'], keys
only = export.TensorServingInputReceiver
def single():
    fed = tf.placeholder(tf.float32, [None, 2])
    return only(fed, fed)
_, found = serve(made.export_saved_model(folder + '/d', single).decode(), 'serving_default', {'input': x})
np.testing.assert_allclose(found['y'], right, rtol=1e-5, atol=1e-6)
""")


def test_exporters() -> None:
    """The latest ones are kept, the final one is written once, and the best ones when they are better."""
    check("""
import time
def best(best_eval_result, current_eval_result):
    return current_eval_result['loss'] < best_eval_result['loss'] - 1e9
made = tf.estimator.Estimator(model, folder + '/new', params={'rate': 0.01},
                              config=tf.estimator.RunConfig(save_checkpoints_steps=20))
exporters = [tf.estimator.LatestExporter('latest', raw(), exports_to_keep=2), tf.estimator.FinalExporter('final', raw()),
             tf.estimator.BestExporter('best', raw()), tf.estimator.BestExporter('first', raw(), compare_fn=best)]
found, exported = tf.estimator.train_and_evaluate(
    made, tf.estimator.TrainSpec(batches(None), max_steps=80),
    tf.estimator.EvalSpec(batches(), exporters=exporters, throttle_secs=0, start_delay_secs=0))
base = folder + '/new/export/'
assert found['global_step'] == 80 and len(exported) == 4, (found, exported)
assert len(os.listdir(base + 'latest')) == 2 and len(os.listdir(base + 'final')) == 1
assert exported[1].decode() == base + 'final/' + os.listdir(base + 'final')[0] and exported[3] is None, exported
assert len(os.listdir(base + 'first')) == 1 and len(os.listdir(base + 'best')) >= 3
again = tf.estimator.BestExporter('again', raw())
wrote = [again.export(made, base + 'again', made.latest_checkpoint(), {'loss': loss}, True) is not None
         for loss in (3.0, 3.0, 2.0, 4.0)]
assert wrote == [True, False, True, False], wrote
_, values = serve(exported[1].decode(), 'serving_default', {'x': x[:3]})
np.testing.assert_allclose(values['y'], x[:3] @ made.get_variable_value('w') + made.get_variable_value('b'), rtol=1e-5, atol=1e-6)
""")


def test_mistakes() -> None:
    """Refusals have tf.estimator's texts."""
    check("""
import io, contextlib
export = tf.estimator.export
out = io.StringIO()
with contextlib.redirect_stdout(out), tf.Graph().as_default():
    empty = tf.estimator.Estimator(model, folder + '/none', params={'rate': 1.0})
    attempt(lambda: empty.export_saved_model(folder + '/e', raw()))
    attempt(lambda: made.export_saved_model(folder + '/e', None))
    attempt(lambda: export.ServingInputReceiver(None, 1))
    attempt(lambda: export.ServingInputReceiver({'x': 1}, 1))
    attempt(lambda: export.RegressionOutput(tf.constant(1)))
    attempt(lambda: export.ClassificationOutput())
    attempt(lambda: export.PredictOutput({'y': 3}))
    attempt(lambda: tf.estimator.LatestExporter('a', raw(), exports_to_keep=0))
    attempt(lambda: tf.estimator.EvalSpec(batches(), exporters=[1]))
    attempt(lambda: tf.estimator.EvalSpec(batches(), exporters=[tf.estimator.FinalExporter('a', raw())] * 2))
    attempt(lambda: tf.estimator.EvalSpec(batches(), exporters=tf.estimator.FinalExporter('', raw())))
lines = out.getvalue().replace(folder, 'FOLDER').splitlines()
assert lines == [
    "ValueError: Couldn't find trained model at FOLDER/none.",
    'ValueError: An input_receiver_fn must be defined.',
    'ValueError: features must be defined.',
    'ValueError: feature x must be a Tensor, SparseTensor, or RaggedTensor.',
    'ValueError: Regression output value must be a float32 Tensor; got Tensor("Const:0", shape=(), dtype=int32)',
    'ValueError: Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and `classes` '
    'must be defined.',
    'ValueError: Prediction output value must be a Tensor; got 3.',
    'ValueError: `exports_to_keep`, if provided, must be a positive number. Got 0',
    'TypeError: `exporters` must be an Exporter, an iterable of Exporter, or `None`, found [1].',
    "ValueError: `exporters` must have unique names. Such a name cannot be `None`. All exporter names: ['a', 'a']",
    "ValueError: An Exporter cannot have a name that is `None` or empty. All exporter names: ['']",
], lines
""")
