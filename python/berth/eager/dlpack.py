"""dlpack - tf.experimental.dlpack: sharing the memory of tensors with other libraries."""

from __future__ import annotations

from typing import Any

from berth.base.devices import settings
from berth.eager.tensor import EagerTensor


def to_dlpack(tf_tensor: Any) -> Any:
    """Returns a capsule that shares the memory of a tensor."""
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Any:
    """Returns a tensor that shares the memory of a capsule, or of an object that makes one."""
    return EagerTensor.from_dlpack(dlcapsule, settings.handle())
