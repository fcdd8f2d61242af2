"""tensorflow.examples.tutorials.mnist: files of digits, batches in numpy's order, a network that learns."""

from __future__ import annotations

from script import run

FILES = """
import gzip, os, struct, tempfile
import numpy as np
folder = tempfile.mkdtemp()
source = np.random.RandomState(3)
def write(name, magic, sizes, values, pack):
    data = struct.pack('>%dI' % (1 + len(sizes)), magic, *sizes) + values.astype('u1').tobytes()
    path = os.path.join(folder, name + ('.gz' if pack else ''))
    open(path, 'wb').write(gzip.compress(data) if pack else data)
kept = {}
for part, count in (('train', 50), ('t10k', 20)):
    kept[part] = source.randint(0, 256, [count, 28, 28]), source.randint(0, 10, count)
    write(part + '-images-idx3-ubyte', 2051, (count, 28, 28), kept[part][0], True)
    write(part + '-labels-idx1-ubyte', 2049, (count,), kept[part][1], False)
from berth.examples.tutorials.mnist import input_data
import berth as tf
"""


def script(text: str) -> str:
    return run(FILES + text)


def test_batches_have_numpys_order() -> None:
    """The split, the scale, and the order of two epochs, beside plain numpy."""
    assert script("""
data = input_data.read_data_sets(folder, one_hot=True, validation_size=10, seed=5)
images = kept['train'][0].reshape(50, 784).astype('f') * np.float32(1 / 255)
labels = np.eye(10)[kept['train'][1]]
assert np.array_equal(data.validation.images, images[:10]) and np.array_equal(data.validation.labels, labels[:10])
assert np.array_equal(data.test.labels, np.eye(10)[kept['t10k'][1]])
np.random.seed(17)
order = np.arange(40); np.random.shuffle(order); first = order.copy()
again = np.arange(40); np.random.shuffle(again)
wanted = [first[:30], np.concatenate([first[30:], first[again][:20]]), first[again][20:]]
np.random.seed(17)
for places in wanted:
    x, y = data.train.next_batch(len(places))
    assert np.array_equal(x, images[10:][places]) and np.array_equal(y, labels[10:][places])
print(data.train.epochs_completed, data.train.num_examples)
""") == "1 40\n"


def test_kinds_of_data() -> None:
    """Whole images of bytes, labels as numbers, nothing shuffled; fakes."""
    assert script("""
data = input_data.read_data_sets(folder, reshape=False, dtype=tf.uint8, validation_size=0)
x, y = data.train.next_batch(50, shuffle=False)
assert np.array_equal(x[..., 0], kept['train'][0]) and np.array_equal(y, kept['train'][1]), x.shape
print(x.dtype, x.shape, y.dtype, len(data.validation.images))
fake = input_data.read_data_sets('none', fake_data=True)
x, y = fake.train.next_batch(2, fake_data=True)
print(len(x), len(x[0]), y, fake.test.num_examples)
""") == "uint8 (50, 28, 28, 1) uint8 0\n2 784 [0, 0] 10000\n"


def test_mistakes() -> None:
    """What is not there or wrong is said; nothing is fetched."""
    text = script("""
for bad in [lambda: input_data.read_data_sets('none'), lambda: input_data.read_data_sets(folder),
            lambda: input_data.read_data_sets(folder, dtype=tf.int32, validation_size=1),
            lambda: input_data.extract_labels(folder + '/train-images-idx3-ubyte.gz')]:
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, 'DIR'))
""")
    lines = text.splitlines()
    assert lines[0].startswith("FileNotFoundError none/train-images-idx3-ubyte.gz is not there, and Berth does not")
    assert lines[1] == "ValueError Validation size should be between 0 and 50. Received: 5000."
    assert lines[2] == "TypeError Invalid image dtype tf.int32, expected uint8 or float32"
    assert lines[3] == "ValueError Invalid magic number 2051 in MNIST label file: DIR/train-images-idx3-ubyte.gz"


def test_the_network_learns() -> None:
    """The tutorial's network learns the digits by heart."""
    assert script("""
from berth.examples.tutorials.mnist import mnist
tf.set_random_seed(1)
data = input_data.read_data_sets(folder, validation_size=0)
x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int32, [None])
logits = mnist.inference(x, 64, 32)
loss = mnist.loss(logits, y)
train, right = mnist.training(loss, 0.1), mnist.evaluation(logits, y)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(300):
        a, b = data.train.next_batch(25)
        session.run(train, {x: a, y: b})
    print(session.run(right, {x: data.train.images, y: data.train.labels}))
""") == "50\n"
