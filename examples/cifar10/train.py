"""train.py - Trains a network on CIFAR-10 with one tower per GPU; its variables are on the CPU.

    python make_data.py data                       # or the real files of CIFAR-10
    berth run train.py --data data --gpus 4 --simulate
    berth run train.py --data data --gpus 2 --train-dir run --steps 500
    berth run train.py --data data --log-dir logs && tensorboard --logdir logs

Every step each tower takes a batch of its own, its gradients are averaged on the CPU, and the
variables move once. With --train-dir the program keeps a checkpoint there and goes on from it, with
--log-dir it writes what TensorBoard shows. With --simulate the GPUs are made in software.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import time

SIDE, CHANNELS, CLASSES = 32, 3, 10
RECORD = 1 + SIDE * SIDE * CHANNELS


def read_options() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=pathlib.Path, required=True, help='folder with the .bin files')
    parser.add_argument('--train-dir', default='', help='folder for checkpoints; none if empty')
    parser.add_argument('--log-dir', default='', help='folder for the logs of TensorBoard; none if empty')
    parser.add_argument('--gpus', type=int, default=1, help='towers')
    parser.add_argument('--simulate', action='store_true', help='make the GPUs in software')
    parser.add_argument('--steps', type=int, default=200)
    parser.add_argument('--batch', type=int, default=32, help='images per tower and step')
    parser.add_argument('--rate', type=float, default=0.002, help='learning rate')
    parser.add_argument('--width', type=int, default=8, help='channels of the first convolution')
    parser.add_argument('--report', type=int, default=20, help='steps between reports')
    return parser.parse_args()


OPTIONS = read_options()
if OPTIONS.simulate and 'CIFAR10_SIMULATED' not in os.environ:
    os.environ['CIFAR10_SIMULATED'] = '1'
    card = f'Tesla K40c*{OPTIONS.gpus}'
    os.execv(sys.executable, [sys.executable, '-m', 'berth', 'run', '--simulate', card, *sys.argv])

import tensorflow.compat.v1 as tf  # noqa: E402  The GPUs are known from here on.

tf.disable_v2_behavior()


# ---- Input ----


def parse(record):
    """Turns bytes into an image around zero, channels last, and its class."""
    data = tf.decode_raw(record, tf.uint8)
    image = tf.reshape(data[1:], [CHANNELS, SIDE, SIDE])
    image = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32) / 128.0 - 1.0
    return image, tf.cast(data[0], tf.int32)


def batches(files, size: int, is_training: bool):
    """Returns the next images and classes, again and again."""
    records = tf.data.FixedLengthRecordDataset([str(file) for file in files], RECORD)
    if is_training:
        records = records.shuffle(2000, seed=1)
    records = records.repeat().map(parse).batch(size, drop_remainder=True).prefetch(2)
    return tf.data.make_one_shot_iterator(records).get_next()


# ---- Network ----


def variable(name: str, shape, initializer):
    """Returns a variable that lives on the CPU, whatever tower asks for it."""
    with tf.device('/cpu:0'):
        return tf.get_variable(name, shape, initializer=initializer)


def convolution(inputs, channels: int, name: str):
    """Convolves, activates, and halves the sides."""
    with tf.variable_scope(name):
        kernel = variable('weights', [3, 3, inputs.shape.as_list()[-1], channels],
                          tf.variance_scaling_initializer(2.0, seed=1))
        bias = variable('biases', [channels], tf.zeros_initializer())
        active = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(inputs, kernel, [1, 1, 1, 1], 'SAME'), bias))
        return tf.nn.max_pool(active, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')


def dense(inputs, size: int, name: str):
    """Multiplies by a matrix and adds a bias."""
    with tf.variable_scope(name):
        weights = variable('weights', [inputs.shape.as_list()[-1], size],
                           tf.variance_scaling_initializer(1.0, seed=2))
        return tf.nn.xw_plus_b(inputs, weights, variable('biases', [size], tf.zeros_initializer()))


def network(images, width: int):
    """Returns the logits of images."""
    hidden = convolution(images, width, 'conv1')
    hidden = convolution(hidden, 2 * width, 'conv2')
    hidden = convolution(hidden, 4 * width, 'conv3')
    sides = hidden.shape.as_list()[1:]
    flat = tf.reshape(hidden, [-1, sides[0] * sides[1] * sides[2]])
    return dense(tf.nn.relu(dense(flat, 64, 'local')), CLASSES, 'softmax')


def accuracy_of(logits, labels):
    """Returns the part of images whose class is recognised."""
    return tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))


# ---- Towers ----


def average_gradients(towers):
    """Returns for each variable the mean of the gradients that the towers have for it."""
    averaged = []
    for pairs in zip(*towers):
        gradients = tf.stack([gradient for gradient, _ in pairs])
        averaged.append((tf.reduce_mean(gradients, 0), pairs[0][1]))
    return averaged


def build_towers(optimizer, images, labels, options):
    """Returns the gradients, losses and accuracies of one tower on each GPU."""
    gradients, losses, accuracies = [], [], []
    images, labels = tf.split(images, options.gpus), tf.split(labels, options.gpus)
    with tf.variable_scope(tf.get_variable_scope()):
        for tower in range(options.gpus):
            with tf.device('/gpu:%d' % tower), tf.name_scope('tower_%d' % tower):
                logits = network(images[tower], options.width)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels[tower], logits=logits))
                tf.get_variable_scope().reuse_variables()
                gradients.append(optimizer.compute_gradients(loss))
                losses.append(loss)
                with tf.device('/cpu:0'):
                    accuracies.append(accuracy_of(logits, labels[tower]))
    return gradients, tf.reduce_mean(losses), tf.reduce_mean(accuracies)


# ---- Training ----


class Bar:
    """A line on the terminal that says how far the training is; lines of their own elsewhere."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last, self._start = first, last, time.perf_counter()
        self._is_terminal = sys.stderr.isatty()

    def show(self, step: int, images: int, loss: float, accuracy: float) -> None:
        """Says what |step| is like; |images| were seen so far."""
        part = (step - self._first) / max(self._last - self._first, 1)
        rate = images / (time.perf_counter() - self._start)
        done = '#' * int(24 * part)
        line = (f'[{done:<24}] step {step}/{self._last}  loss {loss:.3f}  accuracy {accuracy:.1%}  '
                f'{rate:.0f} images/s')
        print(f'\r{line}' if self._is_terminal else line, end='' if self._is_terminal else '\n', file=sys.stderr,
              flush=True)

    def close(self) -> None:
        """Ends the line."""
        if self._is_terminal:
            print(file=sys.stderr)


