"""thin.py - Names of tf.contrib that stand for little: tf.contrib.util, nn, distribute, framework, saved_model."""

from __future__ import annotations

from typing import Any

import numpy as np

from berth import _core
from berth._distribute import strategy
from berth._train import model_loader
from berth.base import protos
from berth.framework import convert, dtypes, graph_members, scopes
from berth.framework.collections import GraphKeys
from berth.framework.device_spec import DeviceSpecV1
from berth.framework.node import Tensor
from berth.modules import config
from berth.ops import (array_ops, check_ops, math_ops, nn_ops, order_ops, random_ops, reduce_ops, script_ops,
                       state_ops)
from berth.variables.graph_variable import VariableV1

_FIGURES = {'BytesInUse': 'bytes_in_use', 'MaxBytesInUse': 'peak_bytes_in_use', 'BytesLimit': 'bytes_limit'}

# ---- tf.contrib.util ----


def ops_used_by_graph_def(graph_def: Any) -> list[str]:
    """Returns the types of the nodes of a graph and of the functions that it uses."""
    functions = {each.signature.name: each for each in graph_def.library.function}
    found: set[str] = set()
    waiting = [node.op for node in graph_def.node]
    while waiting:
        kind = waiting.pop()
        if kind not in found:
            found.add(kind)
            waiting += [node.op for node in functions[kind].node_def] if kind in functions else []
    return [kind for kind in found if kind not in functions]


def stripped_op_list_for_graph(graph_def: Any) -> Any:
    """Returns what the types of a graph's nodes take and give."""
    return protos.OpList(op=[graph_members.op_def(kind) for kind in sorted(ops_used_by_graph_def(graph_def))])


# ---- tf.contrib.nn ----


def alpha_dropout(x: Any, keep_prob: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """Drops numbers in a way that leaves mean and variance of a self-normalising network as they are."""
    with scopes.name_scope(name, 'alpha_dropout', [x]):
        x = convert.convert_to_tensor(x, name='x')
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
            raise ValueError('keep_prob must be a scalar tensor or a float in the range (0, 1], got %g' % keep_prob)
        if isinstance(keep_prob, (int, float)) and keep_prob == 1:
            return x
        keep_prob = convert.convert_to_tensor(keep_prob, dtype=x.dtype, name='keep_prob')
        shape = array_ops.shape(x) if noise_shape is None else noise_shape
        low = -1.7580993408473766
        kept = math_ops.floor(keep_prob + random_ops.random_uniform(shape, seed=seed, dtype=x.dtype))
        a = (keep_prob + low * low * keep_prob * (1 - keep_prob)) ** -0.5
        found = a * (x * kept + low * (1 - kept)) - a * low * (1 - keep_prob)
        found.set_shape(x.shape)
        return found


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """Returns alpha * softplus(x / alpha), no more than |clip|."""
    with scopes.name_scope(name, 'scaled_softplus', [x, alpha]):
        x = convert.convert_to_tensor(x, name='x')
        alpha = convert.convert_to_tensor(alpha, dtype=x.dtype, name='alpha')
        found = alpha * nn_ops.softplus(x / alpha)
        return found if clip is None else math_ops.minimum(found, convert.convert_to_tensor(clip, dtype=x.dtype))


# ---- tf.contrib.memory_stats ----


def _memory(figure: str) -> Any:
    """Makes a function whose node reads a figure of the memory of the device that is asked for."""
    def read() -> Any:
        device = order_ops.no_op(name=f'{figure}/device').device or '/device:CPU:0'
        with scopes.device('/device:CPU:0'):
            found = script_ops.py_func(lambda: np.int64(_core.memory_stats(config._match(device))[_FIGURES[figure]]), [],
                                       dtypes.int64, name=figure)
        found.set_shape([])
        return found

    read.__name__ = read.__qualname__ = figure
    return read


BytesInUse, MaxBytesInUse, BytesLimit = (_memory(figure) for figure in _FIGURES)


# ---- tf.contrib.distribute ----


class MirroredStrategy(strategy.MirroredStrategy):
    """A copy of every variable on each of several GPUs."""

    def __init__(self, devices: Any = None, num_gpus: Any = None, num_gpus_per_worker: Any = None,
                 cross_device_ops: Any = None, auto_shard_dataset: bool = False, cross_tower_ops: Any = None,
                 prefetch_on_device: Any = None) -> None:
        if auto_shard_dataset:
            raise NotImplementedError('tf.contrib.distribute.MirroredStrategy: Berth does not have `auto_shard_dataset`')
        del prefetch_on_device
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError('You cannot specify both `num_gpus` and `num_gpus_per_worker`.')
        count = num_gpus if num_gpus is not None else num_gpus_per_worker
        if devices is None and count is not None:
            devices = [f'/device:GPU:{i}' for i in range(count)]
        elif count is not None:
            raise ValueError('Must only specify one of `devices` and `num_gpus`.')
        super().__init__(devices, cross_device_ops if cross_device_ops is not None else cross_tower_ops)


class OneDeviceStrategy(strategy.OneDeviceStrategy):
    """One device for variables and steps."""

    def __init__(self, device: str, prefetch_on_device: Any = None) -> None:
        del prefetch_on_device
        super().__init__(device)


# ---- tf.contrib.saved_model ----


def get_signature_def_by_key(meta_graph_def: Any, signature_def_key: str) -> Any:
    """Returns a signature of a graph."""
    if signature_def_key not in meta_graph_def.signature_def:
        raise ValueError(f"No SignatureDef with key '{signature_def_key}' found in MetaGraphDef.")
    return meta_graph_def.signature_def[signature_def_key]


def read_saved_model(saved_model_dir: str) -> Any:
    """Returns the message in the file of a SavedModel."""
    return model_loader.parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """Returns the tags of each graph of a SavedModel."""
    return [sorted(graph.meta_info_def.tags) for graph in read_saved_model(saved_model_dir).meta_graphs]


# ---- tf.contrib.framework ----


def local_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None,
                   use_resource: Any = None) -> Any:
    """Makes a variable that is not saved."""
    return VariableV1(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                                    validate_shape=validate_shape, name=name, use_resource=use_resource)


