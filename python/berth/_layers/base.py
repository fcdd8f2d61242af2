"""base.py - tf.layers.Layer: what has variables, makes them at its first call, and shares them later.

A layer opens a variable scope at its first call and returns to it, and to the name scope that came
with it, at each later one: variables are made once, nodes again.
"""

from __future__ import annotations

import re
import weakref
from typing import Any, Iterator

from berth.framework import convert, dtypes, nest, scopes
from berth.framework.collections import GraphKeys
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, math_ops
from berth.variables import scope as variable_scopes
from berth.variables import sets

# How many layers of each kind a graph has.
_counts: weakref.WeakKeyDictionary[Any, dict[str, int]] = weakref.WeakKeyDictionary()


class InputSpec:
    """What a layer expects of its input: dimensions, or the least number of them, and sizes of axes."""

    def __init__(self, dtype: Any = None, shape: Any = None, ndim: Any = None, max_ndim: Any = None,
                 min_ndim: Any = None, axes: Any = None) -> None:
        self.dtype, self.shape, self.max_ndim = dtype, shape, max_ndim
        self.ndim = len(shape) if shape is not None else ndim
        self.min_ndim, self.axes = min_ndim, dict(axes or {})

    def check(self, x: Any, layer: str) -> None:
        """Raises for an input that does not fit."""
        rank = x.shape.rank
        start = f'Input 0 of layer "{layer}" is incompatible with the layer: '
        if rank is None:
            return
        full = f'Full shape received: {tuple(x.shape)}'
        if self.ndim is not None and rank != self.ndim:
            raise ValueError(f'{start}expected ndim={self.ndim}, found ndim={rank}. {full}')
        if self.min_ndim is not None and rank < self.min_ndim:
            raise ValueError(f'{start}expected min_ndim={self.min_ndim}, found ndim={rank}. {full}')
        for axis, size in self.axes.items():
            if size is not None and x.shape.as_list()[axis] not in (size, None):
                raise ValueError(f'{start}expected axis {axis} of input shape to have value {size}, but received '
                                 f'input with shape {x.shape}')


def _snake(name: str) -> str:
    """Returns a name of a class in small letters: MaxPooling2D becomes max_pooling2d."""
    inner = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    whole = re.sub('([a-z])([A-Z])', r'\1_\2', inner).lower()
    return whole if whole[0] != '_' else 'private' + whole


def _numbered(base: str) -> str:
    """Returns |base| with a number that no layer of the graph has."""
    counts = _counts.setdefault(scopes.get_default_graph(), {})
    counts[base] = counts.get(base, 0) + 1
    return f'{base}_{counts[base]}'


def _collect(items: list[Any], key: str) -> None:
    """Adds what is not there yet to a collection."""
    found = scopes.get_default_graph().get_collection_ref(key)
    known = {id(item) for item in found}
    found.extend(item for item in items if id(item) not in known)


