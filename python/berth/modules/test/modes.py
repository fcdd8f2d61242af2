"""modes - Decorators of tensorflow.python.framework.test_util: a test in graphs, eagerly, or both ways."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Optional

from berth.framework import scopes
from berth.modules.modes import eager_mode, graph_mode


def run_in_graph_and_eager_modes(func: Any = None, config: Any = None, use_gpu: bool = True,
                                 assert_no_eager_garbage: bool = False) -> Any:
    """Runs a test in a graph with a session, and then again eagerly."""
    if func is None:
        return lambda other: run_in_graph_and_eager_modes(other, config, use_gpu)
    if inspect.isclass(func):
        raise ValueError('`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use '
                         '`run_all_in_graph_and_eager_modes`?')

    @functools.wraps(func)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
        with graph_mode(), self.test_session(use_gpu=use_gpu, config=config):
            func(self, *args, **kwargs)
        self.tearDown()
        with eager_mode():
            self.setUp()
            func(self, *args, **kwargs)

    return decorated


def run_all_in_graph_and_eager_modes(cls: Any) -> Any:
    """Decorates all tests of a class."""
    for name in dir(cls):
        if name.startswith('test') and name != 'test_session':
            setattr(cls, name, run_in_graph_and_eager_modes(getattr(cls, name)))
    return cls


def deprecated_graph_mode_only(func: Any = None) -> Any:
    """Runs a test, or all tests of a class, in a graph with a session."""
    if func is None:
        return deprecated_graph_mode_only
    if inspect.isclass(func):
        for name in dir(func):
            if name.startswith('test') and name != 'test_session':
                setattr(func, name, deprecated_graph_mode_only(getattr(func, name)))
        return func

    @functools.wraps(func)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        with graph_mode():
            return func(self, *args, **kwargs)

    return decorated


run_deprecated_v1 = deprecated_graph_mode_only


def _skipping(is_wrong: Callable[[], bool], why: str) -> Callable[..., Any]:
    """Makes a decorator that skips tests where they make no sense."""
    def decorate(reason: Optional[Any] = None, func: Any = None) -> Any:
        if isinstance(reason, str) or reason is None and func is None:
            return functools.partial(decorate, None)
        target = func if func is not None else reason
        if inspect.isclass(target):
            for name in dir(target):
                if name.startswith('test') and name != 'test_session':
                    setattr(target, name, decorate(getattr(target, name)))
            return target

        @functools.wraps(target)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            if is_wrong():
                self.skipTest(why)
            return target(self, *args, **kwargs)

        return decorated

    return decorate


run_v1_only = _skipping(scopes.executing_eagerly, 'Test is only compatible with v1')
run_v2_only = _skipping(lambda: not scopes.executing_eagerly(), 'Test is only compatible with v2')
