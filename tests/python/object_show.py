#!/usr/bin/env python3
"""object_show.py - What tf.train.Checkpoint and its manager do, printed.

Run with "tensorflow" or "berth" as its argument, in an empty folder: both print the same.
"""

import importlib
import os
import sys

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
tf = importlib.import_module(sys.argv[1])


class Layer(tf.Module):
    """Two variables, and lists and dicts of others."""

    def __init__(self, scale):
        super().__init__()
        self.w = tf.Variable([scale, 2.0 * scale], name='w')
        self._hidden = tf.Variable(scale, name='hidden')
        self.more = [tf.Variable(1.0 * scale), {'a.b/c': tf.Variable(3.0 * scale)}]
        self.number = 3


def values(layer):
    """The values of a layer."""
    return [layer.w.numpy().tolist(), float(layer._hidden), float(layer.more[0]), float(layer.more[1]['a.b/c'])]


def show(label, function):
    """Prints the error that |function| raises."""
    try:
        function()
        print(label, '-> fine')
    except Exception as error:  # noqa: BLE001  pylint: disable=broad-except
        print(label, '->', type(error).__name__)


first = Layer(1.0)
step = tf.Variable(7, dtype=tf.int64)
checkpoint = tf.train.Checkpoint(layer=first, step=step)
path = checkpoint.save('d/ck')
print(path, sorted(os.listdir('d')))
print(open('d/checkpoint').read().split('all_model_checkpoint_timestamps')[0])
print([item for item in tf.train.list_variables(path)])

second = Layer(5.0)
again = tf.train.Checkpoint(layer=second, step=tf.Variable(0, dtype=tf.int64))
status = again.restore(tf.train.latest_checkpoint('d'))
print(values(second), int(again.step), int(again.save_counter))
show('consumed', status.assert_consumed)
show('matched', status.assert_existing_objects_matched)
show('nontrivial', status.assert_nontrivial_match)

part = tf.train.Checkpoint(step=tf.Variable(0, dtype=tf.int64))
status = part.restore(path)
print(int(part.step))
show('part consumed', status.assert_consumed)
show('part matched', status.assert_existing_objects_matched)
status.expect_partial()
other = tf.train.Checkpoint(step=tf.Variable(0, dtype=tf.int64), extra=tf.Variable(1.0))
status = other.restore(path)
show('more matched', status.assert_existing_objects_matched)
status.expect_partial()
show('nothing', lambda: tf.train.Checkpoint(step=step).restore('nothing'))
show('a number', lambda: tf.train.Checkpoint(step=3))
print(tf.train.Checkpoint(first).write('e'), sorted(name for name, _ in tf.train.list_variables('e')))

manager = tf.train.CheckpointManager(checkpoint, 'm', max_to_keep=2)
print([manager.save() for _ in range(4)], manager.checkpoints, manager.latest_checkpoint)
print(sorted(os.listdir('m')))
manager = tf.train.CheckpointManager(checkpoint, 'm', max_to_keep=2, checkpoint_name='k')
print(manager.checkpoints, manager.save(checkpoint_number=9), manager.checkpoints, sorted(os.listdir('m')))
print(manager.restore_or_initialize(), tf.train.latest_checkpoint('m'))
show('keeps none', lambda: tf.train.CheckpointManager(checkpoint, 'm', max_to_keep=0))
