"""test_release.py - Values of a GPU whose memory has been given back."""

from __future__ import annotations

import pytest
from script import run

LOOKS = {
    "array": "np.asarray(value)",
    "numpy": "value.numpy()",
    "dlpack": "np.asarray(tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(value)))",
    "buffer": "np.asarray(memoryview(tf.identity(value).to_host()))",
}


@pytest.mark.parametrize("look", LOOKS)
def test_value_is_still_there(look: str) -> None:
    """The first thing that is done with the GPU is to look at a value."""
    program = """
        import ctypes, os, re
        os.environ["BERTH_SIMULATE_GPUS"] = "Tesla K20m"
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
        import numpy as np
        import berth as tf
        array = np.arange(5000, dtype=np.float32)
        with tf.device("/gpu:0"):
            value = tf.constant(array) + array
        assert np.array_equal(np.asarray(value), 2 * array)
        maps = open("/proc/self/maps").read()
        library = ctypes.CDLL(re.search("[^ ]*/libberth[.]so[^ \\n]*", maps).group(0))
        assert library.berth_device_release_memory(b"GPU:0", None) == 0
        print(np.array_equal(LOOK, 2 * array))
    """
    assert run(program.replace("LOOK", LOOKS[look]), "2") == "True\n"
