"""generator - Datasets of what a generator of Python's gives."""

from __future__ import annotations

from typing import Any


def from_generator(python: Any, output_types: Any, output_shapes: Any, args: Any, output_signature: Any) -> Any:
    """Makes a dataset of what |python|, called with |args|, gives one after the other."""
    raise NotImplementedError('from_generator')