def evaluate(session, accuracy, count: int) -> float:
    """Returns the mean accuracy of |count| batches."""
    return sum(session.run(accuracy) for _ in range(count)) / max(count, 1)


def train(options) -> None:
    """Builds the towers, and trains them."""
    with tf.device('/cpu:0'):
        step_variable = tf.train.get_or_create_global_step()
        files = sorted(options.data.glob('data_batch_*.bin'))
        images, labels = batches(files, options.batch * options.gpus, True)
        optimizer = tf.train.AdamOptimizer(options.rate)
        gradients, loss, accuracy = build_towers(optimizer, images, labels, options)
        step_op = optimizer.apply_gradients(average_gradients(gradients), global_step=step_variable)
        size = 100
        test_file = options.data / 'test_batch.bin'
        test_images, test_labels = batches([test_file], size, False)
    with tf.device('/gpu:0'), tf.variable_scope(tf.get_variable_scope(), reuse=True), tf.name_scope('test'):
        test_logits = network(test_images, options.width)
    with tf.device('/cpu:0'):
        test_accuracy = accuracy_of(test_logits, test_labels)
    test_count = test_file.stat().st_size // RECORD // size
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        keeper, log = Keeper(session, options.train_dir), Log(session, options.log_dir, loss, accuracy)
        first = session.run(step_variable)
        bar, seen = Bar(first, options.steps), 0
        for step in range(first + 1, options.steps + 1):
            _, value, part = session.run([step_op, loss, accuracy])
            seen += options.batch * options.gpus
            if step % options.report == 0 or step == options.steps:
                bar.show(step, seen, value, part)
                log.note(step)
        bar.close()
        log.close()
        keeper.save(options.steps)
        print(f'test accuracy {evaluate(session, test_accuracy, test_count):.1%}')


class Keeper:
    """Keeps checkpoints in a folder, and goes on from the last one; nothing without a folder."""

    def __init__(self, session, folder: str) -> None:
        self._session, self._folder = session, folder
        if not folder:
            return
        os.makedirs(folder, exist_ok=True)
        self._saver = tf.train.Saver()
        latest = tf.train.latest_checkpoint(folder)
        if latest:
            print(f'going on from {latest}', file=sys.stderr)
            self._saver.restore(session, latest)

    def save(self, step: int) -> None:
        """Writes a checkpoint."""
        if self._folder:
            self._saver.save(self._session, os.path.join(self._folder, 'model.ckpt'), global_step=step)


class Log:
    """What TensorBoard shows, in a folder; nothing without one."""

    def __init__(self, session, folder: str, loss, accuracy) -> None:
        self._session, self._folder = session, folder
        if folder:
            tf.summary.scalar('loss', loss)
            tf.summary.scalar('accuracy', accuracy)
            self._summaries = tf.summary.merge_all()
            self._writer = tf.summary.FileWriter(folder, session.graph)

    def note(self, step: int) -> None:
        """Logs what a step is like."""
        if self._folder:
            self._writer.add_summary(self._session.run(self._summaries), step)

    def close(self) -> None:
        """Ends the log."""
        if self._folder:
            self._writer.close()


if __name__ == '__main__':
    train(OPTIONS)
