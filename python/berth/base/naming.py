"""naming - What public classes and functions are called, where programs know TensorFlow by its name.

Under `berth run` a program imports `tensorflow`, and what it prints of a class has TensorFlow's
module in it. The finder of import statements knows these modules, so that pickle finds the
class there again. With `import berth` there is no such module, and a class is where it is.
"""

from __future__ import annotations

from berth import _mode

TYPE_CHECKING = False  # The module typing takes longer to load than this one.
if TYPE_CHECKING:
    from typing import Any, Callable, Optional


_unnamed: list[tuple[Any, str, Optional[str]]] = []  # What may yet be known by TensorFlow's name.


def public(module: str, name: Optional[str] = None) -> Callable[[Any], Any]:
    """Makes a decorator for a class or function of tensorflow.python.<module>, where it may have another name."""
    def mark(cls: Any) -> Any:
        if _mode.is_tensorflow():
            _name(cls, module, name)
        else:
            _unnamed.append((cls, module, name))
        return cls

    return mark


def _name(cls: Any, module: str, name: Optional[str]) -> None:
    cls.__module__ = f'tensorflow.python.{module}'
    if name is not None:
        cls.__name__ = cls.__qualname__ = name


def name_all() -> None:
    """Gives TensorFlow's names to what was made before they were known."""
    while _unnamed:
        _name(*_unnamed.pop())
