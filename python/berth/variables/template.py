"""template.py - tf.make_template: functions that share their variables between calls."""

from __future__ import annotations

import functools
import traceback
from typing import Any, Callable

from berth.base import logging
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.variables.scope import VariableScope, _unique_scope, variable_scope

_CREATED_LATE = ('variable%s created when calling a template after the first time, perhaps you used tf.Variable when '
                 'you meant tf.get_variable: %s')


class Template:
    """A function that makes variables when it is called first, and uses them again later."""

    def __init__(self, name: str, func: Callable[..., Any], create_scope_now: bool = False,
                 unique_name: str | None = None, custom_getter: Any = None) -> None:
        if name is None:
            raise ValueError('name cannot be None.')
        self._func = func
        self._stack = traceback.format_stack()[:-2]
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variable_scope: VariableScope | None = None
        self._has_variables = False
        self._is_first = True
        if create_scope_now:
            with variable_scope(unique_name or _unique_scope(name), custom_getter=custom_getter,
                                auxiliary_name_scope=False) as scope:
                self._variable_scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=not self._is_first):
                return self._call(args, kwargs)
        with variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._variable_scope = scope
            return self._call(args, kwargs)

    def _call(self, args: Any, kwargs: Any) -> Any:
        """Calls the function; an error also says where the template was made."""
        try:
            return self._call_again(args, kwargs) if self._has_variables else self._call_first(args, kwargs)
        except Exception as error:
            first = error.args[0] if error.args else ''
            where = ''.join(_rest(self._stack, traceback.format_stack()))
            error.args = (f'{first}\n\noriginally defined at:\n{where}', *error.args[1:])
            raise

    def _call_first(self, args: Any, kwargs: Any) -> Any:
        if not self._is_first:  # Another thread is in its first call.
            return self._func(*args, **kwargs)
        self._is_first = False
        try:
            result = self._func(*args, **kwargs)
        except BaseException:
            self._is_first = True
            raise
        self._has_variables = True
        return result

    def _call_again(self, args: Any, kwargs: Any) -> Any:
        every = scopes.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
        trained = scopes.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        before, trained_before = len(every), len(trained)
        result = self._func(*args, **kwargs)
        if len(trained) != trained_before:
            raise ValueError('Trainable ' + _CREATED_LATE % ('', trained[trained_before:]))
        if len(every) != before:
            logging.info('New ' + _CREATED_LATE, 's', every[before:])
        return result

    name = property(lambda self: self._name, doc='The name it was given.')
    func = property(lambda self: self._func, doc='The function it calls.')
    variable_scope = property(lambda self: self._variable_scope, doc='The scope of its variables, once there is one.')

    @property
    def variable_scope_name(self) -> str | None:
        """The name of that scope, with a slash."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name if not name or name.endswith('/') else name + '/'

    def _collected(self, key: str) -> list[Any]:
        return scopes.get_collection(key, self.variable_scope_name) if self._has_variables else []

    @property
    def global_variables(self) -> list[Any]:
        """The global variables it made."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables it made."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        """All variables it made."""
        return self.global_variables + self.local_variables

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables it made that are to be trained."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The other ones."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    non_trainable_weights = non_trainable_variables


def _rest(stack: list[str], other: list[str]) -> list[str]:
    """Returns what |stack| has beyond the beginning that it shares with |other|."""
    for index, (mine, theirs) in enumerate(zip(stack, other)):
        if mine != theirs:
            return stack[index:]
    return stack[-1:]


def make_template(name_: str, func_: Callable[..., Any], create_scope_now_: bool = False,
                  unique_name_: str | None = None, custom_getter_: Any = None,
                  **kwargs: Any) -> Template:
    """Returns |func_| as a function that makes its variables once."""
    if scopes.executing_eagerly():
        raise NotImplementedError('tf.compat.v1.make_template: Berth has it in graphs only; use a tf.Module')
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)
