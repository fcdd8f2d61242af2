"""saved_models.py - Models that tf.saved_model.save writes, and what programs find in them.

    saved_models.py make FOLDER    writes them
    saved_models.py read FOLDER    prints what is in them
"""

from __future__ import annotations

import os
import sys

import tensorflow as tf
from model_functions import Functions


class Layer(tf.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.w = tf.Variable(tf.ones([2, count]) * 0.5, name="w")
        self.b = tf.Variable(tf.zeros([count]), trainable=False)

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


class Network(Functions):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Layer(2), Layer(3)]
        self.named = {"a": tf.Variable(7), "b": Layer(1)}
        self.pair = (tf.Variable(1.0), tf.Variable([2.0]))
        self.calls = tf.Variable(0, name="calls")
        self.text = tf.Variable("text")
        self.large = tf.constant(list(range(300)), tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def count(self, x):
        self.calls.assign_add(10)
        return {"y": x * self.pair[0]}

    @tf.function
    def data(self, n):
        numbers = tf.data.Dataset.range(n).map(lambda x: x * 2)
        return numbers.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)


class Words(tf.Module):
    def __init__(self, path: str) -> None:
        super().__init__()
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [5, 6])
        lines = tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                              tf.lookup.TextFileIndex.LINE_NUMBER)
        self.table = tf.lookup.StaticHashTable(pairs, -1)
        self.inside = {"lines": tf.lookup.StaticVocabularyTable(lines, 2)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, words):
        return {"pairs": self.table.lookup(words), "lines": self.inside["lines"].lookup(words)}

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
    def ragged(self, rows):
        return tf.reduce_sum(rows, axis=1), rows * 2.0

    @tf.function(input_signature=[{"s": tf.SparseTensorSpec([None, None]), "n": tf.TensorSpec([])}])
    def sparse(self, given):
        return tf.sparse.reduce_sum(given["s"]) + given["n"], given["s"]


def attempt(function) -> None:
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split(" at 0x")[0].splitlines()[0])


def make(folder: str) -> None:
    network = Network()
    network.layers[1].w.assign([[1.0, -2.0, 1.0], [0.5, 3.0, 2.0]])
    network.layers[0](tf.ones([3, 2]))
    network.named["b"](tf.ones([1, 2]))
    network.nested({"a": tf.constant(1.0), "b": [tf.constant(2.0)]}, tf.constant(3.0), scale=2.0, k=tf.constant(4.0))
    network.chosen(tf.constant(1.0), 2)
    network.chosen(tf.constant([1.0, 2.0]), 3, training=True)
    network.data(tf.constant(3, tf.int64))
    tf.saved_model.save(network, os.path.join(folder, "network"), signatures={
        "serving_default": network.two.get_concrete_function(), "count": network.count})
    small = tf.Module()
    small.v = tf.Variable(3.0)
    small.f = tf.function(lambda x: x * small.v, input_signature=[tf.TensorSpec(None)])
    tf.saved_model.save(small, os.path.join(folder, "small"))
    print(sorted(os.listdir(os.path.join(folder, "small", "variables"))))
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as file:
        file.write("hello\nworld\n")
    words = Words(path)
    tf.saved_model.save(words, os.path.join(folder, "words"), signatures=words.look)
    os.remove(path)
    print(os.listdir(os.path.join(folder, "words", "assets")))
    attempt(lambda: tf.saved_model.save(3, folder))
    attempt(lambda: tf.saved_model.save(small, folder, signatures=3))
    attempt(lambda: tf.saved_model.save(small, folder, signatures=tf.function(lambda x: x)))
    forgotten = tf.Variable(1.0)
    small.g = tf.function(lambda: forgotten + 1)
    small.g()
    try:
        tf.saved_model.save(small, folder)
    except (AssertionError, KeyError) as error:
        print("untracked" in str(error) or "captures" in str(error))


def read(folder: str) -> None:
    model = tf.saved_model.load(os.path.join(folder, "network"))
    x = tf.constant([[1.0, 2.0]])
    attempt(lambda: model(x))
    attempt(lambda: [int(model.loop(tf.constant(n))) for n in (0, 1, 5)] + [model.calls.numpy()])
    numbers = {"a": tf.constant(1.0), "b": [tf.constant(2.0)]}
    attempt(lambda: model.nested(numbers, tf.constant(3.0), scale=2.0, k=tf.constant(4.0)))
    attempt(lambda: model.chosen(tf.constant(1.0), 2))
    attempt(lambda: model.chosen(tf.constant([1.0, 2.0]), 3, training=True))
    attempt(lambda: model.chosen(tf.constant(1.0), 3))
    attempt(lambda: model.total())
    attempt(lambda: model.two([1.0, 2.0], 3))
    attempt(lambda: model.data(tf.constant(4, tf.int64)))
    attempt(lambda: model.layers[0](tf.ones([3, 2])).numpy().tolist())
    attempt(lambda: (model.layers[1].w.numpy().tolist(), model.layers[0].b.trainable, model.named["a"].numpy(),
                     model.pair[1].numpy(), len(model.layers), model.text.numpy()))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(x)[0])
    attempt(lambda: [slope.numpy().tolist() for slope in tape.gradient(y, [model.layers[0].w, model.layers[1].w])])
    print(sorted(model.signatures))
    served = model.signatures["serving_default"]
    attempt(lambda: served(first=tf.constant([1.0, 2.0]), n=tf.constant(3)))
    attempt(lambda: sorted(served.structured_input_signature[1].items()))
    attempt(lambda: served.structured_outputs)
    attempt(lambda: (model.signatures["count"](tf.constant([1.0, 2.0])), model.calls.numpy()))
    small = tf.saved_model.load(os.path.join(folder, "small"))
    attempt(lambda: (small.f(tf.constant([1.0, 2.0])), small.f(3.0), small.v))
    attempt(lambda: small.signatures["serving_default"](tf.constant(2.0)))
    serve(os.path.join(folder, "network"))
    for _ in range(2):
        words = tf.saved_model.load(os.path.join(folder, "words"))
        attempt(lambda: sorted(words.look(tf.constant(["a", "world", "other"])).items()))
        attempt(lambda: sorted(words.signatures["serving_default"](words=tf.constant(["b", "hello"])).items()))
    attempt(lambda: words.ragged(tf.ragged.constant([[1.0, 2.0], [3.0]])))
    attempt(lambda: words.sparse({"s": tf.sparse.from_dense([[1.0, 0.0], [2.0, 3.0]]), "n": tf.constant(1.0)})[0])
    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
        served = tf.compat.v1.saved_model.load(session, ["serve"], os.path.join(folder, "words"))
        look = served.signature_def["serving_default"]
        for name in ("pairs", "lines"):
            print(session.run(look.outputs[name].name, {look.inputs["words"].name: ["a", "world"]}))


def serve(path: str) -> None:
    """What who knows no objects sees."""
    tf1 = tf.compat.v1
    with tf1.Graph().as_default(), tf1.Session() as session:
        message = tf1.saved_model.load(session, ["serve"], path)
        print(sorted(message.signature_def))
        two, count = message.signature_def["serving_default"], message.signature_def["count"]
        print(session.run(two.outputs["output_0"].name, {two.inputs["first"].name: [1.0, 2.0], two.inputs["n"].name: 4}))
        print(session.run(count.outputs["y"].name, {count.inputs["x"].name: [1.0, 2.0]}))


if __name__ == "__main__":
    {"make": make, "read": read}[sys.argv[1]](sys.argv[2])
