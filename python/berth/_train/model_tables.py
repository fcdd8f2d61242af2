"""model_tables - Tables of a model that is saved: functions that make and fill each, and the files they are filled from."""

from __future__ import annotations

import copy
import itertools
import os
from typing import Any

from berth.eager.function import function
from berth.framework import convert, dtypes, gen, scopes
from berth.modules import gfile
from berth.ops import lookup_ops

_numbers = itertools.count(1)
_CONTAINERS = (list, tuple, dict)


class File:
    """A file that is copied beside the model, and the tensor that names it."""

    def __init__(self, path: Any) -> None:
        self.path = path

    def copy_to(self, folder: str, name: str) -> None:
        """Writes it into |folder|."""
        gfile.Copy(self.path.numpy().decode(), os.path.join(folder, name), overwrite=True)


class Source:
    """What a table is filled with: it has a file, or nothing that is saved."""

    def __init__(self, file: Any) -> None:
        self.file = file


class Table:
    """A table, as functions that make it, fill it and let it go."""

    def __init__(self, table: Any) -> None:
        source = table._source
        if type(source) not in (lookup_ops.KeyValueTensorInitializer, lookup_ops.TextFileInitializer):
            raise NotImplementedError(f'tf.saved_model.save: Berth saves tables of tensors and of text files, not of a '
                                      f'{type(source).__name__}')
        self.handle = table.resource_handle
        # Loaded models of one process do not share it: a name of this process and time.
        self._attrs = {'key_dtype': table.key_dtype, 'value_dtype': table.value_dtype,
                       'shared_name': f'table_{os.getpid():x}_{id(table):x}_{next(_numbers)}'}
        has_file = type(source) is lookup_ops.TextFileInitializer
        self.source = Source(File(source._path) if has_file else None)

        def fill() -> Any:
            own = copy.copy(source)
            if has_file:
                graph: Any = scopes.get_default_graph()
                own._path = graph.capture_for_call(source._path)
            with scopes.control_dependencies([own.initialize(table)]):
                return convert.constant(1, dtypes.int32)

        def one() -> Any:
            return convert.constant(1, dtypes.int32)

        self.functions = {f'_{name}': function(each, input_signature=[], autograph=False) for name, each in (
            ('create_resource', self.make), ('initialize', fill), ('destroy_resource', one))}

    def make(self) -> Any:
        """Makes it; returns the handle."""
        return gen.apply('HashTableV2', None, {}, self._attrs)


class Tables:
    """The tables of one model, each once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Table]] = {}

    def held(self, value: Any) -> dict[str, Any]:
        """Returns the tables that are attributes or items of an object, and what contains some, by names."""
        if isinstance(value, dict):
            items = {str(key): item for key, item in value.items()}
        elif isinstance(value, (list, tuple)):
            items = {str(place): item for place, item in enumerate(value)}
        else:
            items = getattr(value, '__dict__', {})
        found = {}
        for name, item in items.items():
            table = item._table if isinstance(item, lookup_ops.StaticVocabularyTable) else item
            if isinstance(table, lookup_ops.StaticHashTable):
                found[name] = self._of(table)
            elif isinstance(item, _CONTAINERS) and self.held(item):
                found[name] = item
        return found

    def _of(self, table: Any) -> Table:
        if id(table) not in self._known:
            self._known[id(table)] = table, Table(table)
        return self._known[id(table)][1]


def children(value: Any) -> Any:
    """Returns what a table, or what it is filled with, has by name; None for other objects."""
    if isinstance(value, Table):
        return {'_initializer': value.source, **value.functions}
    if isinstance(value, Source):
        return {'_filename': value.file} if value.file is not None else {}
    return {} if isinstance(value, File) else None
