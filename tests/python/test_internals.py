"""test_internals.py - What packages made for TensorFlow ask of it: objects to save, to stand for tensors, to go through
functions. The values are those of TensorFlow 2.21."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import berth as tf
from berth.compiler.tf2xla.python import xla
from berth.python.trackable.data_structures import ListWrapper, NoDependency, _DictWrapper

AutoTrackable = tf.__internal__.tracking.AutoTrackable


class Weight(tf.__internal__.types.Tensor):
    """An object that stands for a variable."""

    _should_act_as_resource_variable = True

    def __init__(self, *values: float) -> None:
        self.value = tf.Variable(values)

    dtype = 'float32'
    shape = property(lambda self: self.value.shape)
    handle = property(lambda self: self.value.handle)

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.value, dtype=dtype, name=name)


class Three:
    """An object that becomes a tensor and is none."""

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.constant([3.0])


# ---- What stands for tensors ----


def test_what_stands_for_tensors() -> None:
    weight, three = Weight(1.0, 2.0), Three()
    assert tf.is_tensor(weight) and not tf.is_tensor(three) and tf.is_tensor(tf.Variable(1.0))
    assert all(isinstance(value, tf.__internal__.types.Tensor) for value in (tf.constant(1), tf.Variable(1), weight))
    assert tf.convert_to_tensor(weight).numpy().tolist() == [1.0, 2.0]
    assert tf.add(weight, 1).numpy().tolist() == [2.0, 3.0]
    assert (tf.constant([1.0, 1.0]) * weight).numpy().tolist() == [1.0, 2.0]
    assert tf.concat([weight, weight], 0).numpy().tolist() == [1.0, 2.0, 1.0, 2.0]
    assert tf.add_n([weight, tf.constant([1.0, 1.0])]).numpy().tolist() == [2.0, 3.0]
    assert tf.stack([three, three]).numpy().tolist() == [[3.0], [3.0]]
    assert tf.convert_to_tensor([three, [4.0]]).numpy().tolist() == [[3.0], [4.0]]
    assert tf.function(lambda: tf.reduce_sum(tf.add(weight, three)))().numpy() == 9.0


def test_slopes_by_what_stands_for_variables() -> None:
    weight = Weight(1.0, 2.0)

    def slope():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(weight))
        return tape.gradient(loss, [weight, weight.value])

    for found in (slope(), tf.function(slope)()):
        assert [part.numpy().tolist() for part in found] == [[2.0, 4.0]] * 2
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(weight)
        loss = tf.reduce_sum(tf.square(weight))
    assert tape.gradient(loss, weight).numpy().tolist() == [2.0, 4.0]


def test_attributes_of_tensors() -> None:
    """Programs note things on tensors; these go with them."""
    class Note:
        pass

    def check(tensor):
        note = Note()
        seen = weakref.ref(note)
        tensor.note = note
        assert tensor.note is note and vars(tensor) == {'note': note}
        tensor.note.back = tensor  # A circle.
        del tensor, note
        return seen

    seen = check(tf.constant(1.0) + 1)
    gc.collect()
    assert seen() is None
    assert not hasattr(tf.constant(1.0) + 1, 'note')
    with tf.Graph().as_default():
        check(tf.constant(1.0))


# ---- What is saved ----


def test_children() -> None:
    made = AutoTrackable()
    made.x, made.items, made.named, made.number = tf.Variable(1.0), [tf.Variable(2.0)], {'a': tf.Variable(3.0)}, 5
    made.hidden = NoDependency(tf.Variable(4.0))
    assert list(made._trackable_children()) == ['x', 'items', 'named']
    assert made._lookup_dependency('x') is made.x and isinstance(made.hidden, tf.Variable)
    del made.x
    assert list(made._trackable_children()) == ['items', 'named']
    with pytest.raises(TypeError, match='can only be used to track objects of type Trackable. Got type'):
        made._track_trackable(3, 'y')
    first = made._track_trackable(tf.Variable(1.0), 'y')
    with pytest.raises(ValueError, match="with name='y', but a Trackable with this name is already declared"):
        made._track_trackable(tf.Variable(1.0), 'y')
    assert made._track_trackable(first, 'y') is first
    assert [type(tf.__internal__.tracking.wrap(value)) for value in ([], {}, ())] == [ListWrapper, _DictWrapper, tuple]


def test_untracked_attributes() -> None:
    class Made(AutoTrackable):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def set(self):
            self.x = tf.Variable(1.0)

    made = Made()
    made.set()
    made.y = tf.Variable(2.0)
    assert list(made._trackable_children()) == ['y']


class Saved(tf.__internal__.tracking.Trackable):
    """An object that says itself what is saved of it."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _serialize_to_tensors(self):
        return {'VALUE': tf.constant(self.value), 'TWICE': lambda: tf.constant(2 * self.value)}

    def _restore_from_tensors(self, restored_tensors):
        self.value = float(restored_tensors['VALUE'] + restored_tensors['TWICE'])


