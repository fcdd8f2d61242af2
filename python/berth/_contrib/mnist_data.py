"""mnist_data - tensorflow.examples.tutorials.mnist.input_data: handwritten digits from files that are there.

    magic (2049 labels, 2051 images), count[, rows, columns] as big-endian numbers of 4 bytes, then bytes
"""

from __future__ import annotations

import collections
import gzip
import os
from typing import Any

import numpy as np

from berth.framework import compat_text, dtypes
from berth.ops import random_ops

Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])
DEFAULT_SOURCE_URL = 'https://storage.googleapis.com/cvdf-datasets/mnist/'
_FAKE_EXAMPLES = 10000
_PIXELS = 784


# ---- Files ----


def _open(path: Any) -> Any:
    """Opens a file of bytes, packed or not."""
    if hasattr(path, 'read'):
        data = path.read()
        return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
    with open(path, 'rb') as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def _parse(source: Any, magic: int, kind: str) -> Any:
    """Returns the array of a file."""
    data = _open(source)
    name = getattr(source, 'name', source)
    found = int.from_bytes(data[:4], 'big')
    if found != magic:
        raise ValueError('Invalid magic number %d in MNIST %s file: %s' % (found, kind, name))
    rank = magic % 256
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(rank)]
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * rank)
    if values.size < np.prod(sizes):
        raise ValueError(f'{name} ends after {values.size} of {np.prod(sizes)} bytes')
    return values[:int(np.prod(sizes))].reshape(sizes)


def extract_images(f: Any) -> Any:
    """Returns the images of a file, [count, rows, columns, 1] of uint8."""
    return _parse(f, 2051, 'image')[..., np.newaxis]


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """Returns a row for each label, with a 1 in its place."""
    return np.eye(num_classes)[labels_dense.ravel()]


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """Returns the labels of a file, as numbers or as rows."""
    labels = _parse(f, 2049, 'label')
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _find(folder: str, name: str) -> str:
    """Returns the path of a file, packed or not; Berth fetches nothing."""
    for path in (os.path.join(folder, name + '.gz'), os.path.join(folder, name)):
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f'{os.path.join(folder, name)}.gz is not there, and Berth does not download it: put the '
                            f'four files of {DEFAULT_SOURCE_URL} into {folder!r}')


# ---- Data sets ----


class DataSet:
    """Images and labels, a batch at a time."""

    def __init__(self, images: Any, labels: Any, fake_data: bool = False, one_hot: bool = False,
                 dtype: Any = dtypes.float32, reshape: bool = True, seed: Any = None) -> None:
        first, second = random_ops.get_seed(seed)
        np.random.seed(first if seed is None else second)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError('Invalid image dtype %r, expected uint8 or float32' % dtype)
        self.one_hot = one_hot
        self._num_examples = _FAKE_EXAMPLES
        if not fake_data:
            assert images.shape[0] == labels.shape[0], (
                'images.shape: %s labels.shape: %s' % (images.shape, labels.shape))
            self._num_examples = images.shape[0]
            images = _in_form(images, dtype, reshape)
        self._images, self._labels = images, labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    images = property(lambda self: self._images, doc='The images, in the order of this epoch.')
    labels = property(lambda self: self._labels, doc='The labels, in the order of this epoch.')
    num_examples = property(lambda self: self._num_examples, doc='How many there are.')
    epochs_completed = property(lambda self: self._epochs_completed, doc='How often all have been given.')

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """Returns the next images and labels; after the last ones the first ones, in another order."""
        if fake_data:
            return [[1] * _PIXELS] * batch_size, [[1] + [0] * 9 if self.one_hot else 0] * batch_size
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch = end = start + batch_size
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = batch_size - (self._num_examples - start)
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))


def _in_form(images: Any, dtype: Any, reshape: bool) -> Any:
    """Returns images as rows of pixels, and as numbers from 0 to 1, where that is wished."""
    if reshape:
        assert images.shape[3] == 1
        images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
    if dtype == dtypes.float32:
        images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
    return images


def _fakes(one_hot: bool, dtype: Any, seed: Any) -> Datasets:
    made = [DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)]
    return Datasets(*made)


def read_data_sets(train_dir: Any, fake_data: bool = False, one_hot: bool = False, dtype: Any = dtypes.float32,
                   reshape: bool = True, validation_size: int = 5000, seed: Any = None,
                   source_url: str = DEFAULT_SOURCE_URL) -> Datasets:
    """Reads the four files of a folder: images to train with, to validate with and to test with."""
    if fake_data:
        return _fakes(one_hot, dtype, seed)
    folder = compat_text.path_to_str(train_dir)
    parts = []
    for name in ('train', 't10k'):
        parts.append((extract_images(_find(folder, f'{name}-images-idx3-ubyte')),
                      extract_labels(_find(folder, f'{name}-labels-idx1-ubyte'), one_hot=one_hot)))
    (images, labels), test = parts
    if not 0 <= validation_size <= len(images):
        raise ValueError('Validation size should be between 0 and {}. Received: {}.'.format(
            len(images), validation_size))
    split = ((images[validation_size:], labels[validation_size:]), (images[:validation_size], labels[:validation_size]),
             test)
    return Datasets(*(DataSet(*part, dtype=dtype, reshape=reshape, seed=seed) for part in split))


def load_mnist(train_dir: Any = 'MNIST-data') -> Datasets:
    """Reads the files of a folder."""
    return read_data_sets(train_dir)
