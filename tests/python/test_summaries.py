"""test_summaries.py - Summaries and event files hold what TensorFlow's do."""

from __future__ import annotations

import pytest
from script import run

MESSAGES = '''
import berth as tf
import numpy as np
s = tf.Session()
pixels = np.array([[[[0.0], [0.5]], [[1.0], [float('nan')]]]], np.float32)
made = tf.Summary.FromString(s.run(tf.summary.image('seen', pixels, max_outputs=1, family='f')))
value = made.value[0]
print(value.tag, value.image.height, value.image.width, value.image.colorspace)
print(s.run(tf.image.decode_png(value.image.encoded_image_string)).reshape(-1).tolist())
signs = tf.Summary.FromString(s.run(tf.summary.image('i', pixels - 0.5)))
print(signs.value[0].tag, s.run(tf.image.decode_png(signs.value[0].image.encoded_image_string)).reshape(-1).tolist())
a, b = tf.summary.scalar('a', 1.5), tf.summary.scalar('a/b c', 2)
print([(v.tag, v.simple_value) for v in tf.Summary.FromString(s.run(tf.summary.merge([a, b]))).value])
print(tf.summary.merge_all().op.name, len(tf.get_collection(tf.GraphKeys.SUMMARIES)))
for wrong in ([a, a], [tf.constant(b'no summary')]):
    try:
        s.run(tf.summary.merge(wrong))
    except tf.errors.InvalidArgumentError as error:
        print([text for text in ('Duplicate tag a', 'Could not parse one') if text in str(error)])
'''

FILES = '''
import glob, os, tempfile
import berth as tf
folder = tempfile.mkdtemp()
graph = tf.get_default_graph()
x = tf.constant(2.0, name='x')
with tf.summary.FileWriter(folder, graph, filename_suffix='.end') as writer:
    s = tf.Session()
    metadata = tf.RunMetadata()
    s.run(x, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    writer.add_run_metadata(metadata, 'first', 1)
    writer.add_summary(s.run(tf.summary.scalar('a', x)), 3)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 0)
    try:
        writer.add_run_metadata(metadata, 'first', 2)
    except ValueError as error:
        print(error)
name, = os.listdir(folder)
print(name.startswith('events.out.tfevents.'), name.endswith('.end'))
for event in tf.train.summary_iterator(os.path.join(folder, name)):
    print(event.WhichOneof('what'), event.step)
'''


def test_messages() -> None:
    """Images are scaled, tags named and counted, and merging checks tags."""
    assert run(MESSAGES, '1') == """f/f/seen/image 2 2 1
[0, 127, 255, 255]
i/image/0 [1, 128, 255, 255]
[('a', 1.5), ('a/b_c', 2.0)]
Merge_1/MergeSummary 4
['Duplicate tag a']
['Could not parse one']
"""


def test_files() -> None:
    """Every kind of event is written and read again."""
    assert run(FILES, '1') == """The provided tag was already used for this event type
True True
file_version 0
graph_def 0
tagged_run_metadata 1
summary 3
session_log 0
"""


@pytest.mark.parametrize('what', ['scalar', 'histogram'])
def test_damaged_files(what: str) -> None:
    """A file that is cut off gives what is whole."""
    code = f"""
import glob, tempfile
import berth as tf
folder = tempfile.mkdtemp()
writer = tf.summary.FileWriter(folder)
writer.add_summary(tf.Session().run(tf.summary.{what}('a', [1.0][0])), 1)
writer.close()
path, = glob.glob(folder + '/*')
data = open(path, 'rb').read()
open(path, 'wb').write(data[:-3])
try:
    print([e.step for e in tf.train.summary_iterator(path)])
except tf.errors.DataLossError as error:
    print('cut off')
"""
    assert run(code, '1') == 'cut off\n'