class Layer:
    """Something with variables that is called on tensors."""

    updates_collection: Any = GraphKeys.UPDATE_OPS  # Where updates go; None: nowhere.

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **options: Any) -> None:
        scope, self._reuse = options.pop('_scope', None), options.pop('_reuse', None)
        self.activity_regularizer = options.pop('activity_regularizer', None)
        if options:
            raise TypeError(f'Keyword argument not understood: {next(iter(options))}')
        self.trainable, self.built, self.input_spec = trainable, False, None
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._base_name = _snake(type(self).__name__) if not name else getattr(name, 'name', name)
        self._name = name if isinstance(name, str) and name else _numbered(_snake(type(self).__name__))
        self._trained: list[Any] = []
        self._others: list[Any] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []
        self._scope: Any = None
        self._current: Any = None  # The scope of the call that goes on.
        if scope:
            with variable_scopes.variable_scope(scope) as self._scope:
                pass

    # ---- What subclasses write ----

    def build(self, input_shape: Any) -> None:
        """Makes the variables, for inputs of a shape."""
        self.built = True

    def call(self, inputs: Any, *values: Any, **options: Any) -> Any:
        """Computes; nothing, if a subclass does not say."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of what the layer gives."""
        raise NotImplementedError

    # ---- Properties ----

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of its variables; None before it is known."""
        return self._dtype

    @property
    def scope_name(self) -> str:
        """The variable scope of the layer."""
        if not self._scope:
            raise ValueError(f'No name available for layer scope because the layer "{self._name}" has not been used '
                             'yet. The scope name  is determined the first time the layer instance is called. You '
                             'must therefore call the layer before querying `scope_name`.')
        return self._scope.name

    @property
    def graph(self) -> Any:
        """Nothing: layers do not keep their graph."""
        return None

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return list(self._trained) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        return list(self._others) if self.trainable else self._trained + self._others

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    losses = property(lambda self: list(self._losses), doc='The losses of regularisers.')
    updates = property(lambda self: list(self._updates), doc='What has to be done beside the training.')

    def count_params(self) -> int:
        """Returns how many numbers the variables have."""
        if not self.built:
            raise ValueError(f'You tried to call `count_params` on layer {self.name}, but the layer isn\'t built. '
                             'You can build it manually via: '
                             f'`{self.name}.build(batch_input_shape)`.')
        return sum(variable.shape.num_elements() for variable in self.weights)

    # ---- Variables, losses, updates ----

    def add_weight(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
                   regularizer: Any = None, trainable: Any = None, constraint: Any = None, use_resource: Any = None,
                   synchronization: Any = None, aggregation: Any = None, partitioner: Any = None) -> Any:
        """Returns a variable of the layer: a new one, or the one that is shared."""
        trainable = True if trainable is None else trainable
        kind = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        self._set_scope()
        known = set() if scopes.executing_eagerly() else {id(v) for v in sets.global_variables()}
        reuse = self.built or self._reuse
        with variable_scopes.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope, \
                scopes.name_scope(scope.original_name_scope):
            self._current = scope
            variable = variable_scopes.get_variable(
                name, shape=shape, dtype=kind, initializer=initializer, trainable=trainable and self.trainable,
                constraint=constraint, use_resource=use_resource, partitioner=partitioner)
            if regularizer is not None and id(variable) not in known:
                with scopes.name_scope(f'{name}/Regularizer'):
                    loss = regularizer(variable)
                self.add_loss([] if loss is None else loss)
        found = self._trained if trainable else self._others
        if not any(variable is other for other in found):
            found.append(variable)
        return variable

    add_variable = add_weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses to the layer and to those of regularisers."""
        del inputs
        new = [loss() if callable(loss) else loss for loss in nest.flatten(losses)]
        self._losses += new
        if not scopes.executing_eagerly():
            _collect(new, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds what has to be done beside the training."""
        del inputs
        made = [update() if callable(update) else update for update in nest.flatten(updates)]
        if not scopes.executing_eagerly():
            self._updates += [getattr(update, 'op', update) for update in made]

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Returns what has to be done beside the training."""
        del inputs
        return self.updates

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Returns the losses of regularisers."""
        del inputs
        return self.losses

    # ---- Calls ----

    def apply(self, inputs: Any, *values: Any, **options: Any) -> Any:
        """Calls the layer."""
        return self(inputs, *values, **options)

    def _set_scope(self, scope: Any = None) -> None:
        """Opens the variable scope of the layer once, to have it."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scopes.variable_scope(scope if scope is not None else self._base_name)
        else:
            opened = variable_scopes.variable_scope(scope, default_name=self._base_name)
        with opened as self._scope:
            pass

    def __call__(self, inputs: Any, *values: Any, **options: Any) -> Any:
        self._set_scope(options.pop('scope', None))
        inputs = self._converted(inputs)
        reuse = True if self.built else self._reuse
        with variable_scopes.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current = scope
            with scopes.name_scope(scope.original_name_scope):
                outputs = self._called(inputs, values, options)
        if not scopes.executing_eagerly():
            for key in nest.flatten(self.updates_collection):
                if key is not None:
                    _collect(self._updates, key)
        return outputs

    def _converted(self, inputs: Any) -> Any:
        """Returns the inputs as tensors."""
        return nest.map_structure(lambda x: x if convert.is_tensor(x) else convert.convert_to_tensor(x), inputs)

    def _called(self, inputs: Any, values: Any, options: Any) -> Any:
        """Builds the layer if that was not done yet, and calls it."""
        first = next(_flat(inputs), None)
        if self.input_spec is not None and first is not None:
            self.input_spec.check(first, self._name)
        if not self.built:
            if self._dtype is None and first is not None:
                self._dtype = first.dtype.base_dtype.name
            shapes = nest.map_structure(lambda x: x.shape, inputs)
            self.build(shapes)
            self.built = True
        outputs = self.call(inputs, *values, **options)
        if self.activity_regularizer is not None:
            for output in _flat(outputs):
                self._regularise(output)
        return outputs

    def _regularise(self, output: Any) -> None:
        """Adds the loss of what the layer gives, by example."""
        with scopes.name_scope('ActivityRegularizer'):
            loss = self.activity_regularizer(output)
            count = math_ops.cast(array_ops.shape(output)[0], loss.dtype)
            self.add_loss(loss / count)


def _flat(inputs: Any) -> Iterator[Any]:
    return iter(nest.flatten(inputs))


def last_size(shape: Any) -> Any:
    """Returns the last size of a shape; None where it is not known."""
    return TensorShape(shape).as_list()[-1] if TensorShape(shape).rank else None
