"""tf_test - tf.test: questions about this build, and a base for tests."""

from __future__ import annotations

import os
import tempfile
import unittest
from typing import Any, Optional

from berth import tf_logging


def is_gpu_available(cuda_only: bool = False,
                     min_cuda_compute_capability: Optional[tuple[int, int]] = None) -> bool:
    """Returns whether there is a GPU, of some compute capability at least."""
    tf_logging.deprecated('is_gpu_available', 'tensorflow.python.framework.test_util',
                          "Use `tf.config.list_physical_devices('GPU')` instead.")
    from berth import _core

    wanted = min_cuda_compute_capability or (0, 0)
    return any(card['compute_capability'] >= tuple(wanted) for card in _core.cards())


def gpu_device_name() -> str:
    """Returns the name of the first GPU, or ''."""
    from berth import _core

    return '/device:GPU:0' if _core.cards() else ''


def is_built_with_cuda() -> bool:
    """Returns True where there are cards to use: no build of Berth leaves CUDA out."""
    from berth import _core

    return bool(_core.cards())


is_built_with_gpu_support = is_built_with_cuda


def is_built_with_rocm() -> bool:
    """Returns False: there are no ROCm devices."""
    return False


def is_built_with_xla() -> bool:
    """Returns False: graphs are not compiled."""
    return False


def get_temp_dir() -> str:
    """Returns a folder for the files of a test."""
    return os.environ.get('TEST_TMPDIR') or tempfile.gettempdir()


def test_src_dir_path(relative_path: str) -> str:
    """Returns the path of a file beside the tests."""
    return os.path.join(os.environ.get('TEST_SRCDIR', ''), relative_path)


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Raises AssertionError when two GraphDefs have different nodes."""
    assert_equal_graph_def_v1(actual, expected)


def assert_equal_graph_def_v1(actual: Any, expected: Any, checkpoint_v2: bool = False,
                              hash_table_shared_name: bool = False) -> None:
    """The same, with the arguments of version 1."""
    if checkpoint_v2 or hash_table_shared_name:
        raise NotImplementedError('tf.test.assert_equal_graph_def: Berth compares names as they are.')
    from berth import tf_graph_diff

    for value, name in ((actual, 'actual'), (expected, 'expected')):
        if not hasattr(value, 'node'):
            raise TypeError(f'Expected tf.GraphDef for {name}, got {type(value).__name__}')
    text = tf_graph_diff.difference(actual, expected)
    if text is not None:
        raise AssertionError(text)


def main(argv: Any = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)
