#!/usr/bin/env python3
"""checkpoint_show.py - What the ops of checkpoints do and say, printed.

Run with "tensorflow" or "berth" as its argument, in an empty folder: both print the same.
test_checkpoints.py compares; its "record" writes what TensorFlow prints.
"""

import importlib
import os
import re
import sys

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3')
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position

tf = importlib.import_module(sys.argv[1])
raw = tf.raw_ops
rows = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))


def show(label, function, *args, **kwargs):
    """Prints what |function| returns or raises."""
    try:
        result = function(*args, **kwargs)
        print(label, '->', [value.numpy().tolist() for value in result] if isinstance(result, list) else
              result.numpy().tolist() if result is not None and hasattr(result, 'numpy') else result)
    except Exception as error:  # noqa: BLE001  pylint: disable=broad-except
        text = re.sub(r'\{\{function_node [^}]*\}\} | \[Op:\w+\]', '', getattr(error, 'message', None) or str(error))
        print(label, '->', type(error).__name__, re.sub(r'tempstate\d+', 'tempstate', text))


def save(prefix, names, slices, tensors):
    """Runs SaveV2."""
    raw.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)


def restore(prefix, names, slices, dtypes):
    """Runs RestoreV2."""
    return raw.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, dtypes=dtypes)


def merge(prefixes, target, **kwargs):
    """Runs MergeV2Checkpoints."""
    raw.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=target, **kwargs)


def read(path):
    """Returns the bytes of a file."""
    with open(path, 'rb') as file:
        return file.read()


def put(path, data):
    """Writes a file."""
    with open(path, 'wb') as file:
        file.write(data)


