"""helpers.py - tf.contrib.seq2seq: what decoders are fed, and how they draw from their outputs."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, dtypes, nest, scopes
from berth.framework.tensor_shape import TensorShape
from berth.ops import array_ops, embedding_ops, flow_ops, math_ops, random_ops, reduce_ops
from berth.ops.tensor_array_ops import TensorArray


def time_first(tensor: Any) -> Any:
    """Returns a tensor with its first two dimensions exchanged."""
    shape = tensor.shape
    order = [1, 0, *range(2, shape.rank)] if shape.rank is not None else array_ops.concat(
        [[1, 0], math_ops.range(2, array_ops.rank(tensor))], 0)
    return array_ops.transpose(tensor, order)


def with_shape(tensor: Any, shape: Any) -> Any:
    """Returns a tensor of a graph once its shape is known as |shape|."""
    if not scopes.executing_eagerly():
        tensor.set_shape(shape)
    return tensor


def of_table(embedding: Any) -> Any:
    """Returns a function from numbers to vectors."""
    return embedding if callable(embedding) else lambda ids: embedding_ops.embedding_lookup(embedding, ids)


def start_and_end(start_tokens: Any, end_token: Any) -> tuple[Any, Any]:
    """Returns the first numbers and the last one as tensors; ValueError for those of other shapes."""
    start = convert.convert_to_tensor(start_tokens, dtype=dtypes.int32, name='start_tokens')
    end = convert.convert_to_tensor(end_token, dtype=dtypes.int32, name='end_token')
    if start.shape.rank != 1:
        raise ValueError('start_tokens must be a vector')
    if end.shape.rank != 0:
        raise ValueError('end_token must be a scalar')
    return start, end


def unless_over(finished: Any, over: Any, going: Any) -> Any:
    """Returns what |going| makes, or |over| once everything is finished."""
    return flow_ops.cond(reduce_ops.reduce_all(finished), lambda: over, going)


def _single(outputs: Any) -> Any:
    if not convert.is_tensor(outputs):
        raise TypeError(f'Expected outputs to be a single Tensor, got: {type(outputs)}')
    return outputs


def _best(outputs: Any) -> Any:
    return math_ops.argmax(outputs, axis=-1, output_type=dtypes.int32)


def _drawn(logits: Any, seed: Any) -> Any:
    """Draws a number for each row."""
    return array_ops.squeeze(random_ops.multinomial(logits, 1, seed=seed, output_dtype=dtypes.int32), axis=[1])


def _chance(probability: Any, count: Any, seed: Any) -> Any:
    """Draws for each row whether something happens."""
    probability = convert.convert_to_tensor(probability)
    return random_ops.random_uniform(array_ops.reshape(count, [1]), dtype=probability.dtype, seed=seed) < probability


class Helper:
    """What a decoder asks for numbers and for the next inputs."""

    sample_ids_shape: Any = TensorShape([])
    sample_ids_dtype: Any = dtypes.int32
    _batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        if self._batch_size is None:
            raise ValueError('batch_size accessed before initialize was called')
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns which sequences are over at the start, and the first inputs."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns a number for each output."""
        raise NotImplementedError

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Returns which sequences are over, the next inputs, and the state."""
        raise NotImplementedError


class CustomHelper(Helper):
    """One made of functions."""

    def __init__(self, initialize_fn: Any, sample_fn: Any, next_inputs_fn: Any, sample_ids_shape: Any = None,
                 sample_ids_dtype: Any = None) -> None:
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self.sample_ids_shape = TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or dtypes.int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Asks the first function."""
        with scopes.name_scope(name, 'CustomHelperInitialize'):
            finished, inputs = self._initialize()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Asks the second function."""
        with scopes.name_scope(name, 'CustomHelperSample'):
            return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Asks the third function."""
        with scopes.name_scope(name, 'CustomHelperNextInputs'):
            return self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


# ---- Known sequences ----


