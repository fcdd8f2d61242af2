import collections
import tensorflow as tf

P = collections.namedtuple('P', 'a b')
s = {'x': [1, (2, 3)], 'y': P(4, {'k': 5})}
print(tf.nest.flatten(s), tf.nest.map_structure(lambda v: v * 2, s), tf.nest.is_nested(s), tf.nest.is_nested(3))
print(tf.nest.pack_sequence_as(s, list('abcde')))
spec = tf.TensorSpec([None, 3], tf.float32, 'in')
print(spec, spec.shape, spec.dtype, spec.name, spec.is_compatible_with(tf.ones([2, 3])), spec.is_compatible_with(tf.ones([2, 4])), spec == tf.TensorSpec([None, 3], tf.float32, 'in'))
print(tf.TensorSpec.from_tensor(tf.constant([1])), tf.type_spec_from_value(tf.constant(1.)), tf.RaggedTensorSpec([2, None], tf.int32), tf.SparseTensorSpec([3], tf.int64))
print(tf.type_spec_from_value(tf.ragged.constant([[1], [2, 3]])), tf.TensorSpec([None, 3]).most_specific_compatible_type(tf.TensorSpec([5, 3])))
for f in (lambda: tf.nest.assert_same_structure([1, 2], [1]), lambda: tf.nest.map_structure(lambda a, b: a, [1], (1, 2)), lambda: tf.nest.pack_sequence_as([1, 2], [1]), lambda: tf.nest.flatten(3), lambda: tf.nest.map_structure(3, [1])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0])
