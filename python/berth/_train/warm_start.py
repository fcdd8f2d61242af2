"""warm_start - Variables that begin with values of another checkpoint: init_from_checkpoint, warm_start."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any, Optional

from berth._train import saveables, vocabulary
from berth._train.checkpoint_reader import _checkpoint_path, load_checkpoint
from berth.base import logging, naming
from berth.framework import gen, scopes
from berth.framework.collections import GraphKeys
from berth.variables import scope as variable_scopes
from berth.variables.graph_variable import Variable
from berth.variables.partitioned import PartitionedVariable


@naming.public('training.warm_starting_util')
class VocabInfo(collections.namedtuple('VocabInfo', (
        'new_vocab', 'new_vocab_size', 'num_oov_buckets', 'old_vocab', 'old_vocab_size', 'backup_initializer', 'axis'))):
    """How the rows of a variable go with the words of a list, now and before."""

    def __new__(cls, new_vocab: Any, new_vocab_size: int, num_oov_buckets: int, old_vocab: Any,
                old_vocab_size: int = -1, backup_initializer: Any = None, axis: int = 0) -> 'VocabInfo':
        if axis not in (0, 1):
            raise ValueError('The only supported values for the axis argument are 0 and 1.  Provided axis: {}'.format(axis))
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size,
                               backup_initializer, axis)


# ---- Initial values ----

def _set_initializer(variable: Any, path: str, tensor: str) -> None:
    """Makes a variable begin with a tensor of a checkpoint."""
    if scopes.executing_eagerly():
        raise NotImplementedError('tf.compat.v1.train.init_from_checkpoint: Berth has it for variables of graphs; where '
                                  'ops run at once, assign tf.train.load_variable()')
    info = getattr(variable, '_save_slice_info', None)
    with scopes.device(variable.device), scopes.device('/cpu:0'):
        value, = gen.apply('RestoreV2', 'checkpoint_initializer', {
            'prefix': path, 'tensor_names': [tensor], 'shape_and_slices': [info.spec if info else '']},
            {'dtypes': [variable.dtype.base_dtype]})
    saveable, = saveables.checked(saveables.by_name([variable]))
    variable._initializer_op = saveable.restore([value], None)
    value.set_shape(variable.shape)
    variable._initial_value = value


def _set_all(variables: list[Any], path: str, tensor: str) -> None:
    names = [variable._save_slice_info.full_name for variable in variables if len(variables) > 1]
    for name in names:
        if name != names[0]:
            raise ValueError(f'Slices must all be from the same tensor: {names[0]} != {name}')
    for variable in variables:
        _set_initializer(variable, path, tensor)


def _found(wanted: Any, store: dict[str, Any]) -> Optional[list[Any]]:
    """Returns the variables that |wanted| is or names: one, or the parts of one; None for anything else."""
    if isinstance(wanted, Variable):
        return [wanted]
    if isinstance(wanted, (list, tuple, PartitionedVariable)):
        return list(wanted)
    if wanted in store:
        return [store[wanted]]
    parts = [store[name] for name in (f'{wanted}/part_{i}' for i in range(len(store))) if name in store]
    return parts or None


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Makes variables begin with values of a checkpoint, by names of tensors or of scopes."""
    path, shapes = _checkpoint_path(ckpt_dir_or_file), load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    store = variable_scopes._store()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for tensor, wanted in sorted(pairs, key=lambda pair: pair[0]):
        variables = _found(wanted, store)
        if variables is None:
            _init_scope(ckpt_dir_or_file, path, shapes, tensor, wanted, store)
            continue
        if tensor not in shapes:
            raise ValueError(f'Tensor {tensor} is not found in {ckpt_dir_or_file} checkpoint {shapes}')
        if len(variables) == 1 and not variables[0].shape.is_compatible_with(shapes[tensor]):
            raise ValueError(f"Shape of variable {variables[0].name} ({variables[0].shape}) doesn't match with shape of "
                             f'tensor {tensor} ({shapes[tensor]}) from checkpoint reader.')
        _set_all(variables, path, tensor)


def _init_scope(given: Any, path: Any, shapes: Any, before: str, wanted: str, store: dict[str, Any]) -> None:
    """Does all variables of a scope, whose tensors are in another one."""
    scope = wanted.rpartition('/')[0]
    if not before.endswith('/'):
        raise ValueError(f'Assignment map with scope only name {scope} should map to scope only {before}. Should be '
                         "'scope/': 'other_scope/'.")
    names = {name.partition('/part_')[0] for name in store if not scope or name.startswith(scope + '/')}
    for name in sorted(names):
        rest = name[len(scope):] if wanted == '/' else name[len(scope) + 1:]
        tensor = (rest if before == '/' else before + rest).rstrip('/')
        if tensor not in shapes:
            raise ValueError(f'Tensor {tensor} ({name[len(scope) + 1:]} in {before}) is not found in {given} checkpoint')
        _set_all(_found(name, store) or [], path, tensor)


# ---- Warm starts ----

def _grouped(wanted: Any) -> dict[str, list[Any]]:
    """Returns the variables to begin so, parts of one together, by names."""
    if isinstance(wanted, str) or wanted is None:
        logging.info('Warm-starting variables only in TRAINABLE_VARIABLES.')
        variables = scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=wanted)
    elif not isinstance(wanted, list):
        raise ValueError(f'`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}')
    elif all(isinstance(item, str) for item in wanted):
        variables = [each for name in wanted for each in scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=name)]
    elif all(isinstance(item, Variable) for item in wanted):
        variables = wanted
    else:
        raise ValueError('If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are '
                         f'{[type(item) for item in wanted]}')
    groups: dict[str, list[Any]] = {}
    for variable in variables:
        info = getattr(variable, '_save_slice_info', None)
        groups.setdefault(info.full_name if info else variable.op.name, []).append(variable)
    return groups


def warm_start(ckpt_to_initialize_from: Any, vars_to_warm_start: Any = '.*', var_name_to_vocab_info: Any = None,
               var_name_to_prev_var_name: Any = None) -> None:
    """Makes variables begin with the values that those of their names, or others, have in a checkpoint."""
    logging.info(f'Warm-starting from: {ckpt_to_initialize_from}')
    groups = _grouped(vars_to_warm_start)
    renamed, words = dict(var_name_to_prev_var_name or {}), dict(var_name_to_vocab_info or {})
    whole: dict[str, Any] = {}
    for name, variables in groups.items():
        tensor = renamed.get(name, name)
        if name in words:
            vocabulary.set_initializers(variables, words[name], _checkpoint_path(ckpt_to_initialize_from), tensor)
        elif vars_to_warm_start:
            whole[tensor] = variables[0] if len(variables) == 1 else variables
    init_from_checkpoint(ckpt_to_initialize_from, whole)
    logging.info('Warm-started %d variables.', len(whole) + len(set(words) & set(groups)))
    unused = set(renamed) - set(groups)
    if unused:
        raise ValueError(f'You provided the following variables in var_name_to_prev_var_name that were not used: {unused}'
                         f'.  Perhaps you misspelled them?  Here is the list of viable variable names: {groups.keys()}')
    unused = set(words) - set(groups)
    if unused:
        raise ValueError(f'You provided the following variables in var_name_to_vocab_info that were not used: {unused}.  '
                         f'Perhaps you misspelled them?  Here is the list of viable variable names: {groups.keys()}')