def test_checkpoints_of_what_says_what_is_saved(tmp_path) -> None:
    made = AutoTrackable()
    made.parts, made.saved = [AutoTrackable()], Saved(3.0)
    made.parts[0].x = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(root=made).save(tmp_path / 'c')
    assert [key for key, _ in tf.train.list_variables(path)] == [
        '_CHECKPOINTABLE_OBJECT_GRAPH', 'parts/0/x/.ATTRIBUTES/VARIABLE_VALUE', 'save_counter/.ATTRIBUTES/VARIABLE_VALUE',
        'saved/.ATTRIBUTES/TWICE', 'saved/.ATTRIBUTES/VALUE']
    made.parts[0].x.assign([0.0, 0.0])
    tf.train.Checkpoint(root=made).restore(path).assert_consumed()
    assert made.parts[0].x.numpy().tolist() == [1.0, 2.0] and made.saved.value == 9.0
    later = AutoTrackable()  # What comes after the checkpoint was read has its value at once.
    status = tf.train.Checkpoint(root=later).restore(path)
    later.saved = Saved(0.0)
    assert later.saved.value == 9.0
    status.expect_partial()
    view = tf.train.TrackableView(made)
    assert list(view.children(made)) == ['parts', 'saved'] and len(view.descendants()) == 5


def test_models_of_any_object(tmp_path) -> None:
    made = AutoTrackable()
    weight = tf.Variable(2.0)
    made.weights = [weight]
    made.double = tf.function(lambda x: x * weight, input_signature=[tf.TensorSpec([None])])
    made.later = tf.function(lambda x: x)
    tf.saved_model.save(made, str(tmp_path / 'm'))
    found = tf.saved_model.load(str(tmp_path / 'm'))
    assert found.double(tf.constant([3.0])).numpy().tolist() == [6.0]
    assert list(found.signatures) == ['serving_default']
    assert list(made.double._trackable_children('savedmodel')) == ['trace_0'] and made.double._trackable_children() == {}
    with pytest.raises(ValueError, match='Expected an object of type `Trackable`'):
        tf.saved_model.save(object(), str(tmp_path / 'n'))


# ---- Through functions ----


def test_iterators_through_functions() -> None:
    traces = []

    @tf.function
    def take(iterator):
        traces.append(1)
        return iterator.get_next_as_optional()

    data = tf.data.Dataset.from_tensors(((1, None), {'a': None, 'b': 2.0})).repeat(3)
    for _ in range(3):
        found = take(iter(data))
    assert found.has_value() and repr(found.get_value()[0]) == '(<tf.Tensor: shape=(), dtype=int32, numpy=1>, None)'
    assert len(traces) == 1
    take(iter(tf.data.Dataset.range(2)))
    assert len(traces) == 2  # Elements of another kind.
    iterator = iter(tf.data.Dataset.range(2))
    assert [bool(take(iterator).has_value()) for _ in range(3)] == [True, True, False]

    @tf.function
    def kept(value):
        return tf.cond(value.has_value(), lambda: value, lambda: tf.experimental.Optional.empty(value.element_spec))

    assert kept(found).get_value()[1]['b'].numpy() == 2.0
    assert tf.OptionalSpec.from_value(found).is_compatible_with(kept(found))


