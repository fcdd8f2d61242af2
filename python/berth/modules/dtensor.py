"""dtensor - tf.experimental.dtensor: the words of layouts; tensors in parts on several devices are not there."""

from __future__ import annotations

MATCH = 'match'
UNSHARDED = 'unsharded'
