"""version - The version of TensorFlow that this is compatible with."""

from __future__ import annotations

from typing import Any

VERSION = __version__ = '2.21.0'
GIT_VERSION = 'berth'
COMPILER_VERSION = 'C17'
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0
CXX_VERSION = 201703  # What TensorFlow's own extensions are compiled with.


def get_build_info() -> dict[str, Any]:
    """Returns how this was built."""
    return {'is_cuda_build': True, 'is_rocm_build': False, 'is_tensorrt_build': False}


build_info = get_build_info()  # What tensorflow.python.platform.build_info has.


def __dir__() -> list[str]:
    """Lists what TensorFlow has in tf.version."""
    return ['COMPILER_VERSION', 'GIT_VERSION', 'GRAPH_DEF_VERSION', 'GRAPH_DEF_VERSION_MIN_CONSUMER',
            'GRAPH_DEF_VERSION_MIN_PRODUCER', 'VERSION']
