import collections
from tensorflow.python.util import nest, compat, deprecation, tf_inspect, tf_decorator
from tensorflow.python.util.tf_export import tf_export, keras_export
from tensorflow.python.util import object_identity, tf_contextlib

Point = collections.namedtuple('Point', 'x y')
structure = {'b': [1, (2, 3)], 'a': Point(4, 5)}
flat = nest.flatten(structure)
print(flat)
print(nest.pack_sequence_as(structure, [x * 10 for x in flat]))
print(nest.map_structure(lambda x: x + 1, structure), nest.is_nested([1]), nest.is_nested(1))
try:
    nest.assert_same_structure([1], [1, 2])
except ValueError as error:
    print(str(error).split('\n')[0])
print(compat.as_bytes('a'), compat.as_text(b'b'), compat.as_str_any(3))


@deprecation.deprecated(None, 'Use another.')
def old(x):
    """Doubles."""
    return x * 2


print(old(2), old.__name__)
deprecation._PRINT_DEPRECATION_WARNINGS = False
print(tf_inspect.getfullargspec(lambda a, b=1: a).args)