def test_divided_iterators_through_functions() -> None:
    strategy = tf.distribute.OneDeviceStrategy('/cpu:0')
    traces = []

    @tf.function
    def take(iterator):
        traces.append(1)
        found = iterator.get_next_as_optional()
        return found.has_value(), found

    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(2))
    for _ in range(3):
        iterator = iter(data)
        assert take(iterator)[1].get_value().numpy().tolist() == [0, 1]
    assert len(traces) == 1 and [bool(take(iterator)[0]) for _ in range(3)] == [True, True, False]


def test_where_there_is_no_strategy() -> None:
    context = tf.distribute.get_replica_context()
    assert context.all_reduce('sum', [tf.constant(3.0)])[0].numpy() == 3.0
    assert tf.function(lambda: tf.distribute.get_replica_context().all_reduce('sum', tf.constant(3.0)))().numpy() == 3.0
    assert context.merge_call(lambda strategy, x: x + 1, args=(2,)) == 3
    internal = tf.__internal__.distribute
    assert internal.strategy_supports_no_merge_call()
    assert internal.interim.maybe_merge_call(lambda strategy, x: 2 * x, tf.distribute.get_strategy(), 4) == 8
    assert tf.distribute.get_strategy().run(tf.distribute.in_cross_replica_context) is False


# ---- Datasets ----


def test_components_that_are_none() -> None:
    data = tf.data.Dataset.from_tensor_slices(([1, 2, 3], None))
    assert repr(data.element_spec) == '(TensorSpec(shape=(), dtype=tf.int32, name=None), NoneTensorSpec())'
    assert list(data.as_numpy_iterator()) == [(1, None), (2, None), (3, None)]
    assert [(a.numpy().tolist(), b) for a, b in data.batch(2).map(lambda a, b: (a + 1, b))] == [([2, 3], None), ([4], None)]


def test_generators_of_sparse_and_ragged_tensors() -> None:
    sparse, ragged = tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3]), tf.ragged.constant([[1, 2], [3]])
    data = tf.data.Dataset.from_generator(lambda: iter([(sparse, ragged, 7)] * 2), output_signature=(
        tf.SparseTensorSpec([None, 3], tf.float32), tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec((), tf.int32)))
    for one, two, three in data.prefetch(1):
        assert tf.sparse.to_dense(one).numpy().tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
        assert two.to_list() == [[1, 2], [3]] and three.numpy() == 7
    wrong = tf.data.Dataset.from_generator(lambda: iter([sparse]), output_signature=tf.SparseTensorSpec([None, 4], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match=r'yielded an element of SparseTensorSpec\(TensorShape\(\[2, 3\]\), tf.float32\) where an element'):
        list(wrong)


# ---- Ops ----


def test_products_of_a_type_of_their_own() -> None:
    rng = np.random.RandomState(0)
    for kind in (np.int8, np.uint8):
        a, b = (rng.randint(-128, 127, size).astype(kind) for size in ((5, 7), (7, 3)))
        exact = a.astype(np.int32) @ b.astype(np.int32)
        assert np.array_equal(tf.matmul(a, b, output_type=tf.int32), exact)
        assert np.array_equal(tf.matmul(a[None], b[None], output_type=tf.int32)[0], exact)
        assert np.array_equal(tf.matmul(b, a, transpose_a=True, transpose_b=True, output_type=tf.int32), exact.T)
        assert np.array_equal(tf.function(lambda a=a, b=b: tf.matmul(a, b, output_type=tf.int32))(), exact)
    assert tf.matmul([[2.0]], [[3.0]], output_type=tf.float32).numpy() == 6.0
    with pytest.raises(tf.errors.NotFoundError):
        tf.matmul([[2.0]], [[3.0]], output_type=tf.float64)


def test_dropout_by_seeds_and_samplers() -> None:
    x = tf.ones([2, 5])
    by_seed = tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2])
    drawn = tf.random.stateless_uniform([2, 5], [1, 2])
    assert np.array_equal(by_seed, np.where(drawn.numpy() >= 0.5, 2.0, 0.0))
    assert tf.nn.experimental.stateless_dropout(x, 0.0, [1, 2]) is x
    rows = tf.nn.experimental.stateless_dropout(x, 0.5, [1, 0], noise_shape=[1, 5])
    assert np.array_equal(rows[0], rows[1])
    own = tf.nn.experimental.general_dropout(x, 0.2, lambda shape, dtype: tf.reshape(tf.range(10, dtype=dtype) / 10, shape))
    assert own.numpy().tolist() == [[0.0, 0.0, 1.25, 1.25, 1.25], [1.25] * 5]
    with pytest.raises(ValueError, match=r'`rate` must be a scalar tensor or a float in the range \[0, 1\). Received: rate=1.0'):
        tf.nn.experimental.stateless_dropout(x, 1.0, [1, 2])


