"""switches - What TF1 and TF2 do differently and a program may choose one by one."""

from __future__ import annotations

from berth import _mode


def control_flow_v2_enabled() -> bool:
    """True when cond and while_loop are those of TF2."""
    return _mode.is_v2(_mode.FLOW)


def enable_control_flow_v2() -> None:
    """Makes cond and while_loop those of TF2."""
    _mode.choose(_mode.FLOW, True)


def disable_control_flow_v2() -> None:
    """Makes cond and while_loop those of TF1."""
    _mode.choose(_mode.FLOW, False)


def enable_v2_tensorshape() -> None:
    """Makes shapes give numbers."""
    _mode.choose(_mode.SHAPES, True)


def disable_v2_tensorshape() -> None:
    """Makes shapes give Dimensions."""
    _mode.choose(_mode.SHAPES, False)


def tensor_equality_enabled() -> bool:
    """True when == compares the values of tensors."""
    return _mode.is_v2(_mode.EQUALITY)


def enable_tensor_equality() -> None:
    """Makes == compare the values of tensors."""
    _mode.choose(_mode.EQUALITY, True)


def disable_tensor_equality() -> None:
    """Makes == compare tensors by identity."""
    _mode.choose(_mode.EQUALITY, False)
