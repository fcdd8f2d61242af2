"""make_data.py - Writes a small data set in CIFAR-10's binary format that a network can learn.

    python make_data.py FOLDER [--images 5000] [--seed 1]

An image of class k has stripes of its own direction and width, in colours and at a place that differ
from image to image, under noise: no pixel by itself tells the class. The files are those of CIFAR-10:
data_batch_1.bin to data_batch_5.bin and test_batch.bin, each image a byte of label and 3072 of pixels.
"""

from __future__ import annotations

import argparse
import pathlib

import numpy as np

SIDE, CLASSES, TRAIN_FILES = 32, 10, 5


def images_of(labels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns images of bytes, channels first, as CIFAR-10 has them."""
    count = len(labels)
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    angle = (labels % 5) * np.pi / 8  # Mirrored, as programs do to images, none is another class's.
    frequency = np.where(labels < 5, 0.35, 0.8)[:, None, None]
    along = np.cos(angle)[:, None, None] * x + np.sin(angle)[:, None, None] * y
    stripes = np.sin(frequency * along + random.uniform(0, 2 * np.pi, (count, 1, 1)))
    colours = random.uniform(25, 60, (count, 3, 1, 1)) * random.choice([-1, 1], (count, 3, 1, 1))
    pixels = 128 + colours * stripes[:, None] + random.normal(0, 25, (count, 3, SIDE, SIDE))
    return np.clip(pixels, 0, 255).astype(np.uint8)


def write_file(path: pathlib.Path, count: int, random: np.random.Generator) -> None:
    """Writes one file of |count| images."""
    labels = random.integers(0, CLASSES, count)
    pixels = images_of(labels, random).reshape(count, -1)
    np.concatenate([labels[:, None].astype(np.uint8), pixels], 1).tofile(path)


def write_all(folder: pathlib.Path, images: int, seed: int = 1) -> None:
    """Writes all files, with |images| images for training and a fifth of that for tests."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for number in range(1, TRAIN_FILES + 1):
        write_file(folder / f'data_batch_{number}.bin', images // TRAIN_FILES, random)
    write_file(folder / 'test_batch.bin', images // TRAIN_FILES, random)


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--images', type=int, default=5000)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    write_all(options.folder, options.images, options.seed)


if __name__ == '__main__':
    main()
