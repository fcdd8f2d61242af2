"""test - tf.test: questions about this build, and a base for tests."""

from __future__ import annotations

import functools
import os
import tempfile
import unittest
from typing import Any, Optional

from berth.base import logging


def is_gpu_available(cuda_only: bool = False,
                     min_cuda_compute_capability: Optional[tuple[int, int]] = None) -> bool:
    """Returns whether there is a GPU, of some compute capability at least."""
    logging.deprecated('is_gpu_available', 'tensorflow.python.framework.test_util',
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
    from berth.modules import graph_diff

    for value, name in ((actual, 'actual'), (expected, 'expected')):
        if not hasattr(value, 'node'):
            raise TypeError(f'Expected tf.GraphDef for {name}, got {type(value).__name__}')
    text = graph_diff.difference(actual, expected)
    if text is not None:
        raise AssertionError(text)


def is_cpu_target_available(target: str) -> bool:
    """Returns whether this machine runs code for |target|, such as x86_64."""
    import platform

    names = {'amd64': 'x86_64', 'arm64': 'aarch64'}
    machine = platform.machine().lower()
    return names.get(target.lower(), target.lower()) == names.get(machine, machine)


def disable_with_predicate(pred: Any, skip_message: str) -> Any:
    """Makes a decorator that skips a test while |pred| returns true."""
    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return wrapped

    return decorator


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Returns the class as it is: an op called at once has one way to run."""
    return (lambda other: other) if cls is None else cls


def benchmark_config() -> Any:
    """Returns a ConfigProto without the optimisations that would compute constants beforehand."""
    from berth.base import protos

    config = protos.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = protos.RewriterConfig.OFF
    return config


def __getattr__(name: str) -> Any:
    """Loads mock when it is asked for."""
    if name == 'mock':
        from unittest import mock

        return mock
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


def main(argv: Any = None) -> None:
    """Runs the tests of the program."""
    unittest.main(argv=argv)
