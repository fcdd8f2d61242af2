"""layer_utils.py - tf.contrib.layers.utils and slim.model_analyzer: outputs by their names, and how large things are."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from berth.framework import scopes
from berth.modules.modes import smart_cond
from berth.modules.modes import smart_constant_value as constant_value

__all__ = ['constant_value', 'smart_cond']


# ---- Outputs by name ----


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more name."""
    tensor.aliases = [*getattr(tensor, 'aliases', []), alias.rstrip('/')]
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Returns the names of a tensor."""
    found = getattr(tensor, 'aliases', None)
    if found is not None:
        return found
    return [tensor.op.name if tensor.name.endswith(':0') else tensor.name]


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """Returns the names of several."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Adds a tensor to collections under a name."""
    if collections:
        append_tensor_alias(outputs, alias)
        scopes.add_to_collections(collections, outputs)
    return outputs


def convert_collection_to_dict(collection: Any, clear_collection: bool = False) -> Any:
    """Returns the tensors of a collection by their names."""
    found = OrderedDict((alias, tensor) for tensor in scopes.get_collection(collection)
                                    for alias in get_tensor_aliases(tensor))
    if clear_collection:
        scopes.get_default_graph().clear_collection(collection)
    return found


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """Returns the collections for variables of a name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


# ---- Sizes ----


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """Returns how many channels there are."""
    return _dimension(shape, 1 if data_format.startswith('NC') else -1, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """Returns the last size of a shape."""
    return _dimension(shape, -1, min_rank)


def first_dimension(shape: Any, min_rank: int = 1) -> int:
    """Returns the first size of a shape."""
    return _dimension(shape, 0, min_rank)


def _dimension(shape: Any, place: int, least: int) -> int:
    if shape.rank is None:
        raise ValueError('dims of shape must be known but is None')
    if shape.rank < least:
        raise ValueError('rank of shape must be at least %d not: %d' % (least, shape.rank))
    size = shape.as_list()[place]
    if size is None:
        raise ValueError('dimension must be defined but is None')
    return size


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """Returns a number twice, or the two that are given."""
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError('Must be a list with 2 elements: %s' % int_or_tuple)
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    raise ValueError('Must be an int, a list with 2 elements or a TensorShape of length 2')


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """Returns a number n times, or the n that are given."""
    if not isinstance(n, int) or n < 1:
        raise ValueError('n must be a positive integer')
    values = (value,) * n if isinstance(value, int) else tuple(int(each) for each in value)
    if len(values) != n or any(each < 1 for each in values):
        raise ValueError(f'Argument must be a positive integer or a sequence of {n} positive integers')
    return values


# ---- What a model holds ----


def tensor_description(var: Any) -> str:
    """Returns type and shape as a text."""
    return f'({var.dtype.name} {"x".join("?" if size is None else str(size) for size in var.shape.as_list())})'


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """Returns how many numbers all operations give, and prints each."""
    if print_info:
        print('---------\nOperations: name -> (type shapes) [size]\n---------')
    total = 0
    for op in graph.get_operations():
        size = sum(output.shape.num_elements() or 0 for output in op.outputs)
        shapes = [tensor_description(output) for output in op.outputs if output.shape]
        if print_info:
            print(op.name, '\t->', ', '.join(shapes), f'[{size}]')
        total += size
    return total


def analyze_vars(variables: Any, print_info: bool = False) -> tuple[int, int]:
    """Returns how many numbers and bytes variables hold, and prints each."""
    if print_info:
        print('---------\nVariables: name (type shape) [size]\n---------')
    total = count = 0
    for variable in variables:
        size = variable.shape.num_elements() or 0
        total, count = total + size, count + size * variable.dtype.size
        if print_info:
            print(variable.name, tensor_description(variable), '[%d, bytes: %d]' % (size, size * variable.dtype.size))
    if print_info:
        print('Total size of variables: %d' % total)
        print('Total bytes of variables: %d' % count)
    return total, count