class TrainingHelper(Helper):
    """Feeds known sequences, whatever the outputs are."""

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None) -> None:
        with scopes.name_scope(name, type(self).__name__, [sequence_length, *nest.flatten(inputs)]):
            self._inputs = inputs = nest.map_structure(convert.convert_to_tensor, inputs)
            if not time_major:
                inputs = nest.map_structure(time_first, inputs)
            self._arrays = nest.map_structure(_array, inputs)
            self._lengths = convert.convert_to_tensor(sequence_length, name='sequence_length')
            if self._lengths.shape.rank != 1:
                raise ValueError('Expected sequence_length to be a vector, but received shape: '
                                 f'{self._lengths.shape}')
            self._zeros = nest.map_structure(lambda given: array_ops.zeros_like(given[0, :]), inputs)
            self._batch_size = array_ops.size(self._lengths)

    inputs = property(lambda self: self._inputs)
    sequence_length = property(lambda self: self._lengths)

    def _read(self, time: Any) -> Any:
        return nest.map_structure(lambda array: array.read(time), self._arrays)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns the first step of the sequences."""
        with scopes.name_scope(name, 'TrainingHelperInitialize'):
            finished = math_ops.equal(convert.constant(0, dtype=self._lengths.dtype), self._lengths)
            return finished, unless_over(finished, self._zeros, lambda: self._read(0))

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns where the largest outputs are."""
        with scopes.name_scope(name, 'TrainingHelperSample', [time, outputs]):
            return _best(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Returns the next step of the sequences; zeros behind all of them."""
        with scopes.name_scope(name, 'TrainingHelperNextInputs', [time, outputs]):
            finished = math_ops.cast(time + 1, self._lengths.dtype) >= self._lengths
            return finished, unless_over(finished, self._zeros, lambda: self._read(time + 1)), state


def _array(tensor: Any) -> Any:
    return TensorArray(tensor.dtype, array_ops.shape(tensor)[0], element_shape=tensor.shape[1:]).unstack(tensor)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds known sequences, and at random what it drew itself."""

    def __init__(self, inputs: Any, sequence_length: Any, embedding: Any, sampling_probability: Any,
                 time_major: bool = False, seed: Any = None, scheduling_seed: Any = None,
                 name: str | None = None) -> None:
        self._embedding = of_table(embedding)
        self._probability = _checked(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns drawn numbers, and -1 where the known one is to be fed."""
        with scopes.name_scope(name, 'ScheduledEmbeddingTrainingHelperSample', [time, outputs]):
            chosen = _chance(self._probability, self.batch_size, self._scheduling_seed)
            drawn = _drawn(outputs, self._seed)
            return array_ops.where(chosen, drawn, array_ops.fill(array_ops.shape(drawn), -1))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Returns the next step, with the vectors of drawn numbers."""
        with scopes.name_scope(name, 'ScheduledEmbeddingTrainingHelperNextInputs', [time, outputs]):
            finished, known, state = super().next_inputs(time, outputs, state, sample_ids)
            return finished, unless_over(finished, known, lambda: array_ops.where(
                sample_ids > -1, self._embedding(math_ops.maximum(sample_ids, 0)), known)), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds known sequences, and at random the outputs."""

    def __init__(self, inputs: Any, sequence_length: Any, sampling_probability: Any, time_major: bool = False,
                 seed: Any = None, next_inputs_fn: Any = None, auxiliary_inputs: Any = None,
                 name: str | None = None) -> None:
        self._probability, self._seed, self._next = _checked(sampling_probability), seed, next_inputs_fn
        self._more: Any = None
        if auxiliary_inputs is not None:
            more = nest.map_structure(convert.convert_to_tensor, auxiliary_inputs)
            inputs = nest.map_structure(lambda *parts: array_ops.concat(parts, -1), inputs, more)
            self._more = nest.map_structure(lambda part: _array(part if time_major else time_first(part)), more)
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Draws whether outputs are to be fed."""
        with scopes.name_scope(name, 'ScheduledOutputTrainingHelperSample', [time, outputs]):
            return math_ops.cast(_chance(self._probability, self.batch_size, self._seed), dtypes.int32)

    def _fed(self, time: Any, outputs: Any) -> Any:
        """Returns what outputs are as inputs."""
        made = outputs if self._next is None else self._next(outputs)
        if self._more is None:
            return made
        return nest.map_structure(lambda one, array: array_ops.concat([one, array.read(time + 1)], -1), made,
                                  self._more)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Returns the next step, with outputs in some rows."""
        with scopes.name_scope(name, 'ScheduledOutputTrainingHelperNextInputs', [time, outputs]):
            finished, known, state = super().next_inputs(time, outputs, state, sample_ids)
            chosen = math_ops.cast(sample_ids, dtypes.bool)
            return finished, unless_over(finished, known, lambda: nest.map_structure(
                lambda one, other: array_ops.where(chosen, one, other), self._fed(time, outputs), known)), state


def _checked(probability: Any) -> Any:
    """Returns a probability as a tensor; ValueError for one with dimensions beyond one of rows."""
    made = convert.convert_to_tensor(probability, name='sampling_probability')
    if made.shape.rank not in (0, 1):
        raise ValueError('sampling_probability must be either a scalar or a vector. saw shape: '
                         f'{made.shape}')
    return made


# ---- What was drawn ----


class GreedyEmbeddingHelper(Helper):
    """Feeds the vectors of the likeliest numbers, up to the last one."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding = of_table(embedding)
        self._start, self._end = start_and_end(start_tokens, end_token)
        self._batch_size = array_ops.size(self._start)
        self._first = self._embedding(self._start)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns the vectors of the first numbers."""
        return array_ops.tile([False], [self._batch_size]), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns where the largest outputs are."""
        return _best(_single(outputs))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Returns the vectors of the numbers."""
        finished = math_ops.equal(sample_ids, self._end)
        return finished, unless_over(finished, self._first, lambda: self._embedding(sample_ids)), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The same with numbers drawn by their probabilities."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any, softmax_temperature: Any = None,
                 seed: Any = None) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Draws numbers."""
        logits = _single(outputs)
        return _drawn(logits if self._temperature is None else logits / self._temperature, self._seed)


class InferenceHelper(Helper):
    """Feeds what functions make of outputs."""

    def __init__(self, sample_fn: Any, sample_shape: Any, sample_dtype: Any, start_inputs: Any, end_fn: Any,
                 next_inputs_fn: Any = None) -> None:
        self._sample, self._over, self._next = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape = TensorShape(sample_shape)
        self.sample_ids_dtype = sample_dtype
        self._first = convert.convert_to_tensor(start_inputs, name='start_inputs')
        self._batch_size = array_ops.shape(self._first)[0]

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Returns the first inputs."""
        return array_ops.tile([False], [self._batch_size]), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Asks the first function."""
        return self._sample(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> tuple[Any, Any, Any]:
        """Asks the others."""
        return self._over(sample_ids), sample_ids if self._next is None else self._next(sample_ids), state
