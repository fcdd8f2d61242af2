"""datasets.py - tf.contrib.learn.datasets: tables from files of numbers, and digits from files that are there."""

from __future__ import annotations

import collections
import csv
import os
from typing import Any

import numpy as np

from berth._contrib import iris_data, mnist_data

Dataset = collections.namedtuple('Dataset', ['data', 'target'])
Datasets = mnist_data.Datasets
_DBPEDIA = 'the files of https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz'
_SHRUNK = 1000


def _rows(filename: Any) -> list[list[str]]:
    with open(filename, encoding='utf-8', newline='') as file:
        return [row for row in csv.reader(file) if row]


def load_csv_with_header(filename: Any, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """Returns a table whose first line says how many rows and features it has."""
    header, *rows = _rows(filename)
    count, features = int(header[0]), int(header[1])
    data, target = np.zeros((count, features), features_dtype), np.zeros((count,), target_dtype)
    for i, row in enumerate(rows):
        target[i] = np.asarray(row.pop(target_column), target_dtype)
        data[i] = np.asarray(row, features_dtype)
    return Dataset(data, target)


def load_csv_without_header(filename: Any, target_dtype: Any, features_dtype: Any,
                            target_column: int = -1) -> Dataset:
    """Returns a table that has rows only."""
    rows = _rows(filename)
    target = np.array([row.pop(target_column) for row in rows], target_dtype)
    return Dataset(np.array([np.asarray(row, features_dtype) for row in rows]), target)


def maybe_download(filename: str, work_directory: Any, source_url: str) -> str:
    """Returns the path of a file that is there; Berth does not download it."""
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        raise FileNotFoundError(f'{path} is not there, and Berth does not download it: put {source_url} there')
    return path


def load_iris(data_path: Any = None) -> Dataset:
    """Returns the table of irises, or one of the same form from a file."""
    return Dataset(*iris_data.load()) if data_path is None else load_csv_with_header(data_path, int, float)


def load_boston(data_path: Any = None) -> Dataset:
    """Returns the table of houses in Boston, from a file."""
    if data_path is None:
        raise FileNotFoundError('Berth has no boston_house_prices.csv of its own: name a file of that form as `data_path`')
    return load_csv_with_header(data_path, float, float)


def load_mnist(train_dir: str = 'MNIST-data') -> Any:
    """Returns handwritten digits from files that are there."""
    return mnist_data.read_data_sets(train_dir)


def load_dbpedia(size: str = 'small', test_with_fake_data: bool = False) -> Any:
    """Returns titles and texts with their classes, from files that are there; the small set is every thousandth."""
    if test_with_fake_data:
        raise NotImplementedError('tf.contrib.learn.datasets: Berth has no made-up texts; load dbpedia from its files')
    folder = os.path.join(os.getenv('TF_EXP_BASE_DIR', ''), 'dbpedia_data', 'dbpedia_csv')
    parts = [load_csv_without_header(maybe_download(name, folder, _DBPEDIA), np.int32, np.str_, target_column=0)
             for name in ('train.csv', 'test.csv')]
    if size == 'small':
        parts = [Dataset(part.data[::_SHRUNK], part.target[::_SHRUNK]) for part in parts]
    return Datasets(train=parts[0], validation=None, test=parts[1])


DATASETS = {'iris': load_iris, 'boston': load_boston, 'mnist': load_mnist, 'dbpedia': load_dbpedia}


def load_dataset(name: str, size: str = 'small', test_with_fake_data: bool = False) -> Any:
    """Returns the dataset of a name."""
    if name not in DATASETS:
        raise ValueError(f'Name of dataset is not found: {name}')
    return load_dbpedia(size, test_with_fake_data) if name == 'dbpedia' else DATASETS[name]()
