"""rnn_wrappers.py - tf.contrib.rnn: cells around other cells."""

from __future__ import annotations

import math
from typing import Any

from berth.framework import nest, scopes
from berth.ops import array_ops, conv_ops, embedding_ops, init_ops, math_ops, nn_ops, reduce_ops
from berth.variables import scope as variable_scope
from berth.variables.rnn_cell import RNNCell, assert_like_cell


class Linear:
    """A matrix and a bias, variables of the present scope, for tensors that are joined."""

    def __init__(self, args: Any, output_size: int, build_bias: bool, bias_initializer: Any = None,
                 kernel_initializer: Any = None) -> None:
        if args is None or nest.is_nested(args) and not args:
            raise ValueError('`args` must be specified')
        args = _listed(args)
        for arg in args:
            if arg.shape.rank != 2:
                raise ValueError(f'linear is expecting 2D arguments: {[a.shape for a in args]}')
            if arg.shape.as_list()[1] is None:
                raise ValueError(f'linear expects shape[1] to be provided for shape {arg.shape}, but saw None')
        kind, self._bias = args[0].dtype, None
        self._kernel = variable_scope.get_variable('kernel', [sum(arg.shape.as_list()[1] for arg in args), output_size],
                                                   dtype=kind, initializer=kernel_initializer)
        if build_bias:
            start = bias_initializer or init_ops.zeros_initializer(dtype=kind)
            self._bias = variable_scope.get_variable('bias', [output_size], dtype=kind, initializer=start)

    def __call__(self, args: Any) -> Any:
        """Multiplies, and adds the bias."""
        args = _listed(args)
        product = math_ops.matmul(args[0] if len(args) == 1 else array_ops.concat(args, 1), self._kernel)
        return product if self._bias is None else nn_ops.bias_add(product, self._bias)


def _listed(args: Any) -> list[Any]:
    return list(args) if nest.is_nested(args) else [args]


def linear(args: Any, size: int, bias: bool = True) -> Any:
    """Multiplies tensors, joined, by a matrix of the present scope, and adds a bias."""
    return Linear(args, size, bias)(args)


class Memory:
    """Vectors that queries look at: [batch, length, size]; two variables of the present scope say how well they fit."""

    def __init__(self, vectors: Any, size: int, inner: int, kernel: str, vector: str) -> None:
        length, kind = vectors.shape.as_list()[1], vectors.dtype
        self._length = array_ops.shape(vectors)[1] if length is None else length
        self._size, self._inner = size, inner
        self._hidden = array_ops.reshape(vectors, array_ops.stack([-1, self._length, 1, size]))
        matrix = variable_scope.get_variable(kernel, [1, 1, size, inner], dtype=kind)
        self._features = conv_ops.conv2d(self._hidden, matrix, [1, 1, 1, 1], 'SAME')
        self._vector = variable_scope.get_variable(vector, [inner], dtype=kind)

    def look(self, query: Any) -> Any:
        """Returns the mean of the vectors, by how well they fit a query."""
        y = array_ops.reshape(linear(query, self._inner), [-1, 1, 1, self._inner])
        fits = reduce_ops.reduce_sum(self._vector * math_ops.tanh(self._features + y), [2, 3])
        weights = array_ops.reshape(nn_ops.softmax(fits), array_ops.stack([-1, self._length, 1, 1]))
        return array_ops.reshape(reduce_ops.reduce_sum(weights * self._hidden, [1, 2]), [-1, self._size])