def flipped(data, place):
    """Returns |data| with one bit changed."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


def show_saving():
    """What can be wrong with what is saved."""
    show('two prefixes', save, ['a', 'b'], ['x'], [''], [rows])
    show('names of rank 2', save, 'a', [['x']], [''], [rows])
    show('slices too many', save, 'a', ['x'], ['', ''], [rows])
    show('names too many', save, 'a', ['x', 'y'], ['', ''], [rows])
    show('a name twice', save, 'a', ['x', 'x'], ['', ''], [rows, rows])
    for spec in ('3', '3 4', '3 4 0,2', '6 4 0,3:-', '6 4 0,3:0,4', '6 4 0,4:-', '6 4 4,3:-', '6 4 0,3', 'x 4 -:-',
                 '6 4 -1,3:-', '6 4 0,3:0,5', '6 4 0,3:-:-', ' ', '3 4 -:-', '6 4 0,3:-  ', '6 4  0,3:-',
                 '3 4 0,3:0,4'):
        show(f'slice {spec!r}', save, 'a', ['x'], [spec], [rows])
    show('no folder', save, 'no/such/a', ['x'], [''], [rows])
    show('a new folder', save, 'made/a', ['x'], [''], [rows])


def show_restoring():
    """What can be wrong with what is restored."""
    save('b', ['x', 'x', 'y'], ['6 4 0,3:-', '6 4 3,3:-', ''], [rows, rows + 100, rows])
    one = [tf.float32]
    show('all', restore, 'b', ['x', 'y'], ['', ''], one * 2)
    show('over both slices', restore, 'b', ['x'], ['6 4 2,2:1,2'], one)
    show('of a whole one', restore, 'b', ['y'], ['3 4 1,1:-'], one)
    show('other shape', restore, 'b', ['y'], ['3 5 1,1:-'], one)
    show('other shape of slices', restore, 'b', ['x'], ['3 5 1,1:-'], one)
    show('other type', restore, 'b', ['y'], [''], [tf.int32])
    show('other type of slices', restore, 'b', ['x'], [''], [tf.int32])
    show('missing', restore, 'b', ['z'], [''], one)
    show('two missing', restore, 'b', ['z', 'q'], ['', ''], one * 2)
    show('no slice', restore, 'b', ['y'], ['foo'], one)
    show('no file', restore, 'nothing', ['y'], [''], one)
    save('c', ['x'], ['6 4 0,3:-'], [rows])
    show('half', restore, 'c', ['x'], [''], one)
    show('half a slice', restore, 'c', ['x'], ['6 4 2,2:-'], one)
    show('enough', restore, 'c', ['x'], ['6 4 1,2:-'], one)
    show('the index', read('b.index').hex().__str__)
    show('the data', read('b.data-00000-of-00001').hex().__str__)


def show_damage():
    """Files that are damaged."""
    index, data = read('b.index'), read('b.data-00000-of-00001')

    def attempt(label, new_index, new_data, name='y', dtype=tf.float32):
        put('k.index', new_index)
        put('k.data-00000-of-00001', new_data)
        show(label, restore, 'k', [name], [''], [dtype])

    attempt('no bytes', b'', data)
    attempt('index cut', index[:-1], data)
    attempt('footer alone', index[-48:], data)
    attempt('magic', flipped(index, len(index) - 1), data)
    attempt('entry', flipped(index, 3), data)
    attempt('index block', flipped(index, len(index) - 60), data)
    attempt('20 bytes', index[:20], data)
    attempt('nonsense', bytes(range(200)), data)
    for size in (0, 1, len(data) - 1):
        attempt(f'data of {size}', index, data[:size])
    attempt('data cut, elsewhere', index, data[:-1], 'x')
    attempt('a bit of y', index, flipped(data, len(data) - 1))
    attempt('a bit of x', index, flipped(data, 0), 'x')
    os.remove('k.data-00000-of-00001')
    show('no data', restore, 'k', ['y'], [''], [tf.float32])
    os.makedirs('dd.index')
    show('a folder', restore, 'dd', ['y'], [''], [tf.float32])
    put('v1', b'hello')
    show('no table', restore, 'v1', ['y'], [''], [tf.float32])
    put('v1', bytes(range(200)))
    show('no magic', restore, 'v1', ['y'], [''], [tf.float32])
    save('s', ['x'], [''], [tf.constant(['ab', 'c' * 300, ''])])
    index, data = read('s.index'), read('s.data-00000-of-00001')
    show('strings', data.hex().__str__)
    for place in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, len(data) - 1):
        attempt(f'a bit at {place}', index, flipped(data, place), 'x', tf.string)
    attempt('strings cut', index, data[:5], 'x', tf.string)
    attempt('strings cut later', index, data[:50], 'x', tf.string)


def show_merging():
    """Checkpoints that become one."""
    save('m/p0', ['x'], ['6 4 0,3:-'], [rows])
    save('m/p1', ['x', 'z'], ['6 4 3,3:-', ''], [rows, rows])
    show('merge', merge, ['m/p0', 'm/p1'], 'mm')
    print(sorted(name for name in os.listdir('.') if name.startswith('m')))
    show('merged', restore, 'mm', ['x', 'z'], ['', ''], [tf.float32] * 2)
    show('merged index', read('mm.index').hex().__str__)
    show('missing', merge, ['m/p0', 'm/p1'], 'mm')
    show('no list', merge, 'm/p0', 'mm')
    show('two targets', merge, ['m/p0'], ['mm'])
    save('e0', ['x'], [''], [rows])
    save('e1', ['x'], [''], [rows])
    show('a name twice', merge, ['e0', 'e1'], 'mm')
    show('none', merge, tf.zeros([0], tf.string), 'mm')
    save('e0', ['x'], [''], [rows])
    show('one missing', merge, ['e0', 'nope'], 'mm2', allow_missing_files=True)
    show('all missing', merge, ['nope'], 'mm3', allow_missing_files=True)


def show_old():
    """The old format."""
    ints = tf.constant([1, 2])
    show('Save', raw.Save, filename='o1', tensor_names=['x', 'y'], data=[rows, ints])
    show('SaveSlices', raw.SaveSlices, filename='o2', tensor_names=['x', 'y'], shapes_and_slices=['6 4 0,3:-', ''],
         data=[rows, tf.constant([b'1', b'2'])])
    show('its file', read('o2').hex().__str__)

    def get(pattern, name, dtype):
        show(f'Restore {pattern} {name}', raw.Restore, file_pattern=pattern, tensor_name=name, dt=dtype)

    def part(spec):
        show(f'RestoreSlice {spec}', raw.RestoreSlice, file_pattern='o2', tensor_name='x', shape_and_slice=spec,
             dt=tf.float32)

    get('o1', 'x', tf.float32)
    get('o1', 'z', tf.float32)
    get('o1', 'x', tf.int32)
    get('oo?', 'x', tf.int32)
    get('o2', 'x', tf.float32)
    get('b', 'y', tf.float32)
    part('6 4 0,2:1,2')
    part('6 4 2,2:1,2')
    part('6 5 2,2:1,2')
    show('RestoreV2', restore, 'o1', ['x', 'y'], ['', ''], [tf.float32, tf.int32])
    show('RestoreV2 of a part', restore, 'o1', ['x'], ['3 4 1,1:-'], [tf.float32])
    show('RestoreV2 of none', restore, 'o1', ['zz'], ['3 4 1,1:-'], [tf.float32])
    show('names too few', raw.Save, filename='o1', tensor_names=['x'], data=[rows, rows])
    show('two files', raw.Save, filename=['o1', 'o'], tensor_names=['x'], data=[rows])
    show('names of rank 2', raw.Save, filename='o1', tensor_names=[['x']], data=[rows])
    show('a name twice', raw.Save, filename='o5', tensor_names=['x', 'x'], data=[rows, rows])
    show('bad slice', raw.SaveSlices, filename='o5', tensor_names=['x'], shapes_and_slices=['6 4 0,2:-'], data=[rows])
    show('slices too many', raw.SaveSlices, filename='o5', tensor_names=['x'], shapes_and_slices=['6 4 0,2:-', 'k'],
         data=[rows])


def show_types():
    """Every type in both formats, byte for byte."""
    for name in ('float16', 'bfloat16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16',
                 'uint32', 'uint64', 'bool', 'complex64', 'complex128', 'string'):
        value = tf.constant(['a', '']) if name == 'string' else tf.cast(tf.constant([1, -2]), name)
        show(f'old {name}', raw.Save, filename='t' + name, tensor_names=['x'], data=[value])
        if os.path.exists('t' + name):
            show('  file', read('t' + name).hex().__str__)
            show('  back', raw.Restore, file_pattern='t' + name, tensor_name='x', dt=value.dtype)
        show(f'new {name}', save, 'n' + name, ['x', 'scalar', 'none'], [''] * 3,
             [value, value[0], value[:0]])
        show('  index', read(f'n{name}.index').hex().__str__)
        show('  data', read(f'n{name}.data-00000-of-00001').hex().__str__)
        show('  back', restore, 'n' + name, ['none', 'scalar', 'x'], [''] * 3, [value.dtype] * 3)


def show_names():
    """Names of files in parts."""
    for base, shard, count in (('a/b', 0, 1), ('x', 3, 12), ('x', -1, 2), ('', 0, 0), ('x', 123456, 1234567)):
        show('name', raw.ShardedFilename, basename=base, shard=shard, num_shards=count)
        show('spec', raw.ShardedFilespec, basename=base, num_shards=count)
    show('list of bases', raw.ShardedFilename, basename=['a'], shard=0, num_shards=1)
    show('list of shards', raw.ShardedFilename, basename='a', shard=[0], num_shards=1)
    show('list of bases', raw.ShardedFilespec, basename=['a'], num_shards=1)


def show_many():
    """An index of several blocks, byte for byte."""
    names = [f'layer_{i % 97}/block{i}/weights' for i in range(6000)]
    save('many', names, [''] * len(names), [tf.constant([i]) for i in range(len(names))])
    from hashlib import sha256

    print('many', len(read('many.index')), sha256(read('many.index')).hexdigest())
    show('back', restore, 'many', [names[0], names[-1]], ['', ''], [tf.int32] * 2)


for step in (show_saving, show_restoring, show_damage, show_merging, show_old, show_types, show_names, show_many):
    print(f'# {step.__doc__}')
    step()