def global_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None,
                    use_resource: Any = None) -> Any:
    """Makes a variable that is saved, and not trained."""
    return VariableV1(initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
                                    validate_shape=validate_shape, name=name, use_resource=use_resource)


def get_variable_full_name(var: Any) -> str:
    """Returns the name that checkpoints have for a variable."""
    return var._save_slice_info.full_name if getattr(var, '_save_slice_info', None) else var.op.name


def get_name_scope() -> str:
    """Returns the name scope that is open."""
    return scopes.get_default_graph().get_name_scope()


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor that is one whole number; ValueError for others."""
    with scopes.name_scope(name, 'assert_scalar_int', [tensor]):
        tensor = convert.convert_to_tensor(tensor)
        if not tensor.dtype.is_integer:
            raise ValueError(f'Expected integer type for {tensor.name}, received type: {tensor.dtype}.')
        if tensor.shape.rank != 0:
            raise ValueError(f'Expected scalar shape for {tensor.name}, received shape: {tensor.shape}.')
        return tensor


def reduce_sum_n(tensors: Any, name: str | None = None) -> Any:
    """Returns the sum of all elements of several tensors."""
    if not tensors:
        raise ValueError('No tensors provided.')
    with scopes.name_scope(name, 'reduce_sum_n', tensors):
        sums = [reduce_ops.reduce_sum(each, name=f'{each.op.name}/sum') if each.shape.rank else each for each in tensors]
        return sums[0] if len(sums) == 1 else math_ops.add_n(sums)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Returns a tensor that has a shape, which is looked at when it runs where it is not known."""
    tensor = convert.convert_to_tensor(tensor)
    if not isinstance(expected_shape, Tensor):
        wanted = [int(size) for size in expected_shape]
        if not tensor.shape.is_compatible_with(wanted):
            raise ValueError(f'Wrong shape for {tensor.name}, expected {wanted}, got {tensor.shape}.')
        if tensor.shape.is_fully_defined():
            return tensor
    found = array_ops.shape(tensor)
    check = check_ops.assert_equal(found, expected_shape, message=f'Wrong shape for {tensor.name} [expected] [actual].')
    with scopes.control_dependencies([check]):
        result = array_ops.identity(tensor)
    if not isinstance(expected_shape, Tensor):
        result.set_shape(expected_shape)
    return result


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Returns a tensor that has the shape of another."""
    shape = convert.convert_to_tensor(expected_tensor).shape
    return with_shape(shape.as_list() if shape.is_fully_defined() else array_ops.shape(expected_tensor), tensor)


def zero_initializer(ref: Any, use_locking: bool = True, name: str = 'zero_initializer') -> Any:
    """Gives a variable zeros, whatever its initialiser is."""
    with scopes.name_scope(name):
        return state_ops.assign(ref, array_ops.zeros(ref.shape, ref.dtype.base_dtype), use_locking=use_locking)


class VariableDeviceChooser:
    """Gives variables to parameter servers in turn, and other nodes to a worker."""

    def __init__(self, num_tasks: int = 0, job_name: str = 'ps', device_type: str = 'CPU', device_index: int = 0,
                 replica: Any = None) -> None:
        self._job, self._type, self._index, self._replica = job_name, device_type, device_index, replica
        self._count, self._next = num_tasks, 0

    def __call__(self, op: Any) -> str:
        spec = DeviceSpecV1(replica=self._replica, device_type=self._type, device_index=self._index)
        if self._count > 0:
            spec.job, spec.task = self._job, self._next
            self._next = (self._next + 1) % self._count
        return spec.to_string()
