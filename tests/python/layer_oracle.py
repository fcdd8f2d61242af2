"""layer_oracle.py - TensorFlow as TF1 programs expect it, for recording: with tf.layers and tf.contrib.

They have left TensorFlow, and are found where they went: the packages tf_keras and tf_slim, which the
Python that records has to have (PYTHONPATH says where they are, if they are not installed).
"""

from __future__ import annotations

import os
import types

os.environ.setdefault('TF_USE_LEGACY_KERAS', '1')


def library():
    """Returns tf.compat.v1 with the modules that have left it."""
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.layers = _layers()
    import tf_slim
    names = {name: getattr(tf_slim, name) for name in dir(tf_slim) if name[0] != '_'}
    tf.contrib = types.SimpleNamespace(slim=tf_slim, layers=tf_slim.layers, framework=types.SimpleNamespace(**names))
    # Where the recurrent cells are that TensorFlow no longer exports.
    from tf_keras.layers.rnn import legacy_cell_wrappers, legacy_cells
    tf.nn.rnn_cell = types.SimpleNamespace(**{name: getattr(module, name) for module in (
        legacy_cells, legacy_cell_wrappers) for name in dir(module) if name[0] != '_'})
    return tf


def _layers():
    """tf.layers."""
    from tf_keras.legacy_tf_layers import base, convolutional, core, normalization, pooling

    found = types.SimpleNamespace()
    for module in (convolutional, core, pooling, normalization):
        for name in dir(module):
            if name[0] != '_' and name not in ('base', 'keras_layers', 'tf'):
                setattr(found, name, getattr(module, name))
    found.Layer = base.Layer
    return found
