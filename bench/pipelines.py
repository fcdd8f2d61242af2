"""Rows of input pipelines, for Berth's package and TensorFlow's: same code."""

import functools
import os
import tempfile

import numpy as np
from python_side import Call, Open

RECORD, RECORDS, BATCH = 3073, 20000, 128
NUMBERS = 100


def read(tf, record):
    """Returns the image and the label of a record of CIFAR-10."""
    record = tf.io.decode_raw(record, tf.uint8)
    image = tf.reshape(tf.slice(record, [1], [3072]), [3, 32, 32])
    return tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32), tf.cast(record[0], tf.int32)


def open_records(tf, threads: int) -> Call:
    """input_pipeline: a batch of 128 shuffled images out of a file."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "records.bin")
    dice = np.random.RandomState(0)
    with open(path, "wb") as file:
        file.write(dice.randint(0, 10, (RECORDS, RECORD)).astype(np.uint8).tobytes())
    dataset = tf.data.FixedLengthRecordDataset(path, RECORD).map(
        functools.partial(read, tf), num_parallel_calls=threads).shuffle(10000, seed=1).repeat().batch(BATCH).prefetch(2)
    batches = iter(dataset)

    def call(turn: int) -> None:
        images, labels = next(batches)
        if images.shape != (BATCH, 32, 32, 3) or not 0 <= int(labels[0]) < 10:
            raise ValueError(f"a batch is {images.shape}, its first label {labels[0]}")
    return call


def open_numbers(tf) -> Call:
    """input_numbers_python: a batch of a hundred numbers, twice each."""
    batches = iter(tf.data.Dataset.range(2 ** 62).map(lambda x: x * 2).batch(NUMBERS))
    state = {"next": 0}

    def call(turn: int) -> None:
        found = int(next(batches)[0])
        if found != state["next"]:
            raise ValueError(f"a batch begins with {found} instead of {state['next']}")
        state["next"] += 2 * NUMBERS
    return call


def open_elements(tf) -> Call:
    """input_element_python: one number of a range."""
    numbers = iter(tf.data.Dataset.range(2 ** 62))

    def call(turn: int) -> None:
        next(numbers)
    return call


def benches(tf, threads: int) -> dict[str, Open]:
    return {"input_pipeline": functools.partial(open_records, tf, threads),
            "input_numbers_python": functools.partial(open_numbers, tf),
            "input_element_python": functools.partial(open_elements, tf)}
