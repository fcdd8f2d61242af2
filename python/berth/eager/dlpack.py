"""dlpack - tf.experimental.dlpack: sharing the memory of tensors with other libraries."""

from __future__ import annotations

from typing import Any

from berth.eager.devices import settings
from berth.eager.tensor import EagerTensor


class _Holder:
    """Gives a capsule to whoever asks by DLPack's newer way."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule


def to_dlpack(tf_tensor: Any) -> Any:
    """Returns a capsule that shares the memory of a tensor."""
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Any:
    """Returns a tensor that shares the memory of a capsule, or of an object that makes one."""
    settings.handle()
    source = dlcapsule if hasattr(dlcapsule, '__dlpack__') else _Holder(dlcapsule)
    return EagerTensor.from_dlpack(source)