class CellAround(RNNCell):
    """A cell around another one, with variables of its own; states and outputs are as large as those."""

    def __init__(self, cell: Any, reuse: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        assert_like_cell('cell', cell)
        self._cell, self._reuse = cell, reuse

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns what the cell does."""
        with scopes.name_scope(f'{type(self).__name__}ZeroState'):
            return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(CellAround):
    """A cell whose inputs are numbers, which become vectors."""

    def __init__(self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None,
                 reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError('Both embedding_classes and embedding_size must be > 0: '
                             f'{embedding_classes}, {embedding_size}.')
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the cell on vectors."""
        start = self._initializer or variable_scope.get_variable_scope().initializer
        start = start or init_ops.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
        kind = nest.flatten(state)[0].dtype
        with scopes.device('/cpu:0'):
            table = variable_scope.get_variable('embedding', self._shape, initializer=start, dtype=kind)
            vectors = embedding_ops.embedding_lookup(table, array_ops.reshape(inputs, [-1]))
        return self._cell(vectors, state)


class InputProjectionWrapper(CellAround):
    """A cell whose inputs go through a matrix."""

    def __init__(self, cell: Any, num_proj: int, activation: Any = None, input_size: Any = None,
                 reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the cell on what the matrix makes."""
        projected = linear(inputs, self._num_proj)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellAround):
    """A cell whose outputs go through a matrix."""

    def __init__(self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f'Parameter output_size must be > 0: {output_size}.')
        self._output_size, self._activation = output_size, activation

    output_size = property(lambda self: self._output_size)

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the cell, and multiplies."""
        output, state = self._cell(inputs, state)
        projected = linear(output, self._output_size)
        return self._activation(projected) if self._activation else projected, state


class HighwayWrapper(CellAround):
    """A cell whose inputs go past it in part: a gate says how much. Its variables are in the scope around it."""

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couples, self._start = couple_carry_transform_gates, carry_bias_init

    def _gate(self, name: str, given: Any, start: float) -> Any:
        size, kind = given.shape.with_rank(2).as_list()[1], given.dtype
        weight = variable_scope.get_variable(f'{name}_w', [size, size], dtype=kind)
        bias = variable_scope.get_variable(f'{name}_b', [size], dtype=kind,
                                           initializer=init_ops.constant_initializer(start, dtype=kind))
        return math_ops.sigmoid(nn_ops.xw_plus_b(given, weight, bias))

    def _joined(self, given: Any, output: Any) -> Any:
        if not given.shape.is_compatible_with(output.shape):
            raise ValueError(f'Shapes {given.shape} and {output.shape} are incompatible')
        carry = self._gate('carry', given, self._start)
        transform = 1 - carry if self._couples else self._gate('transform', given, -self._start)
        return given * carry + output * transform

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Calls the cell, and joins inputs and outputs."""
        outputs, state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._joined, inputs, outputs), state


class CompiledWrapper(CellAround):
    """Refuses: there is no compiler of cells."""

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        raise NotImplementedError('tf.contrib.rnn.CompiledWrapper: Berth does not compile cells by XLA; use the cell '
                                  'without it, which gives the same')


class AttentionCellWrapper(CellAround):
    """A cell that looks at its own last outputs."""

    def __init__(self, cell: Any, attn_length: int, attn_size: Any = None, attn_vec_size: Any = None,
                 input_size: Any = None, state_is_tuple: bool = True, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError('Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: '
                             f'{cell.state_size}')
        if attn_length <= 0:
            raise ValueError(f'attn_length should be greater than zero, got {attn_length}')
        self._length, self._size = attn_length, attn_size or cell.output_size
        self._vec_size, self._input_size, self._is_tuple = attn_vec_size or self._size, input_size, state_is_tuple

    output_size = property(lambda self: self._size)

    @property
    def state_size(self) -> Any:
        """How large the state of the cell is, what was seen last, and what can be looked at."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._is_tuple else sum(sizes)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns states of zeros for a batch."""
        return RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        """Calls the cell on inputs and what was seen, and looks again."""
        if not self._is_tuple:
            own = self._cell.state_size
            state = array_ops.split(state, [own, self._size, self._size * self._length], 1)
        before, seen, memory = state
        memory = array_ops.reshape(memory, [-1, self._length, self._size])
        given = linear([inputs, seen], self._input_size or inputs.shape.as_list()[1])
        output, after = self._cell(given, before)
        query = array_ops.concat(nest.flatten(after), 1) if self._is_tuple else after
        with variable_scope.variable_scope('attention'):
            seen = Memory(memory, self._size, self._vec_size, 'attn_w', 'attn_v').look(query)
        with variable_scope.variable_scope('attn_output_projection'):
            output = linear([output, seen], self._size)
        memory = array_ops.concat([memory[:, 1:], array_ops.expand_dims(output, 1)], 1)
        parts = (after, seen, array_ops.reshape(memory, [-1, self._length * self._size]))
        return output, parts if self._is_tuple else array_ops.concat(parts, 1)