@pytest.mark.parametrize('start', [(0, 0), (1, 2), (3, 3), (-2, 9)])
def test_parts_at_places(start: tuple[int, int]) -> None:
    """Parts that would stick out begin where they still fit."""
    whole, part = np.arange(16.0).reshape(4, 4), np.array([[-1.0, -2.0]])
    row, column = min(max(start[0], 0), 3), min(max(start[1], 0), 2)
    expected = whole.copy()
    expected[row:row + 1, column:column + 2] = part
    assert np.array_equal(xla.dynamic_update_slice(whole, part, start), expected)
    assert np.array_equal(tf.function(xla.dynamic_update_slice)(tf.constant(whole), tf.constant(part), tf.constant(start)), expected)
    assert np.array_equal(xla.dynamic_slice(whole, start, [1, 2]), whole[row:row + 1, column:column + 2])
    with tf.GradientTape() as tape:
        given = tf.constant(whole)
        tape.watch(given)
        result = tf.reduce_sum(xla.dynamic_update_slice(given, part, start) * 2)
    assert tape.gradient(result, given).numpy().sum() == 28.0


def test_tables_of_no_values() -> None:
    """What fills a table may do nothing, and need not have been made by its base."""
    class Nothing(tf.lookup.KeyValueTensorInitializer):
        key_dtype, value_dtype = tf.string, tf.int64

        def __init__(self):
            pass

        def initialize(self, table):
            pass

    table = tf.lookup.StaticHashTable(Nothing(), -1)
    assert table.size().numpy() == 0 and isinstance(table, tf.saved_model.experimental.TrackableResource)


def test_models_of_objects_that_are_made_anew(tmp_path) -> None:
    """What an object says that it holds may be another list each time."""
    class Made(AutoTrackable):
        def _trackable_children(self, save_type='checkpoint', **kwargs):
            found = super()._trackable_children(save_type, **kwargs)
            return {**found, 'fresh': [self.weight]} if save_type == 'savedmodel' else found

    made = Made()
    made._setattr_tracking = False
    made.weight = tf.Variable([2.0, 3.0])
    made._setattr_tracking = True
    made.double = tf.function(lambda x: x * made.weight, input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(made, str(tmp_path / 'm'))
    found = tf.saved_model.load(str(tmp_path / 'm'))
    assert found.double([1.0, 1.0]).numpy().tolist() == [2.0, 3.0] and found.fresh[0].numpy().tolist() == [2.0, 3.0]
