"""keras_cases.py - Programs of Keras: what they give, as lists of numbers and texts.

    keras_cases.py [name...]     runs them, under TensorFlow or `berth run`, and prints JSON
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from typing import Any

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
warnings.simplefilter('ignore')


def rows(*sizes: int) -> Any:
    """Returns random numbers, the same in every process."""
    return np.random.RandomState(sum(sizes)).rand(*sizes).astype('float32')


def numbers(limit: int, *sizes: int) -> Any:
    """Returns random integers below |limit|."""
    return np.random.RandomState(limit + sum(sizes)).randint(0, limit, sizes)


def sums(model: Any) -> list[float]:
    """Returns a figure for each weight."""
    return [float(np.abs(w.numpy()).sum()) for w in model.weights]


def fitted(model: Any, *data: Any, **options: Any) -> list[Any]:
    """Fits a model; returns what was logged, and its weights."""
    history = model.fit(*data, verbose=0, **{'epochs': 2, 'batch_size': 8, 'shuffle': False, **options})
    return [[name, values] for name, values in sorted(history.history.items())] + [sums(model)]


def dense() -> Any:
    """A classifier, fitted, evaluated, asked."""
    model = keras.Sequential([keras.Input((8,)), L.Dense(16, activation='relu'), L.Dropout(0.3), L.Dense(1, activation='sigmoid')])
    model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
    x, y = rows(64, 8), numbers(2, 64, 1)
    lines: list[str] = []
    model.summary(print_fn=lambda line, **_: lines.append(line))
    return [fitted(model, x, y, validation_split=0.25), model.evaluate(x, y, verbose=0),
            model.predict(x[:3], verbose=0).tolist(), lines]


def functional() -> Any:
    """Two inputs and two outputs, with losses and metrics of their own."""
    a, b = keras.Input((8,), name='a'), keras.Input((4,), name='b')
    x = L.Concatenate()([L.Dense(8, activation='gelu')(a), L.Dense(8, activation='tanh')(b)])
    outputs = [L.Dense(1, name='one')(x), L.Dense(3, activation='softmax', name='many')(L.LayerNormalization()(x))]
    model = keras.Model([a, b], outputs)
    model.compile(keras.optimizers.RMSprop(), {'one': 'mse', 'many': 'sparse_categorical_crossentropy'},
                  metrics={'one': ['mae'], 'many': ['accuracy']}, loss_weights={'one': 0.5, 'many': 1.0})
    return fitted(model, {'a': rows(32, 8), 'b': rows(32, 4)}, {'one': rows(32, 1), 'many': numbers(3, 32)})


def pictures() -> Any:
    """Convolutions of all kinds."""
    model = keras.Sequential([
        keras.Input((12, 12, 3)), L.Conv2D(8, 3, padding='same'), L.BatchNormalization(), L.ReLU(), L.MaxPooling2D(),
        L.SeparableConv2D(8, 3), L.DepthwiseConv2D(3), L.Conv2DTranspose(4, 3, strides=2), L.GlobalAveragePooling2D(),
        L.Dropout(0.3), L.Dense(5)])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
                  keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'])
    return fitted(model, rows(16, 12, 12, 3), numbers(5, 16))


def recurrent() -> Any:
    """Recurrent layers, over masked words and with dropout."""
    found = []
    for kind in (L.LSTM, L.GRU, L.SimpleRNN):
        model = keras.Sequential([keras.Input((7,)), L.Embedding(20, 4, mask_zero=True),
                                  L.Bidirectional(kind(3, return_sequences=True)), kind(3, dropout=0.2), L.Dense(2, 'softmax')])
        model.compile('adam', 'categorical_crossentropy')
        found.append(fitted(model, numbers(20, 16, 7), np.eye(2)[numbers(2, 16)]))
    return found


def attention() -> Any:
    """Attention, with decaying weights and clipped slopes."""
    x = keras.Input((6, 8))
    y = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4, dropout=0.1)(x, x))
    model = keras.Model(x, L.Dense(1)(L.GlobalMaxPooling1D()(y)))
    model.compile(keras.optimizers.AdamW(1e-2, weight_decay=0.01, clipnorm=1.0), 'huber')
    return fitted(model, rows(16, 6, 8), rows(16, 1))


def datasets() -> Any:
    """tf.data, two steps at a time, by a schedule, with a regulariser."""
    data = tf.data.Dataset.from_tensor_slices((rows(40, 4), rows(40, 1))).shuffle(40, seed=3).batch(8).prefetch(2)
    model = keras.Sequential([L.Dense(4, 'selu', kernel_initializer='he_normal', kernel_regularizer='l2'), L.Dense(1)])
    schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.9)
    model.compile(keras.optimizers.Adam(schedule), 'mse', metrics=[keras.metrics.RootMeanSquaredError()], steps_per_execution=2)
    return [fitted(model, data, validation_data=data, batch_size=None), model.evaluate(data, verbose=0)]


def generators() -> Any:
    """Elements that Python makes, and batches one by one."""
    def batches() -> Any:
        for i in range(4):
            yield np.full((4, 3), i / 4, 'f'), np.full((4, 1), i, 'f')

    model = keras.Sequential([L.Dense(1)])
    model.compile('sgd', 'mse')
    found = [fitted(model, batches(), epochs=1, batch_size=None)]
    x, y = np.ones((2, 3)), np.ones((2, 1))
    return found + [float(model.train_on_batch(x, y)), float(model.test_on_batch(x, y)), model.predict_on_batch(x).tolist()]


class Own(keras.Model):
    """A model with a step of its own, which counts how often it is traced."""

    traces = 0

    def __init__(self) -> None:
        super().__init__()
        self.dense = L.Dense(1)
        self.seen = keras.metrics.Mean(name='loss')

    def call(self, x: Any, training: bool = False) -> Any:
        return self.dense(x)

    def train_step(self, data: Any) -> Any:
        Own.traces += 1
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((y - self(x, training=True)) ** 2)
        slopes = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        self.seen.update_state(loss)
        return {'loss': self.seen.result()}

    @property
    def metrics(self) -> Any:
        return [self.seen]


def own_steps() -> Any:
    """A step of one's own, which is traced once for all epochs, and a loop of one's own."""
    model = Own()
    model.compile('adam')
    found = [fitted(model, rows(32, 3), rows(32, 1), epochs=4), Own.traces]
    optimizer, loss_of = keras.optimizers.Adam(0.01), keras.losses.MeanSquaredError()
    net = keras.Sequential([keras.Input((3,)), L.Dense(4), L.Dense(1)])

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, net(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    optimizer.build(net.trainable_variables)
    x, y = tf.constant(rows(8, 3)), tf.constant(rows(8, 1))
    found += [[float(step(x, y)) for _ in range(3)]]
    with tf.GradientTape() as tape:
        loss = loss_of(y, net(x))
    return found + [[slope.numpy().tolist() for slope in tape.gradient(loss, net.trainable_weights)]]


def optimizers() -> Any:
    """Every optimiser, and one that averages, gathers and clips."""
    found = []
    for name in ('SGD', 'Adam', 'AdamW', 'Nadam', 'Adamax', 'Adagrad', 'Adadelta', 'RMSprop', 'Ftrl', 'Lion', 'Lamb', 'Adafactor'):
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.Input((4,)), L.Dense(3), L.Dense(1)])
        model.compile(getattr(keras.optimizers, name)(0.01), 'mse')
        found.append([name, fitted(model, rows(16, 4), rows(16, 1))])
    model = keras.Sequential([keras.Input((4,)), L.Dense(3), L.Dense(1)])
    model.compile(keras.optimizers.Adam(0.01, use_ema=True, gradient_accumulation_steps=2, clipvalue=0.1), 'mse')
    return found + [fitted(model, rows(32, 4), rows(32, 1), sample_weight=rows(32))]


def other_ways() -> Any:
    """Models that run eagerly, are compiled, or compute in half of the precision."""
    found = []
    for options in ({'run_eagerly': True}, {'jit_compile': True}):
        model = keras.Sequential([keras.Input((4,)), L.Dense(3, use_bias=False), L.BatchNormalization(), L.Dense(1)])
        model.compile('adam', 'mse', **options)
        found.append(fitted(model, rows(16, 4), rows(16, 1)))
    keras.mixed_precision.set_global_policy('mixed_float16')
    model = keras.Sequential([keras.Input((8,)), L.Dense(16, 'relu'), L.Dense(1, dtype='float32')])
    model.compile('adam', 'mse')
    model.fit(rows(32, 8), rows(32, 1), verbose=0)
    keras.mixed_precision.set_global_policy('float32')
    return found + [type(model.optimizer).__name__, model.layers[0].compute_dtype, int(model.optimizer.dynamic_scale.numpy())]


def files() -> Any:
    """Models and weights in files, callbacks that write them."""
    folder = tempfile.mkdtemp()
    x, y = rows(16, 4), rows(16, 1)
    model = keras.Sequential([keras.Input((4,)), L.Dense(4), L.Dense(1)])
    model.compile('sgd', 'mse')
    C = keras.callbacks
    found = [fitted(model, x, y, epochs=5, callbacks=[
        C.EarlyStopping(patience=1, monitor='loss', min_delta=10), C.ModelCheckpoint(folder + '/m.{epoch:02d}.keras'),
        C.CSVLogger(folder + '/log.csv'), C.ReduceLROnPlateau(monitor='loss', patience=1), C.TerminateOnNaN(),
        C.LearningRateScheduler(lambda epoch, rate: rate * 0.5)]), sorted(os.listdir(folder))]
    again = keras.models.load_model(folder + '/m.02.keras')
    found.append(np.array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0)))
    found.append(again.fit(x, y, verbose=0).history['loss'])
    model.save_weights(folder + '/m.weights.h5')
    again.load_weights(folder + '/m.weights.h5')
    found.append(sums(again) == sums(model))
    path = tf.train.Checkpoint(model=model).save(folder + '/saved')
    found.append([key for key, _ in tf.train.list_variables(path) if 'optimizer' not in key])
    model.set_weights([w.numpy() * 0 for w in model.weights])
    tf.train.Checkpoint(model=model).restore(path).assert_existing_objects_matched()
    found.append(sums(again) == sums(model))
    model.export(folder + '/exported', verbose=False)
    served = tf.saved_model.load(folder + '/exported')
    distance = np.abs(served.serve(x).numpy() - model.predict(x, verbose=0)).max()
    return found + [list(served.signatures), bool(distance < 1e-6)]


def preparing() -> Any:
    """Layers that prepare numbers, words and pictures."""
    normal, words = L.Normalization(), L.TextVectorization(max_tokens=20)
    normal.adapt(rows(20, 3))
    words.adapt(['the cat sat', 'the dog ate the cat'])
    found = [normal(np.ones((1, 3))).numpy().tolist(), words(['the cat ate fish']).numpy().tolist(), words.get_vocabulary(),
             L.StringLookup(vocabulary=['a', 'b'])(['a', 'c']).numpy().tolist(), L.Hashing(5)(['x', 'y']).numpy().tolist(),
             L.Discretization([0.0, 1.0])([-1.0, 0.5, 3.0]).numpy().tolist(), L.CategoryEncoding(4)([0, 2]).numpy().tolist()]
    pictures_ = rows(2, 8, 8, 3)
    for layer in (L.RandomFlip(), L.RandomRotation(0.2), L.RandomZoom(0.2), L.RandomContrast(0.3), L.RandomTranslation(0.1, 0.1),
                  L.RandomCrop(4, 4), L.Resizing(5, 5), L.CenterCrop(4, 4), L.Rescaling(0.5)):
        found.append([type(layer).__name__, float(np.asarray(layer(pictures_)).sum())])
    return found


def mirrored() -> Any:
    """Two replicas, batches that do not come out even included."""
    found = []
    strategy = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])
    for count in (32, 28):
        keras.utils.set_random_seed(0)
        with strategy.scope():
            model = keras.Sequential([keras.Input((4,)), L.Dense(8, use_bias=False), L.BatchNormalization(), L.Dropout(0.2),
                                      L.Dense(1)])
            model.compile(keras.optimizers.Adam(0.01, weight_decay=0.01), 'mse')
        found += [fitted(model, rows(count, 4), rows(count, 1)), model.predict(rows(5, 4), verbose=0).tolist()]
    return found


def applications() -> Any:
    """Networks of keras.applications, with random weights."""
    found = []
    for name, size in (('MobileNetV2', 32), ('EfficientNetB0', 32), ('DenseNet121', 32)):
        keras.utils.set_random_seed(7)
        model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=4)
        found.append([name, model.count_params(), np.asarray(model(rows(1, size, size, 3), training=False)).tolist()])
    return found


def operations() -> Any:
    """keras.ops on tensors, on variables, and on what stands for later."""
    ops = keras.ops
    x = ops.reshape(ops.arange(12.0), (3, 4))
    v = keras.Variable([1.0, 2.0, 3.0, 4.0])
    v.assign_add([1.0, 0.0, 0.0, 0.0])
    found = [ops.matmul(x, ops.transpose(x)), ops.softmax(x), x + v, ops.einsum('ij,kj->ik', x, x),
             ops.slice_update(x, [1, 3], ops.ones([2, 2])), ops.while_loop(lambda i: i < 3, lambda i: i + 1, 0),
             ops.scan(lambda c, a: (c + a, c * a), ops.zeros(4), x)[1], ops.vectorized_map(lambda row: ops.sum(row), x),
             ops.scatter([[1], [2]], [5.0, 6.0], (4,)), ops.segment_sum(x[0], np.array([0, 0, 1, 1])), ops.top_k(v, 2)[1], ops.qr(x)[1]]
    return [np.abs(value).tolist() for value in map(np.asarray, found)]


CASES = (dense, functional, pictures, recurrent, attention, datasets, generators, own_steps, optimizers, other_ways, files,
         preparing, mirrored, applications, operations)


def main() -> None:
    """Prints what the cases give."""
    cpu = tf.config.list_physical_devices('CPU')[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    found = {}
    for case in CASES:
        if not sys.argv[1:] or case.__name__ in sys.argv[1:]:
            keras.utils.set_random_seed(1)
            found[case.__name__] = case()
    print(json.dumps({'version': keras.__version__, **found}))


if __name__ == '__main__':
    main()
