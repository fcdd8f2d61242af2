"""model_functions - The functions of a model that is loaded: under names of their own, and known to datasets."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator
from typing import Any

from berth import _core as core
from berth.eager import concrete
from berth.eager.context import settings


def _calls(library: Any) -> Iterator[tuple[Any, Any]]:
    """Yields each node that names a function, with the message that does."""
    for definition in library.function:
        for node in definition.node_def:
            for attr in node.attr.values():
                if attr.HasField('func'):
                    yield node, attr.func
                for called in attr.list.func:
                    yield node, called


def rename(library: Any, objects: Any) -> None:
    """Gives the functions of a model names that no other function of the process has."""
    names = {each.signature.name: re.sub(r'_\d+$', '', each.signature.name) + f'_{next(concrete._numbers)}'
             for each in library.function}
    for definition in library.function:
        definition.signature.name = names[definition.signature.name]
    for _, called in _calls(library):
        called.name = names.get(called.name, called.name)
    for each in library.gradient:
        each.function_name = names.get(each.function_name, each.function_name)
        each.gradient_func = names.get(each.gradient_func, each.gradient_func)
    found = {names[name]: message.SerializeToString() for name, message in objects.concrete_functions.items()}
    objects.concrete_functions.clear()  # A new name may be the old one of another.
    for name, message in found.items():
        objects.concrete_functions[name].ParseFromString(message)
    for node in objects.nodes:
        called = [names[name] for name in node.function.concrete_functions]
        if called:
            node.function.concrete_functions[:] = called
        name = node.bare_concrete_function.concrete_function_name
        if name:
            node.bare_concrete_function.concrete_function_name = names[name]


class DatasetFunctions:
    """Functions that datasets call, as long as the model lives: the eager runtime knows them."""

    def __init__(self, library: Any) -> None:
        called = {message.name for node, message in _calls(library) if 'Dataset' in node.op}
        if not called:
            return
        self._library = core.Graph()
        self._library.add_functions(library.SerializeToString())
        handle = settings.handle()
        for name in sorted(called):
            handle.add_function(name, self._library)
            weakref.finalize(self, handle.remove_function, name)
