"""policy - What happens to inputs that are on another device than the op that reads them."""

from __future__ import annotations

from typing import Any, Optional

from berth.framework import dtypes, errors

NAMES = ('silent', 'silent_for_int32', 'warn', 'explicit')


def check(policy: str, device: Optional[str], op: str, inputs: list[Any]) -> None:
    """Refuses inputs that are not on |device|, or warns of them; without one, on that of the first."""
    here = device or (inputs[0].device if inputs else None)
    for index, tensor in enumerate(inputs):
        if here is None or tensor.device == here:
            continue
        if policy == 'silent_for_int32' and tensor.dtype == dtypes.int32:
            continue
        if policy == 'warn':
            warn(op, index, here, tensor.device)
            continue
        raise errors.InvalidArgumentError(
            None, None, f'Tensors on conflicting devices: cannot compute {op} as '
            f'{_where(index, here, tensor.device)} Tensors can be copied explicitly using: `with '
            'tf.device(device_name): x = tf.identity(x)` or transparently copied by using '
            "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices "
            f'may slow down your model [Op:{op}] name: ')


def warn(op: str, index: int, wanted: str, actual: str) -> None:
    """Logs that an input has to be copied."""
    from berth.base import logging

    logging.runtime_line('W', 'execute.cc', 197, f'before computing {op} '
                         f'{_where(index, wanted, actual)}. This triggers a copy which can be a '
                         'performance bottleneck.')


def _where(index: int, wanted: str, actual: str) -> str:
    return (f'input #{index} was expected to be on {wanted} but is actually on {actual} '
            f'(operation running on {wanted})')
