"""data.py - tf.contrib.data: transformations that tf.data has as methods now."""

from __future__ import annotations

from typing import Any


def batch_and_drop_remainder(batch_size: Any) -> Any:
    """Returns what makes batches of a dataset, without the last one where it is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Any:
    """The same with elements that are filled up to one shape."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)
