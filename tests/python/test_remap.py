"""test_remap.py - Words and rows of a checkpoint in another order; what is expected is recorded from TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import berth as tf

raw = tf.raw_ops
FILES = {'new': 'a\nb\nc\nd\n', 'old': 'c\nx\na\ny\nb\n', 'dup': 'c\nx\nc\n', 'empty': '', 'newdup': 'a\na\nc',
         'blank': 'a\n\nc'}


@pytest.fixture(name='folder', scope='module')
def make_folder(tmp_path_factory: Any) -> str:
    folder = tmp_path_factory.mktemp('remap')
    for name, text in FILES.items():
        (folder / name).write_text(text)
    tensors = [np.arange(12, dtype='f').reshape(4, 3), np.arange(4, dtype='i').reshape(2, 2), np.float32([1, 2]),
               np.zeros((4, 0), 'f')]
    raw.SaveV2(prefix=f'{folder}/ck', tensor_names=list('mive'), shape_and_slices=[''] * 4, tensors=tensors)
    return str(folder)


def words(folder: str, new: Any, old: Any, offset: int, count: int, size: int = -1) -> Any:
    new, old = ([f'{folder}/{n[0]}'] if isinstance(n, list) else n and f'{folder}/{n}' for n in (new, old))
    return raw.GenerateVocabRemapping(new_vocab_file=new, old_vocab_file=old, new_vocab_offset=offset,
                                      num_new_vocab=count, old_vocab_size=size)


@pytest.mark.parametrize('call, places, present', [
    (('new', 'old', 0, 4), [2, 4, 0, -1], 3), (('new', 'old', 1, 3), [4, 0, -1], 2), (('new', 'old', 2, 0), [], 0),
    (('new', 'old', 0, 4, 3), [2, -1, 0, -1], 2), (('newdup', 'old', 0, 3), [2, 2, 0], 3),
    (('new', 'dup', 0, 4, 2), [-1, -1, 0, -1], 1), (('new', 'old', 0, 4, 5), [2, 4, 0, -1], 3)])
def test_words(folder: str, call: Any, places: list[int], present: int) -> None:
    found = words(folder, *call)
    assert (found.remapping.numpy().tolist(), int(found.num_present)) == (places, present)


@pytest.mark.parametrize('call, kind, text', [
    (('new', 'old', 1, 4), 'InvalidArgument', "lookup table size must be larger than last new vocab entry's line"),
    (('new', 'old', 0, 4, 9), 'InvalidArgument', 'Invalid vocab_size in DIR/old: expected 9 but got 5'),
    (('new', 'old', 0, 4, 0), 'OutOfRange', 'Finished reading 0 of lines from DIR/old'),
    (('new', 'dup', 0, 4), 'FailedPrecondition',
     'HashTable has different value for same key. Key c has 0 and trying to add value 2'),
    (('empty', 'old', 0, 0), 'OutOfRange', 'Read less bytes than requested'),
    (('new', 'empty', 0, 2), 'OutOfRange', 'Read less bytes than requested'),
    (('', 'old', 0, 1), 'InvalidArgument', 'new vocab filename cannot be empty.'),
    (('new', '', 0, 1), 'InvalidArgument', 'new vocab filename cannot be empty.'),
    (('none', 'old', 0, 1), 'NotFound', 'DIR/none; No such file or directory'),
    (('new', 'none', 0, 1), 'NotFound', 'DIR/none; No such file or directory'),
    ((['new'], 'old', 0, 1), 'InvalidArgument', 'new_vocab_file should be a single string, but got [1]'),
    (('new', ['old'], 0, 1), 'InvalidArgument', 'old_vocab_file should be a single string, but got [1]'),
    (('blank', 'old', 0, 3), 'InvalidArgument', 'Invalid content in DIR/blank: empty line found at position 3.')])
def test_words_are_refused(folder: str, call: Any, kind: str, text: str) -> None:
    with pytest.raises(getattr(tf.errors, f'{kind}Error')) as caught:
        words(folder, *call)
    assert text.replace('DIR', folder) + ' [Op:GenerateVocabRemapping]' in str(caught.value)


def matrix(folder: str, rows: Any, columns: Any, filling: Any, shape: tuple[int, int], path: Any = 'ck',
           name: Any = 'm', most: int = -1) -> Any:
    path = [f'{folder}/{p}' for p in path] if isinstance(path, list) else f'{folder}/{path}'
    return raw.LoadAndRemapMatrix(
        ckpt_path=path, old_tensor_name=name, row_remapping=np.int64(rows), col_remapping=np.int64(columns),
        initializing_values=np.float32(filling), num_rows=shape[0], num_cols=shape[1], max_rows_in_memory=most)


@pytest.mark.parametrize('call, wanted', [
    (([0, 1, 2, 3], [], [], (4, 3)), [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]),
    (([3, -1, 0], [], [7, 8, 9], (3, 3)), [[9, 10, 11], [7, 8, 9], [0, 1, 2]]),
    (([3, 0], [2, -1], [5, 6], (2, 2)), [[11, 5], [2, 6]]),
    (([3, -1], [2, -1], [5, 6, 7], (2, 2)), [[11, 5], [6, 7]]),
    (([], [], [], (0, 3)), []), (([-2], [], [1, 2, 3], (1, 3)), [[1, 2, 3]]), (([0], [-2], [4], (1, 1)), [[4]]),
    (([-1, -1], [], [1, 2, 3, 4, 5, 6], (2, 3)), [[1, 2, 3], [4, 5, 6]]), (([1], [0, 2], [], (1, 2)), [[3, 5]]),
    (([0], [], [], (1, 3), ['ck'], ['m']), [[0, 1, 2]]),
    (([3, 1, -1, 2], [2, -1, 0], range(50, 56), (4, 3), 'ck', 'm', 1),
     [[11, 50, 9], [5, 51, 3], [52, 53, 54], [8, 55, 6]])])
def test_matrices(folder: str, call: Any, wanted: Any) -> None:
    rows, columns, filling, *rest = call
    assert matrix(folder, rows, columns, list(filling), *rest).numpy().tolist() == wanted


@pytest.mark.parametrize('call, kind, text', [
    (([0, 1], [], [], (3, 3)), 'InvalidArgument', 'Size of row_remapping is 2 instead of being equal to num_rows=3'),
    (([0, 1], [0, 1], [], (2, 3)), 'InvalidArgument',
     'Provided col_remapping, but its size is 2 instead of being equal to num_cols=3'),
    (([0, 1], [], [1], (2, 3)), 'InvalidArgument', 'initializing_values contained 1 elements, but only 0 elements were '
     'used to fill in missing values.'),
    (([-1], [], [1, 2], (1, 3)), 'InvalidArgument',
     'initializing_values contained 2 elements, but more missing values remain.'),
    (([0, 0], [], [], (2, 3)), 'Unimplemented', 'Old ID 0 is mapped to both new ID 0 and 1, which is not supported.'),
    (([0], [0, 0], [], (1, 2)), 'Unimplemented', 'Old ID 0 is mapped to both new ID 0 and 1, which is not supported.'),
    (([9], [], [], (1, 3)), 'Internal', 'Extent in dimension 0 out of bounds: shape = [4,3], slice = 9,1:-'),
    (([0], [9], [], (1, 1)), 'Internal', 'Extent in dimension 1 out of bounds'),  # TensorFlow reads what is behind.
    (([[0]], [], [], (1, 3)), 'InvalidArgument',
     'The `row_remapping` tensor must be 1-D, got a tensor of shape [1,1]'),
    (([0], [], [], (1, 3), ['ck', 'ck']), 'InvalidArgument',
     'The `ckpt_path` tensor must have exactly one element, got tensor of shape [2]'),
    (([0], [], [], (1, 4)), 'InvalidArgument', 'Tensor m has shape [4,3], where the size of its 2nd dimension is 3 '
     'instead of being equal to num_cols=4'),
    (([0], [], [], (1, 3), 'nope'), 'NotFound', 'DIR/nope.index; No such file or directory'),
    (([0], [], [], (1, 3), 'ck', 'x'), 'NotFound', 'Key x not found in checkpoint'),
    (([0], [], [], (1, 2), 'ck', 'i'), 'InvalidArgument',
     'Tensor i has invalid type int32 instead of expected type float'),
    (([0], [], [], (1, 2), 'ck', 'v'), 'InvalidArgument',
     'Tensor v has shape [2] of invalid rank 1 instead of expected shape of rank 2.')])
def test_matrices_are_refused(folder: str, call: Any, kind: str, text: str) -> None:
    with pytest.raises(getattr(tf.errors, f'{kind}Error')) as caught:
        matrix(folder, *call)
    assert text.replace('DIR', folder) in str(caught.value)
