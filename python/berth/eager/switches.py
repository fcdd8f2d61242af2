"""switches - What TF1 and TF2 do differently and a program may choose one by one."""

from __future__ import annotations

from berth import _mode


class _Switch:
    """Something of TF1 and TF2 that can be chosen on its own."""

    def __init__(self, attribute: str, v1: bool, v2: bool) -> None:
        self._values, self._chosen = (v1, v2), None
        self.__name__ = attribute

    def __call__(self) -> bool:
        """Returns what holds now."""
        return self._values[not _mode.is_v1()] if self._chosen is None else self._chosen

    def choose(self, value: bool) -> None:
        """Settles it."""
        self._chosen = value  # type: ignore[assignment]


control_flow_v2_enabled = _Switch('control_flow_v2_enabled', False, True)
tensor_equality_enabled = _Switch('tensor_equality_enabled', False, True)


def enable_control_flow_v2() -> None:
    """Makes cond and while_loop functional ops."""
    control_flow_v2_enabled.choose(True)


def disable_control_flow_v2() -> None:
    """Makes cond and while_loop Switch and Merge."""
    control_flow_v2_enabled.choose(False)


def enable_v2_tensorshape() -> None:
    """Makes shapes give numbers."""
    _mode.set_dimensions(False)


def disable_v2_tensorshape() -> None:
    """Makes shapes give Dimensions."""
    _mode.set_dimensions(True)


def enable_tensor_equality() -> None:
    """Makes == compare the values of tensors."""
    tensor_equality_enabled.choose(True)


def disable_tensor_equality() -> None:
    """Makes == compare tensors by identity."""
    tensor_equality_enabled.choose(False)
